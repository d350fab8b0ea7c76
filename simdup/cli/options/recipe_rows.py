"""The rows of the options for the recipe, which decides a fingerprint."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click

from simdup.cli.options.parameter_types import FileOr, OpenChoice
from simdup.cli.options.row import Idle, Options, Row, Yields
from simdup.model.recipe import CHOICES, IDF_WORDS, RECIPES, Recipe

# A model of terms is the same whatever becomes of them later.
_PRINTS = "scan, compare, fingerprint, dedupe, index build, index add, query, tune"
_TERMS = f"{_PRINTS}, fit"

_COUNT = click.IntRange(0)
_CUT_BY_JIEBA = ("words", "ngrams")
# Values of --idf that count no documents if the weight needs no IDF.
_NO_COUNTS = ("auto", "builtin")


def _recipe_is(condition: Callable[[Recipe], bool]) -> Callable[[Options], bool]:
    return lambda options: (recipe := options.recipe) is not None and condition(recipe)


NEEDS_JIEBA = Idle(
    _recipe_is(lambda recipe: recipe.tokens.partition(":")[0] not in _CUT_BY_JIEBA),
    "these --tokens need no segmenter",
)
_NAMED = Yields(lambda o: o.typed("recipe") or o.index_decides)
_IDF = (
    _NAMED,
    Yields(lambda o: o.typed("idf_from") and o["idf"] not in ("auto", "corpus")),
    Yields(lambda o: o.command == "compare" and o["idf"] == "corpus" and not o["idf_from"]),
    Idle(_recipe_is(lambda recipe: not recipe.uses_idf and recipe.min_df < 2),
         "this --weight uses no IDF"),
    Idle(_recipe_is(lambda recipe: not recipe.uses_idf and recipe.idf in _NO_COUNTS),
         "this --weight uses no IDF"),
)  # fmt: skip
_MIN_DF = (
    _NAMED,
    Idle(_recipe_is(lambda recipe: recipe.idf == "builtin"),
         "the built-in IDF has no document counts"),
    Idle(_recipe_is(lambda recipe: not recipe.uses_idf and recipe.idf in _NO_COUNTS),
         "only the IDF of a corpus has document counts"),
)  # fmt: skip

_recipe = partial(Row, of=Recipe, rules=(_NAMED,))

# fmt: off
ROWS = (
    Row("--recipe NAME", _TERMS, "Named recipe; the options below change single fields of it",
        tuple(RECIPES), shown="default", rules=(Yields(lambda o: o.index_decides),),
        trial="|-v|--recipe bkdr32"),
    _recipe("--strip REGEX...", _TERMS,
            "Remove what matches from texts before anything else; ^ and $ match at each line. "
            "Repeatable.", trial="|-v|--strip [a-z]+"),
    _recipe("--tokens KIND", _TERMS,
            "How to cut texts: words, split, tagged, chars:N or ngrams:N.",
            OpenChoice("words", "split", "tagged"),
            trial="|-v|--tokens chars:2"),
    _recipe("--fold/--no-fold", _TERMS,
            "Ignore case and width, and treat traditional characters as simplified.",
            trial="f|-v|--no-fold"),
    _recipe("--weight NAME", _PRINTS, "Term weight", CHOICES["weight"], trial="| -v |--weight tf"),
    _recipe("--idf IDF", _PRINTS, "Source of the IDF: auto, corpus, builtin, or a model FILE.",
            FileOr(*IDF_WORDS), rules=_IDF, file="read", trial="|-v|--idf model"),
    _recipe("--min-df N", _PRINTS, "Leave out terms that fewer than N documents have.", _COUNT,
            rules=_MIN_DF, trial="|-v --idf corpus --idf-from c|--min-df 3"),
    _recipe("--top N", _PRINTS, "Keep the N heaviest terms of a document; 0 keeps all.", _COUNT,
            trial="| -v |--top 5"),
    _recipe("--cap SHARE", _PRINTS, "Largest share of the weight for one term; 0 is off.",
            click.FloatRange(0, 1), trial="| -v |--cap 0.5"),
    _recipe("--hash NAME", _PRINTS, "Hash function for terms", CHOICES["hash"],
            trial="| -v |--hash md5"),
    _recipe("--bits N", _PRINTS, "Bits in a fingerprint.", int, trial="| -v |--bits 128"),
    _recipe("--ties BIT", _PRINTS, "Value of a bit if its votes tie", CHOICES["ties"],
            trial="| -v |--ties zero"),
    _recipe("--dict FILE", _TERMS, "User dictionary in jieba's format.", name="dictionary",
            rules=(_NAMED, NEEDS_JIEBA), file="read", trial="|-v|--dict words"),
)
