"""Hostile contents: bombs, long lines, deep nesting, nothing at all; and files of options."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator

from lab.breaking.hostile.entries import EITHER, Entry, Fill, Scale, typed
from lab.corpora.made import prose
from lab.corpora.office_files import docx, zipped
from simdup.corpus.compression import compress

LARGE = r"larger than \d+ MB: see --max-size"
# A good record.
ROW = json.dumps({"text": prose(7)}).encode() + b"\n"


def flood(filling: bytes, size: int, before: bytes = b"", after: bytes = b"") -> Iterator[bytes]:
    """Yield bytes again and again, a megabyte at a time, between two others."""
    yield before
    yield from [filling * ((1 << 20) // len(filling))] * max(1, size >> 20)
    yield after


def packed(kind: str, parts: Iterable[bytes]) -> bytes:
    """Return bytes in a compressed form."""
    target = io.BytesIO()
    with compress(target, kind) as stream:
        for part in parts:
            stream.write(part)
    return target.getvalue()


def record(value: Callable[[int], str]) -> Fill:
    """Return a record between two good ones."""
    return {"r.jsonl": lambda s: ROW + value(s.depth).encode() + b"\n" + ROW}


def element(value: Callable[[int], str]) -> Fill:
    """Return an element between two good ones."""
    return {"r.json": lambda s: b"[%s,%s,%s]" % (ROW, value(s.depth).encode(), ROW)}


def page(body: Callable[[int], str]) -> Fill:
    """Return a page with good text behind what is hostile."""
    text = f"<p>{prose(8).translate({10: 32})}</p>"
    return {"page.html": lambda s: f"<html><body>{body(s.depth)}{text}"}


def _zip_of(size: int, name: str = "a.txt") -> bytes:
    target = io.BytesIO()
    with (
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open(name, "w", force_zip64=True) as member,
    ):
        for piece in flood(b"a ", size):
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
# What goes before and after something large among records.
IN_ROWS = (ROW + b'{"text":"', b'"}\n' + ROW)
IN_ARRAY = (b'[{"text":"x"},{"text":"', b'"},{"text":"y"}]')

BOMBS = [
    Entry("gzip bomb", {"bomb.txt.gz": lambda s: packed("gzip", flood(b"a ", s.unit))},
          says=LARGE),
    Entry("Zstandard bomb", {"bomb.txt.zst": lambda s: packed("zstd", flood(b"a ", s.unit))},
          says=LARGE),
    Entry("gzip bomb, a page",
          {"bomb.html.gz": lambda s: packed("gzip", flood(b"<p>a ", s.unit))}, says=LARGE),
    Entry("gzip bomb, one record",
          {"r.jsonl.gz": lambda s: packed("gzip", flood(b"a ", s.unit, *IN_ROWS))},
          says=LARGE, seconds=15),
    Entry("Zstandard bomb, an element",
          {"r.json.zst": lambda s: packed("zstd", flood(b"a ", s.unit, *IN_ARRAY))},
          says=f"{LARGE}|an array of more than", seconds=15, megabytes=700),
    Entry("gzip bomb of line feeds",
          {"r.jsonl.gz": lambda s: packed("gzip", flood(b"\n", s.unit // 16, ROW, ROW))},
          status=0, seconds=150),
    # The library takes 12 microseconds for a stream: as long as for some hundred bytes of text.
    Entry("gzip without content", {"e.txt.gz": lambda s: NOTHING["gz"] * (s.unit >> 8)},
          status=0, seconds=60),
    Entry("Zstandard without content", {"e.txt.zst": lambda s: NOTHING["zst"] * (s.unit >> 3)},
          says="too many frames"),
    # Only the outer one is unpacked.
    Entry("gzip in gzip", {"twice.txt.gz.gz": lambda s: packed(
        "gzip", [packed("gzip", flood(b"a ", s.unit))])}, status=0),
    Entry("bzip2 and xz, which are not unpacked", {
        "a.txt.bz2": lambda s: bz2.compress(b"a " * (s.unit >> 3)),
        "a.txt.xz": lambda s: lzma.compress(b"a " * (s.unit >> 3))}, status=0),
    Entry("zip bomb", {"bomb.zip": lambda s: _zip_of(s.unit)}, says="200 times its size"),
    Entry("zip bombs in six layers", {"layers.zip": nested_zip}, says="bomb|layers"),
    Entry("zip of overlapping members", {"overlap.zip": overlapping}, says="overlap", seconds=10),
    Entry("zip of many members",
          {"many.zip": lambda s: zipped((f"{i}", b"") for i in range(120_000))},
          says="many", seconds=15, large=True),
    Entry("document bomb", {"bomb.docx": lambda s: docx(" " * min(s.unit, 300 << 20))},
          says="docx"),
    Entry("document, deep",
          {"deep.docx": lambda s: docx("<w:p>" * s.depth + "</w:p>" * s.depth)}, says="docx"),
]  # fmt: skip
LINES = [
    Entry("a gigabyte of NULs", {"hole.txt": lambda s: [s.unit]}, says=LARGE),
    Entry("a gigabyte without a line feed", {"long.txt": lambda s: flood(b"ab ", s.unit)},
          says=LARGE),
    Entry("a gigabyte in the middle of JSONL",
          {"r.jsonl": lambda s: flood(b"ab ", s.unit, *IN_ROWS)}, says=LARGE, seconds=15),
    Entry("a hole in the middle of JSONL",
          {"r.jsonl": lambda s: [ROW, s.unit - len(ROW), b"\n" + ROW]}, says=LARGE, seconds=15),
    Entry("a gigabyte in the middle of CSV",
          {"r.csv": lambda s: flood(b"ab ", s.unit, b"text\nx\n", b"\ny\n")},
          says=LARGE, seconds=15),
    # The CSV reader stores a character in four bytes, twice while it grows.
    Entry("a CSV quote that is never closed",
          {"r.csv": lambda s: flood(b"ab,\n", s.unit // 4, b'text\nx\n"')},
          says=LARGE, seconds=60, megabytes=1000),
    Entry("a JSON string that is never closed",
          {"r.json": lambda s: flood(b"ab ", s.unit, IN_ARRAY[0])},
          says="the array does not end|an array of more than", seconds=15, megabytes=700),
    Entry("a gigabyte of brackets in JSONL",
          {"r.jsonl": lambda s: flood(b"[", s.unit, ROW, b"\n" + ROW)}, says=LARGE, seconds=15),
    Entry("a CSV head of many columns",
          {"r.csv": lambda s: b"text" + b",a" * s.depth + b"\nx\n"}),
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
    Entry("JSON array of commas", {"r.json": lambda s: b"[{}" + b"," * s.depth + b"]"},
          says=r"r\.json"),
    *(Entry(f"HTML, {name}", page(body), status=0, seconds=seconds) for name, body, seconds in (
        ("deep", lambda n: "<div>" * n, 5),
        ("a million entities", lambda n: "&amp;&#x41;&bogus;&#99999999999;" * n, 10),
        ("a million attributes", lambda n: f"<p {' '.join(f'a{i}=1' for i in range(2 * n))}>", 10),
        ("an attribute without an end", lambda n: '<p title="' + "x" * 10 * n, 5),
        ("comments without an end", lambda n: "<!--" * n, 5),
        ("scripts without an end", lambda n: "<script>" * n, 5),
        ("angle brackets", lambda n: "<" * n, 10),
        ("tables in tables", lambda n: "<table><tr><td>" * n, 10),
        ("links in links", lambda n: "<a href=x>" * n, 10),
    )),
]  # fmt: skip
FORMATS = (
    "txt", "jsonl", "json", "csv", "tsv", "html", "parquet", "zip", "docx", "pdf", "epub", "odt",
    "txt.gz", "jsonl.zst",
)  # fmt: skip
UNSUITABLE = 'null\n1\n"a"\n[]\n{}\n{"text":null}\n{"text":{"a":1}}\n{"text":NaN}\n{"text":1e999}'
EMPTY = [
    Entry("empty files of every format", {f"empty.{one}": b"" for one in FORMATS}, says="empty"),
    Entry("files of one byte, of every format",
          {f"one-{byte:02x}.{one}": bytes([byte])
           for byte in (0, 0x0A, 0x22, 0x5B, 0x7B, 0xFF) for one in FORMATS}, says="one-00"),
    Entry("formats that are others",
          {f"text.{one}": prose(9) for one in FORMATS[1:] if one != "html"}, says="text"),
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
READ_BY = {
    "a list of files": "scan --files-from FILE",
    "a list of files, with NULs": "fingerprint --files-from FILE -0",
    "a dictionary": "fingerprint c --dict FILE",
    "an IDF model": "fingerprint c --recipe default,idf=FILE",
    "decisions": "scan c --decisions FILE",
    "a truth": "evaluate FILE FILE",
    "a baseline": "scan c --baseline FILE",
    "a baseline to write": "scan c --baseline FILE --update-baseline",
    "a template": "passages c --template FILE",
    "a configuration": "scan c --config FILE",
    "fingerprint lines": "pairs FILE",
    "fingerprint lines to cluster": "cluster FILE",
    "an index": "query FILE c",
    "an index to check": "index check FILE",
    "a reference": "scan c --reference FILE",
}


# Outside of the folder that is read.
LISTS = [
    *(
        Entry(
            f"{what}: {len(CONTENTS)} unsuitable files",
            {f"../f{number}.toml": content for number, content in enumerate(CONTENTS.values())},
            typed(*(line.replace("FILE", f"f{n}.toml") for n in range(len(CONTENTS)))),
            status=EITHER, seconds=15,
        )
        for what, line in READ_BY.items()
    ),
    *(
        Entry(f".simdupignore: {what}", {".simdupignore": content}, typed("scan c"), status=EITHER)
        for what, content in CONTENTS.items()
    ),
]  # fmt: skip
