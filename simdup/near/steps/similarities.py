"""How similar candidates are, those below the least similarity too: a histogram of a sample.

In each list of the search, texts are in the order of their digests, and each is paired with the
next one.  So the sample does not depend on the order of input, and a family of m texts has some m
of its pairs in it, not all m^2.

Where many pairs are alike, many are not, and few are between, there is a valley: a least similarity
there tells the two kinds apart best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from simdup.base.mix64 import mix64
from simdup.kernels.leaders import PRINTED
from simdup.model.clusters import Similarities
from simdup.near.candidates import Candidates
from simdup.near.copies import find_copies
from simdup.near.join import distinct_rows
from simdup.near.rows import Scanned
from simdup.search.arrays import U64, RowPairs, run_starts

# Pairs that are measured: pages of 5 kB take half a second.
_SAMPLED = 2000
_BARS = 20
# Counts that differ by more than so many standard deviations do so by chance in one of 700 cases.
_SURE = 3


def step(scanned: Scanned) -> dict[str, Any]:
    """Return ``similarities``."""
    rows = scanned.rows
    every, documents = rows.candidates(), rows.documents
    compared, searched = distinct_rows(every, find_copies(documents))
    compared = compared.take(searched)
    digests = documents["digest"].view(np.uint64).reshape(len(documents), -1)[:, 0]
    i, j = _sample(compared, mix64(digests[compared.numbers]))
    pairs = rows.measure(compared.numbers[i], compared.numbers[j])
    similarity = pairs["similarity"]
    bars = np.minimum(similarity[similarity == similarity] * _BARS, _BARS - 1).astype(np.int64)
    counts = np.bincount(bars, minlength=_BARS).tolist()
    return {"similarities": Similarities(tuple(counts), valley(counts))}


def valley(counts: Sequence[int]) -> float | None:
    """Return the middle of the least bars between two that are surely twice as high, or None.

    Parameters
    ----------
    counts : sequence of int
        How many pairs are in each of equal parts of 0 to 1.

    Examples
    --------
    >>> valley([0, 30, 60, 9, 2, 2, 8, 90])
    0.625
    >>> valley([90, 60, 30, 20, 10, 8, 5, 2])
    """
    deepest, middle = 0.0, None
    for low, least in enumerate(counts):
        high = low + 1
        while high < len(counts) and counts[high] == least:
            high += 1
        side = min(max(counts[:low], default=0), max(counts[high:], default=0))
        depth = side - least - _SURE * math.sqrt(side + least)
        if depth > deepest and side >= 2 * least:
            deepest, middle = depth, (low + high) / 2 / len(counts)
    return middle


def _sample(compared: Candidates, order: U64) -> RowPairs:
    """Return pairs of documents that a search proposes and the rules allow, i < j, each once."""
    listed = [np.zeros((2, 0), np.int64)]
    for search in compared.searches:
        for lists, _ in search.lists(compared.documents, compared.criteria.edits_decide):
            place = np.lexsort((order[lists.rows], lists.lists))
            rows = lists.rows[place]
            same = lists.lists[place][1:] == lists.lists[place][:-1]
            i, j = np.sort([rows[:-1][same], rows[1:][same]], axis=0)
            good = compared.allow(i, j)
            if search.kind == PRINTED:
                # What shares a block of bits is near by chance only.
                good &= search.propose(*compared.sides(i, j))
            listed.append(np.stack([i[good], j[good]]))
    i, j = np.concatenate(listed, axis=1)
    place = np.lexsort((j, i, mix64(order[i] ^ order[j])))
    i, j = i[place], j[place]
    chosen = run_starts(i, j)[:_SAMPLED]
    return i[chosen], j[chosen]
