"""An index on a disk that is full: a limit for the size of files, which commands meet as one."""

from __future__ import annotations

import resource
from collections import Counter
from functools import partial
from pathlib import Path

from lab.breaking.commands import Ran, in_child, run_command
from lab.breaking.index_commands import (
    CHECK,
    FILE,
    READERS,
    WRITERS,
    Files,
    Seen,
    is_plain,
    lay,
    without_time,
)
from lab.reporting import Table
from lab.trial import Trial

_READ = ("query", "index export", CHECK)
_ADD = WRITERS["index add"]


def disk_limits(trial: Trial, whole: Files) -> Table:
    """Add documents while files may be no larger; then ask, with and without the limit."""
    right = in_child(partial(_watch, whole, resource.RLIM_INFINITY), trial.folder)
    if isinstance(right, str):
        raise AssertionError(f"without a limit: {right}")
    counts = Counter[str]()
    size = len(whole[""])
    for i in range(trial.pick(5, 100)):
        # From less than SQLite's shared memory needs to more than the index will have.
        limit = 20_000 + i * (size + 100_000) // trial.pick(5, 100)
        seen = in_child(partial(_watch, whole, limit), trial.folder)
        wrong = [seen] if isinstance(seen, str) else _faults(right, seen)
        for what in wrong:
            trial.fail(f"at most {limit:,} bytes a file: {what}")
        added = not isinstance(seen, str) and seen["add"].status == 0
        counts["failed" if wrong else "added" if added else "refused"] += 1
    row = (counts.total(), counts["refused"], counts["added"], counts["failed"])
    columns = ("limits tried", "refused, index as before", "added", "failed")
    return Table("An index on a full disk", columns, [row])


def _watch(files: Files, limit: int) -> Seen:
    """Add under a limit, read under it, and read without it."""
    lay(files)
    seen = {f"before, {name}": run_command(*READERS[name]) for name in _READ}
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    seen["add"] = run_command(*_ADD)
    seen |= {f"after, {name}": run_command(*READERS[name]) for name in _READ}
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    seen |= {f"with room, {name}": run_command(*READERS[name]) for name in _READ}
    seen["files"] = Ran(0, " ".join(sorted(path.name for path in Path().glob(FILE + "*"))), "")
    return seen


def _faults(right: Seen, seen: Seen) -> list[str]:
    """Return what is wrong: after a refusal everything is as before, otherwise as it should be."""
    found = [f"{name} says {ran.err}" for name, ran in seen.items() if not is_plain(ran)]
    state = "after" if seen["add"].status == 0 else "before"
    for when in ("after", "with room"):
        for name in _READ:
            ran = seen[f"{when}, {name}"]
            if without_time(ran) != without_time(right[f"{state}, {name}"]):
                found.append(f"{when}, {name}: {ran.out[-200:]!r} {ran.err!r}")
    if seen["files"] != right["files"]:
        found.append(f"left behind: {seen['files'].out}")
    return found
