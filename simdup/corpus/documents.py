"""From files to documents: in batches, so that several processes can read side by side.

The parent cuts the work into batches without looking into texts (`batches`); whoever has a batch
makes documents of it (`read`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from simdup.corpus.decoding import NotText, decode
from simdup.corpus.sources import STDIN, File, Reading
from simdup.model import Document, Skipped

# A batch should take some tens of milliseconds: long beside the cost of handing it to another
# process (1 ms), short beside the whole.
BATCH_BYTES = 1 << 19
BATCH_FILES = 256

_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Files:
    """A batch of files, a document each."""

    files: tuple[File, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Lines:
    """A batch of lines of a file of records.

    Attributes
    ----------
    file : File
        The file they come from.
    line, record : int
        Numbers of the first line, and of the first record (a line that is not blank), from 1.
    content : bytes
        Whole lines.
    size : int
        Bytes of it.
    """

    file: File
    line: int
    record: int
    content: bytes
    size: int


@dataclass(frozen=True, slots=True)
class Texts:
    """A batch of documents that are there already."""

    documents: tuple[Document, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What a file turned out to be instead of a batch."""

    skipped: Skipped
    size: int = 0


Batch = Files | Lines | Texts | Unreadable


def batches(files: Iterable[File]) -> Iterator[Batch]:
    """Cut files into batches, in order.

    The first are small, so that results that stream begin at once.
    """
    held: list[File] = []
    size = 0
    most = 1
    for file in files:
        if file.records or file.path == STDIN:
            if held:
                yield Files(tuple(held), size)
                held, size = [], 0
            yield from _line_batches(file) if file.records else [Files((file,), file.size)]
            continue
        held.append(file)
        size += file.size
        if size >= BATCH_BYTES or len(held) >= most:
            yield Files(tuple(held), size)
            held, size = [], 0
            most = min(2 * most, BATCH_FILES)
    if held:
        yield Files(tuple(held), size)


def text_batches(texts: Iterable[tuple[str, str]]) -> Iterator[Batch]:
    """Cut named texts into batches, in order."""
    held: list[Document] = []
    size = 0
    for name, text in texts:
        held.append(Document(name, text))
        size += len(text)
        if size >= BATCH_BYTES or len(held) >= BATCH_FILES:
            yield Texts(tuple(held), size)
            held, size = [], 0
    if held:
        yield Texts(tuple(held), size)


def _line_batches(file: File) -> Iterator[Batch]:
    try:
        with _open(file.path) as stream:
            line, record, rest = 1, 1, b""
            # read1 hands on what a pipe has, so that a slow writer is answered line by line.
            while chunk := stream.read1(BATCH_BYTES):  # type: ignore[attr-defined]
                end = chunk.rfind(b"\n") + 1
                if not end:
                    rest += chunk
                    continue
                content = rest + chunk[:end]
                yield Lines(file, line, record, content, len(content))
                lines = content.split(b"\n")
                line += len(lines) - 1
                record += sum(not held.isspace() for held in lines if held)
                rest = chunk[end:]
            if rest:
                yield Lines(file, line, record, rest, len(rest))
    except OSError as error:
        yield Unreadable(_unreadable(file.path, error))


def _open(path: str) -> BinaryIO:
    return open(sys.stdin.fileno(), "rb", closefd=False) if path == STDIN else open(path, "rb")


def read(batch: Batch, reading: Reading) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch, and what cannot be one."""
    if isinstance(batch, Unreadable):
        yield batch.skipped
    elif isinstance(batch, Texts):
        for document in batch.documents:
            yield replace(document, text=without_surrogates(document.text))
    elif isinstance(batch, Lines):
        record = batch.record
        for number, line in enumerate(batch.content.split(b"\n"), batch.line):
            if line and not line.isspace():
                yield _record(batch.file, number, record, line, reading)
                record += 1
    else:
        for file in batch.files:
            yield read_file(file, reading)


def read_file(file: File, reading: Reading) -> Document | Skipped:
    """Read one file as one document."""
    try:
        with _open(file.path) as stream:
            content = stream.read()
    except OSError as error:
        return _unreadable(file.path, error)
    try:
        decoded = decode(content, reading.encoding)
    except NotText as error:
        return Skipped(file.path, str(error))
    note = ""
    if decoded.replaced:
        plural = "s" if decoded.replaced > 1 else ""
        note = f"read as {decoded.encoding} with {decoded.replaced} bad character{plural} replaced"
    return Document(file.path, decoded.text, file.modified, note)


def _record(
    file: File, number: int, record: int, line: bytes, reading: Reading
) -> Document | Skipped:
    """Make a document of line `number`, a JSON object."""
    place = name = f"{file.path}#{record}"
    named = reading.id_field is not None

    def skipped(reason: str) -> Skipped:
        return Skipped(place, f"line {number}: {reason}", error=True)

    try:
        values = json.loads(line.decode(reading.encoding or "utf-8-sig"))
    except UnicodeDecodeError:
        return skipped(f"not {reading.encoding or 'UTF-8'}")
    except (ValueError, RecursionError):
        return skipped("not JSON")
    if not isinstance(values, dict):
        return skipped("not a JSON object")
    if named:
        identity = values.get(reading.id_field)
        if not isinstance(identity, str | int) or isinstance(identity, bool):
            return skipped(f"no name in field {reading.id_field!r}")
        name = without_surrogates(str(identity))
    if reading.field not in values:
        return skipped(f"no field {reading.field!r}")
    text = values[reading.field]
    if not isinstance(text, str):
        return skipped(f"field {reading.field!r} is not a string")
    return Document(name, without_surrogates(text), file.modified, place=place if named else "")


def without_surrogates(text: str) -> str:
    """Return text without lone surrogates, which JSON can spell but no encoding can hold."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _unreadable(path: str, error: OSError) -> Skipped:
    return Skipped(path, (error.strerror or "cannot be read").lower(), error=True)
