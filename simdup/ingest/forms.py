"""The forms of a corpus's short texts: made with each batch, joined when all are in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import ShortTexts, longest_form
from simdup.corpus.spool import Slot, SpoolWriter
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
    texts: list[str]  # the forms, until they are spooled
    slots: RowIds  # int64[forms, 3]: where they are spooled, as in `Slot`

    def spooled(self, writer: SpoolWriter) -> FormChunk:
        """Move the texts to the spool."""
        slots = writer.write(text.encode("utf-8", "surrogatepass") for text in self.texts)
        return self._replace(texts=[], slots=np.array(slots, np.int64).reshape(-1, 3))


def make_forms(prepared: Sequence[PreparedText], criteria: Criteria) -> FormChunk:
    """Return the forms of texts that can be in a pair measured by edit similarity."""
    forms = forms_of(prepared, longest_form(criteria))
    has = np.zeros(len(prepared), np.bool_)
    has[forms.rows] = True
    numbers = forms.number_hashes if criteria.numbers else np.zeros(len(forms.texts), np.uint64)
    signatures = None
    if "minhash" in criteria.searches:
        signatures = edit_signatures(forms.texts, numbers, criteria)
    slots = np.zeros((0, 3), np.int64)
    return FormChunk(has, forms.lengths, numbers, signatures, forms.texts, slots)


class CorpusForms(NamedTuple):
    """The short texts of a corpus, and the signatures that propose pairs of them; None for none."""

    texts: ShortTexts | None = None
    signatures: EditSignatures | None = None


def join_forms(
    chunks: list[FormChunk], text_of: RowIds | None, read: Callable[[Slot], bytes]
) -> CorpusForms:
    """Join the forms of all batches.

    Parameters
    ----------
    chunks : list of FormChunk
        This empties it.
    text_of : int64[documents] or None
        The text of each document; None if each has its own.
    read : callable
        Returns the bytes of a slot.
    """
    if not any(len(chunk.lengths) for chunk in chunks):
        return CorpusForms()
    has = np.concatenate([chunk.has for chunk in chunks])
    rows = np.where(has, np.cumsum(has) - 1, -1)
    row_of = rows if text_of is None else rows[text_of]
    lengths, numbers, slots = (
        np.concatenate([getattr(chunk, name) for chunk in chunks])
        for name in ("lengths", "numbers", "slots")
    )
    signed = [chunk.signatures for chunk in chunks if chunk.signatures is not None]
    chunks.clear()
    signatures = join_signatures(signed, row_of) if signed else None
    return CorpusForms(ShortTexts(row_of, lengths, numbers, StoredForms(slots, read)), signatures)


@dataclass(frozen=True)
class StoredForms:
    """Reads forms from the spool, by their rows; can be pickled."""

    slots: RowIds  # int64[forms, 3]: as in `Slot`
    read: Callable[[Slot], bytes]  # returns the bytes of a slot

    def __call__(self, row: int) -> str:
        """Return the form of a row."""
        return self.read(Slot(*self.slots[row].tolist())).decode("utf-8", "surrogatepass")
