"""What a run may use: processes, memory, the way to search."""

from __future__ import annotations

import re
from typing import Any

import click

from simdup.cli.messages import say
from simdup.cli.options.values import Decorator, option, value
from simdup.model.settings import SEARCHES, SEGMENTERS, TABLES, RunOptions, SearchOptions

_DEFAULT = RunOptions()


class Size(click.ParamType[int]):
    """A number of bytes, such as 500M or 2G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:I?B)?", str(value).upper())
        if match is None:
            self.fail(f"{value!r} is not a size such as 500M or 2G", param, ctx)
        return int(float(match[1]) * 1024 ** " KMGT".index(match[2] or " "))


def _search(*names: str, **settings: Any) -> Decorator:
    return option(*names, panel="Search", **settings)


_JOBS = _search(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    common=True,
    help="Processes or threads.",
    shown="one per core",
)
_SEGMENTER = _search(
    "--segmenter",
    type=click.Choice(SEGMENTERS),
    default=_DEFAULT.segmenter,
    help="Segmenting engine; the result is the same.",
)
_SEARCH = (
    _search(
        "--tables",
        type=click.Choice(TABLES),
        default=_DEFAULT.search.tables,
        help="Tables of a plan; auto takes the cheapest.",
    ),
    _search(
        "--search",
        type=click.Choice(SEARCHES),
        default=_DEFAULT.search.search,
        help="How to search; the pairs are the same.",
    ),
    _search(
        "--memory",
        type=Size(),
        metavar="SIZE",
        help="Most memory for the pairs found.",
        shown="what is free",
    ),
    _search("--explain-plan", is_flag=True, help="Say how the search runs, and why."),
)


def _make_run(jobs: int | None, segmenter: str = _DEFAULT.segmenter, **search: Any) -> RunOptions:
    if search:
        explain = say if search.pop("explain_plan") else None
        return RunOptions(jobs, segmenter, search=SearchOptions(**search, explain=explain))
    return RunOptions(jobs, segmenter)


run = value("run", _make_run, _JOBS, _SEGMENTER)
run_with_search = value("run", _make_run, _JOBS, _SEGMENTER, *_SEARCH)
search_only = value("run", _make_run, _JOBS, *_SEARCH)
