"""The options that mean the same in every command, and what is made of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simdup.cli.messages import say
from simdup.corpus.sources import read_list
from simdup.model.criteria import KEEP, LINKAGES, METHODS, Criteria
from simdup.model.reading import EXTRACTS, INPUT_FORMATS, Reading
from simdup.model.recipe import CHOICES, RECIPES, Recipe, named_recipe

if TYPE_CHECKING:
    from simdup.cli.progress import Progress
    from simdup.ingest.counting import Effort

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Decorated], Decorated]


class Option(click.Option):
    """An option that stands in a group of its own in the help."""

    def __init__(self, *args: Any, group: str = "Options", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group


class _WithExamples(click.Command):
    """A command whose help ends with examples."""

    def __init__(self, *args: Any, examples: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.strip().splitlines():
                    formatter.write(" " * formatter.current_indent + line.strip() + "\n")


class Group(_WithExamples, click.Group):
    """A command of several commands."""


class Command(_WithExamples):
    """A command whose help has its options in groups and ends with examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", "Options"), []).append(record)
        for group, records in sorted(groups.items(), key=lambda item: item[0] != "Options"):
            with formatter.section(group):
                formatter.write_dl(records)


def _option(*names: str, group: str = "Options", **settings: Any) -> Decorator[Any]:
    return click.option(*names, cls=Option, group=group, **settings)


def _all(*options: Decorator[Any]) -> Decorator[Any]:
    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


sources = _all(
    click.argument("sources", nargs=-1, metavar="SOURCE...", type=click.Path()),
)

html = _all(
    _option("--html", is_flag=True, help="Texts are HTML, in records too [by the suffix]."),
    _option(
        "--extract",
        type=click.Choice(EXTRACTS),
        default="main",
        help="What of HTML is the text [main].",
    ),
)

contents = _all(
    _option("--encoding", metavar="NAME", help="Encoding of the files [default: found out]."),
    _option("--glob", multiple=True, metavar="PATTERN", help="Take only files that match."),
    _option("--exclude", multiple=True, metavar="PATTERN", help="Leave out what matches."),
    _option(
        "--input-format",
        type=click.Choice(INPUT_FORMATS),
        default="auto",
        help="What files hold.",
    ),
    _option("--field", default="text", metavar="NAME", help="Text field of a record [text]."),
    _option("--id-field", metavar="NAME", help="Field with the name of a record."),
    html,
)

reading = _all(
    contents,
    _option("--files-from", metavar="FILE", help="Read SOURCEs from FILE, one a line."),
    _option("-0", "--null", is_flag=True, help="NUL ends names, in --files-from and --list."),
)

jobs = _option(
    "-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes or threads [one a core]."
)

effort = _all(
    jobs,
    _option(
        "--segmenter",
        type=click.Choice(["auto", "rjieba", "jieba"]),
        default="auto",
        help="Segmenting engine; same results.",
    ),
    _option("--progress/--no-progress", default=None, help="Show progress [on a terminal]."),
)

_SEARCH = "Search (the same pairs at different speeds)"
TABLES = ("auto", "4", "10", "16", "20")
SEARCHES = ("tables", "exhaustive", "probe", "neighbours")


