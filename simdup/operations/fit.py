"""Fit: learn an IDF model from a corpus."""

from __future__ import annotations

from collections.abc import Iterable

from simdup.errors import SimdupError
from simdup.features.idf import Model, corpus_model, model_bytes
from simdup.fingerprints.fingerprinter import terms_digest
from simdup.ingest.counting import Effort, gathered, open_sources
from simdup.model.documents import Skipped
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe


def fit(
    sources: Iterable[str], recipe: Recipe, reading: Reading, effort: Effort
) -> tuple[bytes, Model, list[Skipped]]:
    """Return a model's file content, the model, and what was skipped.

    Raises
    ------
    SimdupError
        If there is no document to learn from.
    """
    with gathered(open_sources(sources, reading, effort), recipe, reading) as (corpus, counts, _):
        if not corpus.names:
            raise SimdupError("fit", "no document with words to learn from")
        model = corpus_model(counts, terms_digest(recipe))
    return model_bytes(model), model, corpus.skipped
