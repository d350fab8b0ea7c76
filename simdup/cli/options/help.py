"""Options and commands whose help comes in two lengths: `-h` fits a screen, `--help` has all."""

from __future__ import annotations

import inspect
import re
from typing import Any

import click

from simdup.cli.options.effects import say_without_effect
from simdup.cli.process import printing, require_memory

# Click's words for a range; an error gives it in better ones.
_RANGE = re.compile(r"\s*\[[^][]*\bx\b[^][]*\]")

PANELS = ("Input", "Matching", "Output", "Search", "Recipe", "Other")


class Option(click.Option):
    """An option with a panel in the help, and a place in the short help or none.

    Parameters
    ----------
    panel : str
        One of `PANELS`.
    common : bool
        Whether most people need it: then `-h` shows it too.
    shown : str
        What the help gives as default where the value itself would say nothing.
    """

    def __init__(
        self, *names: Any, panel: str, common: bool = False, shown: str = "", **settings: Any
    ) -> None:
        super().__init__(*names, **settings)
        self.panel, self.common, self._shown = panel, common, shown

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option's names and its help, with its choices and its default."""
        record = super().get_help_record(ctx)
        if record is None:
            return None
        names, text = record[0], _RANGE.sub("", record[1])
        if self.metavar and isinstance(self.type, click.Choice):
            text = f"{text.rstrip('.')}: {', '.join(map(str, self.type.choices))}."
        shown = self._shown or self._default()
        return names, f"{text}  [default: {shown}]" if shown else text

    def _default(self) -> str:
        if self.secondary_opts and self.default is not None:
            return (self.opts if self.default else self.secondary_opts)[-1]
        plain = isinstance(self.default, str | int | float) and not isinstance(self.default, bool)
        return str(self.default) if plain else ""


def _other(*names: str, text: str, **settings: Any) -> Option:
    return Option(names, panel="Other", is_flag=True, expose_value=False, help=text, **settings)


def _show_help(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta["short"] = parameter.name == "short_help"
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


class _WithExamples(click.Command):
    """A command whose docstring ends with examples."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        text, _, self._examples = inspect.cleandoc(kwargs["help"]).partition("\n\nExamples:\n")
        super().__init__(*args, **kwargs | {"help": text, "add_help_option": False})
        show: dict[str, Any] = {"is_eager": True, "callback": _show_help}
        self.params += [
            # Nobody needs it who reads what it shows.
            _other("-h", "short_help", text="Show the most common options.", **show),
            _other("--help", "full_help", text="Show all options.", common=True, **show),
        ]

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse options; help is printed meanwhile."""
        with printing():
            return super().make_context(*args, **kwargs)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does: for `-h` the first paragraph only."""
        whole = self.help
        if ctx.meta.get("short"):
            self.help = (whole or "").partition("\n\n")[0]
        super().format_help_text(ctx, formatter)
        self.help = whole

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        with formatter.section("Examples"):
            for line in self._examples.splitlines():
                formatter.write(f"{line}\n")


class Group(_WithExamples, click.Group):
    """A command of several commands."""


class Command(_WithExamples):
    """A command whose options come in panels."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Read by `main`, which has to know before options are parsed.
        self.params.insert(-2, _other("--debug", text="Show tracebacks."))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless this process may not have the memory for it."""
        require_memory()
        say_without_effect(ctx)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options: for `-h` the common ones only, otherwise panel by panel."""
        short = ctx.meta.get("short")
        panels: dict[str, list[tuple[str, str]]] = {panel: [] for panel in PANELS}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, Option) and (option.common or not short):
                panels[option.panel].append(record)
        if short:
            panels = {"Options": [record for records in panels.values() for record in records]}
        for panel, records in panels.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)
