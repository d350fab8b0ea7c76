"""Commands in this process, and work in a forked child that may crash, hang or eat memory."""

from __future__ import annotations

import io
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeVar

from simdup.cli import main

Value = TypeVar("Value")

# What a child may use beyond what it inherits: far more than anything here needs.
_MEMORY = 1 << 30
_SECONDS = 60  # of processor time, and of waiting
# Signals that the command line handles its own way.
_HANDLED = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Ran(NamedTuple):
    """What a command returned and printed."""

    status: int
    out: str
    err: str


def run_command(*arguments: str) -> Ran:
    """Run the command line in this process, as `python -m simdup` would."""
    handlers = {number: signal.getsignal(number) for number in _HANDLED}
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape") for _ in range(2)]
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = streams
    try:
        main(arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout, sys.stderr = before
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode("utf-8", "surrogateescape") for stream in streams)  # type: ignore[attr-defined]
    return Ran(status, out, err)


def in_child(work: Callable[[], Value], folder: Path) -> Value | str:
    """Return what `work` returns in a forked child, or how the child died."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns that other threads are not copied; nothing here waits for one.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        os.close(reader)
        _work(work, folder, writer)
    os.close(writer)
    with open(reader, "rb") as stream:
        content = stream.read()
    _, state = os.waitpid(child, 0)
    if os.WIFSIGNALED(state):
        return f"killed by {signal.Signals(os.WTERMSIG(state)).name}"
    value: Value | str = pickle.loads(content)
    return value


def _work(work: Callable[[], object], folder: Path, writer: int) -> NoReturn:
    """Do the work of a child, and end it before anything of the parent runs in it."""
    try:
        os.chdir(folder)
        _limit()
        try:
            value = work()
        except BaseException as error:
            value = f"raised {type(error).__name__}: {error}"
        with open(writer, "wb") as stream:
            stream.write(pickle.dumps(value))
    finally:
        os._exit(0)


def _limit() -> None:
    import resource  # Windows, where nothing forks, lacks it

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except OSError:
        return  # only Linux says how much this process has already
    most = pages * resource.getpagesize() + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
