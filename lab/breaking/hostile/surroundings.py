"""Surroundings: limits, streams, variables, temporary folders, the working folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lab.breaking.hostile.entries import EITHER, Entry, Fill, Scale, typed
from lab.breaking.running import FRESH, Around
from lab.corpora.made import near, prose

USE = typed(
    "scan c -f jsonl", "scan c -o page.html", "dedupe c -o out", "passages c",
    "index build new.index c", "query known.index c",
)  # fmt: skip
NO_COLOR = {"NO_COLOR": "1"}


MANY: Fill = {f"{i}.txt": prose(100 + i % 100) for i in range(300)}


def _closed_folder(folder: Path, scale: Scale) -> None:
    (folder / "tmp").mkdir(mode=0o500)


def _entry(name: str, commands: tuple[tuple[str, ...], ...], around: Around, **more: Any) -> Entry:
    """Return an entry whose commands do their work, unless it says otherwise."""
    usual = {"fill": {}, "status": 0, "seconds": 20}
    return Entry(name, commands=commands, around=around, **usual | more)


def _locale(**changes: str | None) -> Around:
    return Around(changes, fresh=FRESH)


def _shown(**changes: str | None) -> Around:
    return Around({**NO_COLOR, **changes}, terminal=True)


def _limit(**limits: int) -> Around:
    return Around(limits=limits)


LOCALES = [
    _entry(name, typed("scan c"), around, fill={"今天.txt": near(prose(1))}, says="Found 1 cluster")
    for name, around in {
        "LANG=C and Chinese names": _locale(LANG="C", LC_ALL=None, PYTHONUTF8=None),
        "LC_ALL=C and Chinese names": _locale(LC_ALL="C", PYTHONUTF8=None),
        "LC_ALL=C, no UTF-8 mode": _locale(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"),
        "LC_ALL=POSIX, ASCII streams": _locale(
            LC_ALL="POSIX", PYTHONUTF8="0", PYTHONIOENCODING="ascii"
        ),
        "a locale that does not exist": _locale(LC_ALL="xx_YY.ZZ", PYTHONUTF8=None),
    }.items()
]
NARROW = typed(
    "scan c", "scan --help", "passages c", "compare c/a.txt c/z.txt --diff",
)  # fmt: skip
VARIABLES = [
    _entry("no HOME", USE, Around({"HOME": None, "XDG_CACHE_HOME": None})),
    _entry("a HOME that does not exist", USE, Around({"HOME": "/nowhere"})),
    _entry("TERM=dumb and one column", NARROW, _shown(TERM="dumb", COLUMNS="1")),
    _entry("no columns and no lines", typed("scan c", "scan -h"), _shown(COLUMNS="0", LINES="-1")),
    _entry("COLUMNS of 5,000 letters", typed("scan c", "scan -h"), _shown(COLUMNS="x" * 5000)),
    _entry("a terminal that does not exist", typed("scan c"), _shown(TERM="\x1b[31m")),
]
TEMPORARY = [
    _entry("TMPDIR that does not exist", USE, Around({"TMPDIR": "/nowhere"})),
    _entry("TMPDIR that is a file", USE, Around({"TMPDIR": "tmp"}), fill={"../tmp": b"no folder"}),
    _entry("TMPDIR that nobody may write in", USE[:1], Around({"TMPDIR": "tmp"}, plain=True),
           fill=_closed_folder),
    _entry("TMPDIR with odd characters", USE, Around({"TMPDIR": "\x1b[31m\n\u202e"})),
]  # fmt: skip
PROCESSES = typed("scan c -j 2", "scan --method simhash c -j 2", "fingerprint c -j 2")
LIMITS = [
    _entry("8 open files", typed("scan c -o page.html", "passages c"), _limit(RLIMIT_NOFILE=8),
           fill=MANY, status=EITHER, says="too many|no folder"),
    *(
        _entry(f"{n} open files", (*USE, *PROCESSES), _limit(RLIMIT_NOFILE=n), fill=MANY,
               status=EITHER)
        for n in (16, 24, 32, 64)
    ),
    *(
        _entry(f"{size} MB of address space", typed("scan c -j 1", "scan c -j 2"),
               Around(limits={"RLIMIT_AS": size << 20}, fresh=FRESH), fill=MANY, status=EITHER)
        for size in (100, 340, 400, 500, 700)
    ),
    *(
        _entry(f"files of at most {size:,} bytes", USE, _limit(RLIMIT_FSIZE=size), fill=MANY,
               status=EITHER)
        for size in (1000, 20_000)
    ),
    _entry("no further processes", PROCESSES, Around(limits={"RLIMIT_NPROC": 0}, plain=True),
           fill=MANY, status=EITHER),
    _entry("a small stack", typed("scan c"), Around(limits={"RLIMIT_STACK": 200_000}, fresh=FRESH),
           fill=MANY, status=EITHER),
]  # fmt: skip
PRINTED = typed(
    "scan c", "scan c -f csv", "scan c -f jsonl", "scan c --list kept", "fingerprint c",
    "passages c", "query known.index c", "compare c/a.txt c/z.txt",
    "index info known.index", "index export known.index", "evaluate --help", "completion bash",
    "--version", "dedupe c --dry-run",
)  # fmt: skip
SILENT = typed(
    "scan c", "dedupe c -o out", "scan --help", "scan gone", "index build i c", "scan -", "pairs",
    "fingerprint c", "scan c -o x.csv",
)  # fmt: skip


def _closed(*numbers: int) -> Around:
    return Around(closed=numbers, fresh=FRESH)


FULL_FILE = typed("scan c -o /dev/full -f csv", "fingerprint c -o /dev/full")
STREAMS = [
    _entry("closed standard input", typed("scan c", "scan -", "pairs"), _closed(0), status=EITHER),
    _entry("closed standard output", SILENT, _closed(1), status=EITHER),
    _entry("closed standard error", typed("scan c", "scan gone"), _closed(2), status=EITHER),
    _entry("all streams closed", SILENT, _closed(0, 1, 2), status=EITHER),
    _entry("a full disk behind standard output", PRINTED, Around(streams={1: "/dev/full"}),
           status=2, says="no space left"),
    _entry("a full disk behind standard error", typed("scan c", "scan c --progress"),
           Around(streams={2: "/dev/full"})),
    _entry("a full disk as the output file", FULL_FILE, Around(), status=2,
           says="/dev/full: no space left"),
]  # fmt: skip
EMPTY_ONES = (
    ("scan", ""), ("scan", "c", "-o", ""), ("scan", "c", "--files-from", ""),
    ("dedupe", "", "-o", ""),
    ("scan", "c", "--glob", ""), ("scan", "c", "--baseline", ""), ("scan", "c", "--recipe", ""),
    ("scan", "c", "--dict", ""), ("compare", "", ""), ("query", "", "c"), ("",),
    ("index", "build", "", "c"), ("evaluate", "", ""), ("scan", "c", "--config", ""),
)  # fmt: skip
ODD_ONES = (
    ("scan", "\x1b[31m\n\u202e"), ("\x1b[31m",), ("scan", "c", "--\x1b[31m"), ("scan", "c" * 5000),
    ("scan", "c", "-d", "\x1b[31m"), ("scan", "c", "--field", "\x1b[31m\n", "-o", "\x1b/\n"),
    ("scan", "c", "--glob", "\x1b[31m"), ("scan", "c/" * 5000), ("compare", "\udcff", "c/a.txt"),
    ("scan", "c", "-s", "nan"), ("scan", "c", "-d", "9" * 5000),
    ("scan", "c", "--max-size", "1e999"), ("scan", "c", "--max-size", "9" * 5000),
    ("scan", "c", "--strip", "(" * 5000),
    ("conflicts", "c", "--kinds", "\x1b[31m"),
)  # fmt: skip
GONE = typed("scan .", "scan c", "dedupe x -o out", "index info i", "scan x -o y.csv")
PLACES = [
    _entry("a working folder that was removed", GONE, Around(removed=True), status=2),
    _entry("a great many arguments", (("scan", *["c/a.txt", "c/z.txt"] * 10_000),), Around()),
    _entry("a great many patterns", (("scan", "c", *["--exclude", "x*y"] * 3000),), Around(),
           fill=MANY),
    _entry("empty arguments", EMPTY_ONES, Around(), status=2),
    _entry("arguments with odd characters", ODD_ONES, _shown(), status=2),
]  # fmt: skip
