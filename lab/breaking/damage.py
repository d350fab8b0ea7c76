"""Flipped bits and truncations of an index: right answers, or an error that `check` finds too."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lab.breaking.commands import in_child
from lab.breaking.full_disk import disk_limits
from lab.breaking.index_commands import (
    CHECK,
    FILE,
    Files,
    Seen,
    build_index,
    faults,
    lay,
    observe,
    read_files,
)
from lab.breaking.sqlite_pages import PAGE, find_areas
from lab.corpora.crafted import FORGED, HEADERS, ROWS, SCHEMAS, edits
from lab.corpora.made import prose
from lab.reporting import Table
from lab.trial import Trial
from simdup import Index

# How many bits are flipped in an area for one in each other one.
_SHARES = {"page headers": 3, "cells": 2, "contents": 2}


class Damage(NamedTuple):
    """An index that was damaged."""

    area: str  # where
    what: str  # for people
    files: Files
    rule: str = "right"  # or ``refused``: all commands must fail; ``plain``: no more than that


def run(trial: Trial) -> Iterator[Table]:
    """Damage an index, and the files that SQLite has beside it; run every command on each."""
    whole = build_index(trial.folder)
    yield _table(trial, "flipped bits", "area", [whole], flips(trial, whole))
    yield _table(trial, "truncations", "bytes left", [whole], truncations(trial, whole))
    states = states_beside(trial.folder, whole)
    yield _table(trial, "files beside it", "damage", states, damages_beside(trial, states[-1]))
    yield _table(trial, "made on purpose", "what", [whole], crafts(trial, whole))
    yield disk_limits(trial, whole)


# -- what is damaged -------------------------------------------------------------------------------


def states_beside(folder: Path, whole: Files) -> list[Files]:
    """Return an index in its states, the last one with what a killed process leaves beside it.

    Some of the log is already in the index itself: what a reader still needs is not.
    """
    with chdir(folder):
        lay(whole)
        with Index.open(FILE) as reader:
            _add("new1")
            between = read_files(Path())
            rows = reader.export()
            next(rows)
            _add("new2")
            with closing(sqlite3.connect(FILE)) as file:
                file.execute("PRAGMA wal_checkpoint(PASSIVE)")
            last = read_files(Path())
            rows.close()
    return [whole, between, last]


def _add(name: str) -> None:
    with Index.open(FILE) as index:
        index.add([(name, prose(len(name), 40))])


def flips(trial: Trial, whole: Files) -> Iterator[Damage]:
    """Yield indexes with one flipped bit each, as many in small areas as in large ones."""
    chance = random.Random(21)
    areas = find_areas(trial.folder / FILE)
    for area in areas:
        for _ in range(trial.pick(1, 50) * _SHARES.get(area, 1)):
            at, bit = chance.choice(chance.choice(areas[area])), chance.randrange(8)
            yield Damage(area, f"bit {bit} of byte {at:,}", {"": _flipped(whole[""], at, bit)})


def truncations(trial: Trial, whole: Files) -> Iterator[Damage]:
    """Yield truncated indexes: at any place, and at the end of a page."""
    chance = random.Random(22)
    size = len(whole[""])
    ends = [0, 1, 16, 99, 100, 512, PAGE - 1, PAGE, PAGE + 1, size - PAGE, size - 1]
    ends = ends[:: trial.pick(10, 1)]
    pages = size // PAGE
    ends += [chance.randrange(pages) * PAGE for _ in range(trial.pick(1, 44))]
    ends += [chance.randrange(size) for _ in range(trial.pick(1, 45))]
    for end in ends:
        area = "up to one page" if end <= PAGE else "whole pages" if end % PAGE == 0 else "others"
        yield Damage(area, f"{end:,} bytes left", {"": whole[""][:end]})


def damages_beside(trial: Trial, left: Files) -> Iterator[Damage]:
    """Yield damages of the files that SQLite has beside an index."""
    chance = random.Random(23)
    for _ in range(trial.pick(1, 50)):
        side = chance.choice(["-wal", "-wal", "-shm"])
        # The headers of the frames of a log, or any place.
        at = chance.randrange(len(left[side]))
        if side == "-wal" and chance.random() < 0.5:
            at = 32 + (at - 32) // (24 + PAGE) * (24 + PAGE) + chance.randrange(24)
        at, bit = max(at, 0), chance.randrange(8)
        files = left | {side: _flipped(left[side], at, bit)}
        yield Damage(f"a bit of {side}", f"bit {bit} of byte {at:,} of {side}", files)
    for _ in range(trial.pick(1, 30)):
        end = chance.randrange(len(left["-wal"]))
        yield Damage("-wal cut", f"{end:,} bytes of -wal left", left | {"-wal": left["-wal"][:end]})
    for _ in range(trial.pick(1, 20)):
        head = bytes.fromhex("d9d505f920a163d7") + chance.randbytes(20) + bytes(484)
        journal = head + chance.randbytes(PAGE * 2 + 16)
        yield Damage("a -journal", "a made-up -journal", {"": left[""], "-journal": journal})


def crafts(trial: Trial, whole: Files) -> Iterator[Damage]:
    """Yield indexes that somebody has changed on purpose."""
    stride = trial.pick(8, 1)
    kinds = (
        ("rows", "right", stride, {one: edits(one) for one in ROWS}),
        ("tables, views and triggers", "refused", 1, SCHEMAS),
        ("numbers in the header", "refused", stride, HEADERS),
        ("sections with right checksums", "plain", stride, FORGED),
    )
    for area, rule, every, found in kinds:
        for what, craft in list(found.items())[::every]:
            with chdir(trial.folder):
                lay(whole)
                craft(Path(FILE))
                yield Damage(area, what, read_files(Path()), rule)


def _flipped(content: bytes, at: int, bit: int) -> bytes:
    damaged = bytearray(content)
    damaged[at] ^= 1 << bit
    return bytes(damaged)


# -- what is counted -------------------------------------------------------------------------------


def _table(
    trial: Trial, title: str, column: str, states: list[Files], damages: Iterator[Damage]
) -> Table:
    # What is imported and read once is inherited by the children.
    with chdir(trial.folder):
        observe(states[0])
    look = partial(_observed, trial)
    rights = [look(state) for state in states]
    if wrong := [one for one in rights if isinstance(one, str)]:
        raise AssertionError(f"the whole index: {wrong[0]}")
    counts: dict[str, Counter[str]] = {}
    for damage in damages:
        outcome = _outcome(trial, rights, damage, look)
        counts.setdefault(damage.area, Counter())[outcome] += 1
    kinds = ("harmless", "found", "failed")
    rows = [(area, some.total(), *(some[kind] for kind in kinds)) for area, some in counts.items()]
    total = ("total", *(sum(row[i] for row in rows) for i in range(1, 5)))
    columns = (column, "tried", "harmless", "found by index check", "failed")
    return Table(f"Damages of an index: {title}", columns, [*rows, total])


def _outcome(
    trial: Trial, rights: list[Seen], damage: Damage, look: Callable[[Files], Seen | str]
) -> str:
    seen = look(damage.files)
    wrong = [seen] if isinstance(seen, str) else faults(damage.rule, rights, seen)
    for what in wrong:
        trial.fail(f"{damage.area}, {damage.what}: {what}")
    if wrong:
        return "failed"
    return "harmless" if seen[CHECK].status == 0 else "found"


def _observed(trial: Trial, files: Files) -> Seen | str:
    return in_child(partial(observe, files), trial.folder)
