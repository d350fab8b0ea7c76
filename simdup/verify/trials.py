"""Try settings on documents: which of some pairs each setting finds, and what it proposes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from simdup.features.shingles import Sets
from simdup.features.weights import Weighting
from simdup.fingerprints.bands import minhash_signatures, pstable_signatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.model.shingling import Shingling
from simdup.model.tuning import Setting
from simdup.search.arrays import RowIds
from simdup.verify.edits import Edits
from simdup.verify.proposals import Proposals
from simdup.verify.wide import jaccard, signed_forms

DISTANCES = (0, 3, 6, 10, 16)
_DEFAULT = Criteria()
RECALLS = (_DEFAULT.recall, 0.95, 0.9)


@dataclass(frozen=True, slots=True)
class Material:
    """What searches need of some documents, which are known by their places here."""

    fingerprints: Fingerprints
    weighting: Weighting
    sets: Callable[[Shingling], Sets]  # their distinct shingles
    edits: Edits | None

    def proposals(self, settings: Settings) -> Proposals:
        """Return what the searches of a scan propose."""
        criteria, signatures, edited = settings.criteria, None, None
        if criteria.method == "pstable":
            signatures = pstable_signatures(self.weighting, criteria)
        elif "minhash" in criteria.searches:
            signatures = minhash_signatures(self.sets(criteria.shingle), criteria)
            edited = None if self.edits is None else signed_forms(self.edits, criteria)
        rows = np.arange(len(self.fingerprints.terms))
        references = np.zeros(len(rows), np.bool_)
        return Proposals(
            rows, self.fingerprints, signatures, references, settings,
            short=None if self.edits is None else self.edits.short, edited=edited,
        )  # fmt: skip


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
            edits, similarity = self.material.edits, similarity.copy()
            counted = np.ones(len(i), np.bool_) if edits is None else ~edits.short.measures(i, j)
            sets = self.material.sets(criteria.shingle)
            similarity[counted] = jaccard(sets, i[counted], j[counted])
        return self.material.proposals(settings).test(i, j) & (similarity >= criteria.similarity)


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
        pairs = sum(len(i) for i, _ in self.sample.proposals(settings).pairs())
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
