"""From term counts to the few weighted terms that a fingerprint is made of.

The weighting of the counts is scikit-learn's; choosing the heaviest terms and capping them is
ours.  Documents are taken in blocks of matrices, so the memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.features.counts import Counts
from simdup.features.idf import Idf, Model
from simdup.model.recipe import Recipe

# Weights are whole multiples of 2^-20: coarse enough that no platform's logarithm shows, and sums
# of them are exact.
UNIT = 2.0**-20

# With fewer terms than this left by min-df, all are kept.
ENOUGH_TERMS = 8

# Entries that are weighted at once; at about 100 bytes each, a block takes some 50 MB.
_BLOCK_ENTRIES = 1 << 19


@dataclass(frozen=True, slots=True)
class TopTerms:
    """The kept terms of a block of documents, heaviest first.

    Attributes
    ----------
    columns : int32[documents, width]
        Term numbers; whatever where the weight is 0.
    weights : int64[documents, width]
        Capped weights in units of 2^-20; 0 beyond a document's last term.
    terms : int64[documents]
        How many terms each document has that weigh anything, kept or not.
    """

    columns: NDArray[np.int32]
    weights: NDArray[np.int64]
    terms: NDArray[np.int64]


def top_terms(counts: Counts, idf: Idf, recipe: Recipe) -> Iterator[TopTerms]:
    """Yield the kept terms of all rows, in blocks of consecutive ones.

    Parameters
    ----------
    counts : Counts
        Documents and terms.
    idf : Idf
        The inverse document frequencies to weigh with.
    recipe : Recipe
        Its fields weight, min_df, top and cap are used.
    """
    frequent = idf.frequent(counts, recipe.min_df) if recipe.min_df > 1 else None
    for starts, columns, weights in weights_in_blocks(counts, idf, recipe):
        present = weights > 0
        if frequent is not None:
            present &= _enough(frequent[columns] & present, present, starts)
        kept_columns, kept_weights = _heaviest(
            columns, weights, present, starts, counts.ids, recipe
        )
        yield TopTerms(kept_columns, kept_weights, per_document(weights > 0, starts))


def weights_in_blocks(
    counts: Counts, idf: Idf, recipe: Recipe
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]]:
    """Yield (starts, columns, weights) of consecutive rows: all terms, none capped.

    A block is a matrix in compressed sparse rows, as `Counts` is; its first start is 0.
    """
    factors = idf.of(counts) if recipe.uses_idf else np.ones(len(counts.ids))
    for first, last in in_blocks(counts.starts):
        starts, columns, occurrences = counts.rows(first, last)
        yield starts, columns, _weigh(occurrences, columns, starts, factors, recipe, idf)


def in_blocks(starts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Cut the documents so that no block but one of a single document is too large."""
    first, documents = 0, len(starts) - 1
    while first < documents:
        last = int(np.searchsorted(starts, starts[first] + _BLOCK_ENTRIES, "right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def _weigh(
    counts: NDArray[np.int32],
    columns: NDArray[np.int32],
    starts: NDArray[np.int64],
    factors: NDArray[np.float64],
    recipe: Recipe,
    idf: Idf,
) -> NDArray[np.float64]:
    """Return the weight of each entry of a block.

    A corpus's own weighting goes through scikit-learn; the few documents that a table or a model
    weighs would wait longer for its import than for their answer.  A test holds the two equal.
    """
    if recipe.uses_idf and isinstance(idf, Model) and idf.name == "corpus":
        from scipy.sparse import csr_matrix

        transformer = _transformer(factors, recipe.weight == "logtf")
        tf = counts.astype(np.float64)
        matrix = csr_matrix((tf, columns, starts), shape=(len(starts) - 1, len(factors)))
        weighted: NDArray[np.float64] = transformer.transform(matrix, copy=False).data
        return weighted
    return _weigh_plainly(counts, factors[columns], recipe.weight)


def _weigh_plainly(
    counts: NDArray[np.int32], factors: NDArray[np.float64], weight: str
) -> NDArray[np.float64]:
    tf = counts.astype(np.float64)
    if weight == "binary":
        return np.ones(len(tf))
    if weight == "tf":
        return tf
    if weight == "tf2":
        return tf * tf
    if weight == "logtf":
        tf = np.log(tf) + 1.0
    return tf * factors


def document_weights(
    counts: Counts, document: int, factors: NDArray[np.float64], weight: str
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the term numbers of a document and their weights: all of them, none capped.

    Parameters
    ----------
    counts : Counts
        Documents and terms.
    document : int
        Which.
    factors : float64[terms]
        Inverse document frequencies.
    weight : str
        The recipe's.
    """
    row = counts.row(document)
    _, columns, occurrences = counts.rows(row, row + 1)
    return columns, _weigh_plainly(occurrences, factors[columns], weight)


def _transformer(factors: NDArray[np.float64], logarithmic: bool) -> Any:
    from sklearn.feature_extraction.text import TfidfTransformer

    transformer = TfidfTransformer(norm=None, smooth_idf=True, sublinear_tf=logarithmic)
    transformer.idf_ = factors
    return transformer


def _enough(
    frequent: NDArray[np.bool_], present: NDArray[np.bool_], starts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return `frequent`, but `present` in the documents that would be left with too little."""
    left = per_document(frequent, starts)
    return np.where(np.repeat(left >= ENOUGH_TERMS, np.diff(starts)), frequent, present)


def per_document(chosen: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the chosen entries of each document."""
    return np.diff(np.concatenate([[0], np.cumsum(chosen)])[starts])


def _heaviest(
    columns: NDArray[np.int32],
    weights: NDArray[np.float64],
    present: NDArray[np.bool_],
    starts: NDArray[np.int64],
    ids: NDArray[np.uint64],
    recipe: Recipe,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Keep the `top` heaviest entries of each document, equal ones by term hash, and cap them."""
    documents = len(starts) - 1
    if recipe.top:
        present = present & (weights >= _thresholds(weights, present, starts, recipe.top))
    entries = np.flatnonzero(present)
    rows = np.repeat(np.arange(documents), np.diff(starts))[entries]
    order = np.lexsort((ids[columns[entries]], -weights[entries], rows))
    entries, rows = entries[order], rows[order]
    lengths = np.bincount(rows, minlength=documents)
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    if recipe.top:
        entries, rows, rank = (a[rank < recipe.top] for a in (entries, rows, rank))
    width = int(rank.max()) + 1 if len(rank) else 0
    kept_columns = np.zeros((documents, width), np.int32)
    kept_weights = np.zeros((documents, width))
    kept_columns[rows, rank] = columns[entries]
    kept_weights[rows, rank] = weights[entries]
    if recipe.cap:
        kept_weights = cap_weights(kept_weights, recipe.cap)
    # A bound that only absurd inputs reach, so that no sum of a row leaves 63 bits.
    bound = 2.0**62 / max(width, 1)
    return kept_columns, np.minimum(np.rint(kept_weights / UNIT), bound).astype(np.int64)


def _thresholds(
    weights: NDArray[np.float64],
    present: NDArray[np.bool_],
    starts: NDArray[np.int64],
    top: int,
) -> NDArray[np.float64]:
    """Return for each entry the `top`-th largest weight of its document."""
    counted = np.where(present, weights, 0.0)
    least = np.zeros(len(starts) - 1)
    bounds = starts.tolist()
    for row in np.flatnonzero(np.diff(starts) > top).tolist():
        values = counted[bounds[row] : bounds[row + 1]]
        least[row] = np.partition(values, len(values) - top)[len(values) - top]
    return np.repeat(least, np.diff(starts))


def cap_weights(weights: NDArray[np.float64], cap: float) -> NDArray[np.float64]:
    """Lower the largest weights until none holds more than its share of what is left.

    If the k largest become t, the whole is k t + rest, and t = cap (k t + rest) gives
    t = cap rest / (1 - k cap).  The k that is meant is the first whose next weight is not above t.
    Of m weights one holds at least 1 / m, so where cap m <= 1 all become the smallest.

    Parameters
    ----------
    weights : float64[documents, width]
        Falling along each row, padded with zeros.
    cap : float
        The largest share, above 0.

    Returns
    -------
    float64[documents, width]
        The capped weights.
    """
    if not weights.size:
        return weights
    m = np.count_nonzero(weights, axis=1)
    total = np.cumsum(weights, axis=1)
    rest = total[:, -1:] - total + weights  # of the entries from k on
    k = np.arange(weights.shape[1])
    share = 1.0 - cap * k
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.where(share > 0, cap * rest / share, np.inf)
    k_first = np.argmax(weights <= level, axis=1)
    rows = np.arange(len(weights))
    level_of_row = np.where(cap * m <= 1, weights[rows, np.maximum(m - 1, 0)], level[rows, k_first])
    capped: NDArray[np.float64] = np.minimum(weights, level_of_row[:, None])
    return capped
