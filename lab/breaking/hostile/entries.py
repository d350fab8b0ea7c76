"""The hostile corpus: every entry, how one is tried, and what is wrong with a run."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from lab.breaking.hostile.contents import BOMBS, DEEP, EMPTY, LINES, LISTS
from lab.breaking.hostile.names import LIVE, LOST, ODD, READ, SHOWN
from lab.breaking.hostile.surroundings import (
    LIMITS,
    LOCALES,
    PLACES,
    STREAMS,
    TEMPORARY,
    VARIABLES,
)
from lab.breaking.hostile.values import EITHER, SCALES, Entry, Scale
from lab.breaking.running import Outcome, Run, Server
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
PATIENCE = {"small": 60.0, "full": 600.0}

Seen = Callable[[Outcome, Path], bool]


def _clusters(ran: Outcome, folder: Path) -> bool:
    # Names have separators of lines, too.
    lines = [json.loads(line) for line in ran.out.removesuffix("\n").split("\n")]
    names = [{one["document"] for one in x["documents"]} for x in lines if x["type"] == "cluster"]
    return any({"c/a.txt", "c/z.txt"} <= one for one in names)


def _both(ran: Outcome, folder: Path) -> bool:
    return "c/a.txt" in ran.out and "c/z.txt" in ran.out


def _cleaned(ran: Outcome, folder: Path) -> bool:
    out = folder / "out"
    names_in_out = {name for _, _, names in os.walk(out) for name in names}
    return "a.txt" in names_in_out and "z.txt" not in names_in_out


def _written(name: str) -> Seen:
    return lambda ran, folder: (folder / name).stat().st_size > 1000


# Commands that read a folder, and how to see that two good texts in it were read as ever.
READERS: dict[tuple[str, ...], Seen] = {
    ("scan", "c", "-f", "jsonl"): _clusters,
    ("fingerprint", "c"): _both,
    ("dedupe", "c", "-o", "out"): _cleaned,
    ("passages", "c", "-f", "jsonl"): _both,
    ("index", "build", "new.index", "c"): _written("new.index"),
    ("query", "known.index", "c", "-f", "jsonl"): _both,
    ("fit", "c", "-o", "model.idf"): _written("model.idf"),
    ("tune", "c"): lambda ran, folder: "true pair" in ran.out,
    ("scan", "c", "-o", "page.html"): _written("page.html"),
}

# What these commands write.
WRITTEN = ("out", "new.index", "model.idf", "page.html")


def corpus(folder: Path) -> None:
    """Write two texts that are near-duplicates."""
    write(folder / "c", {"a.txt": prose(1), "z.txt": near(prose(1))})


def start_server() -> Server:
    """Return a server in which every warning is an error."""
    return Server(PYTHONWARNINGS="error")


def prepare(server: Server, folder: Path) -> None:
    """Make what every entry may need: a corpus of two texts, and an index of it.

    What commands import is imported once, so that it counts for none of them.
    """
    corpus(folder)
    ran = server.run(Run(("index", "build", "known.index", "c", "-q"), folder))
    assert ran.status == 0, ran.err
    place = folder.with_name("warm")
    shutil.copytree(folder, place)
    server.warm([Run(command, place) for command in READERS], folder.with_name("modules"))


def commands(entry: Entry, scale: Scale) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the commands that an entry is tried with: the plain one, and with its options."""
    if entry.commands:
        return [(one, one) for one in entry.commands]
    return [(one, (*one, "--max-size", scale.most, "-j", "1")) for one in READERS]


def try_entry(
    server: Server, entry: Entry, size: str, folder: Path, known: Path, which: slice
) -> Iterator[tuple[tuple[str, ...], Outcome, list[str]]]:
    """Run the commands of an entry; yield what went wrong."""
    scale, patience = SCALES[size], PATIENCE[size]
    place = folder / "files"
    for plain, command in commands(entry, scale)[which]:
        # To make a gigabyte takes longer than to read it.
        if entry.commands or not place.exists():
            _remove(place)
            shutil.copytree(known, place)
            entry.fill(place, scale)
        try:
            ran = server.run(Run(command, place, entry.around, entry.fault, patience=patience))
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


def problems(entry: Entry, command: tuple[str, ...], ran: Outcome, folder: Path) -> Iterator[str]:
    """Yield what went wrong: the same questions for every entry."""
    around, silent = entry.around, {*entry.around.closed, *entry.around.streams}
    screen = (ran.out if around.terminal else "") + ran.err
    yield from ran.unclear(around.terminal)
    if ran.status is None:
        return
    if ran.status not in ((0, 2) if entry.status == EITHER else (entry.status,)):
        yield f"status {ran.status} instead of {entry.status}: {ran.err[-300:]!r}"
    if not re.search(entry.says, screen):
        yield f"it does not say {entry.says!r}: {screen[-300:]!r}"
    if ran.status == 2 and not screen and 2 not in silent:
        yield "it fails without a word"
    if ran.seconds > entry.seconds:
        yield f"{ran.seconds:.1f} s, more than {entry.seconds}"
    if ran.megabytes > entry.megabytes:
        yield f"{ran.megabytes:.0f} MB, more than {entry.megabytes}"
    shown = 1 not in silent and not around.terminal
    meets = shown and (not ran.status or entry.status != EITHER)
    seen = READERS.get(command) if meets else None
    try:
        if seen and not seen(ran, folder):
            yield f"the other texts were not read as ever: {ran.err[-300:]!r}"
    except (OSError, ValueError, KeyError) as error:
        yield f"the other texts were not read as ever: {error!r} {ran.err[-300:]!r}"
    if entry.fault and not ran.reached:
        yield f"the file was never changed: {entry.fault}"
    if gone := [name for name in entry.leaves if not (folder / name).exists()]:
        yield f"there is no {gone[0]}"
    left = [
        name
        for _, folders, files in os.walk(folder)
        for name in (*folders, *files)
        if name.startswith(".simdup-")
    ]
    if left:
        yield f"it left {left[0]} behind"
