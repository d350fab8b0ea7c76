"""EPUB books: their pages in reading order, as HTML."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from simdup.base.when_used import pattern
from simdup.corpus.decoding import NotText
from simdup.corpus.html import decode_html, extract_text
from simdup.corpus.office.found import NotReadable, OfficeText
from simdup.corpus.office.package import Package, resolve
from simdup.corpus.office.xml import PARAGRAPH, TEXT, Grammar, attributes_of, text_of
from simdup.corpus.zipped import ENCRYPTED

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html")
_HEAD_END = pattern(r"</head\b[^<>]*>", re.IGNORECASE)
_TITLE = Grammar({"http://purl.org/dc/elements/1.1/ title": PARAGRAPH | TEXT}, {})


def read_epub(package: Package) -> OfficeText:
    """Return the text of a book in the order of its spine, and its title.

    Raises
    ------
    NotReadable
        If it is another kind of file, damaged or encrypted.
    """
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
    return OfficeText(text, title, note)


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
