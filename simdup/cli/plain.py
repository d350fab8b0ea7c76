"""Commands as Click has them, with a docstring that ends with examples."""

from __future__ import annotations

import inspect
from typing import Any

import click

from simdup.cli import process
from simdup.cli.usage import did_you_mean, help_of
from simdup.errors import SimdupError


class PlainCommand(click.Command):
    """A command whose docstring ends with examples."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # With -OO, Python drops docstrings: then there is no text, but commands run.
        help_text = inspect.cleandoc(kwargs["help"] or "")
        text, _, self._examples = help_text.partition("\n\nExamples:\n")
        super().__init__(*args, **kwargs | {"help": text})

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the options; this may print the help or the version."""
        with process.printing():
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
        """Find the subcommand that is typed."""
        group = ctx.command_path.partition(" ")[2]
        if args[0] not in self.commands and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.commands) or help_of(group)
            raise SimdupError(group, f"no such command {args[0]!r}", hint)
        return super().resolve_command(ctx, args)
