"""Options for what a run may use: processes, memory, a search algorithm."""

from __future__ import annotations

import re
import sys
from functools import partial
from typing import Any

import click

from simdup.cli.messages import say
from simdup.cli.options.values import Decorator, option, value
from simdup.model.settings import (
    MOST_JOBS,
    PAIR_MEMORY,
    SEARCHES,
    SEGMENTERS,
    TABLES,
    RunOptions,
    SearchOptions,
    Settings,
)

_DEFAULT = RunOptions()


class Size(click.ParamType):  # type: ignore[type-arg]  # generic since Click 8.5
    """A number of bytes, such as 500M or 2G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes."""
        match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)([KMGT]?)(?:I?B)?", str(value).upper())
        if match is None:
            self.fail(f"{value!r} is not a size (expected a number such as 500M or 2G)", param, ctx)
        size = float(match[1]) * 1024 ** " KMGT".index(match[2] or " ")
        return int(min(size, sys.maxsize))


_run = partial(option, panel="Search", defaults=_DEFAULT)
_search = partial(option, panel="Search", defaults=_DEFAULT.search)

_JOBS = _run(
    "-j, --jobs N",
    "Number of processes or threads.",
    click.IntRange(1, MOST_JOBS),
    common=True,
    shown="one per core",
)
_SEGMENTER = _run("--segmenter NAME", "Chinese segmenter; the result is the same", SEGMENTERS)
_MEMORY = _search("--memory SIZE", "Memory limit for pairs.", Size(), shown="free memory")
_SEARCH = (
    _search("--tables N", "Number of search tables; auto uses the cheapest plan", TABLES),
    _search("--search NAME", "Search algorithm; the pairs are the same", SEARCHES),
    option("--explain-plan", "Print how the search runs, and why.", panel="Search"),
)


_PAIR_MEMORY = _search(
    "--memory SIZE",
    "Memory limit for pairs; the rest go to temporary files.",
    Size(),
    shown=f"{PAIR_MEMORY >> 20}M",
)


def _make_run(jobs: int | None, segmenter: str = _DEFAULT.segmenter, **search: Any) -> RunOptions:
    if search:
        explain = say if search.pop("explain_plan") else None
        return RunOptions(jobs, segmenter, search=SearchOptions(**search, explain=explain))
    return RunOptions(jobs, segmenter)


run = value("run", _make_run, _JOBS, _SEGMENTER)
# Where nothing is cut into words.
run_alone = value("run", _make_run, _JOBS)
run_with_search = value("run", _make_run, _JOBS, _SEGMENTER, _MEMORY, *_SEARCH)
search_only = value("run", _make_run, _JOBS, _MEMORY, *_SEARCH)
search_for_pairs = value("run", _make_run, _JOBS, _PAIR_MEMORY, *_SEARCH)


def settings(*parts: Decorator) -> Decorator:
    """Return the options for some parts of the settings; the others keep their defaults."""
    return value("settings", Settings, *parts)
