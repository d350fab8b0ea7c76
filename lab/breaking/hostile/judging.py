"""What is wrong with a run: the same questions for every entry."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from lab.breaking.hostile.live import MARKER
from lab.breaking.hostile.values import EITHER, Entry, Ran
from lab.fuzz.terminal import driving

Seen = Callable[[Ran, Path], bool]


def _clusters(ran: Ran, folder: Path) -> bool:
    found = [json.loads(line) for line in ran.out.splitlines()]
    names = [{one["document"] for one in x["documents"]} for x in found if x["type"] == "cluster"]
    return any({"c/a.txt", "c/z.txt"} <= one for one in names)


def _both(ran: Ran, folder: Path) -> bool:
    return b"c/a.txt" in ran.out and b"c/z.txt" in ran.out


def _cleaned(ran: Ran, folder: Path) -> bool:
    out = folder / "out"
    found = {name for _, _, names in os.walk(out) for name in names}
    return "a.txt" in found and "z.txt" not in found


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
    ("tune", "c"): lambda ran, folder: b"true pair" in ran.out,
    ("scan", "c", "-o", "page.html"): _written("page.html"),
}

# What these commands write.
WRITTEN = ("out", "new.index", "model.idf", "page.html")


def problems(entry: Entry, command: tuple[str, ...], ran: Ran, folder: Path) -> Iterator[str]:
    """Yield what went wrong."""
    said = ran.err.decode("utf-8", "replace")
    screen = (ran.out.decode("utf-8", "replace") if entry.around.terminal else "") + said
    if ran.hung:
        yield f"it hangs: {said[-200:]!r}"
        return
    if ran.status not in ((0, 2) if entry.status == EITHER else (entry.status,)):
        yield f"status {ran.status} instead of {entry.status}: {said[-300:]!r}"
    if "Traceback" in said or "internal error" in said:
        yield f"traceback: {said[-600:]}"
    if not re.search(entry.says, screen):
        yield f"it does not say {entry.says!r}: {screen[-300:]!r}"
    if ran.status == 2 and not screen and 2 not in {*entry.around.closed, *entry.around.streams}:
        yield "it fails without a word"
    if found := driving(screen):
        at = screen.index(found[0])
        yield f"{found[0]!r} reaches the terminal: {screen[max(0, at - 60) :][:120]!r}"
    if ran.seconds > entry.seconds:
        yield f"{ran.seconds:.1f} s, more than {entry.seconds}"
    if ran.megabytes > entry.megabytes:
        yield f"{ran.megabytes:.0f} MB, more than {entry.megabytes}"
    shown = 1 not in {*entry.around.closed, *entry.around.streams} and not entry.around.terminal
    meets = shown and (not ran.status or entry.status != EITHER)
    seen = READERS.get(command) if meets else None
    try:
        if seen and not seen(ran, folder):
            yield f"the other texts were not read as ever: {said[-300:]!r}"
    except (OSError, ValueError, KeyError) as error:
        yield f"the other texts were not read as ever: {error!r} {said[-300:]!r}"
    yield from _files(entry, folder)


def _files(entry: Entry, folder: Path) -> Iterator[str]:
    """Yield what is wrong with the files afterwards."""
    if entry.around.live[0] and not (folder / MARKER).exists():
        yield f"the file was never changed: {entry.around.live}"
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
