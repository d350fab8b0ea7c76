"""Archives and office files: the container is made around the input, and then damaged."""

from __future__ import annotations

import io
import warnings
import zipfile

from lab.corpora.office_files import RawName
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


_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_SPACES = " ".join(
    f'xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"'
    for one in ("office", "text", "table", "draw")
)


def _related(target: str, kind: str, key: str = "r1") -> str:
    return (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="{key}" Type="{_R}/{kind}" Target="{target}"/></Relationships>'
    )


# The parts of each kind of file; an input replaces one of them.
_PARTS: dict[str, dict[str, str]] = {
    "docx": {
        "word/document.xml": f'<w:document xmlns:w="{_W}"><w:body><w:p><w:r><w:t>第一段</w:t></w:r>'
        "</w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t><w:tab/></w:r></w:p></w:tc></w:tr>"
        "</w:tbl></w:body></w:document>",
        "_rels/.rels": _related("word/document.xml", "officeDocument"),
        "word/_rels/document.xml.rels": _related("footnotes.xml", "footnotes"),
        "word/footnotes.xml": f'<w:footnotes xmlns:w="{_W}"><w:footnote><w:p><w:r><w:t>n</w:t>'
        "</w:r></w:p></w:footnote></w:footnotes>",
    },
    "odt": {
        "content.xml": f"<office:document-content {_SPACES}><office:body><office:text><text:p>段落"
        '<text:s text:c="3"/>x</text:p></office:text></office:body></office:document-content>',
        "META-INF/manifest.xml": "<manifest/>",
    },
    "pptx": {
        "ppt/slides/s1.xml": f'<p xmlns:a="{_A}"><a:p><a:r><a:t>幻灯片</a:t></a:r></a:p></p>',
        "_rels/.rels": _related("ppt/presentation.xml", "officeDocument"),
        "ppt/presentation.xml": f'<p:presentation xmlns:p="p" xmlns:r="{_R}">'
        '<p:sldId id="256" r:id="r1"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": _related("slides/s1.xml", "slide"),
    },
    "epub": {
        "in/1.xhtml": "<html><head><title>t</title></head><body><p>一页</p></body></html>",
        "in/book.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>'
        '<item id="a" href="1.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>',
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="in/book.opf"/>'
        "</rootfiles></container>",
    },
}


def office(data: bytes) -> object:
    """Word, OpenDocument, PowerPoint, EPUB: one part is the input, or bytes are changed."""
    taken = Taken(data)
    kind = taken.choice(tuple(_PARTS))
    part = taken.choice((*_PARTS[kind], ""))
    damage = Taken(taken.part())
    parts = _PARTS[kind] | ({part: taken.rest()} if part else {})
    stored = _zipped(
        [
            (name.encode(), xml if isinstance(xml, bytes) else xml.encode(), zipfile.ZIP_DEFLATED)
            for name, xml in parts.items()
        ]
    )
    return _read(kind, _damaged(stored, damage))


def _read(kind: str, content: bytes) -> bool:
    found = read_office(File(f"a.{kind}", format=kind, max_size=1 << 20), content)
    if isinstance(found, Skipped):
        expect_sayable([found])
        return False
    expect_texts([found])
    return True


def pdf(data: bytes) -> object:
    """PDF files, built or damaged; PDFium reads them in a process of its own."""
    return _read("pdf", made(Taken(data), pdf_file))


_PDF = b"""%PDF-1.7
1 0 obj
<</Type/Catalog/Pages 2 0 R>>
endobj
2 0 obj
<</Type/Pages/Kids[4 0 R]/Count 1>>
endobj
3 0 obj
<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>
endobj
4 0 obj
<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 5 0 R/Resources<</Font<</F 3 0 R>>>>>>
endobj
5 0 obj
<</Length 38>>stream
BT /F 12 Tf 50 700 Td (some text) Tj ET
endstream
endobj
trailer<</Size 6/Root 1 0 R>>
%%EOF"""


def _member(name: bytes, content: bytes, method: int = 0) -> bytes:
    return bytes([method, len(name)]) + name + bytes([len(content)]) + content


def _office(kind: int, part: int, damage: bytes = b"") -> bytes:
    names = list(_PARTS)
    xml = list(_PARTS[names[kind]].values())
    return bytes([kind, part, len(damage)]) + damage + xml[part % len(xml)].encode()


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
    Target(pdf,
           (RAW + _PDF, RAW + _PDF[:300], BUILT + b"\0\0\0(some text) Tj (more) '",
            BUILT + b"\1\1\4textsome more", DAMAGED + b"\x20\1\0\0\1\0some text"),
           (b"obj", b"endobj", b"stream", b"/Kids", b"/Count", b"Tj", b"<<")),
)  # fmt: skip
