"""Run commands in forks of a server that has imported everything: a few hundredths of a second.

What surrounds a command (limits, streams, a terminal, variables) and what strikes it (a signal, a
pause, a file that changes) is set up in the fork, by `serving`.
"""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lab.breaking.striking import Fault
from lab.fuzz.terminal import driving
from lab.measuring import CHECKOUT, environment

# What a message must not have: an error is explained, not reported.
RAW = re.compile(r"Traceback|internal error|Error:|Exception ignored|File \"|\[Errno")


@dataclass(frozen=True)
class Around:
    """The surroundings of a run; what is empty is as usual."""

    environment: Mapping[str, str | None] = field(default_factory=dict)  # None removes a variable
    limits: Mapping[str, int] = field(default_factory=dict)  # by name, such as ``RLIMIT_AS``
    room: int = 0  # bytes of memory beyond what it inherits
    closed: Sequence[int] = ()  # standard streams that are closed
    streams: Mapping[int, str] = field(default_factory=dict)  # files instead of standard streams
    terminal: bool = False  # whether standard output is a terminal
    fresh: Sequence[str] = ()  # what Python starts anew with, as it does for people
    removed: bool = False  # whether the working folder is removed first
    plain: bool = False  # whether it runs without the rights of root, if it is root


USUAL = Around()
# As people start it.
FRESH = ("-m", "simdup")


@dataclass(frozen=True)
class Run:
    """One command that is to run."""

    arguments: Sequence[str]  # what is typed after ``simdup``
    folder: Path
    around: Around = USUAL
    fault: Fault | None = None
    clock: str = ""  # the date of what it writes to an index, if it is not that of now
    batch: int | None = None  # bytes of a batch, 0: as usual; any work is divided among processes
    patience: float = 60  # seconds after which it hangs; on a busy machine, most take below 2
    warms: bool = False  # whether what it imports is imported for all that come later


@dataclass(frozen=True)
class Outcome:
    """What became of a command; two are equal that returned and printed the same."""

    status: int | None  # below 0: the signal that killed it; None: it hung
    out: str = ""
    err: str = ""
    seconds: float = field(default=0.0, compare=False)  # of the processor
    megabytes: float = field(default=0.0, compare=False)  # Python and its libraries included
    alone: bool = field(default=True, compare=False)  # all processes that it started have ended
    reached: bool = field(default=False, compare=False)  # whether the fault happened
    counted: int = field(default=0, compare=False)  # calls that the fault counted

    @property
    def errors(self) -> list[str]:
        """The lines that say what went wrong; who waits for another process says so, too."""
        lines = self.err.splitlines()
        return [one for one in lines if one.startswith("simdup: ") and "; waiting" not in one]

    def faults(self, allowed: Collection[int] = (0, 2), terminal: bool = False) -> Iterator[str]:
        """Yield what is wrong with its end and its words, or with what it showed on a terminal."""
        if self.status is None:
            yield f"it hung: {self.err[-200:]!r}"
        elif self.status not in allowed:
            yield f"status {self.status}: {self.err[-300:]!r}"
        if not self.alone:
            yield "processes that it started go on"
        if RAW.search(self.err):
            yield f"not in plain words: {self.err[-600:]!r}"
        screen = (self.out if terminal else "") + self.err
        if characters := driving(screen):
            at = screen.index(characters[0])
            yield f"{characters[0]!r} reaches the terminal: {screen[max(0, at - 60) :][:120]!r}"


class Server:
    """The process that forks: a Python with its flags, and changed variables."""

    def __init__(self, python: Sequence[str] = (sys.executable,), **variables: str) -> None:
        self._process = subprocess.Popen(
            [*python, "-m", "lab.breaking.serving"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=CHECKOUT,
            env=environment(OPENBLAS_NUM_THREADS="1", **variables),
        )  # fmt: skip

    def __enter__(self) -> Server:
        """Return itself; the end of the block ends the process."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the process."""
        self._process.communicate(timeout=30)

    def run(self, run: Run) -> Outcome:
        """Run one command to its end."""
        return self.together([run])[0]

    def together(self, runs: Sequence[Run]) -> list[Outcome]:
        """Start commands at the same moment; return their outcomes when all have ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump(runs, self._process.stdin, protocol=4)
        self._process.stdin.flush()
        outcomes: list[Outcome] = pickle.load(self._process.stdout)
        return outcomes
