"""Alignment: how much of what lies between equal runs is equal.

The longest common subsequence of both sides of each gap, by the rows of the usual table, in all
gaps at once.  Gaps are short, so this needs no library: a row is one pass over an array.

References
----------
R. Wagner, M. Fischer, "The string-to-string correction problem", JACM 21, 1974.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simdup.reuse.symbols import HOLE, Symbols

I64 = NDArray[np.int64]

# Cells of tables that are filled in at a time.
_CELLS = 1 << 20


def common_lengths(symbols: Symbols, a: I64, b: I64) -> I64:
    """Return the length of the longest common subsequence of each pair of stretches.

    Parameters
    ----------
    symbols : uint32[m]
        All texts.
    a, b : int64[n, 2]
        Where each stretch begins and ends.
    """
    sizes = np.stack([a[:, 1] - a[:, 0], b[:, 1] - b[:, 0]])
    found = np.zeros(len(a), np.int64)
    # Gaps of about the same size are done together.
    rows = np.flatnonzero(sizes.min(axis=0, initial=1 << 62) > 0)
    rows = rows[np.argsort(sizes[:, rows].max(axis=0), kind="stable")]
    while len(rows):
        widest = int(sizes[:, rows[0]].max())
        some = rows[: max(_CELLS // (widest + 1) ** 2, 1)]
        some = some[sizes[:, some].max(axis=0) <= max(2 * widest, 8)]
        found[some] = _table(
            _stretches(symbols, a[some], HOLE - np.uint32(1)),
            _stretches(symbols, b[some], HOLE - np.uint32(2)),
        )
        rows = rows[len(some) :]
    return found


def _stretches(symbols: Symbols, bounds: I64, filler: np.uint32) -> Symbols:
    """Return stretches side by side, the shorter ones filled up."""
    lengths = bounds[:, 1] - bounds[:, 0]
    offsets = np.arange(int(lengths.max()))
    inside = offsets < lengths[:, None]
    return np.where(inside, symbols[np.where(inside, bounds[:, :1] + offsets, 0)], filler)


def _table(a: Symbols, b: Symbols) -> NDArray[np.int32]:
    """Return the length of the longest common subsequence of each row of a with that of b."""
    row = np.zeros((len(a), b.shape[1] + 1), np.int32)
    for column in a.T:
        row[:, 1:] = np.maximum(row[:, 1:], row[:, :-1] + (b == column[:, None]))
        np.maximum.accumulate(row, axis=1, out=row)
    return row[:, -1]
