"""What is changed in a file while it is written again.

Records are left out, lose spans of their text, or get fields that tell what was found of them; all
others keep their bytes.  A span is characters of a document's text as simdup names them: of the
decoded text, line ends included, end exclusive.  A record that loses a span is written anew, with
all of its fields in their order; a text is, in its encoding.

Each format is written beside its reader: it hands over each record, with what writes such records.

A document is kept whole, with the reason, where its text is not the file's own: a page is parsed,
an office file is packed, a damaged text has characters that replace bytes.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Container, Iterable, Set
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

from simdup.base.errors import SimdupError
from simdup.corpus.decoding import NotText, decode
from simdup.corpus.files import ARCHIVE, File
from simdup.corpus.formats import TEXT, format_within
from simdup.corpus.record_fields import UNREADABLE, Spans, Unchanged, without_spans
from simdup.model.settings import Reading

Record = TypeVar("Record")


class Note(NamedTuple):
    """What is added to a record; the names are those of the fields."""

    cluster: int | None = None  # its number; None for a document in no cluster
    role: str | None = None  # ``unique`` for a document in no cluster; None for no document
    kept: str | None = None  # the name of the document that is kept instead
    similarity: float | None = None  # to that one
    measure: str | None = None  # what that is


NO_DOCUMENT = Note()
UNIQUE = Note(role="unique")


class Form(Protocol):
    """What writes the records of a format."""

    def noted(self, change: Change, number: int, raw: bytes, note: Note) -> bytes:
        """Return a record with its note."""

    def cut(self, raw: bytes, spans: Spans) -> bytes:
        """Return a record without spans of its text."""


@dataclass(slots=True)
class Change:
    """What is changed in a file.

    Attributes
    ----------
    file : File
        The file.
    reading : Reading
        How it is read.
    removed : set of int
        The numbers of the records that are left out; 0 for the file itself.
    spans_of, note_of : callable or None
        Return what is cut from a record (see `joined`), or added to it, by its number.
    whole : dict from int to str
        The documents that are kept whole though something is to be cut from them, with the reason:
        filled while the file is written.
    """

    file: File
    reading: Reading
    removed: Set[int] = frozenset()
    spans_of: Callable[[int], Spans] | None = None
    note_of: Callable[[int], Note] | None = None
    whole: dict[int, str] = field(default_factory=dict)

    @property
    def idle(self) -> bool:
        """Whether the file stays as it is."""
        return not self.removed and self.spans_of is None and self.note_of is None

    def record(self, number: int, raw: bytes, form: Form) -> bytes:
        """Return what is written of a record, nothing of one that is left out.

        Parameters
        ----------
        number : int
            The number of the record; 0 for the header of CSV.
        raw : bytes
            Its bytes; an element of an array has the comma before it.
        form : Form
            What writes such records.

        Raises
        ------
        SimdupError
            If it cannot get a note.
        """
        if self.note_of is not None:
            try:
                return form.noted(self, number, raw, self.note_of(number))
            except Unchanged as error:
                where = f"{self.file.path}#{number}"
                raise SimdupError(where, str(error), "correct it first") from None
        if not number:
            return raw
        return b"" if number in self.removed else self.cut(number, raw, form.cut)

    def cut(self, number: int, record: Record, cut: Callable[[Record, Spans], Record]) -> Record:
        """Return what `cut` makes of a record; the same if it cannot be cut, or nothing is."""
        spans = self.spans_of(number) if self.spans_of is not None else ()
        if not spans:
            return record
        try:
            if isinstance(record, bytes) and self.file.records and b"\0" in record:
                raise Unchanged("has NUL bytes, so nothing can be cut from it: correct it first")
            return cut(record, spans)
        except Unchanged as error:
            self.whole[number] = str(error)
        except (ValueError, csv.Error):
            self.whole[number] = UNREADABLE
        return record

    def text(self, content: bytes) -> bytes:
        """Return what is written of a file that is one document."""
        return self.cut(0, content, self._cut_text)

    def _cut_text(self, content: bytes, spans: Spans) -> bytes:
        kind = format_within(content, self.file, self.reading)
        if kind is not TEXT:
            raise Unchanged(_of_format(kind.name))
        return cut_text(content, spans, self.reading.encoding)

    def require_free(self, names: Container[str], number: int = 0) -> None:
        """Raise if a record, or the file, has a field with the name of one of a note."""
        taken = next((name for name in Note._fields if name in names), None)
        if taken is not None:
            where = f"{self.file.path}#{number}" if number else self.file.path
            hint = "rename it before you annotate"
            raise SimdupError(where, f"already has a field {taken!r}", hint)


def why_whole(file: File, reading: Reading) -> str:
    """Return why nothing can be cut from the documents of a file; empty if it can."""
    if file.member is not None or file.format == ARCHIVE:
        return "is in an archive, which is kept whole: unpack it first"
    if file.format == "html" or reading.html:
        return "nothing can be cut from a page: set `extract` to none, or save it as text first"
    return "" if file.records or file.format == TEXT.name else _of_format(file.format)


def _of_format(name: str) -> str:
    return f"nothing can be cut from {name.upper()}: save it as text first"


def cut_text(content: bytes, spans: Spans, encoding: str | None = None) -> bytes:
    """Return the bytes of a text without some of its characters.

    Parameters
    ----------
    content : bytes
        The whole file.
    spans : sequence of (int, int)
        Starts and ends in the decoded text.
    encoding : str, optional
        The encoding, if known; otherwise it is detected, as in `decode`.

    Returns
    -------
    bytes
        All bytes outside of the spans, a byte order mark too.  `decode` reads them as the text
        without the spans.

    Raises
    ------
    Unchanged
        If the text has other bytes than its encoding writes, or what is left would be read as
        another text.
    """
    decoded = decode(content, encoding)
    if decoded.note:
        raise Unchanged(f"{decoded.note}, so nothing can be cut from it: correct it first")
    codec = codecs.lookup(decoded.encoding).name.removesuffix("-sig")
    if codec in ("utf-16", "utf-32"):
        codec += "-be" if content.startswith("\ufeff".encode(f"{codec}-be")) else "-le"
    body = decoded.text.encode(codec, "replace")
    if not content.endswith(body):
        why = f"not every character of {codec} has bytes of its own: write it in UTF-8 first"
        raise Unchanged(why)
    rest = without_spans(decoded.text, spans)
    cut = content[: len(content) - len(body)] + rest.encode(codec)
    try:
        again = decode(cut, encoding).text
    except NotText:
        again = None
    if again != rest:
        raise Unchanged(f"what is left would not be read as {codec}: set `encoding`")
    return cut


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, those that overlap or touch as one.

    >>> joined([(7, 9), (0, 2), (1, 4), (4, 5)])
    [(0, 5), (7, 9)]
    """
    runs: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if runs and start <= runs[-1][1]:
            runs[-1] = runs[-1][0], max(runs[-1][1], end)
        else:
            runs.append((start, end))
    return runs
