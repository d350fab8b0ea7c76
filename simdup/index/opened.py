"""An open index: its file, its recipe, its documents, and what is kept between calls.

The recipe is stored when the index is built, so that its answers never change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cached_property
from typing import Any

from simdup.base.errors import SimdupError
from simdup.index.file import IndexFile, Patience, open_file, read_recipe
from simdup.index.match import IndexRows, QueryOptions
from simdup.index.passages import seal
from simdup.index.segments import NO_REMOVED, Edit, RemovedTexts, Segments
from simdup.model.criteria import Criteria
from simdup.model.recipe import Recipe, as_recipe, recipe_fields
from simdup.search.queries import SearchSetup
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.tokens import NO_DICTIONARY, Dictionary, read_dictionary
from simdup.text.weights import Builtin, Idf, Model, NoIdf, model_bytes, parse_model, read_model


@contextmanager
def edited(segments: Segments, removed: RemovedTexts = NO_REMOVED) -> Iterator[Edit]:
    """Change documents in a transaction; see `Edit.finish` and `seal`."""
    edit = Edit(segments)
    yield edit
    edit.finish(removed)
    seal(segments)


class Opened:
    """An open index; what was read is used again until somebody else writes to the file."""

    def __init__(self, path: str) -> None:
        self.file = open_file(path)
        try:
            self.recipe = StoredRecipe(self.file)
        except BaseException:
            self.file.close()
            raise
        self.segments = Segments(self.file, self.recipe.words)
        self._rows: tuple[int, SearchSetup, Criteria, IndexRows] | None = None

    @contextmanager
    def editing(self, patience: Patience, removed: RemovedTexts = NO_REMOVED) -> Iterator[Edit]:
        """Write: everything is committed at the end, or nothing if an exception is raised.

        `removed` are texts that were removed because of documents.
        """
        try:
            with self.file.writing(patience), edited(self.segments, removed) as edit:
                yield edit
        except BaseException:
            # They may have documents that are not in the file.
            self.forget_rows()
            raise
        if edit.gone:
            self.forget_rows()

    def rows(self, options: QueryOptions) -> IndexRows:
        """Return the rows of the current documents, and how the criteria propose them."""
        asked = self.file.version(), options.setup(self.recipe.bits), options.criteria
        if self._rows is None or self._rows[:3] != asked:
            self._rows = *asked, IndexRows(self.segments, *asked[1:])
        return self._rows[3]

    def forget_rows(self) -> None:
        """Drop the rows, because documents have other ones, or to free their memory."""
        self._rows = None


# -- the recipe ------------------------------------------------------------------------------------


def store_recipe(file: IndexFile, fingerprinter: Fingerprinter, method: str) -> None:
    """Write the recipe, with everything that decides a fingerprint, and the method of queries."""
    idf, dictionary = fingerprinter.idf, fingerprinter.analyzer.dictionary
    if isinstance(idf, Model):
        file.set("model", model_bytes(idf))
    if dictionary != NO_DICTIONARY:
        file.set("dictionary", dictionary.content)
    documents = idf.documents if isinstance(idf, Model) else None
    values = recipe_fields(fingerprinter.recipe)
    write_recipe(file, method, fingerprinter.fields, values, documents)


def write_recipe(
    file: IndexFile,
    method: str,
    resolved: dict[str, Any],
    values: dict[str, Any] | None = None,
    documents: int | None = None,
) -> None:
    """Write a recipe; fingerprint lines only say its digest and bits."""
    about = {"model_documents": documents, "method": method}
    stored = about | {"fields": values, "resolved": resolved}
    # File names may contain bytes that are not UTF-8; JSON writes them as escapes.
    file.set("recipe", json.dumps(stored).encode())


class StoredRecipe:
    """The recipe of an index."""

    def __init__(self, file: IndexFile) -> None:
        stored = read_recipe(file)
        # With the digest; for fingerprint lines only digest and bits.
        self.resolved: dict[str, Any] = stored["resolved"]
        self._fields: dict[str, Any] | None = stored["fields"]
        self.method: str = stored["method"]
        self._file = file
        self.bits: int = self.resolved["bits"]
        self.words = -(-self.bits // 64)  # of 64 bits, for a fingerprint
        with self._intact():
            if self.complete and self._recipe.bits != self.bits:
                raise ValueError("other bits")

    @contextmanager
    def _intact(self) -> Iterator[None]:
        """Raise that the recipe is damaged if its parts are inconsistent."""
        try:
            yield
        except SimdupError as error:
            raise self._file.damaged(f"its recipe is damaged ({error})") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise self._file.damaged("its recipe is damaged") from None

    @property
    def complete(self) -> bool:
        """Whether texts can be fingerprinted, instead of only comparing fingerprints."""
        return self._fields is not None

    @property
    def _recipe(self) -> Recipe:
        values = self._fields or {}
        return Recipe(**{name.replace("-", "_"): value for name, value in values.items()})

    @cached_property
    def fingerprinter(self) -> Fingerprinter:
        """The fingerprinter; raises if it is unknown, damaged or not reproducible here."""
        file = self._file
        if not self.complete:
            raise SimdupError(
                file.path,
                "it was built from fingerprint lines, and cannot fingerprint texts",
                "query it with `fingerprints`, or build it with the recipe options of the lines",
            )
        recipe, dictionary = self._recipe, NO_DICTIONARY
        if recipe.dictionary is not None:
            # The name is only shown: the author of an index must not choose what is opened here.
            dictionary = Dictionary(recipe.dictionary, file.named("dictionary"))
            with self._intact():
                dictionary.content.decode("utf-8")
        idf: Idf = NoIdf() if self.resolved["idf"] == "none" else Builtin()
        if "model" in file.head.blobs:
            content = file.named("model")
            with self._intact():
                idf = parse_model(content, file.path)
        made = Fingerprinter(Analyzer(recipe, dictionary=dictionary), idf)
        if made.digest != self.resolved["digest"]:
            raise SimdupError(
                file.path,
                f"this installation cannot reproduce its recipe {self.resolved['digest']}",
                "an earlier simdup or another jieba built it: build it again; if not, it is "
                "damaged: see `Index.check`",
            )
        return made

    def require(self, words: str | None, changes: dict[str, Any]) -> None:
        """Raise if the requested recipe differs from the index's, naming both values of each field.

        `words` say a recipe (see `as_recipe`), None for the index's own; `changes` are fields.
        """
        if words is None and not changes:
            return
        if not self.complete:
            raise SimdupError(
                self._file.path,
                "it was built from fingerprint lines, and only the digest of their recipe is known",
                "remove the recipe options",
            )
        has, differing = self._recipe, []
        asked = as_recipe(has if words is None else words, **changes)
        for field in (one.name for one in fields(Recipe)):
            values = [getattr(asked, field), getattr(has, field)]
            agree = values[0] == values[1]
            if field == "idf":
                agree = words is None or self._same_idf(values[0])
                values[1] = self.resolved["idf"]
            elif field == "dictionary":
                agree = self._same_dictionary(values[0])
            if not agree:
                name = f"`{field}`" if field in ("strip", "dictionary") else field
                wanted, present = (
                    ", ".join(map(repr, value)) or "none" if isinstance(value, tuple) else value
                    for value in values
                )
                differing.append(f"{name} {wanted} was requested, but the index has {present}")
        if differing:
            raise SimdupError(
                self._file.path,
                "another recipe: " + "; ".join(differing),
                "remove these options, or build another index with them",
            )

    def require_method(self, method: str) -> None:
        """Raise if an index is to be searched by another method than that of its keys."""
        if method != self.method:
            what = f"{self._file.path} is an index, which was built for method {self.method}"
            hint = f"search it by `method` {self.method}, or build another index for {method}"
            raise SimdupError("method", what, hint, "method")

    def _same_idf(self, asked: str) -> bool:
        if asked == "auto" or asked == self.resolved["idf"]:
            return True
        if asked in ("builtin", "corpus") or "model" not in self._file.head.blobs:
            return False
        return self.fingerprinter.idf.digest() == read_model(asked).digest()

    def _same_dictionary(self, asked: str | None) -> bool:
        blobs, name = self._file.head.blobs, (self._fields or {}).get("dictionary")
        if asked is None or "dictionary" not in blobs or asked == name:
            return (asked is None) == ("dictionary" not in blobs)
        return read_dictionary(asked).content == self._file.named("dictionary")
