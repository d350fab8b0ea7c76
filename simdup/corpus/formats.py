"""The formats of files: by their suffix, and where that is not enough by how they begin."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import IO, TypeAlias

from simdup.base.errors import SimdupError
from simdup.corpus.compression import decompress, split_compression
from simdup.corpus.json_text import parse_json
from simdup.model.settings import Reading

# Formats of office files, which are one document each.
OFFICE = frozenset({"docx", "pptx", "odt", "epub", "pdf"})
# Formats of files that contain many documents.
RECORDS = frozenset({"jsonl", "json", "csv", "tsv", "parquet"})
_FORMAT_OF = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv",
    ".parquet": "parquet", ".html": "html", ".htm": "html",
    ".docx": "docx", ".pptx": "pptx", ".odt": "odt", ".epub": "epub", ".pdf": "pdf",
}  # fmt: skip

Opener: TypeAlias = Callable[[], AbstractContextManager[IO[bytes]]]

# Bytes that tell an array or lines of objects from other JSON: a first line is seldom longer.
_HEAD = 1 << 16
_BLANK = b" \t\r\n"


def format_of(path: str, reading: Reading) -> str:
    """Return the format of a file: the one in `reading`, or the one of its suffix.

    The path comes without a compression suffix.
    """
    kind = reading.input_format
    if kind == "auto":
        kind = _FORMAT_OF.get(os.path.splitext(path)[1].lower(), "text")
    return _of_page(kind, reading)


def format_of_file(path: str, opened: Opener | None, reading: Reading) -> str:
    """Return the format of a file; JSON contains many documents if it is an array or lines.

    `opened` opens the file; a named pipe can be read only once, so there is none for it.
    """
    stem, compression = split_compression(path)
    kind = format_of(stem, reading)
    if kind != "json" or reading.input_format == "json":
        return kind
    # A file that cannot be opened is noticed when it is read.
    with suppress(OSError, SimdupError):
        if opened is not None:
            with opened() as raw, decompress(raw, compression) as content:
                head = content.read(_HEAD)
                if _begins_array(head):
                    return kind
                if _begins_lines(head):
                    return "jsonl"
    return _of_page("text", reading)


def _begins_array(head: bytes) -> bool:
    """Return whether the beginning of a file is that of an array of objects."""
    head = head.removeprefix(codecs.BOM_UTF8).lstrip(_BLANK)
    return head.startswith(b"[") and head[1:].lstrip(_BLANK).startswith(b"{")


def _begins_lines(head: bytes) -> bool:
    """Return whether the beginning of a file is that of JSON lines: two objects, a line each."""
    lines = head.removeprefix(codecs.BOM_UTF8).lstrip(_BLANK).split(b"\n")
    if len(lines) < 2 or not all(line.lstrip(_BLANK).startswith(b"{") for line in lines[:2]):
        return False
    try:
        return isinstance(parse_json(lines[0].decode()), dict)
    except ValueError:
        return False


def _of_page(kind: str, reading: Reading) -> str:
    """Return the format of a file whose texts may be pages, whatever its name says."""
    if kind == "text" and reading.html:
        kind = "html"
    return "text" if kind == "html" and reading.extract == "none" else kind
