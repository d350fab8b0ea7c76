"""The methods beside simhash: signatures of documents, cut into bands."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError
from simdup.features.counts import Counts
from simdup.features.idf import Idf
from simdup.features.shingles import TermHashes, character_grams, runs
from simdup.features.tokens import Tokenizer, tokenizer
from simdup.features.weights import weights_in_blocks
from simdup.lsh import minhash, pstable
from simdup.lsh.families import MINHASH, Banding, bands, choose, choose_pstable
from simdup.model.criteria import Criteria
from simdup.model.recipe import Recipe

Keys = NDArray[np.uint64]

# Hashes a signature may have: 512 bytes a document.
BUDGET = 128

# What minhash looks for where the resemblance is left out: a text of which a third lies in another
# one of its length.
_LEAST_SIMILARITY = 0.2


def minhash_banding(criteria: Criteria) -> Banding:
    """Return the rows and bands that find pairs at the wanted similarity with the wanted recall."""
    similarity = max(criteria.similarity, _LEAST_SIMILARITY)
    # The usual budget serves down to a similarity of 0.35; below, twice as many hashes or more.
    for budget in (BUDGET, 2 * BUDGET, 4 * BUDGET):
        try:
            return choose(MINHASH, 1 - similarity, criteria.recall, budget)
        except SimdupError as error:
            refused = error
    raise refused


@dataclass(frozen=True, slots=True)
class MinhashBands:
    """Makes the band keys of texts as they are read.

    The sets are those of the very shingles that verification counts, so the probability to find a
    pair is that of the measure it is held to, for a poem of 20 characters as for a law.

    Attributes
    ----------
    banding : Banding
        Rows and bands.
    shingle : int or str
        The criteria's.
    """

    banding: Banding
    shingle: int | str

    @property
    def shingles_words(self) -> bool:
        """Whether shingles are runs of words, not of characters."""
        return str(self.shingle).startswith("words:")

    def keys(self, texts: list[str], words: list[list[str]]) -> Keys:
        """Return the band keys of documents (uint64[documents, bands]).

        Parameters
        ----------
        texts : list of str
            Folded texts without white space.
        words : list of list of str
            Their words in order, as `ordered_words` cuts them; empty where `shingles_words` is
            false.
        """
        if self.shingles_words:
            count = str(self.shingle).removeprefix("words:")
            sets = runs(*TermHashes().rows(words), int(count))
        else:
            sets = character_grams(texts, int(str(self.shingle)))
        return bands(minhash.signatures(*sets, self.banding.size), self.banding)


def ordered_words(recipe: Recipe, segmenter: str = "auto") -> Tokenizer:
    """Return the function from a folded text to the words that shingles of words are made of.

    All of them in order, whatever the recipe's terms are: these may be in any order, or no words.
    """
    return tokenizer(replace(recipe, tokens="ngrams:1"), segmenter)


def pstable_keys(counts: Counts, idf: Idf, recipe: Recipe, criteria: Criteria) -> Keys:
    """Return the band keys of the documents' TF-IDF vectors (uint64[documents, bands]).

    Vectors of length 1 at a cosine c lie sqrt(2 - 2 c) apart.  Where no cosine is asked for, it is
    that of two sets of equal size at the wanted resemblance s: 2 s / (1 + s).
    """
    similarity = max(criteria.similarity, _LEAST_SIMILARITY)
    cosine = criteria.cosine or 2 * similarity / (1 + similarity)
    apart = math.sqrt(2 - 2 * cosine)
    family, banding = choose_pstable(apart, criteria.recall, BUDGET)
    keys = [np.zeros((0, banding.bands), np.uint64)]
    for starts, columns, weights in weights_in_blocks(counts, idf, recipe):
        scaled = pstable.unit(starts, weights)
        cells = family.signatures(starts, counts.ids[columns], scaled, banding.size)
        keys.append(bands(cells, banding))
    every = np.concatenate(keys)
    return every if counts.row_of is None else every[counts.row_of]
