"""One file that holds sections: bytes of a kind and a number, each with its checksum.

This file knows neither what the sections mean nor numpy: a look into an index should not wait for
that import.  What it reads is compared with the checksums and with the manifest; a file that was
written last by a simdup without a manifest has none, or an outdated one, which is ignored.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from simdup.errors import SimdupError
from simdup.index import manifest
from simdup.index.database import Database
from simdup.index.manifest import Manifest

_CHECKSUM = 8  # bytes of BLAKE2b; a damaged part passes once in 2**64
# More names than this no index has.
_MOST_ABOUT = 100
_MOST_DOCUMENTS = 1 << 32


@dataclass(slots=True)
class _State:
    """What is known of the file in one version."""

    version: int
    blocks: dict[int, int]  # documents by number, rising
    manifest: Manifest | None
    dirty: bool = False  # changed, and the manifest not yet written
    fault: str = ""  # the first of `faults`

    def faults(self) -> list[str]:
        """Return where the blocks differ from the manifest."""
        noted = self.blocks if self.manifest is None else self.manifest.blocks()
        found = []
        for number in sorted(noted.keys() | self.blocks.keys()):
            has, should = self.blocks.get(number), noted.get(number)
            if has is None:
                found.append(f"block {number} is missing in the list of blocks")
            elif has != should:
                found.append(f"block {number} should have {should or 'no'} documents, not {has}")
        return found


class Storage(Database):
    """An open file of sections; see `open_storage` and `create_storage`."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        super().__init__(path, connection)
        self._state: _State | None = None

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

    # -- what the file says about itself -----------------------------------------------------------

    def about(self) -> dict[str, str]:
        """Return the names and values that `set` wrote."""
        return dict(self.execute(f"SELECT name, value FROM about LIMIT {_MOST_ABOUT}"))

    def set(self, name: str, value: str) -> None:
        """Write a value under a name."""
        self._known().dirty = True
        self.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def _known(self) -> _State:
        version = self.version()
        if self._state is None or self._state.version != version:
            self._state = _State(version, self._read_blocks(), self._read_manifest())
            self._state.fault = "".join(self._state.faults()[:1])
        return self._state

    def _read_blocks(self) -> dict[int, int]:
        found: dict[int, int] = {}
        last = 0
        for number, documents in self.rows("SELECT number, documents FROM block ORDER BY number"):
            if not isinstance(documents, int) or not 0 < documents < _MOST_DOCUMENTS:
                raise self.damaged(f"block {number} has no number of documents")
            if number <= last:
                raise self.damaged("the list of blocks is damaged")
            found[number] = documents
            last = number
        return found

    def _read_manifest(self) -> Manifest | None:
        about = self.about()
        # A simdup that knows no manifest notes the time of its change all the same.
        if about.get("sealed") is None or about["sealed"] != about.get("changed"):
            return None
        found = Manifest()
        for number, content in self._verified(manifest.KIND, None, None):
            try:
                found.read(content)
            except (ValueError, AttributeError, RecursionError):
                raise self.damaged(f"section {manifest.KIND} {number} is damaged") from None
        return found

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
        self.set("sealed", self.about().get("changed", ""))
        state.dirty = False

    # -- blocks ------------------------------------------------------------------------------------

    def blocks(self) -> list[tuple[int, int]]:
        """Return the numbers of all blocks, rising, with how many documents each has."""
        with self.reading():
            state = self._known()
            if state.fault:
                raise self.damaged(state.fault)
            return list(state.blocks.items())

    def documents(self, number: int) -> int:
        """Return how many documents a block has."""
        return self._known().blocks[number]

    def put_block(self, number: int, documents: int, sections: dict[str, bytes]) -> None:
        """Write a block's sections; without documents, remove it."""
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
        checksum = _checksum(kind, number, content)
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
            for _, content in self._verified(kind, number, self._known().manifest):
                return content
        raise self.damaged(f"section {kind} {number} is missing")

    def has(self, kind: str) -> bool:
        """Tell whether there is a section of a kind, or should be."""
        with self.reading():
            noted = self._known().manifest
            if noted is not None and any(kind in entry for entry in noted.entries.values()):
                return True
            return bool(self.execute("SELECT 1 FROM part WHERE kind = ? LIMIT 1", (kind,)))

    def sections(self, kind: str) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers and contents of the sections of a kind, by number; see `get`."""
        return self._verified(kind, None, self._known().manifest)

    def _verified(
        self, kind: str, only: int | None, noted: Manifest | None
    ) -> Iterator[tuple[int, bytes]]:
        statement = "SELECT number, checksum, content FROM part WHERE kind = ?"
        statement += " ORDER BY number" if only is None else " AND number = ?"
        last = -1
        for number, checksum, content in self.rows(
            statement, (kind,) if only is None else (kind, only)
        ):
            intact = is_intact(kind, number, checksum, content)
            if not intact or not (noted is None or noted.has(kind, number, checksum)):
                raise self.damaged(f"section {kind} {number} is damaged")
            if number <= last:
                raise self.damaged(f"the list of sections {kind} is damaged")
            last = number
            yield number, content

    # -- damaged files -----------------------------------------------------------------------------

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the file itself, its lists, or the checksum of a section."""
        try:
            for (said,) in self.rows("PRAGMA integrity_check(10)"):
                if said != "ok":
                    yield " ".join(str(said).split())
            yield from self._known().faults()
        except SimdupError as error:
            yield error.what
            return
        noted = self._known().manifest
        places = set() if noted is None else noted.kinds()
        for kind, number in sorted(places | self.places().keys()):
            try:
                if kind != manifest.KIND:
                    self.get(kind, number)
            except SimdupError as error:
                yield error.what

    def places(self) -> dict[tuple[str, int], int]:
        """Return the row of each section by kind and number: of those that can be found."""
        found: dict[tuple[str, int], int] = {}
        # Damaged pages end a scan; another one comes from the other side, or by the index.
        for scan in ("NOT INDEXED ORDER BY rowid", "NOT INDEXED ORDER BY rowid DESC",
                     "ORDER BY kind, number"):  # fmt: skip
            with suppress(SimdupError):
                for kind, number, row in self.rows(f"SELECT kind, number, rowid FROM part {scan}"):
                    if isinstance(kind, str) and isinstance(number, int):
                        found.setdefault((kind, number), row)
        return found


def is_intact(kind: object, number: object, checksum: object, content: object) -> bool:
    """Tell whether a row of a section is as it was written."""
    return (
        isinstance(kind, str)
        and isinstance(number, int)
        and isinstance(content, bytes)
        and checksum == _checksum(kind, number, content)
    )


def _checksum(kind: str, number: int, content: bytes) -> bytes:
    """Return a section's checksum, which differs for the same bytes in another place."""
    state = hashlib.blake2b(f"{kind} {number} ".encode(), digest_size=_CHECKSUM)
    state.update(content)
    return state.digest()
