"""An index in a folder, every command on it, and what is wrong with what they did."""

from __future__ import annotations

import hashlib
import re
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from lab.breaking.running import Around, Outcome, Run, Server
from lab.corpora.made import edited, prose, write
from simdup import Index
from simdup.index.columns import SECTIONS

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
CHECK = "index check"
# Of an index on a full disk.
_READ = ("query", "index export", CHECK)
# What is intact goes to a new file.
_SAVED = "saved.index"
_REPAIR = ("index", "repair", FILE, _SAVED)

# What a command may use beyond what it inherits: far more than anything here needs.
_USUAL = Around(limits={"RLIMIT_CPU": 60}, room=1 << 30)
# What commands may print on standard error.
_LINE = re.compile(r"(simdup: (?!internal error|memory)|hint: |Wrote |the index is |\d).{0,400}")

# Keys are made from names, and stand in for lost contents.
_NEEDED = frozenset(SECTIONS) - {"keys", "contents"}
# More than an index of the campaign has.
_BLOCKS, _ROWS = 10, 200

# The bytes of an index and of the files beside it, by what follows its name.
Files = dict[str, bytes]
# What each command did, and what `check` and `export` say after each one that writes.
Outcomes = dict[str, Outcome]


class Readable(NamedTuple):
    """What SQLite alone reads of an index.

    Attributes
    ----------
    frame : list
        What decides whether a file is taken for an index at all: its header, the beginnings of the
        files beside it, and its schema.
    sections : dict
        A digest of each section.
    blocks : list of (int, int)
        The numbers of blocks and of their documents.
    """

    frame: list[Any]
    sections: dict[str, str]
    blocks: list[tuple[int, int]]


class Observed(NamedTuple):
    """What becomes of an index."""

    outcomes: Outcomes
    readable: Readable


class Bench:
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
            *((f"d{i}", prose(i, 40)) for i in range(documents)),
        ]
        with Index.build(str(self.folder / FILE), stored) as index:
            index.remove(f"d{i}" for i in range(documents) if i % 8 < 2)
        return self.read_files()

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

    def warm(self, files: Files) -> None:
        """Import what commands need, so that none of them has to."""
        self.lay(files)
        commands = [*READERS.values(), *WRITERS.values()]
        self._server.warm([Run(one, self.folder) for one in commands], self.folder / "modules")

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
            self.lay(files)
            outcomes[name] = self._run(words)
            wrote = name in WRITERS and (
                outcomes[name].status == 0 or "Wrote " in outcomes[name].err
            )
            if alone and not wrote and self.read_files() != files:
                outcomes[name] = replace(outcomes[name], err="the file was changed")
            if wrote:
                for then in (CHECK, "index export"):
                    outcomes[f"{name}, then {then}"] = self._run(READERS[then])
        self.lay(files)
        readable = read_sections(self.folder / FILE, files)
        self.lay(files)
        outcomes["index repair"] = self._run(_REPAIR)
        saved = self.folder / _SAVED
        if saved.exists():
            outcomes["repaired, index check"] = self._run(("index", "check", _SAVED))
            outcomes["repaired, index export"] = self._run(("index", "export", _SAVED))
            saved.unlink()
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


# -- what is wrong ---------------------------------------------------------------------------------


def faults(rule: str, rights: list[Observed], observed: Observed) -> Iterator[str]:
    """Yield what is wrong with what commands did; `rights` has what they may do."""
    if rule == "right":
        yield from _repair_faults(rights, observed)
    check = observed.outcomes[CHECK]
    for name, ran in observed.outcomes.items():
        allowed = [right.outcomes[name] for right in rights if name in right.outcomes]
        if not is_plain(ran):
            yield f"{name} says {ran.err[:300].strip() or ran.status!r}"
        elif rule == "refused" and ran.status == 0:
            yield f"{name} is not refused"
        elif rule != "right" or "repair" in name:
            continue
        elif ran.status == 0 and ran not in allowed:
            yield f"{name} is wrong: {ran.out[-300:]!r} {ran.err[-300:]!r}"
        elif not any(one.out.startswith(ran.out) for one in allowed):
            yield f"{name} is wrong before it fails: {ran.out[-300:]!r}"
        elif ran.status and check.status == 0:
            yield f"{name} fails, but check finds nothing: {ran.err.strip()}"


