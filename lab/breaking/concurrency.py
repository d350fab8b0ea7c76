"""Start two commands that write the same target together, and readers beside a writer.

One of them sleeps at one call after the other; then the other starts and overtakes it there. If
both succeed, there is what they make one after the other, in some order; if one fails, there is
what the other makes alone, and it said why in one line. A reader sees the old or the new state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.breaking.judging import Bench, benches, totals
from lab.breaking.running import Outcome
from lab.breaking.scenarios import Call, Scenario
from lab.breaking.states import Files, State, differences, is_side, look
from lab.breaking.striking import Fault
from lab.reporting import Table
from lab.trial import Trial

Pair = tuple[Call, Call]
# Milliseconds: long enough for another command to end meanwhile, also on a busy machine; and those
# of the suite.
_PAUSE, _PAUSE_SMALL = 400, 150
# Scenarios that the suite starts twice, and those in which an index is read beside a writer.
_SMALL = ("fingerprint", "dedupe, a file", "index add")
_WRITERS = ("index add", "index remove", "query and add")
_READERS: tuple[Call, ...] = (
    ("query", "seen", "in/a.txt", "-f", "csv", "-j", "1"),
    ("index", "export", "seen"),
    ("index", "check", "seen"),
    ("index", "info", "seen", "-q"),
)


def run(trial: Trial) -> Iterator[Table]:
    """Try pairs of writers, and readers beside writers."""
    writers: dict[str, Counter[str]] = {}
    readers: dict[str, Counter[str]] = {}
    for bench in benches(trial, _SMALL):
        for counts in _write_twice(bench, trial):
            writers.setdefault(bench.scenario.command, Counter()).update(counts)
        if bench.scenario.name in _WRITERS:
            for command, counts in _read_beside(bench, trial):
                readers.setdefault(command, Counter()).update(counts)
    columns = ("tried", "both succeeded", "one gave way", "failed")
    yield totals("Two writers of one target", "command", columns, dict(sorted(writers.items())))
    columns = ("tried", "old", "new", "either", "failed")
    ordered = dict(sorted(readers.items()))
    yield totals("Readers of an index beside a writer", "command", columns, ordered)


def variant(scenario: Scenario) -> Call:
    """Return a command that writes the same targets from other sources, where there are some."""
    words = scenario.arguments
    if "in" in words and "more" in words:
        return tuple(word for word in words if word != "more")
    other = {"in": "more", "more": "s.jsonl", "r.jsonl": "s.jsonl", "in/a.txt": "in/c.txt"}
    return tuple(other.get(word, word) for word in words)


@dataclass(frozen=True)
class Orders:
    """What two commands make alone, and one after the other."""

    targets: tuple[str, ...]
    alone: tuple[State, State]
    serial: tuple[State, State]
    statuses: tuple[int | None, ...]  # of each alone

    def differs(self, state: State, done: Sequence[bool]) -> str:
        """Return how a state differs from what those that are done should make; nothing if not."""
        allowed = [one for one, well in zip(self.alone, done, strict=True) if well]
        if all(done):
            allowed = list(self.serial)
        elif len(self.targets) > 1:
            # Before a command fails at one target, it may have written another.
            allowed += self.serial
        parts = [lambda one, target=target: one.of(target) for target in self.targets]
        parts.append(lambda one: one.beside(self.targets))
        return "; ".join(filter(None, (_closest(part, state, allowed) for part in parts)))


def _closest(part: Callable[[State], Files], state: State, allowed: Sequence[State]) -> str:
    """Return how a part of a state differs from the one that is most like it."""
    return min((differences(part(state), part(one)) for one in allowed), key=len, default="")


def _serially(bench: Bench, calls: Pair) -> Orders:
    states, statuses = [], []
    for order in ((0,), (1,), (0, 1), (1, 0)):
        place = bench.copy()
        for number in order:
            status = bench.run(place, calls[number]).status
        states.append(look(place))
        statuses.append(status)
    alone, serial = (states[0], states[1]), (states[2], states[3])
    return Orders(bench.scenario.targets, alone, serial, tuple(statuses[:2]))


def _pauses(bench: Bench, calls: Pair, moments: int, pause: int) -> Iterator[list[Fault | None]]:
    """Yield where one of two commands sleeps, by turns; at first, they only start together.

    Without a compiler, they always do.
    """
    yield from [[None, None]] * (1 if bench.server.below else moments)
    counts = [bench.count(call) for call in calls]
    for moment in range(moments if bench.server.below else 0):
        who = moment % 2
        number = 1 + counts[who] * (2 * moment + 1) // (2 * moments)
        fault = Fault("any", number, pause=pause, where="main", within=bench.within)
        yield [None, fault] if who else [fault, None]


def _together(
    bench: Bench, place: Path, calls: Pair, faults: Sequence[Fault | None]
) -> list[Outcome]:
    pairs = zip(calls, faults, strict=True)
    return bench.server.together([bench.planned(place, call, fault) for call, fault in pairs])


def _unreached(ended: Sequence[Outcome], faults: Sequence[Fault | None]) -> Iterator[str]:
    """Yield what to say if a command did not sleep where it should: then nothing was tried."""
    for one, fault in zip(ended, faults, strict=True):
        if fault and not one.reached:
            yield f"it ended before {fault}"


def _write_twice(bench: Bench, trial: Trial) -> Iterator[Counter[str]]:
    """Start two writers together, and yield what became of them."""
    calls = (bench.scenario.arguments, variant(bench.scenario))
    orders = _serially(bench, calls)
    pause = trial.pick(_PAUSE_SMALL, _PAUSE)
    for pauses in _pauses(bench, calls, trial.pick(2, 12), pause):
        place = bench.copy()
        ended = _together(bench, place, calls, pauses)
        state = look(place)
        done = [one.status == alone for one, alone in zip(ended, orders.statuses, strict=True)]
        faults = [w for one, well in zip(ended, done, strict=True) for w in _complaints(one, well)]
        faults += _unreached(ended, pauses)
        if other := orders.differs(state, done):
            faults.append(f"not what they make, {done}: {other}")
        # SQLite's own files stay if two processes close an index at the same moment.
        if left := [path for path in state.leftovers if not is_side(path)]:
            faults.append(f"left behind: {left}")
        if not any(done):
            faults.append(f"both failed: {[one.err for one in ended]}")
        for what in faults:
            trial.fail(f"{bench.scenario.name}, twice, {_words(pauses)}: {what}")
        yield Counter(
            {"tried": 1, "failed": bool(faults), "both succeeded": all(done),
             "one gave way": sum(done) == 1}
        )  # fmt: skip


def _complaints(outcome: Outcome, well: bool) -> Iterator[str]:
    """Yield what is wrong with the end of one of two commands."""
    lines = outcome.err.splitlines()
    errors = [line for line in lines if line.startswith("simdup: ") and "; waiting" not in line]
    if not well and outcome.status != 2:
        yield f"status {outcome.status}"
    if not well and len(errors) != 1:
        yield f"{len(errors)} lines of error: {outcome.err!r}"
    yield from outcome.unclear()
    if not outcome.alone:
        yield "processes that it started go on"


def _read_beside(bench: Bench, trial: Trial) -> Iterator[tuple[str, Counter[str]]]:
    """Let readers overtake a writer, and a writer overtake readers."""
    writer = bench.scenario.arguments
    for reader in _READERS:
        place = bench.copy()
        old = _seen(bench.run(place, reader))
        bench.run(place, writer)
        new = _seen(bench.run(place, reader))
        pause = trial.pick(_PAUSE_SMALL, _PAUSE)
        for pauses in _pauses(bench, (writer, reader), trial.pick(2, 20), pause):
            place = bench.copy()
            wrote, read = _together(bench, place, (writer, reader), pauses)
            wrong = [what for one in (wrote, read) for what in _complaints(one, one.status == 0)]
            wrong += _unreached((wrote, read), pauses)
            if wrote.status or read.status:
                wrong.append(f"status {wrote.status} and {read.status}: {wrote.err!r} {read.err!r}")
            states = {old: "old", new: "new"} if old != new else {old: "either"}
            seen = states.get(_seen(read), "")
            if not seen:
                wrong.append(f"it saw {read.out!r} instead of {old!r} or {new!r}")
            for what in wrong:
                trial.fail(
                    f"{' '.join(reader)} beside {bench.scenario.name}, {_words(pauses)}: {what}"
                )
            words = " ".join(reader[:2] if reader[0] == "index" else reader[:1])
            yield words, Counter({"tried": 1, seen: 1, "failed": bool(wrong)})


def _words(pauses: Sequence[Fault | None]) -> str:
    return "; ".join(f"{who}: {fault}" for who, fault in enumerate(pauses, 1) if fault)


def _seen(outcome: Outcome) -> str:
    """Return what a reader saw: without the size of the file, which another process changes."""
    return "\n".join(line for line in outcome.out.splitlines() if not line.startswith("size "))
