"""Verification: pairs a second by Jaccard similarity, containment and cosine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from lab.corpora import real
from lab.measuring import clock, in_turn, ratio
from lab.reporting import Cell, Table
from lab.trial import Trial

COLUMNS = (
    "characters", "measures", "pairs/s, shingles cached", "ratio", "pairs/s, shingles made",
    "ratio, made", "pairs/s of Python sets",
)  # fmt: skip


def run(trial: Trial) -> Iterator[Table]:
    """Verify edited pairs of texts of 2 kB and of 2,000 characters, in memory."""
    rows = [row for length in (667, 2000) for row in _rows(length, trial)]
    note = "ratio: to the intersection and union of Python sets made before"
    yield Table("Verification", COLUMNS, rows, note)


def _rows(length: int, trial: Trial) -> Iterator[tuple[Cell, ...]]:
    from simdup.features.counts import CsrRows
    from simdup.features.shingles import Shingler
    from simdup.model.criteria import Criteria
    from simdup.verify.cosine import Vector, vector
    from simdup.verify.verifier import Verifier

    pairs = trial.pick(100, 2000)
    texts = real.edited_pairs(pairs, length)
    first = range(0, 2 * pairs, 2)
    sets = [{text[i : i + 5] for i in range(len(text) - 4)} for text in texts]
    # Two characters are a term here: the cost of the cosine depends only on the number of terms.
    counts = [Counter(text[i : i + 2] for i in range(0, len(text) - 1, 2)) for text in texts]
    column = {term: i for i, term in enumerate(sorted(set().union(*counts)))}
    weighted = [
        CsrRows(
            np.array([0, len(one)], np.int64),
            np.array([column[term] for term in one], np.int32),
            np.array([*one.values()], np.float64),
        )
        for one in counts
    ]

    def vector_of(document: int) -> Vector:
        return vector(weighted[document])

    def plain() -> None:
        for i in first:
            _ = len(sets[i] & sets[i + 1]) / len(sets[i] | sets[i + 1])

    asked = {
        "similarity": Criteria(),
        "similarity, containment": Criteria(containment=0.9),
        "similarity, cosine": Criteria(cosine=0.9),
        "similarity, containment, cosine": Criteria(containment=0.9, cosine=0.9),
    }
    for measures, criteria in asked.items():
        shingler = Shingler(criteria.shingle)

        def both(
            criteria: Criteria = criteria, shingler: Shingler = shingler
        ) -> tuple[float, float]:
            # A new verifier reads each document for the first time, and then again.
            made = Verifier(
                lambda i: shingler.shingles(texts[i]), vector_of, criteria, cache_bytes=1 << 30
            )
            taken = [clock(lambda: [made.measure(i, i + 1) for i in first]) for _ in range(2)]
            return taken[0], taken[1]

        ours, theirs = in_turn(trial.rounds, both, lambda: (clock(plain), 0.0))
        made, cached = zip(*ours, strict=True)
        floor = [seconds for seconds, _ in theirs]
        rates = [pairs / sorted(taken)[len(taken) // 2] for taken in (cached, made, floor)]
        yield (
            length, measures, rates[0], ratio(floor, cached), rates[1], ratio(floor, made),
            rates[2],
        )  # fmt: skip
