"""Band keys of short texts: which pairs may have an edit similarity.

MinHash bands of their forms (`simdup.features.short_texts`) propose pairs.  Bounds that are never
wrong reject those that cannot have the similarity: one edit changes the length by at most one, the
characters by at most two (one goes, one comes), and the runs of two characters by at most four.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.features.shingles import run_sets
from simdup.features.short_texts import form_sets
from simdup.features.text import ends_of, to_codes
from simdup.fingerprints.bands import banding_at
from simdup.lsh import minhash
from simdup.lsh.families import bands
from simdup.mix64 import mix64
from simdup.model.criteria import Criteria
from simdup.search.arrays import U64, RowIds
from simdup.search.prefixes import least_difference, odd_sketches

# The lowest Jaccard similarity that is looked for in forms.  Below, texts of one language share so
# many bands by chance that all of them would be candidates.
LEAST_EDITED = 0.4

# For characters and for runs of two: the words of their odd sketches, and what an edit changes.
_SKETCHES = ((2, 2), (4, 4))


class EditSignatures(NamedTuple):
    """Band keys and sketches of short texts, which propose pairs of them."""

    keys: NDArray[np.uint32]  # uint32[rows, bands]
    lengths: NDArray[np.int32]  # int32[rows]: characters
    sketches: tuple[U64, ...]  # uint64[rows, words] each
    similarity: float
    row_of: RowIds  # int64[documents]: the row of each document, -1 for none

    def rows(self, documents: RowIds) -> RowIds:
        """Return the rows of documents, -1 for none."""
        return self.row_of[documents]

    def places(self, documents: RowIds) -> RowIds:
        """Return the places of those of the documents that have a row, ascending."""
        return np.flatnonzero(self.row_of[documents] >= 0)

    def columns(self, documents: RowIds) -> Iterator[NDArray[np.uint32]]:
        """Yield the keys of documents, one band at a time."""
        rows = self.row_of[documents]
        for band in range(self.keys.shape[1]):
            yield self.keys[rows, band]

    def propose(self, a: RowIds, b: RowIds) -> NDArray[np.bool_]:
        """Return which pairs share a key and may have the similarity."""
        i, j = self.row_of[a], self.row_of[b]
        proposed: NDArray[np.bool_] = (i >= 0) & (j >= 0)
        some = np.flatnonzero(proposed)
        some = some[self.may_reach(i[some], j[some])]
        proposed[:] = False
        proposed[some] = (self.keys[i[some]] == self.keys[j[some]]).any(axis=1)
        return proposed

    def masked(self, titles: U64) -> EditSignatures:
        """Return signatures of documents with a mask for the title of each (uint64[documents])."""
        documents = np.flatnonzero(self.row_of >= 0)
        rows = self.row_of[documents]
        masks = mix64(titles[documents]).astype(np.uint32)
        row_of = np.full(len(self.row_of), -1)
        row_of[documents] = np.arange(len(documents))
        return self._replace(
            keys=self.keys[rows] ^ masks[:, np.newaxis],
            lengths=self.lengths[rows],
            sketches=tuple(sketches[rows] for sketches in self.sketches),
            row_of=row_of,
        )

    def may_reach(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs of rows may have the similarity; none that has it is rejected."""
        longer = np.maximum(self.lengths[i], self.lengths[j])
        edits = (1 - self.similarity) * longer + 1e-6
        possible: NDArray[np.bool_] = longer - np.minimum(self.lengths[i], self.lengths[j]) <= edits
        for sketches, (_, most) in zip(self.sketches, _SKETCHES, strict=True):
            some = np.flatnonzero(possible)
            possible[some] = least_difference(sketches, i[some], j[some]) <= most * edits[some]
        return possible


def edit_signatures(
    forms: Sequence[str], numbers: NDArray[np.uint64], criteria: Criteria
) -> EditSignatures:
    """Return the band keys and sketches of short texts, each with its own row.

    Parameters
    ----------
    forms : sequence of str
        Not empty, each.
    numbers : uint64[forms]
        A hash of each one's numbers: texts with different numbers share no key.
    criteria : Criteria
        The similarity and the recall.
    """
    banding = banding_at(similar_sets(criteria.similarity), criteria)
    keys = bands(minhash.signatures(*form_sets(forms), banding.size), banding)
    # Half a key is enough: keys that are equal by chance only cost a look at the sketches.
    keys32 = (keys ^ numbers[:, None]).astype(np.uint32)
    ends, codes = ends_of(forms), to_codes("".join(forms)).astype(np.uint64)
    sketches = tuple(
        odd_sketches(*run_sets(ends, codes, n), words) for n, (words, _) in enumerate(_SKETCHES, 1)
    )
    lengths = np.diff(ends).astype(np.int32)
    return EditSignatures(keys32, lengths, sketches, criteria.similarity, np.arange(len(forms)))


def join_signatures(parts: Sequence[EditSignatures], row_of: RowIds) -> EditSignatures:
    """Join the rows of several; `row_of` has the row of each document, -1 for none."""
    sketches = zip(*(part.sketches for part in parts), strict=True)
    return EditSignatures(
        np.concatenate([part.keys for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        tuple(map(np.concatenate, sketches)),
        parts[0].similarity,
        row_of,
    )


def similar_sets(similarity: float) -> float:
    """Return the Jaccard similarity of the shingles of two forms with an edit similarity.

    Edits come in words: one of two Han characters or five letters changes three shingles of its
    form for every two characters of it.  Where single characters are changed all over a text, the
    similarity is lower.
    """
    shared = max(1 - 1.5 * (1 - similarity), 0)
    return max(shared / (2 - shared), LEAST_EDITED)
