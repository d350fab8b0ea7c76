"""The file of options that a project keeps: where it is found, and what it holds."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from simdup.corpus.opening import read_named
from simdup.errors import SimdupError

OWN, SHARED = "simdup.toml", "pyproject.toml"

_MOST = 1 << 20  # bytes
# The time to parse a key grows with the square of its dots.
_MOST_DOTS = 1000

_ISOLATED = "to ignore it, add --isolated"


class Configuration(NamedTuple):
    """What a configuration file says, as its tables have it."""

    path: str  # as messages name it
    table: dict[str, Any]
    prefix: tuple[str, ...] = ()  # the tables around it: those of pyproject.toml

    @property
    def folder(self) -> str:
        """What its relative paths start from; empty for the working folder."""
        return os.path.dirname(self.path)

    def place(self, table: tuple[str, ...] = (), key: str = "") -> str:
        """Return where a table or key is, for a message."""
        names = ".".join((*self.prefix, *table))
        return ": ".join(filter(None, [self.path, names and f"[{names}]", key]))


def find() -> Configuration | None:
    """Return the nearest configuration, from the working folder upwards; None if there is none.

    Raises
    ------
    SimdupError
        If the nearest file cannot be read.
    """
    try:
        folder = os.getcwd()
    except OSError:  # it was deleted
        return None
    above = ""
    while True:
        for name in (OWN, SHARED):
            path = os.path.join(above, name)
            if os.path.isfile(path) and (found := _read(path, _ISOLATED)) is not None:
                return found
        if folder == os.path.dirname(folder):
            return None
        folder, above = os.path.dirname(folder), os.path.join(above, os.pardir)


def read(path: str) -> Configuration:
    """Return the configuration in a file that is named.

    Raises
    ------
    SimdupError
        If the file cannot be read, is no TOML, or is a pyproject.toml without our table.
    """
    found = _read(path, "")
    if found is None:
        raise SimdupError(path, "has no table [tool.simdup]")
    return found


def _read(path: str, hint: str) -> Configuration | None:
    """Return the configuration in a file; None for a pyproject.toml of other tools only."""
    content = read_named(path, hint, _MOST)
    shared = os.path.basename(path) == SHARED
    # Most projects have the file for other tools: it need not be parsed, nor be without mistakes.
    if shared and b"simdup" not in content:
        return None
    table = _parsed(path, content, hint)
    if not shared:
        return Configuration(path, table)
    tools = table.get("tool")
    own = tools.get("simdup") if isinstance(tools, dict) else None
    if own is None:
        return None
    if not isinstance(own, dict):
        raise SimdupError(path, "tool.simdup is not a table", hint)
    return Configuration(path, own, ("tool", "simdup"))


def _parsed(path: str, content: bytes, hint: str) -> dict[str, Any]:
    import tomllib

    nested = SimdupError(path, "is not valid TOML: nested too deeply", hint)
    if any(line.count(b".") > _MOST_DOTS for line in content.split(b"\n")):
        raise nested
    try:
        # Some editors begin a file with a byte order mark.
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise SimdupError(path, "is not UTF-8", hint) from None
    except tomllib.TOMLDecodeError as error:
        raise SimdupError(path, f"is not valid TOML: {_lower(str(error))}", hint) from None
    except ValueError:  # Python converts no more than 4,300 digits
        raise SimdupError(path, "is not valid TOML: a number has too many digits", hint) from None
    except RecursionError:
        raise nested from None


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
