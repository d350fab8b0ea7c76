"""Records compared field by field: how alike their fields are, what identifies them, what proposes.

A pair must reach the least similarity in each field that `Criteria.match` names and both have, and
must not differ in one that `Criteria.differ` names.  Missing fields neither join nor part.

*What identifies.*  "Editorial" is the title of thousands of works.  A value identifies a record if
the records that have it do not contradict each other in another named field, and are not too many.
Where it does not, it may do so together with another value: this title and these pages, perhaps of
this year.  A pair needs something that identifies it in both records; where that is no single
value, a tolerance does not count either, because reports of two years may have everything else in
common.

*Candidates.*  Fields that ask for much of each other propose values with like letters, by the keys
of short texts (`simdup.text.bands`); others propose equal values.  Values that identify nobody
alone propose pairs together with a word, or a value, of another field; where a crowd shares both,
each record is proposed with the next only, in the order of what else is known of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64, mix_columns
from simdup.corpus.spool import Slot, Slots, slot_at
from simdup.model.criteria import Criteria
from simdup.model.table import Documents
from simdup.near.batch_reader import DOCUMENTS, Columns
from simdup.near.rules import COMBINED
from simdup.search.arrays import U64, Bools, RowIds, RowPairs, iter_ranges, run_starts
from simdup.text.bands import form_keys
from simdup.text.field_values import (
    SLOTS,
    FieldValue,
    digest64,
    field_values,
    intervals,
    similarity,
)

# Fields that need less than this of each other propose equal values only: lists of authors with
# half of their letters in common are too many.
_PROPOSING = 0.7
# Values less alike than this share of what is asked for contradict each other; above it, a garbled
# name may be the same.
_CLEARLY = 0.5
# More records than this do not share a value that names one work.
_MANY = 50
# Values that are remembered while pairs are measured: 10 MB.
_REMEMBERED = 1 << 14
# More records that share a value and a word are a crowd, of which not all pairs are proposed.
_CROWD = 256
# Words of a value that propose pairs together with one that identifies nobody alone.
_WORDS = 16
# Pairs listed at a time.
_CHUNK = 1 << 16
_SEPARATOR = "\0"


def field_columns(batch: Any, criteria: Criteria) -> Mapping[str, Columns]:
    """Make the columns of named fields: values, their keys and intervals, and what proposes."""
    # Texts have no values.
    lacking = ("",) * len(criteria.named_fields)
    rows = [document.values or lacking for document, _ in batch.documents]
    by_field = [[row[i] for row in rows] for i in range(len(criteria.named_fields))]
    count, match, differ = len(rows), criteria.match, criteria.differ
    matched, others = by_field[: len(match.names)], by_field[len(match.names) :]
    bounds = [intervals(*each) for each in zip(others, differ.numbers, strict=True)]
    columns: dict[str, Any] = {"bounds": _joined_bounds(bounds, count)}
    if match.names:
        values = list(map(field_values, matched))
        keys = [np.array([one.key for one in some], np.uint64) for some in values]
        points = list(map(_point_keys, bounds))
        columns["field_keys"] = np.column_stack([*keys, *points])
        columns["values"] = batch.spooled([_SEPARATOR.join(row[: len(values)]) for row in rows])
        near = [
            _letter_keys(some, least, criteria)
            for some, least in zip(values, match.numbers, strict=True)
        ]
        columns["letter_keys"] = np.hstack(near)
    return {DOCUMENTS: columns}


def _joined_bounds(bounds: Sequence[NDArray[np.float64]], count: int) -> NDArray[np.float64]:
    """Return the lower bounds of all fields, then the upper ones (float64[n, 2 * slots])."""
    empty = np.zeros((count, 0))
    low, high = ([one[:, at : at + SLOTS] for one in bounds] for at in (0, SLOTS))
    return np.hstack([empty, *low, *high])


def _point_keys(bounds: NDArray[np.float64]) -> U64:
    """Return a key of each value; 0 for a missing one."""
    keys = mix_columns(_bits_of(bounds))
    known = np.isfinite(bounds[:, 0])
    return np.where(known, keys | np.uint64(1), np.uint64(0))


def _letter_keys(values: Sequence[FieldValue], least: float, criteria: Criteria) -> NDArray[Any]:
    """Return the band keys of the letters of values (uint32[n, bands]); 0 for empty ones."""
    if least < _PROPOSING:
        return np.zeros((len(values), 0), np.uint32)
    rows = [row for row, one in enumerate(values) if one.letters]
    found = form_keys([values[row].letters for row in rows], least, criteria)
    # Values with other numbers are never alike.
    marks = np.array([digest64(" ".join(values[row].all_marks)) for row in rows], np.uint64)
    keys = np.zeros((len(values), found.shape[1]), np.uint32)
    keys[rows] = (found ^ marks[:, np.newaxis]).astype(np.uint32)
    return keys


# -- what identifies -------------------------------------------------------------------------------


class NamedValues:
    """The values that records have in the fields of `Criteria.match`, read when they are needed.

    Parameters
    ----------
    slots : int64[n, 2]
        Of the values of each record.
    read : callable
        Returns the bytes of a slot.
    fields : int
        How many values a record has.
    """

    def __init__(self, slots: Slots, read: Callable[[Slot], bytes], fields: int) -> None:
        self._slots, self._bytes, self._fields = slots, read, fields
        self.of = lru_cache(_REMEMBERED)(self._read)

    def _read(self, row: int) -> tuple[FieldValue, ...]:
        return tuple(field_values(self.written(row)))

    def written(self, row: int) -> list[str]:
        """Return the values of a record as they are written."""
        content = self._bytes(slot_at(self._slots, row))
        return content.decode("utf-8", "surrogatepass").split(_SEPARATOR)

    def similarities(self, a: RowIds, b: RowIds) -> NDArray[np.float64]:
        """Return how similar the values of records are (float64[pairs, fields]).

        NaN is for a field that one of the two lacks.
        """
        found = np.full((len(a), self._fields), np.nan)
        for row, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            for field, (x, y) in enumerate(zip(self.of(i), self.of(j), strict=True)):
                if x.words and y.words:
                    found[row, field] = similarity(x, y)
        return found


class Identifier(NamedTuple):
    """What may identify a record: the value of a field, or of two, perhaps with a third."""

    fields: tuple[int, ...]  # a matched one first
    bit: int
    also: tuple[int, ...] = ()  # numbers with a tolerance, one of which may help


def identifiers_of(criteria: Criteria) -> Iterator[Identifier]:
    """Yield what may identify: each matched field, and each together with another field."""
    matched = len(criteria.match.names)
    for field in range(matched):
        yield Identifier((field,), field)
    exact = [matched + i for i, tolerance in enumerate(criteria.differ.numbers) if not tolerance]
    others = tuple(matched + i for i, number in enumerate(criteria.differ.numbers) if number)
    both = combinations([*range(matched), *exact], 2)
    for number, fields in enumerate(one for one in both if one[0] < matched):
        yield Identifier(fields, COMBINED + number, others)


@dataclass(frozen=True)
class Identified:
    """Which values identify records, of all that a run has.

    Attributes
    ----------
    documents : Documents
        With the columns that `field_columns` makes.
    values : NamedValues
    criteria : Criteria
    """

    documents: Documents
    values: NamedValues
    criteria: Criteria

    def bits(self) -> U64:
        """Return what identifies each record (uint64[n]): a bit for each of `identifiers_of`."""
        bits = np.zeros(len(self.documents), np.uint64)
        for part in identifiers_of(self.criteria):
            for fields in (part.fields, *((*part.fields, one) for one in part.also)):
                bits[self._identified(fields)] |= np.uint64(1 << part.bit)
        return bits

    def _identified(self, fields: Sequence[int]) -> RowIds:
        """Return the records that their values of some fields identify."""
        keys = self._keys(fields)
        rows = np.flatnonzero(keys)
        if not len(rows):
            return rows
        rows = rows[np.argsort(keys[rows], kind="stable")]
        starts = run_starts(keys[rows])
        sizes = np.diff(np.append(starts, len(rows)))
        good = self._meeting(rows, starts)
        if len(fields) == 1:
            np.logical_and(good, sizes <= _MANY, out=good)
        for field in set(range(len(self.criteria.match.names))) - set(fields):
            np.logical_and(good, self._alike(rows, starts, sizes, field, good), out=good)
        return rows[np.repeat(good, sizes)]

    def _keys(self, fields: Sequence[int]) -> U64:
        columns = [self.documents["field_keys"][:, field] for field in fields]
        known = np.all([column > 0 for column in columns], axis=0)
        return np.where(known, mix_columns(columns) | np.uint64(1), np.uint64(0))

    def _meeting(self, rows: RowIds, starts: RowIds) -> Bools:
        """Return in which groups of rows no two differ in an interval."""
        bounds = self.documents["bounds"][rows]
        half = bounds.shape[1] // 2
        if not half:
            return np.ones(len(starts), np.bool_)
        low = np.maximum.reduceat(bounds[:, :half], starts, axis=0)
        high = np.minimum.reduceat(bounds[:, half:], starts, axis=0)
        good: Bools = np.all(low <= high, axis=1)
        return good

    def _alike(
        self, rows: RowIds, starts: RowIds, sizes: RowIds, field: int, wanted: Bools
    ) -> Bools:
        """Return in which groups of rows the values of a field are like one of them.

        That is the one with the smallest key, so that the order of records does not matter.
        """
        keys = self.documents["field_keys"][rows, field]
        least = np.minimum.reduceat(np.where(keys > 0, keys, np.iinfo(np.uint64).max), starts)
        group = np.repeat(np.arange(len(starts)), sizes)
        first = np.full(len(starts), -1)
        holding = np.flatnonzero(keys == least[group])
        first[group[holding[::-1]]] = rows[holding[::-1]]
        others = np.flatnonzero((keys > 0) & (keys != least[group]) & wanted[group])
        good = np.ones(len(starts), np.bool_)
        for place in others.tolist():
            if good[group[place]]:
                both = (int(first[group[place]]), int(rows[place]))
                one, other = (self.values.of(row)[field] for row in both)
                clearly = _CLEARLY * self.criteria.match.numbers[field]
                good[group[place]] = not similarity(one, other) < clearly
        return good


def deciding_fields(
    documents: Documents, values: NamedValues | None, criteria: Criteria
) -> Columns:
    """Return the columns by which `simdup.near.rules` decides about named fields."""
    bounds = documents["bounds"]
    columns: dict[str, Any] = {"bounds": bounds}
    kinds = _bits_of(bounds)
    if values is not None:
        columns["identifying"] = Identified(documents, values, criteria).bits()
        kinds += [columns["identifying"], *documents["field_keys"].T]
    columns["named_fields"] = mix64(mix_columns(kinds))
    return columns


def shared_values(
    documents: Documents, values: NamedValues, criteria: Criteria
) -> Iterator[tuple[str, str]]:
    """Yield a note on each field with values that say nothing alone, with the most frequent one."""
    for field, (name, least) in enumerate(zip(*criteria.match, strict=True)):
        keys = documents["field_keys"][:, field]
        alone = documents["identifying"] >> np.uint64(field) & np.uint64(1) > 0
        rows = np.flatnonzero((keys > 0) & ~alone)
        # Everybody writes several works.
        if least < _PROPOSING or not len(rows):
            continue
        _, first, counts = np.unique(keys[rows], return_index=True, return_counts=True)
        most = int(rows[first[np.lexsort((first, -counts))[0]]])
        example = values.written(most)[field]
        if len(example) > 60:
            example = f"{example[:57]}..."
        what = f"{len(rows):,} records have a {name!r} that different works share, such as"
        yield "`match`", f"{what} {example!r}; they need another field that agrees"


# -- what proposes ---------------------------------------------------------------------------------


def letter_keys(documents: Documents, criteria: Criteria) -> U64:
    """Return the keys by which records meet whose values may be alike (uint64[n, keys]).

    A value that does not identify its record alone meets none.
    """
    rows, at, found = np.arange(len(documents)), 0, list[U64]()
    identifying = documents["identifying"]
    for field, width in enumerate(_widths(criteria)):
        equal = documents["field_keys"][:, field]
        near = documents["letter_keys"][:, at : at + width].astype(np.uint64)
        own = np.column_stack([mix64(equal), mix64(near)])
        # Different in each row and column.
        places = rows[:, np.newaxis] * own.shape[1] + np.arange(own.shape[1])
        alone = mix64(places.astype(np.uint64))
        known = identifying >> np.uint64(field) & np.uint64(1) > 0
        found.append(np.where(known[:, np.newaxis], own, alone))
        at += width
    return np.hstack(found)


def _widths(criteria: Criteria) -> list[int]:
    """Return how many keys of letters each matched field has."""
    return [
        form_keys([], least, criteria).shape[1] if least >= _PROPOSING else 0
        for least in criteria.match.numbers
    ]


def combined_pairs(
    documents: Documents, values: NamedValues, rows: RowIds, criteria: Criteria
) -> RowPairs:
    """Return the pairs of rows that share a value which identifies neither, and something else.

    Each is there once, the smaller row first, ordered.
    """
    keyed, identifying = [np.zeros((0, 2), np.uint64)], documents["identifying"]
    for part in identifiers_of(criteria):
        known = identifying[rows] >> np.uint64(part.bit) & np.uint64(1) > 0
        for field in part.fields if len(part.fields) == 2 else ():
            if field < len(criteria.match.names):
                alone = identifying[rows] >> np.uint64(field) & np.uint64(1) > 0
                keyed.append(_keyed(documents, values, part, field, rows[known & ~alone], criteria))
    keys, found = np.concatenate(keyed).T
    rest = mix_columns([np.zeros(len(documents), np.uint64), *_bits_of(documents["bounds"])])
    found = found.astype(np.int64)
    return _sharing(np.ascontiguousarray(keys), found, rest[found])


def _keyed(
    documents: Documents,
    values: NamedValues,
    part: Identifier,
    field: int,
    rows: RowIds,
    criteria: Criteria,
) -> U64:
    """Return keys of a field together with the other one of a part, and the rows that have them."""
    keys = documents["field_keys"]
    (other,) = set(part.fields) - {field}
    if other >= len(criteria.match.names):
        both = mix_columns([keys[rows, field], keys[rows, other]])
        return np.column_stack([both, rows.astype(np.uint64)])
    pairs = [
        (digest64(f"{part.bit} {keys[row, field]} {word}"), row)
        for row in rows.tolist()
        for word in sorted(set(values.of(row)[other].words))[:_WORDS]
    ]
    return np.array(pairs, np.uint64).reshape(-1, 2)


def _bits_of(bounds: NDArray[np.float64]) -> list[U64]:
    """Return the columns of bounds as the numbers that their bits are."""
    return list(np.ascontiguousarray(bounds.T).view(np.uint64))


def _sharing(keys: U64, rows: RowIds, rest: U64) -> RowPairs:
    """Return the pairs of rows that share a key, each once, ordered.

    Of a crowd, these are neighbours in the order of `rest`.
    """
    order = np.lexsort((rows, rest, keys))
    rows, starts = rows[order], run_starts(keys[order])
    ends = np.append(starts[1:], len(rows)).astype(np.int64) if len(rows) else starts
    sizes = np.diff(ends, prepend=0)
    after = np.repeat(ends, sizes) - np.arange(len(rows)) - 1
    after[(np.repeat(sizes, sizes) > _CROWD) & (after > 1)] = 1
    found = [np.zeros(0, np.int64)]
    for left, offset in iter_ranges(after, _CHUNK):
        one, other = rows[left], rows[left + 1 + offset]
        a, b = np.minimum(one, other), np.maximum(one, other)
        found.append(np.unique((a << 32 | b)[a != b]))
    both = np.unique(np.concatenate(found))
    return both >> 32, both & 0xFFFFFFFF
