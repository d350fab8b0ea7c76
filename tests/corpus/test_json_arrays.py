"""Arrays of JSON as files of records, against a parser."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from record_forms import Row, as_array
from support import Command

from lab.corpora.made import prose
from simdup.corpus import json_text
from simdup.corpus.json_text import Elements, Fault, Outside, split_array

TEXT = st.text(alphabet='a"\\[]{},: \n字', max_size=8)
VALUES = st.recursive(
    TEXT | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ROWS: list[Row] = [{"n": n, "text": prose(n % 3)} for n in range(5)]


def cut(content: bytes) -> list[Elements | Outside | Fault]:
    return list(split_array(io.BytesIO(content)))


def bytes_of(pieces: list[Elements | Outside | Fault]) -> bytes:
    found = (p.content if isinstance(p, Elements) else p for p in pieces)
    return b"".join(one for one in found if isinstance(one, bytes))


def faults_of(pieces: list[Elements | Outside | Fault]) -> list[str]:
    return [str(piece) for piece in pieces if isinstance(piece, Fault)]


def elements_of(pieces: list[Elements | Outside | Fault]) -> Iterator[bytes]:
    for piece in pieces:
        if isinstance(piece, Elements):
            yield from (raw.removeprefix(b",") for raw in piece.split())


@pytest.fixture
def batch_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of few elements."""
    monkeypatch.setattr(json_text, "BATCH_BYTES", 20)


@pytest.mark.usefixtures("batch_bytes")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(VALUES, max_size=6), st.sampled_from([None, 0, 3]))
def test_every_element_is_found(values: list[object], indent: int | None) -> None:
    content = json.dumps(values, indent=indent, ensure_ascii=indent != 3).encode() + b"\n"
    pieces = cut(content)
    assert (bytes_of(pieces), faults_of(pieces)) == (content, [])
    assert [json.loads(raw) for raw in elements_of(pieces)] == values


@pytest.mark.usefixtures("batch_bytes")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40) | st.text(alphabet='[]{},"\\ a1.', max_size=40).map(str.encode))
def test_whatever_the_bytes_none_is_lost(content: bytes) -> None:
    for inside in (content, b'[{"a":1},' + content, b'[{"a":1}, {"b": ' + content + b"}]"):
        pieces = cut(inside)
        assert bytes_of(pieces) == inside
        try:
            values = json.loads(inside)
        except (ValueError, RecursionError):
            continue
        if isinstance(values, list):
            assert [json.loads(raw) for raw in elements_of(pieces)] == values


