"""Flipped bits and truncations of an index: right answers, or an error that `check` finds too."""

from __future__ import annotations

import hashlib
import random
import re
import resource
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from lab.breaking.running import Around, Outcome, Run, Server
from lab.corpora.crafted import FORGED, HEADERS, ROWS, SCHEMAS, Craft, edits
from lab.corpora.made import edited, prose, write
from lab.reporting import Table
from lab.trial import Trial
from simdup import Index
from simdup.index.file import Head

PAGE, MAGIC = 4096, b"SQLite format 3\0"
# Pages of trees in SQLite, by the first byte of their headers.
_INNER, _LEAVES = (2, 5), (10, 13)
# How many bits are flipped in an area for one in each other one.
_SHARES = {"page headers": 3, "cells": 2, "contents": 2}

FILE = "seen.index"
CHECK = "index check"
_QUERY = ("query", FILE, "asked", "-q", "-d", "8", "-s", "0.3", "-f", "jsonl", "-j", "1")
READERS = {
    "query": _QUERY,
    "index info": ("index", "info", FILE),
    "index info as JSON": ("index", "info", FILE, "-f", "jsonl"),
    CHECK: ("index", "check", FILE),
    "index export": ("index", "export", FILE),
    "passages": ("passages", "asked", "--reference", FILE, "-q", "-f", "csv", "-j", "1"),
}
WRITERS = {
    "index add": ("index", "add", FILE, "asked", "-j", "1"),
    "index remove": ("index", "remove", FILE, "d7", "d1500", "asked/2.txt"),
    "query --add": (*_QUERY, "--add"),
}
# Of an index on a full disk.
_READ = ("query", "index export", CHECK)
# What a command may use beyond what it inherits: far more than anything here needs.
_USUAL = Around(limits={"RLIMIT_CPU": 60}, room=1 << 30)
# What commands may print on standard error.
_LINE = re.compile(r"(simdup: (?!internal error|memory)|hint: |Wrote |the index is |\d).{0,400}")
# What reading a blob of an index, and a head, may raise.
_UNREADABLE = sqlite3.Error, ValueError, TypeError, KeyError, AttributeError, RecursionError
# More than an index of the campaign has.
_BLOBS = 200
# What an export reads of each segment.
_NEEDED = ("fingerprint", "name_size", "name", "gone")

# The bytes of an index and of the files beside it, by what follows its name.
Files = dict[str, bytes]
# What each command did, and what `check` and `export` say after each one that writes.
Outcomes = dict[str, Outcome]


class Damage(NamedTuple):
    """An index that was damaged."""

    area: str  # where
    what: str  # for people
    files: Files
    rule: str = "right"  # or ``refused``: all commands must fail; ``plain``: no more than that


class Readable(NamedTuple):
    """What SQLite alone reads of an index."""

    # What decides whether a file is taken for an index at all: its header, the beginnings of the
    # files beside it, and its schema.
    frame: list[Any]
    blobs: dict[int, str]  # a digest of each
    head: Head | None


class Observed(NamedTuple):
    """What becomes of an index."""

    outcomes: Outcomes
    readable: Readable


def run(trial: Trial) -> Iterator[Table]:
    """Damage an index, and the files that SQLite has beside it; run every command on each."""
    with Server() as server:
        place = IndexPlace(server, trial.folder)
        whole = place.build()
        states = place.states_beside(whole)
        later = [place.observe(state) for state in states[1:]]
        right = place.observe(whole)
        for title, column, rights, damages in (
            ("flipped bits", "area", [right], flips(trial, whole)),
            ("truncations", "bytes left", [right], truncations(trial, whole)),
            ("files beside it", "damage", [right, *later], damages_beside(trial, states[-1])),
            ("made on purpose", "what", [right], crafts(trial, place, whole)),
        ):
            for what in (what for one in rights for what in faults("right", rights, one)):
                raise AssertionError(f"the whole index: {what}")
            counts: dict[str, Counter[str]] = defaultdict(Counter)
            for damage in damages:
                observed = place.observe(damage.files)
                wrong = list(faults(damage.rule, rights, observed))
                for what in wrong:
                    trial.fail(f"{damage.area}, {damage.what}: {what}")
                harmless = observed.outcomes[CHECK].status == 0
                counts[damage.area]["failed" if wrong else "harmless" if harmless else "found"] += 1
            counts["total"] = sum(counts.values(), Counter())
            kinds = ("harmless", "found", "failed")
            rows = [(area, n.total(), *(n[kind] for kind in kinds)) for area, n in counts.items()]
            columns = (column, "tried", "harmless", "found by index check", "failed")
            yield Table(f"Damages of an index: {title}", columns, rows)
        yield disk_limits(trial, place, whole)


