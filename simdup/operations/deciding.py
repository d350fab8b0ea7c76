"""What decides about the documents of a run, and the searches that propose pairs of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.features.weights import Weighting
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.ingest.collection import Collection
from simdup.ingest.notes import rule_columns
from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.verify.searches import EqualKeys, NearFingerprints, Search, SharedPassages


def deciding_columns(
    corpus: Collection, prints: Fingerprints, references: int, criteria: Criteria
) -> dict[str, NDArray[Any]]:
    """Return what decides about documents; so many at the beginning are references."""
    columns = {name: corpus[name] for name in ("name", "path", "digest")}
    columns |= prints.columns | {"reference": np.arange(len(corpus)) < references}
    return columns | rule_columns(corpus, criteria)


def searches_among(
    corpus: Collection, weighting: Weighting, settings: Settings
) -> list[Search | SharedPassages]:
    """Return the searches that the criteria ask for, if documents have what they need."""
    criteria = settings.criteria
    searches: list[Search | SharedPassages] = []
    if criteria.method == "pstable":
        searches.append(EqualKeys.of_vectors(weighting, criteria))
    if "keys" in corpus.texts:
        searches.append(EqualKeys.of_texts(corpus.texts, corpus.text_of, criteria))
    if "form_keys" in corpus.forms and len(corpus.forms):
        searches.append(EqualKeys.of_forms(corpus.forms, corpus["form"], criteria))
    if "simhash" in criteria.searches:
        searches.append(NearFingerprints(settings))
    if "seeds" in corpus.texts:
        containment = criteria.containment or 0
        searches.append(SharedPassages(corpus.seeds(), corpus.text_of, containment))
    return searches
