"""Office documents: the text of Word, PowerPoint, OpenDocument, EPUB and PDF files.

The text is what a reader sees: paragraphs, tables, text boxes, footnotes, endnotes, formulas, and
the notes of slides.  Headers, footers, comments, phonetic guides and tracked deletions are not.
"""

from __future__ import annotations

import os
import posixpath
import re
from itertools import product
from urllib.parse import unquote

from simdup.base.when_used import pattern
from simdup.corpus.archives import ENCRYPTED
from simdup.corpus.decoding import NotReadable, NotText
from simdup.corpus.files import File
from simdup.corpus.formats import Extracted
from simdup.corpus.html import decode_html, extract_text
from simdup.corpus.office.parts import (
    NOTE,
    PARAGRAPH,
    SKIP,
    TEXT,
    Grammar,
    Package,
    attributes_of,
    resolve,
    text_of,
)
from simdup.corpus.office.pdf import read_pdf
from simdup.model.settings import Reading

# Word and WPS keep such a file beside each document that is open.
_OWNER_FILE = "~$"


def read(content: bytes, file: File, _: Reading) -> Extracted:
    """Return the text of an office file."""
    if not content:
        raise NotReadable("empty", error=False)
    if os.path.basename(file.path).startswith(_OWNER_FILE):
        raise NotReadable("lock file of an open document", error=False)
    if file.format != "pdf":
        return _READERS[file.format](Package(content, file))
    found = read_pdf(content, file.max_size)
    if not found.text:
        raise NotReadable("no text: scanned pages?", error=False)
    return found


# -- Word and PowerPoint (ECMA-376), transitional and strict ---------------------------------------

_STRICT, _TRANSITIONAL = "http://purl.oclc.org/ooxml/", "http://schemas.openxmlformats.org/"
_WORD = (f"{_STRICT}wordprocessingml/main", f"{_TRANSITIONAL}wordprocessingml/2006/main")
_DRAWING = (f"{_STRICT}drawingml/main", f"{_TRANSITIONAL}drawingml/2006/main")
_MATH = (f"{_STRICT}officeDocument/math", f"{_TRANSITIONAL}officeDocument/2006/math")
_COMPATIBILITY = (f"{_TRANSITIONAL}markup-compatibility/2006",)


def _named(spaces: tuple[str, ...], names: str) -> list[str]:
    return [f"{space} {name}" for space, name in product(spaces, names.split())]


_OOXML = Grammar(
    elements={
        **dict.fromkeys(_named(_WORD, "p") + _named(_DRAWING, "p"), PARAGRAPH),
        **dict.fromkeys(_named(_WORD + _DRAWING + _MATH, "t"), TEXT),
        # Choices of one text box: programs that know the first one do not show the other.
        **dict.fromkeys(_named(_COMPATIBILITY, "Fallback"), SKIP),
        **dict.fromkeys(_named(_WORD, "rt del moveFrom"), SKIP),
        # Numbers of slides, and dates.
        **dict.fromkeys(_named(_DRAWING, "fld"), SKIP),
    },
    marks={
        **dict.fromkeys(_named(_WORD, "tab ptab") + _named(_DRAWING, "tab"), "\t"),
        **dict.fromkeys(_named(_WORD, "br cr") + _named(_DRAWING, "br"), "\n"),
        **dict.fromkeys(_named(_WORD, "noBreakHyphen"), "-"),
    },
)


def _read_docx(package: Package) -> Extracted:
    """Return the text of a Word document: body, footnotes, endnotes."""
    main = _main_part(package, "docx")
    related = list(package.targets(main).values())
    parts = [main]
    for wanted in ("footnotes", "endnotes"):
        parts += [part for kind, part in related if kind == wanted and part in package]
    return Extracted(_joined(package, parts))


def _read_pptx(package: Package) -> Extracted:
    """Return the text of slides in their order, each with its notes."""
    main = _main_part(package, "pptx")
    related = package.targets(main)
    parts = []
    for name, given in attributes_of(package.read(main)):
        if name.endswith(" sldId"):
            # The attribute is `r:id`, in one of two namespaces; `id` alone is a number.
            ids = [value for key, value in given.items() if key.endswith(" id")]
            slides = [related[one][1] for one in ids if one in related]
            parts += [part for slide in slides for part in (slide, *_notes(package, slide))]
    return Extracted(_joined(package, parts))


def _notes(package: Package, slide: str) -> list[str]:
    found = package.targets(slide).values()
    return [part for kind, part in found if kind == "notesSlide" and part in package]


