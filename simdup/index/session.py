"""An open index: its file, its recipe, and the state kept between calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from simdup._version import __version__
from simdup.index.row_searches import IndexRows
from simdup.index.sections import RemovedTexts
from simdup.index.storage import Storage
from simdup.index.store import Store
from simdup.index.stored_recipe import StoredRecipe
from simdup.index.writer import Writer
from simdup.model.criteria import Criteria
from simdup.search.queries import SearchSetup
from simdup.text.sketch_bands import SketchSource

# Seconds that a writer waits for another one.
TIMEOUT = 60.0


def keep_silent(what: str) -> None:
    """Wait silently."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How to wait for another writer."""

    timeout: float  # seconds to wait
    waiting: Callable[[str], None]  # called with a sentence before a wait begins


class Session:
    """An open index; its writer and rows are reused until somebody else writes to the file."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.recipe = StoredRecipe(storage)
        self.store = Store(storage, self.recipe.words)
        self._rows: tuple[int, SearchSetup, Criteria, IndexRows] | None = None
        self._removed: tuple[int, RemovedTexts] | None = None
        self._writer: tuple[int, Writer] | None = None

    @contextmanager
    def editing(self, patience: Patience) -> Iterator[Callable[[], Writer]]:
        """Write: everything is committed at the end, or nothing if an exception is raised.

        Yield a function that returns the writer on demand.
        """
        used: list[Writer] = []

        def writer() -> Writer:
            if not used:
                kept, self._writer = self._writer, None
                current = kept is not None and kept[0] == self.storage.version()
                used.append(kept[1] if kept and current else Writer(self.store))
            return used[0]

        with self.storage.writing(patience.timeout, patience.waiting):
            yield writer
            version = self.storage.version()
        if used:
            self._writer = version, used[0]

    def touch(self) -> None:
        """Record the time of a change."""
        self.storage.set("changed", now())

    def rows(self, setup: SearchSetup, criteria: Criteria) -> IndexRows:
        """Return the rows of the current documents, with the searches of the criteria."""
        asked = self.storage.version(), setup, criteria
        if self._rows is None or self._rows[:3] != asked:
            store = self.store
            source = SketchSource(store.iter_sketches, lambda rows: store.look_up(rows)["sketch"])
            self._rows = *asked, IndexRows(store.fingerprints(), source, setup, criteria)
        return self._rows[3]

    def removed(self) -> RemovedTexts:
        """Return the texts that were removed because of documents."""
        version = self.storage.version()
        if self._removed is None or self._removed[0] != version:
            self._removed = version, self.store.removed()
        return self._removed[1]

    def forget_rows(self) -> None:
        """Drop the rows, because documents have been removed or have moved."""
        self._rows = self._removed = None


def record_creation(storage: Storage) -> None:
    """Record when an index was created, and by which version."""
    time = now()
    for name, value in (("created", time), ("changed", time), ("simdup", __version__)):
        storage.set(name, value)


def now() -> str:
    """Return the time, in UTC and ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")
