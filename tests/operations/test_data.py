"""Data that is passed from Python: every kind gives what the same records in a file give."""

from __future__ import annotations

import gc
import json
import os
import pickle
import tempfile
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lab.corpora.made import near, prose
from simdup import Index, Recipe, SimdupError, dedupe, passages, scan
from simdup.model.decisions import Decision, Decisions
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.near import collection
from simdup.near.inputs import open_input
from simdup.operations.fingerprint import fingerprint_sources
from simdup.operations.fit import fit
from simdup.show.result import Result

ONE = RunOptions(jobs=1)
TEXTS = [prose(n % 7) if n % 3 else near(prose(n % 7)) for n in range(20)] + ["", None, "!?"]
RECORDS = [
    {"id": f"row {n}", "text": text, "stars": n % 5, "author": f"author {n % 2}"}
    for n, text in enumerate(TEXTS)
]


class Dataset:
    """What is used of a Hugging Face dataset: its rows come as tables of Arrow."""

    def __init__(
        self, rows: list[dict[str, Any]], names: list[str] | None = None, kind: str = "python"
    ) -> None:
        self.rows, self.kind = rows, kind
        self.column_names = list(rows[0]) if names is None else names

    def with_format(self, kind: str) -> Dataset:
        return Dataset(self.rows, self.column_names, kind)

    def select_columns(self, names: list[str]) -> Dataset:
        return Dataset(self.rows, names, self.kind)

    def select(self, positions: Any) -> Dataset:
        return Dataset([self.rows[i] for i in positions], self.column_names, self.kind)

    def __len__(self) -> int:
        return len(self.rows)

    def iter(self, batch_size: int) -> Iterator[Any]:
        assert self.kind == "arrow"
        table = arrow(self.rows).select(self.column_names)
        yield from (table.slice(low, batch_size) for low in range(0, len(self), batch_size))


