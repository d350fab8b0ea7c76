"""Learn an IDF model from a corpus."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from simdup.base.errors import SimdupError
from simdup.model.documents import Skipped
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.near.collection import ingest
from simdup.near.inputs import Data, open_input
from simdup.show.streams import open_output
from simdup.text.weights import Model, learn_model, model_bytes


class Fitted(NamedTuple):
    """A model, and how its documents were read.

    Attributes
    ----------
    content : bytes
        The model as it is in a file.
    model : Model
        How many documents have each term.
    skipped, notes
        As in `Result`.
    """

    content: bytes
    model: Model
    skipped: list[Skipped]
    notes: list[tuple[str, str]]

    def __repr__(self) -> str:
        """Return the figures in one line."""
        return f"<Fitted documents={self.model.documents} terms={len(self.model.ids)}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all: ``Recipe(idf=path)`` uses it.

        Raises
        ------
        SimdupError
            If the file cannot be written.
        """
        with open_output(os.fspath(path)) as stream:
            stream.write(self.content)


def fit(
    data: Data,
    recipe: Recipe | str = "default",
    *,
    reading: Reading | None = None,
    run: RunOptions | None = None,
    jobs: int | None = None,
    text: str | tuple[str, ...] | None = None,
    id: str | None = None,  # noqa: A002
) -> Fitted:
    """Learn from a corpus in how many documents each term occurs.

    Parameters
    ----------
    data, recipe, reading, run, jobs, text, id
        As in `scan`; of the recipe only what makes the terms matters.

    Returns
    -------
    Fitted
        The model; its ``save(path)`` writes it to a file.

    Raises
    ------
    SimdupError
        If an argument is invalid, or there is no document to learn from.

    Examples
    --------
    >>> fitted = fit([("a", "The ferry leaves at seven."), ("b", "The ferry is late.")])
    >>> fitted.model.documents
    2
    """
    settings = Settings.of(recipe, reading=reading, run=run, jobs=jobs, text=text, id=id)
    with ingest(open_input(data, settings)) as corpus:
        if not corpus.counts.documents_with_terms:
            for fault in corpus.report.skipped:
                if fault.error:
                    raise SimdupError(str(fault.document), fault.fault)
            raise SimdupError("fit", "no document with words to learn from")
        model = learn_model(corpus.counts, corpus.analyzer.terms_digest)
        corpus.skip_wordless(np.diff(corpus.counts.starts)[corpus.text_of] == 0)
    return Fitted(model_bytes(model), model, corpus.report.skipped, corpus.report.notes)
