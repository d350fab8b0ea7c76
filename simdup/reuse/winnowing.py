"""Winnowing: few k-grams of each text, chosen so that equal runs have chosen ones in common.

Of each window of w consecutive k-grams the one with the least hash is chosen, the last of several.
The choice depends on nothing but the window's k + w - 1 symbols.  So two texts that share a run of
that length have chosen the same k-gram at the same place of it.

Two kinds of k-grams are never chosen, and lose to all others: those that repeat a pattern of a few
symbols (a row of dashes, a line of a table), which nobody copied, and those with a hole in them.
Rows do not count as length either.

A *template* is text that everybody has, so that nobody copied it: its runs become holes.

References
----------
S. Schleimer, D. Wilkerson, A. Aiken, "Winnowing: local algorithms for document fingerprinting",
SIGMOD 2003, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simdup.base.mix64 import mix64
from simdup.kernels.sketches import runs
from simdup.reuse.symbols import HOLE, Symbols, SymbolTexts, cut
from simdup.search.arrays import I64, U64, Members, contains, distinct, ranges
from simdup.text.characters import fold_all

# Patterns of so many symbols at most make a k-gram a row.
LONGEST_PATTERN = 4

# Symbols that rows are looked for in at a time.
_PART = 1 << 22

_NEVER = np.uint64(2**64 - 1)
_LOW = np.uint64(2**32 - 1)


class Window(NamedTuple):
    """What is chosen from: windows of `w` k-grams."""

    k: int
    w: int

    @classmethod
    def of(cls, run: int) -> Window:
        """Return the window that finds every equal run of so many symbols.

        k is above half of it: long k-grams tell more, and as w is not above k, chosen k-grams that
        follow each other leave no symbol out between.
        """
        k = run // 2 + 1
        return cls(k, run + 1 - k)


class Seeds(NamedTuple):
    """Chosen k-grams in the order of the text."""

    hashes: U64
    positions: I64  # of their first symbols


def winnow(texts: SymbolTexts, window: Window) -> Seeds:
    """Return the chosen k-grams of texts; no window reaches from one into the next."""
    starts, symbols = texts
    k, w = window
    count = len(symbols) - (k + w - 1) + 1
    if count <= 0:
        return Seeds(np.zeros(0, np.uint64), np.zeros(0, np.int64))
    hashes = gram_hashes(symbols, k)
    hashes[_row_grams(symbols, k)] = _NEVER
    hashes[_with_holes(symbols, k)] = _NEVER
    # The position in the lower half: of equal hashes the last is the least.
    positions = np.arange(len(hashes), dtype=np.uint64)
    least = _sliding_min((hashes & ~_LOW) | (_LOW - positions), w)
    # Windows within one text.
    inside = np.arange(count) + (k + w - 1) <= np.repeat(starts[1:], np.diff(starts))[:count]
    chosen = (_LOW - (least & _LOW))[inside].astype(np.int64)
    chosen = chosen[np.diff(chosen, prepend=-1) != 0]
    chosen = chosen[hashes[chosen] != _NEVER]
    return Seeds(hashes[chosen], chosen)


def _sliding_min(values: U64, w: int) -> U64:
    """Return the least of each w consecutive values, in log2(w) steps."""
    size = 1
    while 2 * size <= w:
        values = np.minimum(values[:-size], values[size:])
        size *= 2
    rest = w - size
    return np.minimum(values[:-rest], values[rest:]) if rest else values


def row_symbols(symbols: Symbols, k: int) -> I64:
    """Return where the symbols of rows are, rising."""
    found = [np.zeros(0, np.int64)]
    for low in range(0, len(symbols), _PART):
        part = symbols[max(low - k, 0) : low + _PART + k]
        edges = np.zeros(len(part) + 1, np.int32)
        for begins, ends in _rows(part, k):
            np.add.at(edges, begins, 1)
            np.add.at(edges, ends, -1)
        own = np.flatnonzero(np.cumsum(edges) > 0) + max(low - k, 0)
        found.append(own[(own >= low) & (own < low + _PART)])
    return np.concatenate(found)


def _row_grams(symbols: Symbols, k: int) -> I64:
    """Return the k-grams within rows."""
    found = [np.zeros(0, np.int64)]
    for begins, ends in _rows(symbols, k):
        counts = ends - begins - k + 1
        found.append(ranges(begins, counts))
    return np.concatenate(found)


def _rows(symbols: Symbols, k: int) -> Iterator[tuple[I64, I64]]:
    """Yield where rows of a pattern begin and end, by the length of the pattern.

    A row has k symbols at least, and its pattern twice.
    """
    for period in range(1, min(LONGEST_PATTERN, k // 2) + 1):
        again = symbols[period:] == symbols[:-period]
        edges = np.flatnonzero(np.diff(again, prepend=False, append=False))
        begins, ends = edges[::2], edges[1::2] + period
        long = ends - begins >= k
        yield begins[long], ends[long]


def _with_holes(symbols: Symbols, k: int) -> I64:
    """Return the k-grams with a hole."""
    holes = np.flatnonzero(symbols == HOLE)
    found = (holes[:, None] - np.arange(k)).ravel()
    inside: I64 = found[(found >= 0) & (found <= len(symbols) - k)]
    return inside


@dataclass(frozen=True)
class Template:
    """Runs of symbols that are ignored wherever they occur."""

    run: int
    hashes: U64  # of its runs of that length, rising

    @classmethod
    def of(cls, texts: Sequence[str], run: int) -> Template:
        """Return the template of some texts: all of their runs of so many units."""
        found = [_hashes(cut([folded]).symbols, run) for folded in fold_all(texts)]
        return cls(run, distinct(np.concatenate([np.zeros(0, np.uint64), *found])))

    def cover(self, texts: SymbolTexts) -> SymbolTexts:
        """Return texts with holes where they have a run of the template."""
        hashes = _hashes(texts.symbols, self.run)
        if not len(hashes) or not len(self.hashes):
            return texts
        edges = np.zeros(len(texts.symbols) + 1, np.int64)
        known = np.flatnonzero(contains(self.hashes, hashes))
        # Not where a run reaches into the next text.
        ends = texts.starts[np.searchsorted(texts.starts, known, "right")]
        known = known[known + self.run <= ends]
        np.add.at(edges, known, 1)
        np.add.at(edges, known + self.run, -1)
        return texts._replace(symbols=np.where(np.cumsum(edges)[:-1] > 0, HOLE, texts.symbols))


def gram_hashes(symbols: Symbols, k: int) -> U64:
    """Return the hashes of all k-grams, in order (uint64[n - k + 1])."""
    return mix64(_hashes(symbols, k))


def positions_of(grams: Members, symbols: Symbols, k: int) -> I64:
    """Return where k-grams are whose hashes are known, chosen or not, rising."""
    found = [np.zeros(0, np.int64)]
    for low in range(0, len(symbols) if len(grams) else 0, _PART):
        here = gram_hashes(symbols[low : low + _PART + k - 1], k)
        found.append(np.flatnonzero(grams(here)) + low)
    return np.concatenate(found)


def _hashes(symbols: Symbols, run: int) -> U64:
    """Return the hashes of all runs of so many symbols, as if the texts were one."""
    if len(symbols) < run:
        return np.zeros(0, np.uint64)
    return runs(np.array([0, len(symbols)]), symbols, run)[1]
