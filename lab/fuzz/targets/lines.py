"""Lines: fingerprints, decisions, baselines, known pairs, models, dictionaries; patterns, options.

Patterns and configuration files decide which files are read, and how.
"""

from __future__ import annotations

import io
import math
import os
from functools import cache, partial
from unittest import mock

import click
import numpy as np

from lab.fuzz import building
from lab.fuzz.building import BUILT, DAMAGED, RAW, made
from lab.fuzz.oracle import expect, expect_same, expect_sayable, write
from lab.fuzz.target import Taken, Target
from simdup.base.errors import SimdupError
from simdup.cli import _simdup
from simdup.cli.usage import usage_error
from simdup.corpus.decision_files import read_baseline, read_decisions
from simdup.corpus.fingerprint_lines import (
    FingerprintLines,
    format_header,
    format_lines,
    read_lines,
)
from simdup.corpus.patterns import Patterns, ignored, read_ignore_file
from simdup.corpus.sources import list_files
from simdup.model.criteria import Criteria
from simdup.model.formats import BASELINE_HEAD as HEAD
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.operations.baseline import baseline_of, new_since
from simdup.operations.cluster import cluster, pairs
from simdup.operations.evaluate import evaluate
from simdup.operations.scan import scan
from simdup.show.evaluation import Evaluation
from simdup.show.lines import baseline_lines
from simdup.text.analyzer import Analyzer
from simdup.text.counts import Counts
from simdup.text.simhash import to_hex, to_int
from simdup.text.tokens import _own_words, tokenizer
from simdup.text.weights import learn_model, model_bytes, parse_model

_ALONE = RunOptions(jobs=1)


def fingerprints(data: bytes) -> None:
    """Fingerprint lines: read, written again, paired, clustered."""
    lines = read_lines([write("a", made(Taken(data), building.fingerprint_file))])
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
    content = made(Taken(data), partial(building.decision_file, known=_NAMES))
    decided = read_decisions(write("a.jsonl", content))
    scan(_TEXTS, similarity=0.5, decisions=decided, jobs=1)


def baseline(data: bytes) -> None:
    """Known near-duplicates: read, written again, compared with what a scan finds."""
    content = made(Taken(data), partial(building.baseline_file, known=_digests()))
    known = read_baseline(write("a", content))
    lines = b"".join(baseline_lines(known))
    again = read_baseline(write("b", lines))
    expect_same(
        sorted(sorted(one) for one in again.clusters),
        sorted(sorted(one) for one in known.clusters),
        "a baseline written and read",
    )
    new_since(_scanned(), known)
    expect_same(
        read_baseline(write("c", content), replace=True), known, "a baseline to be replaced"
    )


def truth(data: bytes) -> None:
    """Known pairs and clusters, and how well a result agrees with them."""
    taken = Taken(data)
    least = taken.choice((None, 0.5))
    path = write("a", made(taken, partial(building.truth_file, known=_NAMES)))
    found = evaluate([("corpus/a.txt", "corpus/b.txt"), ("b", "c")], path, least)
    _expect_shares(found)
    _expect_shares(evaluate(path, path))


def _expect_shares(found: Evaluation) -> None:
    for share in (found.precision, found.recall, found.f1):
        expect(share is None or 0 <= share <= 1, f"a share of {share}")


def model(data: bytes) -> None:
    """IDF models: built around the input, damaged with a right checksum, or the input itself."""
    build = partial(building.model_file, known=_counted().ids.tolist())
    found = parse_model(made(Taken(data), build, building.sealed), "a.idf")
    factors = found.factors(_counted())
    df = dict(zip(found.ids.tolist(), found.df.tolist(), strict=True))
    for term, factor in zip(_counted().ids.tolist(), factors.tolist(), strict=True):
        right = math.log((1 + found.documents) / (1 + df.get(term, 0))) + 1
        expect(math.isclose(factor, right, rel_tol=1e-9), f"a weight of {factor}")
    expect_same(parse_model(model_bytes(found), "b").digest(), found.digest(), "a model again")


def dictionary(data: bytes) -> None:
    """User dictionaries in jieba's format, and texts cut with them."""
    recipe = Recipe(weight="tf", dictionary=write("a.txt", data))
    analyzer = Analyzer.for_recipe(recipe)
    words = _WORDS + data.decode()
    # Its own dictionary takes a second to read, and dictionaries are kept.
    with (
        mock.patch("jieba.Tokenizer.get_dict_file", return_value=io.BytesIO(_WORD_LIST)),
        mock.patch("simdup.text.tokens._own_words", _own_words.__wrapped__),
    ):
        cut = tokenizer(recipe, analyzer.dictionary)
    expect_same(cut([words]).lists(), cut([words]).lists(), "the same text again")


