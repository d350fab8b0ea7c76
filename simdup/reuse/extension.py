"""Extension: pairs of seeds become maximal equal runs, all at once.

Blocks of symbols on both sides are compared, short ones first, and the pairs that are equal in
all of a block go on to a longer one.  Nobody asks for the end of a text: behind each is a symbol
that no other text has.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from simdup.reuse.symbols import Symbols
from simdup.search.arrays import I64

# Symbols of the blocks that are compared, the last one again and again.
_BLOCKS = (16, 64, 256, 1024, 4096)
# Symbols on either side of all texts, so that a block does not reach over the edge.
MARGIN = _BLOCKS[-1]
# Symbols that are compared at a time: they stay in the caches.
_AT_ONCE = 1 << 18


class Runs(NamedTuple):
    """Equal runs: where each begins in either text, and its length."""

    a: I64
    b: I64
    lengths: I64


def extend(symbols: Symbols, a: I64, b: I64, k: int) -> Runs:
    """Return the maximal equal runs around pairs of positions, each once, in order.

    Parameters
    ----------
    symbols : uint32[m]
        All texts, with `MARGIN` symbols on either side.
    a, b : int64[n]
        Where the seeds begin.
    k : int
        Symbols that a run has at least; seeds may be equal by their hashes only.
    """
    right = _equal(symbols, a, b)
    real = right >= k
    a, b, right = a[real], b[real], right[real]
    left = _equal(symbols, a - 1, b - 1, backwards=True)
    return distinct(Runs(a - left, b - left, left + right))


def distinct(runs: Runs) -> Runs:
    """Return each run once, in order: a maximal run is known by where it begins."""
    keys = (runs.a.astype(np.uint64) << np.uint64(32)) | runs.b.astype(np.uint64)
    _, first = np.unique(keys, return_index=True)
    return Runs(*(column[first] for column in runs))


def _equal(symbols: Symbols, a: I64, b: I64, backwards: bool = False) -> I64:
    """Return how many symbols are equal from each pair of positions on, in one direction."""
    found = np.zeros(len(a), np.int64)
    left = np.arange(len(a))
    for block in chain(_BLOCKS, repeat(_BLOCKS[-1])):
        if not len(left):
            break
        windows = np.lib.stride_tricks.sliding_window_view(symbols, block)
        if backwards:
            windows = windows[:, ::-1]
        step = max(_AT_ONCE // block, 1)
        going = []
        for rows in np.split(left, range(step, len(left), step)):
            shift = 1 - block - found[rows] if backwards else found[rows]
            differ = windows[a[rows] + shift] != windows[b[rows] + shift]
            first = differ.argmax(axis=1)
            # Where nothing differs, the first of all is the greatest.
            whole = ~differ[np.arange(len(rows)), first]
            found[rows] += np.where(whole, block, first)
            going.append(rows[whole])
        left = np.concatenate(going)
    return found
