"""The hostile corpus in full size: what each entry takes, compared with its budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from lab.breaking.hostile.contents import BOMBS, DEEP, EMPTY, LINES, LISTS
from lab.breaking.hostile.entries import Entry, prepare, start_server, try_entry
from lab.breaking.hostile.names import LIVE, LOST, ODD, READ, SHOWN
from lab.breaking.hostile.surroundings import (
    LIMITS,
    LOCALES,
    PLACES,
    STREAMS,
    TEMPORARY,
    VARIABLES,
)
from lab.breaking.running import Outcome
from lab.reporting import Cell, Table
from lab.trial import Trial, say

KINDS = {
    "Bombs": BOMBS,
    "Long lines": LINES,
    "Deep nesting, and what does not end": DEEP,
    "Empty and odd": EMPTY,
    "Names": [*READ, *SHOWN],
    "Devices, pipes, sockets, links": ODD,
    "Files that change while they are read": [*LIVE, *LOST],
    "Files that options name": LISTS,
    "Languages and variables": [*LOCALES, *VARIABLES],
    "Temporary folders": TEMPORARY,
    "Limits": LIMITS,
    "Streams": STREAMS,
    "Places and arguments": PLACES,
}
# Each with its kind.
ENTRIES: list[tuple[str, Entry]] = [
    (kind, entry) for kind, entries in KINDS.items() for entry in entries
]
# Three of the commands read these.
GIGABYTES = ("Bombs", "Long lines")


def run(trial: Trial) -> Iterator[Table]:
    """Try every entry with every command that meets it."""
    known = trial.folder / "known"
    rows: dict[str, list[tuple[Cell, ...]]] = defaultdict(list)
    with start_server() as server:
        prepare(server, known)
        for number, (kind, entry) in enumerate(ENTRIES):
            say(entry.name)
            folder = trial.folder / str(number)
            runs: list[Outcome] = []
            which = slice(3 if kind in GIGABYTES and not entry.commands else None)
            for command, ran, wrong in try_entry(server, entry, trial.size, folder, known, which):
                runs.append(ran)
                for what in wrong:
                    trial.fail(f"{entry.name}: {' '.join(command)}: {what}")
            most = max(ran.megabytes for ran in runs)
            took = max(ran.seconds for ran in runs)
            rows[kind].append((entry.name, len(runs), took, entry.seconds, most, entry.megabytes))
    columns = ("entry", "commands", "s", "s allowed", "MB", "MB allowed")
    for kind, figures in rows.items():
        yield Table(kind, columns, figures)