def _repair_faults(rights: list[Observed], observed: Observed) -> Iterator[str]:
    """Yield what is wrong with a repair: it saves what was there, and says what is lost."""
    outcomes = observed.outcomes
    had = [one.outcomes["index export"].out.splitlines() for one in rights]
    wanted = [
        promised(one.readable, observed.readable, lines)
        for one, lines in zip(rights, had, strict=True)
    ]
    if "repaired, index check" not in outcomes:
        # Nothing to repair, or nothing to save.
        if outcomes[CHECK].status:
            if outcomes["index repair"].status == 0:
                yield "repair finds nothing, but check does"
            if any(wanted):
                yield "repair saves nothing of whole blocks"
        return
    saved = outcomes["repaired, index export"].out.splitlines()
    if any(missing := [set(lines) - set(saved) for lines in wanted]):
        yield f"repair loses documents of whole blocks: {min(max(missing, key=len))}"
    if outcomes["repaired, index check"].status:
        yield "the repaired index is damaged"
    if not any(set(saved) <= set(lines) for lines in had):
        yield "the repaired index has what never was there"
    if outcomes["index repair"].status == 0 and saved not in had:
        yield "repair does not say what is lost"


def full_disk_faults(right: Outcomes, outcomes: Outcomes) -> Iterator[str]:
    """Yield what is wrong: after a refusal all is as before, otherwise as it should be."""
    yield from (f"{name} says {ran.err}" for name, ran in outcomes.items() if not is_plain(ran))
    state = "after" if outcomes["add"].status == 0 else "before"
    for when in ("after", "with room"):
        for name in _READ:
            ran = outcomes[f"{when}, {name}"]
            if ran != right[f"{state}, {name}"]:
                yield f"{when}, {name}: {ran.out[-200:]!r} {ran.err!r}"
    if outcomes["files"] != right["files"]:
        yield f"left behind: {outcomes['files'].out}"


def is_plain(ran: Outcome) -> bool:
    """Return whether a command succeeded, or failed as commands should: in short lines."""
    *lines, unfinished = ran.err.split("\n")
    if unfinished or any(ran.unclear()) or not all(map(_LINE.fullmatch, lines)):
        return False
    return ran.status == 0 or (ran.status == 2 and ran.err.startswith("simdup: "))


def read_sections(path: Path, files: Files) -> Readable:
    """Return what SQLite reads of an index, section by section."""
    readable = Readable([(side, one[: 4 if side else 100]) for side, one in files.items()], {}, [])
    with closing(sqlite3.connect(path)) as file:
        with suppress(sqlite3.Error):
            schema = file.execute("SELECT name, rootpage, sql FROM sqlite_schema")
            readable.frame.extend(schema.fetchall())
            blocks = file.execute("SELECT number, documents FROM block ORDER BY 1")
            readable.blocks.extend(blocks.fetchall())
        for where, values in _ways():
            with suppress(sqlite3.Error):
                rows = file.execute(
                    f"SELECT kind, number, checksum, content FROM part {where}", values
                )
                for kind, number, *written in rows:
                    digest = hashlib.md5(repr(written).encode()).hexdigest()
                    readable.sections.setdefault(f"{kind} {number}", digest)
    return readable


def _ways() -> Iterator[tuple[str, tuple[object, ...]]]:
    for kind in ("recipe", "manifest", *SECTIONS):
        for number in range(_BLOCKS):
            yield "WHERE kind = ? AND number = ?", (kind, number)
    for row in range(_ROWS):
        yield "NOT INDEXED WHERE rowid = ?", (row,)


def promised(right: Readable, damaged: Readable, export: list[str]) -> list[str]:
    """Return the lines of an export that a repair of a damaged index must save.

    These are the blocks that SQLite still reads as they were written.
    """
    same = {name for name, _ in right.sections.items() & damaged.sections.items()}
    # With another manifest, the sections of this state are not those of the index.
    if right.frame != damaged.frame or not {"recipe 0", "manifest 0"} <= same:
        return []
    head, *lines = export
    kept, start = [head], 0
    for number, documents in right.blocks:
        if {f"{kind} {number}" for kind in _NEEDED} <= same:
            kept += lines[start : start + documents]
        start += documents
    return kept if len(kept) > 1 else []
