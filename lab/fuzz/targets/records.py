"""Files of records, compressed or not, and single records of them."""

from __future__ import annotations

import gzip
import io
import json
from functools import cache
from importlib.util import find_spec

from lab.fuzz.files import documents, write
from lab.fuzz.oracle import expect, expect_same
from lab.fuzz.target import Taken, Target
from simdup.corpus.compression import _import_zstd
from simdup.corpus.json_text import DEEPEST
from simdup.corpus.records import without_surrogates
from simdup.model.documents import Document
from simdup.model.reading import Reading

_READINGS = (
    Reading(),
    Reading(id_field="id"),
    Reading(field=("title", "body.content"), id_field="id"),
    Reading(value_field="date", group_field="author", title_field="title"),
    Reading(encoding="gb18030"),
    Reading(encoding="utf-16"),
    Reading(html=True, extract="all", id_field="id"),
    Reading(max_size=40),
)
_FORMATS = ("jsonl", "json", "csv", "tsv")


def records(data: bytes) -> object:
    """JSON lines, JSON arrays, CSV, TSV: fields, names, numbers, groups, titles."""
    taken = Taken(data)
    suffix, reading = taken.choice(_FORMATS), taken.choice(_READINGS)
    content = taken.rest()
    found = documents(write(f"a.{suffix}", content), reading)
    numbers = [one.record for one in found]
    expect(numbers == sorted(set(numbers)), "records out of order")
    shallow = content.count(b"[") + content.count(b"{") <= DEEPEST
    if suffix == "jsonl" and reading == _READINGS[0] and shallow:
        expect_same([one.text for one in found], _texts(content), "the texts of JSON lines")
    return bool(found)


def _texts(content: bytes) -> list[str]:
    """Return the texts of JSON lines, in the simplest way."""
    texts = []
    for line in content.split(b"\n"):
        try:
            values = json.loads(line.replace(b"\0", b"").decode("utf-8-sig"))
        except ValueError:
            continue
        if isinstance(values, dict) and isinstance(values.get("text"), str):
            texts.append(without_surrogates(values["text"]))
    return texts


def address(data: bytes) -> object:
    """Single records: file#3, file#name, archive.zip/file#3."""
    taken = Taken(data)
    reading, source = taken.choice(_READINGS[:2]), taken.choice(("a.jsonl", "a.csv", "a.json"))
    name = taken.part().decode("utf-8", "surrogateescape")
    content = taken.rest() or _LINES
    write(source, content)
    every = documents(source, reading)
    if "\0" in name:
        return bool(every)
    place = f"{source}#{name}"
    found = documents(place, reading)
    expect(len(found) <= 1, "several records of one address")
    known: list[Document] = [one for one in every if one.record and one.place == place]
    if known and reading.id_field is None:
        expect_same([one.text for one in found], [one.text for one in known], "the record alone")
    return bool(found)


def compressed(data: bytes) -> object:
    """Damaged gzip and Zstandard, as texts and as records."""
    taken = Taken(data)
    suffix, packed = taken.choice((".gz", ".zst")), taken.choice(("a.txt", "a.jsonl", "a.csv"))
    # Most streams are whole: those that are damaged, or the input itself, end at once.
    whole = taken.number() % 4
    places = [taken.number(2) for _ in range(max(0, taken.number() % 8 - 4))]
    content = taken.rest()
    stored = bytearray(_packed(suffix, content))
    for place in places:
        stored[place // 8 % len(stored)] ^= 1 << place % 8
    if not places and not whole:
        # The input is a stream itself.
        stored = bytearray(content)
    found = documents(write(packed + suffix, bytes(stored)), Reading(max_size=1 << 20))
    if whole and not places:
        plain = documents(write(packed, content), Reading(max_size=1 << 20))
        expect_same([d.text for d in found], [d.text for d in plain], "the text unpacked")
    return bool(found)


def _packed(suffix: str, content: bytes) -> bytes:
    if suffix == ".gz":
        return gzip.compress(content, 1, mtime=0)
    packed: bytes = _import_zstd().compress(content)
    return packed


def parquet(data: bytes) -> object:
    """Damaged Parquet."""
    if find_spec("pyarrow") is None:
        return False
    taken = Taken(data)
    reading = taken.choice(_READINGS[:4])
    stored = bytearray(_table())
    while taken:
        # The end has the description of the columns.
        place = len(stored) - 1 - taken.number(2) % len(stored)
        stored[place] = taken.number()
    return bool(documents(write("a.parquet", bytes(stored)), reading))


@cache
def _table() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "text": ["一段文字", None, "three"], "id": ["a", "b", "b"], "title": ["t", "", None],
        "body": [{"content": "x"}, None, {"content": None}], "date": [1.5, None, 3.0],
        "author": pa.array(["x", "y", "x"]).dictionary_encode(),
    }  # fmt: skip
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, compression="zstd")
    return out.getvalue()


_LINES = (
    '{"text": "第一篇", "id": "a", "date": "2024-05-01T10:00:00+08:00", "author": "王"}\n'
    '{"text": "two", "id": 7, "title": "T", "body": {"content": "deep"}, "date": 1e3}\n'
    "\n{broken\n"
    '{"text": null, "id": "a"}\n{"text": "\\ud800 \\u0000", "id": "\\n#2"}'
).encode()
_ARRAY = b'[{"text": "one", "id": "a"},\n {"text": "[{\\"]", "id": 2, "x": [[], {}]}, 5]'
_CSV = 'text,id,title,date,author\n"第一,\n""篇""",a,T,2024-05-01,王\ntwo,b,,3,x\n'.encode()
_DEEP = b'{"text": "t", "author": ' + b"[" * 900 + b"]" * 900 + b"}\n"

TARGETS = (
    Target(
        records,
        tuple(bytes([0, n]) + _LINES for n in range(len(_READINGS)))
        + tuple(bytes([1, n]) + _ARRAY for n in range(len(_READINGS)))
        + tuple(bytes([2, n]) + _CSV for n in range(len(_READINGS)))
        + (b"\x03\0" + _CSV.replace(b",", b"\t"), b"\0\x03" + _DEEP, b"\x02\0\xff\xfet\0"),
        (b'"text"', b'"id"', b'"body"', b'"content"', b'{"', b'"}', b"[", b"]", b'""', b"\\u",
         b"\\ud800", b"NaN", b"1e999", b"null", b"\n", b"\r", b"\xef\xbb\xbf", b"2024-05-01"),
    ),
    Target(
        address,
        (b"\0\0\x011", b"\0\0\x0299" + _LINES, b"\x01\0\x01a" + _LINES, b"\x01\x01\x01b" + _CSV,
         b"\0\x02\x012" + _ARRAY, b"\x01\0\x04\n#2#"),
        (b"#", b"/", b"..", b"\xff", b"1", b"0", b"\n"),
    ),
    Target(
        compressed,
        tuple(bytes([kind, name, 1, 0]) + _LINES for kind in range(2) for name in range(3))
        + tuple(bytes([kind, name, 0, 6, 9, 0, 200, 1]) + _LINES
                for kind in range(2) for name in range(3))
        + (b"\0\0\0\0" + gzip.compress(b"a" * 9, mtime=0), b"\x01\0\0\0" + _packed(".zst", b"a")),
        (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18"),
    ),
    Target(parquet, (b"\0\x10\0\x01", b"\x01\x40\0\xff\x50\0\0", b"\x03\x05\0\0"), most=60),
)  # fmt: skip
