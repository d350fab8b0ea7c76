"""Files of records and single records of them, compressed files, archives, office files."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from contextlib import suppress
from functools import cache
from importlib.util import find_spec

from lab.corpora.office_files import docx, epub, odt, paragraphs, pdf, pptx, zipped
from lab.fuzz.building import BUILT, DAMAGED, RAW, made, pdf_file
from lab.fuzz.oracle import documents, expect, expect_same, expect_sayable, expect_texts, write
from lab.fuzz.target import Taken, Target
from simdup.corpus.batches import read_content
from simdup.corpus.compression import _import_zstd
from simdup.corpus.files import File
from simdup.corpus.json_text import DEEPEST
from simdup.corpus.records import without_surrogates
from simdup.model.documents import Document, Skipped
from simdup.model.settings import Reading

_READINGS = (
    Reading(),
    Reading(id_field="id"),
    Reading(field=("title", "body.content"), id_field="id"),
    Reading(value_field="date", group_fields=(("same", "author"),), titled=True),
    Reading(encoding="gb18030"),
    Reading(encoding="utf-16"),
    Reading(input_format="html", extract="all", id_field="id"),
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
        with suppress(ValueError):
            values = json.loads(line.replace(b"\0", b"").decode("utf-8-sig"))
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


# -- archives and office files: the container is made around the input, and then damaged --

_METHODS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_READING = Reading(max_size=1 << 20)


def _damaged(stored: bytes, taken: Taken) -> bytes:
    """Return what is stored with some bytes changed, most of them in its list of members."""
    changed = bytearray(stored)
    for _ in range(taken.number() % 4):
        place = taken.number(2) % len(changed)
        changed[-1 - place] = taken.number()
    return bytes(changed)


def archive(data: bytes) -> object:
    """Zip archives: members by name, archives within them, damaged lists and contents."""
    taken = Taken(data)
    damage = Taken(taken.part())
    members: list[tuple[bytes, bytes, int]] = []
    while taken and len(members) < 6:
        method, name = taken.choice(_METHODS), taken.part()
        inner = name.lower().endswith(b".zip") and taken.number() % 2
        members.append((name, zipped(members) if inner else taken.part(), method))
    write("a.zip", _damaged(zipped(members), damage))
    every = documents("a.zip", _READING)
    for one in every[:2]:
        if not one.record and "\0" not in one.path:
            found = documents(one.path, _READING)
            expect_same([two.text for two in found], [one.text], "the file alone")
    return bool(every)


_TABLE = f"<w:tbl><w:tr><w:tc>{paragraphs('cell')}</w:tc></w:tr></w:tbl>"


def _unpacked(content: bytes) -> dict[str, bytes]:
    """Return the parts of an office file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


# The parts of each kind of file; an input replaces one of them.
_PARTS = {
    "docx": _unpacked(docx(paragraphs("第一段") + _TABLE, footnotes=paragraphs("n"))),
    "odt": _unpacked(odt('<text:p>段落<text:s text:c="3"/>x</text:p>')),
    "pptx": _unpacked(pptx({"s1": "幻灯片"}, ["s1"])),
    "epub": _unpacked(epub({"a": "<body><p>一页</p></body>"}, ["a"])),
}


def office(data: bytes) -> object:
    """Word, OpenDocument, PowerPoint, EPUB: one part is the input, or bytes are changed."""
    taken = Taken(data)
    kind = taken.choice(tuple(_PARTS))
    part = taken.choice((*_PARTS[kind], ""))
    damage = Taken(taken.part())
    parts = _PARTS[kind] | ({part: taken.rest()} if part else {})
    return _read(kind, _damaged(zipped(parts.items()), damage))


def _read(kind: str, content: bytes) -> bool:
    found = read_content(File(f"a.{kind}", format=kind, max_size=1 << 20), content, Reading())
    if isinstance(found, Skipped):
        expect_sayable([found])
        return False
    expect_texts([found])
    return True


