"""Spans cut out of documents: what is left is the rest, and other records keep their bytes."""

import codecs
import csv
import io
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_forms import FORMS

from simdup.corpus.batches import batches, read
from simdup.corpus.changes import Change, cut_text, joined, why_whole
from simdup.corpus.decoding import NotText, decode
from simdup.corpus.files import File
from simdup.corpus.record_fields import Unchanged
from simdup.corpus.rewriting import write_changed
from simdup.model.documents import Document
from simdup.model.settings import Reading

# Characters that every encoding has, and what is special in JSON and CSV.
COMMON = "ab \"\\,\t\n\r'{}[]:;1中文字法"
CODECS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "gb18030", "big5hkscs", "euc_jp",
)  # fmt: skip
LONG = "这是一个用来测试编码的句子，大家都可以看到其中的内容。" * 8
Spans = list[tuple[int, int]]


def spans_in(text: str, places: list[int]) -> Spans:
    """Return spans between places, as shares of a text: ascending, none within another."""
    found = sorted({round(place * len(text) / 100) for place in places})
    return list(zip(found[::2], found[1::2], strict=False))


def rest(text: str, spans: Spans) -> str:
    left = list(text)
    for start, end in spans:
        left[start:end] = [""] * (end - start)
    return "".join(left)


PLACES = st.lists(st.integers(0, 100), max_size=6)


@given(st.text(COMMON, max_size=60), PLACES, st.sampled_from(CODECS))
def test_a_text_in_any_encoding_loses_its_spans_and_no_other_byte(
    text: str, places: list[int], codec: str
) -> None:
    content, spans = text.encode(codec), spans_in(text, places)
    cut = cut_text(content, spans, codec)
    assert decode(cut, codec).text == rest(text, spans)
    mark = "".encode(codec)
    assert cut == mark + rest(text, spans).encode(codec).removeprefix(mark)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), PLACES)
def test_a_text_of_any_characters_is_cut_or_kept(text: str, places: list[int]) -> None:
    content = text.encode()
    with suppress(NotText, Unchanged):
        decoded = decode(content).text
        spans = spans_in(decoded, places)
        assert decode(cut_text(content, spans)).text == rest(decoded, spans)


def test_an_encoding_is_the_same_after_a_cut() -> None:
    other = "這是一個用來測試編碼的句子，大家都可以看到其中的內容。" * 8
    for codec, long in (("gb18030", LONG), ("utf-16-le", LONG), ("big5hkscs", other)):
        content = (codecs.BOM_UTF16_LE if codec == "utf-16-le" else b"") + long.encode(codec)
        text = decode(content).text
        assert decode(cut_text(content, [(27, 81)])).text == rest(text, [(27, 81)])


@pytest.mark.parametrize(
    ("content", "encoding", "why"),
    [
        ("一个句子。".encode() + b"\xff" + "另一个句子。".encode(), None, "bad character"),
        (b"\x87\x90 and a sign that cp932 writes in other bytes", "cp932", "UTF-8 first"),
        (b"a\0b and more of it, and more", "utf-8", "NUL"),
    ],
)
def test_a_text_without_bytes_of_its_own_is_kept(
    content: bytes, encoding: str | None, why: str
) -> None:
    with pytest.raises(Unchanged, match=why):
        cut_text(content, [(2, 4)], encoding)


def test_a_rest_that_would_be_read_in_another_encoding_is_kept() -> None:
    content = ("这是一个用来测试编码的句子，大家都可以看到其中的内容。" * 8 + "锘挎枃瀛").encode(
        "gb18030"
    )
    text = decode(content).text
    with pytest.raises(Unchanged, match="set `encoding`"):
        cut_text(content, [(0, len(text) - 4)])
    assert cut_text(content, [(0, len(text) - 4)], "gb18030").decode("gb18030") == text[-4:]


# -- records --


def written(file: File, cuts: Change) -> bytes:
    target = io.BytesIO()
    write_changed(file, target, cuts, "")
    return target.getvalue()


def cutting(file: File, reading: Reading, records: list[int], spans: Spans) -> Change:
    """Return what cuts a span from each record."""
    by_record = {
        number: joined(span for at, span in zip(records, spans, strict=True) if at == number)
        for number in records
    }
    return Change(file, reading, spans_of=lambda number: by_record.get(number, []))


def documents(file: File, reading: Reading) -> list[Document]:
    found = [one for batch in batches([file], reading) for one in read(batch, reading)]
    assert all(isinstance(one, Document) for one in found), found
    return [one for one in found if isinstance(one, Document)]


def file_of(path: Path, content: bytes) -> File:
    path.write_bytes(content)
    kind = {".ndjson": "jsonl"}.get(path.suffix, path.suffix[1:])
    return File(str(path), len(content), path.stat().st_mtime, kind, regular=True)


