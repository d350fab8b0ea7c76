"""Hostile contents: bombs, long lines, deep nesting, nothing at all; and files of options."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path

from lab.breaking.hostile.values import EITHER, Entry, Scale, typed
from lab.corpora.made import prose
from lab.corpora.office_files import docx, zipped
from simdup.corpus.compression import compress

LARGE = r"larger than \d+ MB: see --max-size"

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
        with open(path, "wb") as raw, compress(raw, kind) if kind else nullcontext(raw) as stream:
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


def files(contents: dict[str, bytes]) -> Fill:
    """Return what writes files that are as small as they are."""
    return lambda folder, scale: [
        (folder / "c" / name).write_bytes(content) for name, content in contents.items()
    ]


def page(body: Callable[[Scale], str]) -> Fill:
    """Return what writes a page with good text behind what is hostile."""
    text = f"<p>{prose(8).translate({10: 32})}</p>"
    return file("page.html", lambda scale: f"<html><body>{body(scale)}{text}".encode())


def times(text: str) -> Callable[[Scale], str]:
    """Return what repeats a text as often as things are deep."""
    return lambda scale: text * scale.depth


def record(value: Callable[[int], str]) -> Fill:
    """Return what writes a record between two good ones."""
    return file("r.jsonl", lambda scale: ROW + value(scale.depth).encode() + b"\n" + ROW)


def element(value: Callable[[int], str]) -> Fill:
    """Return what writes an element between two good ones."""
    return file("r.json", lambda scale: b"[%s,%s,%s]" % (ROW, value(scale.depth).encode(), ROW))


def nested_compression(folder: Path, scale: Scale) -> None:
    """A bomb in a bomb: only the outer one is unpacked."""
    inner, outer = io.BytesIO(), io.BytesIO()
    with compress(inner, "gzip") as stream:
        for piece in pieces(b"a ", scale.unit):
            stream.write(piece)
    with compress(outer, "gzip") as stream:
        stream.write(inner.getvalue())
    (folder / "c/twice.txt.gz.gz").write_bytes(outer.getvalue())


def not_unpacked(folder: Path, scale: Scale) -> None:
    """What other programs pack."""
    content = b"a " * (scale.unit >> 3)
    (folder / "c/a.txt.bz2").write_bytes(bz2.compress(content))
    (folder / "c/a.txt.xz").write_bytes(lzma.compress(content))


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
    Entry("gzip bomb, one record", flood("r.jsonl.gz", b"a ", ROW + b'{"text":"', b'"}\n' + ROW),
          says=LARGE, seconds=15),
    Entry("Zstandard bomb, an element",
          flood("r.json.zst", b"a ", b'[{"text":"x"},{"text":"', b'"},{"text":"y"}]'),
          says=LARGE, seconds=15),
    Entry("gzip bomb of line feeds", flood("r.jsonl.gz", b"\n", ROW, ROW, 16), status=0,
          seconds=90),
    Entry("gzip without content",
          file("e.txt.gz", lambda scale: NOTHING["gz"] * (scale.unit >> 6)), status=0, seconds=30),
    Entry("Zstandard without content",
          file("e.txt.zst", lambda scale: NOTHING["zst"] * (scale.unit >> 3)),
          says="too many frames"),
    Entry("gzip in gzip", nested_compression, status=0),
    Entry("bzip2 and xz, which are not unpacked", not_unpacked, status=0),
    Entry("zip bomb", file("bomb.zip", lambda scale: _zip_of(scale.unit)),
          says="200 times its size"),
    Entry("zip bombs in six layers", file("layers.zip", nested_zip), says="bomb|layers"),
    Entry("zip of overlapping members", file("overlap.zip", overlapping), says="overlap",
          seconds=10),
    Entry("zip of many members",
          file("many.zip", lambda scale: zipped((f"{i}", b"") for i in range(120_000))),
          says="many", seconds=15, large=True),
    Entry("document bomb", file("bomb.docx", lambda scale: docx(" " * min(scale.unit, 300 << 20))),
          says="docx"),
    Entry("document, deep",
          file("deep.docx", lambda scale: docx("<w:p>" * scale.depth + "</w:p>" * scale.depth)),
          says="docx"),
]  # fmt: skip
LINES = [
    Entry("a gigabyte of NULs", hole("hole.txt", b"", b""), says=LARGE),
    Entry("a gigabyte without a line feed", flood("long.txt", b"ab "), says=LARGE),
    Entry("a gigabyte in the middle of JSONL",
          flood("r.jsonl", b"ab ", ROW + b'{"text":"', b'"}\n' + ROW), says=LARGE, seconds=15),
    Entry("a hole in the middle of JSONL", hole("r.jsonl", ROW, b"\n" + ROW), says=LARGE,
          seconds=15),
    Entry("a gigabyte in the middle of CSV", flood("r.csv", b"ab ", b"text\nx\n", b"\ny\n"),
          says=LARGE, seconds=15),
    # The CSV reader stores a character in four bytes, twice while it grows.
    Entry("a CSV quote that is never closed", flood("r.csv", b"ab,\n", b'text\nx\n"', share=4),
          says=LARGE, seconds=60, megabytes=1000),
    Entry("a JSON string that is never closed",
          flood("r.json", b"ab ", b'[{"text":"x"},{"text":"'), says="the array does not end",
          seconds=15),
    Entry("a gigabyte of brackets in JSONL", flood("r.jsonl", b"[", ROW, b"\n" + ROW), says=LARGE,
          seconds=15),
    Entry("a CSV head of many columns",
          file("r.csv", lambda scale: b"text" + b",a" * scale.depth + b"\nx\n")),
]  # fmt: skip
INVALID = "not valid JSON"
DEEP = [
    *(Entry(f"JSON lines, {name}", record(value), says=INVALID) for name, value in {
        "deep arrays": lambda n: '{"text":' + "[" * n + "]" * n + "}",
        "deep objects": lambda n: '{"text":' + '{"a":' * n + "1" + "}" * n + "}",
        "deep and not closed": lambda n: "[" * n,
        "deep in another field": lambda n: '{"x":' + "[" * n + "]" * n + ',"text":"a"}',
        "a long number": lambda n: '{"text":' + "9" * n + "}",
    }.items()),
    Entry("JSON array, deep arrays", element(lambda n: '{"text":' + "[" * n + "]" * n + "}"),
          says=r"r\.json"),
    Entry("JSON array, deep and not closed", element(lambda n: '{"text":' + "[" * n),
          says=r"r\.json"),
    Entry("JSON array of commas", file("r.json", lambda s: b"[{}" + b"," * s.depth + b"]"),
          says=r"r\.json"),
    *(Entry(f"HTML, {name}", page(body), status=0, seconds=seconds) for name, body, seconds in (
        ("deep", times("<div>"), 5),
        ("a million entities", times("&amp;&#x41;&bogus;&#99999999999;"), 10),
        ("a million attributes",
         lambda s: f"<p {' '.join(f'a{i}=1' for i in range(2 * s.depth))}>", 10),
        ("an attribute without an end", lambda s: '<p title="' + "x" * 10 * s.depth, 5),
        ("comments without an end", times("<!--"), 5),
        ("scripts without an end", times("<script>"), 5),
        ("angle brackets", times("<"), 10),
        ("tables in tables", times("<table><tr><td>"), 10),
        ("links in links", times("<a href=x>"), 10),
    )),
]  # fmt: skip
FORMATS = (
    "txt", "jsonl", "json", "csv", "tsv", "html", "parquet", "zip", "docx", "pdf", "epub", "odt",
    "txt.gz", "jsonl.zst",
)  # fmt: skip
UNSUITABLE = 'null\n1\n"a"\n[]\n{}\n{"text":null}\n{"text":{"a":1}}\n{"text":NaN}\n{"text":1e999}'
EMPTY = [
    Entry("empty files of every format", files({f"empty.{one}": b"" for one in FORMATS}),
          says="empty"),
    Entry("files of one byte, of every format",
          files({f"one-{byte:02x}.{one}": bytes([byte])
                 for byte in (0, 0x0A, 0x22, 0x5B, 0x7B, 0xFF) for one in FORMATS}),
          says="one-00"),
    Entry("formats that are others",
          files({f"text.{one}": prose(9).encode() for one in FORMATS[1:] if one != "html"}),
          says="text"),
    Entry("a record without a text, and one of another kind", record(lambda n: UNSUITABLE),
          says="r.jsonl"),
    Entry("lone surrogates", record(lambda n: '{"text":"\\ud800 \\udfff ' + "ab " * 50 + '"}'),
          status=0),
    Entry("keys again and again", record(lambda n: "{" + '"text":"a",' * n + '"text":"b"}'),
          status=0),
]  # fmt: skip

_ROW = json.dumps({"type": "decision", "decision": "distinct", "documents": ["\x1b[31m", "b"]})

# What no file of any kind should be.
CONTENTS: dict[str, Callable[[Scale], bytes]] = {
    "empty": lambda scale: b"",
    "a line feed": lambda scale: b"\n",
    "NULs": lambda scale: bytes(100_000),
    "bytes that are no UTF-8": lambda scale: b"\xff\xfe\xed\xa0\x80\n" * 1000,
    "one long line": lambda scale: b"a" * (4 << 20),
    "many empty lines": lambda scale: b"\n" * (1 << 20),
    "spaces": lambda scale: b"a" + b" " * scale.depth + b"b c\n",
    "brackets": lambda scale: b"[" * scale.depth,
    "braces": lambda scale: b'{"a":' * scale.depth,
    "quotes": lambda scale: b'"' * scale.depth,
    "an unclosed quote": lambda scale: b'a,b\n"' + b"x,y\n" * scale.depth,
    "control characters": lambda scale: b"\x1b[31m,\x07\x9b\xe2\x80\xae = \x1b]0;x\x07\n" * 100,
    "escapes in JSON": lambda scale: (_ROW + "\n").encode() * 10,
    "long numbers": lambda scale: b"9" * scale.depth + b" " + b"9" * scale.depth + b" n\n",
    "a Han word": lambda scale: "桥".encode() * scale.depth,
    "a list of names that do not exist": lambda scale: b"c/gone.txt\n\x1b[31m\nc/a.txt\n" * 1000,
    "an own first line": lambda scale: b"# simdup 1 recipe=\x1b[31m bits=9999999999999\n0  a\n",
    "a baseline of odd lines": lambda scale: b"# simdup-baseline 1\n" + b"\x1b[31m\n" * 100,
    "a model without terms": lambda scale: b"# simdup-idf 1 documents=-1 terms=9 from=\x1b\n",
    "stars": lambda scale: b"*a" * 5000 + b"b\n",
}
READ_BY: Mapping[str, str] = {
    "a list of files": "scan --files-from FILE",
    "a list of files, with NULs": "fingerprint --files-from FILE -0",
    "a dictionary": "fingerprint c --dict FILE",
    "an IDF model": "fingerprint c --idf FILE",
    "decisions": "scan c --decisions FILE",
    "a truth": "evaluate FILE FILE",
    "a baseline": "scan c --baseline FILE",
    "a baseline to write": "scan c --baseline FILE --update-baseline",
    "a template": "passages c --template FILE",
    "a configuration": "scan c --config FILE",
    "fingerprint lines": "pairs FILE",
    "fingerprint lines to cluster": "cluster FILE",
    "an index": "query FILE c",
    "an index to repair": "index check FILE",
    "a reference": "scan c --reference FILE",
}


def _write_all(folder: Path, scale: Scale) -> None:
    for number, content in enumerate(CONTENTS.values()):
        (folder / f"f{number}.toml").write_bytes(content(scale))


def _ignore(content: Callable[[Scale], bytes]) -> Fill:
    return lambda folder, scale: (folder / "c/.simdupignore").write_bytes(content(scale))


LISTS = [
    *(
        Entry(
            f"{what}: {len(CONTENTS)} unsuitable files", _write_all,
            typed(*(line.replace("FILE", f"f{n}.toml") for n in range(len(CONTENTS)))),
            status=EITHER, seconds=15,
        )
        for what, line in READ_BY.items()
    ),
    *(
        Entry(f".simdupignore: {what}", _ignore(content), typed("scan c"), status=EITHER)
        for what, content in CONTENTS.items()
    ),
]  # fmt: skip
