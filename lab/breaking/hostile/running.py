"""Runs commands in forks of one process that has imported everything: ten a second, not one."""

from __future__ import annotations

import atexit
import base64
import ctypes
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from lab.breaking.hostile.values import USUAL, Around, Ran
from lab.measuring import CHECKOUT, environment


class Runner:
    """Starts the process; `run` lets it fork, and returns what became of the child."""

    def __enter__(self) -> Runner:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from lab.breaking.hostile.running import serve; serve()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=CHECKOUT,
            env=environment(PYTHONWARNINGS="error", OPENBLAS_NUM_THREADS="1"),
        )  # fmt: skip
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def run(
        self, arguments: tuple[str, ...], cwd: Path, around: Around = USUAL, wall: float = 60
    ) -> Ran:
        """Run a command; after `wall` seconds it is killed."""
        asked = {"arguments": arguments, "cwd": str(cwd), "wall": wall, "around": asdict(around)}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()
        ran = json.loads(self._process.stdout.readline())
        streams = {name: base64.b64decode(ran.pop(name)) for name in ("out", "err")}
        return Ran(**ran, **streams)


def serve() -> None:
    """Answer requests, a line each, until there are no more."""
    import simdup.cli.compare
    import simdup.cli.dedupe
    import simdup.cli.evaluate
    import simdup.cli.index
    import simdup.cli.passages
    import simdup.cli.query
    import simdup.cli.scan
    import simdup.cli.tune
    import simdup.features.tokens
    import simdup.index.index
    import simdup.operations.dedupe  # noqa: F401
    from simdup import fingerprint

    fingerprint("河岸")  # the segmenter reads its dictionary
    for line in sys.stdin.buffer:
        answer = json.dumps(_run(json.loads(line)))
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


def _run(asked: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        around = Around(**asked["around"])
        ours, theirs = pty.openpty() if around.terminal else (-1, -1)
        child = os.fork()
        if not child:
            _child(asked, around, (theirs if around.terminal else out.fileno(), err.fileno()))
        shown = _Screen(ours, theirs) if around.terminal else None
        timer = threading.Timer(asked["wall"], _kill, (child,))
        began = time.monotonic()
        timer.start()
        _, status, used = os.wait4(child, 0)
        timer.cancel()
        timer.join()
        texts = [shown.text() if shown else _content(out), _content(err)]
        return {
            "status": os.waitstatus_to_exitcode(status),
            "out": base64.b64encode(texts[0]).decode(),
            "err": base64.b64encode(texts[1]).decode(),
            "seconds": used.ru_utime + used.ru_stime,
            "megabytes": used.ru_maxrss / 1000,
            "hung": time.monotonic() - began >= asked["wall"],
        }


def _kill(child: int) -> None:
    """Kill a child, and the processes that it started."""
    for send in (os.killpg, os.kill):
        with suppress(ProcessLookupError):
            send(child, signal.SIGKILL)


def _child(asked: dict[str, Any], around: Around, streams: tuple[int, int]) -> None:
    """Become the command; never returns."""
    status = 99
    try:
        _surround(asked["cwd"], around, streams)
        arguments = asked["arguments"]
        if around.fresh:
            # Warnings are for developers; people see none.
            os.environ.pop("PYTHONWARNINGS", None)
            os.execve(
                sys.executable, [sys.executable, "-m", "simdup", *arguments], dict(os.environ)
            )
        from simdup.cli import main

        sys.argv = ["simdup", *arguments]
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 98
    except BaseException:
        import traceback

        os.write(2, b"Traceback\n" + traceback.format_exc().encode("utf-8", "replace"))
    finally:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                status = status or 97
        os._exit(status)


def _surround(cwd: str, around: Around, streams: tuple[int, int]) -> None:
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, target in enumerate((nothing, *streams)):
        os.dup2(target, number)
    for number, path in around.streams.items():
        flags = os.O_RDONLY if int(number) == 0 else os.O_WRONLY
        os.dup2(os.open(path, flags), int(number))
    modes = (("stdin", "r", "surrogateescape"), ("stdout", "w", "surrogateescape"),
             ("stderr", "w", "backslashreplace"))  # fmt: skip
    for number, (name, mode, errors) in enumerate(modes):
        closed = number in around.closed
        stream = None if closed else open(number, mode, encoding="utf-8", errors=errors)  # noqa: SIM115
        setattr(sys, name, stream)
    for number in around.closed:
        os.close(number)
    os.chdir(cwd)
    for name, value in around.environment.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    tempfile.tempdir = None
    if around.live[0]:
        from lab.breaking.hostile.live import watch

        watch(*around.live)
    if around.removed:
        os.mkdir("gone")
        os.chdir("gone")
        os.rmdir("../gone")
    for name, limit in around.limits.items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    if around.plain and os.geteuid() == 0:
        _give_up_rights()


def _give_up_rights() -> None:
    """Give up what root may do with the files of others, and with its own in spite of their mode.

    It stays root: nobody else may read the folder of Python everywhere.
    """
    version = (ctypes.c_uint32 * 2)(0x20080522, 0)
    if ctypes.CDLL(None, use_errno=True).capset(version, (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "capset")


class _Screen:
    """Reads what a child prints on its terminal."""

    def __init__(self, ours: int, theirs: int) -> None:
        os.close(theirs)
        self._ours = ours
        self._parts: list[bytes] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        try:
            while part := os.read(self._ours, 65536):
                self._parts.append(part)
        except OSError:  # the other end is closed
            pass
        os.close(self._ours)

    def text(self) -> bytes:
        self._reader.join()
        return b"".join(self._parts).replace(b"\r\n", b"\n")


def _content(file: Any) -> bytes:
    file.seek(0)
    content: bytes = file.read(64 << 20)
    return content
