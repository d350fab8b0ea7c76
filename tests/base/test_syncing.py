"""What appears is on the disk before, and its name soon after: a power failure loses nothing."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support import Command

from lab.corpora.made import near, prose, write
from simdup import Index
from simdup.base.atomic import beside

# The value of `PRAGMA synchronous` with which SQLite syncs its log at each commit.
_FULL = 2


class Event(NamedTuple):
    """Something was synced, or got a name (`place`) in a folder."""

    inodes: set[int]
    folder: int = 0
    place: str = ""


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """What is synced and what gets its name, in this order."""
    found: list[Event] = []
    fsync = os.fsync

    def sync(descriptor: int) -> None:
        fsync(descriptor)
        found.append(Event({os.fstat(descriptor).st_ino}))

    def move(call: Any, path: str, place: str, **named: Any) -> None:
        inodes = {os.lstat(one).st_ino for one in _all(path)}
        found.append(Event(inodes, os.stat(os.path.dirname(place)).st_ino, place))
        call(path, place, **named)

    monkeypatch.setattr(os, "fsync", sync)
    for name in ("link", "rename", "replace"):
        monkeypatch.setattr(os, name, partial(move, getattr(os, name)))
    return found


def _all(path: str) -> Iterator[str]:
    """Yield a file, or a folder with all that is in it."""
    yield path
    for folder, folders, files in os.walk(path):
        yield from (os.path.join(folder, name) for name in (*folders, *files))


def _unsafe(events: Sequence[Event]) -> list[str]:
    """Return what got a name before it was synced, or in a folder that was not synced then."""
    synced: set[int] = set()
    found = []
    for number, event in enumerate(events):
        if not event.place:
            synced |= event.inodes
        elif ".simdup-" not in event.place:
            if not event.inodes <= synced:
                found.append(f"{event.place} was not synced before")
            if not any(later.inodes == {event.folder} for later in events[number:]):
                found.append(f"the folder of {event.place} was not synced afterwards")
    return found


def _named(events: Sequence[Event]) -> set[str]:
    places = (event.place for event in events if event.place)
    return {os.path.basename(place) for place in places if ".simdup-" not in place}


def test_a_folder_is_synced_with_all_that_is_in_it(tmp_path: Path, events: list[Event]) -> None:
    with beside(str(tmp_path / "t")) as path:
        os.makedirs(f"{path}/sub")
        for name in ("a", "sub/b"):
            Path(path, name).write_text(name)
    assert _named(events) == {"t"}
    assert not _unsafe(events)


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("scan in -f csv -o new", {"new"}),
        ("scan in -f csv -o old", {"old"}),
        ("fingerprint in -o new", {"new"}),
        ("index build new in", {"new"}),
        ("dedupe in -o out", {"out"}),
        ("dedupe r.jsonl -o new.jsonl --removed gone.csv", {"new.jsonl", "gone.csv"}),
        ("dedupe in -o full --force", {"a.txt", "c.txt", "below", "new.txt"}),
    ],
)
def test_what_commands_write_is_synced(
    simdup: Command, tmp_path: Path, events: list[Event], command: str, named: set[str]
) -> None:
    write(tmp_path / "in", {"a.txt": prose(1), "z.txt": near(prose(1)), "deep/c.txt": prose(2),
                            "deep/below/d.txt": prose(3), "deep/new.txt": prose(4)})  # fmt: skip
    write(tmp_path / "full", {"a.txt": "old", "deep/c.txt": "old"})
    (tmp_path / "r.jsonl").write_text('{"text": "one"}\n{"text": "two"}\n')
    simdup("scan", "in", "-f", "csv", "-o", "old")
    events.clear()
    assert simdup(*command.split()).status == 0
    assert _named(events) == named
    assert not _unsafe(events)


class _Watched(sqlite3.Connection):
    """Notes at each commit how SQLite syncs."""

    commits: list[int]

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        if statement == "COMMIT":
            ((synchronous,),) = super().execute("PRAGMA synchronous")
            self.commits.append(synchronous)
        return super().execute(statement, *values)


def test_an_index_is_synced_at_each_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.txt": prose(1), "b.txt": prose(2), "c.txt": prose(3)})
    path = str(tmp_path / "index")
    Index.build(path, [str(tmp_path / "a.txt")])
    monkeypatch.setattr(_Watched, "commits", commits := [], raising=False)
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=_Watched))
    with Index.open(path) as index:
        index.add([str(tmp_path / "b.txt")])
        index.remove([str(tmp_path / "a.txt")])
    assert commits == [_FULL, _FULL]
