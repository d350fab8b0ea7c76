"""Flipped bits and truncations of an index: right answers, or an error that `check` finds too."""

from __future__ import annotations

import random
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.reporting import Table
from campaigns.commands import Ran, in_child, run_command
from campaigns.crafted import FORGED, HEADERS, ROWS, SCHEMAS, edits
from campaigns.sqlite_pages import PAGE, find_areas
from campaigns.trying import Trial
from simdup import Index
from tests.support import edited, prose

FILE = "seen.index"
_QUERY = ("query", FILE, "asked", "-q", "-d", "8", "-s", "0.3", "-f", "jsonl", "-j", "1")
READERS = {
    "query": _QUERY,
    "index info": ("index", "info", FILE),
    "index info as JSON": ("index", "info", FILE, "-f", "jsonl"),
    "index check": ("index", "check", FILE),
    "index export": ("index", "export", FILE),
}
WRITERS = {
    "index add": ("index", "add", FILE, "asked", "-j", "1"),
    "index remove": ("index", "remove", FILE, "d7", "d1500", "asked/2.txt"),
    "query --add": (*_QUERY, "--add"),
}
_CHECK = "index check"
# What is intact goes to a new file.
_SAVED = "saved.index"
_REPAIR = ("index", "repair", FILE, _SAVED)

# What commands may print on standard error; no control characters, and none that turn text around.
_LINE = re.compile(
    r"(simdup: (?!internal error|memory)|hint: |Wrote |the index is |\d)[ -~]{0,400}"
)

# How many bits are flipped in an area for one in each other one.
_SHARES = {"page headers": 3, "cells": 2, "contents": 2}

# The bytes of an index and of the files beside it, by what follows its name.
Files = dict[str, bytes]
# What each command returned, and what `check` and `export` say after each one that writes.
Seen = dict[str, Ran]


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


# -- what is damaged -------------------------------------------------------------------------------


def build_index(folder: Path, documents: int = 2700) -> Files:
    """Build an index with free pages and with documents that the commands replace and remove."""
    asked = folder / "asked"
    asked.mkdir()
    for i in range(7):
        # Texts that the index has, ever more edited, and two that it lacks.
        text = edited(prose(i * 400 + 3, 40), i, 2 * i) if i < 5 else prose(-3 - i, 40)
        (asked / f"{i}.txt").write_text(text, "utf-8")
    texts = [(f"d{i}", prose(i, 40)) for i in range(documents)]
    path = folder / FILE
    with Index.build(str(path), [("asked/2.txt", prose(-2, 40)), *texts]) as index:
        index.remove(f"d{i}" for i in range(documents) if i % 8 < 2)
    return read_files(folder)


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


def read_files(folder: Path) -> Files:
    """Return an index and the files beside it."""
    return {path.name.removeprefix(FILE): path.read_bytes() for path in folder.glob(FILE + "*")}


def flips(trial: Trial, whole: Files) -> Iterator[Damage]:
    """Yield indexes with one flipped bit each, as many in small areas as in large ones."""
    chance = random.Random(21)
    areas = find_areas(trial.folder / FILE)
    for area in areas:
        for _ in range(trial.pick(2, 50) * _SHARES.get(area, 1)):
            at, bit = chance.choice(chance.choice(areas[area])), chance.randrange(8)
            yield Damage(area, f"bit {bit} of byte {at:,}", {"": _flipped(whole[""], at, bit)})


def truncations(trial: Trial, whole: Files) -> Iterator[Damage]:
    """Yield truncated indexes: at any place, and at the end of a page."""
    chance = random.Random(22)
    size = len(whole[""])
    ends = [0, 1, 16, 99, 100, 512, PAGE - 1, PAGE, PAGE + 1, size - PAGE, size - 1]
    ends = ends[:: trial.pick(5, 1)]
    pages = size // PAGE
    ends += [chance.randrange(pages) * PAGE for _ in range(trial.pick(2, 44))]
    ends += [chance.randrange(size) for _ in range(trial.pick(2, 45))]
    for end in ends:
        area = "up to one page" if end <= PAGE else "whole pages" if end % PAGE == 0 else "others"
        yield Damage(area, f"{end:,} bytes left", {"": whole[""][:end]})


