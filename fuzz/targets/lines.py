"""Files a line each: fingerprints, decisions, baselines, known pairs; models and dictionaries."""

from __future__ import annotations

import hashlib
import io
from functools import cache
from unittest import mock

import numpy as np

from fuzz.files import write
from fuzz.oracle import expect, expect_same
from fuzz.target import Taken, Target
from simdup.corpus.baseline import HEAD, read_baseline
from simdup.corpus.decisions import read_decisions
from simdup.corpus.fingerprint_lines import (
    FingerprintLines,
    format_header,
    format_lines,
    read_lines,
)
from simdup.evaluation.metrics import Evaluation
from simdup.features.analyzer import Analyzer
from simdup.features.counts import Counts
from simdup.features.idf import learn_model, model_bytes, parse_model
from simdup.features.tokens import _jieba, tokenizer
from simdup.lsh.simhash import to_hex, to_int
from simdup.model.criteria import Criteria
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, Settings
from simdup.operations.baseline import new_since
from simdup.operations.cluster import cluster
from simdup.operations.evaluate import evaluate
from simdup.operations.pairs import pairs
from simdup.operations.scan import scan
from simdup.output.baseline import baseline_lines

_ALONE = RunOptions(jobs=1)


def fingerprints(data: bytes) -> None:
    """Fingerprint lines: read, written again, paired, clustered."""
    lines = read_lines([write("a", data)])
    written = format_header("0", lines.bits) if lines.recipe else b""
    written += format_lines(to_hex(lines.values, lines.bits), lines.names)
    again = read_lines([write("b", written)])
    expect_same(list(again.names), list(lines.names), "names written and read")
    if len(lines.names):
        expect(np.array_equal(again.values, lines.values), "fingerprints written and read")
    if len(lines.names) > 40:
        return
    with pairs(lines, 3, _ALONE) as found:
        expect_same([(p.a, p.b, p.distance) for p in found], _near(lines), "the pairs")
    result = cluster(lines, Settings(Recipe(), Criteria(), run=_ALONE))
    expect(result.summary.documents == len(lines.names), "documents are missing")


def _near(lines: FingerprintLines) -> list[tuple[str, str, int]]:
    """Return what is within distance 3, in the simplest way; copies are near their first one."""
    values = [to_int(row) for row in lines.values]
    first = [values.index(value) for value in values]
    return [
        (lines.names[i], lines.names[j], distance)
        for i in range(len(values))
        for j in range(i + 1, len(values))
        for distance in [(values[i] ^ values[j]).bit_count()]
        if distance <= 3 and first[i] == i and first[j] in (i, j)
    ]


def decisions(data: bytes) -> None:
    """Decisions of a report page, and a scan that heeds them."""
    made = read_decisions(write("a.jsonl", data))
    scan(_TEXTS, similarity=0.5, decisions=made, jobs=1)


def baseline(data: bytes) -> None:
    """Known near-duplicates: read, written again, compared with what a scan finds."""
    known = read_baseline(write("a", data))
    lines = b"".join(baseline_lines(known))
    again = read_baseline(write("b", lines))
    expect_same(
        sorted(sorted(one) for one in again.clusters),
        sorted(sorted(one) for one in known.clusters),
        "a baseline written and read",
    )
    new_since(_scanned(), known)
    expect_same(read_baseline(write("c", data), replace=True), known, "a baseline to be replaced")


def truth(data: bytes) -> None:
    """Known pairs and clusters, and how well a result agrees with them."""
    taken = Taken(data)
    least = taken.choice((None, 0.5))
    path = write("a", taken.rest())
    found = evaluate([("corpus/a.txt", "corpus/b.txt"), ("b", "c")], path, least)
    _expect_shares(found)
    _expect_shares(evaluate(path, path))


def _expect_shares(found: Evaluation) -> None:
    for share in (found.precision, found.recall, found.f1):
        expect(share is None or 0 <= share <= 1, f"a share of {share}")


def model(data: bytes) -> None:
    """IDF models, with the checksum of the input or a right one."""
    taken = Taken(data)
    sealed, content = taken.number() % 4, taken.rest()
    if sealed:
        content += hashlib.blake2b(content, digest_size=32).digest()
    found = parse_model(content, "a.idf")
    expect(np.isfinite(found.factors(_counted())).all(), "an infinite weight")
    found.digest()


