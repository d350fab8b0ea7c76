"""What decides a fingerprint."""

from __future__ import annotations

from typing import Any, NamedTuple

import click

from simdup.cli.options.values import Decorator, option, value
from simdup.model.recipe import CHOICES, RECIPES, Recipe, named_recipe

_DEFAULT = Recipe()


def _recipe(*names: str, **settings: Any) -> Decorator:
    return option(*names, panel="Recipe", **settings)


_FIELDS = (
    _recipe(
        "--recipe",
        "named",
        type=click.Choice(list(RECIPES)),
        help="Named recipe; the options below change single fields.",
        shown="default",
    ),
    _recipe(
        "--tokens",
        metavar="KIND",
        help="words, split, tagged, chars:N or ngrams:N.",
        shown=_DEFAULT.tokens,
    ),
    _recipe(
        "--fold/--no-fold",
        default=None,
        help="Treat widths, cases, and simplified and traditional characters as equal.",
        shown="--fold",
    ),
    _recipe(
        "--weight", type=click.Choice(CHOICES["weight"]), help="Term weights.",
        shown=_DEFAULT.weight,
    ),
    _recipe(
        "--idf", metavar="IDF", help="auto, corpus, builtin, or a model file.", shown=_DEFAULT.idf
    ),
    _recipe(
        "--min-df",
        type=click.IntRange(0),
        metavar="N",
        help="Leave out terms of fewer documents.",
        shown=str(_DEFAULT.min_df),
    ),
    _recipe(
        "--top",
        type=click.IntRange(0),
        metavar="N",
        help="Terms kept; 0 keeps all.",
        shown=str(_DEFAULT.top),
    ),
    _recipe(
        "--cap",
        type=click.FloatRange(0, 1),
        metavar="SHARE",
        help="Largest share of one term; 0 is off.",
        shown=str(_DEFAULT.cap),
    ),
    _recipe(
        "--hash", type=click.Choice(CHOICES["hash"]), help="Term hash.", shown=_DEFAULT.hash
    ),
    _recipe(
        "--bits", type=int, metavar="N", help="Bits of a fingerprint.", shown=str(_DEFAULT.bits)
    ),
    _recipe(
        "--ties",
        type=click.Choice(CHOICES["ties"]),
        help="The bit where a sum is 0.",
        shown=_DEFAULT.ties,
    ),
    _recipe(
        "--dict", "dictionary", metavar="FILE", help="User dictionary in jieba's format."
    ),
)  # fmt: skip


class AskedRecipe(NamedTuple):
    """The recipe that was asked for: its name, if any, and its fields that were given."""

    name: str | None
    fields: dict[str, Any]


def _asked(named: str | None, **fields: Any) -> AskedRecipe:
    return AskedRecipe(named, {key: v for key, v in fields.items() if v is not None})


def _make_recipe(named: str | None, **fields: Any) -> Recipe:
    return named_recipe(named or "default", **_asked(named, **fields).fields)


recipe = value("recipe", _make_recipe, *_FIELDS)

# For an index, which has a recipe of its own to compare with.
asked_recipe = value("asked", _asked, *_FIELDS)
