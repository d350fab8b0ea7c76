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
import resource
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

# As in `injecting.c`, in this order; "any" counts all of them.
KINDS = ("open", "write", "sync", "name", "unlink", "folder", "close", "truncate", "memory",
         "process", "read", "any")  # fmt: skip
PLACES = ("everywhere", "main", "workers")


@dataclass(frozen=True)
class Fault:
    """What happens to a command, and when.

    Attributes
    ----------
    kind : str
        One of `KINDS`; from Python also ``room``: files of at most `number` bytes can be written.
    number : int
        Which call of this kind it happens to, from 1; 0 only counts.
    error : str
        The name of the error; ``""`` lets the call succeed.
    signal : str
        The name of a signal that is sent before the call.
    pause : int
        Milliseconds for which the process sleeps before the call.
    lasting : bool
        Whether all later calls of this kind fail too, as on a full disk.
    where : str
        One of `PLACES`: which processes are counted.
    below : bool
        Whether it happens below Python.
    within : str
        If set, only files below this folder count: not those of simdup and of Python.
    change : str
        One of `CHANGES`, from Python: what happens to a file when it is opened.
    path : str
        The file that is changed; it counts how often it, or a copy of it, is opened.
    """

    kind: str
    number: int
    error: str = ""
    signal: str = ""
    pause: int = 0
    lasting: bool = False
    where: str = "everywhere"
    below: bool = True
    within: str = ""
    change: str = ""
    path: str = ""

    def __str__(self) -> str:
        acts = (self.error, self.signal, "lasting" * self.lasting, "a pause" * bool(self.pause))
        way = "" if self.below else " in Python"
        where = "" if self.where == "everywhere" else f" in {self.where}"
        what = self.change or ", ".join(filter(None, acts))
        return f"{what} at {self.kind} {self.number}{where}{way}"


class _Plan(ctypes.Structure):
    _fields_ = [
        *(
            (name, ctypes.c_int)
            for name in ("kind", "error", "signal", "pause", "lasting", "where")
        ),
        *((name, ctypes.c_long) for name in ("at", "count")),
        ("counts", ctypes.c_long * (len(KINDS) - 1)),
        ("main", ctypes.c_int),
        ("reached", ctypes.c_int),
        ("within", ctypes.c_char * 512),
        ("path", ctypes.c_char * 512),
    ]


class Below:
    """The library in C; what it knows is shared with the processes that are forked later."""

    def __init__(self) -> None:
        library: Any = ctypes.CDLL(None)
        library.fault_plan.restype = ctypes.POINTER(_Plan)
        self._plan: Any = library.fault_plan().contents
        self._arm = library.fault_arm

    def prepare(self, fault: Fault) -> None:
        """Say what is to happen, before the process is forked."""
        ctypes.memset(ctypes.byref(self._plan), 0, ctypes.sizeof(self._plan))
        self._plan.kind = KINDS.index(fault.kind)
        self._plan.error = getattr(errno, fault.error) if fault.error else 0
        self._plan.signal = getattr(signal, fault.signal) if fault.signal else 0
        self._plan.pause = fault.pause
        self._plan.lasting, self._plan.at = fault.lasting, fault.number
        self._plan.where = PLACES.index(fault.where)
        self._plan.within = os.fsencode(fault.within)

    def arm(self) -> None:
        """Begin to count, in the forked process."""
        self._arm()

    def seen(self) -> dict[str, Any]:
        """Return whether it happened, at which path, and how many calls there were."""
        return {
            "reached": bool(self._plan.reached),
            "path": self._plan.path.decode("utf-8", "replace"),
            "counts": dict(zip(KINDS, self._plan.counts, strict=False)),
            "counted": self._plan.count,
        }


def _path(descriptor: int) -> str:
    """Return the path of an open file where the system tells it."""
    with suppress(OSError):
        return os.readlink(f"/proc/self/fd/{descriptor}")
    return ""


# The audit events that concern files, and the kind of each.
_EVENTS = {
    "open": "open", "os.listdir": "open", "os.scandir": "open", "os.rename": "name",
    "os.link": "name", "os.symlink": "name", "os.remove": "unlink", "os.rmdir": "unlink",
    "os.mkdir": "folder", "os.truncate": "truncate", "mmap.__new__": "memory",
    "os.fork": "process",
}  # fmt: skip
_STATE = struct.Struct("qq512s")


def _grow(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"and so on\n" * 100_000)


def _replace(path: str) -> None:
    with open(path + ".new", "wb") as file:
        file.write(b"something else\n" * 50)
    os.replace(path + ".new", path)


def _become(make: Callable[[str], None]) -> Callable[[str], None]:
    def become(path: str) -> None:
        os.unlink(path)
        make(path)

    return become


# What may happen to a file while it is read.
CHANGES: dict[str, Callable[[str], None]] = {
    "vanishes": os.unlink,
    "grows": _grow,
    "shrinks": lambda path: os.truncate(path, os.stat(path).st_size // 3),
    "becomes empty": lambda path: os.truncate(path, 0),
    "is replaced": _replace,
    "becomes a folder": _become(os.mkdir),
    "becomes a pipe": _become(os.mkfifo),
    "becomes unreadable": lambda path: os.chmod(path, 0),
}


class InPython:
    """Audit events, the two calls that have none, and a limit on the size of files."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _STATE.size)
        self._fault = Fault("any", 0)
        self._path = ""
        self._changing = False

    def prepare(self, fault: Fault) -> None:
        """Say what is to happen, before the process is forked."""
        self._fault = fault
        self._shared[:] = bytes(_STATE.size)

    def arm(self) -> None:
        """Begin to count, in the forked process, which cannot be disarmed."""
        self._path = os.path.abspath(self._fault.path)
        if self._fault.kind == "room":
            resource.setrlimit(resource.RLIMIT_FSIZE, (self._fault.number, resource.RLIM_INFINITY))
        sys.addaudithook(self._hear)
        for name, kind in (("fsync", "sync"), ("write", "write"), ("ftruncate", "truncate")):
            setattr(os, name, self._wrapped(getattr(os, name), kind))

    def _hear(self, event: str, values: tuple[Any, ...]) -> None:
        path = values[0] if values else ""
        if event not in _EVENTS or self._changing:
            return
        if self._fault.change:
            # Without a mode it is `os.open`, which `open` may have called.
            name = os.path.basename(self._path)
            if event != "open" or values[1] is None or os.path.basename(str(path)) != name:
                return
        self._count(_EVENTS[event], path)

    def _wrapped(self, call: Any, kind: str) -> Any:
        def counted(descriptor: int, *values: Any) -> Any:
            self._count(kind, _path(descriptor))
            return call(descriptor, *values)

        return counted

    def _count(self, kind: str, path: object) -> None:
        fault = self._fault
        if kind != fault.kind:
            return
        count, reached, text = _STATE.unpack(self._shared)
        count += 1
        if count == fault.number:
            reached, text = 1, os.fsencode(str(path))[:500]
        _STATE.pack_into(self._shared, 0, count, reached, text)
        if fault.change:
            if count == fault.number:
                self._changing = True
                CHANGES[fault.change](self._path)
                self._changing = False
        elif count == fault.number or (fault.lasting and reached):
            number = getattr(errno, fault.error)
            raise OSError(number, os.strerror(number))

    def seen(self) -> dict[str, Any]:
        """Return whether it happened, at which path, and how many calls there were."""
        count, reached, path = _STATE.unpack(self._shared)
        return {
            "reached": bool(reached),
            "path": path.rstrip(b"\0").decode("utf-8", "replace"),
            "counts": {self._fault.kind: count},
            "counted": count,
        }
