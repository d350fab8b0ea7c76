"""The one exception for errors that a user can act on."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from simdup.base.system import parents, portable

# System errors that mean the disk, or the file, is full.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

# Messages of threads and imports that run out of memory.
_OUT_OF_MEMORY = ("can't start new thread", "failed to map segment")

# The hint beside a file of a format that this version does not know yet.
NEWER = "a newer simdup made it: update simdup"

# A pipe or a device: reading it could wait forever.
NOT_REGULAR = "not a regular file"


class SimdupError(ValueError):
    """An error that one line can explain.

    Parameters
    ----------
    where : str
        The file, argument or line at fault.
    what : str
        What is wrong with it.
    hint : str, optional
        The next step, if there is one.
    field : str, optional
        The name of the argument at fault, such as ``distance``; `where` is then the same name,
        unless a more specific place is known.
    """

    def __init__(self, where: str, what: str, hint: str = "", field: str = "") -> None:
        super().__init__(where, what, hint)
        self.where = where
        self.what = what
        self.hint = hint
        self.field = field
        if hint:
            # Where Python prints a traceback, it prints the notes as well.
            self.add_note(f"hint: {hint}")

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the field when the error comes from another process."""
        return type(self), (self.where, self.what, self.hint, self.field)


def counted(number: int, noun: str) -> str:
    """Return a number of things: ``1 pair``, ``2 pairs``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


# Two names are near if this share of their characters is the same: ``dedup`` is near ``dedupe``,
# and ``--help`` is not near ``--check``.
_NEAR = 0.7


def did_you_mean(word: str, known: Iterable[str], folder: str = "") -> str:
    """Return a hint that names what is nearly the same, in a folder; empty if nothing is."""
    from difflib import get_close_matches

    plain = {one.lstrip("-"): os.path.join(folder, one) for one in known}
    near = get_close_matches(word.lstrip("-"), plain, cutoff=_NEAR)
    return f"did you mean {' or '.join(repr(plain[one]) for one in near)}?" if near else ""


def invalid(field: str, value: object, expected: str) -> SimdupError:
    """Return the error for an argument with an invalid value."""
    from difflib import get_close_matches

    near = get_close_matches(str(value), re.findall(r"[a-z0-9]{3,}", expected), 1)
    hint = f"did you mean {near[0]!r}?" if near and near[0] not in str(value) else ""
    return SimdupError(field, f"invalid value {value!r} (expected {expected})", hint, field)


# Kinds of values, for `check_type`.
WHOLE, NUMBER, TEXT = (Integral, "a whole number"), (Real, "a number"), (str, "a string")


def check_type(field: str, value: object, kind: tuple[Any, str], unset: object = ()) -> None:
    """Raise for an argument whose value is of another kind, unless it is `unset`.

    Raises
    ------
    TypeError
        If the value is of another type.
    """
    if not isinstance(value, kind[0]) and value is not unset:
        raise TypeError(f"{field}: expected {kind[1]}, got {type(value).__name__}")


def as_strings(field: str, values: str | Iterable[str], expected: str) -> tuple[str, ...]:
    """Return one string, or several, as a tuple.

    Raises
    ------
    TypeError
        If a value is none.
    """
    check_type(field, values, (Iterable, expected))
    strings = (values,) if isinstance(values, str) else tuple(values)
    for string in strings:
        check_type(field, string, (str, expected))
    return strings


# No path is longer on any system, and the time to read a pattern grows with its square.
LONGEST_PATTERN = 4096


def check_patterns(field: str, patterns: Iterable[str]) -> None:
    """Raise for a pattern of paths that is longer than any path.

    Raises
    ------
    SimdupError
        If one has more than `LONGEST_PATTERN` characters.
    """
    for one in patterns:
        if len(one) > LONGEST_PATTERN:
            what = f"{one!r:.40}... has more than {LONGEST_PATTERN:,} characters"
            raise SimdupError(field, what, field=field)


def check_names(given: Iterable[str], known: Iterable[str]) -> None:
    """Raise for the first keyword that is unknown.

    Raises
    ------
    TypeError
        Names it, and one that is like it.
    """
    from difflib import get_close_matches

    names = list(known)
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"unexpected keyword argument {name!r}{hint}")


def reason(error: OSError, otherwise: str = "cannot be read") -> str:
    """Return a short lower-case reason for a system error."""
    return (error.strerror or otherwise).lower().replace("directory", "folder")


def unreadable(path: str, error: OSError, hint: str = "") -> SimdupError:
    """Return the error for a file that cannot be read."""
    return SimdupError(path or "''", reason(error), hint)


def unwritable(path: str, error: OSError) -> SimdupError:
    """Return the error for a file that cannot be written; it may name the folder at fault."""
    above = parents(portable(path).rstrip("/"))
    if error.errno == errno.ENOENT and not os.path.isdir(above[0]):
        return SimdupError(above[0], "no such folder")
    parent = next(filter(os.path.lexists, above), above[-1])
    if error.errno in (errno.EACCES, errno.EPERM):
        for folder in (path, parent):
            if os.path.isdir(folder) and not os.access(folder, os.W_OK):
                return SimdupError(folder, "no permission to write in this folder")
    return SimdupError(path, reason(error, "cannot be written"))


def explained(error: Exception) -> SimdupError | None:
    """Return an error in words, but None for a fault of the program.

    What the system refuses is no such fault, whatever it was asked for.
    """
    if isinstance(error, SimdupError):
        return error
    out_of_memory = any(words in str(error) for words in _OUT_OF_MEMORY)
    number = getattr(error, "errno", None)
    if out_of_memory or isinstance(error, MemoryError) or number == errno.ENOMEM:
        return SimdupError("memory", "not enough memory", "try fewer documents or `jobs` 1")
    if not isinstance(error, OSError):
        return None
    if number in (errno.EMFILE, errno.ENFILE):
        return SimdupError("files", "too many are open", "raise the limit (ulimit -n)")
    if "No usable temporary directory" in str(error):
        hint = "set TMPDIR to a folder that can be written, on a disk with room"
        return SimdupError("temporary files", "no folder for them can be written", hint)
    try:
        os.getcwd()
    except OSError:
        return SimdupError(".", "the working folder was removed", "change to another folder")
    where = error.filename or ("writing" if number in NO_ROOM else "system")
    return SimdupError(os.fsdecode(where), reason(error, str(error)))
