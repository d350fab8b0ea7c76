"""Start two commands that write the same target together, and readers beside a writer.

One of them sleeps at one call after the other, so that the other overtakes it there. Afterwards
there is what one of them, or both in some order, would have made alone; whoever failed said why in
one line. A reader sees the old or the new state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.reporting import Table
from campaigns.judging import RAW, Bench
from campaigns.running import Outcome, Server, build_library
from campaigns.scenarios import Call, Scenario, choose
from campaigns.states import Files, State, differences, is_side, look
from campaigns.striking import Fault
from campaigns.trying import Trial, say

# Long enough for another command to end meanwhile.
_PAUSE = 400
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
    with Server(trial.folder, build_library(trial.folder)) as server:
        for scenario in choose(trial, _SMALL):
            say(scenario.name)
            bench = Bench(server, trial.folder, scenario)
            for counts in _write_twice(bench, trial):
                writers.setdefault(scenario.command, Counter()).update(counts)
            if scenario.name in _WRITERS:
                for command, counts in _read_beside(bench, trial):
                    readers.setdefault(command, Counter()).update(counts)
    columns = ("tried", "both succeeded", "one gave way", "failed")
    yield _table("Two writers of one target", columns, writers)
    yield _table("Readers of an index beside a writer", ("tried", "old", "new", "failed"), readers)


def variant(scenario: Scenario) -> Call:
    """Return a command that writes the same targets from other sources, where there are some."""
    words = scenario.arguments
    if "in" in words and "more" in words:
        return tuple(word for word in words if word != "more")
    other = {"in": "more", "more": "in", "r.jsonl": "s.jsonl", "in/a.txt": "in/c.txt"}
    return tuple(other.get(word, word) for word in words)


@dataclass(frozen=True)
class _Orders:
    """What two commands make alone, and one after the other."""

    states: tuple[Files, ...]
    statuses: tuple[int | None, ...]  # of each alone

    def closest(self, state: State) -> str:
        """Return how a state differs from the one that is most like it; nothing if it is one."""
        return min((differences(state.files, one) for one in self.states), key=len)


def _serially(bench: Bench, calls: tuple[Call, Call]) -> _Orders:
    states, statuses = [], []
    for order in ((0,), (1,), (0, 1), (1, 0)):
        place = bench.copy()
        for number in order:
            status = bench.server.run(place, calls[number]).status
        states.append(look(place).files)
        statuses.append(status)
    return _Orders(tuple(states), tuple(statuses[:2]))


def _pauses(bench: Bench, trial: Trial, tried: int) -> Iterator[Fault | None]:
    """Yield where one of two commands sleeps; without a compiler they only start together."""
    if not bench.server.below:
        yield from [None] * trial.pick(2, 10)
        return
    # Only calls that concern the folder count, perhaps half of all.
    stride = max(1, bench.calls("any") // trial.pick(2, tried))
    for number in range(1 + stride // 2, bench.calls("any"), stride):
        yield Fault("any", number, pause=_PAUSE, where="main", within=bench.within)


def _write_twice(bench: Bench, trial: Trial) -> Iterator[Counter[str]]:
    """Start two writers together, and yield what became of them."""
    calls = (bench.scenario.arguments, variant(bench.scenario))
    orders = _serially(bench, calls)
    for fault in _pauses(bench, trial, 12):
        place = bench.copy()
        ended = bench.server.together(place, list(calls), [fault, None])
        state = look(place)
        done = [one.status == alone for one, alone in zip(ended, orders.statuses, strict=True)]
        faults = [w for one, well in zip(ended, done, strict=True) for w in _complaints(one, well)]
        if (other := orders.closest(state)) and not bench.scenario.by_file:
            faults.append(f"not what either makes: {other}")
        # SQLite's own files stay if two processes close an index at the same moment.
        if left := [path for path in state.leftovers if not is_side(path)]:
            faults.append(f"left behind: {left}")
        if not any(done):
            faults.append(f"both failed: {[one.err for one in ended]}")
        for what in faults:
            trial.fail(f"{bench.scenario.name}, twice, {fault}: {what}")
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
    if RAW.search(outcome.err) or not outcome.alone:
        yield f"not a clean end: {outcome.err!r}"


def _read_beside(bench: Bench, trial: Trial) -> Iterator[tuple[str, Counter[str]]]:
    """Let readers overtake a writer, and a writer overtake readers."""
    writer = bench.scenario.arguments
    for reader in _READERS:
        place = bench.copy()
        old = _seen(bench.server.run(place, reader))
        bench.server.run(place, writer)
        new = _seen(bench.server.run(place, reader))
        for number, fault in enumerate(_pauses(bench, trial, 20)):
            place = bench.copy()
            faults = [fault, None] if number % 2 else [None, fault]
            wrote, read = bench.server.together(place, [writer, reader], faults)
            wrong = [what for one in (wrote, read) for what in _complaints(one, one.status == 0)]
            if wrote.status or read.status:
                wrong.append(f"status {wrote.status} and {read.status}: {wrote.err!r} {read.err!r}")
            seen = {old: "old", new: "new"}.get(_seen(read), "")
            if not seen:
                wrong.append(f"it saw {read.out!r} instead of {old!r} or {new!r}")
            for what in wrong:
                trial.fail(f"{' '.join(reader)} beside {bench.scenario.name}, {fault}: {what}")
            words = " ".join(reader[:2] if reader[0] == "index" else reader[:1])
            yield words, Counter({"tried": 1, seen: 1, "failed": bool(wrong)})


def _seen(outcome: Outcome) -> str:
    """Return what a reader saw: without the size of the file, which another process changes."""
    return "\n".join(line for line in outcome.out.splitlines() if not line.startswith("size "))


def _table(title: str, columns: tuple[str, ...], counted: dict[str, Counter[str]]) -> Table:
    total = sum(counted.values(), Counter[str]())
    rows = [(key, *(counts[name] for name in columns)) for key, counts in sorted(counted.items())]
    rows.append(("all", *(total[name] for name in columns)))
    return Table(title, ("command", *columns), rows)