def pdf_(data: bytes) -> object:
    """PDF files, built or damaged; PDFium reads them in a process of its own."""
    return _read("pdf", made(Taken(data), pdf_file))


_MARKED = ("rtf", "ipynb", "srt", "eml", "mht", "tex")


def marked(data: bytes) -> object:
    """Rich Text, notebooks, subtitles, mail, saved pages, LaTeX."""
    taken = Taken(data)
    kind = taken.choice(_MARKED)
    return _read(kind, taken.rest())


def _member(name: bytes, content: bytes, method: int = 0) -> bytes:
    return bytes([method, len(name)]) + name + bytes([len(content)]) + content


def _office(kind: int, part: int, damage: bytes = b"") -> bytes:
    names = list(_PARTS)
    parts = list(_PARTS[names[kind]].values())
    return bytes([kind, part, len(damage)]) + damage + parts[part % len(parts)]


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
    Target(
        archive,
        (b"\0" + _member(b"a.txt", b"text", 0) + _member(b"d/b.jsonl", b'{"text": "x"}\n', 1),
         b"\0" + _member("中文.txt".encode("gbk"), b"x", 2) + _member("中文.md".encode(), b"y", 3),
         b"\0" + _member(b"a.txt", b"text") + b"\0\x05b.zip\1" + _member(b"../c\n.html", b"<p>h"),
         b"\4\1\x20\0\x09" + _member(b"a.txt", b"text"), b"\0" + _member(b"a.txt\0b", b"t" * 200),
         b"\0" + _member(b"__MACOSX/._a", b"x") + _member(b"C:\\x\\y.txt", b"z")),
        (b".zip", b".txt", b".jsonl", b".csv", b".html", b".docx", b".gz", b"../", b"\\", b"/",
         b"PK"),
    ),
    Target(
        office,
        tuple(_office(kind, part) for kind in range(4) for part in range(4))
        + tuple(_office(kind, 0, b"\1\x30\0\x08") for kind in range(4))
        + (_office(0, 0)[:3] + b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",),
        (b"<w:p>", b"</w:p>", b"<w:t>", b"<a:t>", b"<text:p>", b"<text:s text:c='9'/>", b"&#",
         b"&b;", b"<!DOCTYPE", b"<!ENTITY", b"<?xml version='1.0' encoding='", b"utf-16",
         b"xmlns:w=", b"Target=", b"href=", b"<w:del>", b"<mc:AlternateContent>", b"../"),
        most=3000,
    ),
    Target(
        marked,
        (b"\0{\\rtf1{\\fonttbl{\\f0\\fcharset134 a;}}\\f0\\uc1 \\'d6\\'d0\\u20013?\\par}",
         b'\1{"cells": [{"source": ["a"]}]}', b"\2WEBVTT\n\nNOTE\n\n00:01.0 --> 00:02.0\n<v A>a",
         b"\3Subject: =?gbk?B?1tA=?=\nContent-Type: multipart/a; boundary=b\n\n--b\n\n> b\n--b--",
         b"\4Content-Type: text/html; charset=gbk\n\n<p>\xd6\xd0</p>",
         b"\5\\title{T}\\begin{document}\\textbf{a}\\cite[b]{c}$x$\\verb|d|\\end{document}"),
        (b"\\bin9 ", b"\\u-9", b"\\'", b"\\*", b"charset=", b"base64", b"=?", b"?=", b"boundary=",
         b"-->", b"\\begin{verbatim}", b"\\def", b"\\\"", b"{", b"}", b"[", b"]", b"%", b"\n"),
    ),
    Target(pdf_,
           (RAW + pdf("some text"), RAW + pdf("some text")[:300],
            BUILT + b"\0\0\0(some text) Tj (more) '",
            BUILT + b"\1\1\4textsome more", DAMAGED + b"\x20\1\0\0\1\0some text"),
           (b"obj", b"endobj", b"stream", b"/Kids", b"/Count", b"Tj", b"<<")),
)  # fmt: skip
