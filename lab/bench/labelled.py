"""Collections with known near-duplicates, and how the pairs of a scan compare with them.

Of identical texts a scan pairs each with the first only. Found pairs are therefore closed over
identical texts: if two texts are a pair, so are all that are identical to them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lab.corpora import real
from lab.measuring import SIMDUP, Ran, run

LEAST = 0.8  # the lowest similarity of near-duplicates
JOBS = "2"

# Names of files without the suffix, the smaller one first.
NamePair = tuple[str, str]


class Collection(NamedTuple):
    """A real collection as files.

    Attributes
    ----------
    folder : Path
        What to scan.
    texts : dict of (str, str)
        The texts by the names of their files.
    pairs : dict of (tuple of str, str)
        The known pairs, and the last column of each.
    """

    folder: Path
    texts: dict[str, str]
    pairs: dict[NamePair, str]

    def similar(self) -> set[NamePair]:
        """Return the known pairs with a Jaccard similarity of at least 0.8."""
        return {pair for pair, last in self.pairs.items() if float(last) >= LEAST}


class Scanned(NamedTuple):
    """What a scan found.

    Attributes
    ----------
    pairs : set of tuple of str
        Its pairs, closed over identical texts.
    candidates : float
        Candidates per document.
    ran : Ran
        Its times.
    """

    pairs: set[NamePair]
    candidates: float
    ran: Ran


class Scores(NamedTuple):
    """How found pairs compare with true ones."""

    precision: float
    recall: float
    f1: float


def ordered(a: str, b: str) -> NamePair:
    """Return a pair, the smaller name first."""
    return (a, b) if a < b else (b, a)


def compact(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


def collection(name: str, folder: Path, most: int | None = None) -> Collection:
    """Write a collection as files, all or its first documents, and read its known pairs."""
    named = real.texts(name)[:most]
    stems = {identity: f"{number:07d}" for number, (identity, _) in enumerate(named)}
    real.write((text for _, text in named), folder)
    pairs = {
        ordered(stems[a], stems[b]): last
        for a, b, last in real.true_pairs(name)
        if a in stems and b in stems
    }
    return Collection(folder, {stems[identity]: text for identity, text in named}, pairs)


def scan(folder: Path, texts: dict[str, str], options: Sequence[str]) -> Scanned:
    """Scan files with the command; list all pairs, even of large clusters."""
    from simdup.evaluation.metrics import from_pairs
    from simdup.features.folding import fold

    ran = run([*SIMDUP, "scan", "-q", "-f", "jsonl", "-j", JOBS, "--all-pairs", *options,
               str(folder)])  # fmt: skip
    lines = [json.loads(line) for line in ran.output.splitlines()]
    found = [
        (Path(pair["a"]).stem, Path(pair["b"]).stem)
        for line in lines
        if line["type"] == "cluster"
        for pair in line["pairs"]
    ]
    folded = str if "--no-fold" in options else fold
    copies = [(a, b) for a, b in found if compact(folded(texts[a])) == compact(folded(texts[b]))]
    each = lines[-1]["candidates"] / max(lines[-1]["documents"], 1)
    return Scanned(set(from_pairs(found, copies).pairs), each, ran)


def score(found: set[NamePair], true: set[NamePair]) -> Scores:
    """Compare found pairs with true ones."""
    both = len(found & true)
    return Scores(
        both / len(found) if found else 1.0,
        both / len(true) if true else 1.0,
        2 * both / (len(found) + len(true)) if found or true else 1.0,
    )
