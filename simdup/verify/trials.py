"""Try settings on documents: which of some pairs each setting finds, and what it proposes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import by_edit
from simdup.features.shingles import Sets
from simdup.features.weights import Weighting
from simdup.fingerprints.bands import minhash_signatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.model.shingling import Shingling
from simdup.model.table import Side
from simdup.model.tuning import Setting
from simdup.search.arrays import RowIds
from simdup.verify.candidates import Candidates
from simdup.verify.document_texts import Texts
from simdup.verify.searches import EqualKeys, NearFingerprints, Search
from simdup.verify.wide import jaccard, signed_forms

DISTANCES = (0, 3, 6, 10, 16)
_DEFAULT = Criteria()
RECALLS = (_DEFAULT.recall, 0.95, 0.9)


@dataclass(frozen=True)
class Material:
    """What searches need of some documents, which are known by their places here."""

    fingerprints: Fingerprints
    weighting: Weighting
    texts: Texts

    @cached_property
    def sets(self) -> Callable[[Shingling], Sets]:
        """Returns the distinct shingles of the documents."""
        every = np.arange(len(self.fingerprints.terms))
        return cache(lambda shingling: self.texts.by(shingling).sets(every))

    def compared(self, settings: Settings) -> Candidates:
        """Return what the searches of a scan propose."""
        criteria, prints = settings.criteria, self.fingerprints
        searches: list[Search] = []
        if criteria.method == "pstable":
            searches.append(EqualKeys.of_vectors(self.weighting, criteria))
        elif "minhash" in criteria.searches:
            signatures = minhash_signatures(self.sets(criteria.shingle), criteria)
            searches.append(EqualKeys("minhash", signatures))
            if "letters" in self.texts.documents:
                searches.append(EqualKeys("minhash", signed_forms(self.texts, criteria)))
        if "simhash" in criteria.searches:
            searches.append(NearFingerprints(settings))
        documents = self.texts.documents.and_columns(
            number=np.arange(len(prints.terms)), **prints.columns
        )
        return Candidates(documents, searches, settings)


@dataclass(frozen=True, slots=True)
class KnownPairs:
    """True pairs of documents."""

    material: Material
    i: RowIds  # int64[pairs]: places in the material
    j: RowIds
    similarity: NDArray[np.float64]  # float64[pairs], by the shingles of the criteria or by edits
    criteria: Criteria  # what makes these pairs true

    def found(self, settings: Settings) -> NDArray[np.bool_]:
        """Return which pairs some search proposes and the similarity accepts."""
        i, j, criteria = self.i, self.j, settings.criteria
        similarity = self.similarity
        if criteria.shingle != self.criteria.shingle:
            similarity, sets = similarity.copy(), self.material.sets(criteria.shingle)
            counted = ~by_edit(*(Side(self.material.texts.documents, rows) for rows in (i, j)))
            similarity[counted] = jaccard(sets, i[counted], j[counted])
        return self.material.compared(settings).test(i, j) & (similarity >= criteria.similarity)


@dataclass(frozen=True, slots=True)
class Trials:
    """Settings to be tried."""

    sample: Material  # what they cost is measured here
    known: KnownPairs  # what they find is measured here
    settings: Settings  # what was asked for
    check: float  # seconds to check a pair

    def results(self, others: Sequence[Criteria]) -> list[tuple[bool, Setting]]:
        """Return each setting, the default first, and whether it may be advised.

        `others` are criteria that make other pairs true.
        """
        asked, wanted = self.settings.criteria, self.known.criteria
        same = written(asked, asked) == written(wanted, asked)
        found = [(same, self._try("", asked))]
        for options, criteria in islice(_variants(wanted), int(same), None):
            found.append((True, self._try(f"{options}{written(criteria, asked)}", criteria)))
        found += [(False, self._try(written(one, asked), one)) for one in others]
        return found

    def _try(self, options: str, criteria: Criteria) -> Setting:
        """Return the measures of a setting."""
        settings = replace(self.settings, criteria=criteria)
        hold, true = int(np.count_nonzero(self.known.found(settings))), len(self.known.i)
        self.sample.sets(criteria.shingle)  # so that only the search is timed
        started = time.process_time()
        pairs = sum(len(i) for i, _ in self.sample.compared(settings).pairs())
        return Setting(
            options=options,
            pairs=pairs,
            hold=hold,
            recall=hold / true if true else 1.0,
            per_document=pairs / max(len(self.sample.fingerprints.terms), 1),
            seconds=time.process_time() - started + pairs * self.check,
            distance=criteria.distance if criteria.method == "simhash" else 0,
        )


def written(criteria: Criteria, asked: Criteria) -> str:
    """Return the options that make these criteria of those asked for, without the method."""
    shingle = "" if criteria.shingle == asked.shingle else f"--shingle {criteria.shingle} "
    cosine = "" if criteria.cosine is None else f" --cosine {criteria.cosine:g}"
    return f"{shingle}-s {criteria.similarity:g}{cosine}"


def _variants(wanted: Criteria) -> Iterator[tuple[str, Criteria]]:
    """Yield what differs in the ways to search for the same pairs: options and criteria."""
    yield "", wanted
    for distance in DISTANCES:
        found = replace(wanted, method="simhash", distance=distance)
        yield f"--method simhash -d {distance} ", found
    for recall in RECALLS:
        option = "" if recall == _DEFAULT.recall else f" --recall {recall:g}"
        yield f"--method minhash{option} ", replace(wanted, method="minhash", recall=recall)
    yield "--method pstable ", replace(wanted, method="pstable")
