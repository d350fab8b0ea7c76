"""The hostile corpus in full size: what each entry takes, compared with its budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from lab.breaking.hostile.entries import ENTRIES, prepare, start_server, try_entry
from lab.breaking.hostile.values import Entry
from lab.breaking.running import Outcome
from lab.reporting import Cell, Table
from lab.trial import Trial, say

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
            for command, ran, wrong in try_entry(
                server, entry, trial.size, folder, known, _which(kind, entry)
            ):
                runs.append(ran)
                for what in wrong:
                    trial.fail(f"{entry.name}: {' '.join(command)}: {what}")
            most = max(ran.megabytes for ran in runs)
            took = max(ran.seconds for ran in runs)
            rows[kind].append((entry.name, len(runs), took, entry.seconds, most, entry.megabytes))
    columns = ("entry", "commands", "s", "s allowed", "MB", "MB allowed")
    for kind, figures in rows.items():
        yield Table(kind, columns, figures)


def _which(kind: str, entry: Entry) -> slice:
    """Return which commands try an entry: three of those that read a gigabyte, else all."""
    return slice(3 if kind in GIGABYTES and not entry.commands else None)
