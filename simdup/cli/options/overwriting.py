"""Outputs must not overwrite what a command reads beside its SOURCEs."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from simdup.cli.options.configured import configured_in

# Parameters that name what a command writes.
OUTPUTS = ("path", "target", "model")
_MORE_OUTPUTS = ("removed",)
_READ = ("files_from", "idf", "dictionary", "decisions", "baseline")


def refuse_to_overwrite(context: click.Context) -> None:
    """Raise if an output is a file that an option or the configuration names, or standard input.

    Raises
    ------
    SimdupError
        Says which one.
    """
    for name in (*OUTPUTS, *_MORE_OUTPUTS):
        path = context.params.get(name)
        if path and path != "-" and os.path.exists(path):
            from simdup.output.targets import check_read

            check_read(path, list(_read(context)))


def _read(context: click.Context) -> Iterator[str]:
    """Yield the files that options and the configuration name."""
    for one in context.command.params:
        given = context.params.get(one.name or "")
        if one.name in _READ and given and given not in getattr(one, "words", ()):
            yield given
    if (path := configured_in(context)) is not None:
        yield path
