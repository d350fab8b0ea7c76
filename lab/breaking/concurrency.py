"""Start two commands that write the same target together, and readers beside a writer.

One of them sleeps at one call after the other; then the other starts and overtakes it there. If
both succeed, there is what they make one after the other, in some order; if one fails, there is
what the other makes alone, and it said why in one line. A reader sees the old or the new state.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.breaking.judging import SIDES, Bench, State, benches, differences, look, totals
from lab.breaking.running import Outcome
from lab.breaking.scenarios import Call, Scenario
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
# Their commands, by what the table says of them.
_READERS: dict[str, Call] = {
    "query": ("query", "seen", "in/a.txt", "-f", "csv", "-j", "1"),
    "index export": ("index", "export", "seen"),
    "index check": ("index", "check", "seen"),
    "index info": ("index", "info", "seen", "-q"),
}


def run(trial: Trial) -> Iterator[Table]:
    """Try pairs of writers, and readers beside writers."""
    writers: dict[str, Counter[str]] = defaultdict(Counter)
    readers: dict[str, Counter[str]] = defaultdict(Counter)
    for bench in benches(trial, _SMALL):
        for counts in _write_twice(bench, trial):
            writers[bench.scenario.command].update(counts)
        if bench.scenario.name in _WRITERS:
            for command in _READERS:
                for counts in _read_beside(bench, trial, command):
                    readers[command].update(counts)
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
        # Of each part, the state that is most like it counts.
        parts = [[one.beside(*self.targets) for one in (state, *allowed)]]
        parts += [[one.of(target) for one in (state, *allowed)] for target in self.targets]
        wrong = (
            min((differences(now, one) for one in others), key=len, default="")
            for now, *others in parts
        )
        return "; ".join(filter(None, wrong))


def _serially(bench: Bench, calls: Pair) -> Orders:
    states, statuses = [], []
    for order in ((0,), (1,), (0, 1), (1, 0)):
        place = bench.copy()
        ended = [bench.run(place, calls[number]) for number in order]
        states.append(look(place))
        statuses.append(ended[0].status)
    alone, serial = (states[0], states[1]), (states[2], states[3])
    return Orders(bench.scenario.targets, alone, serial, tuple(statuses[:2]))


def _overtake(
    bench: Bench, calls: Pair, moments: int, pause: int
) -> Iterator[tuple[str, State, list[Outcome], list[str]]]:
    """Run two commands at a time, one of which sleeps, by turns; at first they start together.

    Yield how, the state, the outcomes and what is wrong: if a command did not sleep where it
    should, nothing was tried.
    """
    pauses: list[tuple[Fault | None, Fault | None]] = [(None, None)]
    counts = [bench.count(call) for call in calls]
    for moment in range(moments):
        who = moment % 2
        number = 1 + counts[who] * (2 * moment + 1) // (2 * moments)
        fault = bench.inside(Fault(number, pause=pause))
        pauses.append((None, fault) if who else (fault, None))
    for faults in pauses:
        place = bench.copy()
        runs = [bench.planned(place, call, one) for call, one in zip(calls, faults, strict=True)]
        ended = bench.server.together(runs)
        words = "; ".join(f"{who}: {fault}" for who, fault in enumerate(faults, 1) if fault)
        # Texts that are no near-duplicates have the status 1.
        wrong = [what for one in ended for what in one.faults((0, 1, 2))]
        for one, fault in zip(ended, faults, strict=True):
            if fault and not one.reached:
                wrong.append(f"it ended before {fault}")
        yield words, look(place), ended, wrong


def _write_twice(bench: Bench, trial: Trial) -> Iterator[Counter[str]]:
    """Start two writers together, and yield what became of them."""
    calls = (bench.scenario.arguments, variant(bench.scenario))
    orders = _serially(bench, calls)
    pause = trial.pick(_PAUSE_SMALL, _PAUSE)
    for words, state, ended, wrong in _overtake(bench, calls, trial.pick(2, 12), pause):
        done = [one.status == alone for one, alone in zip(ended, orders.statuses, strict=True)]
        for one, well in zip(ended, done, strict=True):
            if not well and (one.status != 2 or len(one.errors) != 1):
                wrong.append(f"status {one.status}, {len(one.errors)} lines of error: {one.err!r}")
        if other := orders.differs(state, done):
            wrong.append(f"not what they make, {done}: {other}")
        # SQLite's own files stay if two processes close an index at the same moment.
        if left := [path for path in state.leftovers if not path.endswith(SIDES)]:
            wrong.append(f"left behind: {left}")
        if not any(done):
            wrong.append(f"both failed: {[one.err for one in ended]}")
        for what in wrong:
            trial.fail(f"{bench.scenario.name}, twice, {words}: {what}")
        counts = {"both succeeded": all(done), "one gave way": sum(done) == 1}
        yield Counter({"tried": 1, "failed": bool(wrong)} | counts)


def _read_beside(bench: Bench, trial: Trial, command: str) -> Iterator[Counter[str]]:
    """Let a reader overtake a writer, and the writer overtake the reader."""
    writer, reader = bench.scenario.arguments, _READERS[command]
    place = bench.copy()
    old = _seen(bench.run(place, reader))
    bench.run(place, writer)
    new = _seen(bench.run(place, reader))
    states = {old: "old", new: "new"} if old != new else {old: "either"}
    pause = trial.pick(_PAUSE_SMALL, _PAUSE)
    for words, _, ended, wrong in _overtake(bench, (writer, reader), trial.pick(2, 20), pause):
        wrote, read = ended
        if wrote.status or read.status:
            wrong.append(f"status {wrote.status} and {read.status}: {wrote.err!r} {read.err!r}")
        seen = states.get(_seen(read), "")
        if not seen:
            wrong.append(f"it saw {read.out!r} instead of {old!r} or {new!r}")
        for what in wrong:
            trial.fail(f"{command} beside {bench.scenario.name}, {words}: {what}")
        yield Counter({"tried": 1, seen: 1, "failed": bool(wrong)})


def _seen(outcome: Outcome) -> str:
    """Return what a reader saw: without the size of the file, which another process changes."""
    return "\n".join(line for line in outcome.out.splitlines() if not line.startswith("size "))
