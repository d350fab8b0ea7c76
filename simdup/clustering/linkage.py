"""Group documents by linkage, and choose which one of each group to keep."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, TypeAlias

from numpy.typing import NDArray

from simdup.corpus.patterns import matches
from simdup.model.criteria import Criteria
from simdup.model.table import Documents

Group: TypeAlias = list[int]

# Orders documents: the smallest is kept first.
Priority: TypeAlias = tuple[float, ...]


def components(pairs: Iterable[tuple[int, int]]) -> list[Group]:
    """Return the groups of documents that pairs connect (single linkage).

    Groups are ascending, and sorted by size, largest first, then by their first document.

    References
    ----------
    B. Galler, M. Fischer, "An improved equivalence algorithm", CACM 7 (1964): the forest that
    `root` climbs; the smaller number always becomes the root, so the result needs no order.
    """
    parent: dict[int, int] = {}

    def root(document: int) -> int:
        while (above := parent.setdefault(document, document)) != document:
            parent[document] = document = parent[above]
        return document

    for a, b in pairs:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    groups: dict[int, Group] = {}
    for document in sorted(parent):
        groups.setdefault(root(document), []).append(document)
    return ordered(groups.values())


def stars(
    pairs: Iterable[tuple[int, int]],
    first_of: Mapping[int, int],
    priority: Callable[[int], Priority],
    twins: Container[int] = (),
) -> list[Group]:
    """Return groups in which the kept document takes every other one (star linkage).

    The first document of a pair may take the second; if either may take the other, there are two
    such pairs.  Documents are visited by priority: a document without a group is kept, and those
    without a group that it may take join it.  Redundancy is therefore never transitive.  A stream
    deduplicator that keeps whatever comes first does the same.

    `first_of` maps each copy to the first identical document; only that one needs to appear in
    pairs with others.  Groups are ascending.  The copies of `twins` are never pairs, so the others
    stay out where one of them is kept: all their partners are taken.
    """
    copies: dict[int, Group] = {}
    for copy, first in first_of.items():
        copies.setdefault(first, [first]).append(copy)
    partners: dict[int, set[int]] = {}
    for a, b in pairs:
        a, b = first_of.get(a, a), first_of.get(b, b)
        partners.setdefault(a, set()).add(b)
        partners.setdefault(b, set())

    def alike(document: int) -> Group:
        return copies.get(document, [document])

    taken: set[int] = set()
    groups = []
    for kept in sorted(partners, key=lambda first: min(map(priority, alike(first)))):
        if kept in taken:
            continue
        members = {kept} | (partners[kept] - taken)
        taken |= members
        group = [document for first in members for document in alike(first)]
        if kept in twins:
            others = set(alike(kept)) - {min(alike(kept), key=priority)}
            group = [document for document in group if document not in others]
        if len(group) > 1:
            groups.append(sorted(group))
    return ordered(groups)


def ordered(groups: Iterable[Group]) -> list[Group]:
    """Return groups sorted by size, largest first, then by their first document."""
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def priority_by(
    keep: str,
    column: Callable[[str], NDArray[Any]],
    rank: Callable[[int], int] = lambda document: 0,
) -> Callable[[int], Priority]:
    """Return the sort key of documents: the one to keep comes first; ties go to input order.

    `keep` is that of `simdup.model.criteria.Criteria`; `column` returns the ``length`` of
    documents, the times when they were ``modified``, or the ``value`` of the field that `keep`
    names; NaN comes last.  `rank` precedes all of these: only documents of a group's lowest rank
    can be kept.
    """
    ways = {
        "longest": ("length", -1), "shortest": ("length", 1),
        "newest": ("modified", -1), "oldest": ("modified", 1),
        "max": ("value", -1), "min": ("value", 1),
    }  # fmt: skip
    way = ways.get(keep.partition(":")[0])
    if way is None:
        return lambda document: (rank(document), document)
    # Plain numbers answer faster than those of an array.
    values, sign = column(way[0]).tolist(), way[1]

    def priority(document: int) -> Priority:
        value = sign * values[document]
        return (rank(document), value if value == value else math.inf, document)

    return priority


def rank_by(criteria: Criteria, documents: Documents) -> Callable[[int], int]:
    """Return the rank that precedes the `keep` policy: references, then preferred documents."""
    prefer, decided = criteria.prefer, criteria.decisions.kept
    references = documents["reference"].tolist()
    if not prefer and not decided:
        return lambda document: -1 if references[document] else 0

    def rank(document: int) -> int:
        if references[document]:
            return -2
        name, path = str(documents["name"][document]), documents["path"][document]
        if name in decided:
            return -1
        hits = (i for i, one in enumerate(prefer) if matches(name, [one]) or matches(path, [one]))
        return next(hits, len(prefer))

    return rank


def first_come(document: int) -> Priority:
    """Keep the first of a group: the priority if neither lengths nor times are known."""
    return (document,)
