"""Learn an IDF model from a corpus."""

from __future__ import annotations

from typing import NamedTuple

from simdup.errors import SimdupError
from simdup.features.idf import Model, learn_model, model_bytes
from simdup.ingest.corpus import ingest
from simdup.ingest.sources import Data, open_input
from simdup.model.documents import Skipped
from simdup.model.settings import Settings


class Fitted(NamedTuple):
    """A model, and how its documents were read."""

    content: bytes  # of the model file
    model: Model
    # As in `Result`.
    skipped: list[Skipped]
    notes: list[tuple[str, str]]


def fit(data: Data, settings: Settings) -> Fitted:
    """Learn a model from the documents of sources.

    Raises
    ------
    SimdupError
        If there is no document to learn from.
    """
    with ingest(open_input(data, settings)) as corpus:
        if not len(corpus):
            raise SimdupError("fit", "no document with words to learn from")
        model = learn_model(corpus.counts, corpus.analyzer.terms_digest)
    return Fitted(model_bytes(model), model, corpus.skipped, corpus.notes)
