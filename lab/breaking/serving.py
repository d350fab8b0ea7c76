"""The process that forks: it has simdup imported, and a fork becomes each command.

``python -m lab.breaking.serving`` answers lines of JSON; see `running`.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import pty
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from typing import Any

from lab.breaking.running import Around, Run
from lab.breaking.striking import Below, Fault, InPython

# What is printed beyond that is no news.
_MOST_PRINTED = 64 << 20


def main(library: bool) -> None:
    """Serve until standard input ends."""
    ways: dict[bool, Any] = {False: InPython()}
    if library:
        ways[True] = Below()
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            request = json.loads(line)
            if "modules" in request:
                _import(request["modules"])
                answer: list[dict[str, Any]] = []
            else:
                answer = _run([_described(one) for one in request["runs"]], ways)
            print(json.dumps(answer), file=answers, flush=True)


def _described(values: dict[str, Any]) -> Run:
    fault = Fault(**values["fault"]) if values["fault"] else None
    return Run(**values | {"around": Around(**values["around"]), "fault": fault})


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


def _run(runs: list[Run], ways: dict[bool, Any]) -> list[dict[str, Any]]:
    """Start all commands together, and return what became of each; one sleeps before others start.

    At most one of them has a fault.
    """
    struck = next((number for number, run in enumerate(runs) if run.fault), None)
    fault = (struck is not None and runs[struck].fault) or Fault("any", 0)
    way = ways[fault.below] if struck is not None else None
    if way is not None:
        way.prepare(fault)
    children = [_Child(run, way if number == struck else None) for number, run in enumerate(runs)]
    deadline = time.monotonic() + max(run.patience for run in runs)
    if struck is not None and fault.pause:
        children[struck].start()
        _await_pause(children[struck], way, deadline)
    for child in children:
        child.start()
    _await_ends(children, deadline)
    answers = [child.answer() for child in children]
    if struck is not None:
        answers[struck] |= way.seen()
    return answers


class _Child:
    """A command that was forked; it waits at a gate, and what it prints is read."""

    def __init__(self, run: Run, way: Any) -> None:
        self._gate = os.pipe()
        # No limit on the size of files holds for a pipe.
        ends = [pty.openpty() if run.around.terminal else os.pipe(), os.pipe()]
        self.number = os.fork()
        if self.number == 0:
            os.read(self._gate[0], 1)
            for end in (*self._gate, *(reader for reader, _ in ends)):
                os.close(end)
            _become(run, way, [writer for _, writer in ends])
        self._printed = {reader: bytearray() for reader, _ in ends}
        self.open = [reader for reader, _ in ends]
        for reader, writer in ends:
            os.close(writer)
            os.set_blocking(reader, False)
        self.status: int | None = None
        self._used: resource.struct_rusage | None = None

    def start(self) -> None:
        """Open the gate, perhaps again."""
        os.write(self._gate[1], b"!")

    def read(self, readers: list[int]) -> None:
        """Read what there is of what it has printed."""
        for reader in {*readers} & {*self.open}:
            try:
                part = os.read(reader, 1 << 16)
            except BlockingIOError:
                continue
            except OSError:  # nobody has the other end of a terminal
                part = b""
            if len(self._printed[reader]) < _MOST_PRINTED:
                self._printed[reader] += part
            if not part:
                self.open.remove(reader)
                os.close(reader)

    def ends(self) -> bool:
        """Return whether it has ended."""
        if self._used is None:
            ended, status, used = os.wait4(self.number, os.WNOHANG)
            if ended:
                self._used, self.status = used, os.waitstatus_to_exitcode(status)
        return self._used is not None

    def kill(self) -> None:
        """Kill it, and the processes that it started; it has hung."""
        for send in (os.killpg, os.kill):
            with suppress(ProcessLookupError):
                send(self.number, signal.SIGKILL)
        _, _, self._used = os.wait4(self.number, 0)

    def answer(self) -> dict[str, Any]:
        """Return what became of it, when it has ended."""
        alone = _group_ends(self.number)
        while self.open and select.select(self.open, [], [], 0)[0]:
            self.read(self.open)
        for end in (*self._gate, *self.open):
            os.close(end)
        out, err = (text.decode("utf-8", "replace") for text in self._printed.values())
        assert self._used is not None
        return {
            "status": self.status, "out": out.replace("\r\n", "\n"), "err": err, "alone": alone,
            "seconds": self._used.ru_utime + self._used.ru_stime,
            "megabytes": self._used.ru_maxrss / 1000,
        }  # fmt: skip


def _await_pause(child: _Child, way: Any, deadline: float) -> None:
    """Wait until a process sleeps, or has ended."""
    while not way.seen()["reached"] and time.monotonic() < deadline:
        if os.waitid(os.P_PID, child.number, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        time.sleep(0.001)


def _await_ends(children: list[_Child], deadline: float) -> None:
    """Read what processes print until they have ended; kill those that hang."""
    pause = 0.001
    while not all(child.ends() for child in children):
        readers = [reader for child in children for reader in child.open]
        ready = select.select(readers, [], [], pause)[0]
        for child in children:
            child.read(ready)
            if time.monotonic() > deadline and not child.ends():
                child.kill()
        pause = min(0.01, pause * 1.5)


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


def _become(run: Run, way: Any, writers: list[int]) -> None:
    """Run a command in this process, which has just been forked, and leave."""
    status = 99
    try:
        os.setsid()
        _reset_signals()
        _surround(run, writers)
        status = _call(run, way)
    except BaseException:
        os.write(2, traceback.format_exc().encode("utf-8", "replace"))
    finally:
        os._exit(status)


def _reset_signals() -> None:
    """Let signals do what they usually do: under nohup some are ignored, and simdup keeps that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


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
        _set_clock(run.clock)
    if run.divided:
        _divide_work()
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
        os.dup2(os.open(path, os.O_RDONLY if int(number) == 0 else os.O_WRONLY), int(number))
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
        with open("/proc/self/statm", encoding="ascii") as file:
            inherited = int(file.read().split()[0]) * resource.getpagesize()
        limits["RLIMIT_AS"] = inherited + around.room
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


def _call(run: Run, way: Any) -> int:
    """Run the command, strike it, and end as Python ends."""
    if run.around.fresh:
        # Warnings are for developers; people see none.
        os.environ.pop("PYTHONWARNINGS", None)
        words = [sys.executable, *run.around.fresh, *run.arguments]
        os.execve(sys.executable, words, dict(os.environ))
    from simdup.cli import main as command

    before = set(sys.modules)
    if way is not None:
        way.arm()
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
    if run.modules:
        with open(run.modules, "w", encoding="utf-8") as file:
            json.dump(sorted(set(sys.modules) - before), file)
    return status


def _divide_work() -> None:
    """Let work be divided among processes at once: it would not be worth it for tiny texts."""
    from simdup.ingest import corpus
    from simdup.verify import crew

    corpus.WORTH_WORKERS = crew.WORTH_CREW = 0


def _set_clock(date: str) -> None:
    """Date what is written to an index: two runs must give the same bytes."""
    from simdup.index import repair, session

    session.now = repair.now = lambda: date


if __name__ == "__main__":
    main("--library" in sys.argv)
