"""Recipes: everything that decides a fingerprint."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any

from simdup.base.errors import NUMBER, TEXT, WHOLE, SimdupError, check_type, invalid
from simdup.base.when_used import pattern

TOKENS = pattern(r"words|split|tagged|(chars|ngrams):[1-9]\d{0,3}")
BITS_EXPECTED = "a multiple of 8 from 8 to 256"
# Bits of the digests that are shorter than the longest fingerprint.
DIGEST_BITS = {"md5": 128, "sha1": 160}
_KINDS = {
    "tokens": TEXT, "idf": TEXT, "min_df": WHOLE, "top": WHOLE, "cap": NUMBER, "bits": WHOLE,
    "strip": (Iterable, "regular expressions"),
}  # fmt: skip
CHOICES = {
    "weight": ("tfidf", "tf", "logtf", "binary", "tf2"),
    "hash": ("blake2b", "md5", "sha1", "sha256", "bkdr", "string"),
    "ties": ("one", "zero"),
}

# A thousand characters can take a second to compile.
_MOST_STRIP = 10_000

# Values of `Recipe.idf` that name no file.
IDF_WORDS = ("auto", "corpus", "builtin")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides a fingerprint, except the content of an IDF model or dictionary.

    Attributes
    ----------
    tokens : str
        ``words``, ``split``, ``tagged``, ``chars:N`` or ``ngrams:N``.
    fold : bool
        Whether texts are folded before anything else.
    weight : str
        ``tfidf``, ``tf``, ``logtf``, ``binary`` or ``tf2``.
    idf : str
        ``auto``, ``corpus``, ``builtin``, or the path of a model that `fit` wrote.
    min_df : int
        With a corpus model, terms seen in fewer documents are left out.
    top : int
        How many of the heaviest terms are kept; 0 keeps all.
    cap : float
        The largest share of the total weight for one kept term; 0 switches the cap off.
    hash : str
        ``blake2b``, ``md5``, ``sha1``, ``sha256``, ``bkdr`` or ``string``.
    bits : int
        Bits of a fingerprint: a multiple of 8, up to 256.
    ties : str
        ``one`` or ``zero``: the bit for a sum of 0.
    dictionary : str or None
        Path of a user dictionary in jieba's format.
    strip : tuple of str
        Regular expressions: what they match is removed from texts before anything else, one
        expression after the other.  ``^`` and ``$`` match at each line; see `re`.

    Raises
    ------
    SimdupError
        If a field has an invalid value.
    """

    tokens: str = "words"
    fold: bool = True
    weight: str = "tfidf"
    idf: str = "auto"
    min_df: int = 2
    top: int = 20
    cap: float = 0.10
    hash: str = "blake2b"
    bits: int = 64
    ties: str = "one"
    dictionary: str | None = None
    strip: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Reject invalid values."""
        for name, kind in _KINDS.items():
            check_type(name, getattr(self, name), kind)
        strip = (self.strip,) if isinstance(self.strip, str) else tuple(self.strip)
        object.__setattr__(self, "strip", strip)
        _check_strip(strip)
        if not TOKENS.fullmatch(self.tokens):
            raise invalid("tokens", self.tokens, "words, split, tagged, chars:N or ngrams:N")
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise invalid(name, getattr(self, name), "one of " + ", ".join(allowed))
        if not 8 <= self.bits <= 256 or self.bits % 8:
            raise invalid("bits", self.bits, BITS_EXPECTED)
        most = DIGEST_BITS.get(self.hash, 256)
        if self.bits > most:
            raise invalid("bits", self.bits, f"at most {most}, the size of {self.hash}")
        if not 0 <= self.cap <= 1:
            raise invalid("cap", self.cap, "a share from 0 (off) to 1")
        if self.top < 0:
            raise invalid("top", self.top, "0 (all terms) or more")
        if self.min_df < 0:
            raise invalid("min_df", self.min_df, "0 or more")

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it names: an IDF model, a dictionary."""
        model = "" if self.idf in IDF_WORDS else self.idf
        return tuple(filter(None, (model, self.dictionary)))

    @property
    def cuts_words(self) -> bool:
        """Whether terms are words, or runs of words."""
        return self.tokens.partition(":")[0] in ("words", "ngrams")

    @property
    def uses_idf(self) -> bool:
        """Whether the weights need an inverse document frequency."""
        return self.weight in ("tfidf", "logtf")

    @property
    def may_need_corpus(self) -> bool:
        """Whether the weights may depend on the frequencies of the current corpus."""
        return self.idf == "corpus" or (self.idf == "auto" and self.uses_idf)

    @property
    def words(self) -> int:
        """64-bit words of a fingerprint."""
        return -(-self.bits // 64)


def _check_strip(strip: tuple[str, ...]) -> None:
    """Raise unless these are regular expressions, short enough to be compiled soon."""
    for expression in strip:
        check_type("strip", expression, TEXT)
    if sum(map(len, strip)) > _MOST_STRIP:
        what = f"the expressions have more than {_MOST_STRIP:,} characters in all"
        raise SimdupError("strip", what, field="strip")
    for expression in strip:
        _check_expression(expression)


@lru_cache
def _check_expression(expression: str) -> None:
    try:
        with warnings.catch_warnings():
            # Of sets that a later Python may read in another way.
            warnings.simplefilter("ignore")
            re.compile(expression, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        what = f"invalid expression {expression!r:.200}: {error}"
        raise SimdupError("strip", what, field="strip") from None


_BARE = Recipe(fold=False, top=0, cap=0.0)
RECIPES = {
    "default": Recipe(),
    "plain": Recipe(cap=0.0, min_df=0),
    "string128": replace(_BARE, tokens="split", weight="binary", hash="string", bits=128),
    "bkdr32": replace(_BARE, tokens="tagged", weight="tf2", hash="bkdr", bits=32, ties="zero"),
}


def named_recipe(name: str, **changes: Any) -> Recipe:
    """Return a named recipe with some fields changed.

    Raises
    ------
    SimdupError
        If there is no recipe of that name.
    """
    if name not in RECIPES:
        names = ", ".join(RECIPES)
        raise SimdupError("recipe", f"no recipe {name!r}", f"choose one of {names}", field="recipe")
    return replace(RECIPES[name], **changes)


def as_recipe(recipe: Recipe | str) -> Recipe:
    """Return a recipe, given as such or by name."""
    check_type("recipe", recipe, (Recipe | str, "a Recipe or the name of one"))
    return named_recipe(recipe) if isinstance(recipe, str) else recipe


def recipe_fields(recipe: Recipe) -> dict[str, Any]:
    """Return the fields of a recipe by their names in results, without unset ones."""
    values = asdict(recipe)
    return {
        field.name.replace("_", "-"): values[field.name]
        for field in fields(recipe)
        if values[field.name] not in (None, ())
    }
