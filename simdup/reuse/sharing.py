"""Sharing: pairs of texts that have many seeds in common, found without a look at the texts.

An excerpt has most of its seeds in common with the text it is from, however long that one is.  So
equal seeds are counted for each pair of texts, and a pair is proposed if they are enough of the
seeds of the smaller one.

Seeds that many texts have would make pairs of all of these.  They only lead to the largest of
them, the likeliest source of an excerpt, and to the smallest, the likeliest excerpt of all; so m
texts have O(m) pairs, not O(m^2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.symbols import cut
from simdup.reuse.winnowing import Window, winnow
from simdup.search.arrays import I64, U64, RowPairs, iter_ranges, run_starts

# Every equal run of so many units has a seed: as `passages` does by default.
WINDOW = Window.of(PassageCriteria().min_run)

# Texts that a seed makes pairs of, all with each other.  With 50, no pair of 1,500 laws with a
# containment from 0.5 on is missed, nor one of 1,500 manual pages from 0.8 on; with 16, a third
# of the latter.  Seeds that more texts have lead to the largest and the smallest of these alone.
CROWD = 50

# Of the seeds of an excerpt with changes all over it, the share C ** 4 is left where C of its
# 5-grams are: a seed needs eight symbols or more.  A quarter of it leaves room for chance: on the
# same texts none is missed; at 0.8 and 0.9 eight to thirteen pairs are checked for each that holds.
_EXPONENT, _ROOM = 4, 4

# The columns of what texts share: seeds, and of short texts, which have few of these, all runs by
# which they are contained in each other.
SHARED = ("seeds", "runs")
# Runs that many texts have count for few pairs, so half of what must be contained may be such.
_RUN_ROOM = 2

# Seeds that are sorted at a time.
_PART = 1 << 19
# Pairs that are counted at a time: 40 MB.
_PAIRS = 1 << 20


class TextSeeds(NamedTuple):
    """The distinct seeds of texts: those of text i are ``hashes[starts[i]:starts[i + 1]]``."""

    starts: I64  # int64[texts + 1]
    hashes: U64


def text_seeds(texts: Sequence[str]) -> TextSeeds:
    """Return the distinct seeds of folded texts."""
    found = cut(texts)
    seeds = winnow(found, WINDOW)
    owners = np.searchsorted(found.starts, seeds.positions, "right") - 1
    order = np.lexsort((seeds.hashes, owners))
    owners, hashes = owners[order], seeds.hashes[order]
    firsts = run_starts(owners, hashes)
    return TextSeeds(np.searchsorted(owners[firsts], np.arange(len(texts) + 1)), hashes[firsts])


def least_share(column: str, containment: float) -> float:
    """Return the share of its seeds that the smaller text of a pair must have in common.

    `column` says which seeds, one of `SHARED`.
    """
    return containment / _RUN_ROOM if column == "runs" else containment**_EXPONENT / _ROOM


def sharing_pairs(seeds: TextSeeds, rows: I64, least: float) -> RowPairs:
    """Return the pairs of texts that share enough seeds.

    Parameters
    ----------
    seeds : TextSeeds
    rows : int64[n]
        The texts to compare.
    least : float
        The share of the seeds of the smaller one.

    Returns
    -------
    i, j : int64[pairs]
        Places in `rows`, i < j, in order.
    """
    sizes = np.diff(seeds.starts)[rows]
    # Numbered by falling size: the first text of a seed is the largest, and of a pair as well.
    order = np.argsort(-sizes, kind="stable")
    numbers = np.full(len(seeds.starts) - 1, -1)
    numbers[rows[order]] = np.arange(len(rows))
    found = [np.zeros((2, 0), np.int64)]
    for large, small, counts in shared_counts(seeds, numbers):
        enough = counts >= least * sizes[order[small]]
        found.append(np.stack([order[large[enough]], order[small[enough]]]))
    pairs = np.sort(np.concatenate(found, axis=1), axis=0)
    i, j = pairs[:, np.lexsort(pairs[::-1])]
    return i, j


def shared_counts(seeds: TextSeeds, numbers: I64) -> Iterator[tuple[I64, I64, I64]]:
    """Yield pairs of texts with how many seeds make a pair of them, each pair once.

    `numbers` are those of the texts, from 0, by falling size; -1 for a text that is left out.  If
    parts of the seeds, each with all of its texts, are counted separately, the counts add up.
    """
    yield from _count_pairs(*_repeated(seeds, numbers), int(numbers.max(initial=-1)) + 1)


def _repeated(seeds: TextSeeds, numbers: I64) -> tuple[I64, I64]:
    """Return where the texts of each seed begin that several have, and these texts, rising."""
    owners = np.repeat(numbers, np.diff(seeds.starts))
    bits = np.uint64(max(len(owners) // _PART, 1).bit_length() - 1)
    part_of = np.zeros(len(owners), np.uint16)
    for low in range(0, len(owners) if bits else 0, _PART):
        part_of[low : low + _PART] = seeds.hashes[low : low + _PART] >> (np.uint64(64) - bits)
    starts, texts, done = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for part in range(1 << int(bits)):
        own = np.flatnonzero((part_of == part) & (owners >= 0))
        hashes, holders = seeds.hashes[own], owners[own]
        order = np.lexsort((holders, hashes))
        firsts = run_starts(hashes[order])
        counts = np.diff(np.append(firsts, len(order)))
        texts.append(holders[order[np.repeat(counts > 1, counts)]])
        ends = np.cumsum(counts[counts > 1])
        starts.append(done + ends - counts[counts > 1])
        done += len(texts[-1])
    return np.concatenate(starts), np.concatenate(texts)


def _count_pairs(starts: I64, texts: I64, n: int) -> Iterator[tuple[I64, I64, I64]]:
    """Count the pairs of `n` texts that seeds make; see `shared_counts`."""
    sizes = np.diff(np.append(starts, len(texts)))
    rows = np.arange(len(texts))
    last = np.repeat(starts + sizes, sizes) - 1
    crowded = np.repeat(sizes > CROWD, sizes)
    crowded[starts] = False
    first_partners = np.where(crowded, last, rows + 1)
    partners = np.where(crowded, rows < last, last - rows)
    by_text = np.argsort(texts, kind="stable")
    known, counts = np.zeros((2, 0), np.int64)
    for which, offsets in iter_ranges(partners[by_text], _PAIRS):
        entries = by_text[which]
        keys = texts[entries] * n + texts[first_partners[entries] + offsets]
        known, places = np.unique(np.concatenate([known, keys]), return_inverse=True)
        # What was counted before comes first in `places`.
        weights = np.concatenate([counts, np.ones(len(keys), np.int64)])
        counts = np.bincount(places, weights, len(known)).astype(np.int64)
        # The last text may have more pairs in the next chunk.
        done = known < texts[entries[-1]] * n
        yield *np.divmod(known[done], n), counts[done]
        known, counts = known[~done], counts[~done]
    yield *np.divmod(known, max(n, 1)), counts
