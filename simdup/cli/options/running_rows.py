"""The rows of the options for what a run may use, and of those about the command line itself."""

from __future__ import annotations

from functools import partial

import click

from simdup.cli.messages import say
from simdup.cli.options.input_rows import LINES
from simdup.cli.options.matching_rows import NO_PRINTS
from simdup.cli.options.output_rows import ALL
from simdup.cli.options.parameter_types import SampleOf, Size
from simdup.cli.options.recipe_rows import NEEDS_JIEBA
from simdup.cli.options.row import ABOUT, Idle, Row
from simdup.model.settings import (
    MOST_JOBS,
    PAIR_MEMORY,
    SEARCHES,
    SEGMENTERS,
    TABLES,
    RunOptions,
    SearchOptions,
)

_CUTS = "scan, compare, fingerprint, dedupe, fit, index build, index add, query, tune"
_SEARCHES = "scan, cluster, dedupe, pairs"

_search = partial(Row, of=SearchOptions, commands=_SEARCHES, rules=(NO_PRINTS,))

# fmt: off
SEARCH = (
    Row("-j, --jobs N", f"{_CUTS}, passages, cluster, pairs", "Number of processes or threads.",
        click.IntRange(1, MOST_JOBS), of=RunOptions, common=True, shown="one per core",
        rules=(Idle(lambda o: o.command == "compare" and not o["idf_from"],
                    "two texts are read by one process"),),
        trial="|--idf-from c|-j 3"),
    Row("--segmenter NAME", _CUTS, "Chinese segmenter; the result is the same", SEGMENTERS,
        of=RunOptions, rules=(*LINES, NEEDS_JIEBA), trial="||--segmenter jieba"),
    _search("--memory SIZE", text="Memory limit for pairs.", kind=Size(), shown="free memory",
            per={"pairs": {"text": "Memory limit for pairs; the rest go to temporary files.",
                           "shown": f"{PAIR_MEMORY >> 20}M"}}, trial="||--memory 3M"),
    _search("--tables N", text="Number of search tables; auto uses the cheapest plan", kind=TABLES,
            rules=(NO_PRINTS, Idle(lambda o: o["search"] not in (None, "tables"),
                                   "this --search uses no tables")),
            trial="|--explain-plan|--tables 4"),
    _search("--search NAME", text="Search algorithm; the pairs are the same", kind=SEARCHES,
            trial="|--explain-plan|--search probe"),
    _search("--explain-plan", text="Print how the search runs, and why.", name="explain",
            take=lambda wanted: say if wanted else None, trial="||--explain-plan"),
    Row("--compress", "query", "Compress search tables to two thirds of their size.",
        trial="||--compress"),
)

OTHER = (
    Row("--timeout SECONDS", "index add, index remove, query",
        "Time to wait for another writer.", click.FloatRange(0), default=60.0,
        rules=(Idle(lambda o: o.command == "query" and not o["add"], "only --add writes"),),
        trial="|--add --timeout 0|--timeout 0.1"),
    Row("--sample SHARE", "index check",
        "Read only this share of the blocks: 5%, or 3/20 for the third of 20 parts.", SampleOf(),
        common=True, shown="all", trial="||--sample 5%"),
    Row("--config FILE", ALL, "Take default options from FILE.", typed=ABOUT,
        shown="the nearest simdup.toml or pyproject.toml", trial="|-o out|--config quiet.toml"),
    Row("--isolated", ALL, "Ignore configuration files.", typed=ABOUT, trial="||--isolated"),
    Row("--debug", ALL, "Show tracebacks.", typed=ABOUT, trial="|--config lost.toml|--debug"),
    Row("-h", ALL, "Show the common options.", name="short_help", typed=ABOUT, trial="||-h"),
    Row("--help", ALL, "Show all options.", name="full_help", typed=ABOUT, common=True,
        trial="||--help"),
)
