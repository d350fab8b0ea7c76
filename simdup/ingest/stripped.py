"""Documents as a recipe takes them: without what its `strip` removes, before anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simdup.corpus.batches import Batch, read
from simdup.features.stripping import strip_texts
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe


def read_stripped(
    batch: Batch, reading: Reading, recipe: Recipe, matched: set[str] | None = None
) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch, stripped, and those that cannot take part.

    The expressions that match something are added to `matched`.
    """
    if not recipe.strip:
        yield from read(batch, reading)
        return
    found = list(read(batch, reading))
    documents = [one for one in found if isinstance(one, Document)]
    left = iter(strip_documents(documents, recipe.strip, matched))
    for one in found:
        yield one if isinstance(one, Skipped) else _stripped(one, next(left))


def strip_documents(
    documents: Sequence[Document], strip: Sequence[str], matched: set[str] | None = None
) -> list[str]:
    """Return the texts of documents without what the expressions match."""
    texts, names = [one.text for one in documents], [one.name for one in documents]
    return strip_texts(texts, strip, names, matched)


def _stripped(document: Document, text: str) -> Document | Skipped:
    if text.strip() or not document.text.strip():
        return document._replace(text=text)
    return document.skip("empty after `strip`")