def pandas(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def pandas_objects(rows: list[dict[str, Any]]) -> Any:
    return pandas(rows).astype(object)


def polars(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(rows)


def narwhals(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("narwhals").from_native(polars(rows))


def arrow(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pylist(rows)


def arrow_batch(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pyarrow").RecordBatch.from_pylist(rows)


def arrow_reader(rows: list[dict[str, Any]]) -> Any:
    return arrow(rows).to_reader(max_chunksize=3)


def duckdb(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("duckdb").connect().from_arrow(arrow(rows))


def hugging_face(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("datasets").Dataset.from_list(rows)


def hugging_face_stream(rows: list[dict[str, Any]]) -> Any:
    return hugging_face(rows).to_iterable_dataset()


TABLES: list[Callable[[list[dict[str, Any]]], Any]] = [
    pandas, pandas_objects, polars, narwhals, arrow, arrow_batch, arrow_reader, duckdb,
    hugging_face, Dataset,
]  # fmt: skip
WITH_FIELDS = [*TABLES, hugging_face_stream, list, iter, tuple]


def pairs(rows: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    return [(row["id"], row["text"]) for row in rows]


def mapping(rows: list[dict[str, Any]]) -> dict[Any, Any]:
    return dict(pairs(rows))


WITHOUT_FIELDS = [pairs, lambda rows: iter(pairs(rows)), mapping]


def jsonl(folder: Path, rows: list[dict[str, Any]]) -> str:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def figures(found: Result) -> Any:
    """All that a result says, but how long it took, and names of skipped records."""
    reasons = [one.reason.rpartition(": ")[2] for one in found.skipped]
    counted = [getattr(found.summary, name) for name in ("documents", "checked", "redundant")]
    return found.clusters, list(found.unique), reasons, counted, found.summary.recipe


@pytest.mark.parametrize("kind", WITH_FIELDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_records_gives_what_the_same_file_gives(
    kind: Callable[[list[dict[str, Any]]], Any], tmp_path: Path
) -> None:
    told = scan(jsonl(tmp_path, RECORDS), reading=Reading(id_field="id"), keep="max:stars", run=ONE)
    assert told.clusters
    found = scan(kind(RECORDS), keep="max:stars", run=ONE)
    assert figures(found) == figures(told)
    assert [one.document for one in found.skipped] == ["row 20", "row 21"]
    assert [one.error for one in found.skipped] == [False, True]


@pytest.mark.parametrize("kind", WITHOUT_FIELDS, ids=["pairs", "iterator", "mapping"])
def test_pairs_and_mappings_give_what_the_same_file_gives(
    kind: Callable[[list[dict[str, Any]]], Any], tmp_path: Path
) -> None:
    told = scan(jsonl(tmp_path, RECORDS), reading=Reading(id_field="id"), run=ONE)
    found = scan(kind(RECORDS), run=ONE)
    assert figures(found)[:2] == figures(told)[:2]
    assert [(one.document, one.reason) for one in found.skipped] == [
        ("row 20", "empty"), ("row 21", "the text is null"),
    ]  # fmt: skip


def test_processes_get_rows_and_the_result_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "WORTH_WORKERS", 0)
    rows = [{"id": n, "text": prose(n // 2, 20)} for n in range(1200)]
    rows[5]["text"] = rows[900]["text"] = None
    alone, together = (scan(rows, Recipe(tokens="split", idf="builtin"), jobs=n) for n in (1, 2))
    assert figures(alone) == figures(together)
    assert alone.skipped == together.skipped
    assert [one.document for one in together.skipped] == [5, 900]


# Ids.


def test_ids_come_back_as_they_were_given() -> None:
    ids = [1, "1", (1, "x"), uuid.UUID(int=1), None, 2.5, frozenset("a"), b"bytes", "empty", -1]
    texts = [prose(1)] * 7 + [prose(2), "", "。"]
    found = scan(zip(ids, texts, strict=True), run=ONE)
    (cluster,) = found.clusters
    assert [member.name for member in cluster.members] == ids[:7]
    assert [(pair.a, pair.b) for pair in cluster.pairs[:2]] == [(1, "1"), (1, (1, "x"))]
    assert found.unique == [b"bytes", -1]
    assert [one.document for one in found.skipped] == ["empty"]
    assert all(type(m.name) is type(i) for m, i in zip(cluster.members, ids, strict=False))


def test_decisions_and_preferences_have_ids_as_text(tmp_path: Path) -> None:
    rows = [{"id": n, "text": prose(1)} for n in range(3)]
    kept = Decisions((Decision("keep", ("2",)),))
    assert scan(rows, decisions=kept, run=ONE).clusters[0].members[0].name == 2
    assert scan(rows, prefer=("1",), run=ONE).clusters[0].members[0].name == 1
    apart = Decisions((Decision("distinct", ("0", "1")), Decision("distinct", ("1", "2"))))
    (cluster,) = scan(rows, decisions=apart, run=ONE).clusters
    assert [member.name for member in cluster.members] == [0, 2]


@pytest.mark.parametrize("rows", [[{"text": "a b"}], [{"text": "a b", "id": None}]])
def test_a_record_without_an_id_is_known_by_its_position(rows: list[dict[str, Any]]) -> None:
    found = scan([{"id": "x", "text": "one two"}, *rows, {"id": 0, "text": "three"}], run=ONE)
    assert found.unique == ["x", 1, 0]


@pytest.mark.parametrize("kind", [list, polars, narwhals, arrow, Dataset])
def test_records_without_ids_are_known_by_their_positions(
    kind: Callable[[list[dict[str, Any]]], Any],
) -> None:
    assert scan(kind([{"text": prose(n)} for n in range(3)]), run=ONE).unique == [0, 1, 2]


def test_rows_of_pandas_without_an_id_are_known_by_their_index() -> None:
    frame = pandas([{"text": prose(n), "key": f"k{n}"} for n in range(3)])
    assert scan(frame[frame.key != "k0"], run=ONE).unique == [1, 2]
    named = frame.set_index("key")
    assert scan(named, run=ONE).unique == ["k0", "k1", "k2"]
    assert scan(named, id="key", run=ONE).unique == ["k0", "k1", "k2"]
    both = frame.assign(author="a").set_index(["author", "key"])
    assert scan(both, run=ONE).unique == [("a", "k0"), ("a", "k1"), ("a", "k2")]
    assert [type(one) for one in scan(frame, run=ONE).unique] == [int] * 3
    # Rows of narwhals have no index, whatever is below.
    below = pytest.importorskip("narwhals").from_native(frame[frame.key != "k0"])
    assert scan(below, run=ONE).unique == [0, 1]


def test_ids_of_tables_are_values_of_their_library() -> None:
    day = datetime(2026, 3, 1, 10)
    for ids in ([1, 2], ["1", "x"], [2.5, 0.5], [b"a", b"b"], [True, False], [day, datetime.max]):
        rows = [{"id": one, "text": prose(n)} for n, one in enumerate(ids)]
        for kind in (polars, narwhals, arrow, arrow_batch, arrow_reader, Dataset):
            found = scan(kind(rows), run=ONE).unique
            assert (found, list(map(type, found))) == (ids, list(map(type, ids)))
    times = pandas([{"id": day, "text": prose(1)}])
    for frame in (times, times.set_index("id")):
        assert [type(one).__name__ for one in scan(frame, run=ONE).unique] == ["Timestamp"]


def test_repeated_ids_are_noted_once() -> None:
    found = scan([("a", prose(1)), ("a", prose(1)), ("a", prose(2)), (0, prose(3))], run=ONE)
    assert found.notes == (("`id`", "2 of 4 texts with the id of an earlier one"),)
    (pair,) = found.pairs
    assert (pair.a, pair.b) == ("a", "a")
    assert [member.number for member in found.clusters[0].members] == [0, 1]
    assert found.unique == ["a", 0]


def test_repeated_ids_of_a_frame_are_called_its_index() -> None:
    frame = pandas([{"id": "a", "text": prose(n)} for n in range(3)])
    for indexed, name in ((frame.set_index("id"), "index"), (frame, "id")):
        said = f"2 of 3 texts with the {name} of an earlier one"
        assert scan(indexed, run=ONE).notes == (("`id`", said),)


@pytest.mark.parametrize("data", [[([1], "text")], [{"id": {}, "text": "text"}]])
def test_an_id_must_be_hashable(data: Any) -> None:
    with pytest.raises(TypeError, match=r"id: that of row 0 is not hashable: (\[1\]|{})"):
        scan(data)


# Fields.


@pytest.mark.parametrize("kind", WITH_FIELDS, ids=lambda kind: kind.__name__)
def test_fields_have_names(kind: Callable[[list[dict[str, Any]]], Any]) -> None:
    rows = [{"url": f"u{n}", "content": prose(n // 2), "id": n} for n in range(4)]
    found = scan(kind(rows), text="content", id="url", run=ONE)
    assert [[m.name for m in c.members] for c in found.clusters] == [["u0", "u1"], ["u2", "u3"]]
    same = scan(kind(rows), reading=Reading(field="content", id_field="url"), run=ONE)
    assert figures(same) == figures(found)


def test_fields_reach_into_records() -> None:
    rows = [{"meta": {"key": n}, "body": {"content": prose(1)}} for n in range(2)]
    (pair,) = scan(rows, text="body.content", id="meta.key", run=ONE).pairs
    assert (pair.a, pair.b) == (0, 1)


def test_fields_of_files_have_the_same_names(tmp_path: Path) -> None:
    path = jsonl(tmp_path, [{"key": "k", "content": prose(1)}])
    assert scan(path, text="content", id="key", run=ONE).unique == ["k"]


@pytest.mark.parametrize("kind", WITH_FIELDS, ids=lambda kind: kind.__name__)
def test_a_missing_field_is_an_error_that_names_those_there_are(
    kind: Callable[[list[dict[str, Any]]], Any],
) -> None:
    rows = [{"key": n, "story": prose(n)} for n in range(3)]
    listed = r" \((columns|fields): 'key' = '0', 'story' = '"
    with pytest.raises(SimdupError, match=f"'text'{listed}") as no:
        scan(kind(rows), run=ONE)
    assert no.value.field == "text"
    assert no.value.hint.endswith("text='story'")
    with pytest.raises(SimdupError, match=f"'title'{listed}") as no:
        scan(kind(rows), text="story", id="title", run=ONE)
    assert no.value.field == "id"


@pytest.mark.parametrize("kind", [*TABLES, list], ids=lambda kind: kind.__name__)
def test_of_several_fields_of_texts_none_is_guessed(
    kind: Callable[[list[dict[str, Any]]], Any],
) -> None:
    with pytest.raises(SimdupError) as no:
        scan(kind([{"premise": prose(1), "hypothesis": prose(2)}]), run=ONE)
    assert no.value.hint.endswith("text=")


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: kind.__name__)
def test_a_missing_column_to_decide_by_is_an_error(
    kind: Callable[[list[dict[str, Any]]], Any],
) -> None:
    with pytest.raises(SimdupError, match="keep: no column 'likes'"):
        scan(kind(RECORDS), keep="max:likes")


def test_dates_of_tables_are_those_of_files(tmp_path: Path) -> None:
    days = ["2026-03-01T10:00:00", "2026-03-02T00:00:00", "2026-01-31T23:59:59.123456"]
    rows = [{"id": str(n), "text": prose(1), "day": day} for n, day in enumerate(days)]
    told = scan(jsonl(tmp_path, rows), reading=Reading(id_field="id"), keep="max:day", run=ONE)
    assert told.clusters[0].members[0].name == "1"
    times = [row | {"day": datetime.fromisoformat(row["day"])} for row in rows]
    for data in (rows, times, pandas(times), polars(times), arrow(times)):
        assert figures(scan(data, keep="max:day", run=ONE)) == figures(told)


def test_columns_of_one_name_are_an_error() -> None:
    frame = pandas([{"text": "one two"}])
    frame = pytest.importorskip("pandas").concat([frame, frame], axis=1)
    with pytest.raises(SimdupError, match="text: 2 columns have the name 'text'"):
        scan(frame)
    # It is none if nobody asks for them.
    others = frame.set_axis(["text", "x"], axis=1)
    others = pytest.importorskip("pandas").concat([others, others[["x"]]], axis=1)
    assert scan(others, run=ONE).unique == [0]
    table = arrow([{"text": "one two", "x": 1, "y": 2}]).rename_columns(["text", "x", "x"])
    assert [scan(one, run=ONE).unique for one in (table, table.to_reader())] == [[0], [0]]
    for one in (others, table):
        with pytest.raises(SimdupError, match="id: 2 columns have the name 'x'"):
            scan(one, id="x")


@pytest.mark.parametrize(
    ("text", "why"),
    [(None, "is null"), (float("nan"), "is null"), (5, "is not a string"), (b"b", "is not a str")],
)
def test_a_row_without_a_text_is_skipped_and_the_rest_is_not(text: Any, why: str) -> None:
    rows = [{"id": 1, "text": prose(1)}, {"id": 2, "text": text}, {"id": 3, "text": prose(1)}]
    for data in (rows, pandas_objects(rows)):
        found = scan(data, run=ONE)
        (skipped,) = found.skipped
        assert (skipped.document, skipped.error) == (2, True)
        assert skipped.reason.startswith(f"field 'text' {why}")
        assert len(found.pairs) == 1
    without = scan([rows[0], {"id": 2}, rows[2]], run=ONE)
    assert [one.reason for one in without.skipped] == ["no field 'text'"]


def test_missing_values_of_pandas_are_null() -> None:
    rows = pandas([{"id": 1, "text": prose(1)}, {"id": 2, "text": None}])
    for kind in ("string", "object", "category"):
        (skipped,) = scan(rows.astype({"text": kind}), run=ONE).skipped
        assert skipped.reason == "field 'text' is null"


def test_html_of_rows_is_read_as_that_of_records(tmp_path: Path) -> None:
    rows = [{"id": f"{n}", "text": f"<p>{prose(1)}</p><i>{n}</i>"} for n in range(2)]
    reading = Reading(input_format="html", extract="all")
    found = scan(rows, reading=reading, run=ONE)
    path = jsonl(tmp_path, rows)
    told = scan(path, reading=Reading(input_format="html", extract="all", id_field="id"), run=ONE)
    assert figures(found) == figures(told)


# Other things than data.


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (None, "None"), (5, "int"), (b"text", "bytes"), ({1}, "set of int"),
        ([1, 2], "list of int"), ([("a", "b", "c")], "list of tuple"), (["a", 5], "int"),
        ([("a", "b"), "c"], "str"),
        ([{"text": "a"}, "c"], "str"), ({"a": ["x"], "b": ["y"]}, "list"), (dict, "type"),
    ],
)  # fmt: skip
def test_anything_else_is_a_type_error(data: Any, kind: str) -> None:
    with pytest.raises(TypeError, match=f"^data: .*expected .* {kind}"):
        scan(data)


def test_a_table_without_rows_yet_is_a_type_error() -> None:
    for frame in (polars([{"text": "a"}]), narwhals([{"text": "a"}])):
        for verb in (scan, dedupe):
            with pytest.raises(TypeError, match=r"a LazyFrame has no rows yet; .*data\.collect"):
                verb(frame.lazy())


def test_a_frame_of_dask_is_told_how_to_compute_its_rows() -> None:
    dask = pytest.importorskip("dask.dataframe")
    with pytest.raises(TypeError, match=r"data: a DataFrame has no rows yet; .*data\.compute"):
        scan(dask.from_pandas(pandas([{"text": "a"}])))


def test_strings_are_paths(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(prose(1), "utf-8")
    path = tmp_path / "a.txt"
    for one in (path, str(path), [path], iter([str(path)])):
        assert scan(one, run=ONE).unique == [str(path)]
    found = scan([path, "a text, not a file"], run=ONE)
    assert [(one.document, one.error) for one in found.skipped] == [("a text, not a file", True)]
    for none in ("a text", ["a text", "another"], "x" * 10_000, [Path("nowhere")], "a\0b"):
        for function in (scan, passages):
            with pytest.raises(SimdupError, match=r"^data: no such file or folder: '") as no:
                function(none)
            assert "enumerate(texts)" in no.value.hint
            assert len(str(no.value)) < 200


def test_nothing_gives_nothing() -> None:
    for nothing in ([], (), {}, iter([])):
        assert scan(nothing, run=ONE).summary.documents == 0
    empty = [pandas([{"text": "a"}])[:0], arrow([{"text": "a"}])[:0]]
    assert [scan(one, run=ONE).summary.documents for one in empty] == [0, 0]


@pytest.mark.parametrize("argument", ["references", "templates"])
def test_only_paths_are_references(argument: str, tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text(prose(1), "utf-8")
    rows = [{"id": 1, "text": near(prose(1))}]
    for one in (rows, dict(rows[0]), arrow(rows), 5, b"x"):
        with pytest.raises(TypeError, match=f"{argument}: .*expected a path"):
            passages(rows, **{argument: one})
    for paths in (tmp_path, str(tmp_path), [tmp_path / "old.txt"]):
        assert len(passages(rows, references=paths, run=ONE)) == 1
    (cluster,) = scan(rows, references=tmp_path, run=ONE).clusters
    assert [member.name for member in cluster.members] == [str(tmp_path / "old.txt"), 1]


# Other operations.


@pytest.mark.parametrize("kind", WITH_FIELDS, ids=lambda kind: kind.__name__)
def test_passages_take_the_same_data(kind: Callable[[list[dict[str, Any]]], Any]) -> None:
    rows = [{"key": n, "body": prose(n % 2), "author": f"{n // 3}"} for n in range(4)]
    found = passages(kind(rows), text="body", id="key", run=ONE)
    assert sorted((one.a, one.b) for one in found.overlaps) == [(0, 2), (1, 3)]
    across = passages(kind(rows), text="body", id="key", across="author", run=ONE)
    assert [(one.a, one.b) for one in across.overlaps] == [(1, 3)]
    rows[1]["body"] = ""
    assert [one.document for one in passages(kind(rows), text="body", id="key").skipped] == [1]


@pytest.mark.parametrize("kind", WITH_FIELDS, ids=lambda kind: kind.__name__)
def test_other_operations_take_the_same_data(
    kind: Callable[[list[dict[str, Any]]], Any],
) -> None:
    rows = [{"id": n, "text": prose(n // 2)} for n in range(8)]
    assert fit(kind(rows), run=ONE).model.documents == 8
    run = fingerprint_sources(kind(rows), Settings(run=ONE))
    assert [name for names, _ in run.chunks for name in names] == list(range(8))


class Streamed:
    """What other libraries look like: a stream of Arrow and nothing else."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def test_any_stream_of_arrow_is_a_table() -> None:
    rows = [{"id": n, "text": prose(n // 2)} for n in range(8)]
    found = scan(Streamed(arrow(rows)), run=ONE)
    assert [len(one.members) for one in found.clusters] == [2] * 4
    assert found.documents == list(range(8))
    with pytest.raises(SimdupError, match="no column 'body'"):
        scan(Streamed(arrow(rows)), text="body", run=ONE)
    assert dedupe(Streamed(arrow(rows)), run=ONE).data["id"].to_pylist() == [0, 2, 4, 6]
    # A column alone has texts, but no names for them.
    with pytest.raises(TypeError, match="data: expected"):
        scan(Streamed(arrow(rows).column("text")), run=ONE)


@pytest.mark.parametrize("verb", [scan, dedupe, fit, passages])
def test_texts_that_look_like_paths_are_an_error_everywhere(verb: Callable[..., Any]) -> None:
    with pytest.raises(SimdupError, match="data: no such file or folder: 'a text'") as no:
        verb(["a text", "another"])
    assert "enumerate(texts)" in no.value.hint
    assert any("enumerate(texts)" in one for one in no.value.__notes__)


def test_an_index_of_texts_that_look_like_paths_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "some.index"
    with pytest.raises(SimdupError, match="no such file or folder"):
        Index.build(str(path), ["a text"], run=ONE)
    assert not path.exists()


def test_a_result_can_be_pickled_and_its_ids_put_in_a_table() -> None:
    found = scan([(n, prose(1)) for n in (1, "1", (1, 2), None)], run=ONE)
    again = pickle.loads(pickle.dumps(found))
    assert (again.clusters, again.labels.tolist()) == (found.clusters, found.labels.tolist())
    assert found.to_arrow().column("document").to_pylist() == ["1", "1", "(1, 2)", "None"]


def test_mistyped_keywords_are_named() -> None:
    with pytest.raises(TypeError, match="'similarty'; did you mean 'similarity'"):
        scan([(1, prose(1))], similarty=0.9)
    with pytest.raises(TypeError, match="'min_rn'; did you mean 'min_run'"):
        passages([(1, prose(1))], min_rn=9)


def test_an_index_has_ids_as_text(tmp_path: Path) -> None:
    rows = [{"id": n, "text": prose(n)} for n in range(3)]
    path = str(tmp_path / "some.index")
    with Index.build(path, rows, run=ONE) as index:
        again = index.add(arrow([*rows, {"id": 3, "text": prose(3)}]), run=ONE)
        assert (again.unchanged, again.added) == (3, 1)
        (found,) = index.query({7: near(prose(2)), 8: None}, run=ONE)
        assert (found.document, [one.document for one in found.matches]) == ("7", ["2"])
    (cluster,) = scan([(9, near(prose(1)))], references=path, run=ONE).clusters
    assert [member.name for member in cluster.members] == ["1", 9]


def test_texts_stay_while_the_result_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    rows = [{"id": n, "text": prose(n // 2)} for n in range(40)]
    rows[3]["text"] = None
    for data in (rows, iter(rows), pandas(rows), {row["id"]: row["text"] for row in rows}):
        found = scan(data, run=ONE)
        numbers = [member.number for cluster in found.clusters for member in cluster.members]
        texts = {number: found.origins.text(number) for number in numbers}
        assert texts == {number: prose(number // 2) for number in numbers}
        assert os.listdir(tmp_path)
        # Without the garbage collector, which comes at any moment.
        gc.disable()
        try:
            del found
            assert os.listdir(tmp_path) == []
        finally:
            gc.enable()


def test_a_generator_is_read_once_and_as_it_is_needed() -> None:
    alive = most = 0

    class Text(str):
        __slots__ = ()

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def texts() -> Iterator[tuple[int, str]]:
        nonlocal alive, most
        for number in range(2000):
            alive += 1
            most = max(most, alive)
            yield number, Text(prose(number % 50, 500))

    opened = open_input(texts(), Settings())
    assert sum(len(batch.texts) for batch in opened.batches) == 2000  # type: ignore[union-attr]
    assert most < 200


def test_progress_is_told_on_request() -> None:
    told: list[tuple[str, int, int | None]] = []
    run = RunOptions(jobs=1, progress=lambda *one: told.append(one))
    scan([(n, prose(n % 900)) for n in range(1000)], run=run)
    assert ("reading", None) in {(stage, total) for stage, _, total in told}
    assert [done for stage, done, _ in told if stage == "reading"] == sorted(
        done for stage, done, _ in told if stage == "reading"
    )
