"""The sources and options of a call, to be pasted after another command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click
from click.core import ParameterSource

from simdup.cli.options.help import Option

# What a command reads and compares; not where its output goes.
_PANELS = ("Input", "Search", "Recipe")
_NAMES = ("shingle",)


def typed_again(context: click.Context) -> str:
    """Return what was typed or configured of the sources and of how to read and compare them.

    What is configured may hold for this command only, so it is repeated.
    """
    words = [word for one in context.command.params for word in _words(context, one)]
    if config := context.meta.get("config"):
        words += ["--config", config]
    words += ["--isolated"] if context.meta.get("isolated") else []
    sources = list(context.params["sources"])
    if any(source.startswith("-") and source != "-" for source in sources):
        words.append("--")
    return shlex.join([*words, *sources])


def _words(context: click.Context, one: click.Parameter) -> Iterator[str]:
    source = context.get_parameter_source(one.name or "")
    if source not in (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP) or not isinstance(
        one, Option
    ):
        return
    if one.panel not in _PANELS and one.name not in _NAMES:
        return
    given = context.params[one.name or ""]
    name = max(one.opts, key=len)
    if one.is_flag:
        yield name if given or not one.secondary_opts else max(one.secondary_opts, key=len)
    else:
        for value in given if one.multiple else (given,):
            yield from (name, str(value))