def damages_beside(trial: Trial, left: Files) -> Iterator[Damage]:
    """Yield damages of the files that SQLite has beside an index."""
    chance = random.Random(23)
    for _ in range(trial.pick(2, 50)):
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
    stride = trial.pick(4, 1)
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


# -- what the commands do --------------------------------------------------------------------------


def observe(files: Files) -> Seen:
    """Run all commands on an index in the working folder, those that write on copies."""
    seen = {}
    alone = "-wal" not in files  # otherwise a reader may move it into the index
    for name, words in (READERS | WRITERS).items():
        lay(files)
        seen[name] = _without_time(run_command(*words))
        wrote = name in WRITERS and (seen[name].status == 0 or "Wrote " in seen[name].err)
        if alone and not wrote and read_files(Path()) != files:
            seen[name] = seen[name]._replace(err="the file was changed")
        if wrote:
            for then in (_CHECK, "index export"):
                seen[f"{name}, then {then}"] = run_command(*READERS[then])
    lay(files)
    seen["index repair"] = run_command(*_REPAIR)
    if Path(_SAVED).exists():
        seen["repaired, index check"] = run_command("index", "check", _SAVED)
        seen["repaired, index export"] = run_command("index", "export", _SAVED)
        Path(_SAVED).unlink()
    return seen


def _without_time(ran: Ran) -> Ran:
    """Return what a command said without what differs from run to run, or follows from a cut."""
    return ran._replace(out=re.sub(r'"(seconds|bytes)": [0-9.]+|[0-9,]+ bytes', "", ran.out))


def lay(files: Files) -> None:
    """Put an index and the files beside it into the working folder, and nothing else of it."""
    for path in Path().glob(FILE + "*"):
        path.unlink()
    for side, content in files.items():
        Path(FILE + side).write_bytes(content)


def faults(rule: str, rights: list[Seen], seen: Seen) -> list[str]:
    """Return what is wrong with what commands did; `rights` has what they may do."""
    found = []
    if rule == "right":
        found += repair_faults(rights, seen)
    for name, ran in seen.items():
        said = [right[name] for right in rights if name in right]
        if not is_plain(ran):
            found.append(f"{name} says {ran.err[:300].strip() or ran.status!r}")
        elif rule == "refused" and ran.status == 0:
            found.append(f"{name} is not refused")
        elif rule != "right" or "repair" in name:
            continue
        elif ran.status == 0 and ran not in said:
            found.append(f"{name} is wrong: {ran.out[-300:]!r} {ran.err[-300:]!r}")
        elif not any(one.out.startswith(ran.out) for one in said):
            found.append(f"{name} is wrong before it fails: {ran.out[-300:]!r}")
        elif ran.status and seen[_CHECK].status == 0:
            found.append(f"{name} fails, but check finds nothing: {ran.err.strip()}")
    return found


def repair_faults(rights: list[Seen], seen: Seen) -> list[str]:
    """Return what is wrong with a repair: it saves what was there, and says what is lost."""
    if "repaired, index check" not in seen:
        # Nothing to repair, or nothing to save.
        wrong = seen["index repair"].status == 0 and seen[_CHECK].status != 0
        return ["repair finds nothing, but check does"] if wrong else []
    saved = seen["repaired, index export"].out.splitlines()
    had = [one["index export"].out.splitlines() for one in rights]
    found = []
    if seen["repaired, index check"].status:
        found.append("the repaired index is damaged")
    if not any(set(saved) <= set(lines) for lines in had):
        found.append("the repaired index has what never was there")
    if seen["index repair"].status == 0 and saved not in had:
        found.append("repair does not say what is lost")
    return found


def is_plain(ran: Ran) -> bool:
    """Return whether a command succeeded, or failed as commands should: in short lines."""
    if not all(line.isprintable() and _LINE.fullmatch(line) for line in ran.err.split("\n")[:-1]):
        return False
    return ran.status == 0 or (ran.status == 2 and ran.err.startswith("simdup: "))


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
    return "harmless" if seen[_CHECK].status == 0 else "found"


def _observed(trial: Trial, files: Files) -> Seen | str:
    return in_child(partial(observe, files), trial.folder)
