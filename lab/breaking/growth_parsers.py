"""Growth of what reads: texts, records, pages, archives, and the files that options name."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

from lab.breaking.probes import MILLION, Probe, Work, again, calling, from_files, reading
from lab.corpora.made import HAN, prose
from lab.corpora.office_files import docx, paragraphs, zipped
from simdup.corpus.baseline import read_baseline
from simdup.corpus.decisions import read_decisions
from simdup.corpus.fingerprint_lines import read_lines
from simdup.corpus.patterns import matches
from simdup.corpus.sources import list_files
from simdup.evaluation.labels import read_labels
from simdup.features.idf import model_bytes, read_model
from simdup.features.tokens import _entries, read_dictionary
from simdup.model.reading import Reading

Content = Callable[[int], bytes]


def _around(before: bytes, unit: bytes, after: bytes = b"") -> Content:
    return lambda n: before + unit * (n // len(unit)) + after


def _each(line: str, before: str = "") -> Content:
    """Return as many lines as asked for, each with its number."""
    return lambda n: (before + "".join(line.replace("%", str(i)) for i in range(n))).encode()


def _chinese(codec: str) -> Content:
    return lambda n: prose(1, 5000).encode(codec, "replace") * (n // 20_000)


def _noise(n: int) -> bytes:
    above = bytes(128 + i % 128 for i in range(256))
    return random.Random(0).randbytes(n).translate(above)


DECODER = reading(
    "decoder", ".txt",
    ("UTF-8", 4 * MILLION, _chinese("utf-8")),
    ("GB18030", 4 * MILLION, _chinese("gb18030")),
    ("Big5", MILLION // 4, _chinese("big5")),
    ("UTF-16 without a mark", 4 * MILLION, _chinese("utf-16-le")),
    ("bytes above 127", MILLION // 4, _noise),
    ("one letter", 4 * MILLION, again(b"a")),
    ("NULs", 4 * MILLION, again(b"abc\0")),
    ("broken UTF-8", 2 * MILLION, again(b"\xe4\xb8")),
    ("Latin-1 letters", 4 * MILLION, again(b"\xe9")),
)  # fmt: skip
RECORDS = [
    *reading(
        "JSON lines", ".jsonl",
        ("one long line", MILLION // 2, _around(b'{"text":"', b"ab ", b'"}\n')),
        ("tiny records", 2000, lambda n: b'{"text":"a"}\n' * n),
        ("blank lines", MILLION // 8, again(b"\n")),
        ("deep", MILLION, _around(b'{"text":', b"[")),
        ("escapes", 2 * MILLION, _around(b'{"text":"', b"\\u4e2d", b'"}\n')),
        ("backslashes", 2 * MILLION, _around(b'{"text":"', b"\\\\", b'"}\n')),
        ("many fields", 5000, lambda n: json.dumps({f"f{i}": "x" for i in range(n)}).encode()),
        ("a long number", MILLION, _around(b'{"text":', b"9", b"}\n")),
    ),
    *reading(
        "JSON array", ".json",
        ("tiny elements", 2000, lambda n: b"[" + b'{"text":"a"},' * n + b"{}]"),
        ("one long element", 2 * MILLION, _around(b'[{"text":"', b"ab ", b'"}]')),
        ("deep", MILLION, _around(b'[{"text":', b"[")),
        ("commas", 20_000, _around(b"[{}", b",", b"]")),
        ("a string without an end", 4 * MILLION, _around(b'[{"text":"', b"a")),
        ("backslashes", MILLION, _around(b'[{"text":"', b"\\")),
    ),
    *reading(
        "CSV", ".csv",
        ("tiny records", 2000, lambda n: b"text\n" + b"a\n" * n),
        ("one long line", MILLION, _around(b"text\n", b"ab ", b"\n")),
        ("a quote without an end", MILLION // 8, _around(b'text\n"', b"ab\n")),
        ("many columns", MILLION // 8, _around(b"text", b",a", b"\nx\n")),
        ("broken quotes", 2000, lambda n: b"text\n" + b'"a"b\n' * n),
        ("quotes", MILLION, _around(b'text\n"', b'""', b'"\n')),
    ),
]  # fmt: skip


def _attributes(n: int) -> bytes:
    return f"<p {' '.join(f'a{i}=1' for i in range(n // 8))}>ab</p>".encode()


PAGES: dict[str, Content] = {
    "nested elements": again(b"<div>ab"), "entities": again(b"&amp;"),
    "halves of entities": again(b"&#"), "attributes": _attributes,
    "comments without an end": again(b"<!--"), "scripts without an end": again(b"<script>"),
    "angle brackets": again(b"<"), "tiny paragraphs": again(b"<p>ab</p>"),
    "white space": again(b" "), "one word": again(b"x"), "meta elements": again(b"<meta "),
    "titles": again(b"<title>"),
}  # fmt: skip
HTML = [
    probe
    for extract in ("main", "all")
    for probe in reading(
        f"HTML, {extract}", ".html",
        *((shape, 100_000, content) for shape, content in PAGES.items()), extract=extract,
    )
]  # fmt: skip


def _nested_tables(n: int) -> bytes:
    return docx("<w:tbl><w:tr><w:tc>" * n + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * n)


ARCHIVES = [
    *reading(
        "zip", ".zip",
        ("many members", 100, lambda n: zipped((f"{i}.txt", b"a") for i in range(n))),
        ("one member", 4 * MILLION, lambda n: zipped([("a.txt", b"ab " * (n // 3))])),
        ("deep names", 100, lambda n: zipped((f"{'a/' * 30}{i}.txt", b"a") for i in range(n))),
    ),
    *reading(
        "Word", ".docx",
        ("tiny paragraphs", 1000, lambda n: docx(paragraphs(*["a"] * n))),
        ("one paragraph", MILLION, lambda n: docx(paragraphs("ab " * (n // 3)))),
        ("nested paragraphs", 5000, lambda n: docx("<w:p>" * n + "</w:p>" * n)),
        ("tables in tables", 2000, _nested_tables),
    ),
]  # fmt: skip


def _prints(n: int) -> bytes:
    return b"".join(b"%016x  %d\n" % (i * 0x9E3779B97F4A7C15 % 2**64, i) for i in range(n))


def _words(n: int) -> bytes:
    chance = random.Random(0)
    return "".join(f"{''.join(chance.choices(HAN, k=3))} {i}\n" for i in range(n)).encode()


def _model(n: int) -> bytes:
    import numpy as np

    from simdup.features.idf import Model

    ids, df = np.arange(n, dtype=np.uint64), np.ones(n, np.int32)
    return model_bytes(Model("", n, ids, df, "0"))


def _many_pairs(n: int) -> bytes:
    pairs = [{"a": f"{i}", "b": f"{i + 1}"} for i in range(n)]
    return json.dumps({"type": "cluster", "pairs": pairs}).encode()


_DECISION = '{"type":"decision","decision":"distinct","documents":["%","x%"]}\n'


def _one_decision(n: int) -> bytes:
    names = [str(i) for i in range(n)]
    return json.dumps({"type": "decision", "decision": "distinct", "documents": names}).encode()


FILES = [
    *from_files(
        "fingerprint lines", lambda path: read_lines([path]),
        ("many lines", 50_000, _prints),
        ("one long name", MILLION, _around(b"0" * 16 + b"  ", b"a")),
        ("one long line", MILLION, again(b"0")),
        ("header lines", 2000, lambda n: b"# simdup 1 recipe=a bits=64\n" * n),
    ),
    *from_files(
        "dictionary", lambda path: list(_entries(read_dictionary(path))),
        ("many words", 2000, _words),
        ("one long word", MILLION, again("河".encode())),
        ("spaces in a line", 2000, lambda n: b"a" + b" " * n + b"b c"),
        ("words in a line", 2000, lambda n: b"a b " * n + b"\xc3\xa9"),
        ("digits in a line", 2000, lambda n: b"a 1" + b"1" * n + b"\xc3\xa9"),
    ),
    *from_files("IDF model", read_model, ("many terms", 500_000, _model)),
    *from_files(
        "truth", read_labels,
        ("pairs", 2000, _each("x%,y%\n", "a,b\n")),
        ("one long cell", 2 * MILLION, _around(b'a,b\n"', b"x")),
        ("pairs of a cluster in JSON", 2000, _many_pairs),
        ("JSON lines", 2000, _each('{"type":"pair","a":"%","b":"x%"}\n')),
        ("deep JSON", 4 * MILLION, _around(b'{"type":', b"[")),
    ),
    *from_files(
        "decisions", read_decisions,
        ("many lines", 2000, _each(_DECISION)),
        ("one decision", 20_000, _one_decision),
        ("deep", MILLION, again(b"[")),
    ),
    *from_files(
        "baseline", read_baseline,
        ("many lines", 4000, lambda n: b"# simdup-baseline 1\n" + b"%032d  a\n" % 7 * n),
        ("blank lines", 20_000, lambda n: b"# simdup-baseline 1\n" + b"\n" * n),
        ("spaces", MILLION, _around(b"# simdup-baseline 1", b" ", b"x")),
    ),
]  # fmt: skip


def _ignore(line: str) -> Callable[[int, Path], Work]:
    """Return the walk of a folder whose `.simdupignore` has as many times a line, or part of it."""

    def make(n: int, folder: Path) -> Work:
        below = folder / str(n)
        below.mkdir(exist_ok=True)
        (below / ".simdupignore").write_text(line * n + "b\n")
        for i in range(100):
            (below / f"{'a' * 100}{i}").write_text("x")
        return lambda: list_files([str(below)], Reading())

    return make


def _glob(pattern: Callable[[int], str]) -> Callable[[int, Path], Work]:
    return calling("", "", 0, lambda one: matches("a" * 1000, [one]), pattern).make


PATTERNS = [
    Probe("patterns", "stars in a .simdupignore", 10, _ignore("*a")),
    Probe("patterns", "folders with stars in it", 10, _ignore("**/a/")),
    Probe("patterns", "lines of it", 100, _ignore("/a*b/*.txt\n")),
    Probe("patterns", "braces in braces", 500, _glob(lambda n: "{" * n + "a,b" + "}" * n)),
    Probe("patterns", "braces beside braces", 500, _glob(lambda n: "{a,b}" * n)),
    Probe("patterns", "stars in a glob", 50, _glob(lambda n: "*a" * n + "b")),
]
PARSERS = [*DECODER, *RECORDS, *HTML, *ARCHIVES, *FILES, *PATTERNS]
