"""Documents that are zip files of XML: their parts, and the text of these.

A format is a table of its elements: which are paragraphs, which hold text, and which are left out.
This is the only module that uses expat; entities, depth and sizes are bounded.
"""

from __future__ import annotations

import io
import posixpath
from collections.abc import Callable, Mapping
from typing import NamedTuple
from xml.parsers import expat

from simdup.base.when_used import pattern
from simdup.corpus.archives import (
    BOMB,
    ENCRYPTED,
    MOST_RATIO,
    SMALL,
    directory,
    part_of,
    read_part,
    unreadable_member,
)
from simdup.corpus.decoding import NotReadable
from simdup.corpus.files import File

# -- the text of a part ----------------------------------------------------------------------------

# No document is as deep; expat itself takes any depth.
MOST_DEPTH = 1000
# A page has some 400, and two million take 2 s.
MOST_ELEMENTS = 2_000_000

# What an element is; some are two of these.
PARAGRAPH, TEXT, SKIP, NOTE = 1, 2, 4, 8

_SPACE = pattern(r"[ \t\r\n]+")


class Grammar(NamedTuple):
    """What elements mean; names are a namespace and a local name with a space between."""

    elements: Mapping[str, int]
    # Elements that are characters, such as tabs; some depend on the attributes.
    marks: Mapping[str, str | Callable[[dict[str, str]], str]]
    # Whether runs of white space are one space.
    collapses: bool = False


def text_of(xml: bytes, grammar: Grammar) -> tuple[str, str]:
    """Return the text of the body, and of the notes, a paragraph on a line.

    Raises
    ------
    NotReadable
        If it is not well-formed, has entities, or is too deep.
    """
    reader = _Reader(grammar)
    parser = _parser()
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    _parse(parser, xml)
    return _lines(reader.body), _lines(reader.notes)


class _Reader:
    """Collects text as expat meets it."""

    def __init__(self, grammar: Grammar) -> None:
        self.body: list[str] = []
        self.notes: list[str] = []
        self._out = self.body
        self._grammar = grammar
        self._depth = self._elements = self._texts = self._inside_notes = 0
        self._skipped = 0  # the depth of the element that is skipped with all in it

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        if self._elements > MOST_ELEMENTS:
            raise NotReadable(f"its XML has more than {MOST_ELEMENTS:,} elements")
        if self._depth > MOST_DEPTH:
            raise NotReadable(f"its XML is more than {MOST_DEPTH:,} elements deep")
        if self._skipped:
            return
        kind = self._grammar.elements.get(name, 0)
        if not kind:
            mark = self._grammar.marks.get(name, "")
            if mark:
                self._out.append(mark if isinstance(mark, str) else mark(attributes))
            return
        if kind & SKIP:
            self._skipped = self._depth
        if kind & NOTE:
            self._inside_notes += 1
            self._out = self.notes
        if kind & PARAGRAPH:
            self._out.append("\n")
        if kind & TEXT:
            self._texts += 1

    def end(self, name: str) -> None:
        self._depth -= 1
        if self._skipped:
            if self._skipped > self._depth:
                self._skipped = 0
            return
        kind = self._grammar.elements.get(name, 0)
        if kind & PARAGRAPH:
            self._out.append("\n")
        if kind & TEXT:
            self._texts -= 1
        if kind & NOTE:
            self._inside_notes -= 1
            self._out = self.notes if self._inside_notes else self.body

    def characters(self, data: str) -> None:
        if self._texts and not self._skipped:
            self._out.append(_SPACE.sub(" ", data) if self._grammar.collapses else data)


def attributes_of(xml: bytes) -> list[tuple[str, dict[str, str]]]:
    """Return the elements with their attributes, in order.

    Raises
    ------
    NotReadable
        If it is not well-formed, or has entities.
    """
    found: list[tuple[str, dict[str, str]]] = []
    parser = _parser()
    parser.StartElementHandler = lambda name, attributes: found.append((name, attributes))
    _parse(parser, xml)
    return found


def _parser() -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.EntityDeclHandler = _refuse
    return parser


def _refuse(*_: object) -> None:
    """Refuse entities: documents have none, and a few can expand to many GB."""
    raise NotReadable("its XML declares entities")


def _parse(parser: expat.XMLParserType, xml: bytes) -> None:
    try:
        parser.Parse(xml, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        # A text that is not well-formed is not read in part: what is missing would go unnoticed.
        raise NotReadable(f"its XML is damaged: {error}") from None


def _lines(pieces: list[str]) -> str:
    lines = (line.strip(" \t") for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)


# -- the parts -------------------------------------------------------------------------------------

# The first bytes of Word 97 files, and of the files that Office encrypts, which name this part.
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")


class Package:
    """A document that is a zip file.

    Parameters
    ----------
    content : bytes
        The file.
    file : File
        What it should be, and the most bytes of all parts that are read.
    """

    def __init__(self, content: bytes, file: File) -> None:
        self._stream = io.BytesIO(content)
        self._file, self._left = file, file.max_size
        self._unpackable = SMALL + MOST_RATIO * len(content)
        try:
            listed = directory(self._stream)
        except OSError:
            raise _fault(content, file.format.upper()) from None
        # Of two parts with one name, the last one counts, as in zipfile.
        self._parts = {info.filename.replace("\\", "/").lower(): info for info in listed}

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._parts

    def read(self, name: str) -> bytes:
        """Return a part.

        Raises
        ------
        NotReadable
            If it is missing, damaged or too large.
        """
        info = self._parts.get(name.lower())
        if info is None:
            raise NotReadable(f"lacks its part {name}")
        if fault := unreadable_member(info):
            raise NotReadable(fault)
        self._left -= info.file_size
        self._unpackable -= info.file_size
        if self._unpackable < 0:
            raise NotReadable(BOMB)
        if self._left < 0:
            raise NotReadable(self._file.too_large)
        try:
            return read_part(self._stream, part_of(info))
        except OSError as error:
            raise NotReadable(error.strerror or "damaged") from None

    def targets(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the relations of a part of an Office document: by id, what it is and which part.

        Those to places outside are left out.
        """
        folder, base = posixpath.split(name)
        relations = posixpath.join(folder, "_rels", base + ".rels")
        found = {}
        if relations in self:
            for element, given in attributes_of(self.read(relations)):
                if element.endswith("Relationship") and given.get("TargetMode") != "External":
                    kind = given.get("Type", "").rpartition("/")[2]
                    found[given.get("Id", "")] = kind, resolve(folder, given.get("Target", ""))
        return found


def resolve(folder: str, target: str) -> str:
    """Return the name of a part that another one in this folder refers to."""
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def _fault(content: bytes, kind: str) -> NotReadable:
    """Return why a file cannot be read that is not a zip file."""
    if not content.startswith(_OLE):
        return NotReadable(f"not {kind}, or damaged")
    locked = _ENCRYPTED_PACKAGE in content
    return NotReadable(ENCRYPTED if locked else f"not {kind}, but an older format")
