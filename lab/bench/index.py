"""The index: what opening, querying and adding cost, and what its bands find.

Fingerprints and sketches are random where texts do not matter; names are paths of some 25
characters.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lab.bench.accuracy import LEAST, similar
from lab.bench.passages import prose
from lab.corpora import real
from lab.measuring import clock, in_turn, median_seconds, ratio, simdup
from lab.oracles.search import hits
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial, say
from simdup import Index, search
from simdup.index.file import Patience
from simdup.index.match import IndexRows, QueryOptions, query
from simdup.index.opened import Opened
from simdup.index.segments import line_documents
from simdup.model.criteria import Criteria
from simdup.model.table import Documents
from simdup.text.families import BBIT, SKETCH_BYTES, bbit_estimate, bbit_sketch, proposed
from simdup.text.sketch_bands import AskedBands, sketch_banding

MILLION = 10**6


def index(trial: Trial) -> Iterator[Table]:
    """The index: the cost of opening, querying and adding, compared with work in memory."""
    folder, n = trial.folder, trial.pick(10**4, MILLION)
    text = folder / "text.txt"
    text.write_text("图书馆今天宣布将延长周末开放时间，方便学生备考复习，读者表示欢迎。", "utf-8")
    path = _filled(folder / "first.index", n)
    rows = [*_opening(path, n, text), _batch(path, n), *_adding(path, n)]
    if trial.size == "large":
        path = _filled(folder / "large.index", 10 * MILLION)
        rows += _opening(path, 10 * MILLION, text)
    yield tabulate("An index of fingerprints", rows)
    yield tabulate("An index of documents with sketches", _sketched(folder, n, text))
    yield tabulate("An index of texts", _texts(folder, trial.pick(200, 4000)))


def _row(measure: str, figure: float, of: str = "", beside: float | None = None) -> Row:
    """Return a row of a time, beside another if there is one."""
    return {
        "measure": measure, "figure": figure, "unit": "s",
        "beside": beside, "of": of or None, "ratio": beside and figure / beside,
    }  # fmt: skip


def _command(*arguments: object) -> float:
    """Return the median time of a command, start-up included."""
    return median_seconds(simdup(*arguments) for _ in range(5))


def _median(work: Callable[[], float]) -> float:
    return statistics.median(work() for _ in range(3))


# -- fingerprints --


def _names(n: int, folder: str) -> list[str]:
    return [f"{folder}/{i // 1000:05d}/{i:08d}.txt" for i in range(n)]


def _numbered(n: int, folder: str, seed: int) -> list[tuple[str, int]]:
    """Return names and random fingerprints."""
    values = np.random.default_rng(seed).integers(0, 1 << 64, n, dtype=np.uint64).tolist()
    return list(zip(_names(n, folder), values, strict=True))


def _filled(path: Path, n: int) -> Path:
    """Build an index of n fingerprints, a million at a time."""
    with Index.build(str(path)) as built:
        for first in range(0, n, MILLION):
            say(f"{path}: {first:,}")
            built.add(_numbered(min(MILLION, n - first), f"c{first}", first), fingerprints=True)
    return path


def _opening(path: Path, n: int, text: Path) -> list[Row]:
    """Return the times that users wait for, including start-up."""
    names = sum(min(n, MILLION) * len(_names(1, f"c{first}")[0]) for first in range(0, n, MILLION))
    size = (path.stat().st_size - names) / n
    return [
        _row(f"size beside names, {n:,}", size) | {"unit": "bytes a document"},
        _row(f"index info, {n:,}", _command("index", "info", path)),
        _row(f"query of one text, {n:,}", _command("query", "-q", path, text)),
    ]


def _batch(path: Path, n: int) -> Row:
    """Return the time of a batch of queries, including opening, compared with queries in memory."""
    base = np.array([value for _, value in _numbered(n, "c0", 0)], np.uint64)
    random, many = np.random.default_rng(1), n // 10
    bits = np.uint64(1) << random.integers(0, 64, many).astype(np.uint64)
    queries = base[random.integers(0, len(base), many)] ^ bits
    named = [(f"q{i}", value) for i, value in enumerate(queries.tolist())]

    def kept() -> None:
        with Index.open(str(path)) as opened:
            assert all(answer.matches for answer in opened.query(named, fingerprints=True))

    here = _median(lambda: clock(kept))
    there = _median(lambda: clock(lambda: hits(search.build(base), queries)))
    measure = f"query of {many:,} fingerprints, {n:,}"
    return _row(measure, here, "build and query in memory", there)


def _adding(path: Path, n: int) -> list[Row]:
    """Return the cost of adding, compared with adding the same to an empty index."""
    say("add")
    more = _numbered(n // 10, "more", 5)
    other, empty = path.with_name("other.index"), path.with_name("empty.index")
    Index.build(str(empty)).close()

    def add(named: list[tuple[str, int]], opened: Index) -> float:
        return clock(lambda: opened.add(named, fingerprints=True))

    def added(to: Path) -> float:
        shutil.copy(to, other)
        with Index.open(str(other)) as opened:
            return add(more, opened)

    small, large = (_median(lambda to=to: added(to)) for to in (empty, path))
    numbers = count()
    with Index.open(str(other)) as opened:
        one = _median(lambda: add([(f"one more {next(numbers)}", 1)], opened))
        again = _median(lambda: add(more[:1], opened))
    measure = f"add of {len(more):,} fingerprints to {n:,}"
    return [
        _row(measure, large, "to an empty index", small),
        _row("add of one", one, "of one that is there", again),
    ]


# -- sketches and texts --


def _sketched(folder: Path, n: int, text: Path) -> list[Row]:
    """Return the times of queries by bands too, of an index of random sketches."""
    say("sketches")
    path = folder / "sketched.index"
    whole = _documents(n, "c0", np.random.default_rng(0))
    with Index.build(str(path)) as built, built._opened.editing(Patience(1, say)) as edit:
        edit.add(whole)
    start = _command("fingerprint", "-q", text)
    alone = _command("query", "-q", path, text, "--method", "simhash")
    both = _command("query", "-q", path, text)
    chance = np.random.default_rng(1)
    queries = _documents(n // 10, "q", chance)
    # A tenth of the bytes of a sketch is changed: similarity 0.9.
    near = whole["sketch"][chance.integers(0, n, n // 10)]
    changed = chance.random(near.shape) < 0.1
    near[changed] = chance.integers(0, 256, int(np.count_nonzero(changed)), dtype=np.uint8)
    queries = queries.and_columns(sketch=near)

    def kept() -> None:
        with Index.open(str(path)) as opened:
            batches = query(opened._opened, queries, QueryOptions(Criteria()))
            matched = sum(bool(answer.matches) for answers in batches for answer in answers)
            assert matched > 0.95 * len(queries)

    def in_memory() -> None:
        hits(search.build(whole["fingerprint"]), queries["fingerprint"])
        bands = AskedBands(queries["sketch"], sketch_banding(LEAST))
        for low in range(0, n, 1 << 14):
            for _ in bands.join(whole["sketch"][low : low + (1 << 14)]):
                pass

    times = in_turn(3, lambda: clock(kept), lambda: clock(in_memory))
    here, there = map(statistics.median, times)
    by = "by fingerprint and band"
    batch = _row(f"query of {n // 10:,}, {by}", here, "build and join in memory", there)
    return [
        _row(f"query of one text, {by}, {n:,}", both, "by fingerprint alone", alone),
        _row("the same", both, "fingerprint of the text", start),
        batch | {"ratio": ratio(*times)},
    ]


def _documents(n: int, folder: str, chance: np.random.Generator) -> Documents:
    """Return documents with random fingerprints and sketches."""
    values = chance.integers(0, 1 << 64, (n, 1), dtype=np.uint64)
    sketches = chance.integers(0, 256, (n, SKETCH_BYTES), dtype=np.uint8)
    rows = line_documents(_names(n, folder), values)
    figures = {"length": np.full(n, 900), "terms": np.full(n, 20, np.uint8)}
    return rows.and_columns(sketch=sketches, **figures)


def _texts(folder: Path, many: int) -> list[Row]:
    """Return the cost of building, compared with fingerprints alone, and of unchanged texts."""
    say("texts")
    random = np.random.default_rng(3)
    words = ["".join(map(chr, w)) for w in random.integers(0x4E00, 0x5E00, (5000, 2)).tolist()]
    texts = ("".join(words[i] for i in random.zipf(1.3, 1000) % 5000) for _ in range(many))
    source = real.write_records(real.numbered(texts), folder / "texts.jsonl").path
    path = folder / "texts.index"
    prints = _command(
        "fingerprint", "-q", "--recipe", "default,idf=builtin", "-o", os.devnull, source
    )

    def build() -> float:
        path.unlink(missing_ok=True)
        return simdup(
            "index", "build", "-q", "--recipe", "default,idf=builtin", path, source
        ).seconds

    built = _median(build)
    again = _command("index", "add", "-q", path, source)
    measure = f"index build, {many:,} texts, {source.stat().st_size / 1e6:.1f} MB"
    return [
        _row(measure, built, "fingerprint", prints),
        _row("index add of the same", again, "index build", built),
    ]


# -- passages --

# Where an essay is cut from documents of the index, in characters.
_EXCERPTS = (700, 1000, 600)


def passage_index(trial: Trial) -> Iterator[Table]:
    """An index of passages: building it, one essay against it, and adding to it.

    Laws, and prose as in the table of passages: 98 MB.
    """
    say("index of passages: writing prose")
    folder = trial.folder
    texts = {"laws": real.texts("laws").values(), "prose": prose(trial.pick(1, 70) * 10**6)}
    sources = [
        real.write_records(real.numbered(each), folder / f"{name}.jsonl").path
        for name, each in texts.items()
    ]
    yield tabulate("An index of passages", _passages(folder, sources))


def _passages(folder: Path, sources: list[Path]) -> Iterator[Row]:
    path, plain, essay = folder / "passages.index", folder / "plain.index", folder / "essay.txt"
    lines = [line for one in sources for line in one.read_text("utf-8").splitlines()]
    chosen = np.random.default_rng(6).integers(0, len(lines), len(_EXCERPTS)).tolist()
    parts = zip(chosen, _EXCERPTS, strict=True)
    essay.write_text("".join(json.loads(lines[i])["text"][:size] for i, size in parts), "utf-8")

    def build(path: Path, *options: str) -> float:
        path.unlink(missing_ok=True)
        return simdup("index", "build", "-q", path, *sources, *options).seconds

    say("index of passages: build")
    ours, theirs = in_turn(3, lambda: build(path, "--passages"), lambda: build(plain))
    bytes_of = sum(one.stat().st_size for one in sources)
    measure = f"index build --passages, {len(lines):,} texts, {bytes_of / 1e6:.1f} MB"
    built = statistics.median(ours)
    yield _row(measure, built, "without --passages", statistics.median(theirs))
    size = path.stat().st_size / bytes_of
    yield _row("its size", size) | {"unit": "bytes a byte of the sources"}
    say("index of passages: one essay")
    asked = ("passages", "-f", "csv", essay)
    named = [word for one in sources for word in ("--reference", one)]
    rows = [simdup(*asked, *words).output for words in (["--reference", path], named)]
    assert rows[0] == rows[1]
    assert rows[0].count(b"\n") > len(_EXCERPTS)
    one = _command(*asked, "--reference", path)
    yield _row("passages of one essay", one, "--reference of the files", _command(*asked, *named))
    text = folder / "more.txt"

    def added(number: int) -> float:
        text.write_text(f"{number} {essay.read_text('utf-8')}", "utf-8")
        return simdup("index", "add", "-q", path, text).seconds

    say("index of passages: add")
    yield _row("index add of one", statistics.median(map(added, range(3))), "build", built)
    yield _row("index check", _command("index", "check", path), "build", built)


# -- recall --

# From here on an estimate of at least 0.8 is to be expected of 0.99 of the pairs.
SURE = 0.87
MADE = (0.75, LEAST, 0.83, SURE, 0.9, 0.95)
ELEMENTS = 1000

Pairs = NDArray[np.int64]  # pairs of numbers, each as one number


def index_recall(trial: Trial) -> Iterator[Table]:
    """What an index finds: the candidates of its bands and its matches, compared with all pairs.

    Truth is counted exactly: the Jaccard similarity of the sets of character 5-grams of folded
    texts without white space. Each text is a query of an index of all; pairs with itself are left
    out.
    """
    say("made sets")
    banding = sketch_banding(LEAST)
    title = f"Bands of sketches: {banding.bands} of {banding.rows} bytes"
    yield tabulate(title, _sets(trial.pick(200, 4000)))
    note = f"matches below: of pairs under {LEAST}"
    rows = (_real(name, trial) for name in real.NAMES)
    yield tabulate("Recall of an index of real texts", rows, note)


def _sets(pairs: int) -> Iterator[Row]:
    """Measure sets whose similarity is exactly known."""
    chance, banding = np.random.default_rng(8), sketch_banding(LEAST)
    for similarity in MADE:
        candidates = matched = 0
        common = round(ELEMENTS * similarity)
        own = (ELEMENTS - common) // 2
        for _ in range(pairs):
            every = chance.integers(0, 1 << 64, common + 2 * own, dtype=np.uint64)
            a, b = bbit_sketch(every[: common + own]), bbit_sketch(every[own:])
            agree = any(len(i) for i, _ in AskedBands(a[None], banding).join(b[None]))
            candidates += agree
            matched += agree and bool(bbit_estimate(a, b) >= LEAST)
        exact = common / (common + 2 * own)
        yield {
            "similarity": exact, "pairs": pairs, "candidates": candidates / pairs,
            "on paper": proposed(BBIT, 1 - exact, banding),
            f"estimate at least {LEAST}": matched / pairs,
        }  # fmt: skip


def _real(name: str, trial: Trial) -> Row:
    """Measure a real collection."""
    say(name)
    texts = list(real.texts(name, trial.pick(300, None)).values())
    named = list(real.numbered(texts))
    with Index.build(str(trial.folder / f"{name}.index"), named) as built:
        opened = built._opened
        near = _candidates(opened, Criteria(method="simhash"))
        # Without verification all that agrees in a band is a candidate.
        bands = _candidates(opened, Criteria(method="minhash", similarity=LEAST, verify=False))
        matches = [
            (int(answer.document), int(match.document))
            for answer in built.query(named)
            for match in answer.matches
            if answer.document != match.document
        ]
    both = np.union1d(near, bands)
    matched = np.unique(_pairs(*np.array(matches, np.int64).reshape(-1, 2).T))
    pairs = similar(texts)
    true = _pairs(pairs["a"], pairs["b"])
    sure = true[pairs["similarity"] >= SURE]

    def share(wanted: Pairs, found: Pairs) -> float | None:
        return float(np.isin(wanted, found).mean()) if len(wanted) else None

    return {
        "texts": name, "documents": len(texts), f"true pairs, {LEAST}": len(true),
        "candidates, simhash": share(true, near), "bands": share(true, bands),
        "both": share(true, both), "matches": share(true, matched),
        f"true pairs, {SURE}": len(sure), "candidates": share(sure, both),
        "matches, sure": share(sure, matched),
        "matches below": len(np.setdiff1d(matched, true)), "all matches": len(matched),
    }  # fmt: skip


def _pairs(i: Pairs, j: Pairs) -> Pairs:
    return np.minimum(i, j) << 32 | np.maximum(i, j)


def _candidates(opened: Opened, criteria: Criteria) -> Pairs:
    """Return all candidates among the documents of an index, whose names are their numbers."""
    options = QueryOptions(criteria)
    index = IndexRows(opened.segments, options.setup(64), criteria)
    with opened.file.reading():
        documents = Documents.concat([one.documents() for one in opened.segments])
    numbers = np.array([int(name) for name in documents["name"]])
    parts = list[Pairs]()
    for first in range(0, len(documents), 1000):
        pairs = index.find(documents.take(np.arange(first, min(first + 1000, len(documents)))))
        assert pairs is not None
        i, j = numbers[pairs[0] + first], numbers[pairs[1]]
        parts.append(_pairs(i, j)[i != j])
    return np.unique(np.concatenate(parts))
