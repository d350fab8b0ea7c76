"""Files that change while they are read: at the moment when simdup opens them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any


def _vanish(path: str) -> None:
    os.unlink(path)


def _grow(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"and so on\n" * 100_000)


def _shrink(path: str) -> None:
    os.truncate(path, os.stat(path).st_size // 3)


def _empty(path: str) -> None:
    os.truncate(path, 0)


def _replace(path: str) -> None:
    with open(path + ".new", "wb") as file:
        file.write(b"something else\n" * 50)
    os.replace(path + ".new", path)


def _become_a_folder(path: str) -> None:
    os.unlink(path)
    os.mkdir(path)


def _become_a_pipe(path: str) -> None:
    os.unlink(path)
    os.mkfifo(path)


def _lock(path: str) -> None:
    os.chmod(path, 0)


# Tells that a file was changed.
MARKER = "changed"
CHANGES: dict[str, Callable[[str], None]] = {
    "vanishes": _vanish,
    "grows": _grow,
    "shrinks": _shrink,
    "becomes empty": _empty,
    "is replaced": _replace,
    "becomes a folder": _become_a_folder,
    "becomes a pipe": _become_a_pipe,
    "becomes unreadable": _lock,
}


def watch(path: str, change: str) -> None:
    """Change a file the n-th time that it, or a copy of it, is opened: ``shrinks 2``.

    Afterwards there is a file `MARKER` in the working folder.
    """
    what, _, number = change.rpartition(" ")
    name, path, marker = os.path.basename(path), os.path.abspath(path), os.path.abspath(MARKER)
    left = int(number)
    busy = False

    def hook(event: str, values: tuple[Any, ...]) -> None:
        nonlocal left, busy
        # Without a mode it is `os.open`, which `open` may have called.
        if event != "open" or busy or values[1] is None:
            return
        if os.path.basename(str(values[0])) != name:
            return
        left -= 1
        if not left:
            busy = True
            CHANGES[what](path)
            open(marker, "x").close()
            busy = False

    sys.addaudithook(hook)
