"""Sort more values than fit in memory: write sorted runs to files, then merge them.

Runs do not depend on the distribution of values. Files by range of values would: if all pairs begin
with the same row, they are one range.

References
----------
D. E. Knuth, "The art of computer programming", volume 3, section 5.4.1.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import numpy as np

from simdup.search.arrays import U64

# Values in a yielded chunk.
_CHUNK = 1 << 16
# The fewest values read from a run at a time.
_WINDOW = 1 << 10


@contextmanager
def sort_chunks(
    chunks: Iterable[U64], room: int, folder: Callable[[], AbstractContextManager[str]]
) -> Iterator[Iterator[U64]]:
    """Sort the values of chunks, and yield an iterator over them, in chunks.

    Parameters
    ----------
    chunks : iterable of uint64[m]
        All of them are read before the iterator is yielded.
    room : int
        The most values in memory: 8 bytes each, allocated as they arrive.
    folder : callable
        Makes a folder for the files if necessary, and removes it at the end.
    """
    # One buffer: with many small chunks the allocator would keep several times their size.
    held = np.empty(room, np.uint64)
    runs: list[str] = []
    with ExitStack() as stack:
        place, size = "", 0
        for chunk in chunks:
            while len(chunk):
                taken = chunk[: room - size]
                held[size : size + len(taken)] = taken
                chunk, size = chunk[len(taken) :], size + len(taken)
                if size == room:
                    place = place or stack.enter_context(folder())
                    runs.append(_write(held, os.path.join(place, f"run-{len(runs)}")))
                    size = 0
        last = held[:size]
        if not runs:
            last.sort()
            yield _cut(last)
            return
        if size:
            runs.append(_write(last, os.path.join(place, f"run-{len(runs)}")))
        del held, last
        yield _merge(runs, max(room // (2 * len(runs)), _WINDOW))


def _cut(values: U64) -> Iterator[U64]:
    return (values[low : low + _CHUNK] for low in range(0, len(values), _CHUNK))


def _write(values: U64, path: str) -> str:
    """Sort values, write them to a file, and return its path."""
    values.sort()
    with open(path, "xb") as file:
        file.write(values.data)
    return path


def _read(path: str, window: int) -> Iterator[U64]:
    """Yield the values of a file, one window at a time."""
    start = 0
    while len(values := np.fromfile(path, np.uint64, window, offset=start)):
        yield values
        start += values.nbytes


def _merge(runs: list[str], window: int) -> Iterator[U64]:
    """Yield the values of sorted files, in order, in chunks."""
    files = [_read(path, window) for path in runs]
    heads = [next(file) for file in files]
    while files:
        # The rest of a file is not below the last value read from it.
        bound = min(head[-1] for head in heads)
        cuts = [int(np.searchsorted(head, bound, "right")) for head in heads]
        chunk = np.concatenate([head[:cut] for head, cut in zip(heads, cuts, strict=True)])
        chunk.sort()
        yield from _cut(chunk)
        left = [(head[cut:], file) for head, cut, file in zip(heads, cuts, files, strict=True)]
        refilled = [(head if len(head) else next(file, head), file) for head, file in left]
        files = [file for head, file in refilled if len(head)]
        heads = [head for head, _ in refilled if len(head)]
