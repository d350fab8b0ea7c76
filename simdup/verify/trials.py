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
from simdup.fingerprints.bands import Signatures, minhash_signatures, pstable_signatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.fingerprints.near import near_pairs
from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.model.shingling import Shingling
from simdup.model.tuning import Setting
from simdup.search.arrays import RowIds, hamming_distances
from simdup.search.banding import candidates
from simdup.verify.wide import jaccard

DISTANCES = (0, 3, 6, 10, 16)
_DEFAULT = Criteria()
RECALLS = (_DEFAULT.recall, 0.95, 0.9)


@dataclass(frozen=True, slots=True)
class Material:
    """What searches need of some documents, which are known by their places here."""

    fingerprints: Fingerprints
    weighting: Weighting
    sets: Callable[[Shingling], Sets]  # their distinct shingles

    def proposes(self, criteria: Criteria, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs some search proposes."""
        found = np.zeros(len(i), np.bool_)
        for search in criteria.searches:
            if search == "simhash":
                values = self.fingerprints.values
                found |= hamming_distances(values, i, values, j) <= criteria.distance
            else:
                found |= self._signatures(search, criteria).propose(i, j)
        return found

    def count_proposals(self, settings: Settings) -> int:
        """Return how many pairs the searches propose."""
        criteria = settings.criteria
        chunks: list[tuple[RowIds, RowIds]] = []
        for search in criteria.searches:
            if search == "simhash":
                near = near_pairs(self.fingerprints, criteria.distance, settings.run)
                chunks.append((near.i, near.j))
            else:
                chunks += _proposed(self._signatures(search, criteria))
        pairs = [i << 32 | j for i, j in chunks]
        return len(np.unique(np.concatenate([np.zeros(0, np.int64), *pairs])))

    def _signatures(self, search: str, criteria: Criteria) -> Signatures:
        if search == "pstable":
            return pstable_signatures(self.weighting, criteria)
        return minhash_signatures(self.sets(criteria.shingle), criteria)


@dataclass(frozen=True, slots=True)
class KnownPairs:
    """True pairs of documents."""

    material: Material
    i: RowIds  # int64[pairs]: places in the material
    j: RowIds
    similarity: NDArray[np.float64]  # float64[pairs], by the shingles of the criteria
    criteria: Criteria  # what makes these pairs true

    def found(self, criteria: Criteria) -> NDArray[np.bool_]:
        """Return which pairs some search proposes and the similarity accepts."""
        i, j = self.i, self.j
        found = self.material.proposes(criteria, i, j)
        if criteria.shingle == self.criteria.shingle:
            return found & (self.similarity >= criteria.similarity)
        sets = self.material.sets(criteria.shingle)
        found[found] = jaccard(sets, i[found], j[found]) >= criteria.similarity
        return found


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
        hold, true = int(np.count_nonzero(self.known.found(criteria))), len(self.known.i)
        self.sample.sets(criteria.shingle)  # so that only the search is timed
        started = time.process_time()
        pairs = self.sample.count_proposals(replace(self.settings, criteria=criteria))
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
    short = " --no-short-texts" if asked.short_texts and not criteria.short_texts else ""
    return f"{shingle}-s {criteria.similarity:g}{cosine}{short}"


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


def _proposed(signatures: Signatures) -> Sequence[tuple[RowIds, RowIds]]:
    """Return the pairs that signatures propose."""
    return [
        (i[good], j[good])
        for i, j in candidates(signatures.keys)
        if (good := signatures.propose(i, j)).any()
    ]
