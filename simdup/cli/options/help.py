"""Options and commands whose help comes in two lengths: `-h` fits a screen, `--help` has all."""

from __future__ import annotations

import re
from typing import Any

import click

# Choices that are longer than this are listed beside the option, not in its name.
_NARROW = 16
_CHOICES = re.compile(r"\[.*\|.*\]")
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
        if isinstance(self.type, click.Choice):
            choices = _CHOICES.search(names)
            if choices is not None and len(choices[0]) > _NARROW:
                names = names.replace(choices[0], str(self.name).rstrip("_").upper())
                text = f"{text.rstrip('.')}: {', '.join(map(str, self.type.choices))}."
        shown = self._shown or self._default()
        return names, f"{text}  [default: {shown}]" if shown else text

    def _default(self) -> str:
        if self.secondary_opts and self.default is not None:
            return (self.opts if self.default else self.secondary_opts)[-1]
        plain = isinstance(self.default, str | int | float) and not isinstance(self.default, bool)
        return str(self.default) if plain else ""


def _show_help(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta["short"] = parameter.name == "short_help"
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _help_option(*names: str, text: str) -> Option:
    return Option(
        names,
        panel="Other",
        common=True,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_help,
        help=text,
    )


class _WithExamples(click.Command):
    """A command whose help ends with examples."""

    def __init__(self, *args: Any, examples: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.add_help_option = False
        self.examples = examples
        self.params += [
            _help_option("-h", "short_help", text="Show the most common options."),
            _help_option("--help", "full_help", text="Show all options."),
        ]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.strip().splitlines():
                    formatter.write(" " * formatter.current_indent + line.strip() + "\n")


class Group(_WithExamples, click.Group):
    """A command of several commands."""


class Command(_WithExamples):
    """A command whose options come in panels."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does: for `-h` its first sentence only."""
        if not ctx.meta.get("short"):
            super().format_help_text(ctx, formatter)
            return
        summary = (self.help or "").partition("\n\n")[0]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(summary)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options: for `-h` the common ones only, otherwise panel by panel."""
        short = ctx.meta.get("short")
        panels: dict[str, list[tuple[str, str]]] = {panel: [] for panel in ("Options", *PANELS)}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, Option) and (option.common or not short):
                panels["Options" if short else option.panel].append(record)
        for panel, records in panels.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)
