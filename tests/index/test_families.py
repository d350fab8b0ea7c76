"""Queries with masses of hits: processed in pieces, with the same results."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from lab.corpora.made import edited, prose
from simdup import Index
from simdup.index import matching, row_searches
from simdup.index.matching import QueryOptions, best, choose_new
from simdup.index.row_searches import IndexRows
from simdup.index.sections import line_documents
from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.table import Documents
from simdup.search import HammingBall
from simdup.search.arrays import U64
from simdup.search.queries import SearchSetup
from simdup.text.sketch_bands import SketchSource

PRINTS = st.lists(st.integers(0, 63), max_size=40)


def family(folder: str, seed: int, members: int = 12) -> list[tuple[str, str]]:
    """Texts: some near each other, some equal, some neither."""
    texts = [edited(prose(n % 3), seed + n, n % 4 * 3) for n in range(members)]
    return [(f"{folder}/{n}", text) for n, text in enumerate(texts)]


def numbered(values: U64) -> Documents:
    """Fingerprints with numbers as names."""
    return line_documents([str(i) for i in range(len(values))], values)


def by_distance(values: U64, distance: int) -> IndexRows:
    source = SketchSource(lambda: iter([]), lambda rows: np.zeros((0, 128), np.uint8))
    setup = SearchSetup(HammingBall(64, distance))
    return IndexRows(values, source, setup, Criteria(distance, method="simhash"))


def answers(folder: Path, add: bool, limit: int | None) -> list[object]:
    """The answers of an index of a family to another one, and its documents afterwards."""
    with Index.build(str(folder / "seen.index"), family("old", 1)) as index:
        asked = [*family("new", 2), ("other", prose(99)), ("short", "hello")]
        found = list(index.query(asked, 8, 0.5, add=add, limit=limit))
        return [*found, *index.export()]


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("limit", [None, 1, 3])
def test_pieces_of_any_size_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, add: bool, limit: int | None
) -> None:
    (tmp_path / "whole").mkdir()
    expected = answers(tmp_path / "whole", add, limit)
    assert any(len(one.matches) > 1 for one in expected[:12]) == (limit != 1)  # type: ignore[attr-defined]
    for hits, rows, chunk in ((1, 1, 1), (7, 3, 5)):
        folder = tmp_path / f"{hits}"
        folder.mkdir()
        monkeypatch.setattr(matching, "MOST", hits)
        monkeypatch.setattr(row_searches, "MOST", hits)
        monkeypatch.setattr(matching, "_ROWS", rows)
        monkeypatch.setattr(matching, "_RESULTS", rows)
        monkeypatch.setattr(matching, "_CHUNK", chunk)
        assert answers(folder, add, limit) == expected


@examples(60)
@given(PRINTS, PRINTS, st.integers(1, 50), st.integers(0, 3), st.integers(1, 9))
def test_a_searcher_answers_as_many_as_it_may(held, asked, most, distance, tried) -> None:
    values, queries = (np.array(some, np.uint64)[:, None] for some in (held, asked))
    found, first = [], 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_searches, "_QUERIES", tried)
        searching = by_distance(values, distance)
        documents = numbered(queries)
        while first < len(queries):
            some, (i, j) = searching.find_first(documents, range(first, len(queries)), most)
            answered = len(some)
            assert answered == 1 or len(i) <= most
            found += zip((i + first).tolist(), j.tolist(), strict=True)
            first += answered
    assert found == [
        (i, j)
        for i, a in enumerate(asked)
        for j, b in enumerate(held)
        if (a ^ b).bit_count() <= distance
    ]


@examples(60)
@given(PRINTS, st.integers(0, 3))
def test_a_document_is_new_unless_it_matches_a_new_one_before_it(prints, distance) -> None:
    columns = numbered(np.array(prints, np.uint64)[:, None])
    new: list[int] = []
    for i, value in enumerate(prints):
        if all((value ^ prints[j]).bit_count() > distance for j in new):
            new.append(i)
    options, every = QueryOptions(Criteria(distance)), np.arange(len(prints))
    found, matches = choose_new(
        columns, every, by_distance(columns["fingerprint"], distance).searches, options
    )
    assert found.tolist() == new
    assert set(zip(matches["a"].tolist(), matches["b"].tolist(), strict=True)) == {
        (i, j) for i, value in enumerate(prints) for j in new
        if j < i and (value ^ prints[j]).bit_count() <= distance
    }  # fmt: skip


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 3), st.sampled_from([None, 0.0, 0.5, 1.0])),
        max_size=30,
    ),
    st.none() | st.integers(1, 4),
    st.sampled_from([0, 1 << 40]),
)
def test_the_best_matches_come_first_and_ties_in_order(drawn, limit, first) -> None:
    # The possible estimates of sketches: shares of 128 bytes, corrected for chance.
    drawn = [(q, d, None if s is None else round(s * 127.5) / 127.5) for q, d, s in drawn]
    shares = np.array([np.nan if s is None else s for _, _, s in drawn], float)
    queries = np.array([q for q, _, _ in drawn], np.int64)
    distances = np.array([d for _, d, _ in drawn], np.int64)
    columns = {"a": queries + first, "b": np.arange(len(drawn)), "distance": distances}
    found = best(MeasuredPairs(columns | {"similarity": shares}), limit)
    expected = []
    for query in range(5):
        own = [i for i, one in enumerate(drawn) if one[0] == query]
        own.sort(key=lambda i: (-(drawn[i][2] or 0.0), drawn[i][1]))
        expected += own[:limit]
    assert found["b"].tolist() == expected
