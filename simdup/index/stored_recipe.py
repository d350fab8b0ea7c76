"""The recipe inside an index: frozen when it is built, so that it answers alike ever after."""

from __future__ import annotations

import json
import tempfile
from dataclasses import fields, replace
from typing import Any

from simdup.errors import SimdupError
from simdup.features.idf import Builtin, Idf, Model, NoIdf, model_bytes, parse_model, read_model
from simdup.features.tokens import read_dictionary
from simdup.fingerprints.fingerprinter import resolved
from simdup.index.storage import File
from simdup.model.recipe import Recipe, named_recipe, recipe_fields


def freeze(file: File, recipe: Recipe, idf: Idf) -> None:
    """Write the recipe, with all that decides a fingerprint."""
    documents = None
    if isinstance(idf, Model):
        documents = idf.documents
        file.put("model", 0, model_bytes(idf))
    if recipe.dictionary is not None:
        file.put("dictionary", 0, read_dictionary(recipe.dictionary))
    values = resolved(recipe, idf)
    stored = {"fields": recipe_fields(recipe), "resolved": values, "model_documents": documents}
    _write(file, stored)


def _write(file: File, stored: dict[str, Any]) -> None:
    # Names of files may hold bytes that are not UTF-8: JSON spells them as escapes.
    file.put("recipe", 0, json.dumps(stored).encode())


def freeze_digest(file: File, digest: str, bits: int) -> None:
    """Write all that fingerprint lines tell of their recipe."""
    values = {"digest": digest, "bits": bits}
    _write(file, {"fields": None, "resolved": values, "model_documents": None})


class Frozen:
    """The recipe inside an index.

    Parameters
    ----------
    file : File
        The index's.

    Attributes
    ----------
    resolved : dict
        The resolved recipe with its digest; of fingerprint lines digest and bits only.
    """

    def __init__(self, file: File) -> None:
        stored = json.loads(file.get("recipe", 0))
        self.resolved: dict[str, Any] = stored["resolved"]
        self._fields: dict[str, Any] | None = stored["fields"]
        self._file = file
        self._thawed: tuple[Recipe, Idf] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def whole(self) -> bool:
        """Whether texts can be fingerprinted, not only their fingerprints be compared."""
        return self._fields is not None

    def close(self) -> None:
        """Remove what `thaw` has laid out."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def insist(self, name: str | None, options: dict[str, Any]) -> None:
        """Hold a recipe that was asked for against that of the index.

        Parameters
        ----------
        name : str or None
            A named recipe; None for that of the index.
        options : dict
            Fields of `Recipe` and their wanted values.

        Raises
        ------
        SimdupError
            If they differ; it names both.
        """
        if name is None and not options:
            return
        if self._fields is None:
            raise SimdupError(
                self._file.path,
                "it was made of fingerprint lines, whose recipe is known by its digest only",
                "leave the recipe's options out",
            )
        own = _to_recipe(self._fields)
        asked = replace(own if name is None else named_recipe(name), **options)
        differing = []
        for at in fields(Recipe):
            wanted, has = getattr(asked, at.name), getattr(own, at.name)
            if at.name == "idf":
                agree = "idf" not in options or self._same_idf(wanted)
                has = self.resolved["idf"]
            elif at.name == "dictionary":
                agree = self._same_dictionary(wanted)
            else:
                agree = wanted == has
            if not agree:
                option = "--dict" if at.name == "dictionary" else "--" + at.name.replace("_", "-")
                differing.append(f"{option} {wanted} was asked, but the index has {has}")
        if differing:
            raise SimdupError(
                self._file.path,
                "another recipe: " + "; ".join(differing),
                "leave these options out, or build another index with them",
            )

    def _same_idf(self, wanted: str) -> bool:
        if wanted == "auto" or wanted == self.resolved["idf"]:
            return True
        if wanted in ("builtin", "corpus"):
            return False

        return self._file.has("model") and self.thaw()[1].digest() == (read_model(wanted).digest())

    def _same_dictionary(self, wanted: str | None) -> bool:
        kept = self._file.get("dictionary", 0) if self._file.has("dictionary") else None
        if wanted is None or kept is None or wanted == (self._fields or {}).get("dictionary"):
            return (wanted is None) == (kept is None)

        return read_dictionary(wanted) == kept

    def thaw(self) -> tuple[Recipe, Idf]:
        """Return what texts are fingerprinted with.

        Raises
        ------
        SimdupError
            If it is not known, damaged, or not to be had on this machine.
        """
        if self._thawed is not None:
            return self._thawed

        if self._fields is None:
            raise SimdupError(
                self._file.path,
                "it was made of fingerprint lines, and cannot fingerprint texts",
                "ask it with lines, --fingerprints; or build it with the options of their recipe",
            )
        recipe = _to_recipe(self._fields)
        if self._file.has("dictionary"):
            self._folder = tempfile.TemporaryDirectory(prefix="simdup-")
            path = f"{self._folder.name}/dictionary"
            with open(path, "wb") as stream:
                stream.write(self._file.get("dictionary", 0))
            recipe = replace(recipe, dictionary=path)
        idf: Idf = Builtin()
        if self._file.has("model"):
            # Not by the name of a corpus: its own weighing would import scikit-learn.
            idf = replace(parse_model(self._file.get("model", 0), self._file.path), name="index")
        elif self.resolved["idf"] == "none":
            idf = NoIdf()
        if resolved(recipe, idf)["digest"] != self.resolved["digest"]:
            raise SimdupError(
                self._file.path,
                f"its recipe {self.resolved['digest']} is not what this installation makes of it",
                "it was built with another jieba, or is damaged: simdup index check",
            )
        self._thawed = recipe, idf
        return self._thawed


def _to_recipe(values: dict[str, Any]) -> Recipe:
    return Recipe(**{name.replace("-", "_"): value for name, value in values.items()})
