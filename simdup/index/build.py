"""Create an index and fill it, or take in what `dedupe` keeps, so that later runs know it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable
from dataclasses import replace

from simdup.base.errors import SimdupError
from simdup.index.ingest import Sources, indexed, read_fingerprints, summaries
from simdup.index.opening import create_storage, open_storage
from simdup.index.sections import NO_REMOVED, RemovedTexts, line_documents
from simdup.index.session import TIMEOUT, Patience, Session, keep_silent, record_creation
from simdup.index.storage import Storage
from simdup.index.store import Store
from simdup.index.stored_recipe import store, store_digest
from simdup.index.writer import Writer
from simdup.model.matches import Added
from simdup.model.recipe import Recipe
from simdup.model.settings import Progress, Settings, no_progress
from simdup.model.table import Documents
from simdup.near.collection import ingest_fingerprinted
from simdup.near.sources import open_input
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter


def build(path: str, sources: Sources, settings: Settings, fingerprints: bool) -> Added:
    """Create an index of documents with their recipe, or of fingerprints."""
    with create_storage(path) as storage:
        add = _add_lines if fingerprints else _add_texts
        added = add(storage, sources, settings)
        record_creation(storage)
    return added


def _add_texts(storage: Storage, sources: Sources, settings: Settings) -> Added:
    opened = open_input(sources, settings)
    fingerprinter, collections = ingest_fingerprinted(opened, [summaries])
    store(storage, fingerprinter)
    # Documents that are added while they are read are counted by the stage of reading.
    progress = settings.run.progress if settings.recipe.may_need_corpus else no_progress
    parts = itertools.starmap(indexed, collections)
    added = _fill(storage, settings.recipe.words, parts, progress)
    skipped = opened.report.skipped
    # A mistyped name should not leave an empty index, to which more is then added.
    if not added and (faulty := [one for one in skipped if one.error]):
        raise SimdupError(str(faulty[0].document), faulty[0].fault)
    return Added(added, skipped=skipped, notes=opened.report.notes)


def _add_lines(storage: Storage, sources: Sources, settings: Settings) -> Added:
    """Add fingerprints; their recipe is the given one if the digests agree."""
    recipe = settings.recipe
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
            f"the lines have recipe {lines.recipe or 'unknown'}, but these options give "
            f"{digest or 'a recipe that depends on the texts'}",
            "remove the recipe options, or use those that the lines were made with",
        )
    else:
        store_digest(storage, lines.recipe, lines.bits)
    columns = line_documents(lines.names, lines.values)
    return Added(_fill(storage, -(-lines.bits // 64), [columns], settings.run.progress))


def _fill(
    storage: Storage,
    words: int,
    parts: Iterable[Documents],
    progress: Progress,
    removed: RemovedTexts = NO_REMOVED,
) -> int:
    """Add documents, which come in parts, to a new index, and return how many there are."""
    writer = Writer(Store(storage, words))
    added = sum(writer.add_all(part, progress)[0] for part in parts)
    writer.flush()
    if len(removed):
        writer.put_removed(removed)
    return added


def remember(
    path: str,
    columns: Documents,
    removed: RemovedTexts,
    fingerprinter: Fingerprinter,
    waiting: Callable[[str], None] = keep_silent,
    progress: Progress = no_progress,
) -> Added:
    """Add documents to an index, which is created if it does not exist: all of them, or none.

    `removed` are texts that were removed because of these documents, or of those that it has.

    Raises
    ------
    SimdupError
        If it cannot be written, another writer does not finish in time, or it has another recipe
        by now.
    """
    if not os.path.lexists(path):
        with create_storage(path) as storage:
            store(storage, fingerprinter)
            words = fingerprinter.recipe.words
            added = Added(_fill(storage, words, [columns], progress, removed))
            record_creation(storage)
        return added
    storage = open_storage(path)
    try:
        session = Session(storage)
        if session.recipe.resolved["digest"] != fingerprinter.digest:
            raise SimdupError(path, "was replaced during the run by one with another recipe")
        with session.editing(Patience(TIMEOUT, waiting)) as edit:
            new, replaced = edit().add_all(columns, progress)
            edit().flush()
            edit().put_removed(removed)
            session.touch()
        return Added(new - replaced, replaced, len(columns) - new)
    finally:
        storage.close()