def dictionary(data: bytes) -> None:
    """User dictionaries in jieba's format, and texts cut with them."""
    recipe = Recipe(weight="tf", dictionary=write("a.txt", data))
    analyzer = Analyzer.for_recipe(recipe)
    words = _WORDS + data.decode()
    # Its own dictionary takes a second to read, and engines are kept.
    with (
        mock.patch("jieba.Tokenizer.get_dict_file", return_value=io.BytesIO(_WORD_LIST)),
        mock.patch("simdup.features.tokens._jieba", _jieba.__wrapped__),
    ):
        cut = tokenizer(recipe, dictionary=analyzer.dictionary)
    expect_same(list(cut([words])), list(cut([words])), "the same text again")


@cache
def _counted() -> Counts:
    analyzer = Analyzer(Recipe(weight="tf"))
    return analyzer.count([analyzer.prepare(_WORDS)])


_WORD_LIST = "石桥 5 n\n老人 300 n\n清晨 40 t\n木船 3 n\n".encode()
_WORDS = "清晨的河岸上有一位老人在钓鱼，石桥下漂来一只木船。"
_TEXTS = [(name, _WORDS * 3 + name) for name in ("a", "b", "corpus/a.txt", "\x1b[1m", "c" * 9)]


@cache
def _scanned():  # type: ignore[no-untyped-def]
    return scan(_TEXTS, similarity=0.5, jobs=1)


_SEALED = model_bytes(learn_model(_counted(), "0123456789ab"))
_LINES = (
    b"# simdup 1 recipe=abc bits=64\n0123456789abcdef  a.txt\n\\0123456789abcdee  b\\n.txt\n"
    b"0123456789abcdef  \xff\xfe\n"
)
_DECISIONS = b"".join(
    b'{"type": "decision", "decision": "%s", "documents": ["a", "b"], "keep": "c"}\n' % kind
    for kind in (b"duplicates", b"distinct", b"keep")
)
_BASELINE = HEAD.encode() + b"\n\n%s  a\n%s  b.txt\n\n%s\n" % (b"0" * 32, b"a1" * 16, b"0" * 32)
_SCANNED = (
    b'{"type":"cluster","pairs":[{"a":"a","b":"b","distance":1,"similarity":0.9}]}\n'
    b'{"type":"pair","a":"a.txt","b":"c","label":"no","score":"0.7"}\n{"type":"summary"}\n'
)

TARGETS = (
    Target(
        fingerprints,
        (_LINES, _LINES.replace(b"bits=64", b"bits=128"), b"0f  a\n0e  b\nff  a\n", b"# simdup 1"),
        (b"# simdup ", b"recipe=", b"bits=", b"  ", b"\\n", b"\\\\", b"\xff", b"\n"),
        most=6000,
    ),
    Target(
        decisions,
        (_DECISIONS, b"\xef\xbb\xbf" + _DECISIONS, b'{"type": 3}\n\n{}'),
        (b'"type"', b'"decision"', b'"documents"', b'"duplicates"', b'"distinct"', b'"keep"',
         b"[", b"]", b"{", b"}", b"\n", b"\\ud800", b"null"),
    ),
    Target(
        baseline,
        (_BASELINE, _BASELINE.replace(b"\n", b"\r\n"), b"# simdup-baseline 2\n", b""),
        (b"# simdup-baseline 1", b"\n\n", b"  ", b"0" * 32, b"\r", b"\xff", "\u2028".encode()),
    ),
    Target(
        truth,
        tuple(bytes([n]) + one for n in range(2) for one in (
            _SCANNED, b"a,b\nx,y\n", b"cluster,document\n1,a.txt\n1,b\n", b"a\tb\t0.9\nc\td\tx\n",
            b"a.txt,b.txt,0.7\nc,d,nan\n", b'"a\n,b', b"id1,id2,score\n1,2,inf\n")),
        (b",", b"\t", b'"', b"\n", b"cluster", b"document", b"label", b"score", b"nan", b"1e999",
         b"corpus/a.txt", b"{", b"}", b"\0"),
    ),
    Target(
        model,
        (b"\0" + _SEALED, b"\1" + _SEALED[:-32], b"\1# simdup-idf 1 documents=1 terms=0 from=x\n"),
        (b"documents=", b"terms=", b"from=", b"\n", b"-1", b"\xff\xff\xff\x7f"),
    ),
    Target(
        dictionary,
        ("石桥下 9 n\n老人在\n云计算 5\n".encode(), "台中 nz".encode(), b"\xef\xbb\xbfab 1 n",
         b"a" * 9),
        (b" ", b"\n", b"0", b"99999999999999999", "河岸".encode(), b"\x85", b"\xff", b"\0"),
        most=300,
    ),
)  # fmt: skip
