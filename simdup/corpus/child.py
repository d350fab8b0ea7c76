"""A second Python, for what may hang or crash: it can be ended without harm."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, ClassVar

from simdup.base.system import is_closed_pipe


class Child:
    """A process that answers requests by its standard streams, one after another."""

    # By the process that started it, because a forked one cannot use that of its parent.
    _started: ClassVar[dict[tuple[int, Path], Child]] = {}

    @classmethod
    def here(cls, program: Path) -> Child:
        """Return the child of this process that runs a program.

        Raises
        ------
        OSError
            If it cannot be started.
        """
        key = os.getpid(), program
        if key not in cls._started:
            cls._started[key] = cls(program)
        return cls._started[key]

    def __init__(self, program: Path) -> None:
        # Nothing is imported from the folder of the program: `-P`.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(program)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._key = os.getpid(), program
        self._one_at_a_time = threading.Lock()
        atexit.register(self.close)

    @contextmanager
    def ask(self, request: Iterable[bytes]) -> Iterator[IO[bytes]]:
        """Send a request and yield the stream of its answer; after an error the child is ended."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        with self._one_at_a_time:
            try:
                # Without an answer, the reader notices that the child has ended.
                try:
                    requests.writelines(request)
                    requests.flush()
                except OSError as error:
                    if not is_closed_pipe(error):
                        raise
                yield answers
            except BaseException:
                # An answer that nobody has read would be taken for that of the next request.
                self.close()
                raise

    def close(self) -> None:
        """End the process; the next request gets a new one."""
        if os.getpid() != self._key[0]:
            return
        atexit.unregister(self.close)
        self._started.pop(self._key, None)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()
