"""How many of the known near-duplicates a scan finds, and how many of its pairs are such.

    python -m benchmarks.accuracy                   all collections
    python -m benchmarks.accuracy --only poems      some

Truth: for `laws` and `vsdocs` all pairs whose texts have a Jaccard coefficient of at least 0.8
over sets of character 5-grams, unfolded; for `poems` its label (the same poem, in whatever edition
or script), and apart from that the labelled pairs with a coefficient of at least 0.8 when folded.
What the first two call no pair may still be one after folding.

Of identical texts a scan pairs each with the first only.  *Closed* recall counts what follows from
that: if two texts are a pair, so are all that are identical to them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks import corpora
from benchmarks.measuring import SIMDUP, aligned, run, say

NAMES = ("laws", "vsdocs", "poems")
LEAST = 0.8
HASHES = ("blake2b", "md5", "sha1", "sha256")
VARIANTS: dict[str, list[str]] = {
    "default": [],
    "plain": ["--recipe", "plain"],
    "default, not verified": ["--no-verify"],
    "plain, not verified": ["--recipe", "plain", "--no-verify"],
}
DISTANCES = (3, 6)
HEADS: tuple[str, ...] = (
    "texts",
    "truth",
    "recipe",
    "distance",
    "pairs",
    "precision",
    "recall",
    "closed recall",
)

PairSet = set[tuple[int, int]]


class Collection(NamedTuple):
    """A real collection as files, and which pairs of its documents are near-duplicates.

    Attributes
    ----------
    folder : Path
        A file a document, its name the document's number.
    solid : list of str
        The texts as they are verified: folded, without white space.
    truths : dict of (str, set of (int, int))
        What is taken for true, and its pairs, the smaller number first.
    """

    folder: Path
    solid: list[str]
    truths: dict[str, PairSet]


class Found(NamedTuple):
    """The pairs of a scan: which, and those of them that are identical texts."""

    pairs: PairSet
    identical: PairSet


class Scores(NamedTuple):
    """How the found pairs compare with the true ones, each 0 to 1."""

    precision: float
    recall: float
    closed: float


def collection(name: str, folder: Path) -> Collection:
    """Write a collection as files and read its truth."""
    from simdup.features.folding import fold
    from simdup.verify.resemblance import resemblance, shingles

    named = corpora.texts(name)
    number = {identity: i for i, (identity, _) in enumerate(named)}
    corpora.write((text for _, text in named), folder)
    solid = ["".join(fold(text).split()) for _, text in named]
    pairs = [(*_ordered(number[a], number[b]), last) for a, b, last in corpora.true_pairs(name)]
    if name != "poems":
        truths = {f"Jaccard {LEAST}": {(a, b) for a, b, last in pairs if float(last) >= LEAST}}
        return Collection(folder, solid, truths)
    sets = cache(lambda i: shingles(solid[i]))
    labelled = {(a, b) for a, b, _ in pairs}
    alike = {(a, b) for a, b in labelled if resemblance(sets(a), sets(b)) >= LEAST}
    return Collection(folder, solid, {"label": labelled, f"label, Jaccard {LEAST} folded": alike})


def scan(texts: Collection, options: Sequence[str]) -> Found:
    """Scan a collection with the command."""
    ran = run([*SIMDUP, "scan", "-q", "-f", "jsonl", *options, str(texts.folder)])
    lines = [json.loads(line) for line in ran.output.splitlines()]
    pairs = {
        (corpora.number_of(pair["a"]), corpora.number_of(pair["b"]))
        for line in lines
        if line["type"] == "cluster"
        for pair in line["pairs"]
    }
    identical = {(a, b) for a, b in pairs if texts.solid[a] == texts.solid[b]}
    return Found(pairs, identical)


def scores(found: Found, true: PairSet) -> Scores:
    """Compare found pairs with true ones."""
    right = len(found.pairs & true)
    first = {b: a for a, b in sorted(found.identical, reverse=True)}
    classes = {_ends(a, b, first) for a, b in found.pairs}
    closed = sum(_ends(a, b, first) in classes or _same(a, b, first) for a, b in true)
    return Scores(
        right / len(found.pairs) if found.pairs else float("nan"),
        right / len(true),
        closed / len(true),
    )


def _ends(a: int, b: int, first: dict[int, int]) -> tuple[int, int]:
    return _ordered(first.get(a, a), first.get(b, b))


def _ordered(a: int, b: int) -> tuple[int, int]:
    return min(a, b), max(a, b)


def _same(a: int, b: int, first: dict[int, int]) -> bool:
    return first.get(a, a) == first.get(b, b)


def _row(heads: Iterable[str], pairs: float, scored: Iterable[float]) -> tuple[str, ...]:
    return (*heads, f"{pairs:,.0f}", *(f"{score:.3f}" for score in scored))


def measure(name: str, folder: Path) -> list[tuple[str, ...]]:
    """Return the rows of a collection: each variant at each distance, then the mean of hashes."""
    texts = collection(name, folder)
    rows = []
    for truth, true in texts.truths.items():
        say(f"{name}: {len(true)} true pairs by {truth}")
    for distance in DISTANCES:
        for variant, options in VARIANTS.items():
            found = scan(texts, ["-d", str(distance), *options])
            for truth, true in texts.truths.items():
                heads = (name, truth, variant, str(distance))
                rows.append(_row(heads, len(found.pairs), scores(found, true)))
        by_hash = [scan(texts, ["-d", str(distance), "--hash", hash_]) for hash_ in HASHES]
        pairs = statistics.mean(len(found.pairs) for found in by_hash)
        for truth, true in texts.truths.items():
            scored = [scores(found, true) for found in by_hash]
            recalls = [score.recall for score in scored]
            variant = f"default, mean of {len(HASHES)} hashes"
            variant += f" (recall {min(recalls):.3f} to {max(recalls):.3f})"
            means = map(statistics.mean, zip(*scored, strict=True))
            rows.append(_row((name, truth, variant, str(distance)), pairs, means))
    return rows


def main() -> None:
    """Measure what is asked for and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    given = parser.parse_args()
    corpora.data_folder()
    rows = [HEADS]
    with tempfile.TemporaryDirectory(prefix="simdup-accuracy-") as folder:
        for name in given.only:
            rows += measure(name, Path(folder, name))
    print(aligned(rows))


if __name__ == "__main__":
    main()