@cache
def _counted() -> Counts:
    analyzer = Analyzer(Recipe(weight="tf"))
    return analyzer.count([analyzer.prepare(_WORDS)])


_WORD_LIST = "石桥 5 n\n老人 300 n\n清晨 40 t\n木船 3 n\n".encode()
_WORDS = "清晨的河岸上有一位老人在钓鱼，石桥下漂来一只木船。"
_NAMES = ("a", "b", "corpus/a.txt", "\x1b[1m", "c" * 9)
_TEXTS = [(name, _WORDS * 3 + name) for name in _NAMES]


@cache
def _scanned():  # type: ignore[no-untyped-def]
    return scan(_TEXTS, similarity=0.5, jobs=1)


@cache
def _digests() -> list[str]:
    return [one.digest for entries in baseline_of(_scanned()).clusters for one in entries]


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

# Bytes from which lines of any kind are built, well formed and damaged.
_BUILT = tuple(kind + bytes(range(first, 120)) for kind in (BUILT, DAMAGED) for first in range(6))


# -- what decides which files are read, and how --


def ignore(data: bytes) -> None:
    """Lines of .simdupignore files, and paths that they may match."""
    path, _, lines = data.partition(b"\n")
    name = path.decode("utf-8", "surrogateescape")
    os.makedirs("c", exist_ok=True)
    write("c/.simdupignore", lines)
    with os.scandir("c") as entries:
        (entry,) = entries
        file = read_ignore_file(entry.path, 0)
    for one in (name, f"{name}/", f"a/{name}", name * 20):
        ignored(one, [file])


def patterns(data: bytes) -> None:
    """Patterns of --glob and --exclude, and paths that they may match."""
    path, _, lines = data.decode("utf-8", "surrogateescape").partition("\n")
    made = tuple(lines.split("\n"))
    known = Patterns(made)
    for one in (path, f"a/{path}", path * 20):
        expect_same(known.match(one), known.match(one), "the same path again")
    os.makedirs("d", exist_ok=True)
    write("d/a.txt", b"a")
    listing = list_files(["d"], Reading(glob=made[:1], exclude=made[1:]))
    expect_sayable(listing.skipped)


_ARGUMENTS = (["scan"], ["dedupe", "-o", "out"], ["index", "build", "x.index"], ["compare", "b"])


def configuration(data: bytes) -> None:
    """Configuration files: TOML, unknown keys, values of other types."""
    taken = Taken(data)
    name = taken.choice(("simdup.toml", "pyproject.toml"))
    command, *arguments = taken.choice(_ARGUMENTS)
    within = ("tool", "simdup") if name == "pyproject.toml" else ()
    content = made(taken, partial(building.configuration_file, within=within))
    typed = [command, *arguments, "a", "--config", write(name, content)]
    try:
        # As a command does before it runs.
        with _simdup.make_context("simdup", list(typed)) as above:
            _, found, rest = _simdup.resolve_command(above, list(typed))
            if found is not None:
                _leaf(found, rest, above)
    except click.UsageError as error:
        raise usage_error(error, command, typed) from None
    except click.ClickException as error:
        raise SimdupError("simdup", error.format_message()) from None


def _leaf(command: click.Command, arguments: list[str], above: click.Context) -> None:
    with command.make_context(command.name, arguments, parent=above) as context:
        if isinstance(command, click.Group):
            typed = [*context._protected_args, *context.args]
            _, found, rest = command.resolve_command(context, typed)
            if found is not None:
                _leaf(found, rest, context)


_TOML = (
    b"keep = 'longest'\ndistance = 9\nsimilarity = 0.5\nglob = ['*.md', 'x']\nverify = false\n"
    b"shingle = 'words:3'\nmemory = '2G'\njobs = 1\n[scan]\nkeep = 'max:date'\nno-fold = true\n"
    b"[index.build]\nencoding = 'gbk'\n"
)


