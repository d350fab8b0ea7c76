"""Options that come from a configuration file: checked, and made defaults of a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click
from click.core import ParameterSource

from simdup.cli.configuration import Configuration, find, read
from simdup.cli.messages import say
from simdup.cli.options import COMMANDS, rows_of
from simdup.cli.options.parameter_types import kind_of, words_of
from simdup.cli.options.row import ABOUT, INDEXED, Options, Row, Yields
from simdup.cli.outcome import as_option
from simdup.cli.usage import did_you_mean, invalid_value
from simdup.errors import SimdupError

_META = "simdup.configured"

Table = tuple[str, ...]


def configure(ctx: click.Context) -> dict[str, Any]:
    """Return what the configuration says for the command of a context, by parameter.

    The context must have parsed what was typed.  What was typed wins: an option that is at odds
    with it gives way.

    Raises
    ------
    SimdupError
        If the file has an unknown key or an invalid value, for whatever command.
    """
    file, isolated = ctx.meta.get("config"), ctx.meta.get("isolated")
    if file is not None and isolated:
        raise click.UsageError("--config and --isolated exclude each other")
    found = None if isolated else read(file) if file is not None else find()
    if found is None:
        return {}
    checker = _Checker(found)
    checker.check((), found.table)
    command = ctx.command_path.partition(" ")[2]
    values = checker.values(found.table, command)
    options = Options(ctx, values)
    rows = {row.parameter: row for _, row in rows_of(command)}
    ctx.meta[_META] = found.path
    return {
        name: value
        for name, value in values.items()
        if not options.typed(name) and not any(rows[name].broken(Yields, options))
    }


def say_configured(ctx: click.Context) -> None:
    """Say which options came from which file, unless --quiet is set."""
    from simdup.output.escaping import shown
    from simdup.output.text import Painter
    from simdup.output.words import language_of, words_of

    keys = [row.keys[0] for row in _configured_rows(ctx)]
    if keys and not ctx.params.get("quiet"):
        words = words_of(ctx.params.get("lang") or language_of(os.environ))
        text = words("configured", path=shown(ctx.meta[_META]), keys=words.listed(keys))
        say(Painter(sys.stderr, words=words).wrapped(text))


def configured_in(ctx: click.Context) -> str | None:
    """Return the path of the configuration that applies to a command; None if there is none."""
    path: str | None = ctx.meta.get(_META)
    return path


def from_file(source: ParameterSource | None) -> bool:
    """Return whether a parameter has its value from a configuration."""
    return source is ParameterSource.DEFAULT_MAP


def of_typed(notes: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the notes without those on options that a configuration has for every run."""
    source = click.get_current_context().get_parameter_source
    return [(name, what) for name, what in notes if not from_file(source(name.strip("`")))]


def blamed(ctx: click.Context, error: SimdupError) -> SimdupError:
    """Return the error with the place in the configuration, if an option of it is at fault."""
    key = as_option(error.field).lstrip("-")
    if any(row.keys[0] == key for row in _configured_rows(ctx)):
        return SimdupError(f"{ctx.meta[_META]}: {key}", error.what, error.hint)
    return error


def _configured_rows(ctx: click.Context) -> Iterator[Row]:
    """Yield the rows of the options whose values a configuration has set."""
    rows = (row for _, row in rows_of(ctx.command_path.partition(" ")[2]))
    return (row for row in rows if from_file(ctx.get_parameter_source(row.parameter)))


def _rows(commands: Iterable[str]) -> Iterator[tuple[str, str, Row]]:
    """Yield the rows of some commands, each with the command and the panel of the help."""
    return ((command, panel, row) for command in commands for panel, row in rows_of(command))


