"""OpenDocument texts (ISO/IEC 26300).

As in Word documents, comments, phonetic guides and tracked deletions are left out.
"""

from __future__ import annotations

from simdup.corpus.office.found import NotReadable, OfficeText
from simdup.corpus.office.package import Package
from simdup.corpus.office.xml import NOTE, PARAGRAPH, SKIP, TEXT, Grammar, text_of
from simdup.corpus.zipped import ENCRYPTED

_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"

# A document may ask for any number of spaces; only this many are kept.
_MOST_SPACES = 100


def _spaces(attributes: dict[str, str]) -> str:
    count = attributes.get(f"{_TEXT} c", "1")
    return " " * (min(int(count), _MOST_SPACES) if count.isdecimal() and len(count) < 9 else 1)


_GRAMMAR = Grammar(
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


def read_odt(package: Package) -> OfficeText:
    """Return the text of an OpenDocument text: body, then foot- and endnotes.

    Raises
    ------
    NotReadable
        If it is another kind of file, damaged or encrypted.
    """
    manifest = "META-INF/manifest.xml"
    if manifest in package and b"encryption-data" in package.read(manifest):
        raise NotReadable(ENCRYPTED)
    if "content.xml" not in package:
        raise NotReadable("not ODT")
    body, notes = text_of(package.read("content.xml"), _GRAMMAR)
    return OfficeText("\n".join(filter(None, (body, notes))))
