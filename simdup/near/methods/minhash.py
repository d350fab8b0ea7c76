"""MinHash: documents that share a band of their shingles are candidates, if sketches allow it.

References
----------
A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997.
P. Indyk, R. Motwani, "Approximate nearest neighbors", STOC 1998.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.near.batch_reader import TEXTS, Columns
from simdup.near.candidates import EqualKeys, Search
from simdup.near.collection import Collection
from simdup.near.counting import Maker, Prepared
from simdup.text.bands import Signatures, minhash_signatures
from simdup.text.weights import Weighting


def makers(criteria: Criteria) -> list[Maker]:
    """Return what makes the keys and sketches of texts."""
    return [partial(sketches, criteria=criteria)]


def sketches(batch: Prepared, criteria: Criteria) -> Mapping[str, Columns]:
    """Make MinHash band keys and sketches of the shingles."""
    shingler = batch.analyzer.shingler(criteria.shingle)
    sets = shingler.sets(list(map(shingler.text_of, batch.texts)))
    signed = minhash_signatures(sets, criteria)
    return {TEXTS: {"keys": signed.keys, "sketch": signed.sketches}}


def search(corpus: Collection, weighting: Weighting, settings: Settings) -> Search:
    """Return what proposes documents that share a band."""
    signatures = Signatures.of(corpus.texts, settings.criteria, corpus.text_of)
    return EqualKeys("minhash", signatures)
