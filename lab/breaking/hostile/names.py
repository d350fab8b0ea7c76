"""Names, and things in a folder that are no files."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

from lab.breaking.hostile.entries import EITHER, Entry, Fill, Scale, put, typed
from lab.breaking.running import Around
from lab.breaking.striking import CHANGES, Fault
from lab.corpora.made import near, prose

# Without colours no control character is one of simdup.
TERMINAL = Around({"NO_COLOR": "1"}, terminal=True)

NAMES: dict[str, list[str | bytes]] = {
    "names with line feeds": ["line\nfeed.txt", "\n", "carriage\rreturn.txt", "tab\t.txt"],
    "names with escapes": [
        "\x1b[2J\x1b[31mred.txt", "\x1b]0;title\x07.txt", "bell\x07.txt", "\x9b31m.txt",
        "\x08\x08\x08back.txt", "del\x7f.txt",
    ],
    "names that turn the direction": [
        "\u202etxt.exe", "\u2066a\u2069.txt", "a\u200fb.txt", "\u061c.txt",
    ],
    "names with spaces of other kinds": [
        "\u2028.txt", "\u2029.txt", "\u00a0.txt", "\ufeff.txt", " .txt", "a .txt ",
    ],
    "names that are not UTF-8": [
        b"\xff\xfe.txt", b"gbk-\xd6\xd0\xce\xc4.txt", b"\xed\xa0\x80.txt", b"\xc0\x80.txt",
    ],
    "names of 255 bytes": ["a" * 251 + ".txt", "中" * 83 + ".txt", "." * 254 + "a"],
    "names that look like options": ["-o", "--output=x", "--", "-", "-j", "--help", "-rf.txt"],
    "names that look like records and patterns": [
        "a.txt#1", "#", "c.zip!d", "e.jsonl#2", "*.txt", "[a].txt", "{a,b}.txt", "~", "$HOME",
        "`id`", "'", '"', "\\", "a\\b.txt", "%s%n.txt", "{0}.txt", "[bold]b.txt", "=1+1.txt",
        "<b>&amp;.txt", "<script>.txt",
    ],
}  # fmt: skip


FILLS: dict[str, Fill] = {shape: dict.fromkeys(names, prose(2)) for shape, names in NAMES.items()}


def _pipes(folder: Path, scale: Scale) -> None:
    for suffix in ("txt", "jsonl", "zip"):
        os.mkfifo(folder / f"c/pipe.{suffix}")


def _socket(folder: Path, scale: Scale) -> None:
    here = os.getcwd()
    os.chdir(folder / "c")  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind("socket.txt")
    finally:
        os.chdir(here)


def _links(folder: Path, scale: Scale) -> None:
    for name, target in {
        "loop.txt": "loop.txt", "a-loop.txt": "b-loop.txt", "b-loop.txt": "a-loop.txt",
        "gone.txt": "nowhere", "up": "..", "self": ".", "root": "/", "device.txt": "/dev/zero",
        "terminal.txt": "/dev/tty",
    }.items():  # fmt: skip
        os.symlink(target, folder / "c" / name)


def _deep_folder(folder: Path, scale: Scale) -> None:
    here = os.open(folder / "c", os.O_RDONLY)
    for _ in range(30):  # a path may have 4,096 bytes
        os.mkdir("a" * 200, dir_fd=here)
        inner = os.open("a" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


def _unreadable(folder: Path, scale: Scale) -> None:
    (folder / "c/secret.txt").write_text("nobody reads this")
    os.chmod(folder / "c/secret.txt", 0)
    (folder / "c/secrets").mkdir(mode=0)


SCANS = typed(
    "scan c", "scan c --pairs", "passages c", "dedupe c --dry-run", "fingerprint c",
    "scan c -f csv", "scan c -f jsonl", "scan c --list redundant", "query known.index c",
    "scan c -f github",
)  # fmt: skip
ENDLESS = typed(
    "scan /dev/zero c --max-size 5M", "fingerprint /dev/zero --max-size 5M",
    "compare /dev/zero c/a.txt --max-size 5M",
)  # fmt: skip
OPTIONS = typed(
    "scan c --decisions /dev/zero", "scan c --baseline /dev/zero", "scan c --dict /dev/zero",
    "scan c --recipe default,idf=/dev/zero", "scan c --config /dev/zero", "query /dev/zero c",
    "scan --files-from /dev/zero", "pairs /dev/zero", "evaluate /dev/zero c/a.txt",
)  # fmt: skip
NAMED = typed("scan c/loop.txt c/a.txt", "scan c/gone.txt c/a.txt", "compare c/loop.txt c/a.txt")
SECRET = typed("scan c -f jsonl", "fingerprint c", "passages c -f jsonl")

SHOWN = [
    Entry(f"{name}, on a terminal", fill, SCANS, 0, "c/", around=TERMINAL)
    for name, fill in FILLS.items()
]
READ = [Entry(name, fill, status=0) for name, fill in FILLS.items()]
ODD = [
    Entry("named pipes in a folder", _pipes, status=0),
    Entry("a socket in a folder", _socket, status=0),
    Entry("loops of links, dangling ones, links to devices", _links, status=0),
    Entry("links that lead nowhere, named", _links, NAMED, says="too many|no such file"),
    Entry("a device that is named", {}, typed("scan /dev/null c"), says="/dev/null"),
    Entry("an endless device that is named", {}, ENDLESS, says="/dev/zero: larger than"),
    Entry("an endless device that an option names", {}, OPTIONS, says="/dev/zero: "),
    Entry("a path longer than paths may be", _deep_folder, says="a: file name too long"),
    Entry("a folder of many empty files",
          lambda folder, s: put({f"{i}.txt": b"" for i in range(s.depth // 20)}, folder, s),
          status=0, seconds=20),
    Entry("what nobody may read", _unreadable, SECRET, says="secret.txt: permission denied",
          around=Around(plain=True)),
]  # fmt: skip

PAIR: dict[str, str] = {"live.txt": prose(3), "redundant.txt": near(prose(3))}
# Large files with near-duplicates, which are opened again to be copied.
LARGE: Fill = {
    "live.txt": lambda s: prose(3) * (s.depth // 100),
    "redundant.txt": lambda s: near(prose(3) * (s.depth // 100)),
    "live.jsonl": lambda s: "".join(
        json.dumps({"text": text}) + "\n"
        for text in (*(prose(i, 9) for i in range(s.depth // 20)), prose(4), near(prose(4)))
    ),
}


def _changed(path: str, change: str, time: int) -> Fault:
    return Fault(time, change=change, path=path)


# By how often they open each file, at least.
LIVE_COMMANDS = {
    1: typed("scan c -f jsonl -j 1", "dedupe c -o out -j 1", "scan c -o page.html -j 1"),
    2: typed("dedupe c -o out -j 1"),
}  # fmt: skip
LIVE = [
    Entry(
        f"a {kind} file that {change} when it is opened, time {time}", LARGE, commands,
        status=EITHER, fault=_changed(f"c/live.{kind}", change, time), seconds=20,
    )
    for kind in ("txt", "jsonl")
    for change in CHANGES
    for time, commands in LIVE_COMMANDS.items()
]  # fmt: skip
# A file that is kept is opened to be read, to be copied, and then its copy is opened. What depends
# on one that has changed stays. A copy that was begun of one that vanishes then is whole.
LOST = [
    Entry(
        f"a kept file that {change} {when}", PAIR, LIVE_COMMANDS[2][:1],
        says="live.txt: .*are kept", leaves=("out/redundant.txt",),
        fault=_changed("c/live.txt", change, time), seconds=20,
    )
    for time, when in ((2, "before it is copied"), (3, "while it is copied"))
    for change in CHANGES
    if change != "becomes unreadable" and (change, time) != ("vanishes", 3)
]  # fmt: skip
