"""Fit: learn an IDF model from a corpus."""

from __future__ import annotations

from simdup.errors import SimdupError
from simdup.features.idf import Model, learn_model, model_bytes
from simdup.ingest.corpus import ingest
from simdup.ingest.sources import Data, open_input
from simdup.model.documents import Skipped
from simdup.model.settings import Settings


def fit(data: Data, settings: Settings) -> tuple[bytes, Model, list[Skipped]]:
    """Return a model's file content, the model, and what was skipped.

    Raises
    ------
    SimdupError
        If there is no document to learn from.
    """
    with ingest(open_input(data, settings)) as corpus:
        if not len(corpus):
            raise SimdupError("fit", "no document with words to learn from")
        model = learn_model(corpus.counts, corpus.analyzer.terms_digest)
    return model_bytes(model), model, corpus.skipped
