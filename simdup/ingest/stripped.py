"""Documents as a recipe takes them: without what its `strip` removes, before anything else."""

from __future__ import annotations

from collections.abc import Iterator

from simdup.corpus.batches import Batch, read
from simdup.features.text import strip_text
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe


def read_stripped(batch: Batch, reading: Reading, recipe: Recipe) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch, stripped, and those that cannot take part."""
    for one in read(batch, reading):
        yield one if isinstance(one, Skipped) else strip_document(one, recipe)


def strip_document(document: Document, recipe: Recipe) -> Document | Skipped:
    """Return a document as the recipe takes it, or why nothing of it is left."""
    if not recipe.strip:
        return document
    text = strip_text(document.text, recipe.strip)
    if text.strip() or not document.text.strip():
        return document._replace(text=text)
    return document.skip("empty after `strip`")
