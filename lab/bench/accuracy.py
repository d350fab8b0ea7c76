"""Accuracy: precision, recall and F1 of scans against the known pairs of real texts.

Truth: for `laws` and `vsdocs` all pairs with a Jaccard similarity of at least 0.8 over character
5-grams, unfolded; for `poems` the label (the same poem, in another edition or script). Folding
makes some texts more alike, so a second truth has all pairs at that similarity of texts that are
folded as a scan folds them; the benchmark counts them itself, exactly.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from lab import measuring
from lab.bench.labelled import LEAST, Collection, NamePair, collection, compact, scan, score
from lab.measuring import SIMDUP
from lab.reporting import Cell, Table
from lab.trial import Trial, say

COLUMNS = ("texts", "truth", "true pairs", "options", "found", "precision", "recall", "F1")
SIMHASH = "--method simhash"
VARIANTS = (
    "",  # auto
    "--no-short-texts",  # short texts are measured by Jaccard similarity too, as the truth is
    "--no-fold",
    SIMHASH,
    f"{SIMHASH} --no-fold",
    f"{SIMHASH} -d 6",
    f"{SIMHASH} --recipe plain",
    f"{SIMHASH} --no-verify",
    "--method minhash",
    "--method minhash --no-fold",
    f"{SIMHASH} --hash md5",
    f"{SIMHASH} --hash sha1",
    f"{SIMHASH} --hash sha256",
)


def run(trial: Trial) -> Iterator[Table]:
    """Compare the pairs of every variant with the truth."""
    for name in ("laws", "vsdocs", "poems"):
        texts = collection(name, trial.folder / name, trial.pick(300, None))
        labelled = name == "poems"
        known = set(texts.pairs) if labelled else texts.similar()
        truths = {
            "the same poem" if labelled else f"Jaccard {LEAST}": known,
            f"Jaccard {LEAST}, folded": _similar_folded(texts.texts),
        }
        variants = trial.pick(VARIANTS[:1], VARIANTS)
        if labelled and (advice := _advice(texts.folder)):
            variants = (*variants, f"{advice} (as tune advises)")
        rows = [row for variant in variants for row in _rows(texts, variant, truths, name)]
        yield Table(f"Accuracy: {name}", COLUMNS, rows)


def _rows(
    texts: Collection, variant: str, truths: dict[str, set[NamePair]], name: str
) -> Iterator[tuple[Cell, ...]]:
    say(f"{name} {variant}")
    found = scan(texts.folder, texts.texts, variant.partition(" (")[0].split()).pairs
    for truth, true in truths.items():
        yield name, truth, len(true), variant or "(default: auto)", len(found), *score(found, true)


def _similar_folded(texts: dict[str, str]) -> set[NamePair]:
    """Return all pairs of folded texts with a Jaccard similarity of at least 0.8."""
    from simdup.features.folding import fold
    from simdup.features.shingles import Shingler
    from simdup.model.shingling import Shingling
    from simdup.verify.join import similar_pairs

    shingler = Shingler(Shingling())
    names = list(texts)
    found = similar_pairs(
        [shingler.shingles(compact(fold(text))) for text in texts.values()], LEAST
    )
    return {(names[i], names[j]) for i, j in zip(found.i.tolist(), found.j.tolist(), strict=True)}


def _advice(folder: Path) -> str:
    """Return the options that `simdup tune` advises."""
    lines = measuring.run([*SIMDUP, "tune", "-q", "-f", "jsonl", str(folder)]).output.splitlines()
    return next(
        record["options"] for record in map(json.loads, lines) if record["type"] == "advice"
    )
