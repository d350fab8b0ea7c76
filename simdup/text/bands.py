"""Band keys of documents, for the methods that search by signatures.

Blocking keys are mixed into fingerprints and band keys where only documents of one key are pairs,
such as those with the same title.  Ten thousand pages of one template are fifty million candidates,
nearly all of them of different titles.  With a mask that depends on the key, the fingerprints of
equal keys differ in the same bits as before, and those of different keys in half of all bits.
Chance may bring some of these together, so whoever uses the candidates compares the keys too.

*Short texts.*  MinHash bands of their forms (`simdup.text.short_texts`) propose the pairs that
may have an edit similarity.  Single characters that are changed all over a short form leave few of
its runs, but more of its runs of two; these say little, unless it is known where they are, which
edits hardly change.  In very short ones one edit changes nearly all runs, so two that differ in one
share a key of another kind: one of them, or both, without a character.  Bounds that are never wrong
reject those that cannot have the similarity: one edit changes the length by at most one, the
characters by at most two (one goes, one comes), and the runs of two characters by at most four.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64, stream
from simdup.kernels.leaders import PairBounds, odd_sketches
from simdup.kernels.sketches import runs, signatures
from simdup.model.criteria import LEAST_SIMILARITY, Criteria
from simdup.model.table import Documents
from simdup.search.arrays import U32, U64, Bools, RowIds, count_equal
from simdup.text.characters import ends_of, to_codes
from simdup.text.families import (
    MINHASH,
    Banding,
    bands,
    choose,
    choose_pstable,
    fewest_agreeing,
    fewest_equal,
    pstable_cells,
    pstable_collision,
    unit_vectors,
)
from simdup.text.shingles import Sets
from simdup.text.short_texts import form_sets
from simdup.text.weights import Weighting

# Band keys: uint32[documents, bands] of MinHash, uint64 of p-stable projections.
Keys = U32 | U64

# The share of pairs at the similarity, or at the cosine, that share a key.
RECALL = 0.999

# The most hashes of a signature: 512 bytes per document.
BUDGET = 128

# The most cells of a p-stable signature.  With 128, 256 and 512 cells, unrelated documents share a
# key with a probability of 0.075, 0.030 and 0.009 on paper (cosine 0.9, recall 0.99).  Projecting
# 1,500 laws took 0.35 s with 128.
PSTABLE_BUDGET = 512

# The share of pairs at the similarity that a sketch may reject by chance.
LOSS = 1e-3


class Signatures(NamedTuple):
    """Band keys and sketches that propose pairs of documents."""

    keys: Keys
    sketches: NDArray[np.uint8]  # uint8[rows, size]: the low byte of each hash of the signatures
    fewest: int  # how many bytes of two sketches must be equal
    row_of: RowIds  # int64[documents]: the row of each

    @classmethod
    def of(cls, texts: Documents, criteria: Criteria, row_of: RowIds) -> Signatures:
        """Return the signatures of texts by MinHash, from their columns."""
        return cls(texts["keys"], texts["sketch"], minhash_fewest(criteria), row_of)

    def propose(self, a: RowIds, b: RowIds) -> Bools:
        """Return which pairs share a key and are not far below the similarity."""
        i, j = self.row_of[a], self.row_of[b]
        # Sketches first: they are smaller than keys, and most pairs asked about share a key.
        proposed = self.may_reach(i, j)
        some = np.flatnonzero(proposed)
        proposed[some] = (self.keys[i[some]] == self.keys[j[some]]).any(axis=1)
        return proposed

    def may_reach(self, i: RowIds, j: RowIds) -> Bools:
        """Return which pairs of rows are not far below the similarity."""
        likely: Bools = count_equal(self.sketches, i, self.sketches, j) >= self.fewest
        return likely

    def equal_bands(self, a: int, b: int) -> list[bool]:
        """Return which bands of two documents have the same key."""
        equal: list[bool] = (self.keys[self.row_of[a]] == self.keys[self.row_of[b]]).tolist()
        return equal

    def masked(self, blocking: U64) -> Signatures:
        """Return signatures of documents with a mask for the blocking key of each."""
        keys, rows = self.keys[self.row_of], np.arange(len(blocking))
        masked: Keys = np.bitwise_xor(keys, mix64(blocking).astype(keys.dtype)[:, np.newaxis])
        return Signatures(masked, self.sketches[self.row_of], self.fewest, rows)


def mask_fingerprints(values: U64, bits: int, blocking: U64) -> U64:
    """Return fingerprints (uint64[n, words]) with a mask for each blocking key (uint64[n])."""
    keys = mix64(blocking)
    masks = np.stack([stream(keys, word) for word in range(values.shape[1])], axis=1)
    if unused := -bits % 64:
        masks[:, 0] >>= np.uint64(unused)
    masked: U64 = values ^ masks
    return masked


def _similarity(criteria: Criteria) -> float:
    """Return the similarity from which on pairs are to be found.

    If passages find excerpts and no similarity is asked for, that of two texts of one length with
    the containment is enough.
    """
    if "passages" not in criteria.searches or criteria.similarity:
        return criteria.similarity
    contained = criteria.containment or 0
    return contained / (2 - contained)


def minhash_banding(criteria: Criteria) -> Banding:
    """Return the rows and bands that find pairs at the wanted similarity."""
    return banding_at(max(_similarity(criteria), LEAST_SIMILARITY))


def banding_at(similarity: float) -> Banding:
    """Return the rows and bands that find sets with a similarity."""
    return choose(MINHASH, 1 - similarity, RECALL, BUDGET)


def minhash_signatures(sets: Sets, criteria: Criteria) -> Signatures:
    """Return the band keys and sketches of documents given as sets of shingles.

    Verification counts the same shingles, so the probability of finding a pair depends on exactly
    the measure it must meet, for a poem of 20 characters as well as for a law.
    """
    banding = minhash_banding(criteria)
    hashes = signatures(*sets, banding.size)
    # Half a key is enough: sketches reject keys that are equal by chance.
    keys = bands(hashes, banding).astype(np.uint32)
    rows = np.arange(len(keys))
    return Signatures(keys, hashes.astype(np.uint8), minhash_fewest(criteria), rows)


def minhash_fewest(criteria: Criteria) -> int:
    """Return how many bytes of two sketches must be equal."""
    return fewest_agreeing(_similarity(criteria), minhash_banding(criteria).size, LOSS)


def pstable_cosine(criteria: Criteria) -> float:
    """Return the cosine from which on p-stable projections find pairs.

    If none is set, it is that of two sets of equal size at the wanted similarity s, 2 s / (1 + s).
    The cosine of a pair with this similarity may be lower: rare words weigh more.
    """
    similarity = max(criteria.similarity, LEAST_SIMILARITY)
    return criteria.cosine or 2 * similarity / (1 + similarity)


def pstable_signatures(weighting: Weighting, criteria: Criteria) -> Signatures:
    """Return the band keys and sketches of the documents' TF-IDF vectors.

    Vectors of length 1 with cosine c have the distance sqrt(2 - 2 c).  A sketch is the cells of
    a vector: of unrelated documents that share a key, hardly any share enough cells.
    """
    _, width, banding = _pstable(criteria)
    counts = weighting.counts
    keys = [np.zeros((0, banding.bands), np.uint64)]
    sketches = [np.zeros((0, banding.size), np.uint8)]
    for starts, columns, weights in weighting.rows():
        scaled = unit_vectors(starts, weights)
        cells = pstable_cells(starts, counts.ids[columns], scaled, banding.size, width)
        keys.append(bands(cells, banding))
        sketches.append(cells.astype(np.uint8))
    fewest = pstable_fewest(criteria)
    return Signatures(np.concatenate(keys), np.concatenate(sketches), fewest, counts.row_of)


def pstable_fewest(criteria: Criteria) -> int:
    """Return how many bytes of two sketches must be equal."""
    distance, width, banding = _pstable(criteria)
    return fewest_equal(pstable_collision(distance, width), banding.size, LOSS)


def _pstable(criteria: Criteria) -> tuple[float, float, Banding]:
    """Return the distance up to which pairs are to be found, the width of cells, and the bands."""
    distance = math.sqrt(2 - 2 * pstable_cosine(criteria))
    return distance, *choose_pstable(distance, RECALL, PSTABLE_BUDGET)


# The lowest Jaccard similarity that is looked for in forms.  Below, texts of one language share so
# many bands by chance that all of them would be candidates.
LEAST_EDITED = 0.4

# If the similarity allows fewer edits than this, forms that differ in one always share a key: at
# 0.8 those of up to 14 letters.  Of ten letters MinHash finds 56 of 100 such pairs, of 14 98.
_FEW_EDITS = 3
# Each character takes two keys, so longer forms have none.
_LONGEST = 40

# The share of the bands of forms of up to `_LONGEST` characters that is of placed runs.  Of 100
# pairs of 10 to 38 letters with a similarity of 0.8 and edits all over, bands propose 43 to 63
# with a share of 0, and 85 to 94 with 0.4; then a scan of 60,000 short texts takes 3 % longer.
# With 24 bands of placed runs beside all others it is 93 to 98, and 16 % longer.
_PLACED = 0.4
# Characters of a window.  With 4, 6 and 8, 41 bands of placed runs propose 78, 90 and 93 of 100
# of the hardest of these pairs; 22,000 lines of real texts have 155,000, 179,000 and 235,000
# pairs of lines with a common key, most of them by chance.
_WINDOW = 8

# Words of the odd sketches of characters, and of runs of two.
_WORDS = (2, 4)
_COLUMNS = ("sketch_1", "sketch_2")


class EditSignatures(NamedTuple):
    """Band keys and sketches of short texts, which propose pairs of them."""

    keys: U32  # uint32[rows, bands + those without a character]
    lengths: RowIds  # int64[rows]: characters
    sketches: tuple[U64, ...]  # uint64[rows, words] each
    similarity: float
    row_of: RowIds  # int64[documents]: the row of each document, -1 for none
    bands: int  # the first of the keys; the others are those without a character

    @classmethod
    def of(cls, forms: Documents, criteria: Criteria, row_of: RowIds) -> EditSignatures:
        """Return the signatures of forms, from their columns."""
        return cls(
            forms["form_keys"], forms["letters"], tuple(forms[name] for name in _COLUMNS),
            criteria.similarity, row_of, _banding(criteria).bands,
        )  # fmt: skip

    def as_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table of forms."""
        return {"form_keys": self.keys, **dict(zip(_COLUMNS, self.sketches, strict=True))}

    def rows(self, documents: RowIds) -> RowIds:
        """Return the rows of documents, -1 for none."""
        return self.row_of[documents]

    def propose(self, a: RowIds, b: RowIds) -> Bools:
        """Return which pairs share a key and may have the similarity."""
        i, j = self.row_of[a], self.row_of[b]
        some = np.flatnonzero((i >= 0) & (j >= 0))
        some = some[self.may_reach(i[some], j[some])]
        proposed = np.zeros(len(i), np.bool_)
        proposed[some] = (self.keys[i[some]] == self.keys[j[some]]).any(axis=1)
        return proposed

    def equal_bands(self, a: int, b: int) -> list[bool]:
        """Return which bands of two documents have the same key; none does if one has no form.

        If only keys without a character are equal, these are returned instead.
        """
        if min(self.row_of[a], self.row_of[b]) < 0:
            return [False] * self.bands
        equal = self.keys[self.row_of[a]] == self.keys[self.row_of[b]]
        by_bands, by_places = np.split(equal, [self.bands])
        shown: list[bool] = (by_bands if by_bands.any() or not equal.any() else by_places).tolist()
        return shown

    def masked(self, blocking: U64) -> EditSignatures:
        """Return signatures of documents with a mask for the blocking key of each."""
        documents = np.flatnonzero(self.row_of >= 0)
        rows = self.row_of[documents]
        masks = mix64(blocking[documents]).astype(np.uint32)
        row_of = np.full(len(self.row_of), -1)
        row_of[documents] = np.arange(len(documents))
        return self._replace(
            keys=self.keys[rows] ^ masks[:, np.newaxis],
            lengths=self.lengths[rows],
            sketches=tuple(sketches[rows] for sketches in self.sketches),
            row_of=row_of,
        )

    def may_reach(self, i: RowIds, j: RowIds) -> Bools:
        """Return which pairs of rows may have the similarity; none that has it is rejected."""
        n = len(self.lengths)
        bounds = PairBounds(n, self.similarity, 0)
        bounds.by_forms(self.lengths, np.zeros(n, np.uint64), sys.maxsize, *self.sketches)
        return bounds.possible(i, j)


