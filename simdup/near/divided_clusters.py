"""Clusters that people decided to divide.

A decision forbids that some documents share a cluster, but near pairs may join them through others.
So near pairs are tried again in the order of keeping: a take or a join that would bring two such
documents together is not made (`simdup.near.leading`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from simdup.base.system import without_dot
from simdup.model.clusters import FEW
from simdup.model.criteria import Criteria
from simdup.model.decisions import Decisions
from simdup.model.measures import DocumentPair
from simdup.near.clustering import Group
from simdup.near.leading import lead
from simdup.search.arrays import I64


def divide(
    groups: Iterable[Group],
    criteria: Criteria,
    names: Sequence[Any],
    order: I64,
    near_pairs: Callable[[Group, Collection[int]], Sequence[DocumentPair]],
) -> list[Group]:
    """Return groups without any in which documents meet that are decided to be distinct.

    Parameters
    ----------
    groups : iterable of Group
        Of documents by number, the place of their name in `names`.
    criteria : Criteria
        With decisions, which have ids as text.
    names : sequence
    order : int64[documents]
        The place of each document in the order of keeping.
    near_pairs : callable
        Returns the near pairs of a group, given its documents that decisions name.
    """
    undivided = list(groups)
    every_name = {str(names[one]) for group in undivided for one in group.members}
    rules = _Rules(criteria.decisions, every_name)
    if not rules.relevant:
        return undivided
    parts: list[Group] = []
    for group in undivided:
        marks = {one: rules.named([str(names[one])]) for one in group.members}
        named = sorted(set().union(*marks.values()))
        if any(rules.distinct(a, b) for i, a in enumerate(named) for b in named[:i]):
            decided = [one for one, mark in marks.items() if mark]
            pairs = near_pairs(group, decided)
            parts += _parts(pairs, criteria, marks, rules, order)
        else:
            parts.append(group)
    return parts


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


def _parts(
    pairs: Sequence[DocumentPair],
    criteria: Criteria,
    marks: dict[int, set[str]],
    rules: _Rules,
    order: I64,
) -> Iterator[Group]:
    """Yield the parts of a group that have several documents."""
    each = []
    for pair in pairs:
        first, second = sorted((pair.a, pair.b), key=order.__getitem__)
        each.append((first, second, pair.taken_by(first, criteria)))
    each.sort(key=lambda pair: (order[pair[0]], order[pair[1]]))
    taken_by, root, _ = lead(each, marks, rules.distinct)
    members: dict[int, list[int]] = {}
    for document in sorted(root):
        members.setdefault(root[document], []).append(document)
    for part in members.values():
        if len(part) > 1:
            taken = {one: taken_by[one] for one in part if one in taken_by}
            yield Group(part, taken, list(_listed(pairs, set(part), taken, criteria)))


def _listed(
    pairs: Sequence[DocumentPair], part: set[int], taken_by: dict[int, int], criteria: Criteria
) -> Iterator[DocumentPair]:
    """Yield the pairs of a part that are listed."""
    for pair in pairs:
        if pair.a in part and pair.b in part:
            took = taken_by.get(pair.a) == pair.b or taken_by.get(pair.b) == pair.a
            if took or criteria.all_pairs or len(part) <= FEW:
                yield pair
