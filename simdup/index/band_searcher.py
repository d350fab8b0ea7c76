"""Find the rows of an index whose sketches agree with others in a band.

Few questions read all sketches of the file, section by section.  If many follow, as in a stream
whose lines are answered one by one, tables of band keys are sorted, as `searcher` sorts tables of
fingerprints, and by the same rule: once reading has cost as much.  Tables take 8 bytes for each
band of a document.  The sketches of what they find are then looked up, or all are read if that is
less work.  Which pairs are candidates, the bands alone decide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np

from simdup.index.sections import RowIds, RowSketches
from simdup.lsh.families import Banding
from simdup.lsh.sketch_bands import AskedBands, Sketches, all_keys
from simdup.mix64 import mix64
from simdup.model.table import Documents
from simdup.search.arrays import U64, iter_ranges, read_rows, row_bits
from simdup.search.threads import sort

# Sorting the tables takes as long as reading all sketches so many times: for 10**6 documents and 16
# bands 1.5 s, and 0.36 s.
_WORTH_TABLES = 4
# With up to this share of all rows proposed by tables, looking these up takes less time than
# reading all: a look-up reads a block of 1,024 documents.
_FEW = 1 / 4096

Item = TypeVar("Item")
Result = TypeVar("Result")


class SketchSource(NamedTuple):
    """Where sketches come from."""

    read: Callable[[], Iterator[RowSketches]]  # all of them, in chunks
    look_up: Callable[[RowIds], Documents]  # those of some rows, and more


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

    @property
    def has_tables(self) -> bool:
        """Whether tables have been sorted."""
        return self._tables is not None

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
                yield rows, self._source.look_up(rows)["sketch"]
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
    return max(size * _FEW, 1)


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
        low = np.uint64((1 << row_bits(self.size)) - 1)
        places = np.arange(len(self._rows), dtype=np.uint64)
        self._tables = []
        # One band after another: together the parts are as large as the tables.
        while parts:
            self._tables.append(np.concatenate(parts.pop(0)) & ~low | places)
        self._low = low

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
            begin = np.searchsorted(table, keys[:, band] & ~self._low, side="left")
            count = np.searchsorted(table, keys[:, band] | self._low, side="right") - begin
            left -= int(count.sum())
            if left < 0:
                return None
            for which, offset in iter_ranges(count, len(table) + 1):
                found.append(table[begin[which] + offset])
        if not found:
            return self._rows[:0]
        return self._rows[np.unique(read_rows(np.concatenate(found), self.size))]


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
