"""Help in two lengths: `-h` fits one screen, `--help` shows everything."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import click

from simdup.cli import process
from simdup.cli.messages import say
from simdup.cli.options.configured import blamed, configure, say_configured
from simdup.cli.options.effects import refuse_without_effect
from simdup.cli.options.overwriting import OUTPUTS, refuse_to_overwrite
from simdup.cli.process import printing, require_memory
from simdup.cli.usage import no_such_command
from simdup.errors import SimdupError

# How Click shows a range; the error for a value outside says it in plainer words.
_RANGE = re.compile(r"\s*\[[^][]*\bx\b[^][]*\]")

PANELS = ("Input", "Matching", "Output", "Search", "Recipe", "Other")

SOURCE = (
    "SOURCE is a folder, a file (text, Word, PDF, ...), a .zip, or - for standard input. JSONL, "
    "CSV, Parquet and JSON arrays hold one document per record."
)


class Option(click.Option):
    """An option that belongs to a panel of the help, and may appear in the short help.

    Parameters
    ----------
    panel : str
        One of `PANELS`.
    common : bool
        Whether `-h` shows it too, because most people need it.
    shown : str
        The default as the help shows it, if the value itself is not informative.
    words : tuple of str
        Values with a meaning of their own, beside files or numbers, for the shell to complete.
    """

    def __init__(
        self,
        *names: Any,
        panel: str,
        common: bool = False,
        shown: str = "",
        words: tuple[str, ...] = (),
        **settings: Any,
    ) -> None:
        super().__init__(*names, **settings)
        self.panel, self.common, self._shown, self.words = panel, common, shown, words

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option's names and help text, with all choices and the default."""
        record = super().get_help_record(ctx)
        if record is None:
            return None
        names, text = record[0], _RANGE.sub("", record[1])
        choices = list(map(str, getattr(self.type, "choices", ())))
        if not all(choice in text for choice in choices):
            # Before a semicolon, so that it reads as one sentence.
            what, mark, more = text.rstrip(".").partition(";")
            text = f"{what} ({', '.join(choices)}){mark}{more}."
        shown = self._shown or self._default()
        # Lines do not break at these spaces; `get_help` makes them plain.
        default = f"[default: {shown}]".replace(" ", "\xa0")
        return names, f"{text}  {default}" if shown else text

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Return the words that begin with what is typed or, if none does, what the type offers."""
        from click.shell_completion import CompletionItem

        words = [CompletionItem(word) for word in self.words if word.startswith(incomplete)]
        return words or super().shell_complete(ctx, incomplete)

    def _default(self) -> str:
        if self.secondary_opts and self.default is not None:
            return (self.opts if self.default else self.secondary_opts)[-1]
        plain = isinstance(self.default, str | int | float) and not isinstance(self.default, bool)
        return str(self.default).removesuffix(".0") if plain else ""


def _other(*names: str, text: str, **settings: Any) -> Option:
    return Option(names, panel="Other", is_flag=True, expose_value=False, help=text, **settings)


def _show_help(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta["short"] = parameter.name == "short_help"
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_SHOW: dict[str, Any] = {"is_eager": True, "callback": _show_help}


def _remember(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep a value that is about the command line itself, not about the work of a command."""
    ctx.meta[str(parameter.name)] = value


def _configuring() -> list[click.Parameter]:
    """Return the options that say which configuration is read, if any."""
    config = Option(
        ["--config"], metavar="FILE", type=click.Path(readable=False), panel="Other",
        help="Take default options from FILE.", shown="the nearest simdup.toml or pyproject.toml",
        expose_value=False, callback=_remember,
    )  # fmt: skip
    return [config, _other("--isolated", text="Ignore configuration files.", callback=_remember)]


class PlainCommand(click.Command):
    """A command whose docstring ends with examples; it has no options but the help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # With -OO, Python drops docstrings: then there is no text, but commands run.
        help_text = inspect.cleandoc(kwargs["help"] or "")
        text, _, self._examples = help_text.partition("\n\nExamples:\n")
        super().__init__(*args, **kwargs | {"help": text, "add_help_option": False})
        self.params += self.help_options()

    def help_options(self) -> list[click.Parameter]:
        """Return the option that shows the help."""
        return [_other("-h", "--help", text="Show this help.", **_SHOW)]

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the options; this may print the help."""
        with printing():
            return super().make_context(*args, **kwargs)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does and what a SOURCE is; for `-h` one paragraph of each."""
        whole = self.help or ""
        first, _, rest = whole.partition("\n\n")
        takes_sources = any(one.name == "sources" for one in self.params)
        parts = [first, SOURCE if takes_sources else "", "" if ctx.meta.get("short") else rest]
        self.help = "\n\n".join(filter(None, parts))
        super().format_help_text(ctx, formatter)
        self.help = whole

    def get_help(self, ctx: click.Context) -> str:
        """Return the help with plain spaces."""
        return super().get_help(ctx).replace("\xa0", " ")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        with formatter.section("Examples"):
            for line in self._examples.splitlines():
                formatter.write(f"{line}\n")


class Group(PlainCommand, click.Group):
    """A command with subcommands, listed in the order of their definition."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand that is typed."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            raise no_such_command(args[0], self.commands, str(ctx.info_name))
        return super().resolve_command(ctx, args)


def _say_waiting(ctx: click.Context) -> None:
    """Tell a person at a terminal that the command waits for what is typed."""
    arguments = [one.name or "" for one in ctx.command.params if isinstance(one, click.Argument)]
    given = [ctx.params[name] for name in arguments]
    named = [one for some in given for one in (some if isinstance(some, tuple) else (some,))]
    waits = "-" in (*named, ctx.params.get("files_from")) or ctx.params.get("files") == ()
    if waits and sys.stdin.isatty() and not ctx.params.get("quiet"):
        end = "Ctrl-Z and Enter end" if sys.platform == "win32" else "Ctrl-D ends"
        say(f"Reading standard input; {end} it.")


class Command(PlainCommand):
    """A command whose help shows its options in panels."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # `main` reads it from the arguments, because errors may occur before options are parsed.
        debug = _other("--debug", text="Show tracebacks.")
        self.params[-2:-2] = [*_configuring(), debug]

    def help_options(self) -> list[click.Parameter]:
        """Return one option for each length of the help."""
        return [
            # Whoever reads the short help has already found it.
            _other("-h", "short_help", text="Show the common options.", **_SHOW),
            _other("--help", "full_help", text="Show all options.", common=True, **_SHOW),
        ]

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

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless the memory limits of this process are too low."""
        require_memory()
        refuse_without_effect(ctx)
        refuse_to_overwrite(ctx)
        _say_waiting(ctx)
        written = (ctx.params.get(name) for name in OUTPUTS)
        process.output += [path for path in written if path not in (None, "-")]
        try:
            result = super().invoke(ctx)
        except SimdupError as error:
            raise blamed(ctx, error) from None
        say_configured(ctx)
        return result

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options panel by panel; for `-h` only the common ones, as one list."""
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
