"""Documents as a recipe takes them: without what its `strip` removes, before anything else."""

from __future__ import annotations

from collections.abc import Iterator

from simdup.corpus.batches import Batch, read
from simdup.features.text import strip_text
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe


def read_stripped(
    batch: Batch, reading: Reading, recipe: Recipe, matched: set[str] | None = None
) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch, stripped, and those that cannot take part.

    The expressions that match something are added to `matched`.
    """
    for one in read(batch, reading):
        yield one if isinstance(one, Skipped) else _strip(one, recipe, matched)


def _strip(document: Document, recipe: Recipe, matched: set[str] | None) -> Document | Skipped:
    if not recipe.strip:
        return document
    text = strip_text(document.text, recipe.strip, matched)
    if text.strip() or not document.text.strip():
        return document._replace(text=text)
    return document.skip("empty after `strip`")
