"""Send a signal to this process at one of its calls, let it sleep there, or change what it opens.

Audit events tell of the calls that concern files.  Some have none: three of `os`, and the
statements that SQLite is given.
"""

from __future__ import annotations

import mmap
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Fault:
    """What happens to a command, and when."""

    number: int  # at which call, from 1; 0 only counts
    signal: str = ""  # its name; sent before the call
    pause: int = 0  # milliseconds for which the process sleeps before the call
    workers: bool = False  # whether the calls of workers are counted, instead of its own
    within: str = ""  # only calls that concern this folder count
    change: str = ""  # one of `CHANGES`: what happens to `path`, whose openings alone count
    path: str = ""

    def __str__(self) -> str:
        who = " of a worker" if self.workers else ""
        return f"{self.change or self.signal or 'a pause'} at call {self.number}{who}"


# The audit events that concern files.
_EVENTS = {
    "open", "os.listdir", "os.scandir", "os.rename", "os.link", "os.symlink", "os.remove",
    "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "fcntl.flock", "sqlite3.connect",
}  # fmt: skip


def _grow(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"and so on\n" * 100_000)


def _replace(path: str) -> None:
    Path(path + ".new").write_bytes(b"something else\n" * 50)
    os.replace(path + ".new", path)


# What may happen to a file while it is read.
CHANGES: dict[str, Callable[[str], object]] = {
    "vanishes": os.unlink,
    "grows": _grow,
    "shrinks": lambda path: os.truncate(path, os.stat(path).st_size // 3),
    "becomes empty": lambda path: os.truncate(path, 0),
    "is replaced": _replace,
    "becomes a folder": lambda path: (os.unlink(path), os.mkdir(path)),
    "becomes a pipe": lambda path: (os.unlink(path), os.mkfifo(path)),
    "becomes unreadable": lambda path: os.chmod(path, 0),
}


class Striker:
    """Makes a fault happen; what it counts is shared with processes that are forked later."""

    def __init__(self) -> None:
        # How many calls there were, and whether it happened.
        self._shared = memoryview(mmap.mmap(-1, 16)).cast("q")

    @property
    def counted(self) -> int:
        """The calls that were counted."""
        return self._shared[0]

    @property
    def reached(self) -> bool:
        """Whether the fault happened."""
        return bool(self._shared[1])

    def prepare(self, fault: Fault) -> None:
        """Note what is to happen, before the process is forked."""
        self._fault = fault
        self._shared[0] = self._shared[1] = 0

    def arm(self) -> None:
        """Begin to count, in the forked process, which cannot be disarmed."""
        self._main, self._path = os.getpid(), os.path.abspath(self._fault.path)
        sys.addaudithook(self._hear)
        if self._fault.change:
            return
        for name in ("fsync", "write", "ftruncate"):
            setattr(os, name, self._counted(getattr(os, name)))
        # The type of mypy for a factory knows no class within a function.
        sqlite3.connect = partial(  # type: ignore[assignment]
            sqlite3.connect, factory=_database(self._strike)
        )

    def _hear(self, event: str, values: tuple[Any, ...]) -> None:
        if event not in _EVENTS:
            return
        if not self._fault.change:
            self._meet(values[0])
        # Without a mode it is `os.open`, which `open` may have called.
        elif event == "open" and values[1] is not None and self._is_named(values[0]):
            self._strike()

    def _is_named(self, path: object) -> bool:
        """Return whether it is the file that changes, or a copy of it."""
        return os.path.basename(str(path)) == os.path.basename(self._path)

    def _counted(self, call: Any) -> Any:
        def counted(descriptor: int, *values: Any) -> Any:
            self._meet(descriptor)
            return call(descriptor, *values)

        return counted

    def _meet(self, path: Any) -> None:
        """Count a call that concerns a path or a descriptor, if it is one of the folder."""
        if isinstance(path, int):
            place = ""
            with suppress(OSError):
                place = os.readlink(f"/proc/self/fd/{path}")
        else:
            # Commands run in the folder itself, so that relative paths are below it.
            place = os.path.abspath(os.fsdecode(path or os.curdir))
        if f"{place}{os.sep}".startswith(self._fault.within):
            self._strike()

    def _strike(self) -> None:
        fault = self._fault
        if fault.workers == (os.getpid() == self._main):
            return
        self._shared[0] += 1
        # Of calls that two workers count at the same time, one may be lost.
        if self.reached or not 0 < fault.number <= self.counted:
            return
        self._shared[1] = 1
        if fault.change:
            CHANGES[fault.change](self._path)
        time.sleep(fault.pause / 1000)
        if fault.signal:
            os.kill(os.getpid(), getattr(signal, fault.signal))


def _database(strike: Callable[[], None]) -> type[sqlite3.Connection]:
    """Return a connection that strikes before each statement."""

    class Database(sqlite3.Connection):
        def execute(self, *values: Any) -> sqlite3.Cursor:
            strike()
            return super().execute(*values)

    return Database