# -- what is damaged -------------------------------------------------------------------------------


def flips(trial: Trial, whole: Files) -> Iterator[Damage]:
    """Yield indexes with one flipped bit each, as many in small areas as in large ones."""
    chance = random.Random(21)
    for area, places in find_areas(trial.folder / FILE, whole[""]).items():
        for _ in range(trial.pick(1, 50 * _SHARES.get(area, 1))):
            at, bit = chance.choice(chance.choice(places)), chance.randrange(8)
            yield Damage(area, f"bit {bit} of byte {at:,}", {"": _flipped(whole[""], at, bit)})


def truncations(trial: Trial, whole: Files) -> Iterator[Damage]:
    """Yield truncated indexes: at any place, and at the end of a page."""
    chance = random.Random(22)
    size = len(whole[""])
    ends = [0, 1, 16, 99, 100, 512, PAGE - 1, PAGE, PAGE + 1, size - PAGE, size - 1]
    ends = ends[:: trial.pick(10, 1)]
    ends += [chance.randrange(size // PAGE) * PAGE for _ in range(trial.pick(1, 44))]
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


def crafts(trial: Trial, place: IndexPlace, whole: Files) -> Iterator[Damage]:
    """Yield indexes that somebody has changed on purpose."""
    few = trial.pick(16, 1)
    kinds: tuple[tuple[str, str, int, dict[str, Craft]], ...] = (
        ("rows", "right", few, {one: edits(one) for one in ROWS}),
        ("tables, views and triggers", "refused", trial.pick(4, 1), SCHEMAS),
        ("numbers in the header", "refused", few, HEADERS),
        ("parts with right checksums", "plain", few, FORGED),
    )
    for area, rule, every, crafted in kinds:
        for what, craft in list(crafted.items())[::every]:
            place.lay(whole)
            craft(place.folder / FILE)
            yield Damage(area, what, place.read_files(), rule)


def _flipped(content: bytes, at: int, bit: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]


def find_areas(path: Path, content: bytes) -> dict[str, list[range]]:
    """Return where a SQLite file has what, page by page.

    That is its header, its trees, the contents of its cells, and free pages.
    """

    def number(at: int, size: int = 4) -> int:
        return int.from_bytes(content[at : at + size], "big")

    free, trunk = set[int](), number(32)
    while trunk:
        start = (trunk - 1) * PAGE
        leaves = range(start + 8, start + 8 + 4 * number(start + 4), 4)
        free |= {trunk, *map(number, leaves)}
        trunk = number(start)
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as file:
        waiting = [1, *(row[0] for row in file.execute("SELECT rootpage FROM sqlite_schema"))]
    trees: dict[int, tuple[range, range]] = {}
    while waiting:
        page = waiting.pop()
        start = (page - 1) * PAGE
        head = start + 100 * (page == 1)
        inner = content[head] in _INNER
        assert inner or content[head] in _LEAVES, f"page {page} is not part of a tree"
        first = head + (12 if inner else 8)
        cells = range(first, first + 2 * number(head + 3, 2), 2)
        trees[page] = range(head, cells.stop), range(start + number(head + 5, 2), start + PAGE)
        if inner:
            waiting += [number(start + number(at, 2)) for at in cells]
            waiting.append(number(head + 8))
    areas: dict[str, list[range]] = {
        "file header": [range(100)], "page headers": [], "cells": [],
        "links of contents": [], "contents": [], "free pages": [],
    }  # fmt: skip
    for page in range(1, len(content) // PAGE + 1):
        start = (page - 1) * PAGE
        if page in free:
            areas["free pages"].append(range(start, start + PAGE))
        elif page in trees:
            areas["page headers"].append(trees[page][0])
            areas["cells"].append(trees[page][1])
        else:
            areas["links of contents"].append(range(start, start + 4))
            areas["contents"].append(range(start + 4, start + PAGE))
    return areas


# -- what commands do with it ----------------------------------------------------------------------


class IndexPlace:
    """A folder with an index, in which a server runs commands."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._server, self.folder = server, folder

    def build(self, documents: int = 2700) -> Files:
        """Build an index with free pages, and documents that commands replace and remove."""
        # Texts that the index has, ever more edited, and two that it lacks.
        texts = [
            edited(prose(i * 400 + 3, 40), i, 2 * i) if i < 5 else prose(-3 - i, 40)
            for i in range(7)
        ]
        write(self.folder / "asked", {f"{i}.txt": text for i, text in enumerate(texts)})
        stored = [
            ("asked/2.txt", prose(-2, 40)),
            ("short", "请大家明天下午3点准时到第2会议室参加第12次讨论"),  # with facts
            *((f"d{i}", prose(i, 40)) for i in range(documents)),
        ]
        with Index.build(str(self.folder / FILE), stored[:-600], passages=True) as index:
            # They become one segment.
            for first in (600, 300):
                index.add(stored[len(stored) - first : len(stored) - first + 300])
            index.remove(f"d{i}" for i in range(documents) if i % 8 < 2)
        whole = self.read_files()
        for words in (*READERS.values(), *WRITERS.values()):
            self._server.run(Run(words, self.folder, warms=True))
        self.lay(whole)
        return whole

    def states_beside(self, whole: Files) -> list[Files]:
        """Return an index in its states, the last one with what a killed process leaves beside it.

        Some of the log is already in the index itself: what a reader still needs is not.
        """
        path = str(self.folder / FILE)

        def add(name: str) -> None:
            with Index.open(path) as index:
                index.add([(name, prose(len(name), 40))])

        with Index.open(path) as reader:
            add("new1")
            between = self.read_files()
            rows = reader.export()
            next(rows)
            add("new2")
            with closing(sqlite3.connect(path)) as file:
                file.execute("PRAGMA wal_checkpoint(PASSIVE)")
            last = self.read_files()
            rows.close()
        self.lay(whole)
        return [whole, between, last]

    def read_files(self) -> Files:
        """Return the index and the files beside it."""
        paths = self.folder.glob(FILE + "*")
        return {path.name.removeprefix(FILE): path.read_bytes() for path in paths}

    def lay(self, files: Files) -> None:
        """Put an index and the files beside it into the folder, and nothing else of it."""
        for path in self.folder.glob(FILE + "*"):
            path.unlink()
        for side, content in files.items():
            (self.folder / (FILE + side)).write_bytes(content)

    def _run(self, words: tuple[str, ...], around: Around = _USUAL) -> Outcome:
        """Run a command; what differs from run to run, or follows from a cut, is left out."""
        outcome = self._server.run(Run(words, self.folder, around))
        out = re.sub(r'"(seconds|bytes)": [0-9.]+|[0-9,]+ bytes', "", outcome.out)
        return replace(outcome, out=out)

    def observe(self, files: Files) -> Observed:
        """Run all commands on an index, those that write on copies."""
        outcomes: Outcomes = {}
        alone = "-wal" not in files  # otherwise a reader may move it into the index
        for name, words in (READERS | WRITERS).items():
            if name == "passages" and 0 < len(files[""]) < len(MAGIC):
                continue  # what is left is a text, which may be a reference
            self.lay(files)
            ran = outcomes[name] = self._run(words)
            if name in WRITERS and (ran.status == 0 or "Wrote " in ran.err):
                for then in (CHECK, "index export"):
                    outcomes[f"{name}, then {then}"] = self._run(READERS[then])
            elif alone and self.read_files() != files:
                outcomes[name] = replace(ran, err="the file was changed")
        self.lay(files)
        readable = read_blobs(self.folder / FILE, files)
        return Observed(outcomes, readable)

    def fill_disk(self, files: Files, limit: int = resource.RLIM_INFINITY) -> Outcomes:
        """Add while no file may be larger than a limit, read under it, and read without it."""
        full = replace(_USUAL, limits={"RLIMIT_FSIZE": limit})
        self.lay(files)
        outcomes = {f"before, {name}": self._run(READERS[name]) for name in _READ}
        outcomes["add"] = self._run(WRITERS["index add"], full)
        outcomes |= {f"after, {name}": self._run(READERS[name], full) for name in _READ}
        outcomes |= {f"with room, {name}": self._run(READERS[name]) for name in _READ}
        return outcomes | {"files": Outcome(0, " ".join(sorted(self.read_files())))}


def read_blobs(path: Path, files: Files) -> Readable:
    """Return what SQLite reads of an index, blob by blob."""
    readable = Readable(
        [(side, content[: 4 if side else 100]) for side, content in files.items()], {}, None
    )
    # A damaged name may not be UTF-8.
    with suppress(sqlite3.Error, UnicodeDecodeError):
        schema = _select(path, "SELECT type, name, rootpage, sql FROM sqlite_schema")
        readable.frame.extend(schema)
    if any(row[0] == "view" for row in readable.frame):
        return readable  # it may have no end
    for number in range(_BLOBS):
        with suppress(*_UNREADABLE):
            for (content,) in _select(path, f"SELECT content FROM blob WHERE number = {number}"):
                readable.blobs[number] = hashlib.md5(repr(content).encode()).hexdigest()
                if not number:
                    readable = readable._replace(head=Head.read(content))
    return readable


def _select(path: Path, statement: str) -> list[Any]:
    """Return the rows of a statement, of a page that was not read before: SQLite checks it then."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA cell_size_check = ON")  # as simdup does
        return file.execute(statement).fetchall()


# -- what is wrong ---------------------------------------------------------------------------------


def faults(rule: str, rights: list[Observed], observed: Observed) -> Iterator[str]:
    """Yield what is wrong with what commands did; `rights` has what they may do."""
    check = observed.outcomes[CHECK]
    for name, ran in observed.outcomes.items():
        allowed = [right.outcomes[name] for right in rights if name in right.outcomes]
        if not is_plain(ran):
            yield f"{name} says {ran.err[:300].strip() or ran.status!r}"
        elif rule == "refused" and ran.status == 0:
            yield f"{name} is not refused"
        elif rule != "right":
            continue
        elif name.endswith("index export") and ran.status:
            yield from _export_faults(name, rights, observed)
        elif ran.status == 0 and ran not in allowed:
            yield f"{name} is wrong: {ran.out[-300:]!r} {ran.err[-300:]!r}"
        elif not any(one.out.startswith(ran.out) for one in allowed):
            yield f"{name} is wrong before it fails: {ran.out[-300:]!r}"
        elif ran.status and check.status == 0:
            yield f"{name} fails, but check finds nothing: {ran.err.strip()}"


def _export_faults(name: str, rights: list[Observed], observed: Observed) -> Iterator[str]:
    """Yield what is wrong with an export that fails: it has what is intact, and nothing else."""
    had = [one.outcomes[name].out.splitlines() for one in rights]
    lines = set(observed.outcomes[name].out.splitlines())
    if observed.outcomes[CHECK].status == 0:
        yield f"{name} fails, but check finds nothing"
    if not any(lines <= set(whole) for whole in had):
        yield f"{name} prints what never was there"
    for one, whole in zip(rights, had, strict=True):
        wanted = promised(one.readable, observed.readable, whole) if name == "index export" else []
        if missing := set(wanted) - lines:
            yield f"{name} lacks documents of whole segments: {min(missing)}"


def promised(right: Readable, damaged: Readable, export: list[str]) -> list[str]:
    """Return the lines that an export of a damaged index must have.

    These are the segments that SQLite still reads as they were written.
    """
    same = {number for number, _ in right.blobs.items() & damaged.blobs.items()}
    # With another head, the blobs of this state are not those of the index.
    if right.head is None or right.frame != damaged.frame:
        return []
    if not same >= {0, right.head.blobs["recipe"].number}:
        return []
    head, *lines = export
    kept, start = [head], 0
    for entry in right.head.segments:
        needed = {entry.columns[name].number for name in _NEEDED if name in entry.columns}
        if same >= needed:
            kept += lines[start : start + entry.live]
        start += entry.live
    return kept


def is_plain(ran: Outcome) -> bool:
    """Return whether a command succeeded, or failed as commands should: in short lines."""
    *lines, unfinished = ran.err.split("\n")
    if unfinished or any(ran.faults()) or not all(map(_LINE.fullmatch, lines)):
        return False
    return ran.status == 0 or ran.err.startswith("simdup: ")


def disk_limits(trial: Trial, place: IndexPlace, whole: Files) -> Table:
    """Add documents while files may be no larger; then ask, with and without the limit.

    After a refusal all is as before, otherwise as it should be.
    """
    right = place.fill_disk(whole)
    counts = Counter[str]()
    for i in range(trial.pick(3, 100)):
        # From less than SQLite's shared memory needs to more than the index will have.
        limit = 20_000 + i * (len(whole[""]) + 100_000) // trial.pick(3, 100)
        outcomes = place.fill_disk(whole, limit)
        wrong = [f"{name} says {ran.err}" for name, ran in outcomes.items() if not is_plain(ran)]
        added = outcomes["add"].status == 0
        for when in ("after", "with room"):
            for name in _READ:
                ran = outcomes[f"{when}, {name}"]
                if ran != right[f"{'after' if added else 'before'}, {name}"]:
                    wrong.append(f"{when}, {name}: {ran.out[-200:]!r} {ran.err!r}")
        if outcomes["files"] != right["files"]:
            wrong.append(f"left behind: {outcomes['files'].out}")
        for what in wrong:
            trial.fail(f"at most {limit:,} bytes a file: {what}")
        counts["failed" if wrong else "added" if added else "refused"] += 1
    row = (counts.total(), counts["refused"], counts["added"], counts["failed"])
    columns = ("limits tried", "refused, index as before", "added", "failed")
    return Table("An index on a full disk", columns, [row])
