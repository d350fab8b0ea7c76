"""Refuse options that were typed and have no effect on the run.

These rules need nothing but the options.  Whether an option suits the files is another matter: a
script may get files of records today and others tomorrow.  So that is noted, where files are listed
(`simdup.corpus.sources`, `simdup.ingest.sources`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from simdup.errors import SimdupError
from simdup.model.recipe import Recipe, named_recipe


class _Typed:
    """The options of a command, as the rules look at them."""

    def __init__(self, context: click.Context) -> None:
        self.command = context.command_path.removeprefix("simdup ")
        self._context = context

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter, or None if the command has no such parameter."""
        return self._context.params.get(name)

    def __contains__(self, name: str) -> bool:
        """Return whether the parameter was typed on the command line."""
        return self._context.get_parameter_source(name) is ParameterSource.COMMANDLINE

    @property
    def format(self) -> str:
        """The output format, as far as the options determine it."""
        suffix = (self["path"] or self["removed"] or "").lower().rpartition(".")[2]
        suffix = {"ndjson": "jsonl", "htm": "html"}.get(suffix, suffix)
        return self["format_"] or (suffix if suffix in ("csv", "jsonl", "html") else "text")

    @property
    def unverified(self) -> bool:
        """Whether fingerprints alone decide which documents are pairs."""
        return self["verify"] is False and self["method"] in (None, "auto", "simhash")

    @property
    def by_similarity(self) -> bool:
        """Whether a similarity is asked for; with a containment, none is by default."""
        asked = self["similarity"]
        return self["containment"] is None if asked is None else asked > 0

    @property
    def recipe(self) -> Recipe | None:
        """The recipe, or None if the command takes it from an index."""
        if "named" not in self._context.params or self.command in ("index add", "query"):
            return None
        source = self._context.get_parameter_source
        fields = (
            name
            for name in Recipe.__dataclass_fields__
            if source(name) not in (None, ParameterSource.DEFAULT)
        )
        return named_recipe(self["named"] or "default", **{name: self[name] for name in fields})


class _Rule(NamedTuple):
    options: str  # names of their parameters
    idle: Callable[[_Typed], Any]  # whether they have no effect
    why: str


_READING = "encoding glob exclude ignore input_format field id_field html extract max_size"
_CUT_BY_JIEBA = ("words", "ngrams")
# Values of --idf that count no documents if the weight needs no IDF.
_NO_COUNTS = ("auto", "builtin")


def _recipe_is(condition: Callable[[Recipe], bool]) -> Callable[[_Typed], bool]:
    return lambda typed: (recipe := typed.recipe) is not None and condition(recipe)


_RULES = (
    _Rule("distance", lambda t: t["method"] in ("minhash", "pstable"),
          "this --method does not use fingerprints"),
    _Rule("tables search memory explain_plan", lambda t: t["method"] in ("minhash", "pstable"),
          "this --method does not use fingerprints"),
    _Rule("tables", lambda t: t["search"] not in (None, "tables"), "this --search uses no tables"),
    _Rule("recall", lambda t: t["method"] == "simhash", "simhash finds all pairs"),
    _Rule("recall", lambda t: t["method"] == "auto" and t["verify"] is False,
          "with --no-verify, fingerprints alone decide"),
    _Rule("similarity", lambda t: t.unverified, "with --no-verify, texts are not compared"),
    _Rule("shingle", lambda t: t.unverified and t.command != "compare",
          "with --no-verify, texts are not compared"),
    _Rule(f"{_READING} similarity shingle fold strip short_texts numbers",
          lambda t: t.command == "cluster" and not t["verify_from"],
          "only --verify-from reads texts"),
    _Rule(f"{_READING} segmenter similarity method", lambda t: t["fingerprints"],
          "fingerprint lines have no texts"),
    _Rule("short_texts", lambda t: t["verify"] is False and t.command != "compare",
          "with --no-verify, texts are not compared"),
    _Rule("numbers", lambda t: t["verify"] is False, "with --no-verify, texts are not compared"),
    _Rule("numbers", lambda t: not t.by_similarity, "no similarity is asked for"),
    _Rule("numbers", lambda t: t["short_texts"] is False, "numbers matter for short texts only"),
    _Rule("segmenter dictionary",
          _recipe_is(lambda recipe: recipe.tokens.partition(":")[0] not in _CUT_BY_JIEBA),
          "these --tokens need no segmenter"),
    _Rule("idf", _recipe_is(lambda recipe: not recipe.uses_idf and recipe.min_df < 2),
          "this --weight uses no IDF"),
    _Rule("idf", _recipe_is(lambda recipe: not recipe.uses_idf and recipe.idf in _NO_COUNTS),
          "this --weight uses no IDF"),
    _Rule("min_df", _recipe_is(lambda recipe: recipe.idf == "builtin"),
          "the built-in IDF has no document counts"),
    _Rule("min_df", _recipe_is(lambda recipe: not recipe.uses_idf and recipe.idf in _NO_COUNTS),
          "only the IDF of a corpus has document counts"),
    _Rule("color", lambda t: t.format != "text" or t["listed"], "only text has colors"),
    _Rule("report_texts report_root", lambda t: t.format != "html" or t["listed"],
          "only a report page (--format html) has texts and links"),
    _Rule("pairs limit sort reverse min_size columns", lambda t: t["listed"],
          "--list prints names of documents"),
    _Rule("columns", lambda t: t["pairs"], "each pair has two documents"),
    _Rule("pairs limit sort reverse min_size columns",
          lambda t: t.format == "html" and t.command in ("scan", "cluster"),
          "a report page has a list of its own"),
    _Rule("pairs limit sort reverse min_size columns", lambda t: t.format == "github",
          "there is a warning for each document"),
    _Rule("limit", lambda t: t["new"], "--new prints no matches"),
    _Rule("timeout", lambda t: t.command == "query" and not t["add"], "only --add writes"),
    _Rule("force", lambda t: t["target"] == "-", "standard output is not a file"),
    _Rule("jobs", lambda t: t.command == "compare" and not t["idf_from"],
          "two texts are read by one process"),
    _Rule("side_by_side", lambda t: t.format == "jsonl", "JSONL has no columns"),
    _Rule("title_field", lambda t: t.command == "compare" and not t["same_title"],
          "only --same-title compares titles"),
    _Rule("input_format field id_field title_field",
          lambda t: t.command == "compare" and "#" not in f"{t['a']}{t['b']}",
          "neither A nor B is a record, such as file.jsonl#5"),
)  # fmt: skip


def refuse_without_effect(context: click.Context) -> None:
    """Raise for the first option that was typed and has no effect.

    Whoever typed it expected one, so the result would not be what they believe.

    Raises
    ------
    SimdupError
        Says why it has none.
    """
    for name, why in without_effect(context):
        raise SimdupError(name, f"has no effect: {why}", "leave it out")


def without_effect(context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the name of each such option once, with the reason."""
    typed = _Typed(context)
    names = {one.name: max(one.opts, key=len) for one in context.command.params}
    said = set()
    for rule in _RULES:
        for option in rule.options.split():
            if option in typed and option not in said and rule.idle(typed):
                said.add(option)
                yield names[option], rule.why
