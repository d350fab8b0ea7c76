"""How files with hostile content are made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from lab.breaking.hostile.values import Scale
from lab.corpora.made import prose
from simdup.corpus.compression import compress

_PIECE = 1 << 20
# A good record.
ROW = json.dumps({"text": prose(7)}).encode() + b"\n"

# What makes the files of an entry.
Fill = Callable[[Path, Scale], object]


def pieces(filling: bytes, size: int) -> Iterator[bytes]:
    """Yield bytes again and again, a megabyte at a time."""
    piece = filling * (_PIECE // len(filling))
    for _ in range(max(1, size >> 20)):
        yield piece


def flood(
    name: str, filling: bytes, before: bytes = b"", after: bytes = b"", share: int = 1
) -> Fill:
    """Return what writes a large file, or a share of one, compressed if its name says so."""

    def fill(folder: Path, scale: Scale) -> None:
        path = folder / "c" / name
        kind = {".zst": "zstd", ".gz": "gzip"}.get(path.suffix)
        with open(path, "wb") as raw:
            parts = [before, *pieces(filling, scale.unit // share), after] if not kind else None
            if parts is not None:
                for part in parts:
                    raw.write(part)
                return
            with compress(raw, str(kind)) as stream:
                for part in (before, *pieces(filling, scale.unit // share), after):
                    stream.write(part)

    return fill


def hole(name: str, before: bytes, after: bytes) -> Fill:
    """Return what writes a sparse file: NULs that take no room on the disk."""

    def fill(folder: Path, scale: Scale) -> None:
        with open(folder / "c" / name, "wb") as file:
            file.write(before)
            file.truncate(scale.unit)
            file.seek(0, 2)
            file.write(after)

    return fill


def file(name: str, content: Callable[[Scale], bytes]) -> Fill:
    """Return what writes a file."""
    return lambda folder, scale: (folder / "c" / name).write_bytes(content(scale))


def page(body: Callable[[Scale], str]) -> Fill:
    """Return what writes a page with good text behind what is hostile."""
    text = f"<p>{prose(8).translate({10: 32})}</p>"
    return file("page.html", lambda scale: f"<html><body>{body(scale)}{text}".encode())


def times(text: str, divisor: int = 1) -> Callable[[Scale], str]:
    """Return what repeats a text as often as things are deep."""
    return lambda scale: text * (scale.depth // divisor)


def record(value: Callable[[int], str]) -> Fill:
    """Return what writes a record between two good ones."""
    return file("r.jsonl", lambda scale: ROW + value(scale.depth).encode() + b"\n" + ROW)


def element(value: Callable[[int], str]) -> Fill:
    """Return what writes an element between two good ones."""
    return file("r.json", lambda scale: b"[%s,%s,%s]" % (ROW, value(scale.depth).encode(), ROW))
