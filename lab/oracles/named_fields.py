"""Records compared field by field, slowly: one pair after the other, one block after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from simdup.text.field_values import FieldValue, field_values, intervals, similarity

# A record: its values by field.
Record = Mapping[str, str]
MANY = 50


class SlowFields:
    """What `simdup.near.named_fields` finds, from its definition."""

    def __init__(
        self, records: Sequence[Record], match: Mapping[str, float], differ: Mapping[str, float]
    ) -> None:
        self.records, self.match, self.differ = records, match, differ

    def value(self, row: int, field: str) -> FieldValue:
        """Return a value as it is compared."""
        (found,) = field_values([self.records[row].get(field, "")])
        return found

    def spans(self, row: int, field: str) -> list[tuple[float, float]]:
        """Return the intervals of a value."""
        tolerance = self.differ[field]
        ((a, b, c, d),) = intervals([self.records[row].get(field, "")], tolerance).tolist()
        return [(a, c), (b, d)]

    def key(self, row: int, field: str) -> object:
        """Return what is equal for equal values; None for a missing one."""
        if field in self.match:
            return tuple(sorted(self.value(row, field).words)) or None
        spans = self.spans(row, field)
        return None if math.isinf(spans[0][0]) else tuple(spans)

    def meet(self, i: int, j: int, exactly: bool = False) -> bool:
        """Return whether no field of two records differs."""
        for field in self.differ:
            for (a, b), (c, d) in zip(self.spans(i, field), self.spans(j, field), strict=True):
                known = not (math.isinf(a) or math.isinf(c))
                if a > d or c > b or (exactly and known and a != c):
                    return False
        return True

    def identifying(self, row: int) -> set[tuple[str, ...]]:
        """Return the fields that identify a record, alone and by two."""
        found = {(field,) for field in self.match if self._identified(row, (field,))}
        exact = [field for field, tolerance in self.differ.items() if not tolerance]
        others = [field for field, tolerance in self.differ.items() if tolerance]
        for both in combinations([*self.match, *exact], 2):
            ways = [both, *((*both, one) for one in others)]
            if both[0] in self.match and any(self._identified(row, fields) for fields in ways):
                found.add(both)
        return found

    def _identified(self, row: int, fields: tuple[str, ...]) -> bool:
        wanted = [self.key(row, field) for field in fields]
        if None in wanted:
            return False
        block = [
            other for other in range(len(self.records))
            if [self.key(other, field) for field in fields] == wanted
        ]  # fmt: skip
        if len(fields) == 1 and len(block) > MANY:
            return False
        return all(self.meet(i, j) for i, j in combinations(block, 2)) and all(
            self._alike(block, field) for field in self.match if field not in fields
        )

    def _alike(self, block: Sequence[int], field: str) -> bool:
        """Return whether values are like that with the smallest key."""
        values = [value for row in block if (value := self.value(row, field)).words]
        if not values:
            return True
        first = min(values, key=lambda value: value.key)
        clearly = self.match[field] / 2
        return not any(similarity(first, one) < clearly for one in values if one.key != first.key)

    def similarities(self, i: int, j: int) -> list[float]:
        """Return how alike the fields of two records are; NaN where either lacks one."""
        pairs = ((self.value(i, field), self.value(j, field)) for field in self.match)
        return [similarity(a, b) if a.words and b.words else math.nan for a, b in pairs]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of records that agree."""
        known = [self.identifying(row) for row in range(len(self.records))]
        for i, j in combinations(range(len(self.records)), 2):
            shared = known[i] & known[j]
            alone = all(len(fields) > 1 for fields in shared)
            alike = self.similarities(i, j)
            near = [
                not value < least for value, least in zip(alike, self.match.values(), strict=True)
            ]
            some = not all(map(math.isnan, alike))
            if shared and some and all(near) and self.meet(i, j, exactly=alone):
                yield i, j


def slow_words(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the letters of words that both lists have, whatever their order."""
    left, letters = list(b), 0
    for word in a:
        if word in left:
            left.remove(word)
            letters += len(word)
    return letters
