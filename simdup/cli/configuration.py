"""The file of options that a project keeps: found, checked, and made defaults of a command."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import click

from simdup.base.errors import SimdupError, did_you_mean
from simdup.base.regular_files import parsed_toml, read_named
from simdup.base.system import portable
from simdup.cli.options import COMMANDS, rows_of
from simdup.cli.row import ABOUT, INDEXED, RECIPE, Options, Row, Text
from simdup.cli.usage import invalid_value
from simdup.model.recipe import recipe_beside

OWN, SHARED = "simdup.toml", "pyproject.toml"

# Where a context has the path of the configuration that applies.
CONFIGURED = "simdup.configured"

_MOST = 1 << 20  # bytes

NONE = "none"
_IGNORE = "to ignore it, add --config none"


def configure(ctx: click.Context) -> dict[str, Any]:
    """Return what the configuration says for the command of a context, by parameter.

    The context must have parsed what was typed.  What was typed wins: what contradicts it is left
    out.

    Raises
    ------
    SimdupError
        If the file has an unknown key or an invalid value, for whatever command.
    """
    file = ctx.params["config"]
    if file == NONE:
        return {}
    found = _find() if file is None else _read(file, "")
    if found is None and file is not None:
        raise SimdupError(file, "has no table [tool.simdup]")
    if found is None:
        return {}
    ctx.meta[CONFIGURED] = found.path
    command = ctx.command_path.partition(" ")[2]
    # All tables are checked; the deepest that says something for the command wins.
    checked = sorted(_checked(found), key=lambda one: one[0])
    values = {row.parameter: value for _, row, value in checked if row.commands == command}
    rows = list(rows_of(command))

    def contradictions(configured: dict[str, Any]) -> int:
        options = Options(ctx, configured)
        return sum(len(list(row.broken(options))) for row in rows)

    for name in reversed([*values]):
        others = {key: value for key, value in values.items() if key != name}
        if contradictions(others) < contradictions(values):
            values = others
    return values


class Configuration(NamedTuple):
    """What a table of a configuration file says; the whole file is the outermost."""

    path: str  # as messages name it
    table: dict[str, Any]
    prefix: tuple[str, ...] = ()  # the tables around the outermost: those of pyproject.toml
    names: tuple[str, ...] = ()  # of the table, from the outermost

    def place(self, key: str = "") -> str:
        """Return where the table or a key is, for a message."""
        names = ".".join((*self.prefix, *self.names))
        return ": ".join(filter(None, [self.path, names and f"[{names}]", key]))


def _find() -> Configuration | None:
    """Return the nearest configuration, from the working folder upwards; None if there is none."""
    try:
        depth = portable(os.getcwd()).rstrip("/").count("/")
    except OSError:  # it was deleted
        return None
    for above in range(depth + 1):
        for name in (OWN, SHARED):
            path = os.path.join(*[os.pardir] * above, name)
            if os.path.isfile(path) and (found := _read(path, _IGNORE)) is not None:
                return found
    return None


def _read(path: str, hint: str) -> Configuration | None:
    """Return the configuration in a file; None for a pyproject.toml of other tools only."""
    content = read_named(path, hint, _MOST)
    shared = os.path.basename(path) == SHARED
    # Most projects have the file for other tools: it need not be parsed, nor be without mistakes.
    if shared and b"simdup" not in content:
        return None
    table = parsed_toml(path, content, hint)
    if not shared:
        return Configuration(path, table)
    tools = table.get("tool")
    own = tools.get("simdup") if isinstance(tools, dict) else None
    if own is None:
        return None
    if not isinstance(own, dict):
        raise SimdupError(path, "tool.simdup is not a table", hint)
    return Configuration(path, own, ("tool", "simdup"))


def _checked(file: Configuration) -> Iterator[tuple[int, Row, Any]]:
    """Yield what a table and those below it say: depth, row of a command, and value.

    Raise if a key is unknown or a value invalid.
    """
    depth, table = len(file.names), file.table
    commands = [one for one in COMMANDS if one.split()[:depth] == list(file.names)]
    below = {one.split()[depth] for one in commands if len(one.split()) > depth}
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in (row for one in commands for row in rows_of(one)):
        for key in row.keys:
            rows[key].append(row)
    for key, value in table.items():
        if key in below and isinstance(value, dict):
            yield from _checked(file._replace(table=value, names=(*file.names, key)))
        elif key in rows:
            yield from ((depth, row, taken) for row, taken in _taken(file, key, rows[key]))
        elif isinstance(value, dict):
            raise _no_such(file, key, below, "command")
        elif key == "version":
            raise SimdupError(file.place(key), f"cannot be configured: {ABOUT}")
        else:
            raise _no_such(file, key, rows, "option")
    pairs = [row.keys for key in table if key in rows for row in rows[key] if row.keys[1:]]
    if table.get("quiet") is True and table.get("verbose") is True:
        pairs.append(["quiet", "verbose"])
    for one, other in pairs:
        if one in table and other in table:
            raise SimdupError(file.place(), f"{one!r} and {other!r} exclude each other")


def _no_such(file: Configuration, key: str, known: Iterable[str], kind: str) -> SimdupError:
    if not file.names and key == "tool" and not file.prefix:
        hint = "only pyproject.toml has [tool.simdup]; here, a table is called [scan]"
    else:
        dashed = key.replace("_", "-")
        hint = did_you_mean(dashed, [dashed] if dashed in known else known)
        hint = hint or " ".join(["simdup", *(file.names or ["COMMAND"]), "--help"])
    return SimdupError(file.place(), f"no such {kind} {key!r}", hint)


def _taken(file: Configuration, key: str, rows: list[Row]) -> Iterator[tuple[Row, Any]]:
    """Yield the row of each command that takes a value, with what it takes; raise if none does.

    Some may not, such as those that do not have a format that others have.
    """
    errors = []
    for row in rows:
        # A table of all commands below `index` may say a recipe, for those that build one.
        indexed = row.panel == "Recipe" and row.commands in INDEXED
        indexed = indexed and row.commands == " ".join(file.names)
        if why := "the index determines the recipe" if indexed else row.typed:
            raise SimdupError(file.place(key), f"cannot be configured: {why}")
        try:
            taken = _converted(row, file, key)
        except SimdupError as error:
            errors.append(error)
        else:
            yield row, taken if key == row.keys[0] else not taken
    if len(errors) == len(rows):
        raise errors[0]


def _converted(row: Row, file: Configuration, key: str) -> Any:
    """Return a value as the option takes it; relative paths start from the file's folder."""
    place, value = file.place(key), file.table[key]
    kind = click.types.convert_type(bool if row.metavar is None else row.click_type)
    if expected := _expected(row, kind, value):
        raise SimdupError(place, f"must be {expected}, not {_toml(value)}")
    listed = value if isinstance(value, list) else [value]
    # Numbers as TOML has them, only where the option takes no text such as 5 or words:3.
    number = isinstance(kind, click.types.IntParamType | click.types.FloatParamType)
    values = [one if number or isinstance(one, bool) else str(one) for one in listed]
    try:
        for one in values:
            kind.convert(one, None, None)
    except click.BadParameter as error:
        raise SimdupError(place, *invalid_value(error, kind)) from None
    except ValueError:  # a NUL
        raise SimdupError(place, "is not the name of a file") from None
    if isinstance(kind, click.Path):
        words, folder = ("-", *row.words), os.path.dirname(file.path)
        values = [one if one in words else os.path.join(folder, one) for one in values]
    if kind is RECIPE:
        values = [recipe_beside(file.path, words) for words in values]
    if _is_listed(kind):
        return ",".join(values)
    return values if row.multiple else values[0]


def _expected(row: Row, kind: click.ParamType[Any], value: Any) -> str:
    """Return what an option expects, in TOML's words, if the value is of another type."""
    if row.metavar is None:
        return "" if isinstance(value, bool) else "true or false"
    if row.multiple or _is_listed(kind):
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


def _is_listed(kind: click.ParamType[Any]) -> bool:
    return isinstance(kind, Text) and kind.listed


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