def test_a_large_array_is_an_error_with_a_way_out(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it is read, and `dedupe` keeps it whole."""
    monkeypatch.setattr(json_text, "LARGEST", 400)
    rows = [{"text": prose(1)}] * 5
    (tmp_path / "a.json").write_bytes(as_array(rows))
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = "a.json: an array of more than 256 MB: make JSON lines of it first, such as with jq -c"
    for jobs in ("1", "2"):
        ran = simdup("scan", "a.json", "b.jsonl", "-j", jobs)
        assert (ran.status, "Read 5 documents" in ran.err) == (2, True)
        assert f"simdup: {said} '.[]' big.json > big.jsonl\n" in ran.err
    assert simdup("dedupe", "a.json", "-o", "c.json").status == 2
    assert (tmp_path / "c.json").read_bytes() == as_array(rows)
    assert simdup("compare", "a.json#1", "b.jsonl#1").err.startswith(
        "simdup: a.json#1: an array of"
    )


@pytest.mark.parametrize("depth", [600, 100_000])
def test_an_element_that_is_nested_too_deeply(depth: int) -> None:
    pieces = cut(b'[{"a":1},' + b"[" * depth + b"]" * depth + b"]")
    assert faults_of(pieces) == ["nested too deeply: the rest of the file is not read"]
    assert list(elements_of(pieces)) == [b'{"a":1}']


def reasons(out: bytes) -> dict[str, str]:
    lines = [json.loads(line) for line in out.splitlines()]
    return {x["document"]: x["reason"] for x in lines if x["type"] == "skipped"}


def test_elements_without_a_text_are_reported_by_line_and_the_rest_is_read(
    simdup: Command, tmp_path: Path
) -> None:
    good = json.dumps(ROWS[0])
    content = f'[\n{good},\n{{"text": 1}},\n{{"text": "\t"}}, 7,\n\n  {good}\n]\n'
    (tmp_path / "a.json").write_text(content)
    ran = simdup("scan", "a.json", "-f", "jsonl")
    assert ran.status == 2
    assert reasons(ran.out) == {
        "a.json#2": "line 3: field 'text' is not a string",
        "a.json#3": "line 4: not valid JSON",
        "a.json#4": "line 4: not a JSON object",
    }
    assert '"a.json#5"' in ran.out.decode()


@pytest.mark.parametrize(
    ("element", "line"), [('{"text" "x"}', 4), ('{"text": x}', 4), ("", 4), ('{"text":\n"a" 1}', 5)]
)
def test_broken_json_ends_the_reading_and_is_reported_by_line(
    simdup: Command, tmp_path: Path, element: str, line: int
) -> None:
    good = json.dumps({"text": prose(1)})
    (tmp_path / "a.json").write_text(f"[\n{good},\n{good},\n{element},{good}]\n")
    ran = simdup("scan", "a.json", "-f", "jsonl")
    assert ran.status == 2
    reason = f"line {line}: not valid JSON: the rest of the file is not read"
    assert reasons(ran.out) == {"a.json": reason}
    assert json.loads(ran.lines[-1])["documents"] == 2
    # Nothing is removed from a file that is not read whole.
    before = (tmp_path / "a.json").read_bytes()
    assert simdup("dedupe", "a.json", "-o", "b.json").status == 2
    assert (tmp_path / "b.json").read_bytes() == before


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: content[:-2], "line 21: not valid JSON, or the array does not end"),
        (lambda content: content[:-40], "line 19: not valid JSON, or the array does not end"),
        (lambda content: content + b"\n{}", "the array ends before the file does"),
    ],
)
def test_a_file_that_is_not_one_array_is_an_error_and_kept_whole(
    simdup: Command, tmp_path: Path, change, reason: str
) -> None:
    content = change(as_array(ROWS))
    (tmp_path / "a.json").write_bytes(content)
    ran = simdup("dedupe", "a.json", "-o", "b.json")
    assert ran.status == 2
    assert reason.removeprefix("line 21: ").removeprefix("line 19: ") in ran.err
    assert (tmp_path / "b.json").read_bytes() == content


def test_other_json_is_one_text_unless_the_format_is_given(simdup: Command, tmp_path: Path) -> None:
    for name, value in {"o": {"text": prose(1)}, "p": [prose(1)], "q": {"text": prose(1)}}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value, ensure_ascii=False))
    out = simdup("scan", ".", "-f", "jsonl").lines
    assert json.loads(out[0])["documents"][1]["document"] == "./p.json"
    ran = simdup("scan", "o.json", "--input-format", "json")
    assert (ran.status, "o.json: line 1: not a JSON array" in ran.err) == (2, True)


@pytest.mark.usefixtures("batch_bytes")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(TEXT, VALUES, max_size=4), st.lists(st.dictionaries(TEXT, VALUES), max_size=4),
    st.integers(0, 4), st.sampled_from([None, 0, 3]),
)  # fmt: skip
def test_the_only_array_of_objects_is_cut(
    others: dict[str, object], rows: list[dict[str, object]], place: int, indent: int | None
) -> None:
    items = list(others.items())
    values = dict([*items[:place], ("rows", rows), *items[place:]])
    arrays = [
        one for one in values.values() if isinstance(one, list) and one and isinstance(one[0], dict)
    ]
    content = json.dumps(values, indent=indent, ensure_ascii=indent != 3).encode() + b"\n"
    pieces = cut(content)
    assert bytes_of(pieces) == content
    if len(arrays) == 1:
        assert (faults_of(pieces), [*map(json.loads, elements_of(pieces))]) == ([], arrays[0])
    else:
        assert faults_of(pieces) == ["not a JSON array, nor an object with one array of objects"]
    for end in range(0, len(content) - 2, 7):
        assert faults_of(cut(content[:end]))


def test_an_object_with_records_is_written_with_fewer(simdup: Command, tmp_path: Path) -> None:
    values = {"版": "1", "labels": ["a", "b"], "rows": [*ROWS, ROWS[0]], "n": {"x": [1]}}
    content = b"\xef\xbb\xbf" + json.dumps(values, ensure_ascii=False, indent=2).encode()
    (tmp_path / "a.json").write_bytes(content)
    ran = simdup("dedupe", "a.json", "-o", "b.json")
    assert (ran.status, "Read 6 documents" in ran.err) == (0, True)
    written = (tmp_path / "b.json").read_bytes()
    assert json.loads(written) == {**values, "rows": ROWS[:3]}
    assert written[: content.index(b"rows")] == content[: content.index(b"rows")]
    assert simdup("compare", "a.json#1", "a.json#4").status == 0


@pytest.mark.parametrize("values", [
    {"text": "a", "rows": [{"text": "a"}]}, {"rows": {"text": "a"}}, {"rows": [["a"]]},
    {"messages": [{"role": "user", "content": "a"}]}, {"body": "a", "rows": [{"content": "a"}]},
    {"rows": []}, {"about": "an object", "tags": ["b", "c"]},
])  # fmt: skip
def test_other_objects_are_one_text(simdup: Command, tmp_path: Path, values: object) -> None:
    (tmp_path / "a.json").write_text(json.dumps(values))
    assert simdup("scan", "a.json", "--list", "unique").lines == ["a.json"]


@pytest.mark.parametrize(("values", "step"), [
    ({"train": [{"text": "a"}], "test": [{"text": "b"}]}, "jq -c '.train[], .test[]' a.json"),
    ({"rows": [{"name": "a"}]}, "name the text with --field"),
    (["a", "b"], "jq -c '.[] | {text: .}' a.json"),
])  # fmt: skip
def test_many_texts_are_not_read_as_one(
    simdup: Command, tmp_path: Path, values: object, step: str
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(values))
    ran = simdup("dedupe", "a.json", "-o", "out")
    assert ran.status == 2
    assert step in ran.err
    assert not (tmp_path / "out").exists()
    assert simdup("scan", "a.json", "--input-format", "text", "--list", "unique").text == "a.json\n"
    # In a folder each file is one.
    assert simdup("scan", ".", "--list", "unique").text == "./a.json\n"


def test_json_lines_may_be_in_a_json_file(simdup: Command, tmp_path: Path) -> None:
    rows = [{"text": prose(1)}, {"text": prose(2)}, {"text": prose(1)}]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "a.json").write_text(lines)
    ran = simdup("scan", "a.json", "--list", "redundant")
    assert (ran.status, ran.text) == (0, "a.json#3\n")
    assert simdup("dedupe", "a.json", "-o", "b.json").status == 0
    kept = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows[:2]]
    assert (tmp_path / "b.json").read_text() == "".join(kept)
    # An object over several lines is one text.
    (tmp_path / "c.json").write_text(json.dumps(rows[0], indent=1))
    assert "Read 1 document" in simdup("scan", "c.json").err


@pytest.mark.parametrize("removed", [{1}, {2}, {1, 2, 3}, {5}, {2, 5}, {4, 5}])
def test_dedupe_leaves_a_valid_array(simdup: Command, tmp_path: Path, removed: set[int]) -> None:
    """Removed records take a comma with them, and the layout of the others stays."""
    reference = [{"text": prose(n + 1)} for n in removed]
    rows = [{"text": prose(n)} for n in range(1, 6)]
    rows = [{"text": prose(n + 1) if n in removed else prose(n + 50)} for n in range(1, 6)]
    (tmp_path / "a.json").write_bytes(as_array(rows))
    (tmp_path / "known.json").write_bytes(as_array(reference, None))
    ran = simdup("dedupe", "a.json", "--reference", "known.json", "-o", "b.json")
    assert ran.status == 0, ran.err
    stay = [row for n, row in enumerate(rows, 1) if n not in removed]
    content = (tmp_path / "b.json").read_bytes()
    assert json.loads(content) == stay
    assert content == as_array(stay)


def test_an_array_with_the_encoding_of_the_option(simdup: Command, tmp_path: Path) -> None:
    text = json.dumps([{"text": "café " * 9}], ensure_ascii=False)
    (tmp_path / "a.json").write_bytes(text.encode("latin-1"))
    assert simdup("scan", "a.json", "--encoding", "latin-1").status == 0
    ran = simdup("scan", "a.json", "--encoding", "gb18030")
    assert (ran.status, "a.json: JSON in gb18030 is not supported" in ran.err) == (2, True)


def test_an_array_may_be_in_a_jsonl_file(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps([*ROWS, ROWS[0]], ensure_ascii=False), "utf-8")
    assert simdup("scan", "a.jsonl", "--list", "redundant").lines[-1] == f"a.jsonl#{len(ROWS) + 1}"
    assert simdup("dedupe", "a.jsonl", "-o", "b.jsonl").status == 0
    assert len(json.loads((tmp_path / "b.jsonl").read_text("utf-8"))) < len(ROWS) + 1


@pytest.mark.parametrize("options", [(), ("--unit", "line")])
def test_nothing_is_written_of_records_that_cannot_be_read(
    simdup: Command, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """A full copy would look clean."""
    (tmp_path / "a.jsonl").write_text('["a"]\n["b"]\n')
    ran = simdup("dedupe", "a.jsonl", *options, "-o", "b.jsonl")
    assert ran.status == 2
    assert "no record can be read, so nothing is written: not a JSON object" in ran.err
    assert not (tmp_path / "b.jsonl").exists()
