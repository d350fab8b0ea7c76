"""Decisions of people: documents that are distinct share no cluster.

Near pairs may join them through others.  So the near pairs of such a cluster are tried again in the
order of keeping: a take or a join that would bring two of them together is not made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from simdup.base.errors import counted
from simdup.base.system import without_dot
from simdup.model.criteria import Criteria
from simdup.model.decisions import Decisions
from simdup.model.measures import MeasuredPairs
from simdup.near.leading import in_order, lead
from simdup.search.arrays import I64


def divide(
    clusters: Iterable[Sequence[int]],
    criteria: Criteria,
    names: Sequence[Any],
    order: I64,
    near_pairs: Callable[[Sequence[int], Collection[int]], MeasuredPairs],
) -> Iterator[tuple[Sequence[int], dict[int, int], dict[int, int]]]:
    """Yield the clusters in which documents meet that are decided to be distinct, divided.

    Parameters
    ----------
    clusters : iterable of sequence of int
        Of documents by number, the place of their name in `names`.
    criteria : Criteria
        With decisions, which have ids as text.
    names : sequence
    order : int64[documents]
        The place of each document in the order of keeping.
    near_pairs : callable
        Returns the near pairs of a cluster, given its documents that decisions name.

    Yields
    ------
    members : sequence of int
    taken_by, root : dict
        As `lead` returns them.
    """
    undivided = list(clusters)
    every_name = {str(names[row]) for members in undivided for row in members}
    rules = _Rules(criteria.decisions, every_name)
    for members in undivided if rules.relevant else ():
        marks = {row: rules.named([str(names[row])]) for row in members}
        named = sorted(set().union(*marks.values()))
        if any(rules.distinct(a, b) for i, a in enumerate(named) for b in named[:i]):
            pairs = near_pairs(members, [row for row, mark in marks.items() if mark])
            each = in_order(pairs, order, criteria)
            yield members, *lead(each, marks, rules.distinct)[:2]


def notes(criteria: Criteria, names: Iterable[Any]) -> list[tuple[str, str]]:
    """Return the note on decided documents that are not among `names`, if there are any."""
    named, present = list(criteria.decisions.names), {without_dot(str(name)) for name in names}
    missing = [name for name in named if name not in present]
    if not missing:
        return []
    count = f"{len(missing):,} of {counted(len(named), 'document')}"
    return [("`decisions`", f"{count} not in this scan, such as {missing[0]!r:.120}")]


def confirmed(decisions: Decisions, names: Collection[str]) -> Callable[[str, str], bool]:
    """Return a function that tells which two of some documents were decided to be duplicates."""
    rules = _Rules(decisions, names)
    return lambda a, b: rules.kind(a, b) == "duplicates"


class _Rules:
    """What was decided about two documents: by the last decision that names both."""

    def __init__(self, decisions: Decisions, present: Collection[str]) -> None:
        self._kinds = [one.kind for one in decisions.each]
        names: dict[str, list[str]] = {}
        for name in present:
            names.setdefault(without_dot(name), []).append(name)
        # Of each document the decisions that name it.
        self._of: dict[str, list[int]] = {}
        for number, one in enumerate(decisions.each):
            for plain in one.documents if one.kind != "keep" else ():
                for name in names.get(plain, ()):
                    self._of.setdefault(name, []).append(number)
        self.relevant = any(
            self._kinds[number] == "distinct" for some in self._of.values() for number in some
        )

    def named(self, names: Iterable[str]) -> set[str]:
        """Return which of these names some decision names."""
        return {name for name in names if name in self._of}

    def distinct(self, a: str, b: str) -> bool:
        """Tell whether two documents must not share a cluster."""
        return self.kind(a, b) == "distinct"

    def kind(self, a: str, b: str) -> str:
        """Return what two documents are; empty if nobody decided about them."""
        both = set(self._of.get(a, ())) & set(self._of.get(b, ()))
        return self._kinds[max(both)] if both else ""