def cuts_of(file: File, reading: Reading, texts: list[str], places: list[list[int]]) -> Change:
    rows = [
        (i, span)
        for i, (text, some) in enumerate(zip(texts, places, strict=True), 1)
        for span in spans_in(text, some)
    ]
    return cutting(file, reading, [i for i, _ in rows], [span for _, span in rows])


# A bare CR is written without quotes by `FORMS` where lines end with LF, and so is none of a cell.
TEXTS = st.text(st.sampled_from(COMMON + "😀é\u2028"), min_size=1, max_size=20).map(
    lambda text: text.replace("\r", "\r\n")
)
ROWS = st.lists(st.tuples(TEXTS, TEXTS, PLACES), min_size=1, max_size=5)


@pytest.mark.parametrize("form", FORMS)
@given(rows=ROWS)
def test_the_text_of_a_record_loses_its_spans(
    form: str, rows: list[tuple[str, str, list[int]]], tmp_path: Path
) -> None:
    content = FORMS[form]({"id": i, "text": a, "more": b} for i, (a, b, _) in enumerate(rows))
    file, reading = file_of(tmp_path / f"a.{form}", content), Reading()
    before = [one.text for one in documents(file, reading)]
    places = [some for _, _, some in rows]
    cuts = cuts_of(file, reading, before, places)
    content = written(file, cuts)
    assert cuts.whole == {}
    after = file_of(tmp_path / f"b.{form}", content)
    left = [rest(text, spans_in(text, some)) for text, some in zip(before, places, strict=True)]
    assert [one.text for one in documents(after, reading)] == left
    more = Reading(field="more")
    assert [one.text for one in documents(after, more)] == [b for _, b, _ in rows]


@pytest.mark.parametrize("form", FORMS)
@given(rows=ROWS)
def test_several_fields_are_cut_one_by_one(
    form: str, rows: list[tuple[str, str, list[int]]], tmp_path: Path
) -> None:
    content = FORMS[form]({"id": i, "text": a, "more": b} for i, (a, b, _) in enumerate(rows))
    file, reading = file_of(tmp_path / f"a.{form}", content), Reading(field=("more", "text"))
    before = [one.text for one in documents(file, reading)]
    cuts = cuts_of(file, reading, before, [some for _, _, some in rows])
    after = file_of(tmp_path / f"b.{form}", written(file, cuts))
    assert cuts.whole == {}
    found = documents(after, reading)
    for i, (text, one) in enumerate(zip(before, found, strict=True), 1):
        joint = len(rows[i - 1][1])
        # The line break between the fields stays.
        spans = [
            part
            for start, end in (cuts.spans_of or tuple)(i)
            for part in ((start, min(end, joint)), (max(start, joint + 1), end))
            if part[0] < part[1]
        ]
        assert one.text == rest(text, spans)


@pytest.mark.parametrize("array", [False, True])
def test_a_record_is_written_anew_and_the_others_as_they_were(array: bool, tmp_path: Path) -> None:
    other = '{ "text": "k\\u0065y" , "n":1.50, "text" :\t"甲乙" }'
    cut = (
        '{ "text": "no", "k\\u0065y" : [1.0, {"x": null}], "text": "甲\\n\\ud800乙", '
        '"n": 123456789012345678901}'
    )
    ends = ("[\n", ",\n  ", "\n]\n") if array else ("\ufeff", "\r\n", "\n")
    content = (ends[0] + ends[1].join([cut, other, cut]) + ends[2]).encode()
    file = file_of(tmp_path / ("a.json" if array else "a.jsonl"), content)
    cuts = cutting(file, Reading(), [1, 3], [(0, 1), (2, 4)])
    whole = '{"text": "%s", "key": [1.0, {"x": null}], "n": 123456789012345678901}'
    first, last = whole % "\\n\\ud800\\u4e59", whole % "甲\\n"
    expected = ends[0] + ends[1].join([first, other, last]) + ends[2]
    assert written(file, cuts).decode() == expected
    assert cuts.whole == {}


def test_nested_fields_and_a_mark(tmp_path: Path) -> None:
    line = (
        '\ufeff{"body": {"content": "甲乙\\n丙丁", "z": {}}, "body.x": 1}\n{"body":{"content":"q"}}'
    )
    file, reading = file_of(tmp_path / "a.jsonl", line.encode()), Reading(field="body.content")
    cuts = cutting(file, reading, [1, 1], [(0, 1), (2, 4)])
    assert written(file, cuts).decode() == line.replace("甲", "").replace("\\n丙", "")


@pytest.mark.parametrize("encoding", ["gb18030", "cp1252", "utf-8"])
def test_tables_in_other_encodings(tmp_path: Path, encoding: str) -> None:
    one, other = "甲乙" if encoding == "gb18030" else "éß"
    rows = 'id,text\r\n1,"{}{},\r\n""x"""\r\n2,{}{}\r\n3,"a"\r\n'
    file = file_of(tmp_path / "a.csv", rows.format(one, other, one, other).encode(encoding))
    # The letter first, then the quote before the x.
    cuts = cutting(file, Reading(encoding=encoding), [1, 1, 2], [(0, 1), (5, 6), (0, 1)])
    cut = written(file, cuts).decode(encoding)
    assert cut == rows.replace('""x', "x").format("", other, "", other)


