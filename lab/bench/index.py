"""The index: the cost of opening, querying and adding, compared with work in memory.

Fingerprints and sketches are random; names are paths of some 25 characters.
"""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from lab import measuring
from lab.measuring import SIMDUP, clock, in_turn, median, ratio
from lab.reporting import Cell, Table
from lab.trial import Trial, say
from simdup import Index, search
from simdup.index.columns import Columns, line_columns
from simdup.index.judging import Rule
from simdup.index.matching import QueryOptions, query
from simdup.index.session import Patience
from simdup.lsh.bbit import SIZE
from simdup.lsh.sketch_bands import AskedBands, Sketches, sketch_banding
from simdup.model.criteria import Criteria

MILLION = 10**6
COLUMNS = ("measure", "figure", "unit", "beside", "of", "ratio")

Row = tuple[Cell, ...]

# The cells of a row without a peer or floor.
_ALONE = (None, None, None)


def run(trial: Trial) -> Iterator[Table]:
    """Measure an index of a million fingerprints; `large` adds one of ten million."""
    folder = trial.folder
    text = folder / "text.txt"
    text.write_text("图书馆今天宣布将延长周末开放时间，方便学生备考复习，读者表示欢迎。", "utf-8")
    n = trial.pick(10**4, MILLION)
    path = str(folder / "first.index")
    _fill(path, n)
    rows = [*_opening(path, n, str(text)), _batch(path, n, n // 10)]
    say("add")
    rows += _adding(path, n, folder)
    if trial.size == "large":
        path = str(folder / "large.index")
        _fill(path, 10 * MILLION)
        rows += _opening(path, 10 * MILLION, str(text))
    yield Table("An index of fingerprints", COLUMNS, rows)
    say("sketches")
    yield Table("An index of documents with sketches", COLUMNS, _sketched(folder, n, str(text)))
    say("texts")
    yield Table("An index of texts", COLUMNS, _texts(folder, trial.pick(200, 4000)))


def _numbered(n: int, folder: str, seed: int) -> list[tuple[str, int]]:
    """Return names and random fingerprints."""
    values = np.random.default_rng(seed).integers(0, 1 << 64, n, dtype=np.uint64).tolist()
    return [(f"{folder}/{i // 1000:05d}/{i:08d}.txt", value) for i, value in enumerate(values)]


def _command(*arguments: str) -> float:
    """Return the median time of a command, start-up included."""
    return statistics.median(measuring.run([*SIMDUP, *arguments]).seconds for _ in range(5))


def _fill(path: str, n: int) -> None:
    """Build an index of n fingerprints, a million at a time."""
    with Index.build(path) as index:
        for first in range(0, n, MILLION):
            say(f"{path}: {first:,}")
            index.add(_numbered(min(MILLION, n - first), f"c{first}", first), fingerprints=True)


def _opening(path: str, n: int, text: str) -> list[Row]:
    """Return the times that users wait for, including start-up."""
    names = min(n, MILLION) * sum(
        len(name) for first in range(0, n, MILLION) for name, _ in _numbered(1, f"c{first}", 0)
    )
    return [
        (
            f"size beside names, {n:,}",
            (os.path.getsize(path) - names) / n,
            "bytes a document",
            *_ALONE,
        ),
        (f"index info, {n:,}", _command("index", "info", path), "s", *_ALONE),
        (f"query of one text, {n:,}", _command("query", "-q", path, text), "s", *_ALONE),
    ]


def _batch(path: str, n: int, many: int) -> Row:
    """Return the time of a batch of queries, including opening, compared with queries in memory."""
    base = np.array([value for _, value in _numbered(min(n, MILLION), "c0", 0)], np.uint64)
    random = np.random.default_rng(1)
    bits = np.uint64(1) << random.integers(0, 64, many).astype(np.uint64)
    asked = base[random.integers(0, len(base), many)] ^ bits
    named = [(f"q{i}", value) for i, value in enumerate(asked.tolist())]

    def kept() -> None:
        with Index.open(path) as index:
            assert all(answer.matches for answer in index.query(named, fingerprints=True))

    here, there = median(kept), median(lambda: search.query(search.build(base), asked))
    what = f"query of {many:,} fingerprints, {n:,}"
    return what, here, "s", there, "build and query in memory", here / there


def _adding(path: str, n: int, folder: Path) -> list[Row]:
    """Return the cost of adding, compared with adding the same to an empty index."""
    more = _numbered(n // 10, "more", 5)
    other = str(folder / "other.index")
    empty = str(folder / "empty.index")
    Index.build(empty).close()

    def added(to: str) -> float:
        shutil.copy(to, other)
        with Index.open(other) as index:
            return clock(lambda: index.add(more, fingerprints=True))

    large, small = (statistics.median(added(to) for _ in range(3)) for to in (path, empty))
    numbers = iter(range(1000))
    with Index.open(other) as index:
        one = median(lambda: index.add([(f"one more {next(numbers)}", 1)], fingerprints=True))
        again = median(lambda: index.add(more[:1], fingerprints=True))
    what = f"add of {len(more):,} fingerprints to {n:,}"
    return [
        (what, large, "s", small, "to an empty index", large / small),
        ("add of one", one, "s", again, "of one that is there", one / again),
    ]


def _sketched(folder: Path, n: int, text: str) -> list[Row]:
    """Return the times of queries by bands too, of an index of random sketches."""
    path = str(folder / "sketched.index")
    whole = _documents(n, "c0", np.random.default_rng(0))
    with Index.build(path) as index, index._session.editing(Patience(1, say)) as writer:
        writer().add(whole)
        writer().flush()
    one = ("query", "-q", path, text)
    start = _command("fingerprint", "-q", text)
    alone, both = _command(*one, "--method", "simhash"), _command(*one)
    chance = np.random.default_rng(1)
    asked = replace(
        _documents(n // 10, "q", chance), sketches=_near(whole.sketches, n // 10, chance)
    )
    options = QueryOptions(Rule(Criteria()))

    def kept() -> None:
        with Index.open(path) as index:
            found = [answer for some in query(index._session, asked, options) for answer in some]
            assert sum(bool(answer.matches) for answer in found) > 0.95 * len(asked)

    def in_memory() -> None:
        search.query(search.build(whole.values), asked.values)
        bands = AskedBands(asked.sketches, sketch_banding(0.8))
        for low in range(0, n, 1 << 14):
            for _ in bands.join(whole.sketches[low : low + (1 << 14)]):
                pass

    times = in_turn(3, lambda: clock(kept), lambda: clock(in_memory))
    here, there = map(statistics.median, times)
    by = "by fingerprint and band"
    return [
        (f"query of one text, {by}, {n:,}", both, "s", alone, "by fingerprint alone", both / alone),
        ("the same", both, "s", start, "fingerprint of the text", both / start),
        (
            f"query of {n // 10:,}, {by}",
            here,
            "s",
            there,
            "build and join in memory",
            ratio(*times),
        ),
    ]


def _documents(n: int, folder: str, chance: np.random.Generator) -> Columns:
    """Return documents with random fingerprints and sketches."""
    names = [f"{folder}/{i // 1000:05d}/{i:08d}.txt" for i in range(n)]
    values = chance.integers(0, 1 << 64, (n, 1), dtype=np.uint64)
    sketches = chance.integers(0, 256, (n, SIZE), dtype=np.uint8)
    lengths, terms = np.full(n, 900, np.uint32), np.full(n, 20, np.uint8)
    return replace(line_columns(names, values), lengths=lengths, terms=terms, sketches=sketches)


def _near(sketches: Sketches, many: int, chance: np.random.Generator) -> Sketches:
    """Return some of the sketches with a tenth of their bytes changed: similarity 0.9."""
    found = sketches[chance.integers(0, len(sketches), many)]
    changed = chance.random(found.shape) < 0.1
    found[changed] = chance.integers(0, 256, int(np.count_nonzero(changed)), dtype=np.uint8)
    return found


def _texts(folder: Path, many: int) -> list[Row]:
    """Return the cost of building, compared with fingerprints alone, and of unchanged texts."""
    random = np.random.default_rng(3)
    words = ["".join(map(chr, w)) for w in random.integers(0x4E00, 0x5E00, (5000, 2)).tolist()]
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as lines:
        for _ in range(many):
            text = "".join(words[i] for i in random.zipf(1.3, 1000) % 5000)
            lines.write(f'{{"text": "{text}"}}\n')
    source, path = str(folder / "texts.jsonl"), folder / "texts.index"
    prints = _command("fingerprint", "-q", "--idf", "builtin", "-o", os.devnull, source)

    def build() -> float:
        path.unlink(missing_ok=True)
        command = [*SIMDUP, "index", "build", "-q", "--idf", "builtin", str(path), source]
        return measuring.run(command).seconds

    built = statistics.median(build() for _ in range(3))
    again = _command("index", "add", "-q", str(path), source)
    size = Path(source).stat().st_size / 1e6
    return [
        (
            f"index build, {many:,} texts, {size:.1f} MB",
            built,
            "s",
            prints,
            "fingerprint",
            built / prints,
        ),
        ("index add of the same", again, "s", built, "index build", again / built),
    ]
