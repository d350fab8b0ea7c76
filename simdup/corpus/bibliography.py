r"""Read bibliographies: entries of BibTeX and records of RIS, which get the same fields.

A file is cut at the edges of entries (`split_entries`) without parsing them; another process parses
their fields (`read_entries`).  The rules are those of BibTeX itself where programs agree on them:

- An entry begins at ``@word{`` or ``@word(`` at the beginning of a line, or right behind another
  entry.  It ends where its braces are balanced.  Everything else is text between entries.
- A line that begins with ``@word{`` within an entry is the next one: the first lacks a brace.  So
  one fault costs one entry, and each byte is looked at once.
- ``@comment{...}`` is text, and so is what it encloses.  One that is never closed ends at once, as
  all do in BibTeX.
- ``@string`` is known to what follows.  An unknown macro is its own name.

In Chinese and Japanese encodings the second byte of a character may be that of a brace or of ``@``.
So edges are looked for in a copy of the bytes without these characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import IO, NamedTuple

from simdup.base.when_used import pattern
from simdup.corpus.decoding import NotText, decode, without_nuls
from simdup.corpus.entry_fields import (
    OPENING,
    EntryFault,
    Macros,
    Values,
    is_definition,
    read_bibtex,
    read_ris,
)
from simdup.corpus.files import File
from simdup.corpus.json_text import Outside
from simdup.corpus.lines import BATCH_BYTES, LinePart, split_mark, whole_lines
from simdup.corpus.record_batches import RawBatch, keeps_ascii_apart, skip_oversized, unsupported
from simdup.model.documents import Skipped
from simdup.model.settings import Reading

# -- edges -----------------------------------------------------------------------------------------


class RawEntry(bytes):
    """The bytes of an entry, without the line end behind it; one that lacks its end is broken."""


class Macro(bytes):
    """The bytes of a definition that entries use, or of a preamble that is not closed."""


_BEGIN = pattern(b"^" + OPENING, re.MULTILINE)
_BEGIN_BEHIND = pattern(OPENING)
_NEXT = rb"[ \t]*@[ \t]*[A-Za-z][\w-]*[ \t]*\{"
_NEXT_BEGINS, _NEXT_LINE = pattern(_NEXT), pattern(rb"\n" + _NEXT)
# By how an entry is opened.
_INSIDE = {b"{": pattern(b"[{}]"), b"(": pattern(b'[{})"]')}

_BEGIN_RIS = pattern(rb"^(?!ER)[A-Z][A-Z0-9]  -(?![^ \t\r\n])", re.MULTILINE)
_EDGE = rb"(?:TY  -|ER  -[^\r\n]*)"
_EDGE_BEGINS, _EDGE_RIS = pattern(_EDGE), pattern(rb"\n" + _EDGE)


class _Edge(NamedTuple):
    """Where an entry ends, and whether it should."""

    place: int
    closed: bool = True


class _RisEdges:
    """Finds where records of RIS begin and end: at TY and behind ER."""

    comment = comments = False

    def masked(self, piece: bytes) -> bytes:
        return piece

    def begin(self, piece: bytes, at: int) -> tuple[int, int]:
        """Return where the next record begins, and from where its end is looked for."""
        found = _BEGIN_RIS.search(piece, at)
        return found.span() if found else (len(piece), len(piece))

    def end(self, piece: bytes, at: int) -> _Edge | None:
        found = _EDGE_RIS.search(piece, at)
        if not at:
            found = _EDGE_BEGINS.match(piece) or found
        if not found:
            return None
        begin = found[0].lstrip(b"\n")
        return _Edge(found.end() - (len(begin) if begin.startswith(b"T") else 0))

    def kind(self, closed: bool) -> type[bytes]:
        return RawEntry


class _BibtexEdges:
    """Finds where entries of BibTeX begin and end; an entry may go on in the next piece."""

    def __init__(self, encoding: str) -> None:
        self.comments = True  # whether what they enclose is left out
        self._mask = _mask(encoding)
        self._next = -1  # the last line that was found to begin like an entry
        self._behind = False  # whether this place is right behind an entry
        self._word = b""
        self._opening = b""
        self._depth = 0
        self._quoted = False

    def masked(self, piece: bytes) -> bytes:
        """Return the next piece as edges are looked for in it."""
        self._next = -1
        return self._mask(piece)

    @property
    def comment(self) -> bool:
        """Whether the entry is a comment."""
        return self._word == b"comment"

    def begin(self, piece: bytes, at: int) -> tuple[int, int]:
        """Return where the next entry begins, and from where its end is looked for."""
        found = _BEGIN_BEHIND.match(piece, at) if self._behind else None
        self._behind = False
        found = found or _BEGIN.search(piece, at)
        while found and not self.comments and found[1].lower() == b"comment":
            found = _BEGIN.search(piece, found.end())
        if not found:
            return len(piece), len(piece)
        self._word, self._opening = found[1].lower(), found[0][-1:]
        self._depth, self._quoted = 0, False
        return found.span()

    def end(self, piece: bytes, at: int) -> _Edge | None:
        limit = len(piece) if self.comment else self._next_entry(piece, at)
        braced, depth = self._opening == b"{", self._depth
        if braced and (closing := piece.count(b"}", at, limit)) <= depth:
            # No end is here, however many braces a hostile file has.
            depth, at = depth + piece.count(b"{", at, limit) - closing, limit
        for found in _INSIDE[self._opening].finditer(piece, at, limit):
            token = found[0]
            if token == b"{":
                depth += 1
            elif token == b"}":
                depth -= 1
                if braced and depth < 0:
                    self._behind = True
                    return _Edge(found.end())
            elif token == b'"':
                self._quoted ^= depth == 0
            elif depth <= 0 and not self._quoted:
                self._behind = True
                return _Edge(found.end())
        self._depth = depth
        return _Edge(limit, closed=False) if limit < len(piece) else None

    def _next_entry(self, piece: bytes, at: int) -> int:
        """Return where a line begins like an entry."""
        if not at and _NEXT_BEGINS.match(piece):
            return 0
        if self._next < at:
            found = _NEXT_LINE.search(piece, at)
            self._next = found.start() + 1 if found else len(piece)
        return self._next

    def kind(self, closed: bool) -> type[bytes]:
        if self._word == b"string" or (self._word == b"preamble" and not closed):
            return Macro
        return Outside if closed and self._word in (b"comment", b"preamble") else RawEntry


@cache
def _mask(encoding: str) -> Callable[[bytes], bytes]:
    """Return what replaces characters of which a byte may be a brace, by as many other bytes."""
    leads = bytes(lead for lead in range(0x80, 0x100) if _is_one(bytes([lead, 0x7D]), encoding))
    if not leads:
        return lambda piece: piece
    characters = re.compile(b"[" + re.escape(leads) + rb"][\x40-\xff]")
    return lambda piece: piece if piece.isascii() else characters.sub(b"\x80\x80", piece)


def _is_one(raw: bytes, encoding: str) -> bool:
    return "}" not in raw.decode(encoding, "replace")


def split_entries(pieces: Iterator[bytes], file: File, encoding: str) -> Iterator[bytes]:
    """Cut a file of whole lines into entries, definitions and what is outside of them.

    All bytes that are yielded are the file again.  An entry of more than `File.max_size` bytes
    comes as `LinePart`s, of which the last is empty; `Outside` is empty where a piece ends.
    """
    edges = _RisEdges() if file.format == "ris" else _BibtexEdges(encoding)
    begun: list[bytes] = []  # of the open entry
    size = 0
    within = parted = False  # whether an entry is open, and is yielded in parts
    while True:
        piece = next(pieces, None)
        if within and edges.comment and (piece is None or size > file.max_size):
            pieces = chain(begun, [] if piece is None else [piece], pieces)
            edges.comments, within, begun = False, False, []
            continue
        if within and piece is not None and size > file.max_size:
            yield LinePart(b"".join(begun))
            parted, begun = True, []
        if piece is None:
            break
        text, at = edges.masked(piece), 0
        while at < len(piece):
            scanned = at
            if not within:
                begin, scanned = edges.begin(text, at)
                if begin > at:
                    yield Outside(piece[at:begin])
                at, within, size = begin, begin < len(piece), 0
                if not within:
                    break
            edge = edges.end(text, scanned)
            begun.append(piece[at : edge.place if edge else len(piece)])
            size += len(begun[-1])
            if edge is None:
                break
            yield from _whole(begun, parted, edges.kind(edge.closed))
            at, within, parted, begun = edge.place, False, False, []
        yield Outside()
    if within:
        yield from _whole(begun, parted, edges.kind(closed=False))
    yield Outside()


def _whole(begun: list[bytes], parted: bool, kind: type[bytes]) -> Iterator[bytes]:
    """Yield what ends an entry: all of it, or its last parts."""
    content = b"".join(begun)
    if parted:
        yield LinePart(content)
        yield LinePart()
    else:
        yield kind(content)


def entries_of(file: File, stream: IO[bytes]) -> tuple[bytes, str, Iterator[bytes]]:
    """Return the byte order mark, the encoding, and the pieces of `split_entries`.

    Raises
    ------
    NotText
        If it is not text.
    """
    mark, head, pieces = split_mark(whole_lines(stream, file.max_size))
    encoding = file.encoding or decode(head).encoding
    return mark, encoding, split_entries(pieces, file, encoding)


def cut_entries(file: File, stream: IO[bytes], _: Reading) -> Iterator[RawBatch | Skipped]:
    """Cut a bibliography into batches."""
    try:
        encoding, pieces = entries_of(file, stream)[1:]
    except NotText as error:
        yield Skipped(file.path, str(error))
        return
    if not keeps_ascii_apart(encoding):
        yield unsupported(file, encoding)
        return
    macros = Macros()
    batch = RawBatch(file, 1, 1, b"", 0, encoding=encoding)
    content, starts, ends = bytearray(), list[int](), list[int]()
    line = record = 1
    passed = 0  # line ends of an entry in parts
    for raw in pieces:
        if isinstance(raw, LinePart) or not raw or len(content) > BATCH_BYTES:
            if ends:
                whole = bytes(content)
                yield replace(batch, content=whole, size=len(whole), starts=starts, ends=ends)
            line += content.count(b"\n")
            content, starts, ends = bytearray(), [], []
            batch = replace(batch, line=line, record=record, macros=dict(macros))
        if isinstance(raw, LinePart):
            passed += raw.count(b"\n")
            if not raw:
                yield skip_oversized(file, line, record)
                line, record, passed = line + passed, record + 1, 0
                batch = replace(batch, line=line, record=record)
            continue
        if isinstance(raw, Macro) and (fault := macros.define(_decoded(raw, encoding))):
            number = line + content.count(b"\n")
            yield Skipped(file.path, f"line {number}: {fault.what}", error=True)
        if not isinstance(raw, Outside):
            starts.append(len(content))
            ends.append(len(content) + len(raw))
            record += isinstance(raw, RawEntry)
        content += raw


def _decoded(raw: bytes, encoding: str) -> str:
    # Malformed bytes become lone surrogates, which decoded text never contains.
    return without_nuls(raw, encoding).decode(encoding, "surrogateescape")


def read_entries(batch: RawBatch) -> Iterator[tuple[int, bytes, Values | str]]:
    """Yield of each entry its line, its bytes, and its values or what is wrong in that line."""
    macros = Macros(batch.macros)
    line, done = batch.line, 0
    for start, end in zip(batch.starts, batch.ends, strict=True):
        line, done = line + batch.content.count(b"\n", done, start), start
        raw = batch.content[start:end]
        text, ris = _decoded(raw, batch.encoding), batch.file.format == "ris"
        if not ris and is_definition(text):  # which has no number, however long it is
            macros.define(text)
            continue
        if len(raw) > batch.file.max_size:
            yield line, raw, batch.file.too_large
        elif ris:
            yield line, raw, read_ris(text)
        elif isinstance(found := read_bibtex(text, macros), EntryFault):
            yield line + text.count("\n", 0, found.place), raw, found.what
        else:
            yield line, raw, found
