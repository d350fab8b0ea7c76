"""How commands are used: the examples of their help, and mistakes, in words of our own.

Click's messages are those of a parser.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from simdup.base.errors import SimdupError, did_you_mean
from simdup.cli.process import printing


class PlainCommand(click.Command):
    """A command whose docstring ends with examples."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # With -OO, Python drops docstrings: then there is no text, but commands run.
        help_text = inspect.cleandoc(kwargs["help"] or "")
        text, _, self._examples = help_text.partition("\n\nExamples:\n")
        super().__init__(*args, **kwargs | {"help": text})

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the options; this may print the help or the version."""
        with printing():
            return super().make_context(*args, **kwargs)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        with formatter.section("Examples"):
            for line in self._examples.splitlines():
                formatter.write(f"{line}\n")


class CommandGroup(PlainCommand, click.Group):
    """A command with subcommands, listed in the order of their definition."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand that is typed; one that is only described is imported."""
        group = ctx.command_path.partition(" ")[2]
        if args[0] not in self.commands and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.commands) or _help(group)
            raise SimdupError(group, f"no such command {args[0]!r}", hint)
        name, found, rest = super().resolve_command(ctx, args)
        if type(found) is click.Command:
            found = import_module(f"{__package__}.{name}").command
        return name, found, rest


def usage_error(
    error: click.UsageError, command: str, arguments: Sequence[str] = ()
) -> SimdupError:
    """Return the error that a person reads.

    Parameters
    ----------
    error : UsageError
        What Click or a command has raised.
    command : str
        What people type for the command, without ``simdup``; empty if it is not known.
    arguments : sequence of str
        All that was typed: a file whose name begins with a dash was taken for options.
    """
    where, hint, message = command, _help(command), error.message.rstrip(".")
    parameter = getattr(error, "param", None)
    option = isinstance(parameter, click.Option)
    if isinstance(error, click.MissingParameter) and parameter is not None:
        name = parameter.make_metavar(error.ctx) if error.ctx else str(parameter.name)
        what = " ".join(["missing", *(parameter.opts[-1:] if option else ()), name])
    elif isinstance(error, click.BadParameter) and parameter is not None:
        where = max(parameter.opts, key=len) if option else command
        what, hint = invalid_value(error, parameter.type)
    elif isinstance(error, click.NoSuchOption):
        what = f"no such option {error.option_name!r}"
        hint = did_you_mean(error.option_name, error.possibilities or ()) or hint
    elif isinstance(error, click.BadOptionUsage):
        where, hint = error.option_name, ""
        none = message.endswith("does not take a value")
        what = "takes no value" if none else "needs a value"
    else:
        extra = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", message)
        what = f"unexpected argument: {extra[1]}" if extra else message[:1].lower() + message[1:]
    return SimdupError(where, what, _dashed(arguments) or hint)


def _dashed(arguments: Sequence[str]) -> str:
    """Return how to type the first file among options; empty if there is none."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    files = (one for one in options if one.startswith("-") and one != "-" and os.path.lexists(one))
    file = next(files, "")
    return f"for the file {file!r} write './{file}', or '--' before it" if file else ""


def _help(command: str) -> str:
    return " ".join(filter(None, ["simdup", command, "--help"]))


def invalid_value(error: click.BadParameter, kind: click.ParamType[Any]) -> tuple[str, str]:
    """Return what is wrong with a value of an option, and a hint."""
    message = error.message.rstrip(".")
    typed = re.match(r"'(.*)' is not one of ", message, re.DOTALL)
    if typed and isinstance(kind, click.Choice):
        known = list(map(str, kind.choices))
        return f"{typed[1]!r} is not one of {', '.join(known)}", near_choice(typed[1], known)
    outside = re.match(r"(\S+) is not in the range ", message)
    if outside and isinstance(kind, click.IntRange | click.FloatRange):
        return f"{float(outside[1]):.15g} is {_range(kind)}", ""
    if wrong := re.match(r"('.*') is not a valid (integer|float)", message, re.DOTALL):
        return f"{wrong[1]} is not a {'whole ' if wrong[2] == 'integer' else ''}number", ""
    return message, getattr(error, "hint", "")


def near_choice(word: str, known: Sequence[str]) -> str:
    """Return a hint at a choice that is nearly the same, or that ends or begins alike."""
    if hint := did_you_mean(word, known):
        return hint
    part = [one for one in known if word and (one.startswith(word) or word.startswith(one))]
    return f"did you mean {part[0]!r}?" if len(part) == 1 else ""


def _range(kind: click.IntRange | click.FloatRange) -> str:
    if kind.min is None or kind.max is None:
        least = kind.max is None
        return f"{'less' if least else 'more'} than {kind.min if least else kind.max:g}"
    return f"not between {kind.min:g} and {kind.max:g}"
