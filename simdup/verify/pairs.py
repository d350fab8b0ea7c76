"""From fingerprinted documents to candidates, and to the pairs that meet the criteria."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.clusters import DocumentPair, DocumentPairs, ScannedDocuments
from simdup.fingerprints.bands import Keys
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.fingerprints.near import near_pairs
from simdup.model.criteria import FEW_TERMS, UNMEASURED
from simdup.model.settings import Settings
from simdup.search.banding import candidates

RowIds = NDArray[np.int64]


def find_pairs(documents: ScannedDocuments, keys: Keys | None, settings: Settings) -> DocumentPairs:
    """Find the pairs of documents that meet the criteria.

    Identical documents pair with the first of them only, and only the first with others.
    References are compared with others, not with each other.  Without band keys, fingerprints
    within the distance are proposed.
    """
    criteria, measure = settings.criteria, documents.measure
    first_of, distinct = _find_copies(documents)
    pairs = [
        DocumentPair(first, copy, 0, criteria.identical)
        for copy, first in first_of.items()
        if copy not in documents.references
    ]
    done = len(pairs)
    for i, j in _propose(documents, keys, distinct, settings):
        proposed = zip(i.tolist(), j.tolist(), documents.distances(i, j), strict=True)
        for number, (a, b, distance) in enumerate(proposed):
            measures = UNMEASURED if measure is None else measure(a, b)
            if criteria.accepts(measures):
                pairs.append(DocumentPair(a, b, distance, measures))
            if number % 1024 == 0:
                settings.run.progress("verifying", done + number, done + len(i))
        done += len(i)
    return DocumentPairs(sorted(pairs), first_of, done)


def _find_copies(documents: ScannedDocuments) -> tuple[dict[int, int], RowIds]:
    """Return the original of each copy, and the documents that are no copies."""
    seen: dict[tuple[bytes, bytes], int] = {}
    first_of: dict[int, int] = {}
    distinct: list[int] = []
    values = documents.fingerprints.values
    for document in np.flatnonzero(documents.fingerprints.terms > 0).tolist():
        key = (documents.digests[document], values[document].tobytes())
        first = seen.setdefault(key, document)
        if first == document:
            distinct.append(document)
        else:
            first_of[document] = first
    return first_of, np.array(distinct, np.int64)


def _propose(
    documents: ScannedDocuments, keys: Keys | None, distinct: RowIds, settings: Settings
) -> Iterator[tuple[RowIds, RowIds]]:
    """Yield chunks of pairs (i < j) of distinct documents that may meet the criteria."""
    prints = documents.fingerprints
    some = Fingerprints(prints.values[distinct], prints.bits, prints.terms[distinct])
    enough = some.terms >= FEW_TERMS
    new = distinct >= len(documents.references)
    if keys is None:
        found = near_pairs(some, settings.criteria.distance, settings.run)
        chunks = iter([(found.i, found.j)])
    else:
        chunks = candidates(keys[distinct])
    for i, j in chunks:
        useful = enough[i] & enough[j] & (new[i] | new[j])
        yield distinct[i[useful]], distinct[j[useful]]
