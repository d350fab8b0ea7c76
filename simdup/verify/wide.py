"""Find nearly all pairs of very many texts above a similarity, as the truth for tuning.

`join` compares all with all, which a sample affords.  Here MinHash bands propose pairs with a
recall of 0.999, sketches drop most of the others, and the rest is compared exactly.  The cost is
bounded twice: the lowest similarity rises until few enough pairs share a band key, and of more than
`MOST` candidates those with the smallest hash are compared: a random sample, the same in every run.

References
----------
J. Leskovec, A. Rajaraman, J. Ullman, "Mining of massive datasets", section 3.4.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import formed, longest_form
from simdup.features.shingles import Sets
from simdup.fingerprints.edit_bands import EditSignatures, edit_signatures
from simdup.lsh import minhash
from simdup.lsh.bbit import fewest_agreeing
from simdup.lsh.families import MINHASH, bands, choose
from simdup.mix64 import mix64
from simdup.model.criteria import Criteria
from simdup.search.arrays import RowIds, count_equal
from simdup.search.banding import candidates
from simdup.verify.document_texts import Texts
from simdup.verify.join import NO_PAIRS, Similar, edited, joined
from simdup.verify.verifier import resemblance

# Hashes of a signature: at 0.5, 52 bands of 3 rows, which propose 0.006 of the pairs at 0.05.  512
# take twice as long for texts of 200 characters.
_SIZE = 256
_RECALL = 0.999
_LOSS = 1e-3
# Similarities to begin from; the lowest one that the visits allow is taken.
_STEPS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
# The lowest edit similarity to begin from: bands of short texts find few pairs below.
_EDITED = 0.5
# Pairs that may share band keys: 16 s.
VISITS = 1 << 25
# Pairs that are compared: a share of 20,000 is known to 0.004.
MOST = 20_000
# Documents at a time: their signatures take 4 MB while they are made.
_CHUNK = 1 << 11

# Returns the distinct elements of some sets.
SetsOf = Callable[[RowIds], Sets]


def wide_pairs(sets_of: SetsOf, documents: RowIds, highest: float) -> tuple[Similar, float]:
    """Return pairs of documents with at least a similarity, and that similarity.

    It is at most `highest`.  The pairs are ordered.
    """
    hashes = _signatures(sets_of, documents)
    some, least = _candidates(hashes, highest)
    i, j = documents[some >> 32], documents[some & 0xFFFFFFFF]
    share = _similarities(sets_of, i, j)
    high = share >= least
    return Similar(i[high], j[high], share[high]), least


def wide_edited(texts: Texts, criteria: Criteria) -> tuple[Similar, float]:
    """Return pairs measured by edit similarity that have at least one, and that similarity.

    It is at most that of the criteria.  The pairs are ordered.
    """
    for least in _steps(criteria.similarity, _EDITED):
        known = signed_forms(texts, replace(criteria, similarity=least, recall=_RECALL))
        if _sharing(known.keys) <= VISITS:
            break
    some = np.flatnonzero(known.row_of >= 0)
    found = [NO_PAIRS]
    for i, j in candidates(known.keys):
        good = known.may_reach(i, j)
        found.append(edited(texts, some[i[good]], some[j[good]], least))
    return joined(found), least


def signed_forms(texts: Texts, criteria: Criteria) -> EditSignatures:
    """Return what proposes pairs of the texts that may be similar to a short one."""
    documents = texts.documents
    has = formed(documents) & (documents["letters"] <= longest_form(criteria))
    forms, numbers = texts.forms(np.flatnonzero(has).tolist()), documents["numbers"][has]
    row_of = np.where(has, np.cumsum(has) - 1, -1)
    return edit_signatures(forms, numbers, criteria)._replace(row_of=row_of)


def _steps(highest: float, lowest: float) -> list[float]:
    """Return the similarities to begin from."""
    return [step for step in _STEPS if lowest <= step < highest] + [highest]


def _signatures(sets_of: SetsOf, documents: RowIds) -> NDArray[np.uint32]:
    hashes = np.empty((len(documents), _SIZE), np.uint32)
    for first in range(0, len(documents), _CHUNK):
        sets = sets_of(documents[first : first + _CHUNK])
        hashes[first : first + _CHUNK] = minhash.signatures(*sets, _SIZE)
    return hashes


def _candidates(hashes: NDArray[np.uint32], highest: float) -> tuple[RowIds, float]:
    """Return candidates as i << 32 | j, ascending, and the lowest similarity they cover."""
    for least in _steps(highest, 0):
        keys = bands(hashes, choose(MINHASH, 1 - least, _RECALL, _SIZE)).astype(np.uint32)
        if _sharing(keys) <= VISITS:
            break
    sketches = hashes.astype(np.uint8)
    fewest = fewest_agreeing(least, _SIZE, _LOSS)
    found = [np.zeros(0, np.int64)]
    for i, j in candidates(keys):
        good = count_equal(sketches, i, sketches, j) >= fewest
        found.append(i[good] << 32 | j[good])
        if sum(map(len, found)) > 8 * MOST:
            found = [_fewer(np.concatenate(found))]
    return np.sort(_fewer(np.concatenate(found))), least


def _fewer(pairs: RowIds) -> RowIds:
    """Return at most `MOST` of the pairs: those with the smallest hash."""
    if len(pairs) <= MOST:
        return pairs
    return pairs[np.argpartition(mix64(pairs.astype(np.uint64)), MOST)[:MOST]]


def _sharing(keys: NDArray[np.uint32]) -> int:
    """Return how many pairs share a key, each as often as it does."""
    total = 0
    for band in range(keys.shape[1]):
        times = np.unique(keys[:, band], return_counts=True)[1].astype(np.int64)
        total += int((times * (times - 1) // 2).sum())
    return total


def _similarities(sets_of: SetsOf, i: RowIds, j: RowIds) -> NDArray[np.float64]:
    """Return the Jaccard similarity of each pair of documents."""
    wanted = np.unique(np.concatenate([i, j]))
    return jaccard(sets_of(wanted), np.searchsorted(wanted, i), np.searchsorted(wanted, j))


def jaccard(sets: Sets, i: RowIds, j: RowIds) -> NDArray[np.float64]:
    """Return the Jaccard similarity of each pair of sets, by their places."""
    starts, hashes = sets.starts.tolist(), sets.hashes
    return np.array(
        [
            resemblance(hashes[starts[a] : starts[a + 1]], hashes[starts[b] : starts[b + 1]])
            for a, b in zip(i.tolist(), j.tolist(), strict=True)
        ],
        np.float64,
    )
