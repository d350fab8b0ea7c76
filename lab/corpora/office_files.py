"""Office files and archives for tests, made by hand: small, and as odd as a test needs."""

from __future__ import annotations

import io
import struct
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any
from xml.sax.saxutils import escape

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

# A name, a content, and perhaps a method of compression of its own.
Members = Iterable[tuple[Any, ...]]


class RawName(zipfile.ZipInfo):
    """A member whose name is any bytes, not marked as UTF-8: zipfile alone cannot write it."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw.decode("latin-1"))
        self.filename = raw.decode("latin-1")

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802
        return self.filename.encode("latin-1"), self.flag_bits & ~0x800


def zipped(members: Members, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file; names as bytes are written as they are."""
    target = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(target, "w", method) as archive:
        warnings.simplefilter("ignore")  # two members may have one name
        for name, content, *own in members:
            info = RawName(name) if isinstance(name, bytes) else zipfile.ZipInfo(name)
            info.compress_type = own[0] if own else method
            archive.writestr(info, content)
    return target.getvalue()


def patched(archive: bytes, field: str, value: int) -> bytes:
    """A zip file with a field of its first member changed, in its list and before the member."""
    content = bytearray(archive)
    listed, local, form = {
        "flags": (8, 6, "<H"), "method": (10, 8, "<H"), "size": (24, 22, "<L")
    }[field]  # fmt: skip
    struct.pack_into(form, content, content.find(b"PK\1\2") + listed, value)
    struct.pack_into(form, content, content.find(b"PK\3\4") + local, value)
    return bytes(content)


def related(targets: Mapping[str, tuple[str, str]], above: str = _OFFICE) -> str:
    """The relations of a part: by id, what it is and which part."""
    listed = "".join(
        f'<Relationship Id="{key}" Type="{above}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{listed}</Relationships>'


def docx(body: str, space: str = WORD, **notes: str) -> bytes:
    """A Word document with the XML of its body, and of `footnotes` or `endnotes`."""
    root = f'xmlns:w="{space}"'
    members = [
        ("_rels/.rels", related({"r1": ("officeDocument", "word/document.xml")})),
        ("word/document.xml", f"<w:document {root}><w:body>{body}</w:body></w:document>"),
    ]
    if notes:
        listed = {kind: (kind, f"{kind}.xml") for kind in notes}
        members.append(("word/_rels/document.xml.rels", related(listed)))
    members += [
        (f"word/{kind}.xml", f"<w:{kind} {root}>{xml}</w:{kind}>") for kind, xml in notes.items()
    ]
    return zipped(members)


def paragraphs(*texts: str) -> str:
    """The XML of paragraphs of Word."""
    return "".join(
        f'<w:p><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>' for text in texts
    )


def odt(body: str, **members: str) -> bytes:
    """An OpenDocument text with the XML of its body."""
    names = ("office", "text", "draw", "table", "style")
    spaces = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in names)
    content = (
        f"<office:document-content {spaces}><office:body><office:text>{body}</office:text>"
        "</office:body></office:document-content>"
    )
    others = [("META-INF/manifest.xml", members.get("manifest", "<manifest/>"))]
    return zipped([("content.xml", content), *others])


def pptx(slides: Mapping[str, str], order: Iterable[str]) -> bytes:
    """Slides by file name, each with one text, shown in an order."""
    space = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    listed = {f"r{name}": ("slide", f"slides/{name}.xml") for name in slides}
    shown = "".join(f'<p:sldId id="256" r:id="r{name}"/>' for name in order)
    main = f'<p:presentation xmlns:p="p" xmlns:r="{_OFFICE}">{shown}</p:presentation>'
    return zipped(
        [
            ("_rels/.rels", related({"r1": ("officeDocument", "ppt/presentation.xml")})),
            ("ppt/presentation.xml", main),
            ("ppt/_rels/presentation.xml.rels", related(listed)),
            *(
                (f"ppt/slides/{name}.xml", f"<p {space}><a:p><a:t>{text}</a:t></a:p></p>")
                for name, text in slides.items()
            ),
        ]
    )


def epub(pages: Mapping[str, str], order: Iterable[str], extra: str = "") -> bytes:
    """A book with pages by id, and the order of its spine."""
    kind = 'media-type="application/xhtml+xml"'
    items = "".join(f'<item id="{key}" href="{key}%20.xhtml" {kind}/>' for key in pages)
    spine = "".join(f'<itemref idref="{key}"/>' for key in order)
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>书名</dc:title></metadata>'
        f"<manifest>{items}{extra}</manifest><spine>{spine}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="in/book.opf"/></rootfiles></container>'
    return zipped(
        [
            ("META-INF/container.xml", container),
            ("in/book.opf", opf),
            *(
                (f"in/{key} .xhtml", f"<html><head><title>{key}</title></head>{text}</html>")
                for key, text in pages.items()
            ),
        ]
    )


def pdf(*pages: str, root: bytes = b"") -> bytes:
    """A PDF file with a line of ASCII on each page; without lines, blank pages."""
    texts = (f"BT /F 12 Tf 50 700 Td ({page}) Tj ET".encode() if page else b"" for page in pages)
    return drawn_pdf(*texts, root=root)


def drawn_pdf(*contents: bytes, root: bytes = b"") -> bytes:
    """A PDF file with the operators that draw each page."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * i) for i in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R" + root + b">>",
        b"<</Type/Pages/Kids[" + kids + b"]/Count %d>>" % len(contents),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for i, content in enumerate(contents):
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</F 3 0 R>>>>>>" % (5 + 2 * i),
            b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        ]
    written, places = b"%PDF-1.7\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1, len(written),
    )  # fmt: skip
    return written + head + table + tail
