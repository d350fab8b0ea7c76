"""Kill each command that writes at one moment after the other, and its workers; and interrupt it.

A killed command leaves each target as it was or as it should be, and the next run succeeds and
removes what it finds. An interrupted one cleans up itself, and its status says which signal it was.
If a worker is killed, the command says so in one line.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lab.breaking.judging import MIXED, NEW, OLD, Bench, Verdict
from lab.breaking.running import ROOT, Outcome, Server, build_library
from lab.breaking.scenarios import Scenario, choose
from lab.breaking.serving import reset_signals
from lab.breaking.striking import Fault
from lab.reporting import Table
from lab.trial import Trial, say

INTERRUPTIONS = ("SIGINT", "SIGTERM", "SIGHUP")
# Scenarios that the suite kills.
_SMALL = ("index add", "scan, with two processes")
_WORKERS = "scan, with two processes"
# The command that is interrupted from its start on, imports included; and that of the suite.
_FROM_START, _FROM_START_SMALL = "dedupe, a folder and an index", "index add"

# After some processor time, a process sends a signal to itself. It notes that, or how much it took.
# What comes before the first line of simdup is Python's.
_AFTER = """
import os, signal
def note(what):
    with open({notes!r}, "w") as file:
        file.write(what)
def strike(*_):
    note("struck")
    os.kill(os.getpid(), signal.{name})
from simdup.__main__ import main
signal.signal(signal.SIGPROF, strike)
signal.setitimer(signal.ITIMER_PROF, {seconds})
try:
    main()
finally:
    left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
    if left:
        note(str({seconds} - left))
"""


def run(trial: Trial) -> Iterator[Table]:
    """Kill and interrupt."""
    counted: dict[str, Counter[str]] = {}
    with Server(trial.folder, build_library(trial.folder)) as server:
        for scenario in choose(trial, _SMALL):
            say(scenario.name)
            bench = Bench(server, trial.folder, scenario)
            if server.below:
                for words, verdict in _strike(bench, trial):
                    _count(counted.setdefault(words, Counter()), verdict)
            if scenario.name == trial.pick(_FROM_START_SMALL, _FROM_START):
                for words, verdict in _from_start(bench, trial):
                    _count(counted.setdefault(words, Counter()), verdict)
    yield _table(counted)


def _strike(bench: Bench, trial: Trial) -> Iterator[tuple[str, Verdict]]:
    """Kill a command at every third call that concerns its folder; interrupt it at some."""
    calls = bench.count(bench.scenario.arguments)
    for name, stride, where in (
        ("SIGKILL", trial.pick(calls // 3, 3), "main"),
        *((name, trial.pick(calls, 29), "main") for name in INTERRUPTIONS),
        *([("SIGKILL", trial.pick(20, 1), "workers")] if bench.scenario.name == _WORKERS else []),
    ):
        first = trial.pick(stride // 2, 1 + 5 % stride)
        for number in range(first, 10**6, stride):
            fault = Fault("any", number, signal=name, where=where, within="run")
            verdict = bench.strike(fault)
            assert verdict.outcome is not None
            if not verdict.outcome.reached:
                break
            _report(trial, bench.scenario, str(fault), verdict)
            yield f"{name} to a worker" if where == "workers" else f"{name} at a call", verdict


def _from_start(bench: Bench, trial: Trial) -> Iterator[tuple[str, Verdict]]:
    """Interrupt a command at moments from its start on, imports included."""
    # No two runs take the same time: of moments near the end some would come too late.
    whole = 0.95 * _seconds(bench, trial)
    moments = trial.pick(1, 34)
    for turn, name in enumerate(INTERRUPTIONS):
        for number in range(moments):
            seconds = whole * (number + (turn + 0.5) / len(INTERRUPTIONS)) / moments
            place = bench.copy()
            outcome = _start(bench, place, trial.folder / "notes", (name, seconds))
            if not outcome.reached:
                continue
            verdict = bench.judge(place, Fault("any", 0, signal=name), outcome)
            _report(trial, bench.scenario, f"{name} after {seconds:.3f} s", verdict)
            yield f"{name} from the start on", verdict


def _seconds(bench: Bench, trial: Trial) -> float:
    """Return how much processor time a command takes with its imports."""
    notes = trial.folder / "notes"
    _start(bench, bench.copy(), notes, ("SIGINT", 1000))
    return float(notes.read_text("ascii"))


def _start(bench: Bench, place: Path, notes: Path, strike: tuple[str, float]) -> Outcome:
    """Run a command in a new process that gets a signal after some seconds of processor time."""
    notes.unlink(missing_ok=True)
    name, seconds = strike
    script = _AFTER.format(notes=str(notes), name=name, seconds=seconds)
    temporary = place / "tmp"
    temporary.mkdir(exist_ok=True)
    environment = os.environ | {
        "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "TMPDIR": str(temporary),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", script, *bench.scenario.arguments], cwd=place, env=environment,
        capture_output=True, text=True, check=False, timeout=300, preexec_fn=reset_signals,
    )  # fmt: skip
    struck = notes.exists() and notes.read_text("ascii") == "struck"
    return Outcome(done.returncode, done.stderr, done.stdout, reached=struck)


def _report(trial: Trial, scenario: Scenario, what: str, verdict: Verdict) -> None:
    for fault in verdict.faults:
        trial.fail(f"{scenario.name}, {what}: {fault}")


def _count(counts: Counter[str], verdict: Verdict) -> None:
    counts["tried"] += 1
    counts[verdict.state] += 1
    counts["leftovers"] += verdict.leftovers
    counts["failed"] += bool(verdict.faults)


def _table(counted: dict[str, Counter[str]]) -> Table:
    columns = ("tried", OLD, NEW, MIXED, "leftovers", "failed")
    total = sum(counted.values(), Counter[str]())
    rows = [(key, *(counts[name] for name in columns)) for key, counts in counted.items()]
    rows.append(("all", *(total[name] for name in columns)))
    note = (
        "old, new: all targets are as they were, or as they should be; old and new: some are one, "
        "some the other; leftovers: the next run found some, and removed them"
    )
    return Table("Commands killed and interrupted", ("how", *columns), rows, note)
