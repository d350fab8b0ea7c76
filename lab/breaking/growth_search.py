"""Growth of what is done with many texts: searches, clusters, passages, reports."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.breaking.probes import Probe, Work, calling, letters
from lab.corpora.made import HAN, prose
from simdup import all_pairs, dedupe, evaluate, passages, scan

Texts = list[str]


def _chain(n: int) -> Texts:
    """Return texts of which each resembles the next, and the first not the last."""
    chance = random.Random(0)
    words = [chance.choice(HAN) + str(i % 10) for i in range(n + 100)]
    return [" ".join(words[i : i + 100]) for i in range(n)]


def _windows(n: int) -> Texts:
    """Return the overlapping windows of one long text."""
    text = "".join(prose(i, 100) for i in range(n // 20 + 8))
    return [text[10 * i : 10 * i + 500] for i in range(n)]


SHAPES: dict[str, Callable[[int], Texts]] = {
    "other texts": lambda n: [prose(i, 40) for i in range(n)],
    "equal texts": lambda n: [prose(1, 40)] * n,
    "a chain": _chain,
    "one template": lambda n: [f"{prose(1, 60)} {prose(i + 2, 4)}" for i in range(n)],
    "two letters": lambda n: [letters(200, seed=i) for i in range(n)],
    "one letter": lambda n: ["a" * (i % 50 + 50) for i in range(n)],
    "short texts": lambda n: [f"{prose(i % 50, 3)} {i}" for i in range(n)],
    "equal short texts": lambda n: ["今天下午三点开会"] * n,
    "one half the same": lambda n: [prose(1, 20) + prose(i + 2, 20) for i in range(n)],
    "windows of a text": _windows,
}


def _of_texts(
    name: str, work: Callable[..., object], size: int, shapes: str = "", **how: Any
) -> list[Probe]:
    """Return probes of a function of texts, one for each shape, or for those that are named."""
    return [
        calling(name, shape, size, lambda texts: work(list(enumerate(texts)), jobs=1, **how), make)
        for shape, make in SHAPES.items()
        if not shapes or shape in shapes
    ]


def _page(shape: str) -> Callable[[int, Path], Work]:
    def make(n: int, folder: Path) -> Work:
        below = folder / str(n)
        below.mkdir(exist_ok=True)
        for i, text in enumerate(SHAPES[shape](n)):
            (below / f"{i}.txt").write_text(text, "utf-8")
        result = scan(str(below), jobs=1)
        return lambda: result.to_html(str(below / "page.html"))

    return make


def _write(below: Path, n: int, copies: int) -> str:
    """Write a folder of n tiny files, so many with the same text."""
    below.mkdir(exist_ok=True)
    for i in range(n):
        (below / f"{i}.txt").write_text(f"{prose(i // copies, 2)} {i // copies}", "utf-8")
    return str(below)


def _scanned(n: int, folder: Path) -> Work:
    path = _write(folder / str(n), n, 2)
    return lambda: scan(path, jobs=1)


def _cleaned(copies: int) -> Callable[[int, Path], Work]:
    def make(n: int, folder: Path) -> Work:
        path = _write(folder / str(n), n, copies)
        return lambda: dedupe(path, output=mkdtemp(dir=folder), jobs=1)

    return make


def _clusters(proposed: int, true: int) -> Callable[[int, Path], Work]:
    """Return a maker of two tables that part documents into so many clusters."""

    def make(n: int, folder: Path) -> Work:
        tables = [folder / f"{n}-{side}.csv" for side in ("found", "true")]
        for table, count in zip(tables, (proposed, true), strict=True):
            rows = "".join(f"{i % count},{i}\n" for i in range(n))
            table.write_text("cluster,document\n" + rows, "utf-8")
        return lambda: evaluate(*tables)

    return make


def _star(n: int) -> list[tuple[int, int]]:
    return [(0, i) for i in range(n)]


def _shared_halves(n: int) -> Texts:
    """Return texts of 25 templates that make n pairs; each template is in 4 % of the texts."""
    count = math.isqrt(50 * n)
    return [prose(i % 25, 20) + prose(i + 100, 20) for i in range(count)]


def _random(bits: int) -> Callable[[int], NDArray[np.uint64]]:
    return lambda n: np.random.default_rng(0).integers(0, 2**bits, n, np.uint64, endpoint=False)


def _equal(n: int) -> NDArray[np.uint64]:
    return np.full(n, 7, np.uint64)


FINGERPRINTS: dict[str, Callable[[int], NDArray[np.uint64]]] = {
    "at random": lambda n: np.random.default_rng(0).integers(0, 2**63, n, np.uint64),
    "equal": _equal,
}
FEW = "a chain, one template, equal texts, windows of a text"
# Of texts that share one half, `scan` checks more pairs a text, up to 512 in a family.
NOT_HALVES = ", ".join(shape for shape in SHAPES if shape != "one half the same")

SEARCHES: list[Probe] = [
    *(
        calling(
            f"fingerprints within {distance}", shape, 100_000,
            partial(all_pairs, distance=distance, copies="first"), make,
        )
        for distance in (3, 6)
        for shape, make in FINGERPRINTS.items()
    ),
    calling(
        "fingerprints within 3", "a quarter of the bits equal", 50_000,
        partial(all_pairs, copies="first"), _random(48),
    ),
    # With fewer texts, all pairs of them are verified.
    *_of_texts("scan", scan, 2000, NOT_HALVES),
    *_of_texts("scan --method simhash", scan, 500, method="simhash"),
    *_of_texts("scan --containment", scan, 1000, containment=0.5),
    *_of_texts("scan --linkage star", scan, 1000, FEW, linkage="star"),
    *_of_texts("scan --method pstable", scan, 500, "a chain, one template, two letters",
               method="pstable", cosine=0.8),
    *_of_texts("passages", passages, 1000),
    # What is found grows with the square of the texts here, so the pairs count.
    calling("passages", "25 templates, by pairs", 5000,
            lambda texts: passages(enumerate(texts), jobs=1), _shared_halves),
    *_of_texts("dedupe", dedupe, 1000, FEW),
    # So many that what is done again for each file takes longer than reading it.
    Probe("dedupe into a folder", "tiny files, most of them copies", 1000, _cleaned(20)),
    Probe("dedupe into a folder", "tiny files, half of them copies", 500, _cleaned(2)),
    Probe("scan of a folder", "tiny files", 500, _scanned),
    Probe("evaluate", "one cluster and two", 2000, _clusters(1, 2)),
    Probe("evaluate", "clusters that cross", 2000, _clusters(99, 100)),
    calling("evaluate", "a star", 2000, lambda pairs: evaluate(pairs, pairs[::-2]), _star),
    *(Probe("report page", shape, 500, _page(shape)) for shape in SHAPES if shape in FEW),
]  # fmt: skip
