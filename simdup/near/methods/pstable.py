"""P-stable projections: documents whose TF-IDF vectors fall into the same cells are candidates.

References
----------
M. Datar, N. Immorlica, P. Indyk, V. Mirrokni, "Locality-sensitive hashing scheme based on p-stable
distributions", SCG 2004, section 3.2.
"""

from __future__ import annotations

from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.near.candidates import EqualKeys, Search
from simdup.near.collection import Collection
from simdup.near.counting import Maker
from simdup.text.bands import pstable_cosine, pstable_signatures
from simdup.text.weights import Weighting


def makers(criteria: Criteria) -> list[Maker]:
    """Return nothing: vectors are made of the counts, which every scan has."""
    return []


def search(corpus: Collection, weighting: Weighting, settings: Settings) -> Search:
    """Return what proposes documents that share a cell."""
    return EqualKeys("pstable", pstable_signatures(weighting, settings.criteria))


def notes(criteria: Criteria) -> list[tuple[str, str]]:
    """Return the note that pairs are promised by their cosine only."""
    if criteria.cosine is not None or not criteria.similarity:
        return []
    least = pstable_cosine(criteria)
    missed = "similar texts whose rare words differ are below and may be missed"
    return [("`method`", f"pstable finds pairs with a cosine of {least:.3g} or more; {missed}")]
