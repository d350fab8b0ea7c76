"""Write the intact part of a damaged index to a new file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field

import numpy as np

from simdup.errors import SimdupError
from simdup.index.check import find_faults
from simdup.index.manifest import Manifest
from simdup.index.opening import create_storage, open_storage
from simdup.index.sections import REMOVED, SECTIONS, name_keys, read_names
from simdup.index.session import Session, record_creation
from simdup.index.state import (
    DESCRIBED,
    find_places,
    is_intact,
    read_blocks,
    read_manifest,
    require_description,
)
from simdup.index.storage import Storage
from simdup.index.store import Store
from simdup.index.stored_recipe import StoredRecipe, store_digest
from simdup.index.writer import Writer
from simdup.model.table import Documents


@dataclass(slots=True)
class Repaired:
    """The result of a repair.

    Attributes
    ----------
    faults : list of str
        What was wrong, one sentence per fault; if empty, nothing was written.
    documents : int
        How many documents the new index has.
    lost : list of str
        What the new index lacks, one sentence per loss.
    """

    faults: list[str]
    documents: int = 0
    lost: list[str] = field(default_factory=list)


def repair(path: str, target: str) -> Repaired:
    """Write the intact part of an index to a new one; the damaged one is not changed.

    Raises
    ------
    SimdupError
        If the target exists, the file is not an index, or its recipe is damaged.
    """
    with closing(open_storage(path)) as old:
        found = Repaired(_find_faults(old))
        if not found.faults:
            return found
        with create_storage(target) as new, old.reading():
            wreck = _Wreck(old)
            found.lost += _copy_recipe(wreck, new)
            store = Store(new, StoredRecipe(new).words)
            writer = Writer(store)
            for columns in wreck.blocks(store, found.lost):
                _, replaced = writer.add(columns)
                if replaced:
                    found.lost.append(f"{replaced} documents whose names occurred twice")
            writer.flush()
            found.lost += _copy_removed(wreck, writer)
            record_creation(new)
            with suppress(SimdupError):
                about = old.about()
                require_description(old, about)
                for name in DESCRIBED:
                    new.set(name, about[name])
            found.documents = len(store)
    return found


def _find_faults(storage: Storage) -> list[str]:
    try:
        return find_faults(Session(storage))
    except SimdupError as error:
        return [error.what]


def _copy_recipe(wreck: _Wreck, new: Storage) -> list[str]:
    """Copy the recipe; without its model or dictionary, only fingerprints can be compared."""
    try:
        new.put("recipe", 0, wreck.get("recipe", 0))
        known = StoredRecipe(new)
    except SimdupError as error:
        what = f"cannot be repaired: {error.what}"
        hint = "build the index again from its sources"
        raise SimdupError(wreck.path, what, hint) from None
    parts, lost = {}, []
    for kind in known.parts | {kind for kind, _ in wreck.places} & {"model", "dictionary"}:
        try:
            parts[kind] = wreck.get(kind, 0)
        except SimdupError as error:
            lost.append(f"{error.what}: texts can no longer be fingerprinted")
    if lost:
        store_digest(new, known.resolved["digest"], known.bits)
        return lost
    for kind, content in parts.items():
        new.put(kind, 0, content)
    return []


def _copy_removed(wreck: _Wreck, writer: Writer) -> list[str]:
    """Copy the texts that were removed because of documents that the new index has."""
    if ("removed", 0) in wreck.places:
        try:
            writer.put_removed(np.frombuffer(wreck.get("removed", 0), REMOVED))
        except (SimdupError, ValueError):
            return ["section removed 0 is damaged: texts that were removed may be new again"]
    return []


class _Wreck:
    """A damaged index, as far as it can be read."""

    def __init__(self, storage: Storage) -> None:
        self.path = storage.path
        self._storage = storage
        self._rows = find_places(storage)
        self._listed: dict[int, int] = {}
        self._noted: Manifest | None = None
        with suppress(SimdupError):
            self._listed = read_blocks(storage)
        with suppress(SimdupError):
            self._noted = read_manifest(storage)
        self.places = set(self._rows)  # kind and number of all sections, including lost ones
        if self._noted is not None:
            self.places |= self._noted.kinds()
            self._listed |= self._noted.blocks()

    def get(self, kind: str, number: int) -> bytes:
        """Return an intact section, found with or without the table's index."""
        for where, values in (
            ("WHERE kind = ? AND number = ?", (kind, number)),
            ("NOT INDEXED WHERE rowid = ?", (self._rows.get((kind, number)),)),
        ):
            with suppress(SimdupError):
                statement = f"SELECT checksum, content FROM part {where}"
                for checksum, content in self._storage.rows(statement, values):
                    noted = self._noted
                    if is_intact(kind, number, checksum, content) and (
                        noted is None or noted.has(kind, number, checksum)
                    ):
                        return bytes(content)
        what = "damaged" if (kind, number) in self._rows else "missing"
        raise self._storage.damaged(f"section {kind} {number} is {what}")

    def blocks(self, store: Store, lost: list[str]) -> Iterator[Documents]:
        """Yield the documents of all blocks; record the lost ones in `lost`."""
        found = {number for kind, number in self.places if kind in SECTIONS}
        for number in sorted(found | self._listed.keys()):
            try:
                yield store.read_block(number, self._get_or_make)
            except SimdupError as error:
                documents = self._listed.get(number)
                words = "an unknown number of" if documents is None else f"{documents:,}"
                lost.append(f"block {number}: {words} documents are lost ({error.what})")

    def _get_or_make(self, kind: str, number: int) -> bytes:
        """Return a section; lost keys are made from the names, and stand in for lost contents.

        A document whose content hash is lost counts as changed when it is added again.
        """
        if kind == "keys":
            names = read_names(self.get("ends", number), self.get("names", number))
            return name_keys(names).astype("<u8").tobytes()
        try:
            return self.get(kind, number)
        except SimdupError:
            if kind != "contents":
                raise
            return self._get_or_make("keys", number)
