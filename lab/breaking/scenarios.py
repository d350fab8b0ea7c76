"""Every command that writes: the files that it finds, how it is called, and what it writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from lab.corpora.made import near, prose, write

Call = tuple[str, ...]


@dataclass(frozen=True)
class Scenario:
    """One command that writes.

    Attributes
    ----------
    name : str
        What people read.
    arguments : tuple of str
        The command; it runs in a folder that `fill` has filled.
    targets : tuple of str
        The files and folders that it writes.
    before : tuple of Call
        Commands that make what is there before.
    by_file : bool
        Whether each file of the target is replaced by itself, so that a fault may leave old ones
        beside new ones.
    stdin : str
        The file that standard input is read from.
    status : int
        The exit status of a run without faults.
    spoiled : str
        An index that loses a section before.
    """

    name: str
    arguments: Call
    targets: tuple[str, ...]
    before: tuple[Call, ...] = ()
    by_file: bool = False
    stdin: str = ""
    status: int = 0
    spoiled: str = ""

    @property
    def rereads(self) -> bool:
        """Whether texts are read again for people to see; those that cannot be are left out."""
        return any(target.endswith(".html") or target == "gone.csv" for target in self.targets)

    @property
    def command(self) -> str:
        """What is typed after ``simdup``: ``index add``."""
        words = self.arguments[:2] if self.arguments[0] == "index" else self.arguments[:1]
        return " ".join(words)


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


_ONE = ("-j", "1")
_INDEX: Call = ("index", "build", "seen", "in", *_ONE)
_PRINTS: Call = ("fingerprint", "in", "-o", "prints", *_ONE)


def _written(name: str, arguments: Call, target: str = "new") -> Scenario:
    """Return a scenario that writes a file where there was none."""
    return Scenario(name, (*arguments, *_ONE, "-o", target), (target,))


def _replaced(name: str, arguments: Call, earlier: Call, target: str) -> Scenario:
    """Return a scenario that replaces a file."""
    output = (*_ONE, "-o", target)
    return Scenario(name, (*arguments, *output), (target,), before=((*earlier, *output),))


SCENARIOS: tuple[Scenario, ...] = (
    _written("scan, a table", ("scan", "in"), "new.csv"),
    _replaced("scan, lines, over others", ("scan", "in", "more"), ("scan", "in"), "old.jsonl"),
    _replaced("scan, a page, over another", ("scan", "in", "more"), ("scan", "in"), "old.html"),
    Scenario("scan, a baseline", ("scan", "in", "--baseline", "base", "--update-baseline", *_ONE),
             ("base",)),
    Scenario("scan, a baseline over another",
             ("scan", "in", "more", "--baseline", "base", "--update-baseline", *_ONE), ("base",),
             before=(("scan", "in", "--baseline", "base", "--update-baseline", *_ONE),)),
    Scenario("scan, with two processes", ("scan", "in", "more", "-j", "2", "-o", "new.csv"),
             ("new.csv",)),
    Scenario("compare, a page", ("compare", "in/a.txt", "in/deep/b.txt", "-o", "new.html"),
             ("new.html",)),
    _written("passages, a table", ("passages", "in"), "new.csv"),
    _written("passages, a page", ("passages", "in"), "new.html"),
    _replaced("fingerprint", ("fingerprint", "in", "more"), ("fingerprint", "in"), "old"),
    Scenario("cluster", ("cluster", "prints", "-o", "new.csv"), ("new.csv",), before=(_PRINTS,)),
    Scenario("pairs", ("pairs", "prints", "-o", "new.csv"), ("new.csv",), before=(_PRINTS,)),
    Scenario("dedupe, a folder", ("dedupe", "in", "more", "-o", "out", *_ONE), ("out",)),
    Scenario("dedupe, a folder over another",
             ("dedupe", "in", "more", "-o", "out", "--force", *_ONE), ("out",),
             before=(("dedupe", "in", "more", "--keep", "longest", "--prefer", "more/*", "-o",
                      "out", *_ONE),), by_file=True),
    Scenario("dedupe, a folder of links", ("dedupe", "in", "-o", "out", "--link", "hard", *_ONE),
             ("out",)),
    Scenario("dedupe, a file", ("dedupe", "r.jsonl", "-o", "out.jsonl", "--removed", "gone.csv",
             *_ONE), ("out.jsonl", "gone.csv")),
    Scenario("dedupe, a file over another",
             ("dedupe", "r.jsonl", "-o", "out.jsonl", "--force", "--removed", "gone.csv", *_ONE),
             ("out.jsonl", "gone.csv"),
             before=(("dedupe", "s.jsonl", "-o", "out.jsonl", "--removed", "gone.csv", *_ONE),)),
    Scenario("dedupe, standard input",
             ("dedupe", "-", "--input-format", "jsonl", "-o", "out.jsonl", *_ONE), ("out.jsonl",),
             stdin="r.jsonl"),
    Scenario("dedupe, annotated", ("dedupe", "r.jsonl", "-o", "out.jsonl", "--annotate", *_ONE),
             ("out.jsonl",)),
    Scenario("dedupe, a new index",
             ("dedupe", "r.jsonl", "-o", "out.jsonl", "--index", "seen", "--add", *_ONE),
             ("out.jsonl", "seen")),
    Scenario("dedupe, a folder and an index",
             ("dedupe", "in", "more", "-o", "out", "--index", "seen", "--add", "--removed",
              "gone.csv", *_ONE), ("out", "seen", "gone.csv"),
             before=(("index", "build", "seen", "s.jsonl", *_ONE),)),
    Scenario("fit", ("fit", "in", "more", "-o", "model", *_ONE), ("model",),
             before=(("fit", "in", "-o", "model", *_ONE),)),
    Scenario("index build", _INDEX, ("seen",)),
    Scenario("index add", ("index", "add", "seen", "more", *_ONE), ("seen",), before=(_INDEX,)),
    Scenario("index remove", ("index", "remove", "seen", "in/a.txt"), ("seen",), before=(_INDEX,)),
    Scenario("index info", ("index", "info", "seen", "-o", "new.txt"), ("new.txt",),
             before=(_INDEX,)),
    Scenario("index export", ("index", "export", "seen", "-o", "new"), ("new",), before=(_INDEX,)),
    Scenario("index repair", ("index", "repair", "seen", "new"), ("new",), before=(_INDEX,),
             spoiled="seen"),
    Scenario("query", ("query", "seen", "more", "-o", "new.csv", *_ONE), ("new.csv",),
             before=(_INDEX,)),
    Scenario("query, a page", ("query", "seen", "more", "-o", "new.html", *_ONE), ("new.html",),
             before=(_INDEX,)),
    Scenario("query and add", ("query", "seen", "more", "--add", "-o", "new.csv", *_ONE),
             ("new.csv", "seen"), before=(_INDEX,)),
    Scenario("tune", ("tune", "in", "more", "-o", "new.jsonl", *_ONE), ("new.jsonl",)),
    Scenario("evaluate", ("evaluate", "found.csv", "truth.csv", "-o", "new.jsonl"),
             ("new.jsonl",)),
)  # fmt: skip
