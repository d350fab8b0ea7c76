"""A process that has simdup imported, and forks for each command that it is asked to run.

``python -m lab.breaking.serving`` answers lines of JSON; see `running`.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from typing import Any

from lab.breaking.striking import Below, Fault, InPython

# Seconds after which a command is taken to hang. On a busy machine, all of them take below 2.
PATIENCE = 60.0


def main(library: bool) -> None:
    """Serve until standard input ends."""
    requests, answers = sys.stdin, os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    ways: dict[bool, Any] = {False: InPython()}
    if library:
        ways[True] = Below()
    for line in requests:
        request = json.loads(line)
        if "modules" in request:
            _import(request["modules"])
            answer: Any = len(sys.modules)
        else:
            answer = _run(request["runs"], ways)
        print(json.dumps(answer), file=answers, flush=True)


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


def _run(runs: list[dict[str, Any]], ways: dict[bool, Any]) -> list[dict[str, Any]]:
    """Start all commands together, and return what became of each; one sleeps before others start.

    At most one of them has a fault.
    """
    struck = next((number for number, run in enumerate(runs) if run["fault"]), None)
    fault = Fault(**runs[struck]["fault"]) if struck is not None else Fault("any", 0)
    way = ways[fault.below] if struck is not None else None
    if way is not None:
        way.prepare(fault)
    gates = [os.pipe() for _ in runs]
    started = [
        _fork(run, gates[number], way if number == struck else None)
        for number, run in enumerate(runs)
    ]
    deadline = time.monotonic() + PATIENCE
    if struck is not None and fault.pause:
        os.write(gates[struck][1], b"!")
        _await_pause(started[struck][0], way, deadline)
    for gate in gates:
        os.write(gate[1], b"!")
    answers = []
    for child, readers in started:
        answer = _wait(child, deadline)
        answer["out"], answer["err"] = map(_read, readers)
        answers.append(answer)
    for end in sum(gates, ()):
        os.close(end)
    if struck is not None:
        answers[struck] |= way.seen()
    return answers


def _fork(run: dict[str, Any], gate: tuple[int, int], way: Any) -> tuple[int, list[int]]:
    """Fork a command that waits at a gate; return it, and where to read what it prints."""
    # What is printed fits a pipe, and no limit on the size of files holds for one.
    ends = [os.pipe(), os.pipe()]
    child = os.fork()
    if child == 0:
        os.read(gate[0], 1)
        for end in gate:
            os.close(end)
        _connect(ends)
        _become(run, way)
    for _, end in ends:
        os.close(end)
    return child, [reader for reader, _ in ends]


def _await_pause(child: int, way: Any, deadline: float) -> None:
    """Wait until a process sleeps, or has ended."""
    while not way.seen()["reached"] and time.monotonic() < deadline:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        time.sleep(0.001)


def _wait(child: int, end: float) -> dict[str, Any]:
    """Wait for a process; kill it if it hangs."""
    pause = 0.001
    while True:
        found, status, used = os.wait4(child, os.WNOHANG)
        if found:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            _, _, used = os.wait4(child, 0)
            return {"status": None, "seconds": used.ru_utime + used.ru_stime}
        time.sleep(pause)
        pause = min(0.01, pause * 1.5)
    answer = {"status": os.waitstatus_to_exitcode(status)}
    answer["seconds"] = used.ru_utime + used.ru_stime
    answer["alone"] = _ends(child)
    return answer


def _ends(group: int) -> bool:
    """Return whether all processes of a group end, at the latest soon after the first of them."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return False


def _connect(ends: list[tuple[int, int]]) -> None:
    """Let standard output and standard error go to pipes."""
    for number, (reader, end) in enumerate(ends, 1):
        os.dup2(end, number)
        os.close(reader)
        os.close(end)


def _read(reader: int) -> str:
    """Return what a process that has ended has printed; its workers may not have ended yet."""
    os.set_blocking(reader, False)
    try:
        return os.read(reader, 1 << 16).decode("utf-8", "replace")
    except BlockingIOError:
        return ""
    finally:
        os.close(reader)


def _become(run: dict[str, Any], way: Any) -> None:
    """Run a command in this process, which has just been forked, and leave."""
    status = 99
    try:
        os.setsid()
        reset_signals()
        os.chdir(run["folder"])
        os.environ["TMPDIR"] = run["temporary"]
        tempfile.tempdir = None
        given = os.open(run["stdin"], os.O_RDONLY)
        os.dup2(given, 0)
        os.close(given)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        _set_clock(run["clock"])
        if "2" in run["arguments"]:
            _start_workers()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        status = _call(run, way)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def reset_signals() -> None:
    """Let signals do what they usually do: under nohup some are ignored, and simdup keeps that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _call(run: dict[str, Any], way: Any) -> int:
    from simdup.cli import main as command

    before = set(sys.modules)
    if way is not None:
        way.arm()
    try:
        command(run["arguments"])
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else 98
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    if run["modules"]:
        with open(run["modules"], "w", encoding="utf-8") as file:
            json.dump(sorted(set(sys.modules) - before), file)
    return status


def _start_workers() -> None:
    """Let work be divided among processes at once: it would not be worth it for tiny texts."""
    from simdup.ingest import corpus
    from simdup.verify import crew

    corpus.WORTH_WORKERS = crew.WORTH_CREW = 0


def _set_clock(time: str) -> None:
    """Date what is written to an index: two runs must give the same bytes."""
    from simdup.index import repair, session

    session.now = repair.now = lambda: time


if __name__ == "__main__":
    main("--library" in sys.argv)
