"""The hostile corpus: every entry, and how one is tried."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from lab.breaking.hostile.bombs import BOMBS, LINES
from lab.breaking.hostile.documents import DEEP, EMPTY
from lab.breaking.hostile.judging import READERS, WRITTEN, problems
from lab.breaking.hostile.lists import LISTS
from lab.breaking.hostile.names import LIVE, LOST, ODD, READ, SHOWN
from lab.breaking.hostile.running import Runner
from lab.breaking.hostile.surroundings import (
    LIMITS,
    LOCALES,
    PLACES,
    STREAMS,
    TEMPORARY,
    VARIABLES,
)
from lab.breaking.hostile.values import Entry, Ran, Scale
from lab.corpora.made import near, prose, write

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

# A run that takes this long hangs.
WALL = {"small": 60.0, "full": 600.0}


def corpus(folder: Path) -> None:
    """Write two texts that are near-duplicates."""
    write(folder / "c", {"a.txt": prose(1), "z.txt": near(prose(1))})


def prepare(runner: Runner, folder: Path) -> None:
    """Make what every entry may need: a corpus of two texts, and an index of it."""
    corpus(folder)
    ran = runner.run(("index", "build", "known.index", "c", "-q"), folder)
    assert ran.status == 0, ran.err


def fill(entry: Entry, scale: Scale, known: Path, folder: Path) -> None:
    """Make the files of an entry in a new folder."""
    shutil.copytree(known, folder)
    entry.fill(folder, scale)


def commands(entry: Entry, scale: Scale) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the commands that an entry is tried with: the plain one, and with its options."""
    if entry.commands:
        return [(one, one) for one in entry.commands]
    return [(one, (*one, "--max-size", scale.most, "-j", "1")) for one in READERS]


def try_entry(
    runner: Runner, entry: Entry, scale: Scale, folder: Path, known: Path, which: slice, wall: float
) -> Iterator[tuple[tuple[str, ...], Ran, list[str]]]:
    """Run the commands of an entry; yield what went wrong."""
    place = folder / "files"
    for plain, command in commands(entry, scale)[which]:
        # To make a gigabyte takes longer than to read it.
        if entry.commands or not place.exists():
            _remove(place)
            fill(entry, scale, known, place)
        try:
            ran = runner.run(command, place, entry.around, wall)
            yield command, ran, list(problems(entry, plain, ran, place))
        finally:
            for name in WRITTEN:
                _remove(place / name)
    _remove(place)


def _remove(folder: Path) -> None:
    for path in folder.glob("*/*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    if folder.is_dir():
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)
