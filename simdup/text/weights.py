"""Turn term counts into the few weighted terms that make up a fingerprint.

The weights equal those of scikit-learn's `TfidfTransformer`, as tests verify; importing it would
take longer than weighting 100,000 documents.  Documents are processed in chunks, so the memory does
not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.model.recipe import Recipe
from simdup.text.counts import Counts, CsrRows

# Weights are multiples of 2**-20: coarse enough to hide differences between the logarithms of
# platforms, and sums of them are exact.
UNIT = 2.0**-20

# If min_df would leave fewer terms than this, all are kept.
ENOUGH_TERMS = 8


@dataclass(frozen=True, slots=True)
class TopTerms:
    """The kept terms of a chunk of documents, heaviest first."""

    # int32[documents, width]: term numbers; meaningless where the weight is 0.
    columns: NDArray[np.int32]
    # int64[documents, width]: capped weights in units of 2**-20; 0 beyond a document's last term.
    weights: NDArray[np.int64]
    # int64[documents]: how many terms with a weight above 0 each document has, kept or not.
    terms: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Weighting:
    """Term counts, and how they are weighted."""

    counts: Counts
    # float64[terms]: the weight of one occurrence of each term; 1 if the recipe uses no IDF.
    factors: NDArray[np.float64]
    # bool[terms] or None: the terms that pass the recipe's `min_df`; None for all.
    frequent: NDArray[np.bool_] | None
    recipe: Recipe  # its fields weight, top and cap are used

    def rows(self, first: int = 0, last: int | None = None) -> Iterator[CsrRows]:
        """Yield the weights of rows ``first:last`` of `counts`: all terms, none capped."""
        for rows in self.counts.chunked_rows(first, last):
            yield rows._replace(values=self._weigh(rows))

    def document(self, number: int) -> CsrRows:
        """Return the weights of one document: all terms, none capped."""
        row = self.counts.document(number)
        return row._replace(values=self._weigh(row))

    def top_terms(self, first: int = 0, last: int | None = None) -> Iterator[TopTerms]:
        """Yield the kept terms of rows ``first:last``, in chunks of consecutive rows."""
        for rows in self.rows(first, last):
            present = rows.values > 0
            if self.frequent is not None:
                frequent = self.frequent[rows.columns] & present
                present &= _keep_enough(frequent, present, rows.starts)
            terms = per_document(rows.values > 0, rows.starts)
            yield TopTerms(*self._heaviest(rows, present), terms)

    def _weigh(self, rows: CsrRows) -> NDArray[np.float64]:
        tf = rows.values.astype(np.float64)
        match self.recipe.weight:
            case "binary":
                return np.ones(len(tf))
            case "tf":
                return tf
            case "tf2":
                return tf * tf
            case "logtf":
                tf = np.log(tf) + 1.0
        return tf * self.factors[rows.columns]

    def _heaviest(
        self, rows: CsrRows, present: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Keep the `top` heaviest entries of each document, ties by term hash; cap them."""
        starts, columns, weights = rows
        top, documents = self.recipe.top, len(starts) - 1
        if top:
            present = present & (weights >= _thresholds(rows, present, top))
        entries = np.flatnonzero(present)
        row = np.repeat(np.arange(documents), np.diff(starts))[entries]
        order = np.lexsort((self.counts.ids[columns[entries]], -weights[entries], row))
        entries, row = entries[order], row[order]
        lengths = np.bincount(row, minlength=documents)
        rank = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        if top:
            entries, row, rank = (a[rank < top] for a in (entries, row, rank))
        width = int(rank.max()) + 1 if len(rank) else 0
        kept_columns = np.zeros((documents, width), np.int32)
        kept_weights = np.zeros((documents, width))
        kept_columns[row, rank] = columns[entries]
        kept_weights[row, rank] = weights[entries]
        if self.recipe.cap:
            kept_weights = cap_weights(kept_weights, self.recipe.cap)
        # A bound that only absurd inputs reach, so that the sum of a row fits into 63 bits.
        bound = 2.0**62 / max(width, 1)
        return kept_columns, np.minimum(np.rint(kept_weights / UNIT), bound).astype(np.int64)


def _keep_enough(
    frequent: NDArray[np.bool_], present: NDArray[np.bool_], starts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return `frequent`, or `present` for documents that would be left with too few terms."""
    left = per_document(frequent, starts)
    return np.where(np.repeat(left >= ENOUGH_TERMS, np.diff(starts)), frequent, present)


def per_document(chosen: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the chosen entries of each document."""
    return np.diff(np.concatenate([[0], np.cumsum(chosen)])[starts])


def _thresholds(rows: CsrRows, present: NDArray[np.bool_], top: int) -> NDArray[np.float64]:
    """Return, for each entry, the `top`-th largest weight of its document."""
    counted = np.where(present, rows.values, 0.0)
    sizes = np.diff(rows.starts)
    least = np.zeros(len(sizes))
    bounds = rows.starts.tolist()
    for row in np.flatnonzero(sizes > top).tolist():
        values = counted[bounds[row] : bounds[row + 1]]
        least[row] = np.partition(values, len(values) - top)[len(values) - top]
    return np.repeat(least, sizes)


def cap_weights(weights: NDArray[np.float64], cap: float) -> NDArray[np.float64]:
    """Lower the largest weights until none exceeds its share of the total.

    If the k largest become t, the total is k t + rest, and t = cap (k t + rest) gives
    t = cap rest / (1 - k cap).  The right k is the first whose next weight is not above t.
    One of m weights has a share of at least 1 / m, so if cap m <= 1 all become the smallest.

    Parameters
    ----------
    weights : float64[documents, width]
        Descending along each row, padded with zeros.
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
    rest = total[:, -1:] - total + weights  # the sum from entry k on
    k = np.arange(weights.shape[1])
    share = 1.0 - cap * k
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.where(share > 0, cap * rest / share, np.inf)
    k_first = np.argmax(weights <= level, axis=1)
    rows = np.arange(len(weights))
    level_of_row = np.where(cap * m <= 1, weights[rows, np.maximum(m - 1, 0)], level[rows, k_first])
    capped: NDArray[np.float64] = np.minimum(weights, level_of_row[:, None])
    return capped