def edit_signatures(forms: Sequence[str], facts: U64, criteria: Criteria) -> EditSignatures:
    """Return the band keys and sketches of short texts, each with its own row.

    Parameters
    ----------
    forms : sequence of str
        Not empty, each.
    facts : uint64[forms]
        A hash of each one's facts: texts with different facts share no key.
    criteria : Criteria
        The similarity.
    """
    banding = _banding(criteria)
    keys = bands(signatures(*form_sets(forms), banding.size), banding)
    ends, codes = ends_of(forms), to_codes("".join(forms))
    lengths = np.diff(ends)
    few = np.flatnonzero(lengths <= _LONGEST)
    placed = Banding(banding.rows, int(_PLACED * banding.bands))
    if len(few) and placed.bands:
        some = placed_sets([forms[row] for row in few.tolist()])
        keys[few, -placed.bands :] = bands(signatures(*some, placed.size), placed)
    keys = np.hstack([keys, _without_one(forms, _one_edited(criteria.similarity))])
    # Half a key is enough: keys that are equal by chance only cost a look at the sketches.
    keys32 = (keys ^ facts[:, None]).astype(np.uint32)
    sketches = tuple(
        odd_sketches(*runs(ends, codes, n), words) for n, words in enumerate(_WORDS, 1)
    )
    rows = np.arange(len(forms))
    return EditSignatures(keys32, lengths, sketches, criteria.similarity, rows, banding.bands)


