"""Leaks: texts of which another one has a large enough share.

A passage reaches from its first equal run to its last one, over what differs in between.  So that
chance runs with gaps between them do not add up, a passage counts by its equal units: what it
covers of a text, and no earlier one of the pair does, times the share of it that is equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.reuse.finding import Finder, Passages, covered_anew, first_passages
from simdup.search.arrays import I64, ranges


class Leaks(NamedTuple):
    """Pairs of texts: a reference, and one that has enough of it."""

    texts: I64  # int64[leaks, 2]: the reference, and the other text
    shares: NDArray[np.float64]  # of the units of the reference
    firsts: I64  # int64[leaks + 1]: where the passages of each begin
    spans: I64  # int64[passages, 2]: symbols of the reference
    places: I64  # int64[passages, 2]: symbols of the other text


def find_leaks(found: Passages, finder: Finder, least: float) -> Leaks:
    """Return the references of which a text has at least a share, and where.

    Parameters
    ----------
    found : Passages
        Of pairs of texts that are compared.
    finder : Finder
        Has found them.  A text on both sides has all of itself.
    least : float
        The share.
    """
    sizes, sides = np.diff(finder.starts) - 1, finder.sides
    itself = np.flatnonzero(sides.sources & sides.references)
    spans = np.stack([np.zeros_like(itself), sizes[itself]], 1)
    a, b = found.texts.T
    ways = [
        (sides.references[a] & sides.sources[b], found.texts, found.a, found.b),
        (sides.references[b] & sides.sources[a], found.texts[:, ::-1], found.b, found.a),
    ]
    every = Passages(
        np.concatenate([np.stack([itself, itself], 1), *(texts[rows] for rows, texts, *_ in ways)]),
        np.concatenate([spans, *(one[rows] for rows, _, one, _ in ways)]),
        np.concatenate([spans, *(other[rows] for rows, _, _, other in ways)]),
        np.concatenate([sizes[itself], *(found.lengths[rows] for rows, *_ in ways)]),
        np.concatenate([np.ones(len(itself)), *(found.similarities[rows] for rows, *_ in ways)]),
    )
    every = every.take(np.lexsort((every.b[:, 0], every.a[:, 0], *every.texts.T[::-1])))
    if not len(every.texts):
        return Leaks(every.texts, np.zeros(0), np.zeros(1, np.int64), every.a, every.b)
    firsts = first_passages(every)
    pairs = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    # Lengths leave out rows, which are equal too.
    places = every.a + finder.starts[every.texts[:, :1]]
    rows = np.diff(np.searchsorted(finder.rows, places))[:, 0]
    spans = every.a[:, 1] - every.a[:, 0]
    equal = covered_anew(pairs, every.a) * np.minimum((every.lengths + rows) / spans, 1)
    shares = np.add.reduceat(equal, firsts[:-1]) / sizes[every.texts[firsts[:-1], 0]]
    rows = np.flatnonzero(shares >= least)
    counts = np.diff(firsts)[rows]
    own = ranges(firsts[rows], counts)
    ends = np.append(0, np.cumsum(counts))
    return Leaks(every.texts[firsts[rows]], shares[rows], ends, every.a[own], every.b[own])