class Size(click.ParamType[int]):
    """A number of bytes, such as 500M or 2G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:I?B)?", str(value).upper())
        if match is None:
            self.fail(f"{value!r} is no size such as 500M or 2G", param, ctx)
        return int(float(match[1]) * 1024 ** " KMGT".index(match[2] or " "))


search = _all(
    _option(
        "--tables",
        group=_SEARCH,
        type=click.Choice(TABLES),
        default="auto",
        help="Tables of a plan [auto: the cheapest].",
    ),
    _option(
        "--search",
        group=_SEARCH,
        type=click.Choice(SEARCHES),
        default="tables",
        help="Way to search.",
    ),
    _option(
        "--memory",
        group=_SEARCH,
        type=Size(),
        metavar="SIZE",
        help="Most that the pairs found may take [what is free].",
    ),
    _option(
        "--explain-plan", group=_SEARCH, is_flag=True, help="Say how the search goes, and why."
    ),
)

distance = _option(
    "-d",
    "--distance",
    type=click.IntRange(0, 256),
    default=3,
    metavar="K",
    show_default=True,
    help="Bits that may differ.",
)

shingle = _option(
    "--shingle",
    default="5",
    metavar="N|words:N",
    show_default=True,
    help="Characters, or words, of a shingle.",
)

resemblance = _all(
    _option(
        "-s",
        "--similarity",
        type=click.FloatRange(0, 1),
        default=0.8,
        metavar="S",
        show_default=True,
        help="Least resemblance of a pair.",
    ),
    shingle,
)

method = _all(
    _option(
        "--method",
        type=click.Choice(METHODS),
        default="simhash",
        help="How pairs are found: nearly identical texts, or all at a similarity [simhash].",
    ),
    _option(
        "--recall",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.99,
        metavar="R",
        help="Share of the pairs that minhash and pstable are to find [0.99].",
    ),
)

measures = _all(
    _option(
        "--containment",
        type=click.FloatRange(0, 1),
        metavar="C",
        help="Least share of the smaller text that lies in the larger [off].",
    ),
    _option(
        "--cosine",
        type=click.FloatRange(0, 1),
        metavar="C",
        help="Least cosine of the TF-IDF vectors [off].",
    ),
)

linkage = _option(
    "--linkage",
    type=click.Choice(LINKAGES),
    default="single",
    help="What makes a cluster: any pairs, or only pairs of the kept one [single].",
)

verification = _all(
    resemblance,
    _option("--verify/--no-verify", default=True, help="Check pairs on the texts [on]."),
)

keep = _all(
    _option(
        "-k",
        "--keep",
        type=click.Choice(KEEP),
        default="first",
        help="Which document stays [first].",
    ),
    _option("--prefer", multiple=True, metavar="PATTERN", help="Keep what matches before others."),
    _option(
        "--reference",
        "references",
        multiple=True,
        metavar="SOURCE",
        help="Documents that are never redundant.",
    ),
)


def output(*formats: str) -> Decorator[Any]:
    """Return the options of where results go, and in which of the formats."""
    return _all(
        _option("-f", "--format", "format_", type=click.Choice(formats), help="Output format."),
        _option(
            "-o", "--output", metavar="FILE", help="Write to FILE; its suffix sets the format."
        ),
    )


quiet = _option("-q", "--quiet", is_flag=True, help="No report and no notes.")

color = _option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours."
)

# Read by `main`, which has to know before options are parsed.
debug = _option("--debug", is_flag=True, expose_value=False, help="Show tracebacks.")

_RECIPE = "Recipe (what decides a fingerprint)"

recipe = _all(
    _option(
        "--recipe",
        "recipe_name",
        group=_RECIPE,
        type=click.Choice(list(RECIPES)),
        default="default",
        help="Named recipe; the options below change single fields.",
    ),
    _option(
        "--tokens", group=_RECIPE, metavar="KIND", help="words, split, tagged, chars:N, ngrams:N."
    ),
    _option("--fold/--no-fold", group=_RECIPE, default=None, help="Fold width, case, script."),
    _option("--weight", group=_RECIPE, type=click.Choice(CHOICES["weight"]), help="Term weights."),
    _option("--idf", group=_RECIPE, metavar="IDF", help="auto, corpus, builtin, or a model file."),
    _option(
        "--min-df",
        group=_RECIPE,
        type=click.IntRange(0),
        metavar="N",
        help="Leave out terms of fewer documents.",
    ),
    _option("--top", group=_RECIPE, type=click.IntRange(0), metavar="N", help="Terms kept; 0 all."),
    _option(
        "--cap",
        group=_RECIPE,
        type=click.FloatRange(0, 1),
        metavar="SHARE",
        help="Largest share of one term; 0 off.",
    ),
    _option("--hash", group=_RECIPE, type=click.Choice(CHOICES["hash"]), help="Term hash."),
    _option("--bits", group=_RECIPE, type=int, metavar="N", help="Fingerprint bits."),
    _option("--ties", group=_RECIPE, type=click.Choice(CHOICES["ties"]), help="Bit of a sum of 0."),
    _option(
        "--dict",
        "dictionary",
        group=_RECIPE,
        metavar="FILE",
        help="User dictionary in jieba's format.",
    ),
)


def make_recipe(options: dict[str, Any]) -> Recipe:
    """Make the recipe of a command's options."""
    changes = {field.name: options[field.name] for field in fields(Recipe)}
    given = {name: value for name, value in changes.items() if value is not None}
    return named_recipe(options["recipe_name"], **given)


def make_reading(options: dict[str, Any]) -> Reading:
    """Make the way of reading of a command's options."""
    from simdup.corpus.decoding import known_encoding

    encoding = options["encoding"]
    if encoding in (None, "auto"):
        encoding = None
    else:
        known_encoding(encoding)
    return Reading(
        encoding=encoding,
        glob=options["glob"],
        exclude=options["exclude"],
        input_format=options["input_format"],
        field=options["field"],
        id_field=options["id_field"],
        html=options["html"],
        extract=options["extract"],
    )


def make_effort(options: dict[str, Any], progress: Progress | None = None) -> Effort:
    """Make what a computation may use of a command's options."""
    from simdup.ingest.counting import Effort

    known = ("jobs", "segmenter", "tables", "search", "memory")
    given = {name: options[name] for name in known if name in options}
    if progress is not None:
        given["progress"] = progress
    return Effort(**given, explain=say if options.get("explain_plan") else None)


def make_sources(options: dict[str, Any]) -> list[str]:
    """Return the sources that were named, on the command line or in a list."""
    named = list(options["sources"])
    if options["files_from"] is not None:
        named += read_list(options["files_from"], options["null"])
    elif options["null"] and not options.get("listed"):
        raise click.UsageError("--null goes with --files-from or --list")
    elif not named:
        raise click.UsageError("Missing SOURCE: name a folder, files, or - for standard input")
    return named


def make_criteria(options: dict[str, Any]) -> Criteria:
    """Make the criteria of a command's options."""
    known = {field.name for field in fields(Criteria)}
    return Criteria(**{name: value for name, value in options.items() if name in known})


def make_format(options: dict[str, Any], formats: tuple[str, ...]) -> str:
    """Return the output format: as asked for, or by the output's suffix, or the first."""
    if options["format_"]:
        return str(options["format_"])
    suffix = (options["output"] or "").lower().rpartition(".")[2]
    if suffix == "ndjson":
        suffix = "jsonl"
    return suffix if suffix in formats else formats[0]
