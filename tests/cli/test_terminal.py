"""Hostile data, above all names, neither drives a terminal nor runs in a spreadsheet."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len
from support import Command

from lab.corpora.made import prose, write
from simdup.cli import main

HOSTILE = {"esc\x1b[31mape.txt", "right\u202eleft.txt", "c1\x9b31m.txt"}
RAW = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


Terminal = Callable[..., str]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Terminal:
    """The command, run in this process; returns what it prints on a terminal."""
    pty = pytest.importorskip("pty")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("signal.signal", lambda number, handler: None)

    def run(*arguments: str, errors: bool = False) -> str:
        ours, theirs = pty.openpty()
        with monkeypatch.context() as patch, open(theirs, "w", encoding="utf-8") as screen:
            patch.setattr(sys, "stderr" if errors else "stdout", screen)
            with pytest.raises(SystemExit) as left:
                main(arguments)
            assert left.value.code == 0
        parts = []
        while part := _read(ours):
            parts.append(part)
        os.close(ours)
        return b"".join(parts).decode().replace("\r\n", "\n")

    return run


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


@pytest.fixture
def hostile(simdup: Command, tmp_path: Path) -> Path:
    """A folder of copies with hostile names, and an index of them."""
    try:
        write(tmp_path / "c", dict.fromkeys(sorted(HOSTILE), prose(1)))
    except OSError:
        pytest.skip("this file system takes no such names")
    assert simdup("index", "build", "i.index", "c", "-q").status == 0
    prints = simdup("fingerprint", "c").out
    (tmp_path / "prints").write_bytes(prints)
    # With all bits inverted, nothing is near anything.
    turned = re.sub(rb"(?m)^[0-9a-f]{16}", lambda m: b"%016x" % (~int(m[0], 16) % 2**64), prints)
    (tmp_path / "turned").write_bytes(turned)
    return tmp_path


COMMANDS = [
    ["fingerprint", "c"],
    ["scan", "c", "-f", "csv"],
    ["scan", "c", "-f", "jsonl"],
    ["scan", "c", "--list", "redundant"],
    ["scan", "c", "--list", "redundant", "-0"],
    ["index", "export", "i.index"],
    ["query", "i.index", "c", "-f", "csv"],
    ["query", "i.index", "c", "-f", "jsonl"],
    ["query", "i.index", "--new", "--fingerprints", "turned"],
    ["dedupe", "c", "--dry-run"],
    ["pairs", "prints"],
    ["pairs", "prints", "-f", "csv"],
    ["pairs", "prints", "-f", "jsonl"],
    ["cluster", "prints", "-f", "csv"],
]


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_names_are_escaped_on_a_terminal_and_raw_in_a_pipe(
    simdup: Command, terminal: Terminal, arguments: list[str]
) -> None:
    piped, shown = simdup(*arguments).text, terminal(*arguments)
    assert re.search("[\u202e\x9b]", piped), "names go into pipes as they are"
    assert not RAW.search(shown.replace("\0", "")), shown
    assert "ape.txt" in shown
    if "jsonl" in arguments:

        def parsed(text: str) -> list[object]:
            timeless = re.sub(r'"seconds": ?[0-9.]+', '"seconds":0', text)
            return [json.loads(line) for line in timeless.split("\n")[:-1]]

        assert parsed(shown) == parsed(piped), "escapes are those of JSON"


@pytest.mark.usefixtures("hostile")
def test_painted_text_keeps_its_colours(terminal: Terminal) -> None:
    shown = terminal("scan", "c", "--color", "always")
    assert "\x1b[1m" in shown
    assert "esc\\x1b[31mape" in shown


def test_csv_for_spreadsheets(simdup: Command, tmp_path: Path) -> None:
    names = ["=1+1.txt", "+1.txt", "-1.txt", "@a.txt", "a=b.txt"]
    write(tmp_path, dict.fromkeys(names, prose(1)))
    plain = simdup("scan", "-f", "csv", "--", *names)
    assert plain.out.startswith(b"cluster,role")
    assert {line.split(",")[2] for line in plain.lines[1:]} == set(names)
    marked = simdup("scan", "-f", "csv", "--bom", "--", *names)
    assert marked.out.startswith(b"\xef\xbb\xbfcluster,role")
    cells = {line.split(",")[2] for line in marked.lines[1:]}
    assert cells == {"'=1+1.txt", "'+1.txt", "'-1.txt", "'@a.txt", "a=b.txt"}
    prints = simdup("fingerprint", "--", *names).out
    assert simdup("pairs", "-f", "csv", "--bom", stdin=prints).lines[1].split(",")[0][0] == "'"
    assert simdup("index", "build", "i", "--", *names).status == 0
    asked = simdup("query", "i", "-f", "csv", "--bom", "--", *names)
    assert asked.text.splitlines()[1].startswith("'")
    gone = simdup("dedupe", "--dry-run", "--bom", "--", *names).text
    assert gone.startswith("\ufeffdocument,")
    assert "\n'+1.txt,similar" in gone or "\n'+1.txt," in gone


@pytest.mark.parametrize(
    "arguments",
    [["scan", "."], ["scan", ".", "-f", "jsonl"], ["scan", ".", "--list", "kept"],
     ["dedupe", ".", "-o", "out"], ["dedupe", ".", "-o", "out", "--removed", "x.jsonl"]],
)  # fmt: skip
def test_a_byte_order_mark_is_for_csv(simdup: Command, arguments: list[str]) -> None:
    ran = simdup(*arguments, "--bom")
    assert ran.status == 2
    assert "--bom needs" in ran.err


def test_long_names_lose_their_middle_on_a_terminal_only(
    simdup: Command, terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "通知" * 20 + "-2024.txt"
    write(tmp_path / "c", {"a.txt": prose(1), name: prose(1)})
    monkeypatch.setenv("COLUMNS", "60")
    for options in ([], ["--pairs"]):
        on_screen = terminal("scan", "c", *options, "-q", "--color", "never").splitlines()
        last = next(line for line in on_screen if "2024" in line)
        assert ("…" in last, last.endswith("-2024.txt")) == (True, True)
        assert all(cell_len(line) <= 60 for line in on_screen)
        assert f"c/{name}" in simdup("scan", "c", *options, "-q").text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_written_is_said_in_lines_of_whole_words(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    write(tmp_path / "c", {"a.txt": prose(1), "b.txt": prose(1)})
    monkeypatch.setenv("COLUMNS", "50")
    folder = "/".join(f"corpus-cleaned-in-step-{n}" for n in range(2))
    asked = ("dedupe", "c", "-o", f"{folder}/clean", "--removed", "removed.csv", "--lang", lang)
    said = terminal(*asked, "--no-progress", errors=True).splitlines()
    wrote = next(n for n, line in enumerate(said) if line.startswith(("Wrote", "已写入")))
    assert all(cell_len(line) <= 50 or folder in line for line in said)
    assert f"{folder}/clean" in "".join(said[wrote:])
    assert len(said) > wrote + 2
    assert all("removed.csv" in line for line in said[-1:])


def test_names_of_a_table_are_cut_where_they_are_alike(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [
        f"2023{number}_{who}_作业3.txt"
        for number, who in ((101, "王小明"), (102, "李雷"), (117, "郭靖"))
    ]
    write(tmp_path / "作业", {name: prose(1, 100) + prose(i) for i, name in enumerate(names)})
    monkeypatch.setenv("COLUMNS", "80")
    arguments = ("passages", "作业", "--rates", "--leave-out", "quotes", "-q", "--color", "never")
    _, *rows = terminal(*arguments).splitlines()
    assert all(any(name[5:] in row for row in rows) for name in names)
    assert all("…" in row and cell_len(row) <= 80 for row in rows)


def test_what_differs_in_the_middle_is_shown(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [f"c/{'通知' * 20}/{year}/{'归档' * 20}" for year in (2023, 2024)]
    dose = f"{'每次饭后温水送服' * 5}" + "{} mg" + f"{'并记录服用时间' * 5}"
    texts = [prose(1) + dose.format(amount) + prose(2) for amount in (10, 20)]
    write(tmp_path, {f"{f}/a.txt": text for f, text in zip(folders, texts, strict=True)})
    monkeypatch.setenv("COLUMNS", "80")
    for arguments in (
        ("scan", "c"), ("scan", "c", "--pairs"), ("passages", "c", "--rates"),
        ("conflicts", "c"),
    ):  # fmt: skip
        on_screen = terminal(*arguments, "-q", "--color", "never")
        names = [line for line in on_screen.splitlines() if "…" in line]
        assert len(names) >= 2
        assert "/2023/" in on_screen
        assert "/2024/" in on_screen
        assert all(cell_len(line) <= 80 for line in names)
