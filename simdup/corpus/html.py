"""The charset and the text of HTML pages."""

from __future__ import annotations

import codecs
import html
import re

from simdup.base.when_used import pattern
from simdup.corpus.decoding import (
    Decoded,
    NotReadable,
    decode,
    decode_declared,
    unify_line_ends,
)
from simdup.corpus.files import File
from simdup.corpus.formats import Extracted
from simdup.corpus.main_text import NotParsed, main_text
from simdup.model.settings import Reading

# A browser looks for the charset in the first 1,024 bytes; some pages have it later.
_META = pattern(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_.:-]+)", re.IGNORECASE)
_META_BYTES = 8192

_BLOCKS = pattern(
    "address|article|aside|blockquote|body|br|caption|d[dlt]|div|fieldset|figcaption|figure|footer"
    "|form|h[1-6r]|head|header|html|legend|li|main|nav|[ou]l|option|p|pre|section|select|table"
    "|tbody|t[dhr]|tfoot|thead|title"
)

# Every alternative begins with "<", and passes a second "<" only to find an end, or the end of the
# page.  So the time is linear for every page.  (html.parser was not linear before 2025.)
_MARKUP = pattern(
    r"""
      <!-- .*? (?: --> | \Z )
    | < (?P<hidden> script | style | template | noscript ) \b [^<>]* >
      .*? (?: </ (?P=hidden) \b [^<>]* >? | \Z )
    | </? (?P<tag> [a-z] [a-z0-9:-]* ) [^<>]* >?
    | < [!?/] [^<>]* >?
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


# A character by its number, with at least as many digits as the last one has.  Python reads no
# number of more than 4,300 digits.
_DIGITS, _BEYOND = 7, 0x110000
_LONG_REFERENCE = pattern(rf"&#0*([0-9]{{{_DIGITS},}});?")

# Where a title begins and ends; one that does not end within 2,000 characters does not count.
_TITLES = tuple(
    (pattern(rf"<{tag}\b[^<>]*>", re.IGNORECASE), pattern(rf"</{tag}\b", re.IGNORECASE))
    for tag in ("title", "h[1-6]")
)
_LONGEST_TITLE = 2000


def decode_html(content: bytes, encoding: str | None = None) -> Decoded:
    """Decode the bytes of a page.

    A byte order mark and well-formed UTF-8 come first, then the charset of the page's meta element,
    unless the detected encoding leaves fewer bytes malformed.

    Raises
    ------
    NotText
        If the bytes are not text.
    """
    meta = _META.search(content, 0, _META_BYTES)
    if meta is None or content.startswith(_MARKS):
        return decode(content, encoding)
    return decode_declared(content, meta[1].decode("ascii"), encoding)


_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read(content: bytes, _: File, reading: Reading) -> Extracted:
    """Return the text of a page."""
    return of_decoded(decode_html(content, reading.encoding), reading.extract)


def of_decoded(decoded: Decoded, extract: str) -> Extracted:
    """Return what `of_page` does, with the note on how the page was decoded."""
    page = of_page(decoded.text, extract)
    return page._replace(note="; ".join(filter(None, (decoded.note, page.note))))


def of_page(page: str, extract: str) -> Extracted:
    """Return the text of a page, its title, and a note on how they were found.

    Parameters
    ----------
    page : str
        HTML.
    extract : str
        ``main``: without navigation and other boilerplate; ``all``: all text except scripts,
        styles and comments; ``none``: the page with its markup.

    Raises
    ------
    NotReadable
        If it has text, but no main text, or what finds it is not installed.
    """
    text, note = page_text(page, extract)
    if extract == "main" and not text.strip() and _all_text(page):
        raise NotReadable("no main text found: set `extract` to all", error=False)
    return Extracted(text, page_title(page), note)


def extract_text(page: str, extract: str) -> str:
    """Return the text of a page; see `of_page`."""
    return page_text(page, extract)[0]


def page_text(page: str, extract: str) -> tuple[str, str]:
    """Return the text of a page, and a note on how it was found; see `of_page`."""
    if extract == "none":
        return page, ""
    page = unify_line_ends(page)
    if extract == "main":
        try:
            return main_text(page), ""
        except NotParsed as error:
            # Its text can still be read.
            return _all_text(page), f"{error}: reading all of its text instead of the main text"
    return _all_text(page), ""


def page_title(page: str) -> str | None:
    """Return the title of a page, or else its first heading; None if it has neither."""
    for opening, closing in _TITLES:
        found = opening.search(page)
        if found is not None:
            rest = page[found.end() : found.end() + _LONGEST_TITLE]
            end = closing.search(rest)
            title = _all_text(rest[: end.start()]) if end else ""
            if title:
                return title
    return None


def _all_text(page: str) -> str:
    text = html.unescape(_LONG_REFERENCE.sub(_shortened, _MARKUP.sub(_gap, page)))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _shortened(reference: re.Match[str]) -> str:
    """Return a reference that means the same and has a few digits."""
    return f"&#{reference[1] if len(reference[1]) == _DIGITS else _BEYOND};"


def _gap(markup: re.Match[str]) -> str:
    """Return the white space that replaces a tag."""
    tag = markup["tag"]
    return "\n" if tag and _BLOCKS.fullmatch(tag.lower()) else ""
