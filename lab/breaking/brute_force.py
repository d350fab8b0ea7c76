"""Made corpora, scanned by all methods and settings, compared with all pairs one by one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import simdup
from lab.breaking.brute_cases import Outcome
from lab.breaking.brute_corpora import Case, make
from lab.breaking.brute_index import ComparedIndex
from lab.breaking.brute_scans import ComparedScan
from lab.reporting import Cell, Table
from lab.trial import Trial, say

SMALL, FULL = 30, 2000
PROCESSES = 2
# What `docs/methods.md` and the page on the index promise.
PROMISED = {
    "auto, jaccard": 0.998, "minhash, jaccard": 0.998, "pstable, cosine": 0.998,
    "auto, edit, -s from 0.8": 0.99, "minhash, edit, -s from 0.8": 0.99, "index": 0.99,
}  # fmt: skip


def run(trial: Trial) -> Iterator[Table]:
    """Compare made corpora with all pairs."""
    seeds = range(trial.pick(SMALL, FULL))
    total = Outcome(make(0))
    by_method: dict[str, Counter[str]] = {}
    started = time.monotonic()
    with ProcessPoolExecutor(PROCESSES) as pool:
        for number, one in enumerate(pool.map(compare, seeds, chunksize=4), 1):
            for what in one.wrong:
                trial.fail(f"seed {one.case.seed}: {what}")
            for name in ("counts", "uncertain", "missed"):
                getattr(total, name).update(getattr(one, name))
            row = by_method.setdefault(one.case.criteria["method"], Counter())
            row.update(one.counts)
            row["failed"] += bool(one.wrong)
            if number % 100 == 0:
                say(f"{number} corpora, {time.monotonic() - started:.0f} s")
    names = ("corpora", "documents", "pairs compared", "near-duplicates", "clusters", "failed")
    rows: list[tuple[Cell, ...]] = [
        (method, *(row[name] for name in names)) for method, row in sorted(by_method.items())
    ]
    yield Table("Made corpora compared with all pairs", ("method", *names), rows)
    kinds = sorted(name for name in total.counts if name.startswith("with "))
    yield Table("What they had", ("corpora", "number"), [(k, total.counts[k]) for k in kinds])
    yield _recall(trial, total)


def _recall(trial: Trial, total: Outcome) -> Table:
    """Return the recall of pairs that are found with a probability; too little is a failure."""
    rows: list[tuple[Cell, ...]] = []
    for name, count in sorted(total.uncertain.items()):
        recall, promised = 1 - total.missed[name] / count, PROMISED.get(name)
        rows.append((name, count, total.missed[name], recall, promised or "nothing"))
        if promised and recall < promised and trial.size == "full":
            trial.fail(f"recall of {name}: {recall:.4f}, not {promised}")
    return Table(
        "Recall", ("found with a probability", "pairs", "missed", "recall", "promised"), rows
    )


def compare(seed: int) -> Outcome:
    """Compare the corpus of a seed."""
    return judge(make(seed))


def judge(case: Case) -> Outcome:
    """Compare a corpus with all pairs."""
    outcome = Outcome(case)
    kind = ComparedIndex if case.indexed else ComparedScan
    with TemporaryDirectory(prefix="brute-") as folder:
        try:
            kind(case, Path(folder), outcome).compare()
        except simdup.SimdupError as error:
            outcome.wrong.append(f"error: {error}")
    return outcome
