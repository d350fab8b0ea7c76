"""The process that forks: it has simdup imported, and a fork becomes each command.

``python -m lab.breaking.serving`` answers what `running.Server` asks.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import os
import pickle
import pty
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

from lab.breaking.running import Around, Outcome, Run
from lab.breaking.striking import Striker

# What is printed beyond that is no news.
_MOST_PRINTED = 64 << 20
# Where a command notes the modules that it imports.
_NOTES = Path(tempfile.gettempdir(), f"simdup-lab-{os.getpid()}")


def main() -> None:
    """Serve until standard input ends."""
    striker = Striker()
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        while True:
            try:
                runs = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            pickle.dump(_run(runs, striker), answers, protocol=4)
            answers.flush()
            if _NOTES.exists():
                _import(_NOTES.read_text("utf-8").split())
                _NOTES.unlink()


def _import(names: list[str]) -> None:
    """Import what a command has imported, so that no later one has to."""
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)
    from simdup import fingerprint

    # Reads the dictionary of the segmenter and its table of IDFs.
    fingerprint("今天天气很好 hello world 我们去公园散步吧")
    # Otherwise the garbage collection of each forked process copies all pages.
    gc.collect()
    gc.freeze()


def _run(runs: Sequence[Run], striker: Striker) -> list[Outcome]:
    """Start all commands together, and return what became of each; one sleeps before others start.

    At most one of them has a fault.
    """
    for run in runs:
        if run.fault:
            striker.prepare(run.fault)
    children = [_Child(run, striker) for run in runs]
    deadline = time.monotonic() + max(run.patience for run in runs)
    for child, run in zip(children, runs, strict=True):
        if run.fault and run.fault.pause:
            child.start()
            _await_pause(child, striker, deadline)
    for child in children:
        child.start()
    pause = 0.001
    while not all(child.ends(deadline) for child in children):
        time.sleep(pause)
        pause = min(0.01, pause * 1.5)
    outcomes = [child.outcome() for child in children]
    seen = {"reached": striker.reached, "counted": striker.counted}
    return [
        replace(outcome, **seen) if run.fault else outcome
        for outcome, run in zip(outcomes, runs, strict=True)
    ]


class _Child:
    """A command that was forked; it waits at a gate, and what it prints is read."""

    def __init__(self, run: Run, striker: Striker) -> None:
        self._gate = os.pipe()
        # No limit on the size of files holds for a pipe.
        ends = [pty.openpty() if run.around.terminal else os.pipe(), os.pipe()]
        self.number = os.fork()
        if self.number == 0:
            os.read(self._gate[0], 1)
            for end in (*self._gate, *(reader for reader, _ in ends)):
                os.close(end)
            _become(run, striker, [writer for _, writer in ends])
        self._printed = [bytearray() for _ in ends]
        self._threads = list[Thread]()
        for (reader, writer), printed in zip(ends, self._printed, strict=True):
            os.close(writer)
            self._threads.append(Thread(target=_drain, args=(reader, printed), daemon=True))
        self._status: int | None = None
        self._used: resource.struct_rusage | None = None

    def start(self) -> None:
        """Open the gate, perhaps again, when all are forked: a thread would not be."""
        os.write(self._gate[1], b"!")
        for thread in self._threads:
            if thread.ident is None:
                thread.start()

    def ends(self, deadline: float) -> bool:
        """Return whether it has ended; if it hangs, kill it and the processes that it started."""
        if self._used is None:
            ended, status, used = os.wait4(self.number, os.WNOHANG)
            if ended:
                self._used, self._status = used, os.waitstatus_to_exitcode(status)
            elif time.monotonic() > deadline:
                for send in (os.killpg, os.kill):
                    with suppress(ProcessLookupError):
                        send(self.number, signal.SIGKILL)
                _, _, self._used = os.wait4(self.number, 0)
        return self._used is not None

    def outcome(self) -> Outcome:
        """Return what became of it, when it has ended."""
        alone = _group_ends(self.number)
        for thread in self._threads:
            thread.join(1)
        for end in self._gate:
            os.close(end)
        out, err = (text.decode("utf-8", "replace") for text in self._printed)
        assert self._used is not None
        seconds = self._used.ru_utime + self._used.ru_stime
        megabytes = self._used.ru_maxrss / 1000
        return Outcome(self._status, out.replace("\r\n", "\n"), err, seconds, megabytes, alone)


def _drain(reader: int, printed: bytearray) -> None:
    """Read what a command prints to its end."""
    with suppress(OSError):  # nobody has the other end of a terminal
        while part := os.read(reader, 1 << 16):
            if len(printed) < _MOST_PRINTED:
                printed += part
    os.close(reader)


def _await_pause(child: _Child, striker: Striker, deadline: float) -> None:
    """Wait until a process sleeps, or has ended."""
    while not striker.reached and time.monotonic() < deadline:
        if os.waitid(os.P_PID, child.number, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        time.sleep(0.001)


def _group_ends(group: int) -> bool:
    """Return whether all processes of a group end, at the latest soon after the first of them."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return False


