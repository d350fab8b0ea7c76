"""Rows are cut into batches without losing, mixing or reordering anything."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup.corpus import rows as module
from simdup.corpus.batches import RowBatch, read
from simdup.corpus.record_fields import MISSING
from simdup.corpus.rows import Rows, recognise, row_batches
from simdup.model.documents import Document, Skipped
from simdup.model.settings import Reading

IDS = st.one_of(st.integers(), st.text(max_size=3), st.tuples(st.integers()), st.just(MISSING))
TEXTS = st.one_of(st.text(max_size=30), st.none(), st.integers(), st.just(MISSING))
ROWS = st.lists(st.tuples(IDS, TEXTS, st.integers(0, 5)), max_size=40)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_BYTES", 50)
    monkeypatch.setattr(module, "_ROWS", 2)
    monkeypatch.setattr(module, "_MOST_ROWS", 7)


@given(ROWS, st.lists(st.integers(1, 9), min_size=1))
def test_batches_hold_all_rows_in_order(
    small: None, rows: list[tuple[Any, Any, int]], cuts: list[int]
) -> None:
    def chunks() -> Iterator[list[list[Any]]]:
        done = 0
        while done < len(rows):
            some = rows[done : done + cuts[done % len(cuts)]]
            yield [[r[1] for r in some], [r[0] for r in some], [r[2] for r in some]]
            done += len(some)

    ids: list[Any] = []
    asked = [("text", "text"), ("id", "id"), ("across", "group")]
    batches = list(row_batches(Rows(chunks, asked), ids))
    assert ids == [i if one is MISSING else one for i, (one, _, _) in enumerate(rows)]
    found = [one for batch in batches for one in read(batch, Reading())]
    assert len(found) == len(rows)
    for number, (one, (_, text, group)) in enumerate(zip(found, rows, strict=True), 1):
        name = str(ids[number - 1])
        if isinstance(text, str):
            assert one == Document(name, text, record=number, groups=(str(group),))
        else:
            assert isinstance(one, Skipped)
            assert (one.document, one.number, one.error) == (name, number, True)
    first = 1
    for batch in batches:
        assert isinstance(batch, RowBatch)
        assert batch.first == first
        first += len(batch.names)
        # One chunk more than is needed, at most.
        assert len(batch.names) <= 7 + max(cuts)
        # The longest text, of 30 characters, counts 90 bytes.
        assert len(batch.names) == 1 or batch.size < 50 + 90


@given(st.lists(st.tuples(IDS.filter(lambda one: one is not MISSING), st.text(max_size=5))))
def test_pairs_mappings_and_records_are_the_same_rows(given_pairs: list[tuple[Any, str]]) -> None:
    pairs = list(dict(given_pairs).items())
    kinds = [pairs, iter(pairs), dict(pairs), [{"id": a, "text": b} for a, b in pairs]]
    told = []
    for kind in kinds:
        rows = recognise(kind, Reading())
        ids: list[Any] = []
        batches = [] if isinstance(rows, list) else list(row_batches(rows, ids))
        told.append((ids, [text for batch in batches for (text,) in batch.texts]))
    assert all(one == told[0] for one in told)
    assert told[0] == ([a for a, _ in pairs], [b for _, b in pairs])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(("count", "length"), [(3000, 5), (600, 2000), (5, 200_000)])
def test_tables_are_cut_like_records(library: str, count: int, length: int) -> None:
    texts = ["x" * length] * count
    made = pytest.importorskip(library)
    table = (made.table if library == "pyarrow" else made.DataFrame)({"text": texts})
    cut = []
    for data in ([{"text": text} for text in texts], table):
        rows = recognise(data, Reading())
        assert isinstance(rows, Rows)
        cut.append([(batch.first, batch.size) for batch in row_batches(rows, [])])
    assert cut[0] == cut[1]
    assert sum(size for _, size in cut[0]) == count * length
