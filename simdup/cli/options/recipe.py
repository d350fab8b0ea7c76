"""Options for the recipe, which decides a fingerprint."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from simdup.cli.options.values import option, value
from simdup.model.recipe import CHOICES, IDF_WORDS, RECIPES, Recipe, named_recipe

_recipe = partial(option, panel="Recipe", defaults=Recipe())
_count = click.IntRange(0)

_NAMED = "Named recipe; the options below change single fields of it"
_TOKENS = (
    _recipe(
        "--tokens KIND",
        "How to cut texts: words, split, tagged, chars:N or ngrams:N.",
        words=("words", "split", "tagged"),
    ),
    _recipe(
        "--fold/--no-fold",
        "Ignore case and width, and treat traditional characters as simplified.",
    ),
)
_DICTIONARY = _recipe("--dict FILE", "User dictionary in jieba's format.", name="dictionary")
_STRIP = _recipe(
    "--strip REGEX",
    "Remove what matches from texts before anything else; ^ and $ match at each line. Repeatable.",
    multiple=True,
)
_NAME = option(
    "--recipe NAME", _NAMED, tuple(RECIPES), name="named", panel="Recipe", shown="default"
)
_FIELDS = (
    _NAME,
    _STRIP,
    *_TOKENS,
    _recipe("--weight NAME", "Term weight", CHOICES["weight"]),
    _recipe(
        "--idf IDF",
        "Source of the IDF: auto, corpus, builtin, or a model FILE.",
        words=IDF_WORDS,
    ),
    _recipe("--min-df N", "Leave out terms that fewer than N documents have.", _count),
    _recipe("--top N", "Keep the N heaviest terms of a document; 0 keeps all.", _count),
    _recipe(
        "--cap SHARE", "Largest share of the weight for one term; 0 is off.", click.FloatRange(0, 1)
    ),
    _recipe("--hash NAME", "Hash function for terms", CHOICES["hash"]),
    _recipe("--bits N", "Bits in a fingerprint.", int),
    _recipe("--ties BIT", "Value of a bit if its votes tie", CHOICES["ties"]),
    _DICTIONARY,
)


class AskedRecipe(NamedTuple):
    """The requested recipe: its name, if any, and the fields that were given."""

    name: str | None
    fields: dict[str, Any]


def _asked(named: str | None, **fields: Any) -> AskedRecipe:
    source = click.get_current_context().get_parameter_source
    given = (name for name in fields if source(name) is not ParameterSource.DEFAULT)
    return AskedRecipe(named, {name: fields[name] for name in given})


def _make_recipe(named: str | None, **fields: Any) -> Recipe:
    asked = _asked(named, **fields)
    references = click.get_current_context().params.get("references")
    if references:
        from simdup.index.opening import split_indexes

        indexes, _ = split_indexes(references)
        if indexes:
            return _recipe_of(indexes, asked)
    return named_recipe(named or "default", **asked.fields)


def _recipe_of(indexes: list[str], asked: AskedRecipe) -> Recipe:
    """Return the recipe that leaves the choice to indexes, once they have what was asked for."""
    from simdup.index.index import Index

    for path in indexes:
        with Index.open(path) as index:
            index.require_recipe(*asked)
    return Recipe()


recipe = value("recipe", _make_recipe, *_FIELDS)

# For a model of terms, which is the same whatever becomes of them later.
recipe_of_terms = value("recipe", _make_recipe, _NAME, _STRIP, *_TOKENS, _DICTIONARY)

# For an index: it compares this with its own recipe.
asked_recipe = value("asked", _asked, *_FIELDS)
