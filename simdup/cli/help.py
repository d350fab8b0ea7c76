"""Commands made of rows of the table of options, and their help in two lengths.

`-h` fits one screen, `--help` shows everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import click

from simdup.base.errors import SimdupError
from simdup.base.when_used import pattern
from simdup.cli import process
from simdup.cli.call import Call
from simdup.cli.configuration import configure
from simdup.cli.messages import Status
from simdup.cli.options import rows_of
from simdup.cli.row import NO_DEFAULT, Row
from simdup.cli.usage import PlainCommand

# How Click shows a range; the error for a value outside says it in plainer words.
_RANGE = pattern(r"\s*\[[^][]*\bx\b[^][]*\]")

SOURCE = (
    "SOURCE is a folder, a file (text, Word, PDF, ...), a .zip, or - for standard input. JSONL, "
    "CSV, Parquet and JSON arrays hold a document per record."
)


def _show_help(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta["short"] = parameter.name == "short_help"
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


class Option(click.Option):
    """An option made of a row of the table."""

    def __init__(self, row: Row) -> None:
        settings: dict[str, Any] = {}
        if row.parameter in ("short_help", "full_help"):
            settings = {"is_eager": True, "callback": _show_help, "expose_value": False}
        if row.initial not in (NO_DEFAULT, ...):
            settings["default"] = row.initial
        super().__init__(
            [*row.opts, row.parameter],
            metavar=row.metavar,
            type=row.click_type,
            help=row.text,
            multiple=row.multiple,
            is_flag=True if row.metavar is None else None,
            required=row.initial is ...,
            **settings,
        )
        self.row = row

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return the option's names and help text, with all choices and the default."""
        names, text = super().get_help_record(ctx) or ("", "")
        text = _RANGE.sub("", text)
        choices = list(map(str, getattr(self.type, "choices", ())))
        if not all(choice in text for choice in choices):
            # Before a semicolon, so that it reads as one sentence.
            what, mark, more = text.rstrip(".").partition(";")
            text = f"{what} ({', '.join(choices)}){mark}{more}."
        shown = self.row.shown or self._default()
        # Lines do not break at these spaces; `get_help` makes them plain.
        default = f"[default: {shown}]".replace(" ", "\xa0")
        return names, f"{text}  {default}" if shown else text

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Return the words that begin with what is typed or, if none does, what the type offers."""
        from click.shell_completion import CompletionItem

        words = [CompletionItem(word) for word in self.row.words if word.startswith(incomplete)]
        return words or super().shell_complete(ctx, incomplete)

    def _default(self) -> str:
        if self.secondary_opts and self.default is not None:
            return (self.opts if self.default else self.secondary_opts)[-1]
        plain = isinstance(self.default, str | int | float) and not isinstance(self.default, bool)
        return str(self.default).removesuffix(".0") if plain else ""


class Command(PlainCommand):
    """A command whose options are rows of the table; its help shows them in panels."""

    def __init__(self, function: Callable[[Call], Status], path: str, *arguments: str) -> None:
        params = [*map(_argument, arguments), *map(Option, rows_of(path))]
        name = path.rpartition(" ")[2]
        super().__init__(name, params=params, help=function.__doc__, add_help_option=False)
        self._function = function

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was typed, then again with the defaults of a configuration, if there is one.

        Which of them apply depends on what was typed.
        """
        again = list(args)
        rest = super().parse_args(ctx, args)
        if ctx.resilient_parsing or not (configured := configure(ctx)):
            return rest
        ctx.params.clear()
        ctx.default_map = configured
        return super().parse_args(ctx, again)

    def invoke(self, ctx: click.Context) -> Status:
        """Run the command, unless the memory limits of this process are too low."""
        process.prepare_memory()
        call = Call(ctx)
        call.refuse()
        call.say_waiting()
        process.output += call.files("path", "target")
        try:
            result: Status = ctx.invoke(self._function, call)
        except SimdupError as error:
            raise call.blamed(error) from None
        call.say_configured()
        return result

    def get_help(self, ctx: click.Context) -> str:
        """Return the help with plain spaces."""
        return super().get_help(ctx).replace("\xa0", " ")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does and what a SOURCE is; for `-h` one paragraph of each."""
        first, _, rest = (self.help or "").partition("\n\n")
        takes_sources = any(one.name == "sources" for one in self.params)
        parts = [first, SOURCE if takes_sources else "", "" if ctx.meta.get("short") else rest]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(filter(None, parts)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options panel by panel; for `-h` only the common ones, as one list."""
        short = ctx.meta.get("short")
        panels: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for one in self.params:
            if isinstance(one, Option) and (one.row.common or not short):
                panels["Options" if short else one.row.panel].append(one.get_help_record(ctx))
        for panel, records in panels.items():
            with formatter.section(panel):
                formatter.write_dl(records)


def _argument(metavar: str) -> click.Argument:
    name, several = metavar.strip("[].").lower(), "..." in metavar
    return click.Argument(
        [f"{name}s" if several else name],
        nargs=-1 if several else 1,
        metavar=metavar,
        required=metavar.isalpha(),
        type=click.Path(readable=False),
    )


def declare(path: str, *arguments: str) -> Callable[[Callable[[Call], Status]], Command]:
    """Return the decorator that makes a function a command.

    Parameters
    ----------
    path : str
        What people type after ``simdup``; the table says which options it has.
    *arguments : str
        As the help shows them, such as ``SOURCE...`` or ``[NEW]``.
    """
    return lambda function: Command(function, path, *arguments)
