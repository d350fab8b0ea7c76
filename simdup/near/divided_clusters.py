"""Clusters that are divided because some of their documents must not share one.

A decision forbids that some documents share a cluster, and so do fields that must not differ, but
others may join them: one without a DOI is a pair with two that have different ones.  So pairs are
taken again, the most alike first, as in Kruskal's algorithm, and a pair joins its two groups unless
that would bring two such documents together.  What is cut is therefore the
weakest link of each way between them, and the order of pairs decides nothing: equal ones go by the
numbers of their documents.

Only what pairs show is used.  A large group lists one pair for each document, and where these do
not connect it, decisions see the pairs that do.  So a document leaves a cluster
only together with one that a decision names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.system import without_dot
from simdup.model.decisions import Decisions
from simdup.model.measures import DocumentPair
from simdup.model.table import Documents
from simdup.near.clustering import Group, Priority


def divide(
    groups: Iterable[Group],
    decisions: Decisions,
    documents: Documents,
    priority: Callable[[int], Priority],
) -> list[Group]:
    """Return groups without any in which documents meet that must not.

    Documents in groups go by their number; decisions have ids as text.  `priority` says which one
    of a new group is kept.
    """
    given, names = list(groups), documents["name"]
    rules = _Rules(decisions, {str(names[one]) for group in given for one in group.members})
    if not rules.relevant and "bounds" not in documents:
        return given
    bounds = documents["bounds"] if "bounds" in documents else np.zeros((len(documents), 0))
    apart = _Apart(rules, names, bounds)
    return [part for group in given for part in _divide(group, apart, priority)]


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

    def named(self, names: Iterable[str]) -> frozenset[str]:
        """Return which of these names some decision names."""
        return frozenset(name for name in names if name in self._of)

    def distinct(self, a: str, b: str) -> bool:
        """Tell whether two documents must not share a cluster."""
        return self.kind(a, b) == "distinct"

    def kind(self, a: str, b: str) -> str:
        """Return what two documents are; empty if nobody decided about them."""
        both = set(self._of.get(a, ())) & set(self._of.get(b, ()))
        return self._kinds[max(both)] if both else ""


class _Kind(NamedTuple):
    """What decides whether some documents may share a cluster with others."""

    named: frozenset[str]  # those that decisions name
    bounds: NDArray[np.float64]  # what their intervals have in common


@dataclass(frozen=True)
class _Apart:
    """Which documents must not share a cluster."""

    rules: _Rules
    names: NDArray[np.object_]
    bounds: NDArray[np.float64]  # [documents, 2 * slots]: see `simdup.text.field_values`

    def kind(self, documents: Sequence[int]) -> _Kind:
        """Return what decides about documents."""
        half = self.bounds.shape[1] // 2
        own = self.bounds[list(documents)]
        shared = np.append(own[:, :half].max(axis=0), own[:, half:].min(axis=0))
        return _Kind(self.rules.named(str(self.names[one]) for one in documents), shared)

    def joined(self, a: _Kind, b: _Kind) -> _Kind:
        """Return what decides about the documents of both."""
        half = len(a.bounds) // 2
        low = np.maximum(a.bounds[:half], b.bounds[:half])
        high = np.minimum(a.bounds[half:], b.bounds[half:])
        return _Kind(a.named | b.named, np.append(low, high))

    def allows(self, kind: _Kind) -> bool:
        """Return whether documents may share a cluster, by their intervals."""
        half = len(kind.bounds) // 2
        return bool((kind.bounds[:half] <= kind.bounds[half:]).all())

    def distinct(self, a: Iterable[str], b: Iterable[str]) -> bool:
        """Return whether some of two sets of named documents are decided to be distinct."""
        others = list(b)
        return any(self.rules.distinct(x, y) for x in a for y in others)


def _divide(group: Group, apart: _Apart, priority: Callable[[int], Priority]) -> Iterator[Group]:
    """Yield the parts of a group that have several documents; the group itself if it may stay."""
    every = apart.kind(group.members)
    named = sorted(every.named)
    if apart.allows(every) and not any(apart.distinct([a], named[:i]) for i, a in enumerate(named)):
        yield group
        return
    members: dict[int, list[int]] = {one: [one] for one in group.members}
    kinds = {one: apart.kind([one]) for one in group.members}
    root = {one: one for one in group.members}
    for pair in sorted([*group.pairs, *group.links], key=_strength):
        a, b = sorted((root[pair.a], root[pair.b]))
        if a == b or apart.distinct(kinds[a].named, kinds[b].named):
            continue
        both = apart.joined(kinds[a], kinds[b])
        if not apart.allows(both):
            continue
        for one in members[b]:
            root[one] = a
        members[a] += members.pop(b)
        kinds[a] = both
        del kinds[b]
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
