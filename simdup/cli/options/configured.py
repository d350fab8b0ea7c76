"""Options that come from a configuration file: checked, and made defaults of a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import click
from click.core import ParameterSource

from simdup.cli.configuration import Configuration, find, read
from simdup.cli.messages import say
from simdup.cli.options.yielding import INDEXED, gives_way
from simdup.cli.outcome import as_option
from simdup.cli.usage import did_you_mean, invalid_value
from simdup.errors import SimdupError

_WRITES = "it decides what is written, so it must be typed"
_READS = "it belongs to the SOURCEs, so it must be typed"

# Parameters that a file must not set, and why.  A file may lie in any folder above: whoever writes
# it should not be able to make a command overwrite something.
_REFUSED = {
    **dict.fromkeys(("path", "target", "model", "removed", "force", "dry_run", "annotate", "add",
                     "update_baseline"), _WRITES),
    **dict.fromkeys(("files_from", "null", "fingerprints"), _READS),
    **dict.fromkeys(("short_help", "full_help", "help", "debug", "config", "isolated", "version"),
                    "it only makes sense where it is typed"),
}  # fmt: skip

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
    root = ctx.find_root()
    _Checker(found, root).check(root.command, (), found.table)
    values = _Checker(found, ctx).values(found.table, tuple(ctx.command_path.split()[1:]))
    kept = {name: value for name, value in values.items() if not gives_way(ctx, values, name)}
    ctx.meta[_META] = found.path
    return kept


def say_configured(ctx: click.Context) -> None:
    """Say which options came from which file, unless --quiet is set."""
    from simdup.output.escaping import shown
    from simdup.output.text import Painter
    from simdup.output.words import language_of, words_of

    source = ctx.get_parameter_source
    keys = [key_of(one) for one in ctx.command.params if from_file(source(one.name or ""))]
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


def blamed(ctx: click.Context, error: SimdupError) -> SimdupError:
    """Return the error with the place in the configuration, if an option of it is at fault."""
    key = as_option(error.field).lstrip("-")
    for one in ctx.command.params:
        if from_file(ctx.get_parameter_source(one.name or "")) and key_of(one) == key:
            return SimdupError(f"{ctx.meta[_META]}: {key}", error.what, error.hint)
    return error


def key_of(option: click.Parameter) -> str:
    """Return the key of an option: its long name without dashes."""
    return max(option.opts, key=len).lstrip("-")


def _keys(command: click.Command) -> dict[str, tuple[click.Option, bool]]:
    """Return each key of a command with its option, and whether it means the opposite."""
    found = {}
    for one in command.params:
        if isinstance(one, click.Option):
            found[key_of(one)] = one, False
            for off in one.secondary_opts:
                found[off.lstrip("-")] = one, True
    return found


class _Checker:
    """Checks the tables of a configuration against the options of the commands."""

    def __init__(self, found: Configuration, ctx: click.Context) -> None:
        self._found = found
        self._ctx = ctx

    def check(self, command: click.Command, names: Table, table: dict[str, Any]) -> None:
        """Raise if a key is unknown or a value invalid, in a table or in those below it."""
        below = dict(_below(self._ctx, command))
        commands = [command, *(one for _, one in _leaves(self._ctx, command))]
        known = {key for one in commands for key in _keys(one)}
        for key, value in table.items():
            if key in below and isinstance(value, dict):
                self.check(below[key], (*names, key), value)
            elif key in known:
                self._check_value(commands, names, key, value)
            elif isinstance(value, dict):
                raise self._no_such(names, key, below, "command")
            else:
                raise self._no_such(names, key, known, "option")
        self._check_pairs(commands, names, table)

    def values(self, table: dict[str, Any], path: Table) -> dict[str, Any]:
        """Return what the tables on the way to a command say for it, by parameter."""
        keys = _keys(self._ctx.command)
        values = {}
        names: Table = ()
        while True:
            for key, value in table.items():
                if key in keys and not isinstance(value, dict):
                    option, opposite = keys[key]
                    try:
                        taken = self._converted(option, names, key, value)
                    except SimdupError:
                        # Another command takes it, such as a format that this one does not have.
                        continue
                    values[str(option.name)] = not taken if opposite else taken
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

    def _check_value(
        self, commands: list[click.Command], names: Table, key: str, value: Any
    ) -> None:
        """Raise unless some command takes the value."""
        errors = []
        for command in commands:
            if key not in (keys := _keys(command)):
                continue
            option, _ = keys[key]
            why = _REFUSED.get(str(option.name))
            if " ".join(names) in INDEXED and getattr(option, "panel", "") == "Recipe":
                why = "the index determines the recipe"
            if why:
                what = f"cannot be configured: {why}"
                raise SimdupError(self._found.place(names, key), what)
            try:
                self._converted(option, names, key, value)
            except SimdupError as error:
                errors.append(error)
            else:
                return
        raise errors[0]

    def _check_pairs(
        self, commands: list[click.Command], names: Table, table: dict[str, Any]
    ) -> None:
        """Raise if a table has an option twice, or two that exclude each other."""
        for command in commands:
            seen: dict[str | None, str] = {}
            for key, (option, _) in _keys(command).items():
                if key in table and option.name in seen:
                    self._raise_both(names, seen[option.name], key)
                if key in table:
                    seen[option.name] = key
        if table.get("quiet") is True and table.get("verbose") is True:
            self._raise_both(names, "quiet", "verbose")

    def _raise_both(self, names: Table, one: str, other: str) -> None:
        raise SimdupError(self._found.place(names), f"{one!r} and {other!r} exclude each other")

    def _converted(self, option: click.Option, names: Table, key: str, value: Any) -> Any:
        """Return a value as the option takes it; relative paths start from the file's folder."""
        expected = _expected(option, value)
        if expected:
            raise SimdupError(
                self._found.place(names, key), f"must be {expected}, not {_toml(value)}"
            )
        listed = value if isinstance(value, list) else [value]
        # Numbers as TOML has them, only where the option takes no text such as 5 or words:3.
        number = isinstance(option.type, click.types.IntParamType | click.types.FloatParamType)
        given = [one if number or isinstance(one, bool) else str(one) for one in listed]
        try:
            option.type_cast_value(self._ctx, given if option.multiple else given[0])
        except click.BadParameter as error:
            what, hint = invalid_value(error.message.rstrip("."), option.type)
            raise SimdupError(self._found.place(names, key), what, hint) from None
        except ValueError:  # a NUL
            what = "is not the name of a file"
            raise SimdupError(self._found.place(names, key), what) from None
        if isinstance(option.type, click.Path):
            words = ("-", *getattr(option, "words", ()))
            folder = self._found.folder
            given = [one if one in words else os.path.join(folder, one) for one in given]
        return given if option.multiple else given[0]


def _below(ctx: click.Context, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield the commands of a group by name."""
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            if (found := command.get_command(ctx, name)) is not None:
                yield name, found


def _leaves(ctx: click.Context, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield all commands below a group that are no groups."""
    for name, one in _below(ctx, command):
        if isinstance(one, click.Group):
            yield from _leaves(ctx, one)
        else:
            yield name, one


def _expected(option: click.Option, value: Any) -> str:
    """Return what an option expects, in TOML's words, if the value is of another type."""
    if option.is_flag:
        return "" if isinstance(value, bool) else "true or false"
    if option.multiple:
        listed = value if isinstance(value, list) else [value]
        return "" if all(isinstance(one, str) for one in listed) else "a string or a list of them"
    number = isinstance(value, int) and not isinstance(value, bool) and not _is_huge(value)
    if isinstance(option.type, click.types.IntParamType):
        return "" if number else "a whole number"
    if isinstance(option.type, click.types.FloatParamType):
        return "" if number or isinstance(value, float) else "a number"
    # Some texts are numbers, such as 5 for --shingle; they need no quotes.
    plain = number and not isinstance(option.type, click.Path)
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
