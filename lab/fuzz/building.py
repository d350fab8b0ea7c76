"""Files built around an input: they have the form that is asked for, and values from the input.

A file with one wrong line is refused as a whole, so raw bytes rarely get past the first one.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Sequence

import numpy as np

from lab.corpora.office_files import drawn_pdf
from lab.fuzz.target import Taken
from simdup.corpus.fingerprint_lines import format_header, format_lines
from simdup.model.decisions import KINDS
from simdup.model.formats import BASELINE_HEAD as HEAD
from simdup.text.weights import Model, model_bytes

Build = Callable[[Taken], bytes]

# What the first byte asks for: one in sixteen files is the input itself, and two are
# built and then changed in one place.
RAW, DAMAGED, BUILT = b"\0", b"\1", b"\7"
_SEAL = 32  # bytes of the checksum of a model


def made(taken: Taken, build: Build, finish: Callable[[bytes], bytes] = bytes) -> bytes:
    """Return the rest of an input, or a file that is built from it, or that file damaged.

    `finish` is called with what is built, whether it is damaged or not.
    """
    kind = taken.number() % 16
    if kind == RAW[0]:
        return taken.rest()
    place, byte = (taken.number(2), taken.bytes(1)) if kind <= 2 else (0, b"")
    content = build(taken)
    place %= len(content) + 1
    # The new byte comes in the place of one, or before it.
    return finish(content[:place] + byte + content[place + kind % 2 :] if byte else content)


def sealed(content: bytes) -> bytes:
    """Return a model with the checksum of what it is now, after it was damaged."""
    body = content[:-_SEAL]
    return body + hashlib.blake2b(body, digest_size=_SEAL).digest()


def names(taken: Taken, known: Sequence[str], most: int = 3) -> list[str]:
    """Return some names, known ones or others."""
    return [
        taken.choice(known) if taken.number() % 4 else taken.part().decode(errors="surrogateescape")
        for _ in range(taken.number() % (most + 1))
    ]


def model_file(taken: Taken, known: Sequence[int]) -> bytes:
    """Return an IDF model: its terms are known ones or others, none more frequent than it may."""
    documents = taken.choice((0, 1, 9, 300, 1 << 31, (1 << 63) - 1))
    digest = taken.part().hex() or "0"
    found: dict[int, int] = {}
    while taken:
        term = taken.choice(known) if taken.number() % 2 else taken.number(8)
        found[term] = min(taken.number(4) >> 1, documents)
    terms = sorted(found)
    df = np.array([found[term] for term in terms], np.int32)
    return model_bytes(Model("a.idf", documents, np.array(terms, np.uint64), df, digest))


def fingerprint_file(taken: Taken) -> bytes:
    """Return fingerprint lines, some of them near the one before, with a header or without."""
    header, bits = taken.number() % 4, taken.choice((64, 64, 128, 8, 24, 256))
    value, hexes, called = 0, list[str](), list[str]()
    while taken and len(hexes) < 60:
        value ^= 1 << taken.number() % bits if taken.number() % 4 else taken.number(bits // 8)
        hexes.append(f"{value:0{bits // 4}x}")
        called += names(taken, ("a.txt", "\\", "\n"), 1) or ["b"]
    return (format_header("abc", bits) if header else b"") + format_lines(hexes, called)


def decision_file(taken: Taken, known: Sequence[str]) -> bytes:
    """Return decisions, and lines of other types."""
    lines = list[str]()
    while taken and len(lines) < 20:
        line = {"type": "decision", "decision": taken.choice(sorted(KINDS))}
        line |= {"documents": names(taken, known), "keep": (names(taken, known, 1) or ["a"])[0]}
        if taken.number() % 16 == 15:
            line[taken.choice(sorted(line))] = taken.choice((None, 3, "", [[]], {}, "keep"))
        lines.append(json.dumps(line, ensure_ascii=bool(taken.number() % 2)))
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def baseline_file(taken: Taken, known: Sequence[str]) -> bytes:
    """Return known near-duplicates: clusters of known digests and of others."""
    lines = [HEAD.encode()]
    while taken and len(lines) < 40:
        digest = taken.choice(known) if taken.number() % 4 else taken.bytes(16).ljust(16).hex()
        name = taken.part().replace(b"\n", b"")
        lines.append(digest.encode() + (b"  " + name if name else b""))
        lines += taken.choice(([], [], [], [b""], [b"#"], [b"\r"]))
    return b"\n".join(lines)


def truth_file(taken: Taken, known: Sequence[str]) -> bytes:
    """Return known pairs or clusters: a table with commas or tabs, or JSON lines."""
    header, joint = taken.choice(_HEADERS), taken.choice(",,\t")
    rows = list[list[str]]()
    while taken and len(rows) < 40:
        cells = [*names(taken, known, 2), "a", "b"][:2]
        rows.append([*cells, taken.choice(_CELLS)][: len(header)])
    if taken.number() % 3 == 0 and len(header) == 3:
        pairs = [dict(zip(("a", "b", header[2]), row, strict=True)) for row in rows]
        lines = [{"type": "pair"} | pair for pair in pairs[::2]]
        lines += [{"type": "cluster", "pairs": pairs[1::2]}]  # type: ignore[list-item]
        return "\n".join(map(json.dumps, lines)).encode()
    if joint == "\t":
        rows = [["".join(cell.split()) or "x" for cell in row] for row in rows]
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=joint).writerows([header, *rows])
    return table.getvalue().encode("utf-8", "surrogateescape")


_HEADERS = (["a", "b", "score"], ["a", "b", "label"], ["cluster", "document"], ["b", "a"])
_CELLS = ("0.9", "1", "0", "0.5", "no", "yes", "nan", "1e999", "")


def pdf_file(taken: Taken) -> bytes:
    """Return a PDF file of a page or two; what is on them is the input."""
    pages, plain = 1 + taken.number() % 2, taken.number() % 4
    contents = [taken.part(), taken.rest()][-pages:]
    # As text, or as the operators that draw it.
    drawn = (b"<%s> Tj" % one.hex().encode() if plain else one for one in contents)
    return drawn_pdf(*(b"BT /F 12 Tf 50 700 Td " + one + b" ET" for one in drawn))


def configuration_file(taken: Taken, within: Sequence[str] = ()) -> bytes:
    """Return options in TOML: most of them exist, and most of their values are allowed.

    `within` are the tables that all of it is in.
    """
    tables: dict[str, dict[str, str]] = {}
    while taken and sum(map(len, tables.values())) < 12:
        table, key = taken.choice(_TABLES), taken.choice(sorted(_OPTIONS))
        odd = taken.number()
        value = taken.choice(_OPTIONS[key])
        if odd >= 250:
            value = json.dumps(taken.part().decode("latin-1"))
        elif odd >= 240:
            value = taken.choice(("-1", "nan", "1e999", "[]", "[[1]]", "{}", "true", "''"))
        tables.setdefault(table, {})[key] = value
    # What comes first belongs to no table.
    return "".join(
        (f"[{'.'.join(filter(None, [*within, table]))}]\n" if within or table else "")
        + "".join(f"{key} = {value}\n" for key, value in tables[table].items())
        for table in sorted(tables)
    ).encode()


_TABLES = ("", "", "", "scan", "dedupe")
_OPTIONS = {
    "distance": ("9", "0", "3"), "similarity": ("0.5", "1"), "glob": ("['*.md', 'x']", "'*'"),
    "verify": ("false", "true"), "shingle": ("'words:3'", "5", "'2'"), "jobs": ("1", "2"),
    "keep": ("'longest'", "'max:date'", "'first'"),
    "encoding": ("'gbk'", "'utf-8'"), "exclude": ("['a/**']", "[]"), "bits": ("64", "128"),
    "tokens": ("'words'", "'chars:2'"), "weight": ("'tf'", "'tfidf'"), "html": ("true", "false"),
    "max-size": ("'1M'", "1000"), "method": ("'minhash'", "'auto'"), "lossless": ("true", "false"),
}  # fmt: skip
