"""Run commands in processes that a server forks: a few hundredths of a second each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType

from lab.breaking.striking import Fault

ROOT = Path(__file__).resolve().parents[2]
EARLIER, LATER = "2026-01-01T00:00:00.000000+00:00", "2026-01-02T00:00:00.000000+00:00"


@dataclass(frozen=True)
class Outcome:
    """What became of a command.

    Attributes
    ----------
    status : int or None
        Its exit status; below 0: the signal that killed it; None: it hung.
    err, out : str
        What it printed.
    reached : bool
        Whether the fault happened, and `path` at which file, as far as that is known.
    counts : dict
        How many calls of each kind there were.
    counted : int
        How many calls the fault counted: of its kind, in its processes, within its folder.
    seconds : float
        Processor time.
    alone : bool
        Whether all processes that it started have ended too.
    """

    status: int | None
    err: str
    out: str
    seconds: float = 0.0
    alone: bool = True
    reached: bool = False
    path: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    counted: int = 0


class Server:
    """The process that forks; commands run in a folder, with a folder for temporary files."""

    def __init__(self, folder: Path, library: Path | None) -> None:
        self._scratch = folder
        self.below = library is not None
        environment = os.environ | {
            "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }  # fmt: skip
        if library is not None:
            environment["LD_PRELOAD"] = str(library)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lab.breaking.serving", *(["--library"] if library else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT,
        )  # fmt: skip

    def __enter__(self) -> Server:
        """Return itself; the end of the block ends the process."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def _ask(self, request: object) -> object:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def warm(self, folder: Path, commands: list[tuple[str, ...]]) -> None:
        """Import what these commands import, so that no later run does."""
        names: set[str] = set()
        for arguments in commands:
            where = self._scratch / "modules"
            self.run(folder, arguments, modules=where)
            names |= set(json.loads(where.read_text()))
        self._ask({"modules": sorted(names)})

    def run(
        self,
        folder: Path,
        arguments: tuple[str, ...],
        fault: Fault | None = None,
        clock: str = LATER,
        modules: Path | None = None,
    ) -> Outcome:
        """Run one command to its end."""
        return self.together(folder, [arguments], [fault], clock, modules)[0]

    def together(
        self,
        folder: Path,
        commands: list[tuple[str, ...]],
        faults: list[Fault | None] | None = None,
        clock: str = LATER,
        modules: Path | None = None,
    ) -> list[Outcome]:
        """Start commands at the same moment; return their outcomes when all have ended."""
        temporary = folder / "tmp"
        temporary.mkdir(exist_ok=True)
        runs = [
            {
                "folder": str(folder), "temporary": str(temporary), "arguments": arguments,
                "stdin": str(folder / "stdin") if (folder / "stdin").exists() else os.devnull,
                "clock": clock, "modules": str(modules) if modules else "",
                "fault": asdict(fault) if fault else None,
            }
            for arguments, fault in zip(commands, faults or [None] * len(commands), strict=True)
        ]  # fmt: skip
        answers = self._ask({"runs": runs})
        assert isinstance(answers, list)
        return [Outcome(**answer) for answer in answers]


@cache
def _compiler() -> str | None:
    return shutil.which("cc") or shutil.which("gcc")


def build_library(folder: Path) -> Path | None:
    """Compile what stands between a process and the C library; None where that is impossible."""
    compiler = _compiler()
    if compiler is None or sys.platform != "linux":
        return None
    place = folder / "injecting.so"
    source = Path(__file__).with_name("injecting.c")
    line = [compiler, "-O1", "-shared", "-fPIC", "-o", str(place), str(source), "-ldl"]
    if subprocess.run(line, capture_output=True, check=False).returncode:
        return None
    # It must also be possible to load it here.
    probe = [sys.executable, "-c", "import ctypes; ctypes.CDLL(None).fault_plan"]
    loaded = subprocess.run(
        probe, capture_output=True, check=False, env=os.environ | {"LD_PRELOAD": str(place)}
    )
    return None if loaded.returncode else place
