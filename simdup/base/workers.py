"""Spread work over processes, and return results in order.

Before Python 3.14, a `concurrent.futures` pool cannot be stopped in the middle of a task, and a
user who interrupts should not have to wait.  This module needs little: each worker has its own
pipe, receives one task ahead of the current one, and is terminated when the work ends for any
reason.
"""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any, Generic, TypeVar

from simdup.base.atomic import begin, finish
from simdup.base.errors import SimdupError
from simdup.base.system import END_SIGNALS, FORKS, without_signals

Task = TypeVar("Task")
Result = TypeVar("Result")

# One task in progress and one waiting, so that a worker never idles while the parent is busy.
_AHEAD = 2


class Workers(Generic[Task, Result]):
    """A few processes that do the same work on tasks.

    `start` is called in each process with the worker's number, counted from `first`, and returns
    the function that does a task.  It must be picklable if processes are not forked.
    """

    def __init__(
        self, count: int, start: Callable[[int], Callable[[Task], Result]], first: int = 0
    ) -> None:
        context: Any = multiprocessing.get_context("fork" if FORKS else "spawn")
        self._processes: list[Any] = []
        self._pipes: list[Connection] = []
        # What they write into is removed after they have ended.
        begin(self._end)
        try:
            for number in range(first, first + count):
                ours, theirs = context.Pipe()
                self._pipes.append(ours)
                process = context.Process(
                    target=_serve, args=(theirs, start, number, os.getpid()), daemon=True
                )
                # Until it is known, and has handlers of its own.
                with _without_main(), without_signals():
                    process.start()
                    self._processes.append(process)
                theirs.close()
        except BaseException:
            self.close()
            raise

    def map(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield the result of each task in task order; raise if a worker dies."""
        waiting = iter(tasks)
        queued: dict[Connection, deque[int]] = {pipe: deque() for pipe in self._pipes}
        done: dict[int, Result] = {}
        wanted = 0
        numbers = itertools.count()
        exhausted = False
        while True:
            for pipe in sorted(self._pipes, key=lambda p: len(queued[p])):
                # Results that wait for their turn are bounded too.
                while not exhausted and len(queued[pipe]) < _AHEAD and len(done) < 64:
                    try:
                        task = next(waiting)
                    except StopIteration:
                        exhausted = True
                        break
                    self._send(pipe, task)
                    queued[pipe].append(next(numbers))
            busy = [pipe for pipe in self._pipes if queued[pipe]]
            if not busy:
                return
            ready = wait(busy)
            for pipe in [pipe for pipe in busy if pipe in ready]:
                done[queued[pipe].popleft()] = self._receive(pipe)
            while wanted in done:
                yield done.pop(wanted)
                wanted += 1

    def _send(self, pipe: Connection, task: Task) -> None:
        try:
            pipe.send(task)
        except OSError:
            self._report_death(pipe)

    def _receive(self, pipe: Connection) -> Result:
        try:
            answer = pipe.recv()
        except (EOFError, OSError):
            self._report_death(pipe)
        if isinstance(answer, BaseException):
            raise answer
        result: Result = answer
        return result

    def _report_death(self, pipe: Connection) -> None:
        process = self._processes[self._pipes.index(pipe)]
        process.join(1)
        code = process.exitcode or 0
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        raise SimdupError(
            "worker", f"a worker process {how}", "it may have run out of memory: try fewer `jobs`"
        )

    def close(self) -> None:
        """End all processes at once."""
        finish(self._end)

    def _end(self) -> None:
        for process in self._processes:
            # One that has just been forked could lose SIGTERM while it sets up its own handlers.
            process.kill()
        for process in self._processes:
            process.join()
        for pipe in self._pipes:
            pipe.close()


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the user's script, which a process that is not forked would run again.

    Workers need nothing of it, and few scripts have the guard that `multiprocessing` asks for.
    """
    main = sys.modules["__main__"]
    if not FORKS:
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _serve(
    pipe: Connection, start: Callable[[int], Callable[[Any], Any]], number: int, parent: int
) -> None:
    # The parent receives Ctrl-C as well, and ends its workers itself.
    for end in END_SIGNALS:
        signal.signal(end, signal.SIG_IGN if end == signal.SIGINT else signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, END_SIGNALS)
    # A separate thread receives tasks.  Otherwise a worker that sends a long result and a parent
    # that sends a long task would wait for each other forever.
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # Existing objects stay shared with the parent; garbage collection would copy their pages.
    gc.freeze()
    try:
        work = start(number)
        threading.Thread(target=_listen, args=(pipe, tasks, parent), daemon=True).start()
    except Exception as error:
        _give_up(pipe, error)
        return
    with suppress(OSError):
        while True:
            task = tasks.get()
            try:
                answer = task if isinstance(task, Exception) else work(task)
            except Exception as error:
                answer = error
            pipe.send(answer)


def _give_up(pipe: Connection, error: Exception) -> None:
    """Answer with an error, and wait until the parent, which may be sending a task, has read it."""
    with suppress(EOFError, OSError):
        pipe.send(error)
        while True:
            pipe.recv()


def _listen(pipe: Connection, tasks: queue.SimpleQueue[Any], parent: int) -> None:
    try:
        # A parent that was killed cannot end its workers.
        while os.getppid() == parent:
            if pipe.poll(1):
                try:
                    task = pipe.recv()
                except (EOFError, OSError):
                    raise
                except Exception as error:  # it was received, and cannot be made again
                    task = error
                tasks.put(task)
    finally:
        # Whatever happens: without a listener the parent would wait for ever.
        os._exit(1)
