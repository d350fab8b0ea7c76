"""Short texts: documents whose forms share a band are candidates; edits measure them.

MinHash bands of their forms propose the pairs that may have an edit similarity.  Single characters
that are changed all over a short form leave few of its runs, but more of its runs of two; these say
little, unless it is known where they are, which edits hardly change.  In very short ones one edit
changes nearly all runs, so two that differ in one share a key of another kind: one of them, or
both, without a character.  Bounds that are never wrong reject those that cannot have the
similarity: one edit changes the length by at most one, the characters by at most two (one goes, one
comes), and the runs of two characters by at most four.

`simdup.text.short_texts` says what a form is.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, compress, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64, mix_columns
from simdup.corpus.spool import Slots
from simdup.kernels.leaders import LISTED, PairBounds, odd_sketches
from simdup.kernels.sets import distinct
from simdup.kernels.sketches import runs, signatures
from simdup.model.criteria import SHORT, Criteria
from simdup.model.settings import Settings
from simdup.model.table import Documents
from simdup.near.batch_reader import FORMS, TEXTS, Columns
from simdup.near.candidates import EqualKeys, Search
from simdup.near.collection import Collection
from simdup.near.counting import Maker, Prepared
from simdup.near.short import short
from simdup.search.arrays import U32, U64, Bools, RowIds
from simdup.search.grouping import Lists
from simdup.text.bands import banding_at
from simdup.text.characters import ends_of, to_codes
from simdup.text.families import Banding, bands
from simdup.text.shingles import Sets
from simdup.text.short_texts import Forms, form_sets, forms_of
from simdup.text.weights import Weighting

# How many bands in a row texts share in lists that are narrowed.
_WIDTHS = (2, 3, 4, 6, 9, 13, 20)

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


def makers(criteria: Criteria) -> list[Maker]:
    """Return what makes the forms of texts."""
    return [partial(forms, criteria=criteria)]


def forms(batch: Prepared, criteria: Criteria) -> Mapping[str, Columns]:
    """Make the forms of texts that can be in a pair measured by edit similarity."""
    found = forms_of(batch.texts, _longest_form(criteria))
    rows = np.full(len(batch.texts), -1)
    rows[found.rows] = np.arange(len(found.rows))
    facts = _compared_facts(found, criteria)
    columns: dict[str, Any] = {"letters": found.lengths, "facts": facts}
    if criteria.edits_decide:
        columns |= found.frames(criteria.similarity)
    if criteria.edits_decide and "minhash" in criteria.searches:
        columns |= edit_signatures(found.texts, facts, criteria).as_columns()
    of_texts: dict[str, Any] = {"form": rows}
    if criteria.by_runs and "passages" in criteria.searches:
        of_texts["runs"] = _runs(batch, found)
    return {TEXTS: of_texts, FORMS: columns}


def _runs(batch: Prepared, forms: Forms) -> Slots:
    """Spool the runs of short texts, which have too few seeds."""
    short = forms.lengths < SHORT
    starts, hashes = distinct(*form_sets(list(compress(forms.texts, short))))
    sizes = np.zeros(len(batch.texts), np.int64)
    sizes[forms.rows[short]] = np.diff(starts)
    ends = np.append(0, np.cumsum(sizes))
    return batch.spool(hashes[first:last].tobytes() for first, last in pairwise(ends.tolist()))


def _longest_form(criteria: Criteria) -> int:
    """Return the characters of the longest form that can be similar enough to a short one."""
    if not criteria.edits_decide:
        return SHORT - 1
    return int(min(SHORT / criteria.similarity + 1e-9, sys.maxsize))


def _compared_facts(forms: Forms, criteria: Criteria) -> NDArray[np.uint64]:
    """Return a hash of each form's facts (uint64[forms]); all 0 if they do not matter."""
    if criteria.edits_decide:
        return forms.keys
    return np.zeros(len(forms.texts), np.uint64)


def search(corpus: Collection, weighting: Weighting, settings: Settings) -> Search | None:
    """Return what proposes documents whose forms share a band."""
    forms = corpus.forms
    if "form_keys" not in forms or not len(forms):
        return None
    return EqualForms("minhash", EditSignatures.of(forms, settings.criteria, corpus["form"]))


@dataclass(frozen=True)
class EqualForms(EqualKeys):
    """Proposes documents whose forms share a band key."""

    signatures: EditSignatures  # of documents by number
    kind: int = LISTED

    def form_sketches(self, documents: Documents) -> tuple[U64, ...]:
        """Return odd sketches of the characters of short texts, and of their runs."""
        rows = np.maximum(self.signatures.row_of[documents["number"]], 0)
        return tuple(sketches[rows] for sketches in self.signatures.sketches)

    def lists(self, documents: Documents, by_facts: bool) -> Iterator[tuple[Lists, bool]]:
        """Yield lists of rows; each proposed pair shares one.  Keys have facts in them."""
        places, rows = self.keyed(documents)
        for column in self.columns(rows):
            yield from Lists.of_key(column).of_rows(places).parted(short(documents))

    def narrowed(self, documents: Documents, most: int) -> list[Lists]:
        """Return lists of texts that share so many bands in a row, or all but a character, that
        few meet.
        """
        places, rows = self.keyed(documents)
        columns = list(self.columns(rows))
        exact = columns[self.signatures.bands :]
        bands = [band.astype(np.uint64) for band in columns[: self.signatures.bands]]
        for width in _WIDTHS:
            starts = range(max(len(bands) - width, 0) + 1)
            keys = (mix_columns(bands[i : i + width]) for i in starts)
            each = (Lists.of_key(key).of_rows(places) for key in chain(keys, exact))
            lists = Lists.concat(each)
            if lists.count_pairs() <= most:
                break
        return [lists]


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
