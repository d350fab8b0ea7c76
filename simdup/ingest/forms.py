"""What is known of a corpus's short texts: made with each batch, joined when all are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import ShortTexts, compared_numbers, longest_form
from simdup.features.short_texts import forms_of
from simdup.features.text import PreparedText
from simdup.fingerprints.edit_bands import EditSignatures, edit_signatures, join_signatures
from simdup.model.criteria import Criteria
from simdup.search.arrays import RowIds


class FormChunk(NamedTuple):
    """The forms of some texts."""

    has: NDArray[np.bool_]  # bool[texts]: which of them have one
    lengths: RowIds  # int64[forms]
    numbers: NDArray[np.uint64]  # uint64[forms]: as in `ShortTexts`
    signatures: EditSignatures | None  # None if band keys propose nothing


def make_forms(prepared: Sequence[PreparedText], criteria: Criteria) -> FormChunk:
    """Return the forms of texts that can be in a pair measured by edit similarity."""
    forms = forms_of(prepared, longest_form(criteria))
    has = np.zeros(len(prepared), np.bool_)
    has[forms.rows] = True
    numbers = compared_numbers(forms, criteria)
    signatures = None
    if criteria.edits_decide and "minhash" in criteria.searches:
        signatures = edit_signatures(forms.texts, numbers, criteria)
    return FormChunk(has, forms.lengths, numbers, signatures)


class CorpusForms(NamedTuple):
    """The short texts of a corpus, and the signatures that propose pairs of them; None for none."""

    texts: ShortTexts | None = None
    signatures: EditSignatures | None = None


def join_forms(chunks: list[FormChunk], text_of: RowIds | None) -> CorpusForms:
    """Join what is known of the forms of all batches.

    Parameters
    ----------
    chunks : list of FormChunk
        This empties it.
    text_of : int64[documents] or None
        The text of each document; None if each has its own.
    """
    if not any(len(chunk.lengths) for chunk in chunks):
        return CorpusForms()
    has = np.concatenate([chunk.has for chunk in chunks])
    rows = np.where(has, np.cumsum(has) - 1, -1)
    row_of = rows if text_of is None else rows[text_of]
    lengths = np.concatenate([chunk.lengths for chunk in chunks])
    numbers = np.concatenate([chunk.numbers for chunk in chunks])
    signed = [chunk.signatures for chunk in chunks if chunk.signatures is not None]
    chunks.clear()
    signatures = join_signatures(signed, row_of) if signed else None
    return CorpusForms(ShortTexts(row_of, lengths, numbers), signatures)
