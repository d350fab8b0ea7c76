"""Change the algorithms in small ways, one at a time: does a test fail?

A mutant is killed if one of the tests that run the changed line fails, or never ends.
A mutant that survives shows a missing test, or a change without an effect on results: many guard
speed or memory.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from lab.breaking.mutations import Mutation, mutations
from lab.reporting import Table
from lab.trial import Trial, say

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("search", "lsh", "verify", "reuse")
# Tests of these folders run for every mutant whose line they reach.
TESTS = ("search", "lsh", "verify", "reuse", "clustering", "fingerprints", "operations")
COPIED = ("simdup", "tests", "examples", "docs", "lab", "pyproject.toml",
          "README.md", "README.zh-CN.md")  # fmt: skip
SEED, MUTANTS = 21, 300
# Seconds of tests that a mutant must survive, as they took without it: the shortest tests first.
PATIENCE = 20.0
# The exit status of a process in which pytest itself failed.
_BROKEN = 70


class Mutant(NamedTuple):
    """A mutation and its file, relative to the checkout."""

    path: str
    mutation: Mutation

    def __str__(self) -> str:
        before, after = _short(self.mutation.before), _short(self.mutation.after)
        return f"{self.path}:{self.mutation.line}  {before}  ->  {after}"


class Reach(NamedTuple):
    """Which tests run which lines, and how long they take.

    Attributes
    ----------
    tests : dict
        For each file and line, names of tests as pytest prints them.
    seconds : dict
        For each test, how long it took.
    """

    tests: dict[tuple[str, int], set[str]]
    seconds: dict[str, float]

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests of a mutant, the shortest first, until they take `PATIENCE`.

        Tests of the room itself know most about it.  Others that run its module come last: what a
        cache remembers is run by the first of them only.
        """
        room = mutant.path.split("/")[1]
        line = self.tests.get((mutant.path, mutant.mutation.statement), set())
        module = set().union(*(t for (path, _), t in self.tests.items() if path == mutant.path))
        order = sorted(
            line and line | module,
            key=lambda t: (t not in line, not t.startswith(f"tests/{room}/"), self.cost(t), t),
        )
        chosen, left = [], PATIENCE
        for test in order:
            left -= self.cost(test)
            if left < 0 and chosen:
                break
            chosen.append(test)
        return chosen

    def cost(self, test: str) -> float:
        """Return the seconds of a test."""
        return self.seconds.get(test, 1.0)


