"""Shapes of records: chats, instructions, questions, articles; lists of texts; hints."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from record_forms import FORMS, Row, as_array, as_jsonl, as_parquet
from support import Command

from lab.corpora.made import prose
from simdup import SimdupError, decontaminate, dedupe, scan
from simdup.corpus.batches import read
from simdup.corpus.changes import Change
from simdup.corpus.files import File
from simdup.corpus.parquet import change_parquet, row_like
from simdup.corpus.record_fields import MISSING, all_pieces, find_field, pieces_of, with_pieces
from simdup.corpus.shapes import fields_of_shape, list_fields, only_prose, shown_fields
from simdup.model.documents import Document
from simdup.model.settings import Reading, Settings
from simdup.near.inputs import open_input

Q, A, B = "Which of these birds cannot fly at all?", "the common ostrich", "the house sparrow"


def pandas(rows: list[Row]) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def polars(rows: list[Row]) -> Any:
    return pytest.importorskip("polars").DataFrame(rows)


def arrow(rows: list[Row]) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pylist(rows)


def reader(rows: list[Row]) -> Any:
    return arrow(rows).to_reader(max_chunksize=2)


def parquet_frame(rows: list[Row]) -> Any:
    """A frame as pandas reads it: its lists are arrays."""
    return pytest.importorskip("pandas").read_parquet(io.BytesIO(as_parquet(rows)))


KINDS: list[Callable[[list[Row]], Any]] = [list, iter, pandas, parquet_frame, polars, arrow, reader]


def line(number: int) -> str:
    return prose(number, 60).replace("\n", " ")


def said(*texts: str | None) -> list[Row]:
    return [{"role": "user", "content": text} for text in texts]


# A record of each shape, the fields that the note names, and the text.
SHAPES: dict[str, tuple[Row, str, str]] = {
    "openai": (
        {"messages": [*said(Q, None), {"role": "assistant", "content": A, "name": "x"}], "n": 1},
        "messages[].content", f"{Q}\n{A}",
    ),
    "sharegpt": (
        {"id": "c1", "conversations": [{"from": "human", "value": Q}, {"from": "gpt", "value": A}]},
        "conversations[].value", f"{Q}\n{A}",
    ),
    "roles": ({"conversations": said(Q, A), "system": B}, "conversations[].content", f"{Q}\n{A}"),
    "alpaca": (
        {"instruction": Q, "input": "", "output": A}, "instruction, input, output", f"{Q}\n\n{A}",
    ),
    "no input": ({"output": A, "instruction": Q, "id": 1}, "instruction, output", f"{Q}\n{A}"),
    "completion": ({"prompt": Q, "completion": A}, "prompt, completion", f"{Q}\n{A}"),
    "response": ({"prompt": Q, "response": A, "score": 1}, "prompt, response", f"{Q}\n{A}"),
    "mmlu": (
        {"question": Q, "choices": [A, B], "subject": "birds", "answer": 0},
        "question, choices", f"{Q}\n{A}\n{B}",
    ),
    "arc": (
        {"id": "M1", "question": Q, "choices": {"text": [A, B], "label": ["A", "B"]}},
        "question, choices.text", f"{Q}\n{A}\n{B}",
    ),
    "medqa": (
        {"question": Q, "options": {"A": A, "B": B}, "answer_idx": "A"},
        "question, options", f"{Q}\n{A}\n{B}",
    ),
    "texts": (
        {"question": Q, "options": [{"label": "A", "text": A}, {"label": "B", "text": B}]},
        "question, options[].text", f"{Q}\n{A}\n{B}",
    ),
    "ceval": ({"id": 0, "question": Q, "A": A, "B": B, "answer": "A"}, "question, A, B",
              f"{Q}\n{A}\n{B}"),
    "cmmlu": ({"Question": Q, "A": A, "B": B, "Answer": "A"}, "Question, A, B", f"{Q}\n{A}\n{B}"),
    "news": ({"title": B, "content": Q, "url": "http://a/1"}, "content", Q),
    "body": ({"body": Q, "tags": [A]}, "body", Q),
    "chinese": ({"标题": A, "正文": Q, "日期": "2024-05-01"}, "正文", Q),
}  # fmt: skip
FLAT = [name for name, (row, _, _) in SHAPES.items() if not any(
    isinstance(value, list | dict) for value in row.values()
)]  # fmt: skip


def documents(data: Any, **how: Any) -> list[Document]:
    opened = open_input(data, Settings.of(reading=Reading(**how), jobs=1))
    found = [one for batch in opened.batches for one in read(batch, opened.settings.reading)]
    return [one for one in found if isinstance(one, Document)]


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_known_in_every_form(tmp_path: Path, name: str) -> None:
    row, fields, text = SHAPES[name]
    forms = ["jsonl", "json", "parquet", *(["csv", "tsv"] if name in FLAT else [])]
    for form in forms:
        path = tmp_path / f"r.{form}"
        path.write_bytes(FORMS[form]([row, row]))
        assert [(one.text, one.shape) for one in documents(path)] == [(text, fields)] * 2
        with pytest.raises(SimdupError, match="no record has a field 'text'"):
            scan(path, text="text", jobs=1)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_shape_is_known_in_data(kind: Callable[[list[Row]], Any]) -> None:
    for row, fields, text in SHAPES.values():
        assert [(one.text, one.shape) for one in documents(kind([row, row]))] == [
            (text, fields)
        ] * 2


def test_a_note_says_once_for_each_shape_what_was_read(simdup: Command, tmp_path: Path) -> None:
    rows = [SHAPES[name][0] for name in ("alpaca", "alpaca", "news")] + [{"text": prose(1)}]
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(rows * 2))
    note = "simdup: --field: {} have no field 'text': their text is {}\n"
    both = note.format("2 records", "content") + note.format(
        "4 records", "instruction, input, output"
    )
    for jobs in "12":
        ran = simdup("scan", "r.jsonl", "-j", jobs, "--list", "unique")
        assert (ran.status, ran.err.startswith(both), ran.err.count("have no")) == (0, True, 2)
    ran = simdup("compare", "r.jsonl#1", "r.jsonl#3")
    assert ran.err == (
        "simdup: --field: 1 record has no field 'text': its text is content\n"
        "simdup: --field: 1 record has no field 'text': its text is instruction, input, output\n"
    )
    assert "--field" not in simdup("scan", "r.jsonl#4", "r.jsonl#8").err


@pytest.mark.parametrize("row", [
    {"time": "2024-05-01T10:00:00Z", "level": "INFO", "message": "started"},
    {"messages": ["a", "b"]}, {"messages": []} | {"messages": "a"}, {"instruction": "a"},
    {"question": "a", "answer": "b"}, {"question": "a", "A": "b"}, {"content": {"a": "b"}},
    {"question": "a", "options": {"A": 1}}, {"conversations": [{"from": "a"}]},
    {"prompt": "a", "chosen": "b", "rejected": "c"}, {"title": "a"},
])  # fmt: skip
def test_other_records_are_of_no_known_shape(row: Row) -> None:
    assert fields_of_shape(row) == ()


def test_parts_of_messages_are_read_as_their_texts(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": Q}, {"type": "image_url", "image_url": {"url": "u"}},
             {"type": "text", "text": A}]  # fmt: skip
    call = {"role": "assistant", "tool_calls": [{"id": "1", "type": "function"}]}
    rows = [
        {"messages": [{"role": "system", "content": B}, {"role": "user", "content": parts}, call]},
        {"messages": []},
    ]
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(rows))
    read = [one.text for one in documents(tmp_path / "r.jsonl", field="messages[].content")]
    assert read == [f"{B}\n{Q}\n{A}", ""]
    texts = [[{"type": "text", "text": Q}, {"type": "image", "text": None}], None]
    (tmp_path / "r.parquet").write_bytes(
        as_parquet([{"messages": [{"role": "user", "content": one} for one in texts]}])
    )
    assert [one.text for one in documents(tmp_path / "r.parquet")] == [Q]


UNKNOWN: dict[str, Row] = {
    "pictures": {"messages": [{"content": [{"type": "text", "text": Q}, {"type": "image_url"}]}]},
    "preferences": {"messages": said(Q), "chosen": said(A), "rejected": said(B)},
    "history": {"instruction": Q, "output": A, "history": [[A, B]]},
    "article": {"article": prose(3), "question": Q, "options": [A, B]},
    "summary": {"content": prose(3), "summary": "A summary of what the content is about."},
    "image": {"image": "a.png", "question": Q, "choices": [A, B]},
    "answer": {"content": "Answer the question.", "answer": f"It is {A}, of course."},
    "output": {"content": "Translate.", "output": f"The word means {A} here."},
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_a_record_with_other_content_is_of_no_known_shape(
    kind: str, simdup: Command, tmp_path: Path
) -> None:
    """What differs in a field that is not read would be removed."""
    (tmp_path / "r.jsonl").write_bytes(as_jsonl([UNKNOWN[kind]] * 2))
    ran = simdup("scan", "r.jsonl")
    assert ran.status == 2
    assert "no record has a field 'text'" in ran.err
    assert ran.err.endswith("hint: name the text with --field, which may be repeated\n") or (
        kind == "pictures"
    )


def test_calls_of_tools_are_text(simdup: Command, tmp_path: Path) -> None:
    rows = [
        {"messages": [*said(Q), {"role": "assistant", "content": None, "tool_calls": [
            {"id": "1", "function": {"name": name, "arguments": '{"city": "Paris"}'}}]}]}
        for name in ("get_weather", "get_weather", "delete_every_file_of")
    ]  # fmt: skip
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(rows))
    ran = simdup("scan", "r.jsonl", "-s", "0.95", "--list", "redundant")
    assert ran.lines == ["r.jsonl#2"]
    assert "messages[].content, messages[].tool_calls[].function.name" in ran.err


# -- fields in lists --

NESTED: list[Row] = [
    {
        "id": n,
        "a": [{"b": [{"c": text}, {"c": None}], "x": n}, {"b": []}],
        "lines": [text, None, "y"],
    }
    for n, text in enumerate((prose(1), prose(2), prose(1)))
]


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet"])
def test_brackets_reach_into_lists(simdup: Command, tmp_path: Path, form: str) -> None:
    (tmp_path / f"r.{form}").write_bytes(FORMS[form](NESTED))
    texts = [row["lines"][0] for row in NESTED]
    for field in ("a[].b[].c", "lines", "lines[]"):
        more = "\ny" * field.startswith("lines")
        found = documents(tmp_path / f"r.{form}", field=field)
        assert [one.text for one in found] == [text + more for text in texts]
    ran = simdup("scan", f"r.{form}", "--field", "a[].b[].c", "--list", "redundant")
    assert (ran.status, ran.lines) == (0, [f"r.{form}#3"])
    for field in ("a[].x", "a", "a[]", "a[].b"):
        said = simdup("scan", f"r.{form}", "--field", field).err
        assert f"no record has a text in the field '{field}' (fields: 'id' = '0'" in said
    for field in ("a[].y", "lines[].x", "id[]", "a.b", "a[].b[].c[].d"):
        said = simdup("scan", f"r.{form}", "--field", field).err
        assert said.startswith("simdup: --field: no record has a ")
        assert f"field '{field}'" in said


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_brackets_reach_into_lists_of_data(kind: Callable[[list[Row]], Any]) -> None:
    for field in ("a[].b[].c", "lines", "lines[]"):
        (pair,) = scan(kind(NESTED), text=field, jobs=1).pairs
        assert (pair.a, pair.b) == (0, 2)
    assert [one.cause for one in scan(kind(NESTED), text="a[].x", jobs=1).skipped] == [
        "field 'a[].x' is not a string"
    ] * 3
    with pytest.raises(SimdupError, match=r"no (column|record has a field) 'no\[\]\.x'"):
        scan(kind(NESTED), text="no[].x", jobs=1)


def test_what_a_field_in_lists_is() -> None:
    values = {"a": [{"b": 1}, {"c": 2}, None], "d[]": 3, "d": [4], "e": None, "f": [[{"g": "h"}]]}
    names = ("a[].b", "a[].x", "d[]", "e[].x", "f[].g", "f[][].g", "a[]", "x[]")
    assert [find_field(values, name) for name in names] == [
        [1], MISSING, 3, None, [["h"]], [["h"]], values["a"], MISSING,
    ]  # fmt: skip


TEXTS = st.recursive(
    st.none() | st.text(max_size=3) | st.builds(lambda text: {"type": "text", "text": text},
                                                st.text(max_size=3)),
    lambda inner: st.lists(inner, max_size=3), max_leaves=6,
)  # fmt: skip


@given(st.lists(st.fixed_dictionaries({"b": TEXTS}, optional={"z": st.integers()}), max_size=3))
def test_pieces_are_put_back_where_they_were(rows: list[Row]) -> None:
    """Only what is a text changes, each piece to its own."""
    values = {"n": 1, "a": rows}
    names = ["a[].b"]
    if pieces_of(find_field(values, "a[].b")) is None:
        return
    pieces = all_pieces(values, names)
    assert with_pieces(values, names, pieces) == values
    numbered = with_pieces(values, names, [str(n) for n in range(len(pieces))])
    assert all_pieces(numbered, names) == [str(n) for n in range(len(pieces))]
    assert [row.keys() for row in numbered["a"]] == [row.keys() for row in rows]


def test_strings_of_parquet_are_put_back_where_they_were() -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
    import pyarrow.parquet as pq

    words = pa.dictionary(pa.int8(), pa.string())
    part = pa.struct([("type", pa.string()), ("text", pa.string())])
    kinds = {
        "plain": pa.string(), "list": pa.list_(pa.string()),
        "large": pa.large_list(pa.large_string()),
        "words": pa.list_(words), "parts": pa.list_(part),
        "deep": pa.struct([("n", pa.int64()), ("a", pa.list_(pa.struct([
            ("t", pa.timestamp("ns")), ("b", pa.list_(pa.string())),
        ])))]),
    }  # fmt: skip
    rows = [
        {"plain": "a", "list": ["b", None, "c"], "large": None, "words": ["d", "d"],
         "parts": [{"type": "image", "text": None}, None, {"type": "text", "text": "e"}],
         "deep": {"n": 1, "a": [{"t": 5, "b": ["f"]}, None, {"t": None, "b": None}]}},
        {"plain": None, "list": None, "large": ["g"], "words": [], "parts": [], "deep": None},
        {"plain": "h", "list": [], "large": [], "words": [None], "parts": None,
         "deep": {"n": None, "a": [{"t": 1, "b": ["i", "j", None]}]}},
    ]  # fmt: skip
    schema = pa.schema(list(kinds.items()))
    source, target = io.BytesIO(), io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema).slice(0), source)
    names = ("plain", "list", "large", "words", "parts", "deep.a[].b")
    reading = Reading(field=names)

    # Each piece loses its only character, and of the second row nothing is cut.
    spans = [(2 * i, 2 * i + 1) for i in range(20)]
    file = File("a.parquet", format="parquet")
    change = Change(file, reading, spans_of=lambda number: spans if number != 2 else [])
    change_parquet(source, target, reading, change)
    assert change.whole == {}
    found = pq.read_table(target)
    assert found.schema == schema
    assert set(row_like(schema)) == set(kinds)
    wanted = [with_pieces(row, names, ["" for _ in all_pieces(row, names)]) for row in rows]
    assert (
        found.to_pylist()
        == pa.Table.from_pylist([wanted[0], rows[1], wanted[2]], schema).to_pylist()
    )


# -- what is cut --


def chats() -> Iterator[Row]:
    for n in range(3):
        # Only the answer of the last one is there twice.
        turns = [{"role": "user", "content": line(n)}, {"role": "tool", "content": None},
                 {"role": "assistant", "content": f"{line(9)}\n{line(10 + n)}"}]  # fmt: skip
        yield {"id": f"c{n}", "messages": turns, "score": 1.5, "meta": {"tags": ["a", "b"]}}


def shortened(rows: list[Row]) -> list[Row]:
    rows = json.loads(json.dumps(rows))
    for row in rows:
        row["messages"][2]["content"] = row["messages"][2]["content"].replace(line(9), "")
    return rows


def rows_in(path: Path) -> list[Row]:
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        rows: list[Row] = pq.read_table(path).to_pylist()
        return rows
    text = path.read_text("utf-8")
    return json.loads(text) if path.suffix == ".json" else list(map(json.loads, text.splitlines()))


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet"])
@pytest.mark.parametrize("field", [(), ("--field", "messages[].content")])
def test_masks_are_cut_in_lists(
    simdup: Command, tmp_path: Path, form: str, field: tuple[str, ...]
) -> None:
    rows = list(chats())
    (tmp_path / f"r.{form}").write_bytes(FORMS[form](rows))
    (tmp_path / "q.jsonl").write_bytes(as_jsonl([{"text": line(9)}]))
    against = ("--against", "q.jsonl", "--against-field", "text")
    ran = simdup("decontaminate", f"r.{form}", *field, *against, "--mask", "-o", f"o.{form}")
    assert (ran.status, "Cut evaluation text from 3 documents" in ran.err) == (0, True)
    assert rows_in(tmp_path / f"o.{form}") == shortened(rows)


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet"])
def test_repeated_lines_are_cut_in_lists(simdup: Command, tmp_path: Path, form: str) -> None:
    rows = list(chats())
    (tmp_path / f"r.{form}").write_bytes(FORMS[form](rows))
    ran = simdup("dedupe", f"r.{form}", "--unit", "line", "-o", f"o.{form}")
    assert ran.status == 0
    cut = shortened(rows)
    for row in cut[1:]:
        row["messages"][2]["content"] = row["messages"][2]["content"].removeprefix("\n")
    assert rows_in(tmp_path / f"o.{form}") == [rows[0], *cut[1:]]


@pytest.mark.parametrize("kind", [tuple, *KINDS], ids=lambda kind: kind.__name__)
def test_masks_are_cut_in_lists_of_data(kind: Callable[[list[Row]], Any]) -> None:
    rows = list(chats())
    data = kind(rows)
    found = decontaminate(data, [("q", line(9))], mask=True, jobs=1).data
    texts = [one.text for one in documents(found)]
    assert texts == [one.text for one in documents(shortened(rows))]
    assert not decontaminate(found, [("q", line(9))], jobs=1).leaks
    assert len(dedupe(kind([rows[0], *rows]), jobs=1).data) == 3


def test_an_object_with_an_array_of_a_known_shape(simdup: Command, tmp_path: Path) -> None:
    rows = list(chats())
    values = {"version": "1", "data": [rows[0], rows[0], *rows[1:]], "total": 4}
    (tmp_path / "a.json").write_text(json.dumps(values, indent=1), "utf-8")
    ran = simdup("dedupe", "a.json", "-o", "b.json")
    assert (ran.status, "Read 4 documents" in ran.err) == (0, True)
    assert json.loads((tmp_path / "b.json").read_text("utf-8")) == {**values, "data": rows}
    paged = {"content": [{"content": prose(1)}, {"content": prose(1)}], "pages": 1}
    (tmp_path / "p.json").write_text(json.dumps(paged), "utf-8")
    assert simdup("scan", "p.json", "--list", "redundant").lines == ["p.json#2"]


# -- evaluation texts --


def test_a_question_with_its_options_is_an_evaluation_text(simdup: Command, tmp_path: Path) -> None:
    row = SHAPES["mmlu"][0] | {"choices": [line(5), line(6)], "question": line(4)}
    leaked = "\n".join(line(n) for n in (4, 5, 6))
    (tmp_path / "q.jsonl").write_bytes(as_jsonl([row]))
    train = [{"messages": said(prose(1), f"{prose(2)}{leaked}")}, {"messages": said(line(4))}]
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(train))
    ran = simdup("decontaminate", "r.jsonl", "--against", "q.jsonl", "-o", "o.jsonl")
    assert (ran.status, rows_in(tmp_path / "o.jsonl")) == (0, train[1:])
    assert (
        "--against-field: 1 record has no field 'text': its text is question, choices\n" in ran.err
    )
    assert "--field: 2 records have no field 'text': their text is messages[].content\n" in ran.err


# -- records of no known shape --


def test_hints_name_the_only_prose_and_no_ids_or_labels(simdup: Command, tmp_path: Path) -> None:
    story = "The keeper closed the door of the old lighthouse."
    marks = {"id": "a-1", "uid": "0b6f9a4e-77d1-4a5c-9c55-1f2e3d4c5b6a", "url": "http://a.b/c/d/e-f",
             "label": "neutral", "when": "2024-05-01 10:00:00", "n": 5, "ok": True, "none": None,
             "path": "data/news/a b.txt", "tags": [1, 2]}  # fmt: skip
    (tmp_path / "r.jsonl").write_bytes(as_jsonl([marks | {"story": story}]))
    assert simdup("scan", "r.jsonl").err.endswith("\nhint: --field story\n")
    rows = [marks, marks | {"a": story, "b": story}, marks | {"a": story, "title": "Two words"},
            marks | {"a": "Two words"}, marks | {"turns": [{"a": story, "b": story}]}]  # fmt: skip
    for row in rows:
        (tmp_path / "r.jsonl").write_bytes(as_jsonl([row]))
        ran = simdup("scan", "r.jsonl")
        assert ran.status == 2
        assert ran.err.endswith("\nhint: name the text with --field, which may be repeated\n")
        assert "'id' = 'a-1'" in ran.err
    assert "'turns[].a' = 'The keep" in ran.err
    (tmp_path / "r.jsonl").write_bytes(as_jsonl([marks | {"turns": [{"who": "x", "a": story}]}]))
    assert simdup("scan", "r.jsonl").err.endswith("\nhint: --field 'turns[].a'\n")


@pytest.mark.parametrize(("example", "prose"), [
    ("守塔人关上了旧灯塔的门，走了", True), ("体育", False), ("灯台の番人は古い扉を閉めた", True),
    ("등대지기는 낡은 등대의 문을 닫고 걸어갔다", True),
    ("the (old) door, closed again: \"yes\"", True),
    ("1 2 3 4 5 6 7", False), ("https://a.example/one/two", False), ("garden tools", False),
    ("a-b-c-d-e f_g h2 i.j", False),
])  # fmt: skip
def test_what_is_prose(example: str, prose: bool) -> None:
    assert (only_prose({"a": example, "b": "x"}) == "a") == prose


def test_examples_are_short_and_few(simdup: Command, tmp_path: Path) -> None:
    row = {f"f{n}": f"\x1b[2J {'word ' * 1000}" for n in range(20)} | {"m": [{"a": [{"b": "c"}]}]}
    listed = shown_fields(list_fields(row, {"f0": "y" * 500, "new": "z"}))
    assert "and 10 more)" in listed
    assert len(listed) < 350
    (tmp_path / "r.json").write_bytes(as_array([row]))
    ran = simdup("scan", "r.json")
    assert ("\x1b" in ran.err, ran.err.count("\n")) == (False, 2)
    assert list_fields({"m": [{"a": [{"b": "c"}], "d": [1, 2]}, {"d": "long"}, 5]}) == {
        "m[].a[].b": "c", "m[].d": "[1, 2]",
    }  # fmt: skip
