"""Change the algorithms in small ways, one at a time: does a test fail?

A mutant is killed if one of the tests that run the changed line fails, or never ends.
A mutant that survives shows a missing test, or a change without an effect on results: many guard
speed or memory.

It is also the plugin of pytest that notes what tests take and run, ``-p lab.breaking.mutants``.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from lab.breaking.mutations import Mutation, mutations
from lab.measuring import CHECKOUT, environment
from lab.reporting import Table
from lab.trial import Trial, say

ROOMS = ("search", "lsh", "verify", "reuse")
# Tests of these folders run for every mutant whose line they reach.
TESTS = ("search", "lsh", "verify", "reuse", "clustering", "fingerprints", "operations")
COPIED = ("simdup", "tests", "examples", "docs", "lab", "pyproject.toml",
          "README.md", "README.zh-CN.md")  # fmt: skip
SEED, MUTANTS = 21, 300
# Seconds of tests that a mutant must survive, as they took without it: the shortest tests first.
PATIENCE = 20.0
PYTEST = ["-q", "-p", "no:randomly", "-p", "no:xdist", "-p", "no:cov", "-p", "no:cacheprovider",
          "-p", "lab.breaking.mutants", "-m", "not spark"]  # fmt: skip
# Variables that name the files of the plugin: for seconds and failures, and for lines, if any.
_NOTES, _LINES = "SIMDUP_MUTANTS_NOTES", "SIMDUP_MUTANTS_LINES"


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
        Mutant(str(path.relative_to(CHECKOUT)), mutation)
        for room in rooms
        for path in sorted((CHECKOUT / "simdup" / room).glob("*.py"))
        for mutation in mutations(path.read_text("utf-8"))
    ]
    return random.Random(SEED).sample(every, number)


def copy(checkout: Path) -> None:
    """Copy the parts of the project that tests need."""
    for name in COPIED:
        source, target = CHECKOUT / name, checkout / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)


def measure(checkout: Path, tests: list[str]) -> Reach:
    """Run the tests once, without a mutant, and note which lines each of them runs."""
    from coverage import CoverageData

    say("which test runs which line")
    data = checkout / "lines.coverage"
    _, notes = _run_tests(checkout, tests, 7200, **{_LINES: str(data)})
    found = CoverageData(str(data))
    found.read()
    reached: dict[tuple[str, int], set[str]] = defaultdict(set)
    for file in found.measured_files():
        path = str(Path(file).relative_to(checkout))
        for line, names in found.contexts_by_lineno(file).items():
            reached[path, line] |= {name for name in names if name}
    return Reach(reached, notes["seconds"])


def kill_all(checkout: Path, mutants: list[Mutant], reach: Reach, jobs: int) -> list[str]:
    """Return what kills each mutant, as `kill` does; each worker has a checkout of its own."""
    checkouts = [checkout, *(checkout.with_name(f"checkout{job}") for job in range(1, jobs))]
    for other in checkouts[1:]:
        shutil.copytree(checkout, other)

    def kill_part(job: int) -> list[str]:
        killers = []
        for mutant in mutants[job::jobs]:
            killers.append(kill(checkouts[job], mutant, reach))
            say(f"{mutant}: {killers[-1] or 'SURVIVED'}")
        return killers

    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(kill_part, range(jobs)))
    return [found[number % jobs][number // jobs] for number in range(len(mutants))]


def kill(checkout: Path, mutant: Mutant, reach: Reach) -> str:
    """Run the tests of a mutant; return the first that fails, or nothing if none does."""
    tests = reach.of(mutant)
    if not tests:
        return ""
    seconds = 20 + 4 * sum(reach.cost(test) for test in tests)
    with mutated(checkout / mutant.path, mutant.mutation):
        status, notes = _run_tests(checkout, ["-x", *tests], seconds)
    if status is None:
        return "out of time"
    return notes["failed"] or (f"pytest ended with {status}" if status else "")


def _run_tests(
    checkout: Path, arguments: Sequence[str], seconds: float, **variables: str
) -> tuple[int | None, dict[str, Any]]:
    """Run pytest in a group of its own; return its status, None if it hung, and its notes."""
    notes = checkout / "notes"
    notes.unlink(missing_ok=True)
    variables |= {_NOTES: str(notes), "PYTHONPATH": f"{checkout}{os.pathsep}{CHECKOUT}"}
    # Compiled code of a mutant may be taken for that of the next one: same file, size and second.
    command = [sys.executable, "-B", "-m", "pytest", *PYTEST, *arguments]
    with open(checkout / "printed", "w") as printed, subprocess.Popen(
        command, cwd=checkout, env=environment(**variables), stdout=printed, stderr=printed,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, {}
    found = json.loads(notes.read_text("utf-8")) if notes.exists() else {}
    return status, {"failed": "", "seconds": {}} | found


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


def _short(code: str) -> str:
    """Return code as one line of a table."""
    line = " ".join(code.split()).replace("|", "\\|")
    return line if len(line) <= 60 else line[:59] + "…"


# -- the plugin ------------------------------------------------------------------------------------

_seconds: dict[str, float] = defaultdict(float)
_failed: list[str] = []
_watchers: list[Any] = []


def pytest_configure() -> None:
    """Watch which lines run, if they are asked for."""
    if _LINES in os.environ:
        from coverage import Coverage

        source = [str(Path.cwd() / "simdup")]
        _watchers.append(Coverage(os.environ[_LINES], source=source, context="", config_file=False))
        _watchers[0].start()


def pytest_runtest_logstart(nodeid: str) -> None:
    """Let the lines that run from now on be those of a test."""
    for watcher in _watchers:
        watcher.switch_context(nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    """Note how long a test takes, and whether it fails."""
    _seconds[report.nodeid] += report.duration
    if report.failed:
        _failed.append(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write the notes, and the lines."""
    for watcher in _watchers:
        watcher.stop()
        watcher.save()
    notes = {"failed": (_failed or [""])[0], "seconds": _seconds}
    Path(os.environ[_NOTES]).write_text(json.dumps(notes), "utf-8")
