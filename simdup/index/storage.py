"""A file of sections: bytes with a kind and a number, each with its checksum.

This module does not know what the sections mean, and does not import numpy, so that `index info` is
fast.  It compares what it reads with the checksums and with the manifest.  If an older simdup
without manifests was the last writer, the manifest is missing or outdated, and is ignored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from simdup.errors import SimdupError
from simdup.index import manifest
from simdup.index.database import Database
from simdup.index.manifest import Manifest
from simdup.index.state import (
    ORIGIN,
    State,
    describe_origin,
    find_places,
    list_places,
    make_checksum,
    read_about,
    read_blocks,
    read_manifest,
    read_sections,
)


class Storage(Database):
    """An open file of sections; see `open_storage` and `create_storage`."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        super().__init__(path, connection)
        self._state: State | None = None

    @contextmanager
    def writing(self, timeout: float, waiting: Callable[[str], None]) -> Iterator[None]:
        """Write; see `Database.writing`."""
        try:
            with super().writing(timeout, waiting):
                yield
                self.seal()
        except BaseException:
            self._state = None
            raise

    # -- description of the file -------------------------------------------------------------------

    def about(self) -> dict[str, str]:
        """Return the names and values that `set` wrote."""
        return read_about(self)

    def set(self, name: str, value: str) -> None:
        """Write a value under a name."""
        self._known().dirty = True
        self.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def begin_empty(self) -> None:
        """Know a new file without reading it: it is not yet described."""
        self._state = State(self.version(), {}, None)

    def _known(self) -> State:
        version = self.version()
        if self._state is None or self._state.version != version:
            self._state = State(version, read_blocks(self), read_manifest(self))
            self._state.fault = "".join(self._state.faults()[:1])
        return self._state

    def seal(self) -> None:
        """Write the manifest; call it last in a transaction."""
        state = self._known()
        if not state.dirty:
            return
        if state.manifest is None:
            state.manifest = Manifest()
            for kind, number, checksum in self.rows("SELECT kind, number, checksum FROM part"):
                if not isinstance(checksum, bytes):
                    raise self.damaged(f"section {kind} {number} is damaged")
                if kind != manifest.KIND:
                    state.manifest.note(kind, number, checksum)
            for number, documents in state.blocks.items():
                state.manifest.note_block(number, documents)
            self.execute("DELETE FROM part WHERE kind = ?", (manifest.KIND,))
        for number, content in state.manifest.sections().items():
            if content:
                self._put(manifest.KIND, number, content)
            else:
                self._remove([manifest.KIND], number)
        about = self.about()
        self.set("sealed", about.get("changed", ""))
        if ORIGIN not in about:
            self.set(ORIGIN, describe_origin(about))
        state.dirty = False

    # -- blocks ------------------------------------------------------------------------------------

    def blocks(self) -> list[tuple[int, int]]:
        """Return the numbers of all blocks, ascending, with how many documents each has."""
        with self.reading():
            state = self._known()
            if state.fault:
                raise self.damaged(state.fault)
            return list(state.blocks.items())

    def documents(self, number: int) -> int:
        """Return how many documents a block has."""
        return self._known().blocks[number]

    def put_block(self, number: int, documents: int, sections: dict[str, bytes]) -> None:
        """Write the sections of a block; without documents, remove it."""
        state = self._known()
        if state.manifest is not None:
            state.manifest.note_block(number, documents)
        if not documents:
            state.dirty = True
            state.blocks.pop(number, None)
            self.execute("DELETE FROM block WHERE number = ?", (number,))
            self._remove(list(sections), number)
            return
        state.blocks[number] = documents
        self.execute("INSERT OR REPLACE INTO block VALUES (?, ?)", (number, documents))
        for kind, content in sections.items():
            self.put(kind, number, content)

    # -- sections ----------------------------------------------------------------------------------

    def put(self, kind: str, number: int, content: bytes) -> None:
        """Write a section."""
        checksum = self._put(kind, number, content)
        state = self._known()
        state.dirty = True
        if state.manifest is not None:
            state.manifest.note(kind, number, checksum)

    def _put(self, kind: str, number: int, content: bytes) -> bytes:
        checksum = make_checksum(kind, number, content)
        values = (kind, number, checksum, content)
        self.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)", values)
        return checksum

    def _remove(self, kinds: list[str], number: int) -> None:
        places = ",".join("?" * len(kinds))
        statement = f"DELETE FROM part WHERE number = ? AND kind IN ({places})"
        self.execute(statement, (number, *kinds))

    def get(self, kind: str, number: int) -> bytes:
        """Return a section, or raise if it is missing or damaged."""
        with self.reading():
            for _, content in read_sections(self, kind, self._known().manifest, number):
                return content
        raise self.damaged(f"section {kind} {number} is missing")

    def has(self, kind: str) -> bool:
        """Return whether there is a section of a kind, or should be."""
        with self.reading():
            noted = self._known().manifest
            if noted is not None and any(kind in entry for entry in noted.entries.values()):
                return True
            return bool(self.execute("SELECT 1 FROM part WHERE kind = ? LIMIT 1", (kind,)))

    def sections(self, kind: str) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers and contents of the sections of a kind, by number; see `get`."""
        return read_sections(self, kind, self._known().manifest)

    # -- damaged files -----------------------------------------------------------------------------

    def faults(self, chosen: Collection[int], whole: bool) -> Iterator[str]:
        """Yield the faults of the file itself, its lists, and the checksums of sections.

        Unless `whole`, only sections of the chosen blocks, and those of no block, are read.
        """
        try:
            if whole:
                for (said,) in self.rows("PRAGMA integrity_check(10)"):
                    yield from (line for line in said.splitlines() if line[:3] not in ("ok", "***"))
            yield from self._known().faults()
            found = frozenset(self.places(whole))
        except SimdupError as error:
            yield error.what
            return
        noted = self._known().manifest
        wanted = {0, *chosen}
        for kind, number in sorted(found.union(() if noted is None else noted.kinds())):
            if not whole and number not in wanted and (kind, number) in found:
                continue
            try:
                if kind != manifest.KIND:
                    self.get(kind, number)
            except SimdupError as error:
                yield error.what

    def places(self, whole: bool) -> list[tuple[str, int]]:
        """Return the kind and number of all sections; unless `whole`, as one list has them."""
        return list(find_places(self)) if whole else list_places(self)
