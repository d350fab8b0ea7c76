"""Run several generators at once; yield their chunks as they arrive, with few waiting.

NumPy releases the interpreter's lock while it sorts and computes, so threads are enough.

Results have a limit of memory, so that a request that is too large fails early.
"""

import os
import queue
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from simdup.base.errors import SimdupError
from simdup.search.arrays import U64


def free_memory() -> int:
    """Return the bytes of free memory if the system reports them, otherwise 4 GiB."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        # If only the total is known, assume that half of it is free.
        return int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES")) // 2
    except (AttributeError, ValueError, OSError):
        return 4 << 30


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
    if threads is not None:
        return max(int(threads), 1)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
