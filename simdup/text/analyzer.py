"""The analyzer: the one way from a text to what is counted, spooled and verified."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from simdup.model.criteria import Shingling
from simdup.model.recipe import Recipe
from simdup.text.characters import FOLDING, PreparedText, fold_all
from simdup.text.counts import Counts, TermCounter, feature_hash, join
from simdup.text.phrases import table_digest, with_mainland_words
from simdup.text.shingles import Shingler
from simdup.text.tokens import NO_DICTIONARY, Dictionary, Tokenizer, read_dictionary, tokenizer


@dataclass(frozen=True)
class Analyzer:
    """Turns texts into terms and shingles: a recipe with the content of its dictionary.

    It can be pickled and sent to other processes and machines; there, the dictionary is read again
    on first use.
    """

    recipe: Recipe  # how texts are folded, cut and hashed
    dictionary: Dictionary = NO_DICTIONARY  # the content of the recipe's user dictionary

    @classmethod
    def for_recipe(cls, recipe: Recipe) -> Analyzer:
        """Return the analyzer of a recipe.

        Raises
        ------
        SimdupError
            If the dictionary cannot be read.
        """
        path = recipe.dictionary
        return cls(recipe, NO_DICTIONARY if path is None else read_dictionary(path))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the function that cuts."""
        return type(self), (self.recipe, self.dictionary)

    @cached_property
    def tokenize(self) -> Tokenizer:
        """The function from folded texts to their tokens."""
        return tokenizer(self.recipe, self.dictionary)

    @property
    def terms_digest(self) -> str:
        """A digest of everything that decides which terms a text has."""
        folding = self.recipe.fold and FOLDING
        content = f"{self.recipe.tokens} {folding} ".encode() + self.dictionary.content
        content += table_digest() if self.recipe.phrases else b""
        return hashlib.blake2b(content, digest_size=6).hexdigest()

    @property
    def hash_bytes(self) -> int:
        """Bytes of a feature hash."""
        return self.recipe.bits // 8

    def prepare(self, text: str) -> PreparedText:
        """Return a text as it is counted, spooled and verified."""
        return self.prepare_all([text])[0]

    def prepare_all(self, texts: Sequence[str]) -> list[PreparedText]:
        """Return texts as they are counted, spooled and verified."""
        folded = fold_all(texts) if self.recipe.fold else texts
        return list(
            map(PreparedText, with_mainland_words(folded) if self.recipe.phrases else folded)
        )

    def counter(self) -> TermCounter:
        """Return a counter of terms with the recipe's feature hashes."""
        if (self.recipe.hash, self.recipe.bits) == ("blake2b", 64):
            return TermCounter()
        return TermCounter(feature_hash(self.recipe.hash, self.recipe.bits))

    def count(self, texts: Sequence[PreparedText]) -> Counts:
        """Return the term counts of a few texts."""
        tokens = self.tokenize([text.folded for text in texts])
        return join([self.counter().count(tokens)], self.hash_bytes)

    def shingler(self, shingling: Shingling) -> Shingler:
        """Return the object that cuts texts into shingles.

        Shingles of words consist of all words in order, independent of the recipe's terms, which
        may be unordered, or not words.
        """
        return Shingler(shingling, self.words) if shingling.by_words else Shingler(shingling)

    def words(self, text: str) -> list[str]:
        """Return all words of a folded text in order, whatever the recipe's terms are."""
        return self._cut_words([text]).lists()[0]

    @cached_property
    def _cut_words(self) -> Tokenizer:
        recipe = replace(self.recipe, tokens="words")
        return tokenizer(recipe, self.dictionary)
