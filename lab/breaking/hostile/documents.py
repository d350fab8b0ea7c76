"""Documents that nest deeply, do not end, or hold nothing."""

from __future__ import annotations

from lab.breaking.hostile.made import element, file, page, record, times
from lab.breaking.hostile.values import Entry
from lab.corpora.made import prose

DEEP = [
    Entry(
        "JSON lines, deep arrays",
        record(lambda n: '{"text":' + "[" * n + "]" * n + "}"),
        says="not valid JSON",
    ),
    Entry(
        "JSON lines, deep objects",
        record(lambda n: '{"text":' + '{"a":' * n + "1" + "}" * n + "}"),
        says="not valid JSON",
    ),
    Entry("JSON lines, deep and not closed", record(lambda n: "[" * n), says="not valid JSON"),
    Entry(
        "JSON lines, deep in another field",
        record(lambda n: '{"x":' + "[" * n + "]" * n + ',"text":"a"}'),
        says="not valid JSON",
    ),
    Entry(
        "JSON lines, a long number",
        record(lambda n: '{"text":' + "9" * n + "}"),
        says="not valid JSON",
    ),
    Entry(
        "JSON array, deep arrays",
        element(lambda n: '{"text":' + "[" * n + "]" * n + "}"),
        says=r"r\.json",
    ),
    Entry(
        "JSON array, deep and not closed", element(lambda n: '{"text":' + "[" * n), says=r"r\.json"
    ),
    Entry(
        "JSON array of commas",
        file("r.json", lambda scale: b"[{}" + b"," * scale.depth + b"]"),
        says=r"r\.json",
    ),
    Entry("HTML, deep", page(times("<div>")), status=0),
    Entry(
        "HTML, a million entities",
        page(times("&amp;&#x41;&bogus;&#99999999999;")),
        status=0,
        seconds=10,
    ),
    Entry(
        "HTML, a million attributes",
        page(lambda s: f"<p {' '.join(f'a{i}=1' for i in range(2 * s.depth))}>"),
        status=0,
        seconds=10,
    ),
    Entry(
        "HTML, an attribute without an end",
        page(lambda s: '<p title="' + "x" * 10 * s.depth),
        status=0,
    ),
    Entry("HTML, comments without an end", page(times("<!--")), status=0),
    Entry("HTML, scripts without an end", page(times("<script>")), status=0),
    Entry("HTML, angle brackets", page(times("<", 1)), status=0, seconds=10),
    Entry("HTML, tables in tables", page(times("<table><tr><td>")), status=0, seconds=10),
    Entry("HTML, links in links", page(times("<a href=x>")), status=0, seconds=10),
]
FORMATS = (
    "txt", "jsonl", "json", "csv", "tsv", "html", "parquet", "zip", "docx", "pdf", "epub", "odt",
    "txt.gz", "jsonl.zst",
)  # fmt: skip

EMPTY = [
    Entry(
        "empty files of every format",
        lambda folder, scale: [
            (folder / "c" / f"empty.{suffix}").write_bytes(b"") for suffix in FORMATS
        ],
        says="empty",
    ),
    Entry(
        "files of one byte, of every format",
        lambda folder, scale: [
            (folder / "c" / f"one-{byte:02x}.{suffix}").write_bytes(bytes([byte]))
            for byte in (0, 0x0A, 0x22, 0x5B, 0x7B, 0xFF)
            for suffix in FORMATS
        ],
        says="one-00",
    ),
    Entry(
        "formats that are others",
        lambda folder, scale: [
            (folder / "c" / f"text.{suffix}").write_text(prose(9))
            for suffix in FORMATS
            if suffix not in ("txt", "html")
        ],
        says="text",
    ),
    Entry(
        "a record without a text, and one of another kind",
        record(
            lambda n: (
                'null\n1\n"a"\n[]\n{}\n{"text":null}\n{"text":{"a":1}}\n{"text":NaN}\n{"text":1e999}'
            )
        ),
        says="r.jsonl",
    ),
    Entry(
        "lone surrogates",
        record(lambda n: '{"text":"\\ud800 \\udfff ' + "ab " * 50 + '"}'),
        status=0,
    ),
    Entry(
        "keys again and again", record(lambda n: "{" + '"text":"a",' * n + '"text":"b"}'), status=0
    ),
]
