"""Run several generators at once; yield their chunks as they arrive, with few waiting.

NumPy releases the interpreter's lock while it sorts and computes, so threads are enough.

Results have a limit of memory, so that a request that is too large fails early.

More values than fit in memory are sorted in *runs*, which are written to files and then merged.
Runs do not depend on the distribution of values.  Files by range of values would: if all pairs
begin with the same row, they are one range.

References
----------
D. E. Knuth, "The art of computer programming", volume 3, section 5.4.1.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TypeVar

import numpy as np

from simdup.base.errors import SimdupError
from simdup.base.system import cores
from simdup.search.arrays import U64


def too_many(pairs: int, copies: str) -> SimdupError:
    """Return the error for at least `pairs` pairs."""
    hint = "`iter_pairs` yields them in chunks; a smaller `distance` finds fewer; raise `memory`"
    if copies == "all":
        hint = "set `copies` to first to pair each duplicate with the first only; " + hint
    return SimdupError("pairs", f"{pairs:,} or more pairs do not fit in memory", hint)


Chunk = TypeVar("Chunk")
# Below a million values, partitioning costs more than it saves. One thread and two: 10**5 0.80 and
# 1.30 ms, 3 * 10**5 2.98 and 3.40 ms, 10**6 10.7 and 10.2 ms (the second core was half busy).
MIN_PARALLEL_SORT = 1 << 20


def count_threads(threads: int | None) -> int:
    """Return `threads` or, if None, one for each core that this process may use."""
    return cores() if threads is None else max(int(threads), 1)


def sort(values: U64, threads: int) -> None:
    """Sort an array in place.

    It is first partitioned into as many parts as threads, which takes a tenth of the sorting time;
    then the parts are sorted in parallel.
    """
    if threads == 1 or len(values) < MIN_PARALLEL_SORT:
        values.sort()
        return
    edges = [len(values) * part // threads for part in range(1, threads)]
    values.partition(edges)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(np.ndarray.sort, np.split(values, edges)))


def interleave(sources: Iterable[Iterator[Chunk]], threads: int) -> Iterator[Chunk]:
    """Run generators, at most `threads` at a time, and yield all their chunks in any order.

    At most two chunks per thread wait to be consumed; then the generators block. An exception in
    one of them is raised here. When one fails, or the consumer stops early, the others stop too.
    """
    if threads == 1:
        for source in sources:
            yield from source
        return
    ready: queue.Queue[Chunk | None] = queue.Queue(maxsize=2 * threads)
    stopped = threading.Event()

    def run(source: Iterator[Chunk]) -> None:
        try:
            for chunk in source:
                if stopped.is_set():
                    return
                ready.put(chunk)
        except BaseException:
            stopped.set()
            raise
        finally:
            ready.put(None)

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(run, source) for source in sources]
        left = len(running)
        try:
            while left:
                chunk = ready.get()
                if chunk is None:
                    left -= 1
                else:
                    yield chunk
        finally:
            stopped.set()
            while left:
                left -= ready.get() is None
        for future in running:
            future.result()


# Values in a yielded chunk.
_SORTED = 1 << 16
# The fewest values read from a run at a time.
_FEWEST_READ = 1 << 10


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
        yield _merge(runs, max(room // (2 * len(runs)), _FEWEST_READ))


def _cut(values: U64) -> Iterator[U64]:
    return (values[low : low + _SORTED] for low in range(0, len(values), _SORTED))


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
