"""Offsets: from symbols back to the characters of the text as it was before folding.

Folding makes two letters of a ligature, one character of a letter and its accent, none of a soft
hyphen.  A passage may begin only where the text can be cut so that its folded form is cut there,
too; where it cannot, in either text, the passage begins a symbol later or ends a symbol earlier.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.features.folding import fold_segments
from simdup.reuse.symbols import places

I64 = NDArray[np.int64]


class Offsets(NamedTuple):
    """Where each symbol of a text begins and ends in it; -1 where the text cannot be cut there."""

    begins: I64
    ends: I64


def offsets(text: str) -> Offsets:
    """Return where the symbols of a text are in it."""
    folded, cuts, folded_cuts = fold_segments(text)
    _, starts, ends = places(folded)
    # Of several cuts at one place, with dropped characters between, a passage takes the inner ones.
    first, last = np.full((2, len(folded) + 1), -1)
    first[folded_cuts[::-1]] = cuts[::-1]
    last[folded_cuts] = cuts
    begins, ends = last[starts], first[ends]
    # Both halves of a word have all of it: no passage begins with the second one.
    same = np.flatnonzero(np.diff(starts) == 0)
    begins[same + 1] = -1
    ends[same] = -1
    return Offsets(begins, ends)


def characters(text: str, spans: I64) -> I64:
    """Return where spans of symbols (int64[n, 2]) begin and end in a text; -1 as in `Offsets`."""
    begins, ends = offsets(text)
    return np.stack([begins[spans[:, 0]], ends[spans[:, 1] - 1]], 1)


# From the numbers of documents and a span of symbols in each to characters, as `characters` does.
LookUp = Callable[[I64, I64], I64]


def look_up_in(read: Callable[[int], str]) -> LookUp:
    """Return the function that looks spans up in the texts of documents."""

    def look_up(documents: I64, spans: I64) -> I64:
        found = np.empty_like(spans)
        order = np.argsort(documents, kind="stable")
        each, firsts = np.unique(documents[order], return_index=True)
        for document, rows in zip(each.tolist(), np.split(order, firsts[1:]), strict=True):
            found[rows] = characters(read(document), spans[rows])
        return found

    return look_up


def locate(look_up: LookUp, documents: I64, a: I64, b: I64) -> tuple[I64, I64]:
    """Return the characters of spans that pairs of documents share, cut alike in both.

    Parameters
    ----------
    look_up : callable
        See `LookUp`.
    documents : int64[n, 2]
        The pairs.
    a, b : int64[n, 2]
        Where each span begins and ends in either, in symbols; the first symbols are equal, and so
        are the last ones.
    """
    a, b = a.copy(), b.copy()
    found = np.zeros((2, *a.shape), np.int64)
    left = np.arange(len(a))
    while len(left):
        # Each document is looked up once for both sides.
        both = look_up(documents[left].T.ravel(), np.concatenate([a[left], b[left]]))
        found[:, left] = both.reshape(2, -1, 2)
        uncut = found[:, left].min(axis=0) < 0
        for side in (a, b):
            side[left] += uncut * np.array([1, -1])
        left = left[uncut.any(axis=1)]
        empty = (a[left, 0] >= a[left, 1]) | (b[left, 0] >= b[left, 1])
        found[:, left[empty]] = 0
        left = left[~empty]
    return found[0], found[1]