def _main_part(package: Package, kind: str) -> str:
    roots = [part for what, part in package.targets("").values() if what == "officeDocument"]
    wanted = "word/" if kind == "docx" else "ppt/"
    if not roots or not roots[0].startswith(wanted):
        raise NotReadable(f"not {kind.upper()}")
    return roots[0]


def _joined(package: Package, parts: list[str]) -> str:
    texts = (text_of(package.read(part), _OOXML)[0] for part in parts)
    return "\n".join(text for text in texts if text)


# -- OpenDocument texts (ISO/IEC 26300) ------------------------------------------------------------

_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"

# A document may ask for any number of spaces; only this many are kept.
_MOST_SPACES = 100


def _spaces(attributes: dict[str, str]) -> str:
    count = attributes.get(f"{_TEXT} c", "1")
    return " " * (min(int(count), _MOST_SPACES) if count.isdecimal() and len(count) < 9 else 1)


_ODT = Grammar(
    elements={
        f"{_TEXT} p": PARAGRAPH | TEXT,
        f"{_TEXT} h": PARAGRAPH | TEXT,
        f"{_TEXT} note-body": NOTE,
        f"{_TEXT} note-citation": SKIP,
        f"{_TEXT} ruby-text": SKIP,
        f"{_TEXT} tracked-changes": SKIP,
        f"{_OFFICE} annotation": SKIP,
    },
    marks={f"{_TEXT} s": _spaces, f"{_TEXT} tab": "\t", f"{_TEXT} line-break": "\n"},
    collapses=True,
)


def _read_odt(package: Package) -> Extracted:
    """Return the text of an OpenDocument text: body, then foot- and endnotes."""
    manifest = "META-INF/manifest.xml"
    if manifest in package and b"encryption-data" in package.read(manifest):
        raise NotReadable(ENCRYPTED)
    if "content.xml" not in package:
        raise NotReadable("not ODT")
    body, notes = text_of(package.read("content.xml"), _ODT)
    return Extracted("\n".join(filter(None, (body, notes))))


# -- EPUB books: their pages in reading order, as HTML ---------------------------------------------

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html")
_HEAD_END = pattern(r"</head\b[^<>]*>", re.IGNORECASE)
_TITLE = Grammar({"http://purl.org/dc/elements/1.1/ title": PARAGRAPH | TEXT}, {})


def _read_epub(package: Package) -> Extracted:
    """Return the text of a book in the order of its spine, and its title."""
    if _CONTAINER not in package:
        raise NotReadable("not EPUB")
    roots = (given.get("full-path") for _, given in attributes_of(package.read(_CONTAINER)))
    root = next(filter(None, roots), "")
    xml = package.read(root)
    listed = _pages(attributes_of(xml), posixpath.dirname(root))
    pages = [page for page in listed if page in package]
    if _ENCRYPTION in package:
        locked = {given.get("URI") for _, given in attributes_of(package.read(_ENCRYPTION))}
        # Fonts alone are often obfuscated, and the text is not.
        if locked.intersection(pages):
            raise NotReadable(ENCRYPTED)
    text = "\n".join(filter(None, (_text(package.read(page)) for page in pages)))
    title = text_of(xml, _TITLE)[0].partition("\n")[0] or None
    missing = len(listed) - len(pages)
    note = f"{missing:,} of {len(listed):,} chapters are missing" if missing else ""
    if missing and not text:
        raise NotReadable(note)
    return Extracted(text, title, note)


def _pages(elements: list[tuple[str, dict[str, str]]], folder: str) -> list[str]:
    """Return the pages of the spine, empty for one that is not listed.

    The table of contents is left out, and so are pictures.
    """
    listed: dict[str, str | None] = {}
    spine = []
    for name, given in elements:
        if name.endswith(" item"):
            nav = "nav" in given.get("properties", "").split()
            page = given.get("media-type") in _PAGES and not nav
            path = resolve(folder, unquote(given.get("href", ""))) if page else None
            listed[given.get("id", "")] = path
        elif name.endswith(" itemref"):
            spine.append(given.get("idref", ""))
    paths = (listed.get(one, "") for one in spine)
    return [path for path in paths if path is not None]


def _text(page: bytes) -> str:
    try:
        content = decode_html(page).text
    except NotText as error:
        raise NotReadable(str(error)) from None
    # The title of a page repeats that of the book, or is a file's name.
    head = _HEAD_END.search(content)
    return extract_text(content[head.end() :] if head else content, "all")


_READERS = {"docx": _read_docx, "pptx": _read_pptx, "odt": _read_odt, "epub": _read_epub}
