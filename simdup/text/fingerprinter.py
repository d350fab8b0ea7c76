"""The fingerprinter: a recipe with everything it refers to resolved."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.model.recipe import Recipe, recipe_fields
from simdup.text.analyzer import Analyzer
from simdup.text.counts import Counts
from simdup.text.simhash import simhash_rows, to_hex
from simdup.text.weights import (
    ENOUGH_DOCUMENTS,
    Builtin,
    Idf,
    Model,
    NoIdf,
    Weighting,
    learn_model,
    read_model,
)

# Tables count terms up to here: more are enough for any rule.
_MOST_TERMS = 255


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Fingerprints of documents."""

    # uint64[documents, words]: word 0 is the most significant; 0 for a document without terms.
    values: NDArray[np.uint64]
    bits: int
    # int64[documents]: how many terms with a weight above 0 each document has.
    terms: NDArray[np.int64]

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of a table of documents."""
        terms = np.minimum(self.terms, _MOST_TERMS).astype(np.uint8)
        return {"fingerprint": self.values, "terms": terms}

    def hexes(self) -> list[str]:
        """Return the fingerprints as lower-case hex digits."""
        return to_hex(self.values, self.bits)


@dataclass(frozen=True)
class Fingerprinter:
    """Makes fingerprints: a recipe with its IDF and dictionary resolved.

    It can be pickled and sent to other processes and machines.  `alone` creates one that needs no
    corpus, `for_corpus` one that may learn from the counts of a corpus.
    """

    analyzer: Analyzer  # turns texts into terms
    idf: Idf  # weighs terms
    learned: bool = False  # whether `idf` was learned from the counts to be fingerprinted

    @classmethod
    def alone(cls, analyzer: Analyzer) -> Fingerprinter:
        """Return a fingerprinter for documents without a corpus.

        Raises
        ------
        SimdupError
            If the recipe needs the frequencies of a corpus, or names a model that cannot be read
            or was learned from other terms.
        """
        recipe = analyzer.recipe
        if recipe.idf == "corpus":
            raise SimdupError("idf", "there is no corpus to learn the IDF from", field="idf")
        if recipe.idf == "builtin" or (recipe.idf == "auto" and recipe.uses_idf):
            return cls(analyzer, Builtin())
        return cls(analyzer, NoIdf() if recipe.idf == "auto" else _model_of(analyzer))

    @classmethod
    def for_corpus(cls, analyzer: Analyzer, counts: Counts) -> Fingerprinter:
        """Return a fingerprinter for a corpus.

        Raises
        ------
        SimdupError
            As for `alone`, except that a corpus is given.
        """
        if not learns(analyzer.recipe, counts.documents_with_terms):
            return cls.alone(analyzer)
        return cls(analyzer, learn_model(counts, analyzer.terms_digest), learned=True)

    @property
    def recipe(self) -> Recipe:
        """The recipe as given."""
        return self.analyzer.recipe

    @property
    def digest(self) -> str:
        """A digest of everything that decides a fingerprint."""
        decisive = recipe_fields(self.recipe)
        decisive.pop("idf")
        decisive.pop("dictionary", None)
        if not isinstance(self.idf, Model):
            del decisive["min-df"]
        content = [decisive, self.idf.digest(), self.analyzer.terms_digest]
        written = json.dumps(content, sort_keys=True).encode()
        return hashlib.blake2b(written, digest_size=6).hexdigest()

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the resolved recipe with its digest, as results print them."""
        return recipe_fields(self.recipe) | {"idf": self.idf.name, "digest": self.digest}

    def weigh(self, counts: Counts) -> Weighting:
        """Return the counts with the weights of their terms."""
        recipe = self.recipe
        factors = self.idf.factors(counts) if recipe.uses_idf else np.ones(len(counts.ids))
        frequent = self.idf.frequent(counts, recipe.min_df) if recipe.min_df > 1 else None
        return Weighting(counts, factors, frequent, recipe)

    def fingerprints(self, counts: Counts) -> Fingerprints:
        """Return the fingerprints of counted documents."""
        return fingerprint(self.weigh(counts))


def learns(recipe: Recipe, documents: int) -> bool:
    """Return whether a recipe learns its IDF from a corpus with this number of documents."""
    enough = recipe.idf == "corpus" or documents >= ENOUGH_DOCUMENTS
    return recipe.may_need_corpus and enough


def fingerprint(weighting: Weighting) -> Fingerprints:
    """Return the fingerprints of weighted documents."""
    return of_documents(fingerprint_rows(weighting), weighting)


def fingerprint_rows(weighting: Weighting, first: int = 0, last: int | None = None) -> Fingerprints:
    """Return the fingerprints of rows ``first:last`` of the counts."""
    recipe, counts = weighting.recipe, weighting.counts
    values = [np.zeros((0, recipe.words), np.uint64)]
    terms = [np.zeros(0, np.int64)]
    for top in weighting.top_terms(first, last):
        values.append(simhash_rows(counts.hashes, top.columns, top.weights, recipe.ties))
        terms.append(top.terms)
    return Fingerprints(np.concatenate(values), recipe.bits, np.concatenate(terms))


def of_documents(every: Fingerprints, weighting: Weighting) -> Fingerprints:
    """Return the fingerprints of documents, given those of the rows that copies share."""
    row_of = weighting.counts.row_of
    return Fingerprints(every.values[row_of], every.bits, every.terms[row_of])


def _model_of(analyzer: Analyzer) -> Model:
    """Read the model that a recipe names."""
    path = analyzer.recipe.idf
    model = read_model(path)
    if model.terms_digest != analyzer.terms_digest:
        raise SimdupError(
            path,
            "the model was learned with other tokens, fold or dictionary",
            "run `fit` again with this recipe",
        )
    return model
