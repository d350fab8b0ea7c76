"""Bands of b-bit sketches: which sketches agree in all bytes of a band.

An index stores sketches, not band keys.  So keys are cut from the bytes as they are needed, and no
format has to change when another banding is wanted.

*Join.*  A few or many sketches are asked about; others are read once, in chunks of any size.  The
keys of the asked ones are sorted, band by band.  Most rows that are read agree with none of them,
which one look at a small table of flags tells; the others are found by binary search.  So what is
read need not be sorted or kept.

*Each pair once.*  A pair may agree in several bands; only the first one reports it.

*Tables.*  Few questions read all sketches.  If many follow, as in a stream whose lines are answered
one by one, tables of band keys are sorted, as `simdup.search.queries` sorts tables of fingerprints,
and by the same rule: once reading has cost as much.  Tables take 8 bytes for each band of a
document.  The sketches of what they find are then looked up, or all are read if that is less work.
Which pairs are candidates, the bands alone decide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import GOLDEN, mix64
from simdup.search.arrays import (
    U64,
    Bools,
    RowIds,
    RowPairs,
    distinct,
    find_packed,
    iter_ranges,
    pack,
    read_rows,
)
from simdup.search.threads import sort
from simdup.text.families import BBIT, SKETCH_BYTES, Banding, choose, count_true

Sketches = NDArray[np.uint8]  # uint8[n, 128], contiguous
# int64[m] and uint8[m, 128]: the numbers of documents with a text, and their sketches.
RowSketches = tuple[RowIds, Sketches]

# The share of the pairs at the wanted similarity that become candidates. At similarity 0.8, 16
# bands of 6 bytes propose 0.9925 of them, and 0.012 of the pairs at 0.3.
RECALL = 0.99

_WORD = 8  # bytes
# The most sketches that are compared byte by byte, and rows that they are compared with at a time.
# 10**6 rows take 0.05, 0.07, 0.12 and 0.16 s for 1, 2, 3 and 4; by keys 0.13, 0.14, 0.15, 0.18 s.
_FEW, _ROWS = 2, 1 << 14
# Pairs that are compared at a time: their keys take 8 MB twice, with 16 bands.
_CHUNK = 1 << 16
# Flags for each key that is asked about, as a power of two, so that few others pass; and the fewest
# and most of a band. 10**5 sketches against 10**6, in 16 bands: with 2**3 flags for each 1.9 s,
# 2**4 1.6 s, 2**5 1.4 s, 2**6 1.2 s. More flags than 2**22 would take more than 64 MB.
_FLAGS, _FEWEST, _MOST = 6, 12, 22
# Sorting the tables takes as long as reading all sketches so many times: for 10**6 documents and 16
# bands 1.5 s, and 0.36 s.
_WORTH_TABLES = 4
# With up to this share of all rows proposed by tables, looking these up takes less time than
# reading all: a look-up reads a block of 1,024 documents.
_FEW_ROWS = 1 / 4096

Item = TypeVar("Item")
Result = TypeVar("Result")


def sketch_banding(similarity: float) -> Banding:
    """Return the bands in which sets of a similarity agree with probability `RECALL`.

    Of all bandings of 128 bytes that do so, the one with the longest bands proposes the fewest
    other pairs.

    >>> sketch_banding(0.8)
    Banding(rows=6, bands=16)
    """
    return choose(BBIT, 1 - similarity, RECALL, SKETCH_BYTES)


def band_keys(sketches: Sketches, banding: Banding, band: int) -> U64:
    """Return the keys of a band (uint64[n]); they are equal if all its bytes are.

    Up to 8 bytes are their own key.  The keys of different longer bands are equal with probability
    2**-64.
    """
    if not len(sketches):
        return np.zeros(0, np.uint64)
    first = band * banding.rows
    stop = first + banding.rows
    keys = _bytes(sketches, first, min(first + _WORD, stop))
    for start in range(first + _WORD, stop, _WORD):
        keys = mix64(keys) ^ _bytes(sketches, start, min(start + _WORD, stop))
    return keys


def all_keys(sketches: Sketches, banding: Banding) -> U64:
    """Return the keys of all bands: uint64[n, bands]."""
    keys = np.empty((len(sketches), banding.bands), np.uint64)
    for band in range(banding.bands):
        keys[:, band] = band_keys(sketches, banding, band)
    return keys


def agree(a: Sketches, b: Sketches, banding: Banding) -> Bools:
    """Return which sketches (uint8[n, 128] each) agree in all bytes of a band (bool[n])."""
    rows, bands = banding
    # Most agree in too few bytes.
    equal = a == b
    agreeing: Bools = count_true(equal) >= rows
    some = np.flatnonzero(agreeing)
    cut = equal[some, : rows * bands].reshape(len(some), bands, rows)
    agreeing[some] = cut.all(axis=2).any(axis=1)
    return agreeing


def _bytes(sketches: Sketches, start: int, stop: int) -> U64:
    """Return up to 8 bytes of each sketch as a number."""
    # Eight bytes are read at once, which must not reach beyond the sketch.
    place = min(start, SKETCH_BYTES - _WORD)
    words = np.ndarray((len(sketches),), "<u8", sketches, place, (SKETCH_BYTES,))
    high = 8 * (_WORD - (stop - place))
    return (words << np.uint64(high)) >> np.uint64(high + 8 * (start - place))


class AskedBands:
    """Sketches that others are compared with, ready to be joined."""

    def __init__(self, sketches: Sketches, banding: Banding) -> None:
        self._banding = banding
        self._sketches = sketches
        self._keys = all_keys(sketches, banding)
        self._orders = [np.argsort(self._keys[:, band]) for band in range(banding.bands)]
        self._sorted = [self._keys[order, band] for band, order in enumerate(self._orders)]
        bits = min(max(len(sketches).bit_length() + _FLAGS, _FEWEST), _MOST)
        self._shift = np.uint64(64 - bits)
        self._flags = [self._flag(keys, bits) for keys in self._sorted]

    def _flag(self, keys: U64, bits: int) -> Bools:
        flags = np.zeros(1 << bits, np.bool_)
        flags[self._place(keys)] = True
        return flags

    def _place(self, keys: U64) -> U64:
        return keys * GOLDEN >> self._shift

    def join(self, sketches: Sketches) -> Iterator[RowPairs]:
        """Yield the pairs of an asked sketch and one of these, each once, in chunks, unordered."""
        few = len(self._sketches) <= _FEW
        return self._compare(sketches) if few else self._look_up(sketches)

    def _compare(self, sketches: Sketches) -> Iterator[RowPairs]:
        """Join by comparing all bytes, which takes less time for few."""
        for low in range(0, len(sketches), _ROWS):
            for number, one in enumerate(self._sketches):
                row = np.flatnonzero(agree(sketches[low : low + _ROWS], one, self._banding)) + low
                if len(row):
                    yield np.full(len(row), number), row

    def _look_up(self, sketches: Sketches) -> Iterator[RowPairs]:
        """Join by keys."""
        keys = all_keys(sketches, self._banding)
        for band, order in enumerate(self._orders):
            met = np.flatnonzero(self._flags[band][self._place(keys[:, band])])
            if not len(met):
                continue
            wanted, held = keys[met, band], self._sorted[band]
            begin = np.searchsorted(held, wanted, side="left")
            count = np.searchsorted(held, wanted, side="right") - begin
            for which, offset in iter_ranges(count, _CHUNK):
                asked, row = order[begin[which] + offset], met[which]
                if band:
                    new = ~(self._keys[asked, :band] == keys[row, :band]).any(axis=1)
                    asked, row = asked[new], row[new]
                if len(asked):
                    yield asked, row


class SketchSource(NamedTuple):
    """Where sketches come from."""

    read: Callable[[], Iterator[RowSketches]]  # all of them, in chunks
    look_up: Callable[[RowIds], Sketches]  # those of some rows


class BandSearcher:
    """Reads sketches, or looks them up, and leaves to the caller what to do with them."""

    def __init__(self, source: SketchSource, banding: Banding, threads: int) -> None:
        self._source = source
        self._banding = banding
        self._threads = threads
        self._tables: _Tables | None = None
        self._loose: list[RowSketches] = []  # the rows after those in the tables
        self._spent = 0.0  # in units of reading all

    def append(self, rows: RowIds, sketches: Sketches) -> None:
        """Append rows, which the source has too."""
        if self._tables is not None and len(rows):
            while self._loose and len(self._loose[-1][0]) <= len(rows):
                before = self._loose.pop()
                rows = np.concatenate([before[0], rows])
                sketches = np.concatenate([before[1], sketches])
            self._loose.append((rows, sketches))

    def join(
        self, asked: Sketches, work: Callable[[AskedBands, RowSketches], Result]
    ) -> Generator[Result, None, None]:
        """Yield what `work` makes of all rows that may agree with asked sketches, in chunks."""
        bands = AskedBands(asked, self._banding)
        return overlap(lambda chunk: work(bands, chunk), self._chunks(asked), self._threads)

    def _chunks(self, asked: Sketches) -> Iterator[RowSketches]:
        if self._spent > _WORTH_TABLES:
            self._tables, self._loose = _Tables(self._source.read(), self._banding), []
            self._tables.sort(self._threads)
            self._spent = 0.0
        if self._tables is not None and (rows := self._tables.find(asked)) is not None:
            if len(rows):
                yield rows, self._source.look_up(rows)
            self._spent += sum(len(rows) for rows, _ in self._loose) / self._tables.size
            yield from self._loose
            return
        size = 0
        for chunk in self._source.read():
            size += len(chunk[0])
            yield chunk
        if self._tables is None and self._suit_tables(len(asked), size):
            self._spent += 1

    def _suit_tables(self, asked: int, size: int) -> bool:
        """Return whether tables would propose few rows, with one match of each asked sketch."""
        by_chance: float = self._banding.bands / 256**self._banding.rows
        return asked * (1 + by_chance * size) <= _most(size)


def _most(size: int) -> float:
    """Return how many rows are few."""
    return max(size * _FEW_ROWS, 1)


class _Tables:
    """For each band a sorted table: the high bits of a mixed key, and below them a place."""

    def __init__(self, chunks: Iterable[RowSketches], banding: Banding) -> None:
        rows = [np.zeros(0, np.int64)]
        parts: list[list[U64]] = [[] for _ in range(banding.bands)]
        for some, sketches in chunks:
            rows.append(some)
            keys = mix64(all_keys(sketches, banding))
            for band, part in enumerate(parts):
                part.append(keys[:, band].copy())
        self._rows = np.concatenate(rows)
        self._banding = banding
        places = np.arange(len(self._rows))
        self._tables = []
        # One band after another: together the parts are as large as the tables.
        while parts:
            self._tables.append(pack(np.concatenate(parts.pop(0)), places, self.size))

    @property
    def size(self) -> int:
        """The number of rows, at least 1."""
        return max(len(self._rows), 1)

    def sort(self, threads: int) -> None:
        """Sort the tables, which `find` requires."""
        for table in self._tables:
            sort(table, threads)

    def find(self, asked: Sketches) -> RowIds | None:
        """Return the rows that may agree with any of the asked sketches; None if they are many."""
        keys, found = mix64(all_keys(asked, self._banding)), list[U64]()
        left = _most(self.size)
        for band, table in enumerate(self._tables):
            begin, count = find_packed(table, keys[:, band], self.size)
            left -= int(count.sum())
            if left < 0:
                return None
            for which, offset in iter_ranges(count, len(table) + 1):
                found.append(table[begin[which] + offset])
        if not found:
            return self._rows[:0]
        return self._rows[distinct(read_rows(np.concatenate(found), self.size))]


def overlap(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Generator[Result, None, None]:
    """Yield what `work` makes of each item, in order; other threads work while one reads items."""
    if threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting = deque[Future[Result]]()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
