"""Compressed bombs, and lines that are as long as a file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zipfile
from pathlib import Path

from lab.breaking.hostile.made import ROW, file, flood, hole, pieces
from lab.breaking.hostile.values import Entry, Scale
from lab.corpora.office_files import docx, zipped
from simdup.corpus.compression import compress

LARGE = r"larger than \d+ MB: see --max-size"


def nested_compression(folder: Path, scale: Scale) -> None:
    """A bomb in a bomb: only the outer one is unpacked."""
    inner, outer = io.BytesIO(), io.BytesIO()
    with compress(inner, "gzip") as stream:
        for piece in pieces(b"a ", scale.unit):
            stream.write(piece)
    with compress(outer, "gzip") as stream:
        stream.write(inner.getvalue())
    (folder / "c/twice.txt.gz.gz").write_bytes(outer.getvalue())


def _zip_of(size: int, name: str = "a.txt") -> bytes:
    target = io.BytesIO()
    with (
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open(name, "w", force_zip64=True) as member,
    ):
        for piece in pieces(b"a ", size):
            member.write(piece)
    return target.getvalue()


def nested_zip(scale: Scale) -> bytes:
    """Return an archive of 8 archives, and so on, six layers deep."""
    content = _zip_of(scale.unit)
    for _ in range(5):
        content = zipped((f"{i}.zip", content) for i in range(8))
    return content


def overlapping(scale: Scale) -> bytes:
    """Return an archive with many members that are the same bytes."""
    content = _zip_of(1 << 20, "00000.txt")
    end = content.rfind(b"PK\5\6")
    start = struct.unpack_from("<L", content, end + 16)[0]
    count = min(scale.depth, 60_000)
    entries = b"".join(content[start:end].replace(b"00000", b"%05d" % i) for i in range(count))
    tail = bytearray(content[end:])
    struct.pack_into("<HHL", tail, 8, count, count, len(entries))
    return content[:start] + entries + bytes(tail)


# Streams without content.
NOTHING = {"gz": gzip.compress(b"", mtime=0), "zst": bytes.fromhex("28b52ffd2000010000")}


BOMBS = [
    Entry("gzip bomb", flood("bomb.txt.gz", b"a "), says=LARGE),
    Entry("Zstandard bomb", flood("bomb.txt.zst", b"a "), says=LARGE),
    Entry("gzip bomb, a page", flood("bomb.html.gz", b"<p>a "), says=LARGE),
    Entry(
        "gzip bomb, one record",
        flood("r.jsonl.gz", b"a ", ROW + b'{"text":"', b'"}\n' + ROW),
        says=LARGE,
        seconds=15,
    ),
    Entry(
        "Zstandard bomb, an element",
        flood("r.json.zst", b"a ", b'[{"text":"x"},{"text":"', b'"},{"text":"y"}]'),
        says=LARGE,
        seconds=15,
    ),
    Entry(
        "gzip bomb of line feeds", flood("r.jsonl.gz", b"\n", ROW, ROW, 16), status=0, seconds=90
    ),
    Entry(
        "gzip without content",
        file("e.txt.gz", lambda scale: NOTHING["gz"] * (scale.unit >> 6)),
        status=0,
        seconds=30,
    ),
    Entry(
        "Zstandard without content",
        file("e.txt.zst", lambda scale: NOTHING["zst"] * (scale.unit >> 3)),
        says="too many frames",
    ),
    Entry("gzip in gzip", nested_compression, status=0),
    Entry(
        "bzip2 and xz, which are not unpacked",
        lambda folder, scale: [
            (folder / "c/a.txt.bz2").write_bytes(bz2.compress(b"a " * (scale.unit >> 3))),
            (folder / "c/a.txt.xz").write_bytes(lzma.compress(b"a " * (scale.unit >> 3))),
        ],
        status=0,
    ),
    Entry(
        "zip bomb", file("bomb.zip", lambda scale: _zip_of(scale.unit)), says="200 times its size"
    ),
    Entry("zip bombs in six layers", file("layers.zip", nested_zip), says="bomb|layers"),
    Entry(
        "zip of overlapping members", file("overlap.zip", overlapping), says="overlap", seconds=10
    ),
    Entry(
        "zip of many members",
        file("many.zip", lambda scale: zipped((f"{i}", b"") for i in range(120_000))),
        says="many",
        seconds=15,
        large=True,
    ),
    Entry(
        "document bomb",
        file("bomb.docx", lambda scale: docx(" " * min(scale.unit, 300 << 20))),
        says="docx",
    ),
    Entry(
        "document, deep",
        file("deep.docx", lambda scale: docx("<w:p>" * scale.depth + "</w:p>" * scale.depth)),
        says="docx",
    ),
]
LINES = [
    Entry("a gigabyte of NULs", hole("hole.txt", b"", b""), says=LARGE),
    Entry("a gigabyte without a line feed", flood("long.txt", b"ab "), says=LARGE),
    Entry(
        "a gigabyte in the middle of JSONL",
        flood("r.jsonl", b"ab ", ROW + b'{"text":"', b'"}\n' + ROW),
        says=LARGE,
        seconds=15,
    ),
    Entry(
        "a hole in the middle of JSONL", hole("r.jsonl", ROW, b"\n" + ROW), says=LARGE, seconds=15
    ),
    Entry(
        "a gigabyte in the middle of CSV",
        flood("r.csv", b"ab ", b"text\nx\n", b"\ny\n"),
        says=LARGE,
        seconds=15,
    ),
    Entry(
        "a CSV quote that is never closed",
        flood("r.csv", b"ab,\n", b'text\nx\n"', share=4),
        says=LARGE,
        seconds=60,
        megabytes=1000,  # the CSV reader stores a character in four bytes, twice while it grows
    ),
    Entry(
        "a JSON string that is never closed",
        flood("r.json", b"ab ", b'[{"text":"x"},{"text":"'),
        says="the array does not end",
        seconds=15,
    ),
    Entry(
        "a gigabyte of brackets in JSONL",
        flood("r.jsonl", b"[", ROW, b"\n" + ROW),
        says=LARGE,
        seconds=15,
    ),
    Entry(
        "a CSV head of many columns",
        file("r.csv", lambda scale: b"text" + b",a" * scale.depth + b"\nx\n"),
        says="",
        seconds=5,
    ),
]
