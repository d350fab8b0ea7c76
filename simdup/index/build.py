"""Filling a new index."""

from __future__ import annotations

from dataclasses import replace

from simdup._version import __version__
from simdup.errors import SimdupError
from simdup.features.analyzer import Analyzer
from simdup.fingerprints.fingerprinter import Fingerprinter
from simdup.index.columns import line_columns
from simdup.index.ingest import (
    KEEP_SUMMARIES,
    Sources,
    read_documents,
    read_fingerprints,
    to_columns,
)
from simdup.index.opening import create_storage
from simdup.index.session import now
from simdup.index.storage import Storage
from simdup.index.store import Store
from simdup.index.stored_recipe import store, store_digest
from simdup.index.writer import Writer
from simdup.ingest.corpus import ingest
from simdup.ingest.sources import Data, open_input
from simdup.model.matches import Added
from simdup.model.recipe import Recipe
from simdup.model.settings import Settings


def build_from_texts(path: str, data: Data, settings: Settings) -> Added:
    """Create an index of documents, with the frequencies that weigh them."""
    with create_storage(path) as storage:
        added = _add_texts(storage, data, settings)
        _sign(storage)
    return added


def build_from_lines(path: str, sources: Sources, recipe: Recipe) -> Added:
    """Create an index of fingerprints."""
    with create_storage(path) as storage:
        added = _add_lines(storage, sources, recipe)
        _sign(storage)
    return added


def _sign(storage: Storage) -> None:
    """Note when the index was created, and by which version."""
    time = now()
    for name, value in (("created", time), ("changed", time), ("simdup", __version__)):
        storage.set(name, value)


def _add_texts(storage: Storage, data: Data, settings: Settings) -> Added:
    recipe = settings.recipe
    opened = open_input(data, settings)
    added = Added(skipped=list(opened.skipped))
    if recipe.may_need_corpus:
        with ingest(opened, replace(KEEP_SUMMARIES, standalone=False)) as corpus:
            fingerprinter = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
            corpora = iter([(corpus, to_columns(corpus, fingerprinter))])
            added.skipped.clear()  # the corpus has them
    else:
        fingerprinter = Fingerprinter.alone(Analyzer.for_recipe(recipe, settings.run.segmenter))
        corpora = (
            (corpus, to_columns(corpus, fingerprinter))
            for corpus, _ in read_documents(opened, fingerprinter)
        )
    store(storage, fingerprinter)
    writer = Writer(Store(storage, recipe.words))
    for corpus, (columns, skipped) in corpora:
        added.added += len(writer.add(columns)[0])
        added.skipped += skipped
        added.notes += corpus.notes
    writer.flush()
    return added


def _add_lines(storage: Storage, sources: Sources, recipe: Recipe) -> Added:
    """Add fingerprints; their recipe is the one given, if the digests agree."""
    own = recipe if recipe.idf != "auto" or not recipe.uses_idf else replace(recipe, idf="builtin")
    fingerprinter, digest = None, ""
    if own.idf != "corpus":
        fingerprinter = Fingerprinter.alone(Analyzer.for_recipe(own))
        digest = fingerprinter.digest
    lines = read_fingerprints(sources, recipe.bits, digest)
    if fingerprinter is not None and (lines.recipe, lines.bits) == (digest, own.bits):
        store(storage, fingerprinter)
    elif recipe != Recipe():
        raise SimdupError(
            storage.path,
            f"the lines have recipe {lines.recipe or 'unknown'}, "
            f"these options make {digest or 'one that needs texts to be known'}",
            "leave the recipe's options out, or give those that the lines were made with",
        )
    else:
        store_digest(storage, lines.recipe, lines.bits)
    writer = Writer(Store(storage, -(-lines.bits // 64)))
    columns, _ = writer.add(line_columns(list(lines.names), lines.values))
    writer.flush()
    return Added(len(columns))
