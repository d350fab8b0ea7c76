"""Parallels: how well containment separates texts that share a phrase from others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from typing import Unpack

import numpy as np

from lab.corpora.parallels import CHANGES, Parallel, letters
from lab.corpora.parallels import parallels as make_parallels
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial, say
from simdup import compare
from simdup.model.criteria import CriteriaFields

SEEDS = (73, 74, 75)

Score = Callable[[str, str], float]

# Letters of the shorter text, and how many times as long the longer one is.
_LENGTHS = {"8 to 19": (8, 20), "20 to 49": (20, 50), "50 to 119": (50, 120)}
_UNEQUAL = 4


def parallels(trial: Trial) -> Iterator[Table]:
    """Parallels: short texts that share a phrase, beside others that share its characters.

    AUC: how often a true pair has a higher score than another one; equal scores count half.
    """
    made = [make_parallels(trial.pick(20, 300), seed) for seed in SEEDS]
    scores = {}
    for name, score in SCORES.items():
        say(f"parallels: {name}")
        scores[name] = [[score(*one.texts) for one in pairs] for pairs in made]
    note = "floors: containment of sets of letters, without simdup"
    yield tabulate("Pairs that share a phrase", _by_seed(made, scores), note)
    note = "of all seeds together; by the letters of the shorter text; unequal: one text at least "
    note += f"{_UNEQUAL} times as long"
    yield tabulate("By length", _by_class(made, scores, _lengths), note)
    note = "true pairs and scrambled ones of the same change"
    yield tabulate("By what happened to the phrase", _by_class(made, scores, _changes), note)


# -- scores --


def _compared(**fields: Unpack[CriteriaFields]) -> Score:
    """Return what gives the containment that simdup measures, whatever the least one is."""

    def score(a: str, b: str) -> float:
        found = compare(a, b, containment=0.01, **fields)
        return found.measures.containment or 0.0

    return score


def _floor(n: int) -> Score:
    def grams(text: str) -> set[str]:
        bare = letters(text)
        return {bare[i : i + n] for i in range(len(bare) - n + 1)}

    def score(a: str, b: str) -> float:
        one, other = grams(a), grams(b)
        return len(one & other) / max(1, min(len(one), len(other)))

    return score


SCORES = {
    "default": _compared(),
    **{f"--shingle {n}": _compared(shingle=n) for n in (2, 3, 5)},
    "floor: characters": _floor(1), "floor: bigrams": _floor(2), "floor: trigrams": _floor(3),
}  # fmt: skip


def auc(true: Sequence[float], others: Sequence[float]) -> float:
    """Return how often a true pair has the higher score; equal ones count half."""
    difference = np.subtract.outer(np.array(true), np.array(others))
    return float(((difference > 0) + 0.5 * (difference == 0)).mean())


# -- tables --

Scores = dict[str, list[list[float]]]


def _auc_of(pairs: Sequence[Parallel], scores: Sequence[float], chosen: Sequence[bool]) -> float:
    parts: dict[bool, list[float]] = {True: [], False: []}
    for one, score, is_chosen in zip(pairs, scores, chosen, strict=True):
        if is_chosen:
            parts[one.true].append(score)
    return auc(parts[True], parts[False])


def _by_seed(made: Sequence[Sequence[Parallel]], scores: Scores) -> Iterator[Row]:
    for name, by_seed in scores.items():
        figures = [
            _auc_of(pairs, some, [True] * len(pairs))
            for pairs, some in zip(made, by_seed, strict=True)
        ]
        seeds = {f"seed {seed}": one for seed, one in zip(SEEDS, figures, strict=True)}
        yield {"measured by": name, "pairs": sum(map(len, made)), "AUC": mean(figures), **seeds}


def _by_class(
    made: Sequence[Sequence[Parallel]], scores: Scores, classes: Callable[[Parallel], set[str]]
) -> Iterator[Row]:
    pairs = [one for some in made for one in some]
    of_pairs = [classes(one) for one in pairs]
    names = [name for name in (*_LENGTHS, "unequal", *CHANGES) if any(name in o for o in of_pairs)]
    for name, by_seed in scores.items():
        every = [score for some in by_seed for score in some]
        figures = {one: _auc_of(pairs, every, [one in o for o in of_pairs]) for one in names}
        yield {"measured by": name, **figures}


def _lengths(pair: Parallel) -> set[str]:
    short, long = sorted(len(letters(text)) for text in pair.texts)
    found = {name for name, (least, end) in _LENGTHS.items() if least <= short < end}
    return found | ({"unequal"} if long >= _UNEQUAL * short else set())


def _changes(pair: Parallel) -> set[str]:
    return {pair.change}
