"""Arrays that are in files: their pages leave the memory when others need it."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np
from numpy.typing import DTypeLike, NDArray


def mapped(path: str, kind: DTypeLike, count: int) -> NDArray[np.generic]:
    """Return an array of so many values, in a new file where the system can reserve its room.

    Without room reserved, a full disk would end the process when a page is written.

    Raises
    ------
    OSError
        If there is no room.
    """
    size = count * np.dtype(kind).itemsize
    reserve = getattr(os, "posix_fallocate", None)
    if reserve is None or not size:
        return np.empty(count, kind)
    with open(path, "xb") as file:
        reserve(file.fileno(), 0, size)
    return np.memmap(path, kind, "r+", shape=(count,)).view(np.ndarray)


def concat_mapped(path: str, parts: Iterable[NDArray[np.uint64]], count: int) -> NDArray[np.uint64]:
    """Return the values of all parts, `count` of them, in a new file; see `mapped`."""
    values = mapped(path, np.uint64, count).view(np.uint64)
    done = 0
    for part in parts:
        values[done : done + len(part)] = part
        done += len(part)
    return values
