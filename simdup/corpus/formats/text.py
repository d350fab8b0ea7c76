"""Plain text, and what to do with binary files that others would read."""

from __future__ import annotations

from simdup.corpus.decoding import NotReadable, NotText, decode
from simdup.corpus.files import File
from simdup.corpus.formats import Extracted, suffix_of
from simdup.model.settings import Reading

# Binary formats, by the suffix: their names, and how their text is reached.
_WORD = "save it as .docx (Word, WPS or LibreOffice do), or as text"
_SHEET = "save its tables as CSV"
_SLIDES = "save it as .pptx, or as PDF"
_APPLE = "export it as PDF (File > Export To)"
_BOOK = "convert it to EPUB"
_UNPACK = "unpack it first"
_BINARY = {
    ".doc": ("Word 97", _WORD), ".dot": ("Word 97", _WORD), ".wps": ("WPS Writer", _WORD),
    ".wpt": ("WPS Writer", _WORD), ".hwp": ("Hangul", "save it as .docx or PDF"),
    ".hwpx": ("Hangul", "save it as .docx or PDF"),
    ".xls": ("Excel 97", _SHEET), ".xlsx": ("Excel", _SHEET), ".et": ("WPS Spreadsheets", _SHEET),
    ".ods": ("OpenDocument spreadsheet", _SHEET), ".numbers": ("Numbers", _SHEET),
    ".ppt": ("PowerPoint 97", _SLIDES), ".dps": ("WPS Presentation", _SLIDES),
    ".odp": ("OpenDocument presentation", _SLIDES), ".key": ("Keynote", _APPLE),
    ".pages": ("Pages", _APPLE), ".msg": ("Outlook", "save it as .eml, or as text"),
    ".mobi": ("Kindle", _BOOK), ".azw3": ("Kindle", _BOOK), ".chm": ("HTML Help", _UNPACK),
    ".caj": ("CNKI", "save it as PDF"), ".ofd": ("OFD", "save it as PDF"),
    ".djvu": ("DjVu", "save it as PDF"), ".rar": ("RAR", _UNPACK), ".7z": ("7-Zip", _UNPACK),
    ".tar": ("tar", _UNPACK), ".tgz": ("tar", _UNPACK),
}  # fmt: skip


def read(content: bytes, file: File, reading: Reading) -> Extracted:
    """Return the text of a file in whatever encoding."""
    try:
        decoded = decode(content, reading.encoding)
    except NotText:
        suffix = suffix_of(file.path)
        if suffix not in _BINARY:
            raise
        name, advice = _BINARY[suffix]
        raise NotReadable(f"{name} ({suffix}): {advice}", error=False) from None
    return Extracted(decoded.text, None, decoded.note)
