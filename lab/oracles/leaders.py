"""Kept documents and clusters as the glossary defines them, given all near pairs."""

from collections.abc import Iterable, Sequence, Set


def leaders(
    order: Sequence[int],  # of keeping
    near: Iterable[tuple[int, int]],
    takes: Set[tuple[int, int]],  # pairs (kept, redundant) that are allowed
    distinct: Iterable[tuple[int, int]],
) -> tuple[dict[int, int], dict[int, set[int]]]:
    """For each document the kept one that it names, itself if it is kept; and its cluster."""
    place = {document: number for number, document in enumerate(order)}
    kept = {document: document for document in order}
    cluster = {document: {document} for document in order}
    pairs = (sorted(pair, key=place.__getitem__) for pair in near)
    for a, b in sorted(pairs, key=lambda pair: [place[document] for document in pair]):
        if b not in cluster[a]:
            both = cluster[a] | cluster[b]
            if any({*pair} <= both for pair in distinct):
                continue
            cluster |= dict.fromkeys(both, both)
        if kept[a] == a and kept[b] == b and (a, b) in takes:
            kept[b] = a
    return kept, cluster
