"""Leaders inside components: which of near documents are kept, and whom each of them takes.

In the order of keeping, a document that nobody took is kept.  It takes every later one that is near
it, that it may stand for, and that nobody took.  So a redundant document is always near the kept
one that it names, and what is redundant is never a reason to remove another.  Clusters are the
components that near pairs connect, so one may have several kept documents.

`simdup.kernels.leaders` finds the same without all pairs.  Here all near pairs are known.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from simdup.model.criteria import Criteria
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
