"""Recipes: everything that decides a fingerprint."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any

from simdup.base.errors import (
    NUMBER,
    TEXT,
    WHOLE,
    SimdupError,
    as_strings,
    check_type,
    did_you_mean,
    invalid,
)
from simdup.base.regular_files import parsed_toml, read_named
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
    "phrases": (None, "taiwan"),
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
    phrases : str or None
        ``taiwan``: words of Taiwan are read as those of the mainland (軟體 as 软件), once texts are
        folded.
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
    phrases: str | None = None
    strip: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Reject invalid values."""
        for name, kind in _KINDS.items():
            check_type(name, getattr(self, name), kind)
        object.__setattr__(self, "strip", as_strings("strip", self.strip, "regular expressions"))
        _check_strip(self.strip)
        if not TOKENS.fullmatch(self.tokens):
            raise invalid("tokens", self.tokens, "words, split, tagged, chars:N or ngrams:N")
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                expected = "one of " + ", ".join(filter(None, allowed))
                raise invalid(name, getattr(self, name), expected)
        if self.phrases and not self.fold:
            raise SimdupError("phrases", "folded texts only have them: remove fold=false")
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


# Fields as people write them.
_FIELDS = {
    "dict" if field.name == "dictionary" else field.name.replace("_", "-"): field
    for field in fields(Recipe)
}
_FILE = ".toml"
_MOST_BYTES = 1 << 20  # of such a file
# By the type of a field: what makes it of words, which types TOML may have, and what to expect.
_READ: Mapping[type, Callable[[str], Any]] = {
    bool: {"true": True, "false": False}.__getitem__, int: int, float: float
}  # fmt: skip
_KINDS_OF: Mapping[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"), int: ((int,), "a whole number"),
    float: ((float, int), "a number"), str: ((str,), "a string"),
    tuple: ((str, list), "a string or a list of them"),
}  # fmt: skip
_FORMS = f"{', '.join(RECIPES)}; one of them with fields: default,bits=128; or a {_FILE} file"


def as_recipe(recipe: Recipe | str, **changes: Any) -> Recipe:
    """Return a recipe, given as such or in words, with some fields changed.

    Parameters
    ----------
    recipe : Recipe or str
        In words it is the name of a recipe, a name with fields (``default,bits=128,top=0``), or the
        path of a TOML file with fields.  Paths in the file start from its folder.
    **changes
        Fields of `Recipe`.

    Raises
    ------
    SimdupError
        If there is no such recipe, file or field, or a field has an invalid value.

    Examples
    --------
    >>> as_recipe("plain,bits=128").bits
    128
    """
    check_type("recipe", recipe, (Recipe | str, "a Recipe or a recipe in words"))
    if isinstance(recipe, str):
        recipe = _from_file(recipe) if recipe.lower().endswith(_FILE) else _from_words(recipe)
    return replace(recipe, **changes)


def _from_words(words: str) -> Recipe:
    name, *parts = (part.strip() for part in words.split(","))
    if name not in RECIPES:
        hint = did_you_mean(name, RECIPES)
        raise SimdupError("recipe", f"no recipe {name!r:.80} (expected {_FORMS})", hint, "recipe")
    values: dict[str, Any] = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key == "strip":
            what = f"{part!r:.80} is no field with its value, such as bits=128"
            hint = f"expressions have an option, `strip`, or a place in a {_FILE} file"
            raise SimdupError("recipe", what, hint if key == "strip" else "", "recipe")
        try:
            values[key] = _READ.get(_kind(key), str)(value)
        except (KeyError, ValueError):
            values[key] = value  # of another kind, as the error will say
    return _filled(RECIPES[name], values, SimdupError("recipe", "", field="recipe"))


def _from_file(path: str) -> Recipe:
    values = parsed_toml(path, read_named(path, most=_MOST_BYTES))
    values = {key: _beside(path, key, value) for key, value in values.items()}
    return _filled(RECIPES["default"], values, SimdupError(path, ""))


def recipe_beside(path: str, words: str) -> str:
    """Return a recipe in words whose paths start from the folder of a file, which says it."""
    if words.lower().endswith(_FILE):
        return os.path.join(os.path.dirname(path), words)
    parts = (part.partition("=") for part in words.split(","))
    return ",".join(f"{key}{mark}{_beside(path, key.strip(), value)}" for key, mark, value in parts)


def _beside(path: str, key: str, value: Any) -> Any:
    """Return the value of a field that a file says: paths start from its folder."""
    named = key in ("idf", "dict") and isinstance(value, str) and value not in IDF_WORDS
    return os.path.join(os.path.dirname(path), value) if named else value


def files_of(words: str) -> tuple[str, ...]:
    """Return the files that a recipe in words names: itself, an IDF model, a dictionary."""
    file = (words,) if words.lower().endswith(_FILE) else ()
    return (*file, *as_recipe(words).files)


def _filled(recipe: Recipe, values: Mapping[str, Any], place: SimdupError) -> Recipe:
    """Return a recipe with other values of fields; what is wrong is said of a place."""
    changes: dict[str, Any] = {}
    try:
        for key, value in values.items():
            if key not in _FIELDS:
                hint = did_you_mean(key, _FIELDS) or f"fields are {', '.join(_FIELDS)}"
                raise SimdupError(f"{key!r:.80}", "no such field", hint)
            kinds, expected = _KINDS_OF[_kind(key)]
            texts = value if isinstance(value, list) else ()
            if type(value) not in kinds or not all(isinstance(text, str) for text in texts):
                raise invalid(key, value, expected)
            changes[_FIELDS[key].name] = float(value) if float in kinds else value
        return replace(recipe, **changes)
    except SimdupError as error:
        what = f"{error.where.replace('_', '-')}: {error.what}"
        raise SimdupError(place.where, what, error.hint, place.field) from None


def _kind(key: str) -> type:
    """Return the type of a field, by its default; a text where there is no such field."""
    default = _FIELDS[key].default if key in _FIELDS else None
    return str if default is None else type(default)


def recipe_fields(recipe: Recipe) -> dict[str, Any]:
    """Return the fields of a recipe by their names in results, without unset ones."""
    values = asdict(recipe)
    return {
        field.name.replace("_", "-"): values[field.name]
        for field in fields(recipe)
        if values[field.name] not in (None, ())
    }
