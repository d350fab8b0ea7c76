"""Clusters, and which document of each to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence


def components(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the groups of documents that pairs connect (single linkage).

    Each group rises; the groups come by falling size, then by their first document.

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
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]))


def chooser(
    keep: str,
    lengths: Sequence[int],
    modified: Sequence[float],
    rank: Callable[[int], int] = lambda document: 0,
) -> Callable[[Sequence[int]], int]:
    """Return the function that names the document of a group to keep.

    Parameters
    ----------
    keep : str
        One of `simdup.model.KEEP`; of equals the first in input order is kept.
    lengths : sequence of int
        Every document's length in characters.
    modified : sequence of float
        When every document was last changed.
    rank : callable, optional
        Goes before `keep`: of a group, only documents of the lowest rank can be kept.
    """
    order: dict[str, Callable[[int], float]] = {
        "first": lambda document: document,
        "longest": lambda document: -lengths[document],
        "shortest": lambda document: lengths[document],
        "newest": lambda document: -modified[document],
        "oldest": lambda document: modified[document],
    }
    worth = order[keep]
    return lambda group: min(
        group, key=lambda document: (rank(document), worth(document), document)
    )
