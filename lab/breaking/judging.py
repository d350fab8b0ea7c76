"""Run a scenario with a fault in it, and say what is wrong with what it leaves behind."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from lab.breaking.running import Around, Outcome, Run, Server, build_library
from lab.breaking.scenarios import SCENARIOS, Call, Scenario, fill
from lab.breaking.states import State, differences, look
from lab.breaking.striking import Fault
from lab.reporting import Table
from lab.trial import Trial, say

# When what is there before was made, and when the command runs.
EARLIER, LATER = "2026-01-01T00:00:00.000000+00:00", "2026-01-02T00:00:00.000000+00:00"
# A document that cannot be read is left out of a result, which says so.
_READING = ("open", "read", "close", "any")
OLD, NEW, LEFT_OUT, MIXED = "old", "new", "left out", "old and new"


@dataclass(frozen=True)
class Expected:
    """What a scenario finds, makes, and makes of it when it is called once more."""

    old: State
    new: State
    status: int
    again: State
    status_again: int
    outcome: Outcome


@dataclass
class Verdict:
    """What a fault led to: which state, and what is wrong with it."""

    outcome: Outcome
    state: str = ""
    leftovers: bool = False
    faults: list[str] = field(default_factory=list)

    def report(self, trial: Trial, what: str) -> None:
        """Record what is wrong."""
        for fault in self.faults:
            trial.fail(f"{what}: {fault}")

    def counts(self) -> Counter[str]:
        """Return what the tables count of it."""
        counts = Counter({"tried": 1, "faults": 1, "failed": bool(self.faults)})
        return counts + Counter({self.state: 1, "leftovers": self.leftovers})


def totals(
    title: str,
    head: str,
    columns: Sequence[str],
    counted: Mapping[str, Counter[str]],
    note: str = "",
) -> Table:
    """Return a table of what was counted, a row for each key, and one for all of them."""
    every = {**counted, "all": sum(counted.values(), Counter[str]())}
    rows = [(key, *(counts[name] for name in columns)) for key, counts in every.items()]
    return Table(title, (head, *columns), rows, note)


def benches(trial: Trial, small: Collection[str], share: slice = slice(None)) -> Iterator[Bench]:
    """Yield each scenario, or in a small trial those with some names, set up in a server."""
    chosen = [one for one in SCENARIOS if trial.size == "full" or one.name in small]
    folder = trial.folder / f"share-{share.start or 0}"
    folder.mkdir()
    with Server(build_library(folder)) as server:
        for scenario in chosen[share]:
            say(scenario.name)
            yield Bench(server, folder, scenario)


class Bench:
    """Sets a scenario up, again and again, and judges what becomes of it."""

    def __init__(self, server: Server, folder: Path, scenario: Scenario) -> None:
        self.server, self.scenario = server, scenario
        self._base, self._place = folder / "base", folder / "run"
        for one in (self._base, self._place):
            shutil.rmtree(one, ignore_errors=True)
            one.mkdir()
        fill(self._base)
        if scenario.stdin:
            shutil.copy(self._base / scenario.stdin, self._base / "stdin")
        place = self.copy()
        calls = [*scenario.before, scenario.arguments]
        server.warm([self.planned(place, one) for one in calls], folder / "modules")
        for arguments in scenario.before:
            done = server.run(self.planned(self._base, arguments, clock=EARLIER))
            if done.status != 0:
                raise RuntimeError(f"{scenario.name}: {arguments}: {done.err}")
        if scenario.spoiled:
            with closing(sqlite3.connect(self._base / scenario.spoiled)) as index, index:
                index.execute("UPDATE part SET content = x'' WHERE kind = 'contents'")
        self.expected = self._expect()

    @property
    def within(self) -> str:
        """The folder that the scenario runs in, as `Fault` takes it."""
        return f"{self._place}{os.sep}"

    def copy(self) -> Path:
        """Return a fresh folder as the scenario finds it."""
        shutil.rmtree(self._place)
        return Path(shutil.copytree(self._base, self._place, symlinks=True))

    def planned(
        self, place: Path, arguments: Call, fault: Fault | None = None, clock: str = LATER
    ) -> Run:
        """Return a run of a command in a folder of the scenario."""
        (place / "tmp").mkdir(exist_ok=True)
        streams = {0: "stdin"} if (place / "stdin").exists() else {}
        around = Around({"TMPDIR": str(place / "tmp")}, streams=streams)
        return Run(arguments, place, around, fault, clock, divided="2" in arguments)

    def run(self, place: Path, arguments: Call = (), fault: Fault | None = None) -> Outcome:
        """Run the command of the scenario, or another one."""
        return self.server.run(self.planned(place, arguments or self.scenario.arguments, fault))

    def _expect(self) -> Expected:
        place = self.copy()
        old = look(place)
        outcome = self.run(place, fault=Fault("any", 0, below=self.server.below))
        new = look(place)
        again = self.run(place)
        if outcome.status != self.scenario.status or new.leftovers:
            raise RuntimeError(f"{self.scenario.name}: {outcome}, {new.leftovers}")
        assert again.status is not None
        return Expected(old, new, self.scenario.status, look(place), again.status, outcome)

    def calls(self, kind: str) -> int:
        """Return how many calls of a kind a run makes that nothing happens to."""
        counts = self.expected.outcome.counts
        return sum(counts.values()) if kind == "any" else counts.get(kind, 0)

    def count(self, arguments: Call) -> int:
        """Return how many calls within the folder the main process of a command makes alone."""
        if not self.server.below:
            return 0
        fault = Fault("any", 0, where="main", within=self.within)
        return self.run(self.copy(), arguments, fault).counted

    def strike(self, fault: Fault) -> Verdict:
        """Run the command with a fault, look at what is there, and run it once more without."""
        place = self.copy()
        if fault.within:
            fault = replace(fault, within=self.within)
        outcome = self.run(place, fault=fault)
        if not outcome.reached and fault.kind != "room":
            return Verdict(outcome)
        return self.judge(place, fault, outcome)

    def judge(self, place: Path, fault: Fault, outcome: Outcome) -> Verdict:
        """Look at what a command with a fault left behind, and run it once more."""
        verdict = Verdict(outcome)
        state = look(place)
        verdict.leftovers = bool(state.leftovers)
        source = bool(fault.error) and fault.kind in _READING and self._is_source(outcome.path)
        self._judge_files(verdict, state, source)
        self._judge_words(verdict, fault, source)
        if fault.kind == "sync":
            self._judge_sync(verdict, outcome)
        # From these two states, the next run is one that has been seen.
        if state not in (self.expected.old, self.expected.new):
            self._judge_next(verdict, place)
        return verdict

    def _is_source(self, path: str) -> bool:
        """Return whether a path is a SOURCE, or the copy of standard input."""
        if self.scenario.stdin and os.path.basename(path) == "input":
            return True
        below = os.path.relpath(os.path.join(self._place, path), self._place)
        return below in self.expected.old.beside(self.scenario.targets) and below != "tmp"

    def _judge_files(self, verdict: Verdict, state: State, source: bool) -> None:
        """Each target is as it was or as it should be; everything else is as it was."""
        targets, expected = self.scenario.targets, self.expected
        beside, was = state.beside(targets), expected.old.beside(targets)
        if beside != was:
            verdict.faults.append(f"changed outside of its targets: {differences(beside, was)}")
        states = {self._which(state, target) for target in targets}
        if "" in states and source and (verdict.outcome.status == 2 or self.scenario.rereads):
            states = {LEFT_OUT}
        if "" in states:
            verdict.faults.append(
                "neither old nor new: "
                + "; ".join(differences(state.of(t), expected.new.of(t)) for t in targets)
            )
        verdict.state = states.pop() if len(states) == 1 else MIXED

    def _which(self, state: State, target: str) -> str:
        now, old, new = (s.of(target) for s in (state, self.expected.old, self.expected.new))
        if now == new:
            return NEW
        if now == old:
            return OLD
        each = all(
            now.get(p) in (old.get(p), new.get(p)) for p in now.keys() | old.keys() | new.keys()
        )
        return MIXED if self.scenario.by_file and each else ""

    def _judge_words(self, verdict: Verdict, fault: Fault, source: bool) -> None:
        """An error is one clear line and status 2; success means that all is there."""
        outcome = verdict.outcome
        lines = outcome.err.splitlines()
        errors = [line for line in lines if line.startswith("simdup: ")]
        if not outcome.alone:
            verdict.faults.append("processes that it started go on")
        verdict.faults += outcome.unclear()
        if outcome.status is None:
            return
        if fault.signal and fault.where != "workers":
            self._judge_end(verdict, outcome, fault)
        elif outcome.status == self.expected.status:
            if verdict.state != NEW and not (source and self.scenario.rereads):
                verdict.faults.append(
                    f"status {outcome.status}, but the state is {verdict.state!r}"
                )
        else:
            if outcome.status != 2:
                verdict.faults.append(f"status {outcome.status}")
            # A document that cannot be read has a line of its own.
            if len(errors) != 1 and not (source and errors):
                verdict.faults.append(f"{len(errors)} lines of error: {outcome.err!r}")

    def _judge_sync(self, verdict: Verdict, outcome: Outcome) -> None:
        """What could not be synced does not appear, and the command fails; with two exceptions.

        Of the folder that a target has appeared in, nobody can say more than that it was tried. And
        what SQLite cannot move from its log into an index is safe in the log, which stays.
        """
        name = os.path.basename(outcome.path)
        in_log = name.removesuffix("-wal") in self.scenario.targets and verdict.leftovers
        if outcome.status == self.expected.status:
            if outcome.path != os.path.realpath(self._place) and not in_log:
                verdict.faults.append(f"{outcome.path} was not synced, and it said nothing")
        # Folders that files were moved into are synced afterwards.
        elif verdict.state == NEW and not self.scenario.by_file:
            verdict.faults.append(f"{outcome.path} was not synced, but it appeared")

    def _judge_end(self, verdict: Verdict, outcome: Outcome, fault: Fault) -> None:
        """A signal ends a command with its own status, at most one line, and nothing left."""
        number = getattr(signal, fault.signal)
        if outcome.status != (-number if number == signal.SIGKILL else 128 + number):
            verdict.faults.append(f"status {outcome.status}")
        if number == signal.SIGKILL:
            return
        interruptions = [line for line in outcome.err.splitlines() if "interrupted" in line]
        most = int(number == signal.SIGINT)
        # Interrupted while it imports modules, a command says nothing.
        least = most if fault.number else 0
        if not least <= len(interruptions) <= most:
            verdict.faults.append(f"it said {outcome.err!r}")
        if verdict.leftovers:
            verdict.faults.append("it left something behind")

    def _judge_next(self, verdict: Verdict, place: Path) -> None:
        """The next run succeeds and leaves nothing behind, whatever it found."""
        expected, targets = self.expected, self.scenario.targets
        again = self.run(place)
        after = look(place)
        # A run that stops because its target exists does not open an index beside it.
        if after.leftovers and again.status == expected.status:
            verdict.faults.append(f"left behind after the next run: {after.leftovers}")
        if after.beside(targets) != expected.old.beside(targets):
            verdict.faults.append("the next run changed something beside its targets")
        # Nothing is deleted from a target that is replaced file by file.
        made = {
            p: w
            for p, w in after.files.items()
            if p in expected.new.files or not self.scenario.by_file
        }
        if verdict.state == OLD or self.scenario.by_file:
            if again.status != expected.status or made != expected.new.files:
                verdict.faults.append(
                    f"the next run: status {again.status}, {again.err!r}, "
                    + differences(made, expected.new.files)
                )
        elif verdict.state == NEW and (
            again.status != expected.status_again or after.files != expected.again.files
        ):
            verdict.faults.append(
                f"the next run over the new state: status {again.status}, {again.err!r}, "
                + differences(after.files, expected.again.files)
            )
        if again.status not in (0, 2) or any(again.unclear()):
            verdict.faults.append(f"the next run: status {again.status}, {again.err!r}")
