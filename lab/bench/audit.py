"""Audits: made results are judged by somebody who knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.corpora.audits import judge, make
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial
from simdup.model.decisions import SAMPLE
from simdup.near.audit_sample import Precision, draw, estimate

# How often a pair is wrong, by band, compared with the others.
_ALIKE, _FALLING = (1, 1, 1, 1), (9, 3, 1, 0)
_TRUTHS = (0.8, 0.95, 0.99)


def audit(trial: Trial) -> Iterator[Table]:
    """Audits of made results: how often the interval holds the precision that is known."""
    runs = trial.pick(20, 1000)
    note = (
        "inside: audits, each with another seed, whose interval holds the precision; width: mean; "
        "copies: share of pairs with similarity 1; falling: mistakes are 9 to 3 to 1 by band, and "
        "none with similarity 1"
    )
    yield tabulate(f"Audits of {SAMPLE} pairs", _usual(runs), note)
    yield tabulate("Other samples", _others(runs), note)


def _usual(runs: int) -> Iterator[Row]:
    for name, sizes in _SHAPES.items():
        for rates in (_ALIKE, _FALLING):
            for precision in _TRUTHS:
                yield {"result": name, **_row(sizes, rates, precision, SAMPLE, runs)}


# The pairs of a result by band: most near the threshold, in each as many, and most of them copies.
_SHAPES = {
    "few copies": (1200, 500, 200, 100),
    "even": (500, 500, 500, 500),
    "many copies": (200, 200, 400, 1200),
}


def _others(runs: int) -> Iterator[Row]:
    """Yield audits of small results, of samples of other sizes, and of whole results."""
    for sizes, sample in (
        ((30, 20, 20, 30), 50),
        ((60, 40, 60, 140), SAMPLE),
        ((200, 200, 400, 1200), 50),
        ((200, 200, 400, 1200), 1000),
        ((30, 20, 20, 30), 100),
    ):
        for precision in _TRUTHS:
            name = f"{sum(sizes):,} pairs"
            yield {"result": name, **_row(sizes, _ALIKE, precision, sample, runs)}


def _row(
    sizes: Sequence[int], rates: Sequence[int], precision: float, sample: int, runs: int
) -> Row:
    """Audit a made result many times."""
    made = make(sizes, rates, precision)
    inside = width = 0.0
    known: dict[tuple[tuple[bool, int], ...], Precision] = {}
    for seed in range(runs):
        drawn = draw(made.population, sample, seed)
        # Many audits count the same.
        seen = tuple(
            sorted((made.right[p.key], b) for p, b in zip(drawn.pairs, drawn.places, strict=True))
        )
        if seen not in known:
            known[seen] = estimate(drawn, judge(made, drawn))
        low, high = known[seen].interval or (0.0, 1.0)
        inside += low - 1e-12 <= made.precision <= high + 1e-12
        width += high - low
    return {
        "mistakes": "alike" if rates is _ALIKE else "falling",
        "precision": round(made.precision, 4),
        "sample": sample,
        "inside": round(inside / runs, 3),
        "width": round(width / runs, 4),
    }
