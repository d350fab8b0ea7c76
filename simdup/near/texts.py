"""The texts of documents by row: their shingles, and the weights of terms.

What was made of a text is remembered, up to a size: pairs ask for the same texts again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.spool import Slot, slot_at
from simdup.kernels.sets import common
from simdup.model.criteria import Shingling
from simdup.model.measures import LARGEST
from simdup.model.table import Documents
from simdup.search.arrays import RowIds
from simdup.text.analyzer import Analyzer
from simdup.text.characters import DIGEST_TYPE, PreparedText, text_digest
from simdup.text.counts import CsrRows
from simdup.text.shingles import Sets, Shingler, Shingles

# Bytes of each cache: the shingles of some 8,000 pages of 2,000 characters.
CACHE_BYTES = 1 << 27
# Bytes of the texts whose sets are made and compared together: 8 MB of shingles.
_TOGETHER = 1 << 21

# The digest of a text without characters, which equals no other.
_EMPTY = np.frombuffer(text_digest(""), DIGEST_TYPE)[0]


class Cache:
    """Arrays, or what has `nbytes` too, by key; the least recently used are dropped."""

    def __init__(self, make: Callable[[Sequence[Any]], Iterable[Any]], room: int) -> None:
        self._make = make
        self._room = room
        self._made: OrderedDict[Hashable, Any] = OrderedDict()

    def of(self, keys: Sequence[Any]) -> list[Any]:
        """Return what there is of distinct keys."""
        missing = [key for key in keys if key not in self._made]
        for key, made in zip(missing, self._make(missing), strict=True):
            self._made[key] = made
            self._room -= made.nbytes
        values = [self._made[key] for key in keys]
        for key in keys:
            self._made.move_to_end(key)
        while self._room < 0 and len(self._made) > 2:
            self._room += self._made.popitem(last=False)[1].nbytes
        return values


@dataclass(frozen=True)
class Texts:
    """Texts by row; can be pickled.

    Attributes
    ----------
    documents : Documents
        ``original``, the slots of texts as they were decoded, ``digest``, and what
        `simdup.near.short` needs.
    analyzer : Analyzer
    shingling : Shingling
        What shingles are.
    read : callable
        Returns the bytes of a slot.
    weights_of : callable, optional
        Returns the weights of the terms of a text, if criteria need them.
    room : int
        Bytes of each cache.
    memory : dict
        What measures remember, by name.
    """

    documents: Documents
    analyzer: Analyzer
    shingling: Shingling
    read: Callable[[Slot], bytes]
    weights_of: Callable[[int], CsrRows] | None = None
    room: int = CACHE_BYTES
    memory: dict[str, Any] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the segmenter, and what is remembered."""
        about = self.documents, self.analyzer, self.shingling, self.read
        return type(self), (*about, self.weights_of, self.room)

    def text(self, row: int) -> PreparedText:
        """Return a text, folded."""
        return self.folded([row])[0]

    def folded(self, rows: Sequence[int]) -> list[PreparedText]:
        """Return texts, folded together."""
        slots = self.documents["original"]
        contents = (self.read(slot_at(slots, row)) for row in rows)
        texts = [content.decode("utf-8", "surrogatepass") for content in contents]
        return self.analyzer.prepare_all(texts)

    @property
    def sizes(self) -> RowIds:
        """The bytes of each text (int64[n])."""
        sizes: RowIds = self.documents["original"][:, 1]
        return sizes

    def below_equal(
        self, a: RowIds, b: RowIds, similarity: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return similarities that are 1 for equal texts, and at most `LARGEST` for others."""
        one, other = self.documents["digest"][a], self.documents["digest"][b]
        equal = (one == other) & (one != _EMPTY)
        return np.where(equal, 1.0, np.minimum(similarity, LARGEST))

    # -- sets --

    def cache(self, name: str, make: Callable[[Sequence[Any]], Iterable[Any]]) -> Cache:
        """Return the cache of this name, of what `make` returns."""
        cache: Cache = self.memory.setdefault(name, Cache(make, self.room))
        return cache

    def shared(self, a: RowIds, b: RowIds) -> RowIds:
        """Return the shingles that texts share, those of `a` and those of `b` (int64[pairs, 3])."""
        cache = self.cache("shingles", self._shingles)
        return count_shared(cache, a, b, self.sizes[a] + self.sizes[b])

    def sets(self, rows: RowIds) -> Sets:
        """Return the distinct shingles of texts."""
        texts = self.folded(rows.tolist())
        return self._shingler.distinct_sets(map(self._shingler.text_of, texts))

    def _shingles(self, rows: Sequence[int]) -> Iterable[Shingles]:
        starts, hashes = self.sets(np.array(rows, np.int64))
        return (hashes[first:last].copy() for first, last in pairwise(starts.tolist()))

    @cached_property
    def _shingler(self) -> Shingler:
        return self.analyzer.shingler(self.shingling)


def count_shared(sets: Cache, a: RowIds, b: RowIds, costs: RowIds) -> RowIds:
    """Return the elements that sets share, those of `a` and those of `b` (int64[pairs, 3]).

    `sets` has them by key, and `costs` (int64[pairs]) are the bytes of their texts.
    """
    parts, ends = [np.zeros((0, 3), np.int64)], np.cumsum(costs)
    for part in np.split(np.arange(len(a)), np.flatnonzero(np.diff(ends // _TOGETHER)) + 1):
        keys, places = np.unique([a[part], b[part]], return_inverse=True)
        i, j = places.reshape(2, -1)
        values = sets.of(keys.tolist())
        sizes = np.fromiter(map(len, values), np.int64, len(values))
        starts = np.append(0, np.cumsum(sizes))
        hashes = np.concatenate([np.zeros(0, np.uint64), *values])
        parts.append(np.stack([common(starts, hashes, i, j), sizes[i], sizes[j]], axis=1))
    return np.concatenate(parts)


def shares(counts: RowIds) -> NDArray[np.float64]:
    """Return the share of each set that the other one has (float64[pairs, 2])."""
    found: NDArray[np.float64] = counts[:, :1] / np.maximum(counts[:, 1:], 1)
    return found


def cut_slot(whole: memoryview, slot: Slot) -> bytes:
    """Return the bytes of a slot in memory."""
    return bytes(whole[slot.start : slot.start + slot.size])
