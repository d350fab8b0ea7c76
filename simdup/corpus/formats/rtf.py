r"""Rich Text Format (specification 1.9.1): the text in Unicode or in the code pages of its fonts.

Footnotes follow the text; headers, pictures, list numbers, comments and hidden text are left out.
The library for it, striprtf, loses footnotes, takes quadratic time for links, and reads Chinese
bytes as Western ones where the document names their code page and the font does not.
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import NamedTuple

from simdup.base.errors import SimdupError
from simdup.base.when_used import pattern
from simdup.corpus.decoding import NotText, decode, known_encoding
from simdup.corpus.files import File
from simdup.corpus.formats import Extracted
from simdup.model.settings import Reading

_TOKEN = pattern(
    r"(?P<brace>[{}]) | (?P<text>[^\\{}\r\n]+) | (?P<bytes>(?:\\'[0-9A-Fa-f]{2})+)"
    r" | \\(?P<word>[A-Za-z]{1,32})(?P<number>-?[0-9]{1,10})?[ ]? | \\(?P<symbol>[^A-Za-z])"
    r" | [\r\n\\]",
    re.VERBOSE,
)
_CHARACTERS = {
    "par": "\n", "line": "\n", "sect": "\n", "page": "\n", "row": "\n", "nestrow": "\n",
    "tab": "\t", "cell": "\t", "nestcell": "\t", "emdash": "—", "endash": "–", "bullet": "•",
    "emspace": " ", "enspace": " ", "qmspace": " ", "lquote": "‘", "rquote": "’",
    "ldblquote": "“", "rdblquote": "”", "\n": "\n", "\r": "\n", "~": " ", "_": "-",
}  # fmt: skip
# Groups that are not shown; nor are those that begin with an asterisk.
_HIDDEN = {
    "colortbl", "footer", "footerf", "footerl", "footerr", "ftncn", "ftnsep", "ftnsepc", "header",
    "headerf", "headerl", "headerr", "info", "listtext", "nonesttables", "pict", "pntext",
    "private", "rxe", "stylesheet", "tc", "txe", "upr", "xe",
}  # fmt: skip
# Groups of text within these: text boxes, formulas, and what is written a second time in Unicode.
_SHOWN = {"shptxt", "dptxbxtext", "ud", "moMathPara", "moMath"}
# The code pages of the character sets of fonts, and those of old Macintoshes.
_CHARSETS = {
    0: "cp1252", 2: "cp1252", 77: "mac_roman", 78: "cp932", 79: "cp949", 80: "gb18030",
    81: "big5hkscs", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5hkscs",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
    10000: "mac_roman", 10001: "cp932", 10002: "big5hkscs", 10003: "cp949", 10008: "gb18030",
}  # fmt: skip
_WESTERN = "cp1252"
_PAGES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_BYTES = pattern(r"(?:\\'[0-9A-Fa-f]{2})+")
# Bytes as in no Western word.
_PAIRS = pattern(rb"(?:[\0-\x7f]|[\x81-\xfe]{2})*")


class _Group(NamedTuple):
    """What applies within a group."""

    part: str = "body"  # or ``notes``, ``title``
    hidden: bool = False  # with all in it
    invisible: bool = False  # a property of characters
    fonts: bool = False  # whether it lists the fonts
    font: int | None = None
    replaced: int = 1  # how many bytes behind a character of Unicode stand for it elsewhere


def read(content: bytes, _: File, reading: Reading) -> Extracted:
    """Return the text of a document, and its title."""
    document = _Document(reading.encoding)
    # A character is a byte.
    document.read(content.removeprefix(codecs.BOM_UTF8).decode("latin-1"))
    body, notes, title = (
        # Characters beyond U+FFFF are written as two.
        "".join(part).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip()
        for part in document.parts.values()
    )
    note = "it ends within a group: a part may be missing" if document.groups else ""
    return Extracted("\n".join(filter(None, (body, notes))), title or None, note)


class _Document:
    """Collects the text of a document."""

    def __init__(self, encoding: str | None) -> None:
        self.parts: dict[str, list[str]] = {"body": [], "notes": [], "title": []}
        self.groups: list[_Group] = []
        self._group = _Group()
        self._encoding = encoding and known_encoding(encoding)
        self._page = ""
        self._pages: dict[int | None, str] = {}  # of fonts
        self._default: int | None = None  # font
        self._raw = bytearray()  # a character may begin in one token and end in the next

    def read(self, source: str) -> None:
        """Read a document to its end, or as far as it goes."""
        if "\\ansicpg" not in source:
            # Where no page is named, it is that of the writer's system.  No character of two bytes
            # reaches from one run to the next.
            runs = (bytes.fromhex(run.replace("\\'", "")) for run in _BYTES.findall(source))
            with suppress(NotText):
                self._page = decode(b" ".join(runs)).encoding
        at = passed = 0
        starred = False
        while token := _TOKEN.match(source, at):
            at = token.end()
            kind = token.lastgroup
            value = token[kind] if kind else ""
            if kind == "brace":
                self._flush()
                passed, starred = 0, False
                if value == "{":
                    self.groups.append(self._group)
                    continue
                self._group = self.groups.pop() if self.groups else self._group
                if not self.groups:
                    return
            elif kind in ("word", "number"):
                number = int(value) if kind == "number" else None
                if token["word"] == "bin":
                    at += max(0, number or 0)
                elif token["word"] == "u" and number is not None:
                    self._write(_character(number))
                    passed = self._group.replaced
                else:
                    self._control(token["word"], number, starred)
                starred = False
            elif kind == "symbol" and value not in "\\{}":
                starred = value == "*"
                self._write(_CHARACTERS.get(value, ""))
            else:
                code = bytes.fromhex(value.replace("\\'", "")) if kind == "bytes" else b""
                code = code or value.encode("latin-1")
                self._raw += code[passed:]
                passed = max(0, passed - len(code))
                if kind == "text" and self._half():
                    # The other half of a character may look like a brace.
                    self._raw += source[at : at + 1].encode("latin-1")
                    at += 1
        self._flush()

    def _control(self, word: str, number: int | None, starred: bool) -> None:
        """Follow a control word."""
        group = self._group
        if word in _CHARACTERS:
            self._write(_CHARACTERS[word])
        elif word == "f":
            self._change(group._replace(font=number))
        elif word == "plain":
            self._change(group._replace(font=self._default, invisible=False))
        elif word in ("v", "deleted"):
            self._change(group._replace(invisible=number != 0))
        elif word == "uc":
            self._group = group._replace(replaced=max(0, number or 0))
        elif word == "deff":
            self._default = number
        elif word == "fonttbl":
            self._group = group._replace(fonts=True)
        elif word in ("fcharset", "cpg") and group.fonts:
            self._pages[group.font] = _page(number) or self._page
        elif word == "ansicpg":
            self._page = _page(number) or self._page
        elif word in _PAGES:
            self._page = _PAGES[word]
        elif word in ("footnote", "title"):
            part = "notes" if word == "footnote" else word
            self.parts[part].append("\n")
            self._group = group._replace(part=part, hidden=group.hidden and word != "title")
        elif word in _SHOWN or word in _HIDDEN or starred:
            self._group = group._replace(hidden=word not in _SHOWN)

    def _change(self, group: _Group) -> None:
        self._flush()
        self._group = group

    def _write(self, characters: str) -> None:
        self._flush()
        group = self._group
        if not (group.hidden or group.invisible or group.fonts):
            self.parts[group.part].append(characters)

    def _half(self) -> bool:
        """Return whether the bytes that were collected end with half of a character."""
        if self._raw.isascii():
            return False
        decoder = codecs.getincrementaldecoder(self._codec())("replace")
        decoder.decode(self._raw)
        return bool(decoder.getstate()[0])

    def _codec(self) -> str:
        """Return the encoding of the bytes that were collected."""
        page = self._pages.get(self._group.font, self._page)
        # Some programs name a Chinese code page once, and fonts that have the Western one.
        page = self._page if page == _WESTERN and _PAIRS.fullmatch(self._raw) else page
        return self._encoding or page or _WESTERN

    def _flush(self) -> None:
        """Decode the bytes that were collected."""
        if self._raw:
            characters = self._raw.decode(self._codec(), "replace")
            self._raw.clear()
            self._write(characters)


def _character(number: int) -> str:
    """Return a character by its number, which has 16 bits with a sign."""
    number += 0x10000 * (number < 0)
    return chr(number) if 0 <= number < 0x110000 else "\ufffd"


def _page(number: int | None) -> str | None:
    """Return the codec of a code page, or of the character set of a font."""
    try:
        return _CHARSETS.get(number or 0) or known_encoding(f"cp{number}")
    except SimdupError:
        return None