def test_a_row_stays_a_row(tmp_path: Path) -> None:
    file = file_of(tmp_path / "a.csv", b'text\nabc\nd"e\nf\n')
    cuts = cutting(file, Reading(), [1, 2], [(0, 3), (0, 1)])
    cut = written(file, cuts)
    assert list(csv.reader(io.StringIO(cut.decode()))) == [["text"], [""], ['"e'], ["f"]]
    assert cut == b'text\n""\n"""e"\nf\n'


def test_a_column_within_structs_and_a_dictionary(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
    import pyarrow.parquet as pq

    body = pa.array([{"t": "甲乙", "n": 1}, None, {"t": None, "n": 2}, {"t": "丙", "n": None}])
    kind = pa.array(["aa", "bb", "aa", "cc"]).dictionary_encode()
    table = pa.table({"body": body, "kind": kind}).replace_schema_metadata({"a": "b"})
    pq.write_table(table, tmp_path / "a.parquet")
    file = file_of(tmp_path / "a.parquet", (tmp_path / "a.parquet").read_bytes())
    cuts = cutting(file, Reading(field="body.t"), [1], [(0, 1)])
    after = pq.read_table(io.BytesIO(written(file, cuts)))
    assert after["body"].to_pylist() == [{"t": "乙", "n": 1}, *body.to_pylist()[1:]]
    assert after.schema.equals(table.schema, check_metadata=True)
    cuts = cutting(file, Reading(field="kind"), [1, 4], [(0, 1), (0, 2)])
    after = pq.read_table(io.BytesIO(written(file, cuts)))
    assert after["kind"].to_pylist() == ["a", "bb", "aa", ""]
    assert after["body"].to_pylist() == body.to_pylist()
    assert after.schema.equals(table.schema, check_metadata=True)


# -- what is kept whole --


@pytest.mark.parametrize("kind", ["html", "pdf", "docx", "zip"])
def test_a_file_that_is_parsed_is_kept_whole_with_the_reason(kind: str) -> None:
    assert "first" in why_whole(File(f"a.{kind}", format=kind), Reading())


def test_a_record_with_nuls_is_kept_whole(tmp_path: Path) -> None:
    content = b'{"text": "a\0b"}\n{"text": "cd"}\n'
    file = file_of(tmp_path / "a.jsonl", content)
    cuts = cutting(file, Reading(), [1, 2], [(0, 1), (0, 1)])
    assert written(file, cuts) == content.replace(b"c", b"")
    assert list(cuts.whole) == [1]


@given(st.lists(st.tuples(*[st.integers(0, 12)] * 2), max_size=12))
def test_spans_in_any_order_become_those_of_their_characters(pairs: Spans) -> None:
    pairs = [(min(pair), max(pair)) for pair in pairs]
    spans = joined(pairs)
    assert {i for span in spans for i in range(*span)} == {i for p in pairs for i in range(*p)}
    assert all(end < start for (_, end), (start, _) in pairwise(spans))


def test_a_dictionary_does_not_keep_what_was_cut(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
    import pyarrow.parquet as pq

    for kind in (
        pa.dictionary(pa.int8(), pa.string()),
        pa.list_(pa.dictionary(pa.int8(), pa.string())),
    ):
        values = ["secret words", "other words"]
        rows = [[value] for value in values] if pa.types.is_list(kind) else values
        schema = pa.schema([("text", kind)])
        pq.write_table(pa.table([pa.array(rows, kind)], schema), tmp_path / "a.parquet",
                       compression="none")  # fmt: skip
        file = file_of(tmp_path / "a.parquet", (tmp_path / "a.parquet").read_bytes())
        content = written(file, cutting(file, Reading(), [1], [(0, 7)]))
        assert b"secret" not in content
        assert b"other words" in content


def test_a_row_whose_parts_are_not_those_of_its_text_is_kept_whole(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
    import pyarrow.parquet as pq

    part = pa.struct([("type", pa.string()), ("text", pa.string())])
    rows = [[{"type": None, "text": "甲乙"}], [{"type": "text", "text": "丙丁"}]]
    pq.write_table(pa.table({"text": pa.array(rows, pa.list_(part))}), tmp_path / "a.parquet")
    file = file_of(tmp_path / "a.parquet", (tmp_path / "a.parquet").read_bytes())
    cuts = cutting(file, Reading(), [1, 2], [(0, 1), (0, 1)])
    after = pq.read_table(io.BytesIO(written(file, cuts)))["text"].to_pylist()
    assert after == [rows[0], [{"type": "text", "text": "丁"}]]
    assert "same text" in cuts.whole[1]