class _Checker:
    """Checks the tables of a configuration against the rows of the options."""

    def __init__(self, found: Configuration) -> None:
        self._found = found

    def check(self, names: Table, table: dict[str, Any]) -> None:
        """Raise if a key is unknown or a value invalid, in a table or in those below it."""
        commands = [one for one in COMMANDS if one.split()[: len(names)] == list(names)]
        below = {one.split()[len(names)] for one in commands if len(one.split()) > len(names)}
        known = {key for _, _, row in _rows(commands) for key in row.keys}
        for key, value in table.items():
            if key in below and isinstance(value, dict):
                self.check((*names, key), value)
            elif key in known:
                self._check_value(commands, names, key, value)
            elif isinstance(value, dict):
                raise self._no_such(names, key, below, "command")
            elif key == "version":
                raise SimdupError(self._found.place(names, key), f"cannot be configured: {ABOUT}")
            else:
                raise self._no_such(names, key, known, "option")
        self._check_pairs(commands, names, table)

    def values(self, table: dict[str, Any], command: str) -> dict[str, Any]:
        """Return what the tables on the way to a command say for it, by parameter."""
        rows = {key: row for _, _, row in _rows([command]) for key in row.keys}
        values = {}
        names: Table = ()
        path = command.split()
        while True:
            for key, value in table.items():
                if key in rows and not isinstance(value, dict):
                    try:
                        taken = self._converted(rows[key], names, key, value)
                    except SimdupError:
                        # Another command takes it, such as a format that this one does not have.
                        continue
                    opposite = key != rows[key].keys[0]
                    values[rows[key].parameter] = not taken if opposite else taken
            if not path or not isinstance(table.get(path[0]), dict):
                return values
            table, names, path = table[path[0]], (*names, path[0]), path[1:]

    def _no_such(self, names: Table, key: str, known: Iterable[str], kind: str) -> SimdupError:
        if not names and key == "tool" and not self._found.prefix:
            hint = "only pyproject.toml has [tool.simdup]; here, a table is called [scan]"
        else:
            dashed = key.replace("_", "-")
            hint = did_you_mean(dashed, [dashed] if dashed in known else known)
            hint = hint or " ".join(["simdup", *(names or ["COMMAND"]), "--help"])
        return SimdupError(self._found.place(names), f"no such {kind} {key!r}", hint)

    def _check_value(self, commands: list[str], names: Table, key: str, value: Any) -> None:
        """Raise unless some command takes the value."""
        errors = []
        for command, panel, row in _rows(commands):
            if key not in row.keys:
                continue
            indexed = command in INDEXED and panel == "Recipe" and len(commands) == 1
            why = "the index determines the recipe" if indexed else row.typed
            if why:
                what = f"cannot be configured: {why}"
                raise SimdupError(self._found.place(names, key), what)
            try:
                self._converted(row, names, key, value)
            except SimdupError as error:
                errors.append(error)
            else:
                return
        raise errors[0]

    def _check_pairs(self, commands: list[str], names: Table, table: dict[str, Any]) -> None:
        """Raise if a table has an option twice, or two that exclude each other."""
        for _, _, row in _rows(commands):
            both = [key for key in row.keys if key in table]
            if len(both) > 1:
                self._raise_both(names, both[0], both[1])
        if table.get("quiet") is True and table.get("verbose") is True:
            self._raise_both(names, "quiet", "verbose")

    def _raise_both(self, names: Table, one: str, other: str) -> None:
        raise SimdupError(self._found.place(names), f"{one!r} and {other!r} exclude each other")

    def _converted(self, row: Row, names: Table, key: str, value: Any) -> Any:
        """Return a value as the option takes it; relative paths start from the file's folder."""
        kind = click.types.convert_type(bool if row.flag else kind_of(row.kind, row.metavar))
        expected = _expected(row, kind, value)
        if expected:
            raise SimdupError(
                self._found.place(names, key), f"must be {expected}, not {_toml(value)}"
            )
        listed = value if isinstance(value, list) else [value]
        # Numbers as TOML has them, only where the option takes no text such as 5 or words:3.
        number = isinstance(kind, click.types.IntParamType | click.types.FloatParamType)
        given = [one if number or isinstance(one, bool) else str(one) for one in listed]
        try:
            for one in given:
                kind.convert(one, None, None)
        except click.BadParameter as error:
            what, hint = invalid_value(error.message.rstrip("."), kind)
            raise SimdupError(self._found.place(names, key), what, hint) from None
        except ValueError:  # a NUL
            what = "is not the name of a file"
            raise SimdupError(self._found.place(names, key), what) from None
        if isinstance(kind, click.Path):
            words = ("-", *words_of(kind))
            folder = self._found.folder
            given = [one if one in words else os.path.join(folder, one) for one in given]
        return given if row.multiple else given[0]


def _expected(row: Row, kind: click.ParamType[Any], value: Any) -> str:
    """Return what an option expects, in TOML's words, if the value is of another type."""
    if row.flag:
        return "" if isinstance(value, bool) else "true or false"
    if row.multiple:
        listed = value if isinstance(value, list) else [value]
        return "" if all(isinstance(one, str) for one in listed) else "a string or a list of them"
    number = isinstance(value, int) and not isinstance(value, bool) and not _is_huge(value)
    if isinstance(kind, click.types.IntParamType):
        return "" if number else "a whole number"
    if isinstance(kind, click.types.FloatParamType):
        return "" if number or isinstance(value, float) else "a number"
    # Some texts are numbers, such as 5 for --shingle; they need no quotes.
    plain = number and not isinstance(kind, click.Path)
    return "" if plain or isinstance(value, str) else "a string"


def _is_huge(value: int) -> bool:
    """Return whether a number has more digits than any option takes, or Python prints."""
    return value.bit_length() > 64


def _toml(value: Any) -> str:
    """Return a value in short, as a file would have it."""
    if isinstance(value, int) and _is_huge(value):
        return "one of more than 64 bits"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a table"
    return repr(value) if isinstance(value, str | int | float) else str(value)
