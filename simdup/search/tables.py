"""A table: fingerprints with their bits reordered, sorted, and walked.

A table of the paper (WWW 2007, section 3) contains the fingerprints with some blocks, the key,
moved to the front, and is sorted. Here it is a single array of uint64: the high bits of each value
are the key, followed by as many of the other bits as fit; the lowest bits are the row number.

    | key | more of the fingerprint | row |

So sorting plain integers, which numpy does fastest, sorts the table; row numbers need no argsort
(which takes as long as ten such sorts) and no lookup. Fingerprints with equal keys are adjacent.
Most false candidates fail on the bits after the key, and only the few that pass are compared as a
whole. If key and row do not fit together, the key is truncated: equal keys have equal prefixes, so
nothing is missed.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from simdup.search.arrays import CHUNK, U64, WORD, RowIds, distinct, row_bits
from simdup.search.bitview import BitView
from simdup.search.pieces import Piece, Pieces, locate, subtract
from simdup.search.plans import Plan


def build_table(view: BitView, key: Sequence[Piece], out: U64) -> U64:
    """Build the sorted table of a view's n fingerprints, with the columns `key` in front.

    Returns
    -------
    uint64[n]
        `out`, which contains the table.
    """
    n = len(view)
    # The longest pieces first: fewer pieces fill the value, and each is moved as one.
    rest = sorted(subtract(view.columns, key), key=lambda piece: -piece[1])
    view.pack([*key, *rest], WORD - row_bits(n), out)
    for low in range(0, n, CHUNK):
        high = min(low + CHUNK, n)
        out[low:high] |= np.arange(low, high, dtype=np.uint64)
    out.sort()
    return out


def table_keys(chosen: Plan, view: BitView, rows: int) -> list[Pieces]:
    """Return the keys of a plan, as pieces of the view's columns.

    A key is truncated to the bits that a table of `rows` rows contains, so that "the keys are
    equal" has one meaning.
    """
    room = WORD - row_bits(rows)
    return [
        locate([piece for part in key for piece in locate(view.columns, *part)], 0, room)
        for key in chosen.keys
    ]


def find_long_runs(table: U64, key: int, longest: int | None) -> list[tuple[int, int]]:
    """Find the runs of equal keys longer than `longest`, as (start, stop) in the table.

    In a sorted table, a run is that long if the `key` high bits of a value and of the value
    `longest` further on agree. So one pass is enough. With None, nothing is found.
    """
    if longest is None or len(table) <= longest:
        return []
    shift = np.uint64(WORD - key)
    found = []
    last = len(table) - longest
    for low in range(0, last, CHUNK):
        high = min(low + CHUNK, last)
        differences = table[low:high] ^ table[low + longest : high + longest]
        keys = table[low:high][differences >> shift == 0] >> shift
        if len(keys):
            found.append(distinct(keys))
    keys = distinct(np.concatenate(found)) if found else np.empty(0, dtype=np.uint64)
    begin = np.searchsorted(table, keys << shift, side="left")
    end = np.searchsorted(table, keys << shift | np.uint64((1 << (WORD - key)) - 1), side="right")
    return list(zip(begin.tolist(), end.tolist(), strict=True))


def walk(table: U64, start: int, stop: int, key: int, distance: int) -> Iterator[tuple[U64, U64]]:
    """Walk the runs of equal keys within ``table[start:stop]`` and yield the likely pairs.

    Each value is compared with the next one, then with the one after that, and so on. In a sorted
    table, a value whose key differs from that of its l-th successor differs from all further ones
    too, so it drops out. The walk ends when all values have dropped out.

    Parameters
    ----------
    table : uint64[n]
        From `build_table`.
    start, stop : int
        Runs must not cross these.
    key : int
        The number of bits of the key; key and row together fit in 64 bits.
    distance : int
        The most bits that may differ after the key.

    Yields
    ------
    left, right : uint64[m]
        Values of the table: candidates that have passed one test, but whose fingerprints still
        have to be compared. Chunks have `CHUNK` to twice as many, the last one may have fewer.
    """
    lefts: list[U64] = []
    rights: list[U64] = []
    waiting = 0
    for left, right in _walk_steps(table, start, stop, key, distance):
        lefts.append(left)
        rights.append(right)
        waiting += len(left)
        if waiting >= CHUNK:
            yield np.concatenate(lefts), np.concatenate(rights)
            lefts, rights, waiting = [], [], 0
    if waiting:
        yield np.concatenate(lefts), np.concatenate(rights)


def _walk_steps(
    table: U64, start: int, stop: int, key: int, distance: int
) -> Iterator[tuple[U64, U64]]:
    """Walk as `walk` does, and yield the results of each step, even if few."""
    row = np.uint64(row_bits(len(table)))
    top = np.uint64((1 << (WORD - key)) - 1)
    differ = np.empty(CHUNK, dtype=np.uint64)
    for low in range(start, stop, CHUNK):
        lag = 1
        active: RowIds | None = None  # positions left; None while these are most of the chunk
        while True:
            if active is None:
                size = min(low + CHUNK, stop - lag) - low
                if size <= 0:
                    break
                here = slice(low, low + size)
                there = slice(low + lag, low + lag + size)
                x = np.bitwise_xor(table[here], table[there], out=differ[:size])
                equal = x <= top
                # Few are selected by position, many by mask. With "few" meaning a half, 4 tables at
                # 10**6 and 10**5 take 0.250 and 0.0135 s; a quarter 0.207 and 0.0117 s, an eighth
                # 0.207 and 0.0109 s, a sixteenth 0.203 and 0.0102 s.
                if 16 * int(np.count_nonzero(equal)) > size:
                    equal &= np.bitwise_count(x >> row) <= distance
                    near = np.flatnonzero(equal) + low
                else:
                    active = np.flatnonzero(equal)
                    near = active[np.bitwise_count(x[active] >> row) <= distance] + low
                    active += low
            else:
                active = active[active < stop - lag]
                x = table[active] ^ table[active + lag]
                equal = x <= top
                active, x = active[equal], x[equal]
                near = active[np.bitwise_count(x >> row) <= distance]
            if len(near):
                yield table[near], table[near + lag]
            if active is not None and not len(active):
                break
            lag += 1
