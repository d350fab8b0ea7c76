"""Kill each command that writes at one moment after the other, and its workers; and interrupt it.

A killed command leaves each target as it was or as it should be, and the next run succeeds and
removes what it finds. An interrupted one cleans up itself, and its status says which signal it was.
If a worker is killed, the command says so in one line.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from lab.breaking.judging import MIXED, NEW, OLD, Bench, benches, totals
from lab.breaking.running import Outcome
from lab.breaking.striking import Fault
from lab.reporting import Table
from lab.trial import Trial

INTERRUPTIONS = ("SIGINT", "SIGTERM", "SIGHUP")
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
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for bench in benches(trial, (_FROM_START_SMALL, _WORKERS)):
        struck = _strike(bench, trial)
        if bench.scenario.name == trial.pick(_FROM_START_SMALL, _FROM_START):
            struck = chain(struck, _from_start(bench, trial))
        for words, counts in struck:
            counted[words].update(counts)
    note = (
        "old, new: all targets are as they were, or as they should be; old and new: some are one, "
        "some the other; leftovers: the next run found some, and removed them"
    )
    columns = ("tried", OLD, NEW, MIXED, "leftovers", "failed")
    yield totals("Commands killed and interrupted", "how", columns, counted, note)


def _strike(bench: Bench, trial: Trial) -> Iterator[tuple[str, Counter[str]]]:
    """Kill a command at every call that concerns its folder; interrupt it at some."""
    calls = bench.count(bench.scenario.arguments)
    for name, stride, workers in (
        ("SIGKILL", trial.pick(calls // 2, 1), False),
        *((name, trial.pick(calls, 9), False) for name in INTERRUPTIONS),
        *([("SIGKILL", trial.pick(6, 1), True)] if bench.scenario.name == _WORKERS else []),
    ):
        words = f"{name} to a worker" if workers else f"{name} at a call"
        for number in range(trial.pick(stride // 2, 1 + 5 % stride), 10**6, stride):
            fault = Fault(number, name, workers=workers)
            verdict = bench.strike(fault)
            if not verdict.outcome.reached:
                break
            yield words, verdict.counts(trial, f"{bench.scenario.name}, {fault}")


def _from_start(bench: Bench, trial: Trial) -> Iterator[tuple[str, Counter[str]]]:
    """Interrupt a command at moments from its start on, imports included."""
    notes = trial.folder / "notes"
    # How much processor time it takes with its imports.
    taken = []
    for _ in range(trial.pick(2, 3)):
        _start(bench, bench.copy(), notes, "SIGINT", 1000)
        taken.append(float(notes.read_text("ascii")))
    # No two runs take the same time: of moments near the end some would come too late.  Beside
    # other tests they differ more.
    whole = trial.pick(0.7, 0.95) * min(taken)
    moments = trial.pick(1, 34)
    for turn, name in enumerate(INTERRUPTIONS):
        for number in range(moments):
            seconds = whole * (number + (turn + 0.5) / len(INTERRUPTIONS)) / moments
            place = bench.copy()
            outcome = _start(bench, place, notes, name, seconds)
            if outcome.reached:
                verdict = bench.judge(place, Fault(0, name), outcome)
                what = f"{bench.scenario.name}, {name} after {seconds:.3f} s"
                yield f"{name} from the start on", verdict.counts(trial, what)


def _start(bench: Bench, place: Path, notes: Path, name: str, seconds: float) -> Outcome:
    """Run a command in a new process that gets a signal after some seconds of processor time."""
    notes.unlink(missing_ok=True)
    script = _AFTER.format(notes=str(notes), name=name, seconds=seconds)
    run = bench.planned(place, bench.scenario.arguments)
    around = replace(run.around, fresh=("-c", script))
    outcome = bench.server.run(replace(run, around=around, clock="", batch=None, patience=300))
    return replace(outcome, reached=notes.exists() and notes.read_text("ascii") == "struck")
