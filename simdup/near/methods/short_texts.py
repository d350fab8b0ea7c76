"""Short texts: documents whose forms share a band are candidates; edits measure them.

`simdup.text.short_texts` says what a form is, `simdup.text.bands` which bands it has.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, compress, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix_columns
from simdup.corpus.spool import Slots
from simdup.kernels.leaders import LISTED
from simdup.kernels.sets import distinct
from simdup.model.criteria import SHORT, Criteria
from simdup.model.settings import Settings
from simdup.model.table import Documents
from simdup.near.batch_reader import FORMS, TEXTS, Columns
from simdup.near.candidates import EqualKeys, Search
from simdup.near.collection import Collection
from simdup.near.counting import Maker, Prepared
from simdup.near.short import short
from simdup.search.grouping import Lists
from simdup.text.bands import EditSignatures, edit_signatures
from simdup.text.short_texts import Forms, form_sets, forms_of
from simdup.text.weights import Weighting

# How many bands in a row texts share in lists that are narrowed.
_WIDTHS = (2, 3, 4, 6, 9, 13, 20)


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
