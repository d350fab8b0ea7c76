"""Every command that writes: the files that it finds, how it is called, and what it writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from lab.corpora.made import near, prose, write

Call = tuple[str, ...]


@dataclass(frozen=True)
class Scenario:
    """One command that writes."""

    name: str
    arguments: Call  # in a folder that `fill` has filled
    targets: Call  # the files and folders that it writes
    before: tuple[Call, ...] = ()  # commands that make what is there before
    # Each file of the target is replaced by itself: a kill may leave old ones beside new ones.
    by_file: bool = False
    stdin: str = ""  # the file that standard input is read from

    @property
    def command(self) -> str:
        """What is typed after ``simdup``: ``index add``."""
        return " ".join(self.arguments[: 2 if self.arguments[0] == "index" else 1])


def fill(folder: Path) -> None:
    """Write what all scenarios read: a few tiny documents, two of them near-duplicates."""
    one, two, three, four = (prose(seed, 70) for seed in range(4))
    records = {"r.jsonl": (one, two, near(one)), "s.jsonl": (near(one), four)}
    lines = {
        name: "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)
        for name, texts in records.items()
    }
    tables = {"found.csv": "a,b\nx,y\n", "truth.csv": "a,b\nx,y\ny,z\n"}
    texts = {
        "in/a.txt": one, "in/deep/b.txt": near(one), "in/c.txt": two,
        "more/d.txt": three, "more/e.txt": near(one),
    }  # fmt: skip
    write(folder, texts | lines | tables)


# Commands that have no option for the number of processes.
_ALONE = (
    "compare", "cluster", "pairs", "audit", "evaluate", "index remove", "index info", "index export"
)  # fmt: skip


def _call(line: str) -> Call:
    """Return a command, in one process if it does not say otherwise."""
    one = not line.startswith(_ALONE) and "-j" not in line
    return tuple(line.split()) + ("-j", "1") * one


_BUILD, _PRINTS = "index build seen in", "fingerprint in -o prints"
_BASELINE = "--baseline base --update-baseline"

# By name: the command, what it writes, and the commands that make what it finds.
_ROWS = {
    "scan, a table": ("scan in -o new.csv", "new.csv"),
    "scan, lines, over others": ("scan in more -o old.jsonl", "old.jsonl", "scan in -o old.jsonl"),
    "scan, a page, over another": ("scan in more -o old.html", "old.html", "scan in -o old.html"),
    "scan, a baseline": (f"scan in {_BASELINE}", "base"),
    "scan, a baseline over another": (
        f"scan in more {_BASELINE}", "base", f"scan in {_BASELINE}"),
    "scan, with two processes": ("scan in more -j 2 -o new.csv", "new.csv"),
    "compare, a page": ("compare in/a.txt in/deep/b.txt -o new.html", "new.html"),
    "passages, a table": ("passages in -o new.csv", "new.csv"),
    "passages, a page": ("passages in -o new.html", "new.html"),
    "conflicts, a table": ("conflicts in -o new.csv", "new.csv"),
    "conflicts, a page": ("conflicts in -o new.html", "new.html"),
    "conflicts, a baseline": (f"conflicts in {_BASELINE}", "base"),
    "fingerprint": ("fingerprint in more -o old", "old", "fingerprint in -o old"),
    "cluster": ("cluster prints -o new.csv", "new.csv", _PRINTS),
    "pairs": ("pairs prints -o new.csv", "new.csv", _PRINTS),
    "dedupe, a folder": ("dedupe in more -o out", "out"),
    "dedupe, a folder over another": (
        "dedupe in more -o out --force", "out",
        "dedupe in more --keep longest --prefer more/* -o out"),
    "dedupe, a file": ("dedupe r.jsonl -o out.jsonl --removed gone.csv", "out.jsonl gone.csv"),
    "dedupe, a file over another": (
        "dedupe r.jsonl -o out.jsonl --force --removed gone.csv", "out.jsonl gone.csv",
        "dedupe s.jsonl -o out.jsonl --removed gone.csv"),
    "dedupe, standard input": ("dedupe - --input-format jsonl -o out.jsonl", "out.jsonl"),
    "dedupe, annotated": ("dedupe r.jsonl -o out.jsonl --annotate", "out.jsonl"),
    "dedupe, a new index": ("dedupe r.jsonl -o out.jsonl --index seen --add", "out.jsonl seen"),
    "dedupe, a folder and an index": (
        "dedupe in more -o out --index seen --add --removed gone.csv", "out seen gone.csv",
        "index build seen s.jsonl"),
    "decontaminate, a folder": ("decontaminate in more --against s.jsonl -o out", "out"),
    "decontaminate, a folder over another": (
        "decontaminate in more --against s.jsonl -o out --force", "out",
        "decontaminate in more --against more/d.txt -o out"),
    "decontaminate, a masked file": (
        "decontaminate r.jsonl --against s.jsonl -o out.jsonl --mask --evidence leaks.jsonl",
        "out.jsonl leaks.jsonl"),
    "fit": ("fit in more -o model", "model", "fit in -o model"),
    "index build": (_BUILD, "seen"),
    "index add": ("index add seen more", "seen", _BUILD),
    "index build, with passages": (f"{_BUILD} --passages", "seen"),
    "index add, with passages": ("index add seen more", "seen", f"{_BUILD} --passages"),
    "index remove": ("index remove seen in/a.txt", "seen", _BUILD),
    "index info": ("index info seen -o new.txt", "new.txt", _BUILD),
    "index export": ("index export seen -o new", "new", _BUILD),
    "query": ("query seen more -o new.csv", "new.csv", _BUILD),
    "query, a page": ("query seen more -o new.html", "new.html", _BUILD),
    "query and add": ("query seen more --add -o new.csv", "new.csv seen", _BUILD),
    "audit, a page": ("audit had.csv -o new.html", "new.html", "scan in more -o had.csv"),
    "evaluate": ("evaluate found.csv truth.csv -o new.jsonl", "new.jsonl"),
}  # fmt: skip
SCENARIOS: tuple[Scenario, ...] = tuple(
    Scenario(
        name,
        _call(line),
        tuple(targets.split()),
        tuple(map(_call, before)),
        by_file=name.endswith("a folder over another"),
        stdin="r.jsonl" if name == "dedupe, standard input" else "",
    )
    for name, (line, targets, *before) in _ROWS.items()
)
