"""Run commands in forks of a server that has imported everything: a few hundredths of a second.

What surrounds a command (limits, streams, a terminal, variables) and what strikes it (a fault, a
signal, a file that changes) is set up in the fork, by `serving`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lab.breaking.striking import Fault
from lab.fuzz.terminal import driving
from lab.measuring import CHECKOUT, environment

# What a message must not have: an error is explained, not reported.
RAW = re.compile(r"Traceback|internal error|Error:|Exception ignored|File \"|\[Errno")


@dataclass(frozen=True)
class Around:
    """The surroundings of a run; what is empty is as usual.

    Attributes
    ----------
    environment : mapping
        Variables that are changed; those with the value None are removed.
    limits : mapping
        Limits by name, such as ``RLIMIT_AS``.
    room : int
        Bytes of memory that it may have beyond what it inherits.
    closed : tuple of int
        Standard streams that are closed.
    streams : mapping
        Files that are opened instead of standard streams.
    terminal : bool
        Whether standard output is a terminal.
    fresh : tuple of str
        What Python starts anew with, as it does for people; none in a fork.
    removed : bool
        Whether the working folder is removed first.
    plain : bool
        Whether it runs without the rights of root, if it is root.
    """

    environment: Mapping[str, str | None] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    room: int = 0
    closed: Sequence[int] = ()
    streams: Mapping[int, str] = field(default_factory=dict)
    terminal: bool = False
    fresh: Sequence[str] = ()
    removed: bool = False
    plain: bool = False


USUAL = Around()
# As people start it.
FRESH = ("-m", "simdup")


@dataclass(frozen=True)
class Run:
    """One command that is to run.

    Attributes
    ----------
    arguments : sequence of str
        What is typed after ``simdup``.
    folder : Path
        Where it runs.
    around : Around
        Its surroundings.
    fault : Fault, optional
        What strikes it.
    clock : str
        The date of what it writes to an index, if it is not that of now.
    divided : bool
        Whether its work is divided among processes however little there is.
    patience : float
        Seconds after which it is taken to hang. On a busy machine, most take below 2.
    modules : str
        A file for the names of the modules that it imports.
    """

    arguments: Sequence[str]
    folder: Path | str
    around: Around = USUAL
    fault: Fault | None = None
    clock: str = ""
    divided: bool = False
    patience: float = 60
    modules: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a command; two are equal that returned and printed the same.

    Attributes
    ----------
    status : int or None
        Its exit status; below 0: the signal that killed it; None: it hung.
    out, err : str
        What it printed.
    seconds : float
        Processor time.
    megabytes : float
        The most memory of the process, Python and its libraries included.
    alone : bool
        Whether all processes that it started have ended too.
    reached : bool
        Whether the fault happened, and `path` at which file, as far as that is known.
    counts : dict
        How many calls of each kind there were.
    counted : int
        How many calls the fault counted: of its kind, in its processes, within its folder.
    """

    status: int | None
    out: str = ""
    err: str = ""
    seconds: float = field(default=0.0, compare=False)
    megabytes: float = field(default=0.0, compare=False)
    alone: bool = field(default=True, compare=False)
    reached: bool = field(default=False, compare=False)
    path: str = field(default="", compare=False)
    counts: dict[str, int] = field(default_factory=dict, compare=False)
    counted: int = field(default=0, compare=False)

    def unclear(self, terminal: bool = False) -> Iterator[str]:
        """Yield what is wrong with its messages, and what it showed on a terminal."""
        if self.status is None:
            yield f"it hung: {self.err[-200:]!r}"
        if RAW.search(self.err):
            yield f"not in plain words: {self.err[-600:]!r}"
        screen = (self.out if terminal else "") + self.err
        if characters := driving(screen):
            at = screen.index(characters[0])
            yield f"{characters[0]!r} reaches the terminal: {screen[max(0, at - 60) :][:120]!r}"


class Server:
    """The process that forks.

    Parameters
    ----------
    library
        What makes calls fail below Python, see `build_library`.
    variables
        Of its environment, beside the usual ones.
    """

    def __init__(self, library: Path | None = None, **variables: str) -> None:
        self.below = library is not None
        if library is not None:
            variables["LD_PRELOAD"] = str(library)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lab.breaking.serving", *(["--library"] if library else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT,
            env=environment(OPENBLAS_NUM_THREADS="1", **variables),
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout

    def __enter__(self) -> Server:
        """Return itself; the end of the block ends the process."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the process."""
        self._requests.close()
        self._process.wait(30)
        self._answers.close()

    def _ask(self, request: object) -> list[dict[str, Any]]:
        print(json.dumps(request, default=str), file=self._requests, flush=True)
        answers: list[dict[str, Any]] = json.loads(self._answers.readline())
        return answers

    def warm(self, runs: Sequence[Run], notes: Path) -> None:
        """Import what some commands import, so that no later one does."""
        names: set[str] = set()
        for one in runs:
            self.run(replace(one, modules=str(notes)))
            names |= set(json.loads(notes.read_text("utf-8")))
        self._ask({"modules": sorted(names)})

    def run(self, run: Run) -> Outcome:
        """Run one command to its end."""
        return self.together([run])[0]

    def together(self, runs: Sequence[Run]) -> list[Outcome]:
        """Start commands at the same moment; return their outcomes when all have ended."""
        return [Outcome(**one) for one in self._ask({"runs": [asdict(run) for run in runs]})]


def build_library(folder: Path) -> Path | None:
    """Compile what stands between a process and the C library; None where that is impossible."""
    compiler = shutil.which("cc") or shutil.which("gcc")
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
