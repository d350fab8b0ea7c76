"""An open index: its file, its recipe, and the state kept between calls.

The recipe is stored when the index is built, so that its answers never change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from simdup._version import __version__
from simdup.base.errors import SimdupError
from simdup.index.opening import read_stored
from simdup.index.passage_index import seal
from simdup.index.row_searches import IndexRows
from simdup.index.sections import RemovedTexts
from simdup.index.storage import Storage
from simdup.index.store import Store, Writer
from simdup.model.criteria import Criteria
from simdup.model.recipe import Recipe, as_recipe, recipe_fields
from simdup.search.queries import SearchSetup
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.sketch_bands import SketchSource
from simdup.text.tokens import NO_DICTIONARY, Dictionary, read_dictionary
from simdup.text.weights import Builtin, Idf, Model, NoIdf, model_bytes, parse_model, read_model

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
            seal(self.store)
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


# -- the recipe ------------------------------------------------------------------------------------


def store_recipe(storage: Storage, fingerprinter: Fingerprinter) -> None:
    """Write the recipe, with everything that decides a fingerprint."""
    idf, dictionary = fingerprinter.idf, fingerprinter.analyzer.dictionary
    documents = None
    if isinstance(idf, Model):
        documents = idf.documents
        storage.put("model", model_bytes(idf))
    if dictionary != NO_DICTIONARY:
        storage.put("dictionary", dictionary.content)
    _write(storage, recipe_fields(fingerprinter.recipe), fingerprinter.fields, documents)


def store_digest(storage: Storage, digest: str, bits: int) -> None:
    """Write all that fingerprint lines say about their recipe."""
    _write(storage, None, {"digest": digest, "bits": bits}, None)


def _write(
    storage: Storage, values: dict[str, Any] | None, resolved: dict[str, Any], documents: int | None
) -> None:
    stored = {"fields": values, "resolved": resolved, "model_documents": documents}
    # File names may contain bytes that are not UTF-8; JSON writes them as escapes.
    storage.put("recipe", json.dumps(stored).encode())


@contextmanager
def intact(storage: Storage) -> Iterator[None]:
    """Raise that the recipe is damaged if its parts are inconsistent."""
    try:
        yield
    except SimdupError as error:
        raise storage.damaged(f"its recipe is damaged ({error})") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise storage.damaged("its recipe is damaged") from None


class StoredRecipe:
    """The recipe of an index."""

    def __init__(self, storage: Storage) -> None:
        stored = read_stored(storage)
        # With the digest; for fingerprint lines only digest and bits.
        self.resolved: dict[str, Any] = stored["resolved"]
        self._fields: dict[str, Any] | None = stored["fields"]
        self._storage = storage
        if self._fields is not None:
            with intact(storage):
                fits = self._recipe.bits == self.bits
            if not fits:
                raise storage.damaged("its recipe is damaged")

    @property
    def complete(self) -> bool:
        """Whether texts can be fingerprinted, instead of only comparing fingerprints."""
        return self._fields is not None

    @property
    def bits(self) -> int:
        """Bits of a fingerprint."""
        return int(self.resolved["bits"])

    @property
    def words(self) -> int:
        """64-bit words of a fingerprint."""
        return -(-self.bits // 64)

    @cached_property
    def fingerprinter(self) -> Fingerprinter:
        """The fingerprinter; raises if it is unknown, damaged or not reproducible here."""
        storage = self._storage
        if self._fields is None:
            raise SimdupError(
                storage.path,
                "it was built from fingerprint lines, and cannot fingerprint texts",
                "query it with `fingerprints`, or build it with the recipe options of the lines",
            )
        recipe, dictionary = self._recipe, NO_DICTIONARY
        if recipe.dictionary is not None:
            # The name is only shown: the author of an index must not choose what is opened here.
            dictionary = Dictionary(recipe.dictionary, storage.get("dictionary"))
            with intact(storage):
                dictionary.content.decode("utf-8")
        idf: Idf = Builtin()
        if storage.has("model"):
            content = storage.get("model")
            with intact(storage):
                idf = parse_model(content, storage.path)
        elif self.resolved["idf"] == "none":
            idf = NoIdf()
        made = Fingerprinter(Analyzer(recipe, dictionary=dictionary), idf)
        if made.digest != self.resolved["digest"]:
            raise SimdupError(
                storage.path,
                f"this installation cannot reproduce its recipe {self.resolved['digest']}",
                "an earlier simdup or another jieba built it: build it again; if not, it is "
                "damaged: see `Index.check`",
            )
        return made

    @property
    def _recipe(self) -> Recipe:
        values = self._fields or {}
        return Recipe(**{name.replace("-", "_"): value for name, value in values.items()})

    def require(self, words: str | None, changes: dict[str, Any]) -> None:
        """Raise if the requested recipe differs from the index's, naming both values of each field.

        `words` say a recipe (see `as_recipe`), None for the index's own; `changes` are fields.
        """
        if words is None and not changes:
            return
        if self._fields is None:
            raise SimdupError(
                self._storage.path,
                "it was built from fingerprint lines, and only the digest of their recipe is known",
                "remove the recipe options",
            )
        own = self._recipe
        asked = as_recipe(own if words is None else words, **changes)
        differing = []
        for field in (one.name for one in fields(Recipe)):
            wanted, has = getattr(asked, field), getattr(own, field)
            if field == "idf":
                agree = words is None or self._same_idf(wanted)
                has = self.resolved["idf"]
            elif field == "dictionary":
                agree = self._same_dictionary(wanted)
            else:
                agree = wanted == has
            if not agree:
                wanted, has = (
                    ", ".join(map(repr, one)) or "none" if isinstance(one, tuple) else one
                    for one in (wanted, has)
                )
                name = f"`{field}`" if field in ("strip", "dictionary") else field
                differing.append(f"{name} {wanted} was requested, but the index has {has}")
        if differing:
            raise SimdupError(
                self._storage.path,
                "another recipe: " + "; ".join(differing),
                "remove these options, or build another index with them",
            )

    def _same_idf(self, wanted: str) -> bool:
        if wanted == "auto" or wanted == self.resolved["idf"]:
            return True
        if wanted in ("builtin", "corpus") or not self._storage.has("model"):
            return False
        return self.fingerprinter.idf.digest() == read_model(wanted).digest()

    def _same_dictionary(self, wanted: str | None) -> bool:
        storage = self._storage
        kept = storage.get("dictionary") if storage.has("dictionary") else None
        if wanted is None or kept is None or wanted == (self._fields or {}).get("dictionary"):
            return (wanted is None) == (kept is None)
        return read_dictionary(wanted).content == kept
