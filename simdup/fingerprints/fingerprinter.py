"""From counted documents to fingerprints, and what exactly their recipe was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError
from simdup.features.counts import Counts
from simdup.features.idf import (
    ENOUGH_DOCUMENTS,
    Builtin,
    Idf,
    Model,
    NoIdf,
    corpus_model,
    read_model,
)
from simdup.features.tokens import read_dictionary
from simdup.features.weights import document_weights, top_terms
from simdup.fingerprints.bands import ordered_words
from simdup.ingest.counting import Effort, gathered, open_sources
from simdup.lsh.simhash import simhash_rows
from simdup.model.criteria import Criteria
from simdup.model.documents import Skipped
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe, recipe_fields
from simdup.verify.cosine import Vector, vector
from simdup.verify.resemblance import Shingles, shingler


def terms_digest(recipe: Recipe) -> str:
    """Return a digest of what decides which terms a text has."""
    dictionary = b"" if recipe.dictionary is None else read_dictionary(recipe.dictionary)
    content = f"{recipe.tokens} {recipe.fold} ".encode() + dictionary
    return hashlib.blake2b(content, digest_size=6).hexdigest()


def resolve_idf(recipe: Recipe, counts: Counts) -> Idf:
    """Return the inverse document frequencies that a recipe means for a corpus.

    Raises
    ------
    SimdupError
        If the recipe names a model that cannot be read or was learnt from other terms.
    """
    if recipe.idf == "builtin":
        return Builtin()
    if recipe.idf == "auto":
        if not recipe.uses_idf:
            return NoIdf()
        if counts.times[np.diff(counts.starts) > 0].sum() < ENOUGH_DOCUMENTS:
            return Builtin()
        return corpus_model(counts, terms_digest(recipe))
    if recipe.idf == "corpus":
        return corpus_model(counts, terms_digest(recipe))
    model = read_model(recipe.idf)
    if model.terms_digest != terms_digest(recipe):
        raise SimdupError(
            recipe.idf,
            "the model was learnt with other --tokens, --fold or --dict",
            "fit it again with the options of this recipe",
        )
    return model


def resolved(recipe: Recipe, idf: Idf) -> dict[str, Any]:
    """Return the fields of a resolved recipe, with the digest of all that decides a fingerprint."""
    values = recipe_fields(recipe) | {"idf": idf.name}
    decisive = {k: v for k, v in values.items() if k not in ("idf", "dictionary")}
    if not isinstance(idf, Model):
        del decisive["min-df"]
    content = json.dumps([decisive, idf.digest(), terms_digest(recipe)], sort_keys=True)
    return values | {"digest": hashlib.blake2b(content.encode(), digest_size=6).hexdigest()}


@dataclass(frozen=True, slots=True)
class Sketched:
    """Fingerprints of documents.

    Attributes
    ----------
    values : uint64[documents, words]
        Fingerprints; 0 for a document without terms.
    bits : int
        Bits of each.
    terms : int64[documents]
        How many terms each document has that weigh anything.
    """

    values: NDArray[np.uint64]
    bits: int
    terms: NDArray[np.int64]


def sketch(counts: Counts, idf: Idf, recipe: Recipe) -> Sketched:
    """Fingerprint counted documents."""
    blocks = list(top_terms(counts, idf, recipe))
    words = -(-recipe.bits // 64)
    values = [simhash_rows(counts.hashes, b.columns, b.weights, recipe.ties) for b in blocks]
    every = np.concatenate([np.zeros((0, words), np.uint64), *values])
    terms = np.concatenate([np.zeros(0, np.int64), *(b.terms for b in blocks)])
    if counts.row_of is not None:
        every, terms = every[counts.row_of], terms[counts.row_of]
    return Sketched(every, recipe.bits, terms)


def vectors(counts: Counts, idf: Idf, recipe: Recipe) -> Callable[[int], Vector]:
    """Return the function that gives a document's TF-IDF vector."""
    factors = idf.of(counts) if recipe.uses_idf else np.ones(len(counts.ids))
    return lambda document: vector(*document_weights(counts, document, factors, recipe.weight))


def learn_idf(
    sources: Iterable[str], recipe: Recipe, reading: Reading, effort: Effort
) -> tuple[Idf, list[Skipped]]:
    """Return the frequencies that a scan of the sources would use, and what it would skip."""
    named = list(sources)
    with gathered(open_sources(named, reading, effort), recipe, reading) as (corpus, counts, _):
        idf = resolve_idf(recipe, counts)
    if isinstance(idf, Model):
        idf = replace(idf, name="corpus " + ", ".join(named))
    return idf, corpus.skipped


def shingler_for(criteria: Criteria, recipe: Recipe) -> Callable[[str], Shingles]:
    """Return the function from a text, as it is laid aside, to its shingles."""
    words = ordered_words(recipe) if criteria.shingle.by_words else str.split
    return shingler(criteria.shingle, words)
