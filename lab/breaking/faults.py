"""Make each call of each command that writes fail, one after the other, and look at what is left.

Afterwards each target is as it was or as it should be, the sources are untouched, the message is
one clear line, and the next run succeeds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, count

from lab.breaking.judging import Bench, benches, totals
from lab.breaking.striking import Fault
from lab.reporting import Table
from lab.trial import Trial

# What can happen to a call of each kind, and what the table says of it.
FAULTS = {
    "opening a file: too many open files": Fault("open", 0, "EMFILE"),
    "opening a file: input/output error": Fault("open", 0, "EIO", within="run"),
    "reading: input/output error": Fault("read", 0, "EIO", within="run"),
    "writing: disk full from then on": Fault("write", 0, "ENOSPC", lasting=True),
    "writing: input/output error": Fault("write", 0, "EIO"),
    "syncing: input/output error": Fault("sync", 0, "EIO"),
    "closing: input/output error": Fault("close", 0, "EIO", within="run"),
    "changing the size: disk full": Fault("truncate", 0, "ENOSPC"),
    "renaming or linking: disk full": Fault("name", 0, "ENOSPC"),
    "making a folder: disk full": Fault("folder", 0, "ENOSPC"),
    "removing: input/output error": Fault("unlink", 0, "EIO"),
    "mapping memory: no memory": Fault("memory", 0, "ENOMEM"),
    "starting a process or thread: no resources": Fault("process", 0, "EAGAIN"),
}
# From Python there are calls that libraries make in other ways.
_KINDS_IN_PYTHON = ("open", "sync", "name", "folder", "unlink", "memory", "process")
_EVERY = FAULTS | {
    f"{words}, from Python": replace(fault, below=False)
    for words, fault in FAULTS.items()
    if fault.kind in _KINDS_IN_PYTHON and not fault.within
} | {"writing: files of limited size": Fault("room", 0, "EFBIG", below=False)}  # fmt: skip
# Bytes between two limits on the size of files.
_STEP = 700
# Of these the suite strikes a few calls each.
_SMALL = ("dedupe, a folder over another", "query and add", "scan, a table")


def run(trial: Trial) -> Iterator[Table]:
    """Strike every scenario."""
    by_fault: dict[str, Counter[str]] = defaultdict(Counter)
    by_command: dict[str, Counter[str]] = defaultdict(Counter)
    # Two servers at once: what is published takes half an hour of each.
    servers = trial.pick(1, 2)
    with ThreadPoolExecutor(servers) as pool:
        shares = pool.map(lambda n: _strike(trial, slice(n, None, servers)), range(servers))
        for words, command, counts in chain.from_iterable(shares):
            by_fault[words].update(counts)
            by_command[command].update(counts)
    columns = ("faults", "old", "new", "old and new", "left out", "leftovers", "failed")
    ordered = {words: by_fault[words] for words in _EVERY if words in by_fault}
    yield totals("By what went wrong", "fault", columns, ordered)
    yield totals("By command", "command", columns, dict(sorted(by_command.items())))


def _strike(trial: Trial, share: slice) -> list[tuple[str, str, Counter[str]]]:
    """Return the counts of each fault, with the words for it and the command."""
    return [
        (words, bench.scenario.command, counts)
        for number, bench in enumerate(benches(trial, _SMALL, share))
        for words, fault, calls in _planned(bench, trial, number)
        for counts in _strike_all(bench, fault, calls, trial)
    ]


def _planned(bench: Bench, trial: Trial, turn: int) -> Iterator[tuple[str, Fault, Iterable[int]]]:
    """Yield what can be done here, with the words for it, and at which calls."""
    below = bench.server.below
    possible = ((words, one) for words, one in _EVERY.items() if below or not one.below)
    for number, (words, fault) in enumerate(possible):
        if trial.size == "full":
            # Most calls that Python tells of have failed below it before.
            yield words, fault, count(1, 3 if below and not fault.below else 1)
        elif fault.kind == "sync":
            # Of what is to appear; and of the folder that `dedupe --force` moves files into.
            yield words, fault, [1, bench.calls("sync")]
        # The suite takes one call of every second kind, and of the others in the next scenario.
        elif number % 2 == turn % 2:
            yield words, fault, [1 + 7 * number % max(1, bench.calls(fault.kind))]


def _strike_all(
    bench: Bench, fault: Fault, calls: Iterable[int], trial: Trial
) -> Iterator[Counter[str]]:
    """Yield what a fault at each call leads to, until a run ends before it is reached."""
    for number in calls:
        one = replace(fault, number=(number - 1) * _STEP if fault.kind == "room" else number)
        verdict = bench.strike(one)
        outcome = verdict.outcome
        if outcome.status == 0 if fault.kind == "room" else not outcome.reached:
            return
        yield verdict.counts(trial, f"{bench.scenario.name}, {one} ({outcome.path})")
