"""From fingerprinted documents to the pairs that meet the criteria."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.clusters import DocumentPair, Sketches
from simdup.ingest.counting import Effort
from simdup.model.criteria import FEW_TERMS, UNMEASURED, Criteria, Measures
from simdup.operations.searching import near_fingerprints
from simdup.search.banding import candidates

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Found:
    """The pairs of a corpus.

    Attributes
    ----------
    pairs : list of DocumentPair
        Ordered.
    first_of : dict
        For each copy the first document that is identical with it.
    candidates : int
        How many pairs were proposed, copies among them, before the texts were looked at.
    """

    pairs: list[DocumentPair]
    first_of: dict[int, int]
    candidates: int


def find_pairs(
    documents: Sketches,
    terms: NDArray[np.int64],
    keys: NDArray[np.uint64] | None,
    criteria: Criteria,
    effort: Effort,
) -> Found:
    """Find the pairs of documents that meet the criteria.

    Identical documents pair with the first of them only, and only the first with others.
    References are held against others, not against each other.

    Parameters
    ----------
    documents : Sketches
        What is known of all documents.
    terms : int64[documents]
        How many terms each has.
    keys : uint64[documents, bands] or None
        Band keys; without them fingerprints within the distance are proposed.
    criteria : Criteria
        What a pair has to meet.
    effort : Effort
        How the search goes.
    """
    values, measure, references = documents.values, documents.measure, documents.references
    first_of, distinct = _copies(documents, terms)
    same = UNMEASURED if measure is None else _identical(criteria)
    pairs = [
        DocumentPair(first, copy, 0, same)
        for copy, first in first_of.items()
        if copy not in references
    ]
    candidates = len(pairs)
    enough = terms[distinct] >= FEW_TERMS
    new = distinct >= len(references)
    for i, j in _proposed(documents, keys, distinct, criteria, effort):
        worth = enough[i] & enough[j] & (new[i] | new[j])
        i, j = distinct[i[worth]], distinct[j[worth]]
        apart = np.bitwise_count(values[i] ^ values[j]).sum(axis=1)
        for done, (a, b, d) in enumerate(zip(i.tolist(), j.tolist(), apart.tolist(), strict=True)):
            measures = UNMEASURED if measure is None else measure(a, b)
            if criteria.accepts(measures):
                pairs.append(DocumentPair(a, b, d, measures))
            if done % 1024 == 0:
                effort.progress("verifying", candidates + done, candidates + len(i))
        candidates += len(i)
    return Found(sorted(pairs), first_of, candidates)


def _copies(documents: Sketches, terms: NDArray[np.int64]) -> tuple[dict[int, int], Rows]:
    """Return for each copy the document it is a copy of, and the documents that are none."""
    seen: dict[tuple[bytes, bytes], int] = {}
    first_of: dict[int, int] = {}
    distinct: list[int] = []
    for document in np.flatnonzero(terms > 0).tolist():
        key = (documents.digests[document], documents.values[document].tobytes())
        first = seen.setdefault(key, document)
        if first == document:
            distinct.append(document)
        else:
            first_of[document] = first
    return first_of, np.array(distinct, np.int64)


def _identical(criteria: Criteria) -> Measures:
    """Return the measures of a text and itself."""
    return Measures(
        1.0,
        None if criteria.containment is None else 1.0,
        None if criteria.cosine is None else 1.0,
    )


def _proposed(
    documents: Sketches,
    keys: NDArray[np.uint64] | None,
    distinct: Rows,
    criteria: Criteria,
    effort: Effort,
) -> Iterator[tuple[Rows, Rows]]:
    """Yield blocks of pairs (i < j) of places in `distinct` that may meet the criteria."""
    if keys is not None:
        yield from candidates(keys[distinct])
        return
    values = documents.values[distinct]
    i, j, _ = near_fingerprints(values, criteria.distance, documents.bits, effort)
    yield i, j
