"""An open index: its file, its recipe, and what is kept between calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from simdup.index.searcher import Searcher, SearchSetup
from simdup.index.storage import Storage
from simdup.index.store import Store
from simdup.index.stored_recipe import StoredRecipe
from simdup.index.writer import Writer

# Seconds that a writer waits for another.
TIMEOUT = 60.0


def keep_silent(what: str) -> None:
    """Say nothing before waiting."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How to wait for another process that writes."""

    timeout: float  # seconds to wait
    waiting: Callable[[str], None]  # called with a sentence before the waiting begins


class Session:
    """An open index; its writer and searcher are kept as long as nobody else writes to the file."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.recipe = StoredRecipe(storage)
        self.store = Store(storage, self.recipe.words)
        self._searcher: tuple[int, SearchSetup, Searcher] | None = None
        self._writer: tuple[int, Writer] | None = None

    @contextmanager
    def editing(self, patience: Patience) -> Iterator[Callable[[], Writer]]:
        """Write: everything appears at the end, or nothing if an exception is raised.

        Yields a function that returns the writer when it is needed.
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
        """Note the time of a change."""
        self.storage.set("changed", now())

    def searcher(self, setup: SearchSetup) -> Searcher:
        """Return a searcher of the documents as they are at the moment."""
        version = self.storage.version()
        if self._searcher is None or self._searcher[:2] != (version, setup):
            found = Searcher(self.store.fingerprints(), setup)
            self._searcher = version, setup, found
        return self._searcher[2]

    def forget_searcher(self) -> None:
        """Search anew next time: documents have been removed or have moved."""
        self._searcher = None


def now() -> str:
    """Return the time, in UTC and ISO 8601.

    With microseconds, so that it differs from what an older simdup writes in the same second: that
    is how a manifest is known to be out of date.
    """
    return datetime.now(UTC).isoformat(timespec="microseconds")