TARGETS = (
    Target(
        fingerprints,
        (RAW + _LINES, RAW + _LINES.replace(b"bits=64", b"bits=128"),
         RAW + b"0f  a\n0e  b\nff  a\n", RAW + b"# simdup 1", *_BUILT),
        (b"# simdup ", b"recipe=", b"bits=", b"  ", b"\\n", b"\\\\", b"\xff", b"\n"),
        most=6000,
    ),
    Target(
        decisions,
        (RAW + _DECISIONS, RAW + b"\xef\xbb\xbf" + _DECISIONS, RAW + b'{"type": 3}\n\n{}', *_BUILT),
        (b'"type"', b'"decision"', b'"documents"', b'"duplicates"', b'"distinct"', b'"keep"',
         b"[", b"]", b"{", b"}", b"\n", b"\\ud800", b"null"),
    ),
    Target(
        baseline,
        (RAW + _BASELINE, RAW + _BASELINE.replace(b"\n", b"\r\n"), RAW + b"# simdup-baseline 2\n",
         RAW, *_BUILT),
        (b"# simdup-baseline 1", b"\n\n", b"  ", b"0" * 32, b"\r", b"\xff", "\u2028".encode()),
    ),
    Target(
        truth,
        tuple(bytes([n]) + RAW + one for n in range(2) for one in (
            _SCANNED, b"a,b\nx,y\n", b"cluster,document\n1,a.txt\n1,b\n", b"a\tb\t0.9\nc\td\tx\n",
            b"a.txt,b.txt,0.7\nc,d,nan\n", b'"a\n,b', b"id1,id2,score\n1,2,inf\n"))
        + tuple(b"\0" + one for one in _BUILT),
        (b",", b"\t", b'"', b"\n", b"cluster", b"document", b"label", b"score", b"nan", b"1e999",
         b"corpus/a.txt", b"{", b"}", b"\0"),
    ),
    Target(
        model,
        (RAW + _SEALED, *_BUILT),
        (b"documents=", b"terms=", b"from=", b"\n", b"-1", b"\xff\xff\xff\x7f"),
    ),
    Target(
        dictionary,
        ("石桥下 9 n\n老人在\n云计算 5\n".encode(), "台中 nz".encode(), b"\xef\xbb\xbfab 1 n",
         b"a" * 9),
        (b" ", b"\n", b"0", b"99999999999999999", "河岸".encode(), b"\x85", b"\xff", b"\0"),
        most=300,
    ),
    Target(
        ignore,
        (b"a/b.txt\n*.txt\n!a.txt\n/b/\n", b"drafts/x\ndrafts/**\n**/x\n[a-z]?\\#",
         b"aaaaaaaa\n*a*a*", b"a\n[[:alpha:]]", b"a/b/c\na/**/c\n  \n# no\n\xef\xbb\xbfx"),
        (b"*", b"**/", b"/**", b"[!", b"]", b"\\", b"!", b"?", b"{a,b}", b"\n", b"\xff", b"a*"),
        most=600,
    ),
    Target(
        patterns,
        (b"a.txt\n*.txt\nb*", b"a/b.md\n{a,b}/*.{md,txt}\n", b"x\n[!a-z]*\n[[]", b"aaaa\n*a*a*a*b"),
        (b"*", b"{", b"}", b",", b"[", b"]", b"{a,b}", b"?", b"/", b"\n", b"\xff"),
        most=600,
    ),
    Target(
        configuration,
        (*(bytes([0, n]) + RAW + _TOML for n in range(4)),
         b"\1\0" + RAW + b"[tool.simdup]\n" + _TOML[:40],
         b"\0\0" + RAW + b"scan = 3\nx.y = [{}]", b"\0\0" + RAW + b"glob = 1979-05-27\n",
         b"\0\0" + RAW + b"a=" + b"[" * 500,
         b"\0\0" + RAW + b"distance = 99999999999999999999\nsimilarity = nan",
         b"\0\0" + RAW + b"jobs = inf\nmemory = -1\nkeep = [[1]]\nencoding = ''\nstrip = '('",
         *(bytes([file, command]) + kind + bytes(range(5 * command, 90))
           for kind in (BUILT, DAMAGED) for file in range(2) for command in range(4))),
        (b" = ", b"true", b"[scan]", b"[tool.simdup]", b"nan", b"1e999", b"'", b'"', b"[", b"]",
         b"keep", b"distance", b"strip", b"\\u0000", b"\\u001b", b"idf", b"dict", b"color",
         b"prefer"),
    ),
)  # fmt: skip
