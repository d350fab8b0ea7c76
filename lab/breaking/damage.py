"""Flipped bits and truncations of an index: right answers, or an error that `check` finds too."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lab.breaking.index_commands import (
    CHECK,
    FILE,
    Bench,
    Files,
    Observed,
    faults,
    full_disk_faults,
)
from lab.breaking.running import Server
from lab.corpora.crafted import FORGED, HEADERS, ROWS, SCHEMAS, edits
from lab.corpora.made import prose
from lab.reporting import Table
from lab.trial import Trial
from simdup import Index

PAGE = 4096
# Pages of trees in SQLite, by the first byte of their headers.
_INNER, _LEAVES = (2, 5), (10, 13)
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
    with Server() as server:
        bench = Bench(server, trial.folder)
        whole = bench.build()
        bench.warm(whole)
        look = partial(_table, trial, bench)
        yield look("flipped bits", "area", [whole], flips(trial, whole))
        yield look("truncations", "bytes left", [whole], truncations(trial, whole))
        states = states_beside(bench, whole)
        yield look("files beside it", "damage", states, damages_beside(trial, states[-1]))
        yield look("made on purpose", "what", [whole], crafts(trial, bench, whole))
        yield disk_limits(trial, bench, whole)


# -- what is damaged -------------------------------------------------------------------------------


def states_beside(bench: Bench, whole: Files) -> list[Files]:
    """Return an index in its states, the last one with what a killed process leaves beside it.

    Some of the log is already in the index itself: what a reader still needs is not.
    """
    bench.lay(whole)
    path = str(bench.folder / FILE)
    with Index.open(path) as reader:
        _add(path, "new1")
        between = bench.read_files()
        rows = reader.export()
        next(rows)
        _add(path, "new2")
        with closing(sqlite3.connect(path)) as file:
            file.execute("PRAGMA wal_checkpoint(PASSIVE)")
        last = bench.read_files()
        rows.close()
    return [whole, between, last]


def _add(path: str, name: str) -> None:
    with Index.open(path) as index:
        index.add([(name, prose(len(name), 40))])


def flips(trial: Trial, whole: Files) -> Iterator[Damage]:
    """Yield indexes with one flipped bit each, as many in small areas as in large ones."""
    chance = random.Random(21)
    areas = find_areas(trial.folder / FILE, whole[""])
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


def crafts(trial: Trial, bench: Bench, whole: Files) -> Iterator[Damage]:
    """Yield indexes that somebody has changed on purpose."""
    stride = trial.pick(16, 1)
    kinds = (
        ("rows", "right", stride, {one: edits(one) for one in ROWS}),
        ("tables, views and triggers", "refused", trial.pick(4, 1), SCHEMAS),
        ("numbers in the header", "refused", stride, HEADERS),
        ("sections with right checksums", "plain", stride, FORGED),
    )
    for area, rule, every, crafted in kinds:
        for what, craft in list(crafted.items())[::every]:
            bench.lay(whole)
            craft(bench.folder / FILE)
            yield Damage(area, what, bench.read_files(), rule)


def _flipped(content: bytes, at: int, bit: int) -> bytes:
    damaged = bytearray(content)
    damaged[at] ^= 1 << bit
    return bytes(damaged)


# -- where SQLite has what -------------------------------------------------------------------------


def find_areas(path: Path, content: bytes) -> dict[str, list[range]]:
    """Return where a SQLite file has what, page by page.

    That is its header, its trees, the contents of its cells, and free pages.
    """
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as file:
        roots = [row[0] for row in file.execute("SELECT rootpage FROM sqlite_schema")]
    free = _free_pages(content)
    trees = _tree_pages(content, [1, *roots])
    areas: dict[str, list[range]] = {
        "file header": [range(100)], "page headers": [], "cells": [],
        "links of contents": [], "contents": [], "free pages": [],
    }  # fmt: skip
    for page in range(1, len(content) // PAGE + 1):
        start = (page - 1) * PAGE
        if page in free:
            areas["free pages"] += [range(start, start + PAGE)]
        elif page in trees:
            head, cells = _parts(content, page)
            areas["page headers"] += [head]
            areas["cells"] += [cells]
        else:
            areas["links of contents"] += [range(start, start + 4)]
            areas["contents"] += [range(start + 4, start + PAGE)]
    return areas


def _number(content: bytes, at: int, size: int) -> int:
    return int.from_bytes(content[at : at + size], "big")


def _head(page: int) -> int:
    """Return where the header of a page of a tree starts."""
    return 100 if page == 1 else (page - 1) * PAGE


def _parts(content: bytes, page: int) -> tuple[range, range]:
    """Return the header of a page of a tree with the places of its cells, and the cells."""
    head, end = _head(page), page * PAGE
    size = 12 if content[head] in _INNER else 8
    return (
        range(head, head + size + 2 * _number(content, head + 3, 2)),
        range((page - 1) * PAGE + _number(content, head + 5, 2), end),
    )


def _tree_pages(content: bytes, roots: list[int]) -> set[int]:
    pages, waiting = set[int](), list(roots)
    while waiting:
        page = waiting.pop()
        if page in pages:
            continue
        pages.add(page)
        head, start = _head(page), (page - 1) * PAGE
        if content[head] in _INNER:
            cells = range(head + 12, head + 12 + 2 * _number(content, head + 3, 2), 2)
            waiting += (_number(content, start + _number(content, at, 2), 4) for at in cells)
            waiting.append(_number(content, head + 8, 4))
        elif content[head] not in _LEAVES:
            raise AssertionError(f"page {page} is not part of a tree")
    return pages


def _free_pages(content: bytes) -> set[int]:
    pages, trunk = set[int](), _number(content, 32, 4)
    while trunk:
        start = (trunk - 1) * PAGE
        leaves = range(start + 8, start + 8 + 4 * _number(content, start + 4, 4), 4)
        pages |= {trunk, *(_number(content, at, 4) for at in leaves)}
        trunk = _number(content, start, 4)
    return pages


# -- what is counted -------------------------------------------------------------------------------


def _table(
    trial: Trial,
    bench: Bench,
    title: str,
    column: str,
    states: list[Files],
    damages: Iterator[Damage],
) -> Table:
    rights = [bench.observe(state) for state in states]
    for what in (what for right in rights for what in faults("right", rights, right)):
        raise AssertionError(f"the whole index: {what}")
    counts: dict[str, Counter[str]] = {}
    for damage in damages:
        outcome = _outcome(trial, rights, damage, bench.observe(damage.files))
        counts.setdefault(damage.area, Counter())[outcome] += 1
    kinds = ("harmless", "found", "failed")
    rows = [(area, some.total(), *(some[kind] for kind in kinds)) for area, some in counts.items()]
    total = ("total", *(sum(row[i] for row in rows) for i in range(1, 5)))
    columns = (column, "tried", "harmless", "found by index check", "failed")
    return Table(f"Damages of an index: {title}", columns, [*rows, total])


def _outcome(trial: Trial, rights: list[Observed], damage: Damage, observed: Observed) -> str:
    wrong = list(faults(damage.rule, rights, observed))
    for what in wrong:
        trial.fail(f"{damage.area}, {damage.what}: {what}")
    if wrong:
        return "failed"
    return "harmless" if observed.outcomes[CHECK].status == 0 else "found"


def disk_limits(trial: Trial, bench: Bench, whole: Files) -> Table:
    """Add documents while files may be no larger; then ask, with and without the limit."""
    right = bench.fill_disk(whole)
    counts = Counter[str]()
    for i in range(trial.pick(4, 100)):
        # From less than SQLite's shared memory needs to more than the index will have.
        limit = 20_000 + i * (len(whole[""]) + 100_000) // trial.pick(4, 100)
        outcomes = bench.fill_disk(whole, limit)
        wrong = list(full_disk_faults(right, outcomes))
        for what in wrong:
            trial.fail(f"at most {limit:,} bytes a file: {what}")
        added = outcomes["add"].status == 0
        counts["failed" if wrong else "added" if added else "refused"] += 1
    row = (counts.total(), counts["refused"], counts["added"], counts["failed"])
    columns = ("limits tried", "refused, index as before", "added", "failed")
    return Table("An index on a full disk", columns, [row])