def _become(run: Run, striker: Striker, writers: list[int]) -> None:
    """Run a command in this process, which has just been forked, and leave."""
    status = 99
    try:
        os.setsid()
        # Under nohup some signals are ignored, and simdup keeps that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        _surround(run, writers)
        status = _call(run, striker)
    except BaseException:
        os.write(2, traceback.format_exc().encode("utf-8", "replace"))
    finally:
        os._exit(status)


def _surround(run: Run, writers: list[int]) -> None:
    around = run.around
    os.chdir(run.folder)
    _connect(around, writers)
    for name, value in around.environment.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    tempfile.tempdir = None
    if run.clock:
        # Two runs must write the same bytes to an index.
        from simdup.index import file

        file.now = lambda: run.clock
    if run.batch is not None:
        _divide_work(run.batch)
    if around.removed:
        os.mkdir("gone")
        os.chdir("gone")
        os.rmdir("../gone")
    _limit(around)
    if around.plain and os.geteuid() == 0:
        _give_up_rights()


def _connect(around: Around, writers: list[int]) -> None:
    """Let standard streams be what the run asks for; as they are usually, nothing can be read.

    The files behind them stay open, as a shell may leave some: limits count them.
    """
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, end in enumerate((nothing, *writers)):
        os.dup2(end, number)
    for number, path in around.streams.items():
        os.dup2(os.open(path, os.O_WRONLY if number else os.O_RDONLY), number)
    modes = (("stdin", "r", "surrogateescape"), ("stdout", "w", "surrogateescape"),
             ("stderr", "w", "backslashreplace"))  # fmt: skip
    for number, (name, mode, errors) in enumerate(modes):
        if number in around.closed:
            setattr(sys, name, None)
            os.close(number)
        else:
            stream = open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _limit(around: Around) -> None:
    limits = {"RLIMIT_CORE": 0} | dict(around.limits)
    if around.room:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        limits["RLIMIT_AS"] = pages * resource.getpagesize() + around.room
    for name, most in limits.items():
        hard = resource.RLIM_INFINITY if name == "RLIMIT_FSIZE" else most
        resource.setrlimit(getattr(resource, name), (most, hard))


def _give_up_rights() -> None:
    """Give up what root may do with the files of others, and with its own in spite of their mode.

    It stays root: nobody else may read the folder of Python everywhere.
    """
    version = (ctypes.c_uint32 * 2)(0x20080522, 0)
    if ctypes.CDLL(None, use_errno=True).capset(version, (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "capset")


def _call(run: Run, striker: Striker) -> int:
    """Run the command, strike it, and end as Python ends."""
    if run.around.fresh:
        # Warnings are for developers; people see none.
        os.environ.pop("PYTHONWARNINGS", None)
        words = [sys.executable, *run.around.fresh, *run.arguments]
        os.execve(sys.executable, words, dict(os.environ))
    from simdup.cli import main as command

    before = set(sys.modules)
    if run.fault:
        striker.arm()
    sys.argv = ["simdup", *run.arguments]
    try:
        command()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 98
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            status = status or 97
    if run.warms:
        _NOTES.write_text(" ".join({*sys.modules} - before), "utf-8")
    return status


def _divide_work(size: int) -> None:
    """Let work be divided among processes at once, and batches be small: corpora are tiny here."""
    from simdup.corpus import batches, lines, rows
    from simdup.near import collection, crew

    collection.WORTH_WORKERS = crew.WORTH_CREW = 0
    if size:
        lines.BATCH_BYTES = batches.BATCH_BYTES = rows.BATCH_BYTES = size
        batches.BATCH_FILES = max(1, size >> 11)


if __name__ == "__main__":
    main()
