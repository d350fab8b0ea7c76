"""A table: fingerprints with their bits in another order, sorted, and walked.

A table of the paper (WWW 2007, section 3) holds the fingerprints with some blocks, the key, moved
to the front, and is sorted. Here it is one array of uint64 and nothing else: at the front of each
value the key, then as many of the other bits as there is room for, and at the end the row number.

    | key | more of the fingerprint | row |

So sorting plain whole numbers, the fastest thing that numpy does, sorts the table; row numbers
need no argsort (which costs as much as ten such sorts) and no looking up. Fingerprints of equal
keys stand next to each other. Most false candidates fall to the bits after the key, and only the
few that pass are compared as a whole. Where key and row have no room together, the key is cut
short: equal keys have equal beginnings, so that nothing is missed.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from simdup.search.arrays import (
    STRETCH,
    U64,
    WORD,
    Piece,
    Rows,
    front,
    located,
    row_bits,
    without,
    words,
)
from simdup.search.plans import Plan


def packed(
    fingerprints: U64, bits: int, columns: Sequence[Piece], key: Sequence[Piece], out: U64
) -> U64:
    """Build the sorted table with `key` in front.

    Parameters
    ----------
    fingerprints : uint64[n, words]
    bits : int
    columns : sequence of (start, width)
        The bits that take part.
    key : sequence of (start, width)
        Some of them.
    out : uint64[n]
        Where the table goes.

    Returns
    -------
    uint64[n]
        `out`.
    """
    n = len(fingerprints)
    rest = without(columns, key)
    # The longest stretches first: fewer of them fill the room, and each is moved as one.
    rest.sort(key=lambda piece: -piece[1])
    front(fingerprints, bits, [*key, *rest], WORD - row_bits(n), out)
    for low in range(0, n, STRETCH):
        high = min(low + STRETCH, n)
        out[low:high] |= np.arange(low, high, dtype=np.uint64)
    out.sort()
    return out


def keys_shown(chosen: Plan, columns: Sequence[Piece], room: int) -> list[list[Piece]]:
    """Give the keys of a plan for the bits that `columns` name, each cut to `room` bits.

    A key is cut to what a table shows of it, so that "the keys are equal" has one meaning.
    """
    return [
        located([piece for part in key for piece in located(columns, *part)], 0, room)
        for key in chosen.keys
    ]


def mask_of(bits: int, key: Sequence[Piece]) -> U64:
    """Give uint64[words] with the bits of a key set."""
    number = 0
    for start, length in key:
        number |= ((1 << length) - 1) << (bits - start - length)
    parts = [number >> (WORD * word) & (1 << WORD) - 1 for word in reversed(range(words(bits)))]
    return np.array(parts, dtype=np.uint64)


def long_runs(table: U64, key: int, longest: int | None) -> list[tuple[int, int]]:
    """Find the runs of equal keys longer than `longest`, as (start, stop) in the table.

    In a sorted table a run is that long where a value and the one `longest` further agree, which
    is one pass without looking at the runs.
    """
    if longest is None or len(table) <= longest:
        return []
    shift = np.uint64(WORD - key)
    starts = []
    last = len(table) - longest
    for low in range(0, last, STRETCH):
        high = min(low + STRETCH, last)
        far = table[low:high] ^ table[low + longest : high + longest]
        found = table[low:high][far >> shift == 0] >> shift
        if len(found):
            starts.append(np.unique(found))
    keys = np.unique(np.concatenate(starts)) if starts else np.empty(0, dtype=np.uint64)
    begin = np.searchsorted(table, keys << shift, side="left")
    end = np.searchsorted(table, keys << shift | np.uint64((1 << (WORD - key)) - 1), side="right")
    return list(zip(begin.tolist(), end.tolist(), strict=True))


def walk(table: U64, start: int, stop: int, key: int, distance: int) -> Iterator[tuple[U64, U64]]:
    """Walk the runs of equal keys within ``table[start:stop]`` and give the likely pairs.

    By lag: each value is compared with the next one, then with the one after that, and so on.
    In a sorted table a value whose key differs from that of its l-th successor differs from all
    further ones too, so it drops out, and the walk ends when all have.

    Parameters
    ----------
    table : uint64[n]
        From `packed`.
    start, stop : int
        Runs must not cross these.
    key : int
        The bits of the key; key and row have room in 64 bits together.
    distance : int
        The bits shown after the key may differ in so many.

    Yields
    ------
    left, right : uint64[m]
        Values of the table. They are candidates that have passed one test; their fingerprints
        remain to be compared. From `STRETCH` to twice that a block, the last one less.
    """
    lefts: list[U64] = []
    rights: list[U64] = []
    waiting = 0
    for left, right in _steps(table, start, stop, key, distance):
        lefts.append(left)
        rights.append(right)
        waiting += len(left)
        if waiting >= STRETCH:
            yield np.concatenate(lefts), np.concatenate(rights)
            lefts, rights, waiting = [], [], 0
    if waiting:
        yield np.concatenate(lefts), np.concatenate(rights)


def _steps(table: U64, start: int, stop: int, key: int, distance: int) -> Iterator[tuple[U64, U64]]:
    """Walk as `walk` does, and give what each step finds, however little."""
    row = np.uint64(row_bits(len(table)))
    top = np.uint64((1 << (WORD - key)) - 1)
    differ = np.empty(STRETCH, dtype=np.uint64)
    for low in range(start, stop, STRETCH):
        lag = 1
        at: Rows | None = None  # who is left; None while it is most of the stretch
        while True:
            if at is None:
                size = min(low + STRETCH, stop - lag) - low
                if size <= 0:
                    break
                here = slice(low, low + size)
                there = slice(low + lag, low + lag + size)
                x = np.bitwise_xor(table[here], table[there], out=differ[:size])
                same = x <= top
                # Few are picked out, many are not: 4 tables at 10**6 and 10**5 take 0.250 and
                # 0.0135 s if few is a half, 0.207 and 0.0117 s a quarter, 0.207 and 0.0109 s an
                # eighth, 0.203 and 0.0102 s a sixteenth.
                if 16 * int(np.count_nonzero(same)) > size:
                    same &= np.bitwise_count(x >> row) <= distance
                    near = np.flatnonzero(same) + low
                else:
                    at = np.flatnonzero(same)
                    near = at[np.bitwise_count(x[at] >> row) <= distance] + low
                    at += low
            else:
                at = at[at < stop - lag]
                x = table[at] ^ table[at + lag]
                same = x <= top
                at, x = at[same], x[same]
                near = at[np.bitwise_count(x >> row) <= distance]
            if len(near):
                yield table[near], table[near + lag]
            if at is not None and not len(at):
                break
            lag += 1
