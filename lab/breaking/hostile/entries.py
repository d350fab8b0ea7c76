"""What an entry of the hostile corpus is, how it is tried, and what is wrong with a run."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lab.breaking.running import USUAL, Around, Outcome, Run, Server
from lab.breaking.striking import Fault
from lab.corpora.made import near, prose, write


class Scale(NamedTuple):
    """How large the files of the corpus are."""

    unit: int  # bytes of a large file, unpacked
    most: str  # the value of ``--max-size``
    depth: int  # of brackets and elements
    patience: float  # seconds after which a run hangs


SCALES = {"small": Scale(4 << 20, "1M", 20_000, 60), "full": Scale(1 << 30, "100M", 100_000, 600)}

# What is in a file: a text, or bytes in parts, of which a number is a hole of so many NULs, which
# takes no room on the disk.
Parts = str | bytes | Iterable[bytes | int]
# By their names below ``c/``, what is in the files of an entry; or what makes them in a folder.
Fill = Mapping[Any, Parts | Callable[[Scale], Parts]] | Callable[[Path, Scale], object]
# The status of an entry whose run may end with an error, in one line, or do its work.
EITHER = -1


@dataclass(frozen=True)
class Entry:
    """One thing that the world may do to simdup, and what should happen."""

    name: str
    fill: Fill  # beside two texts that are near-duplicates
    commands: tuple[tuple[str, ...], ...] = ()  # without any, those in `READERS`
    status: int = 2  # what the commands return, or `EITHER`
    says: str = ""  # a regular expression of what is printed on standard error
    seconds: float = 5  # what a run may take
    megabytes: float = 600
    around: Around = USUAL
    fault: Fault | None = None  # what happens to a file when it is opened
    leaves: tuple[str, ...] = ()  # files that are there afterwards
    large: bool = False  # there is no small size of it


def typed(*lines: str) -> tuple[tuple[str, ...], ...]:
    """Return the arguments of commands as people type them."""
    return tuple(tuple(line.split()) for line in lines)


def put(fill: Fill, folder: Path, scale: Scale) -> None:
    """Make the files of an entry."""
    if not isinstance(fill, Mapping):
        fill(folder, scale)
        return
    for name, content in fill.items():
        parts = content(scale) if callable(content) else content
        parts = parts.encode() if isinstance(parts, str) else parts
        with open(os.path.join(os.fsencode(folder / "c"), os.fsencode(name)), "wb") as file:
            for part in (parts,) if isinstance(parts, bytes) else parts:
                if isinstance(part, int):
                    file.seek(part, os.SEEK_CUR)
                else:
                    file.write(part)
            file.truncate()


def _clusters(ran: Outcome, folder: Path) -> bool:
    # Names have separators of lines, too.
    lines = [json.loads(line) for line in ran.out.removesuffix("\n").split("\n")]
    names = [{one["document"] for one in x["documents"]} for x in lines if x["type"] == "cluster"]
    return any({"c/a.txt", "c/z.txt"} <= one for one in names)


def _both(ran: Outcome, folder: Path) -> bool:
    return "c/a.txt" in ran.out and "c/z.txt" in ran.out


def _cleaned(ran: Outcome, folder: Path) -> bool:
    names = {name for _, _, names in os.walk(folder / "out") for name in names}
    return "a.txt" in names and "z.txt" not in names


def _written(name: str) -> Callable[[Outcome, Path], bool]:
    return lambda ran, folder: (folder / name).stat().st_size > 1000


# Commands that read a folder, and how to see that two good texts in it were read as ever.
READERS: dict[tuple[str, ...], Callable[[Outcome, Path], bool]] = {
    ("scan", "c", "-f", "jsonl"): _clusters,
    ("fingerprint", "c"): _both,
    ("dedupe", "c", "-o", "out"): _cleaned,
    ("passages", "c", "-f", "jsonl"): _both,
    ("index", "build", "new.index", "c"): _written("new.index"),
    ("query", "known.index", "c", "-f", "jsonl"): _both,
    ("fit", "c", "-o", "model.idf"): _written("model.idf"),
    ("scan", "c", "-o", "page.html"): _written("page.html"),
}
# What these commands write.
WRITTEN = ("out", "new.index", "model.idf", "page.html")


def start_server() -> Server:
    """Return a server in which every warning is an error."""
    return Server(PYTHONWARNINGS="error")


def corpus(folder: Path) -> None:
    """Write two texts that are near-duplicates."""
    write(folder / "c", {"a.txt": prose(1), "z.txt": near(prose(1))})


def prepare(server: Server, folder: Path) -> None:
    """Make what every entry may need: a corpus of two texts, and an index of it.

    What commands import is imported once, so that it counts for none of them.
    """
    corpus(folder)
    ran = server.run(Run(("index", "build", "known.index", "c", "-q"), folder))
    assert ran.status == 0, ran.err
    place = folder.with_name("warm")
    shutil.copytree(folder, place)
    for command in READERS:
        server.run(Run(command, place, warms=True))


def try_entry(
    server: Server, entry: Entry, size: str, folder: Path, known: Path, which: slice
) -> Iterator[tuple[tuple[str, ...], Outcome, list[str]]]:
    """Run the commands of an entry; yield what went wrong."""
    scale, place = SCALES[size], folder / "files"
    more = () if entry.commands else ("--max-size", scale.most, "-j", "1")
    for command in (entry.commands or tuple(READERS))[which]:
        # To make a gigabyte takes longer than to read it.
        if entry.commands or not place.exists():
            _remove(place)
            shutil.copytree(known, place)
            put(entry.fill, place, scale)
        words = (*command, *more)
        run = Run(words, place, entry.around, entry.fault, patience=scale.patience)
        try:
            ran = server.run(run)
            yield words, ran, list(problems(entry, command, ran, place))
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
    allowed = (0, 2) if entry.status == EITHER else (entry.status,)
    yield from ran.faults(allowed, around.terminal)
    if ran.status is None:
        return
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
    try:
        if meets and command in READERS and not READERS[command](ran, folder):
            yield f"the other texts were not read as ever: {ran.err[-300:]!r}"
    except (OSError, ValueError, KeyError) as error:
        yield f"the other texts were not read as ever: {error!r} {ran.err[-300:]!r}"
    if entry.fault and not ran.reached:
        yield f"the file was never changed: {entry.fault}"
    if gone := [name for name in entry.leaves if not (folder / name).exists()]:
        yield f"there is no {gone[0]}"
    names = (name for _, *two in os.walk(folder) for some in two for name in some)
    if left := [name for name in names if name.startswith(".simdup-")]:
        yield f"it left {left[0]} behind"
