"""Leaders inside components: which of near documents are kept, and whom each of them takes.

In the order of keeping, a document that nobody took is kept.  It takes every later one that is near
it, that it may stand for, and that nobody took.  So a redundant document is always near the kept
one that it names, and what is redundant is never a reason to remove another.  Clusters are the
components that near pairs connect, so one may have several kept documents.

`simdup.kernels.leaders` finds the same without all pairs.  Here all near pairs are known, which
decisions of people need.

A decision forbids that some documents share a cluster, but near pairs may join them through others.
So near pairs are tried again in the order of keeping: a take or a join that would bring two such
documents together is not made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from simdup.base.system import without_dot
from simdup.model.criteria import Criteria
from simdup.model.decisions import Decisions
from simdup.model.measures import MeasuredPairs
from simdup.search.arrays import I64


def in_order(
    pairs: MeasuredPairs, order: I64, criteria: Criteria
) -> Iterator[tuple[int, int, bool]]:
    """Return near pairs as `lead` takes them; `order` is the place of each document in it."""
    if not len(pairs):
        return iter(())
    turned = order[pairs["a"]] > order[pairs["b"]]
    a, b = np.where(turned, (pairs["b"], pairs["a"]), (pairs["a"], pairs["b"]))
    takes = np.where(turned, pairs.turned().taken(criteria), pairs.taken(criteria))
    rank = np.lexsort((order[b], order[a]))
    return zip(*(column[rank].tolist() for column in (a, b, takes)), strict=True)


def lead(
    pairs: Iterable[tuple[int, int, bool]],
    marks: Mapping[int, set[Any]] | None = None,
    apart: Callable[[Any, Any], bool] = lambda a, b: False,
    held: Container[int] = (),
) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """Return who takes whom, the components, and who is spared, given all near pairs.

    Parameters
    ----------
    pairs : iterable of (int, int, bool)
        Two documents, the one to keep first, and whether it may stand for the other; sorted by the
        places of the first, then of the second in the order of keeping.
    marks : mapping, optional
        Marks of documents.
    apart : callable
        Tells of two marks whether documents that have them must not share a component.
    held : container of int
        Documents that were taken by others: they neither lead nor are taken.

    Returns
    -------
    taken_by : dict
        For each redundant document, who took it.
    root : dict
        For each document of a pair, one that represents its component.
    spared : dict
        For documents that stay, the first kept one before them that is near and may not take them.
    """
    above: dict[int, int] = {}
    marked = {document: set(own) for document, own in (marks or {}).items()}
    taken_by: dict[int, int] = {}
    spared: dict[int, int] = {}

    def root(document: int) -> int:
        while (next_up := above.setdefault(document, document)) != document:
            above[document] = document = above[next_up]
        return document

    for a, b, takes in pairs:
        x, y = root(a), root(b)
        if x != y:
            first, second = marked.get(x, set()), marked.get(y, set())
            if any(apart(i, j) for i in first for j in second):
                continue
            above[y] = x
            if second:
                marked[x] = first | second
        if not {a, b} & taken_by.keys() and a not in held and b not in held:
            (taken_by if takes else spared).setdefault(b, a)
    spared = {b: a for b, a in spared.items() if b not in taken_by}
    return taken_by, {document: root(document) for document in list(above)}, spared


# -- clusters that people divide -------------------------------------------------------------------


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
