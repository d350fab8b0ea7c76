"""Clusters that people decided to divide.

A decision forbids that some documents share a cluster, but single linkage may join them through
others.  So pairs are taken again, the most alike first, as in Kruskal's algorithm, and a pair joins
its two groups unless that would bring two such documents together.  What is cut is therefore the
weakest link of each way between them, and the order of pairs decides nothing: equal ones go by the
numbers of their documents.

Only what pairs show is used.  A large group lists one pair for each document, and where these do
not connect it, decisions see the pairs that do.  So a document leaves a cluster
only together with one that a decision names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from simdup.base.system import without_dot
from simdup.model.decisions import Decisions
from simdup.model.measures import DocumentPair
from simdup.near.clustering import Group, Priority


def divide(
    groups: Iterable[Group],
    decisions: Decisions,
    names: Sequence[Any],
    priority: Callable[[int], Priority],
) -> list[Group]:
    """Return groups without any in which documents meet that are decided to be distinct.

    Documents in groups go by their number, the place of their name in `names`; decisions have ids
    as text.  `priority` says which one of a new group is kept.
    """
    given = list(groups)
    rules = _Rules(decisions, {str(names[one]) for group in given for one in group.members})
    if not rules.relevant:
        return given
    return [part for group in given for part in _divide(group, rules, names, priority)]


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


def _divide(
    group: Group, rules: _Rules, names: Sequence[Any], priority: Callable[[int], Priority]
) -> Iterator[Group]:
    """Yield the parts of a group that have several documents; the group itself if it may stay."""
    named = sorted(rules.named(str(names[one]) for one in group.members))
    if not any(rules.distinct(a, b) for i, a in enumerate(named) for b in named[:i]):
        yield group
        return
    members: dict[int, list[int]] = {one: [one] for one in group.members}
    decided = {one: rules.named([str(names[one])]) for one in group.members}
    root = {one: one for one in group.members}
    for pair in sorted([*group.pairs, *group.links], key=_strength):
        a, b = sorted((root[pair.a], root[pair.b]))
        if a == b or any(rules.distinct(x, y) for x in decided[a] for y in decided[b]):
            continue
        for one in members[b]:
            root[one] = a
        members[a] += members.pop(b)
        decided[a] |= decided.pop(b)
    for part in members.values():
        if len(part) > 1:
            yield _part(group, sorted(part), root, priority)


def _strength(pair: DocumentPair) -> tuple[float, int, int, int]:
    similarity = pair.measures.similarity
    return (0.0 if similarity is None else -similarity, pair.distance, pair.a, pair.b)


def _part(
    group: Group,
    members: Sequence[int],
    root: Mapping[int, int],
    priority: Callable[[int], Priority],
) -> Group:
    kept = group.kept if group.kept in members else min(members, key=priority)
    here = root[members[0]]
    known_pairs = sorted([*group.pairs, *group.links])
    pairs = [pair for pair in known_pairs if root[pair.a] == root[pair.b] == here]
    return Group(kept, members, pairs, group.complete)
