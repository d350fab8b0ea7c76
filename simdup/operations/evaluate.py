"""Evaluate how well found near-duplicates agree with known ones."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Sequence
from itertools import compress
from typing import TypeAlias

from simdup.base.errors import SimdupError
from simdup.evaluation.labels import read_labels, with_names_of
from simdup.evaluation.metrics import Evaluation, LabelledPairs, from_pairs, measure
from simdup.model.clusters import Pair
from simdup.show.result import Result

Labels: TypeAlias = str | os.PathLike[str] | Result | Iterable[tuple[Hashable, Hashable]]

_KINDS = "a path, a Result or pairs of ids"


def evaluate(found: Labels, truth: Labels, least_score: float | None = None) -> Evaluation:
    """Measure how well found near-duplicates agree with known ones.

    Parameters
    ----------
    found, truth : path, Result, or iterable of (id, id)
        A file with pairs or clusters (see `simdup evaluate --help`; one of the two may be ``-``
        for standard input), what `scan` returned, or pairs of documents.  Ids are compared as
        strings.
    least_score : float, optional
        Count only the pairs of a file `truth` that are scored this or more.

    Returns
    -------
    Evaluation
        ``precision``, ``recall`` and ``f1`` of pairs, ``adjusted_rand``, B-cubed measures, and
        what they were computed from.  Documents that neither side names are not counted.

    Raises
    ------
    SimdupError
        If a file cannot be read or has another format, or both sides have no document in common.
    TypeError
        If an argument is of another type.

    Examples
    --------
    >>> found = evaluate([("a", "b"), ("c", "d")], [("a", "b"), ("b", "e")])
    >>> found.precision, found.recall
    (0.5, 0.5)
    """
    if least_score is not None and not isinstance(truth, str | os.PathLike):
        raise SimdupError("least_score", "only files have scores", field="least_score")
    ours = _labels("found", found)
    theirs = with_names_of(ours, _labels("truth", truth, least_score))
    if ours.names and theirs.names and ours.names.isdisjoint(theirs.names):
        where = os.fspath(truth) if isinstance(truth, str | os.PathLike) else "truth"
        what, hint = "names no document of FOUND", "write names the same way on both sides"
        raise SimdupError(where, what, hint)
    return measure(ours, theirs)


def _labels(argument: str, given: Labels, least_score: float | None = None) -> LabelledPairs:
    """Return the pairs that an argument names."""
    if isinstance(given, str | os.PathLike):
        return read_labels(os.fspath(given), least_score)
    if isinstance(given, Result):
        named = [(str(pair.a), str(pair.b)) for pair in given.pairs]
        return from_pairs(named, compress(named, map(_copies, given.pairs)))
    if not isinstance(given, Iterable):
        raise TypeError(f"{argument}: expected {_KINDS}, got {type(given).__name__}")
    pairs = list(given)
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise TypeError(f"{argument}: expected {_KINDS}, got {pair!r} in it")
    return from_pairs((str(a), str(b)) for a, b in pairs)


def _copies(pair: Pair) -> bool:
    """Return whether a pair is two copies: a result lists them with the first of them only."""
    return pair.distance == 0 if pair.similarity is None else pair.similarity == 1
