"""Run a scenario, strike it, and say what is wrong with what it leaves behind."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import sqlite3
import stat
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from lab.breaking.running import Around, Outcome, Run, Server
from lab.breaking.scenarios import SCENARIOS, Call, Scenario, fill
from lab.breaking.striking import Fault
from lab.reporting import Table
from lab.trial import Trial, say

# When what is there before was made, and when the command runs.
EARLIER, LATER = "2026-01-01T00:00:00.000000+00:00", "2026-01-02T00:00:00.000000+00:00"
OLD, NEW, MIXED = "old", "new", "old and new"


# -- what a folder holds ---------------------------------------------------------------------------

# How long a run took: it differs.
_SECONDS = re.compile(rb'("seconds": ?)[0-9.e-]+')
_DAMAGED = b"damaged: "
_DATES = re.compile(rb"\d{4}-\d\d-\d\dT[0-9:.+]+")
# What SQLite keeps beside an index while it is open.
SIDES = ("-wal", "-shm", "-journal")

# What is at each path below the folder.
Files = dict[str, str]


@dataclass(frozen=True)
class State:
    """What is in a folder."""

    files: Files  # what must be right; of an index its rows, as its pages may lie in any order
    leftovers: tuple[str, ...] = ()  # what a run should have removed

    def of(self, *targets: str) -> Files:
        """Return targets, with all that is in them."""
        return {p: what for p, what in self.files.items() if p.split(os.sep)[0] in targets}

    def beside(self, *targets: str) -> Files:
        """Return what is not part of a target."""
        return {p: what for p, what in self.files.items() if p.split(os.sep)[0] not in targets}


def look(folder: Path) -> State:
    """Return the state of a folder without changing it."""
    files: Files = {}
    leftovers = list[str]()
    for place, folders, names in os.walk(folder):
        for name in sorted([*folders, *names]):
            full = os.path.join(place, name)
            path = os.path.relpath(full, folder)
            side = full.endswith(SIDES) and os.path.exists(full.rpartition("-")[0])
            if name.startswith(".simdup-") or side:
                leftovers.append(path)
            elif path.split(os.sep)[0] != "tmp":
                files[path] = _describe(full)
        folders[:] = sorted(name for name in folders if not name.startswith(".simdup-"))
    return State(files, tuple(leftovers))


def _describe(path: str) -> str:
    """Return what is at a path: its kind, its mode, a digest of its content."""
    status = os.lstat(path)
    mode = f"{stat.S_IMODE(status.st_mode):o}"
    if stat.S_ISLNK(status.st_mode):
        return f"link to {os.readlink(path)}"
    if not stat.S_ISREG(status.st_mode):
        return f"folder {mode}"
    content = Path(path).read_bytes()
    if content.startswith(b"SQLite format 3\0"):
        content = _rows(path)
        if content.startswith(_DAMAGED):
            return f"file {mode} {content.decode()}"
    content = _SECONDS.sub(rb"\1", content)
    return f"file {mode} {hashlib.blake2b(content, digest_size=8).hexdigest()}"


def _rows(path: str) -> bytes:
    """Return what a reader finds in an index: pages may lie in any order, and in its journal."""
    with tempfile.TemporaryDirectory() as folder:
        for side in ("", *SIDES):
            if os.path.exists(path + side):
                shutil.copy(path + side, os.path.join(folder, "index" + side))
        try:
            with closing(sqlite3.connect(os.path.join(folder, "index"))) as database:
                checked = database.execute("PRAGMA integrity_check").fetchall()
                # Without the checksum of the head, in which dates are.
                blobs = "SELECT number, substr(content, 1 + 4 * (number = 0)) FROM blob ORDER BY 1"
                rows = database.execute(blobs).fetchall()
        except sqlite3.Error as error:
            return _DAMAGED + str(error).encode()
    return _DATES.sub(b"date", repr((checked, rows)).encode())


def differences(files: Files, wanted: Files) -> str:
    """Return how one state differs from another, in a few words."""
    return "; ".join(
        f"{path}: {files.get(path)} instead of {wanted.get(path)}"
        for path in sorted(files.keys() | wanted.keys())
        if files.get(path) != wanted.get(path)
    )


# -- what a strike leads to ------------------------------------------------------------------------


@dataclass
class Verdict:
    """What a strike led to: which state, and what is wrong with it."""

    outcome: Outcome
    state: str = ""
    leftovers: bool = False
    faults: list[str] = field(default_factory=list)

    def counts(self, trial: Trial, what: str) -> Counter[str]:
        """Record what is wrong, and return what the tables count."""
        for fault in self.faults:
            trial.fail(f"{what}: {fault}")
        counts = Counter({"tried": 1, "failed": bool(self.faults)})
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


def benches(trial: Trial, small: Collection[str]) -> Iterator[Bench]:
    """Yield each scenario, or in a small trial those with some names, set up in a server."""
    chosen = [one for one in SCENARIOS if trial.size == "full" or one.name in small]
    with Server() as server:
        for scenario in chosen:
            say(scenario.name)
            yield Bench(server, trial.folder, scenario)


class Bench:
    """Sets a scenario up, again and again, and judges what becomes of it.

    It knows the states that the command finds and makes, and what it makes when called once more.
    """

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
        for arguments in (*scenario.before, scenario.arguments):
            server.run(replace(self.planned(place, arguments), warms=True))
        for arguments in scenario.before:
            done = server.run(replace(self.planned(self._base, arguments), clock=EARLIER))
            self._expect(not done.status, done)
        place = self.copy()
        self.old = look(place)
        outcome = self.run(place)
        self.new = look(place)
        self._expect(not outcome.status and not self.new.leftovers, outcome)
        # Otherwise states of an index would be compared by why they cannot be read.
        states = (*self.old.files.values(), *self.new.files.values())
        self._expect(not any(_DAMAGED.decode() in one for one in states), outcome)
        self.status_again = self.run(place).status
        self.again = look(place)

    def _expect(self, right: bool, outcome: Outcome) -> None:
        if not right:
            raise RuntimeError(f"{self.scenario.name}: {outcome}")

    def copy(self) -> Path:
        """Return a fresh folder as the scenario finds it."""
        shutil.rmtree(self._place)
        return Path(shutil.copytree(self._base, self._place, symlinks=True))

    def planned(self, place: Path, arguments: Call, fault: Fault | None = None) -> Run:
        """Return a run of a command in a folder of the scenario."""
        (place / "tmp").mkdir(exist_ok=True)
        streams = {0: "stdin"} if (place / "stdin").exists() else {}
        around = Around({"TMPDIR": str(place / "tmp")}, streams=streams)
        batch = 0 if "2" in arguments else None
        return Run(arguments, place, around, fault, LATER, batch)

    def run(self, place: Path, arguments: Call = (), fault: Fault | None = None) -> Outcome:
        """Run the command of the scenario, or another one."""
        return self.server.run(self.planned(place, arguments or self.scenario.arguments, fault))

    def inside(self, fault: Fault) -> Fault:
        """Return a fault that counts only what concerns the folder of the scenario."""
        return replace(fault, within=f"{self._place}{os.sep}")

    def count(self, arguments: Call) -> int:
        """Return how many calls within the folder the main process of a command makes alone."""
        return self.run(self.copy(), arguments, self.inside(Fault(0))).counted

    def strike(self, fault: Fault) -> Verdict:
        """Run the command with a fault, look at what is there, and run it once more without."""
        place = self.copy()
        outcome = self.run(place, fault=self.inside(fault))
        return self.judge(place, fault, outcome) if outcome.reached else Verdict(outcome)

    def judge(self, place: Path, fault: Fault, outcome: Outcome) -> Verdict:
        """Look at what a command with a fault left behind, and run it once more."""
        state = look(place)
        verdict = Verdict(outcome, leftovers=bool(state.leftovers))
        self._judge_files(verdict, state)
        verdict.faults += self._judge_words(verdict, fault)
        verdict.faults += self._judge_next(verdict, place)
        return verdict

    def _judge_files(self, verdict: Verdict, state: State) -> None:
        """Each target is as it was or as it should be; everything else is as it was."""
        targets = self.scenario.targets
        beside, was = state.beside(*targets), self.old.beside(*targets)
        if beside != was:
            verdict.faults.append(f"changed outside of its targets: {differences(beside, was)}")
        states = {self._which(state, target) for target in targets}
        if "" in states:
            wrong = differences(state.of(*targets), self.new.of(*targets))
            verdict.faults.append(f"neither old nor new: {wrong}")
        verdict.state = states.pop() if len(states) == 1 else MIXED

    def _which(self, state: State, target: str) -> str:
        now, old, new = (one.of(target) for one in (state, self.old, self.new))
        if now == new:
            return NEW
        if now == old:
            return OLD
        paths = now.keys() | old.keys() | new.keys()
        each = all(now.get(path) in (old.get(path), new.get(path)) for path in paths)
        return MIXED if self.scenario.by_file and each else ""

    def _judge_words(self, verdict: Verdict, fault: Fault) -> Iterator[str]:
        """An error is one clear line and status 2; success means that all is there."""
        outcome = verdict.outcome
        number = 0 if fault.workers else getattr(signal, fault.signal)
        killed = number == signal.SIGKILL
        yield from outcome.faults((-number if killed else 128 + number,) if number else (0, 2))
        if number:
            # A signal ends a command with at most one line, and nothing left behind.
            most = int(number == signal.SIGINT)
            # Interrupted while it imports modules, a command says nothing.
            least = most if fault.number else 0
            if not killed and not least <= outcome.err.count("interrupted") <= most:
                yield f"it said {outcome.err!r}"
            if not killed and verdict.leftovers:
                yield "it left something behind"
        elif outcome.status == 0:
            if verdict.state != NEW:
                yield f"status 0, but the state is {verdict.state!r}"
        elif len(outcome.errors) != 1:
            yield f"{len(outcome.errors)} lines of error: {outcome.err!r}"

    def _judge_next(self, verdict: Verdict, place: Path) -> Iterator[str]:
        """The next run succeeds and leaves nothing behind, whatever it found."""
        targets, by_file = self.scenario.targets, self.scenario.by_file
        again = self.run(place)
        after = look(place)
        # A run that stops because its target exists does not open an index beside it.
        if after.leftovers and again.status == 0:
            yield f"left behind after the next run: {after.leftovers}"
        if after.beside(*targets) != self.old.beside(*targets):
            yield "the next run changed something beside its targets"
        # Nothing is deleted from a target that is replaced file by file.
        made = {p: w for p, w in after.files.items() if p in self.new.files or not by_file}
        if verdict.state == OLD or by_file:
            if again.status != 0 or made != self.new.files:
                wrong = differences(made, self.new.files)
                yield f"the next run: status {again.status}, {again.err!r}, {wrong}"
        elif verdict.state == NEW and (again.status, after.files) != (
            self.status_again, self.again.files
        ):  # fmt: skip
            wrong = differences(after.files, self.again.files)
            yield f"the next run over the new state: status {again.status}, {again.err!r}, {wrong}"
        for what in again.faults():
            yield f"the next run: {what}"
