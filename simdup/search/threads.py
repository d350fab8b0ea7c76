"""Several generators at once: their blocks as they come, and never many waiting.

NumPy gives up the interpreter's lock while it sorts and computes, so threads suffice.
"""

import os
import queue
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from simdup.search.arrays import U64

Block = TypeVar("Block")
# Below a million values the parting costs more than it brings. One thread and two: 10**5 0.80 and
# 1.30 ms, 3 * 10**5 2.98 and 3.40 ms, 10**6 10.7 and 10.2 ms (the second core was half busy).
WORTH_PARTING = 1 << 20


def count(threads: int | None) -> int:
    """Give the number of threads: as asked for, else one for each core this process may use."""
    if threads is not None:
        return max(int(threads), 1)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def sort(values: U64, threads: int) -> None:
    """Sort an array in place.

    It is parted in the middle first, or into as many parts as threads, which takes a tenth of the
    time of sorting it; then the parts are sorted at the same time.
    """
    if threads == 1 or len(values) < WORTH_PARTING:
        values.sort()
        return
    edges = [len(values) * part // threads for part in range(1, threads)]
    values.partition(edges)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(np.ndarray.sort, np.split(values, edges)))


def merged(sources: Iterable[Iterator[Block]], threads: int) -> Iterator[Block]:
    """Run generators, at most `threads` at a time, and give all their blocks in any order.

    At most two blocks a thread wait to be taken; then the generators wait. What one of them
    raises is raised here. When it fails, or the taker stops early, the others stop too.
    """
    if threads == 1:
        for source in sources:
            yield from source
        return
    ready: queue.Queue[Block | None] = queue.Queue(maxsize=2 * threads)
    stopped = threading.Event()

    def run(source: Iterator[Block]) -> None:
        try:
            for block in source:
                if stopped.is_set():
                    return
                ready.put(block)
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
                block = ready.get()
                if block is None:
                    left -= 1
                else:
                    yield block
        finally:
            stopped.set()
            while left:
                left -= ready.get() is None
        for one in running:
            one.result()
