"""An index in the working folder, every command on it, and what is wrong with what they did."""

from __future__ import annotations

import re
from pathlib import Path

from lab.breaking.commands import Ran, run_command
from lab.breaking.saving import promised, read_sections
from lab.corpora.made import edited, prose
from lab.fuzz.terminal import driving
from simdup import Index

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
# What is intact goes to a new file.
_SAVED = "saved.index"
_REPAIR = ("index", "repair", FILE, _SAVED)
# What SQLite alone reads of the index.
_READABLE = "readable for index repair"

# What commands may print on standard error; no control characters, and none that turn text around.
_LINE = re.compile(r"(simdup: (?!internal error|memory)|hint: |Wrote |the index is |\d).{0,400}")

# The bytes of an index and of the files beside it, by what follows its name.
Files = dict[str, bytes]
# What each command returned, and what `check` and `export` say after each one that writes.
Seen = dict[str, Ran]


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


def read_files(folder: Path) -> Files:
    """Return an index and the files beside it."""
    return {path.name.removeprefix(FILE): path.read_bytes() for path in folder.glob(FILE + "*")}


def observe(files: Files) -> Seen:
    """Run all commands on an index in the working folder, those that write on copies."""
    seen = {}
    alone = "-wal" not in files  # otherwise a reader may move it into the index
    for name, words in (READERS | WRITERS).items():
        lay(files)
        seen[name] = without_time(run_command(*words))
        wrote = name in WRITERS and (seen[name].status == 0 or "Wrote " in seen[name].err)
        if alone and not wrote and read_files(Path()) != files:
            seen[name] = seen[name]._replace(err="the file was changed")
        if wrote:
            for then in (CHECK, "index export"):
                seen[f"{name}, then {then}"] = run_command(*READERS[then])
    lay(files)
    seen[_READABLE] = read_sections(FILE, files)
    lay(files)
    seen["index repair"] = run_command(*_REPAIR)
    if Path(_SAVED).exists():
        seen["repaired, index check"] = run_command("index", "check", _SAVED)
        seen["repaired, index export"] = run_command("index", "export", _SAVED)
        Path(_SAVED).unlink()
    return seen


def without_time(ran: Ran) -> Ran:
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
        if name == _READABLE:
            continue
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
        elif ran.status and seen[CHECK].status == 0:
            found.append(f"{name} fails, but check finds nothing: {ran.err.strip()}")
    return found


def repair_faults(rights: list[Seen], seen: Seen) -> list[str]:
    """Return what is wrong with a repair: it saves what was there, and says what is lost."""
    had = [one["index export"].out.splitlines() for one in rights]
    wanted = [
        promised(one[_READABLE], seen[_READABLE], lines)
        for one, lines in zip(rights, had, strict=True)
    ]
    if "repaired, index check" not in seen:
        # Nothing to repair, or nothing to save.
        if seen[CHECK].status == 0:
            return []
        finds = seen["index repair"].status != 0
        wrong = [] if finds else ["repair finds nothing, but check does"]
        return [*wrong, "repair saves nothing of whole blocks"] if any(wanted) else wrong
    saved = seen["repaired, index export"].out.splitlines()
    found = []
    if any(missing := [set(lines) - set(saved) for lines in wanted]):
        some = min(max(missing, key=len))
        found.append(f"repair loses documents of whole blocks: {some}")
    if seen["repaired, index check"].status:
        found.append("the repaired index is damaged")
    if not any(set(saved) <= set(lines) for lines in had):
        found.append("the repaired index has what never was there")
    if seen["index repair"].status == 0 and saved not in had:
        found.append("repair does not say what is lost")
    return found


def is_plain(ran: Ran) -> bool:
    """Return whether a command succeeded, or failed as commands should: in short lines."""
    *lines, unfinished = ran.err.split("\n")
    if unfinished or driving(ran.err) or not all(map(_LINE.fullmatch, lines)):
        return False
    return ran.status == 0 or (ran.status == 2 and ran.err.startswith("simdup: "))
