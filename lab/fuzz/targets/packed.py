"""Archives and office files: the container is made around the input, and then damaged."""

from __future__ import annotations

import io
import warnings
import zipfile

from lab.corpora.office_files import RawName, docx, epub, odt, paragraphs, pdf, pptx, zipped
from lab.fuzz.building import BUILT, DAMAGED, RAW, made, pdf_file
from lab.fuzz.files import documents, expect_texts, write
from lab.fuzz.oracle import expect_same, expect_sayable
from lab.fuzz.target import Taken, Target
from simdup.corpus.files import File
from simdup.corpus.office import read_office
from simdup.model.documents import Skipped
from simdup.model.reading import Reading

_METHODS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_READING = Reading(max_size=1 << 20)


def _zipped(members: list[tuple[bytes, bytes, int]]) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")  # two members of one name
        for name, content, method in members:
            info = RawName(name)
            info.compress_type = method
            archive.writestr(info, content)
    return out.getvalue()


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
        members.append((name, _zipped(members) if inner else taken.part(), method))
    write("a.zip", _damaged(_zipped(members), damage))
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
    found = read_office(File(f"a.{kind}", format=kind, max_size=1 << 20), content)
    if isinstance(found, Skipped):
        expect_sayable([found])
        return False
    expect_texts([found])
    return True


def pdf_(data: bytes) -> object:
    """PDF files, built or damaged; PDFium reads them in a process of its own."""
    return _read("pdf", made(Taken(data), pdf_file))


def _member(name: bytes, content: bytes, method: int = 0) -> bytes:
    return bytes([method, len(name)]) + name + bytes([len(content)]) + content


def _office(kind: int, part: int, damage: bytes = b"") -> bytes:
    names = list(_PARTS)
    parts = list(_PARTS[names[kind]].values())
    return bytes([kind, part, len(damage)]) + damage + parts[part % len(parts)]


TARGETS = (
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
    Target(pdf_,
           (RAW + pdf("some text"), RAW + pdf("some text")[:300],
            BUILT + b"\0\0\0(some text) Tj (more) '",
            BUILT + b"\1\1\4textsome more", DAMAGED + b"\x20\1\0\0\1\0some text"),
           (b"obj", b"endobj", b"stream", b"/Kids", b"/Count", b"Tj", b"<<")),
)  # fmt: skip
