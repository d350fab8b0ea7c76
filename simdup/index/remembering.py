"""Remember the documents of a run, so that later runs know that they have been seen."""

from __future__ import annotations

import os
from collections.abc import Callable

from simdup.errors import SimdupError
from simdup.fingerprints.fingerprinter import Fingerprinter
from simdup.index.opening import create_storage, open_storage
from simdup.index.sections import RemovedTexts
from simdup.index.session import TIMEOUT, Patience, Session, keep_silent, record_creation
from simdup.index.store import Store
from simdup.index.stored_recipe import store
from simdup.index.writer import Writer
from simdup.model.matches import Added
from simdup.model.settings import Progress, no_progress
from simdup.model.table import Documents


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
            writer = Writer(Store(storage, fingerprinter.recipe.words))
            added = Added(writer.add_all(columns, progress)[0])
            writer.flush()
            writer.put_removed(removed)
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
