"""Make one call of this process fail, send a signal there, or change the file that it opens.

From Python, audit events tell of most calls that concern files, and an event that raises makes its
call fail; this needs nothing.  Below, `injecting.c` stands between the process and the C library,
so that it also reaches what SQLite does; this needs a C compiler and LD_PRELOAD.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# As in `injecting.c`, in this order; "any" counts all of them.
KINDS = ("open", "write", "sync", "name", "unlink", "folder", "close", "truncate", "memory",
         "process", "read", "any")  # fmt: skip
PLACES = ("everywhere", "main", "workers")


@dataclass(frozen=True)
class Fault:
    """What happens to a command, and when."""

    kind: str  # one of `KINDS`
    number: int  # which call of this kind it happens to, from 1; 0 only counts
    error: str = ""  # its name; without one the call succeeds
    signal: str = ""  # its name; sent before the call
    pause: int = 0  # milliseconds for which the process sleeps before the call
    lasting: bool = False  # all later calls of this kind fail too, as on a full disk
    where: str = "everywhere"  # one of `PLACES`: which processes are counted
    below: bool = True  # whether it happens below Python
    within: str = ""  # only files below this folder count: not those of simdup and of Python
    change: str = ""  # one of `CHANGES`, from Python: what happens to `path` when it is opened,
    path: str = ""  # or a copy of it

    def __str__(self) -> str:
        acts = (self.change, self.error, self.signal, "lasting" * self.lasting)
        what = ", ".join(filter(None, acts)) or "a pause"
        way = "" if self.below else " in Python"
        return f"{what} at {self.kind} {self.number} {self.where}{way}"


class _Plan(ctypes.Structure):
    """What is to happen and what has happened, as `injecting.c` has it."""

    _fields_ = [
        *((n, ctypes.c_int) for n in ("kind", "error", "signal", "pause", "lasting", "where")),
        *((name, ctypes.c_long) for name in ("at", "count")),
        ("counts", ctypes.c_long * (len(KINDS) - 1)),
        ("main", ctypes.c_int),
        ("reached", ctypes.c_int),
        ("within", ctypes.c_char * 512),
        ("path", ctypes.c_char * 512),
    ]


class _Way:
    """How a fault is made to happen; its plan is shared with processes that are forked later."""

    plan: Any

    def prepare(self, fault: Fault) -> None:
        """Write the plan, before the process is forked."""
        self.fault = fault
        ctypes.memset(ctypes.byref(self.plan), 0, ctypes.sizeof(self.plan))
        self.plan.kind = KINDS.index(fault.kind)
        self.plan.error = getattr(errno, fault.error, 0)
        self.plan.signal = getattr(signal, fault.signal or "", 0)
        self.plan.pause, self.plan.lasting, self.plan.at = fault.pause, fault.lasting, fault.number
        self.plan.where = PLACES.index(fault.where)
        self.plan.within = os.fsencode(fault.within)

    def seen(self) -> dict[str, Any]:
        """Return whether it happened, at which path, and how many calls there were."""
        return {
            "reached": bool(self.plan.reached),
            "path": self.plan.path.decode("utf-8", "replace"),
            "counts": dict(zip(KINDS, self.plan.counts, strict=False)),
            "counted": self.plan.count,
        }


class Below(_Way):
    """The library in C."""

    def __init__(self) -> None:
        library: Any = ctypes.CDLL(None)
        library.fault_plan.restype = ctypes.POINTER(_Plan)
        self.plan = library.fault_plan().contents
        self.arm = library.fault_arm  # begins to count, in the forked process


# The audit events that concern files, and the kind of each.
_EVENTS = {
    "open": "open", "os.listdir": "open", "os.scandir": "open", "os.rename": "name",
    "os.link": "name", "os.symlink": "name", "os.remove": "unlink", "os.rmdir": "unlink",
    "os.mkdir": "folder", "os.truncate": "truncate", "mmap.__new__": "memory",
    "os.fork": "process",
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


class InPython(_Way):
    """Audit events, and the three calls that have none."""

    def __init__(self) -> None:
        self.plan = _Plan.from_buffer(mmap.mmap(-1, ctypes.sizeof(_Plan)))
        self._path = ""
        self._changing = False

    def arm(self) -> None:
        """Begin to count, in the forked process, which cannot be disarmed."""
        self._path = os.path.abspath(self.fault.path)
        sys.addaudithook(self._hear)
        for name, kind in (("fsync", "sync"), ("write", "write"), ("ftruncate", "truncate")):
            setattr(os, name, self._wrapped(getattr(os, name), kind))

    def _hear(self, event: str, values: tuple[Any, ...]) -> None:
        path = values[0] if values else ""
        if event not in _EVENTS or self._changing:
            return
        if self.fault.change:
            # Without a mode it is `os.open`, which `open` may have called.
            name = os.path.basename(self._path)
            if event != "open" or values[1] is None or os.path.basename(str(path)) != name:
                return
        self._count(_EVENTS[event], path)

    def _wrapped(self, call: Any, kind: str) -> Any:
        def counted(descriptor: int, *values: Any) -> Any:
            path = ""
            with suppress(OSError):
                path = os.readlink(f"/proc/self/fd/{descriptor}")
            self._count(kind, path)
            return call(descriptor, *values)

        return counted

    def _count(self, kind: str, path: object) -> None:
        fault, plan = self.fault, self.plan
        if kind != fault.kind:
            return
        plan.count += 1
        if plan.count == fault.number:
            plan.reached, plan.path = 1, os.fsencode(str(path))[:500]
            if fault.change:
                self._changing = True
                CHANGES[fault.change](self._path)
                self._changing = False
        if fault.error and (plan.count == fault.number or (fault.lasting and plan.reached)):
            raise OSError(plan.error, os.strerror(plan.error))