def placed_sets(forms: Sequence[str]) -> Sets:
    """Return the runs of two characters of forms, each with the two windows that it begins in.

    Windows overlap by half, so that a run that edits before it have moved is in one of its windows
    all the same.
    """
    starts, hashes = runs(ends_of(forms), to_codes("".join(forms)), 2)
    places = np.arange(len(hashes)) - np.repeat(starts[:-1], np.diff(starts))
    windows = 2 * ((places[:, None] + np.array([0, _WINDOW // 2])) // _WINDOW) + np.array([0, 1])
    return Sets(2 * starts, (mix64(hashes)[:, None] + windows.astype(np.uint64)).ravel())


def _banding(criteria: Criteria) -> Banding:
    return banding_at(similar_sets(criteria.similarity))


def _one_edited(similarity: float) -> int:
    """Return the characters of the longest forms that always share a key if one edit differs."""
    if (1 - similarity) * _LONGEST < 1:
        return 0  # not even one edit is within the similarity
    return min(math.ceil(_FEW_EDITS / (1 - similarity) - 1e-9) - 1, _LONGEST)


def _without_one(forms: Sequence[str], longest: int) -> U64:
    """Return keys of which two forms that differ in one edit share one in the same column.

    For each place, a form of n characters has a key of what is left without the one there, among
    those of n - 1, and a key of the whole form, among those of n.  A form with another character at
    the place shares the first, one with a character inserted there the second.  The columns are
    the places, each for an even and an odd number of characters that are compared.

    Returns
    -------
    uint64[forms, 2 * longest]
        All are of the whole form if it has more than `longest` characters.
    """
    ends, codes = ends_of(forms), to_codes("".join(forms)).astype(np.uint64) << np.uint64(32)
    lengths = np.diff(ends).astype(np.uint64)
    rows = np.repeat(np.arange(len(forms)), np.diff(ends))
    places = (np.arange(len(codes)) - ends[rows]).astype(np.uint64)
    # Sums of hashes of characters with their places, and with the places before.
    sums, moved = (
        np.append(np.uint64(0), np.cumsum(mix64(codes | one)))
        for one in (places, places - np.uint64(1))
    )
    whole = mix64(sums[ends[1:]] - sums[ends[:-1]] + lengths)
    keys = np.repeat(whole[:, None], 2 * longest, axis=1)
    left = sums[:-1] - sums[ends[rows]] + moved[ends[rows + 1]] - moved[1:]
    fewer = lengths[rows] - np.uint64(1)
    few = lengths[rows] <= longest
    columns = np.uint64(2) * places + fewer % np.uint64(2)
    keys[rows[few], columns[few].astype(np.int64)] = mix64(left + fewer)[few]
    return keys


def similar_sets(similarity: float) -> float:
    """Return the Jaccard similarity of the shingles of two forms with an edit similarity.

    Edits come in words: one of two Han characters or five letters changes three shingles of its
    form for every two characters of it.  Where single characters are changed all over a text, the
    similarity is lower.
    """
    shared = max(1 - 1.5 * (1 - similarity), 0)
    return max(shared / (2 - shared), LEAST_EDITED)
