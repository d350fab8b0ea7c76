"""Made results whose precision is known, and judges who know it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from simdup.corpus.decision_files import Judgement, Judgements
from simdup.corpus.found_pairs import FoundPair, Population
from simdup.near.audit_sample import Sample

# Similarities of the pairs of a result, by band, with 0.8 as the threshold.
_SPANS = ((0.8, 0.85), (0.85, 0.9), (0.9, 0.9999), (1.0, 1.0))


class Made(NamedTuple):
    """A made result, and which of its pairs are right."""

    population: Population
    right: dict[tuple[str, str], bool]

    @property
    def precision(self) -> float:
        """The share of its pairs that are right."""
        return sum(self.right.values()) / len(self.right)


def make(sizes: Sequence[int], rates: Sequence[int], precision: float) -> Made:
    """Return a result with bands of these sizes, of about this precision."""
    chance = random.Random(sum(sizes))
    usual = (1 - precision) * sum(sizes) / sum(a * b for a, b in zip(sizes, rates, strict=True))
    pairs: list[FoundPair] = []
    right: dict[tuple[str, str], bool] = {}
    for (low, high), size, rate in zip(_SPANS, sizes, rates, strict=True):
        wrong = set(chance.sample(range(size), round(size * min(rate * usual, 1))))
        for i in range(size):
            number = len(pairs)
            similarity = int(chance.uniform(low, high) * 1e4) / 1e4
            pairs.append(FoundPair(f"a{number}", f"b{number}", similarity))
            right[pairs[-1].key] = i not in wrong
    return Made(Population.of(pairs, removal=True), right)


def judge(made: Made, drawn: Sample) -> Judgements:
    """Return judgements of a sample by somebody who knows."""
    return Judgements(
        tuple(
            Judgement(
                "duplicates" if made.right[pair.key] else "distinct",
                (pair.stays, pair.goes), drawn.seed, len(drawn.pairs),
            )
            for pair in drawn.pairs
        )
    )  # fmt: skip
