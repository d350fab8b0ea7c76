"""Group documents by linkage, and choose which one of each group to keep."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from numpy.typing import NDArray

from simdup.corpus.patterns import matches
from simdup.model.criteria import Criteria
from simdup.model.table import Documents

# Orders documents: the smallest is kept first.
Priority: TypeAlias = tuple[float, ...]


def components(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
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
    groups: dict[int, list[int]] = {}
    for document in sorted(parent):
        groups.setdefault(root(document), []).append(document)
    return ordered(groups.values())


def ordered(groups: Iterable[list[int]]) -> list[list[int]]:
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