class _Durations:
    """A plugin of pytest that notes how long each test takes, and the first that fails."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.failed and not self.failed:
            self.failed = report.nodeid


def run(trial: Trial) -> Iterator[Table]:
    """Kill mutants; survivors are listed, and are no failure."""
    checkout = trial.folder / "checkout"
    checkout.mkdir()
    copy(checkout)
    tests = trial.pick([str(Path("tests", "search"))], [f"tests/{name}" for name in TESTS])
    reach = measure(checkout, tests)
    chosen = choose(trial.pick(3, MUTANTS), trial.pick(("search",), ROOMS))
    killers = kill_all(checkout, chosen, reach, trial.pick(1, len(os.sched_getaffinity(0))))
    kept: dict[str, list[Mutant]] = {room: [] for room in ROOMS}
    tried = dict.fromkeys(ROOMS, 0)
    for mutant, killer in zip(chosen, killers, strict=True):
        room = mutant.path.split("/")[1]
        tried[room] += 1
        if not killer:
            kept[room].append(mutant)
    rows = [(room, tried[room], tried[room] - len(kept[room])) for room in ROOMS if tried[room]]
    rows.append(("all", sum(tried.values()), sum(row[2] for row in rows)))
    shares = [(*row, row[2] / row[1]) for row in rows]
    yield Table("Mutants", ("room", "mutants", "killed", "share"), shares)
    survivors = [
        (f"{m.path}:{m.mutation.line}", _short(m.mutation.before), _short(m.mutation.after))
        for room in ROOMS
        for m in kept[room]
    ]
    yield Table("Survivors", ("line", "before", "after"), survivors)


def choose(number: int, rooms: tuple[str, ...]) -> list[Mutant]:
    """Return mutants drawn by a seed from all of some rooms."""
    every = [
        Mutant(str(path.relative_to(ROOT)), mutation)
        for room in rooms
        for path in sorted((ROOT / "simdup" / room).glob("*.py"))
        for mutation in mutations(path.read_text("utf-8"))
    ]
    return random.Random(SEED).sample(every, number)


def copy(checkout: Path) -> None:
    """Copy the parts of the project that tests need."""
    for name in COPIED:
        source, target = ROOT / name, checkout / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)


def measure(checkout: Path, tests: list[str]) -> Reach:
    """Run the tests once, without a mutant, and note which lines each of them runs."""
    say("which test runs which line")
    data = checkout / "lines.coverage"
    seconds = checkout / "seconds"

    def body() -> None:
        import coverage
        import pytest

        watcher = coverage.Coverage(
            str(data), source=[str(checkout / "simdup")], context="", config_file=False
        )
        durations = _Durations()

        class Contexts:
            def pytest_runtest_logstart(self, nodeid: str, location: object) -> None:
                watcher.switch_context(nodeid)

        watcher.start()
        pytest.main([*PYTEST, *tests], plugins=[durations, Contexts()])
        watcher.stop()
        watcher.save()
        lines = (f"{taken:.3f} {name}\n" for name, taken in durations.seconds.items())
        seconds.write_text("".join(lines), "utf-8")

    in_child(checkout, body, 7200)
    from coverage import CoverageData

    found = CoverageData(str(data))
    found.read()
    reached: dict[tuple[str, int], set[str]] = defaultdict(set)
    for file in found.measured_files():
        path = str(Path(file).relative_to(checkout))
        for line, names in found.contexts_by_lineno(file).items():
            reached[path, line] |= {name for name in names if name}
    entries = (line.split(" ", 1) for line in seconds.read_text("utf-8").splitlines())
    return Reach(reached, {name: float(taken) for taken, name in entries})


PYTEST = ["-q", "-p", "no:randomly", "-p", "no:xdist", "-p", "no:cov", "-p", "no:cacheprovider",
          "-m", "not spark"]  # fmt: skip


def kill_all(checkout: Path, mutants: list[Mutant], reach: Reach, jobs: int) -> list[str]:
    """Return what kills each mutant, as `kill` does; each process has a checkout of its own."""
    checkouts = [checkout, *(checkout.with_name(f"checkout{job}") for job in range(1, jobs))]
    for other in checkouts[1:]:
        shutil.copytree(checkout, other)
    parts = [(one, mutants[job::jobs], reach) for job, one in enumerate(checkouts)]
    with get_context("fork").Pool(jobs) as pool:
        found = pool.starmap(_kill_part, parts, chunksize=1)
    return [found[number % jobs][number // jobs] for number in range(len(mutants))]


def _kill_part(checkout: Path, mutants: list[Mutant], reach: Reach) -> list[str]:
    killers = []
    for number, mutant in enumerate(mutants, 1):
        killers.append(kill(checkout, mutant, reach))
        say(f"{number} of {len(mutants)}: {mutant}: {killers[-1] or 'SURVIVED'}")
    return killers


def kill(checkout: Path, mutant: Mutant, reach: Reach) -> str:
    """Run the tests of a mutant; return the first that fails, or nothing if none does."""
    tests = reach.of(mutant)
    if not tests:
        return ""
    note = checkout / "killer"
    note.unlink(missing_ok=True)

    def body() -> None:
        import pytest

        durations = _Durations()
        status = pytest.main([*PYTEST, "-x", *tests], plugins=[durations])
        killer = durations.failed or f"pytest ended with {status}" if status else ""
        note.write_text(killer, "utf-8")

    seconds = 20 + 4 * sum(reach.cost(test) for test in tests)
    with mutated(checkout / mutant.path, mutant.mutation):
        if not in_child(checkout, body, seconds):
            return "out of time"
    # Without a note the process itself was killed.
    return note.read_text("utf-8") if note.exists() else "the process of the tests"


@contextmanager
def mutated(path: Path, mutation: Mutation) -> Iterator[None]:
    """Change a file for a while."""
    source, status = path.read_text("utf-8"), path.stat()
    try:
        path.write_text(mutation.apply(source), "utf-8")
        yield
    finally:
        path.write_text(source, "utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def in_child(checkout: Path, body: Any, seconds: float) -> bool:
    """Run a function in a process of its own group; return whether it ended in time."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            _enter(checkout)
            body()
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
            os._exit(_BROKEN)
        os._exit(0)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended and os.waitstatus_to_exitcode(status) == _BROKEN:
            raise RuntimeError((checkout / "said").read_text("utf-8"))
        if ended:
            return True
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _enter(checkout: Path) -> None:
    """Let this process import the checkout, and print nothing."""
    os.setpgid(0, 0)
    # Compiled code of a mutant may be taken for that of the next one: same file, size and second.
    sys.dont_write_bytecode = True
    os.chdir(checkout)
    said = os.open("said", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    for stream in range(3):
        os.dup2(said, stream)
    for name in [name for name in sys.modules if name.split(".")[0] in ("simdup", "docs")]:
        del sys.modules[name]
    sys.path[:] = [str(checkout), *(path for path in sys.path if path and Path(path) != ROOT)]


def _short(code: str) -> str:
    """Return code as one line of a table."""
    line = " ".join(code.split()).replace("|", "\\|")
    return line if len(line) <= 60 else line[:59] + "…"
