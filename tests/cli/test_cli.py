"""The command: help, errors, statuses, formats, names of every kind, pipes."""

import csv
import errno
import io
import json
import os
import random
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support import Command, Ran, command, environment, process

import simdup as package
from lab.corpora.made import edited, prose, write
from simdup.cli import COMMANDS
from simdup.text import bands


@contextmanager
def running(*arguments: str | bytes | Path, **settings: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process with pipes; tests wait for it at most 30 seconds."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command(*arguments), env=environment(), **(pipes | settings)) as started:
        alarm = threading.Timer(30, started.kill)
        alarm.start()
        try:
            yield started
        finally:
            started.kill()
            alarm.cancel()


# Help.


def test_help_lists_the_commands(simdup: Command) -> None:
    ran = simdup("--help")
    assert (ran.status, ran.err) == (0, "")
    for name, purpose in COMMANDS.items():
        assert re.search(rf"^  {name}\s+{re.escape(purpose[:30])}", ran.text, re.MULTILINE)
    assert simdup("-h").out == ran.out
    assert simdup("--version").text == f"simdup {package.__version__}\n"


def test_a_command_without_arguments_says_what_is_missing(simdup: Command) -> None:
    ran = simdup()
    assert ran.status == 2
    assert "scan" in ran.text


# Errors.


@pytest.mark.parametrize(
    "arguments",
    [
        ["--colour"],
        ["scan"],
        ["scan", "--nonsense", "."],
        ["scan", "-d", "-1", "."],
        ["scan", "--keep", "best", "."],
        ["scan", "--null", "."],
        ["scan", "--recipe", "default,bits=63", "."],
        ["scan", "--recipe", "default,bits=264", "."],
        ["scan", "--recipe", "default,tokens=syllables", "."],
        ["scan", "--recipe", "secret", "."],
        ["scan", "--recipe", "default,cap=2", "."],
        ["scan", "--shingle", "0", "."],
        ["scan", "--encoding", "klingon", "."],
        ["scan", "--recipe", "default,idf=no-such-model", "."],
        ["scan", "--recipe", "default,hash=md5,bits=256", "."],
        ["compare", "a.txt", "missing.txt"],
        ["compare", "a.txt", "."],
        ["compare", "a.txt", "empty.bin"],
        ["compare", "a.txt", "b.txt", "--recipe", "default,idf=builtin", "--idf-from", "."],
        ["compare", "a.txt", "b.txt", "--recipe", "default,idf=corpus"],
        ["fit", "missing.txt", "-o", "m.idf"],
        ["cluster", "missing.txt"],
        ["cluster", "a.txt"],
        ["pairs", "."],
        ["fingerprint", "a.txt", "-o", "none/prints"],
        ["fingerprint", "a.txt", "-o", "."],
    ],
)
def test_an_error_is_one_line_and_perhaps_a_hint(
    simdup: Command, tmp_path: Path, arguments: list[str]
) -> None:
    write(tmp_path, {"a.txt": prose(1), "b.txt": prose(2)})
    (tmp_path / "empty.bin").write_bytes(b"\0" * 100)
    before = sorted(tmp_path.iterdir())
    ran = simdup(*arguments)
    assert ran.status == 2
    assert ran.out == b""
    lines = ran.err.splitlines()
    assert re.fullmatch(r"simdup: \S.*", lines[0])
    assert not lines[0].startswith("simdup: internal error")
    assert all(line.startswith("hint: ") for line in lines[1:])
    assert len(lines) <= 2
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "arguments", [["scan", "--recipe", "default,idf=none", "."], ["cluster", "none"]]
)
def test_debug_shows_the_traceback_and_keeps_the_status(
    simdup: Command, tmp_path: Path, arguments: list[str]
) -> None:
    write(tmp_path, {"a.txt": prose(1)})
    plain = simdup(*arguments)
    assert plain.status == 2
    assert "Traceback" not in plain.err
    debug = simdup(*arguments, "--debug")
    assert debug.status == 2
    assert "Traceback (most recent call last)" in debug.err
    assert plain.err.splitlines()[0].removeprefix("simdup: ") in debug.err


def test_an_internal_error_is_one_line_too(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("sums\x1b[31m")

    monkeypatch.setattr("simdup.operations.scan.examine", broken)
    write(tmp_path, {"a.txt": prose(1)})
    ran = simdup("scan", "a.txt")
    assert ran.status == 2
    assert ran.err.startswith("simdup: internal error: ZeroDivisionError: sums\\x1b[31m\nhint: ")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EMFILE, "Too many open files", "x"), "simdup: files: too many are open\n"),
        (OSError(errno.EAGAIN, "Try again"), "simdup: system: try again\n"),
        (OSError(errno.ENOMEM, "No memory"), "simdup: memory: not enough memory\nhint: try "),
    ],
)
def test_what_the_system_refuses_is_no_internal_error(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, said: str
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("simdup.operations.scan.examine", refused)
    write(tmp_path, {"a.txt": prose(1)})
    ran = simdup("scan", "a.txt")
    assert ran.status == 2
    assert ran.err.startswith(said)


# Where results go.


def corpus(folder: Path) -> Path:
    """Three documents of one cluster, two of another, one alone, one empty."""
    return write(
        folder / "c",
        {
            "a.txt": prose(1), "b.txt": edited(prose(1), 1), "c.txt": prose(1),
            "d.txt": prose(2), "e.txt": prose(2), "f.txt": prose(3), "g.txt": "",
        },
    )  # fmt: skip


def shape(ran_or_bytes: bytes) -> str:
    first = ran_or_bytes.split(b"\n")[0]
    if first.startswith(b"{"):
        return "jsonl"
    return "csv" if b"," in first else "text"


def test_the_format_follows_the_suffix_by_default(simdup: Command, tmp_path: Path) -> None:
    corpus(tmp_path)
    for name, form in [
        ("x.csv", "csv"), ("x.CSV", "csv"), ("x.jsonl", "jsonl"), ("x.ndjson", "jsonl"),
        ("x.txt", "text"), ("x", "text"), ("jsonl", "jsonl"),
    ][:6]:  # fmt: skip
        assert simdup("scan", "c", "-o", name).out == b""
        assert shape((tmp_path / name).read_bytes()) == form, name
    simdup("scan", "c", "-o", "y.csv", "-f", "jsonl")
    assert shape((tmp_path / "y.csv").read_bytes()) == "jsonl"
    assert shape(simdup("scan", "c", "-o", "-", "-f", "csv").out) == "csv"


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (["scan", "c"], ".txt, .csv, .jsonl, .ndjson, .html, .htm"),
        (["cluster", "c/p"], ".txt, .csv, .jsonl, .ndjson"),
        (["pairs", "c/p"], ".txt, .csv, .jsonl, .ndjson"),
        (["compare", "c/a.txt", "c/b.txt"], ".txt, .jsonl, .ndjson, .html, .htm"),
        (["dedupe", "c", "--dry-run"], ".csv, .jsonl, .ndjson, .html, .htm"),
    ],
)
def test_an_unknown_suffix_is_an_error(
    simdup: Command, tmp_path: Path, arguments: list[str], known: str
) -> None:
    """Earlier, text was written to a file called .xls."""
    corpus(tmp_path)
    (tmp_path / "c/p").write_bytes(simdup("fingerprint", "c").out)
    to = "--removed" if arguments[0] == "dedupe" else "-o"
    ran = simdup(*arguments, to, "d.txt/out.XLS")
    said = f"simdup: d.txt/out.XLS: unknown suffix '.xls' (expected one of {known})\n"
    assert (ran.status, ran.err) == (2, said + ("hint: set --format\n" if to == "-o" else ""))
    for name in ("out", ".xls", "out."):
        assert simdup(*arguments, to, name).status < 2
        assert (tmp_path / name).is_file()
    if to == "-o":
        assert simdup(*arguments, "-o", "out.xls", "-f", "jsonl").status < 2
        assert (tmp_path / "out.xls").read_bytes().startswith(b'{"type":')


def test_names_alone_go_to_a_file_of_any_suffix(simdup: Command, tmp_path: Path) -> None:
    corpus(tmp_path)
    assert simdup("scan", "c", "--list", "redundant", "-o", "names.lst").status == 0
    assert (tmp_path / "names.lst").read_text().startswith("c/b.txt\n")


def test_jsonl_of_a_scan(simdup: Command, tmp_path: Path) -> None:
    corpus(tmp_path)
    records = [json.loads(line) for line in simdup("scan", "c", "-f", "jsonl").lines]
    assert [r["type"] for r in records] == ["cluster", "cluster", "skipped", "summary"]
    first = records[0]
    assert list(first) == ["type", "cluster", "size", "documents", "pairs"]
    assert (first["cluster"], first["size"]) == (1, 3)
    assert list(first["documents"][0]) == ["document", "role", "fingerprint", "kept"]
    assert list(first["documents"][1]) == [
        "document", "role", "fingerprint", "distance", "similarity", "measure", "kept",
    ]  # fmt: skip
    keys = {tuple(key for key in pair if key != "exact") for pair in first["pairs"]}
    assert keys == {("a", "b", "distance", "similarity", "measure")}
    assert [(p["a"], p["b"]) for p in first["pairs"]] == [
        ("c/a.txt", "c/b.txt"), ("c/a.txt", "c/c.txt"), ("c/b.txt", "c/c.txt"),
    ]  # fmt: skip
    assert records[2] == {"type": "skipped", "document": "c/g.txt", "reason": "empty"}
    assert list(records[3]) == [
        "type", "schema", "documents", "clusters", "redundant", "skipped", "pairs", "checked",
        "seconds", "unchecked", "kept_apart", "simdup", "recipe",
    ]  # fmt: skip
    figures = ("schema", "documents", "clusters", "redundant", "skipped", "pairs")
    assert [records[3][name] for name in figures] == [1, 6, 2, 3, 1, 4]
    assert records[3]["simdup"] == package.__version__
    assert records[3]["recipe"]["idf"] == "builtin"
    assert re.fullmatch("[0-9a-f]+", records[3]["recipe"]["digest"])
    unverified = json.loads(simdup("scan", "c", "-f", "jsonl", "--no-verify").lines[0])
    assert unverified["documents"][1]["similarity"] is None
    assert all("similarity" not in pair for pair in unverified["pairs"])


def test_the_report_names_the_file_that_was_written(simdup: Command, tmp_path: Path) -> None:
    corpus(tmp_path)
    assert simdup("scan", "c", "-o", "found.csv").err.endswith("\nWrote found.csv.\n")
    assert "Wrote" not in simdup("scan", "c", "-o", "-").err
    assert simdup("scan", "c", "-o", "\x1b[2J.csv").err.endswith("\nWrote \\x1b[2J.csv.\n")
    assert simdup("scan", "c", "-o", "`similarity`.csv").err.endswith("Wrote `similarity`.csv.\n")


def test_all_pairs_are_listed_on_request(simdup: Command, tmp_path: Path) -> None:
    texts = {f"{n:02}.txt": edited(prose(1), n) for n in range(70)}
    write(tmp_path / "c", texts)
    few, every = (
        [json.loads(line) for line in simdup("scan", "c", "-f", "jsonl", *more).lines]
        for more in ((), ("--all-pairs",))
    )
    assert {(one["a"], one["b"]) for one in few[0]["pairs"]} == {
        (one["kept"], one["document"]) for one in few[0]["documents"] if one["role"] == "redundant"
    }
    assert len(every[0]["pairs"]) == 70 * 69 // 2
    assert few[0]["documents"] == every[0]["documents"]
    assert ("all_pairs" in few[1], every[1]["all_pairs"]) == (False, True)


@pytest.mark.parametrize(
    "command_",
    [("scan", "c"), ("dedupe", "c", "--dry-run"), ("fingerprint", "c"), ("cluster", "p"),
     ("index", "build", "i", "c"), ("query", "j", "c"), ("index", "add", "j", "c")],
    ids=" ".join,
)  # fmt: skip
def test_the_recipe_is_reported_on_request(
    simdup: Command, tmp_path: Path, command_: tuple[str, ...]
) -> None:
    corpus(tmp_path)
    (tmp_path / "p").write_bytes(simdup("fingerprint", "c").out)
    simdup("index", "build", "j", "c")
    ran = simdup(*command_, "-v")
    assert re.search(r"^recipe [0-9a-f]+", ran.err, re.MULTILINE)
    both = simdup(*command_, "-v", "-q")
    assert (both.status, "--quiet and --verbose exclude each other" in both.err) == (2, True)


def test_columns_line_up_with_any_names(simdup: Command, tmp_path: Path) -> None:
    names = ["a.txt", "很长的中文文件名.txt", "한국어.txt", "e\u0301\u0301.txt"]
    write(tmp_path / "c", dict.fromkeys(names, prose(1)))
    lines = [line for line in simdup("scan", "c").lines if "c/" in line]
    assert len({line.index("c/") for line in lines}) == 1


def test_an_empty_folder(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    ran = simdup("scan", "c")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith("simdup: c: contains no document\nRead 0 documents in ")
    assert ran.err.endswith("Nothing to compare.\n")
    assert len(simdup("fingerprint", "c").lines) == 1
    records = [json.loads(line) for line in simdup("scan", "c", "-f", "jsonl").lines]
    assert [record["type"] for record in records] == ["skipped", "summary"]
    assert simdup("scan", "c", "-f", "csv").text.count("\n") == 1


def test_a_run_that_fails_leaves_the_old_file(simdup: Command, tmp_path: Path) -> None:
    corpus(tmp_path)
    write(tmp_path, {"out": "old", "lines": f"{'0' * 16}  a\nnonsense\n"})
    for arguments in [
        ("scan", "c", "--recipe", "default,idf=missing"),
        ("fingerprint", "c", "--dict", "missing"),
        ("fit", "missing"),
        ("compare", "c/a.txt", "c/b.txt", "--recipe", "default,idf=corpus"),
        ("cluster", "lines"),
        ("pairs", "lines"),
    ]:
        assert simdup(*arguments, "-o", "out").status == 2
        assert (tmp_path / "out").read_text() == "old"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "lines", "out"]


def test_a_link_is_written_through_and_a_new_file_has_the_usual_mode(
    simdup: Command, tmp_path: Path
) -> None:
    corpus(tmp_path)
    write(tmp_path, {"d/target": "old"})
    (tmp_path / "out").symlink_to("d/target")
    assert simdup("scan", "c", "-o", "out").status == 0
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "d/target").read_text() != "old"
    (tmp_path / "usual").touch()
    assert simdup("scan", "c", "-o", "new").status == 0
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_device_is_written_as_it_is(simdup: Command, tmp_path: Path) -> None:
    corpus(tmp_path)
    ran = process("scan", "c", "-q", "-f", "csv", "-o", "/dev/stdout", cwd=tmp_path)
    assert ran.status == 0
    assert ran.out == simdup("scan", "c", "-q", "-f", "csv").out
    assert simdup("scan", "c", "-q", "-o", "/dev/null").status == 0


# Colours.


def on_a_terminal(*arguments: str, cwd: Path, typed: bytes = b"", **changes: str) -> str:
    """What a command prints on a terminal of 80 columns."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    env = environment(TERM="xterm", COLUMNS="80", LINES="24", **changes)
    with subprocess.Popen(
        command(*arguments), stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=cwd
    ) as started:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
        os.close(ours)
    assert started.returncode == 0
    return b"".join(parts).decode()


def test_a_command_that_waits_for_what_is_typed_says_so(simdup: Command, tmp_path: Path) -> None:
    corpus(tmp_path)
    told = "Reading standard input; Ctrl-D ends it."
    typed = b"some words of a document\n\x04"
    assert told in on_a_terminal("scan", "-", cwd=tmp_path, typed=typed)
    assert told not in on_a_terminal("scan", "-", "-q", cwd=tmp_path, typed=typed)
    assert told in on_a_terminal("cluster", cwd=tmp_path, typed=b"\x04")
    assert told not in simdup("scan", "-", stdin=typed).err


def test_colours_on_a_terminal(tmp_path: Path) -> None:
    corpus(tmp_path)
    coloured = on_a_terminal("scan", "c", "--no-progress", cwd=tmp_path)
    assert "\x1b[" in coloured
    assert "Reading standard input" not in coloured, "nothing is typed"
    for plain in [
        on_a_terminal("scan", "c", "--no-progress", cwd=tmp_path, NO_COLOR="1"),
        on_a_terminal("scan", "c", "--no-progress", "--color", "never", cwd=tmp_path),
    ]:
        assert "cluster 1: 3 documents" in plain
        assert "\x1b[" not in plain
    assert "\x1b[" in on_a_terminal("scan", "c", "--color", "always", cwd=tmp_path, NO_COLOR="1")


def test_colours_in_a_pipe(simdup: Command, tmp_path: Path, monkeypatch: Any) -> None:
    corpus(tmp_path)
    assert "\x1b" not in simdup("scan", "c").text
    assert "\x1b[" in simdup("scan", "c", "--color", "always").text
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in simdup("scan", "c").text
    assert "\x1b[" not in simdup("scan", "c", "-f", "csv").text
    assert "\x1b[" not in simdup("scan", "c", "--color", "never").text
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in simdup("scan", "c").text


def test_a_terminal_gets_the_report_in_lines_of_whole_words(
    simdup: Command, tmp_path: Path
) -> None:
    words = BASE.split() * 2
    texts = {f"{n}.txt": " ".join(words[n * 3 : n * 3 + 40]) for n in range(4)}
    write(tmp_path / "c", texts)
    asked = ("scan", "c", "--no-progress", "-s", "0.5", "--cosine", "0.5", "--containment", "0.5")
    lines = on_a_terminal(*asked, cwd=tmp_path).split("\r\n")
    (start,) = (number for number, line in enumerate(lines) if line.startswith("Read "))
    assert lines[start - 1] == "", "a blank line parts it from the clusters"
    assert max(map(len, lines[start:])) <= 80
    told = simdup(*asked).err.splitlines()
    assert max(map(len, told)) > 80
    assert " ".join(lines[start + 1 :]).split() == " ".join(told[1:]).split()


def test_progress_goes_to_standard_error(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus(tmp_path)
    monkeypatch.setattr("simdup.base.progress._DELAY", 0)
    asked, plain = simdup("scan", "c", "--progress"), simdup("scan", "c")
    assert "reading" in asked.err
    assert "B/s" in asked.err
    assert asked.out == plain.out
    assert "reading" not in plain.err
    assert "reading" not in simdup("scan", "c", "--no-progress").err


# Names.

NAMES = [
    b"plain.txt", b"with space.txt", b" leading", b"-dash.txt", b"--jobs", b"new\nline.txt",
    b"car\rriage", b"tab\tbed", b"back\\slash", b"\\leading backslash", b"\\n", b"# simdup 1",
    b"not utf-8 \xff\xfe.txt", b"\xb9\xfa gbk", "中文 文件名.txt".encode(), "😀".encode(),
    b"esc\x1b[31mape", "right\u202eleft".encode(), b"quote\"d,comma", b"two  spaces", b"per%cent",
]  # fmt: skip


@pytest.fixture
def strange(simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command in a folder of files with strange names, all of one text."""
    folder = tmp_path / "names"
    folder.mkdir()
    for name in NAMES:
        try:
            with open(os.fsencode(folder) + b"/" + name, "wb") as file:
                file.write(prose(1).encode())
        except OSError:
            pytest.skip("this file system takes no such names")
    monkeypatch.chdir(folder)
    return simdup


def names_of(record: dict[str, Any]) -> set[bytes]:
    return {os.fsencode(member["document"]).removeprefix(b"./") for member in record["documents"]}


@pytest.mark.usefixtures("strange")
def test_names_survive_a_pipe() -> None:
    prints = process("fingerprint", ".")
    assert prints.status == 0
    assert prints.out.count(b"\n") == len(NAMES) + 1
    clusters = process("cluster", "-f", "jsonl", stdin=prints.out)
    assert names_of(json.loads(clusters.lines[0])) == set(NAMES)
    pairs = process("pairs", stdin=prints.out).out.split(b"\n")[:-1]
    assert len(pairs) == len(NAMES) - 1
    fields = [line.split(b"\t") for line in pairs]
    assert all(len(field) == 3 for field in fields)
    back = {b"\\\\": b"\\", b"\\n": b"\n", b"\\t": b"\t", b"\\r": b"\r"}
    spelt = {re.sub(rb"\\[\\ntr]", lambda m: back[m[0]], field[2]) for field in fields}
    assert spelt | {os.fsencode(json.loads(clusters.lines[0])["documents"][0]["document"])} == {
        b"./" + name for name in NAMES
    }


def test_lines_are_escaped_as_md5sum_does(strange: Command) -> None:
    given = sorted(NAMES)
    ours = strange("fingerprint", "--", *map(os.fsdecode, given)).out.split(b"\n")[1:-1]
    try:
        theirs = subprocess.run(
            ["md5sum", "--", *given], capture_output=True, check=True
        ).stdout.split(b"\n")[:-1]
    except OSError:
        pytest.skip("no md5sum here")
    digits = re.compile(rb"^(\\?)[0-9a-f]+  ")
    assert [digits.sub(rb"\1", line) for line in ours] == [
        digits.sub(rb"\1", line) for line in theirs
    ]


def test_a_list_of_names_may_end_them_with_nul(strange: Command) -> None:
    for options in (["-0"], ["--null"]):
        listed = b"".join(name + b"\0" for name in NAMES)
        ran = strange("scan", "--files-from", "-", *options, "-f", "jsonl", stdin=listed)
        assert ran.status == 0
        assert names_of(json.loads(ran.lines[0])) == set(NAMES)
    lines = b"\n".join(name for name in NAMES if b"\n" not in name)
    ran = strange("scan", "--files-from", "-", "-f", "jsonl", stdin=lines)
    assert names_of(json.loads(ran.lines[0])) == {name for name in NAMES if b"\n" not in name}


def test_csv_keeps_names_as_they_are(strange: Command) -> None:
    ran = strange("scan", ".", "-f", "csv")
    rows = csv.reader(io.StringIO(ran.out.decode("utf-8", "surrogateescape"), newline=""))
    assert {os.fsencode(row[2]) for row in rows} == {b"document"} | {b"./" + n for n in NAMES}


def test_bytes_that_are_not_utf8_are_escapes_in_json(strange: Command) -> None:
    out = strange("scan", ".", "-f", "jsonl").out
    out.decode()
    assert b"not utf-8 \\udcff\\udcfe.txt" in out
    assert "中文 文件名.txt".encode() in out


def test_text_shows_nothing_that_could_drive_a_terminal(strange: Command) -> None:
    scanned = strange("scan", ".")
    for ran in (
        scanned,
        strange("compare", "esc\x1b[31mape", "right\u202eleft"),
        strange("scan", "gone\x1b[31m\u202e\nx"),
    ):
        shown = ran.out.decode() + ran.err
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
        assert "\\x1b[31m" in shown
        assert "\\u202e" in shown
    assert "not utf-8 \\xff\\xfe.txt" in scanned.text


def test_terms_are_shown_harmless_too(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "one\x1b[31mtwo \u202ethree four five", "b.txt": "six"})
    shown = simdup("compare", "--recipe", "default,tokens=split,fold=false", "a.txt", "b.txt").text
    assert "one\\x1b[31mtwo" in shown
    assert not re.search("[\x1b\u202e]", shown)


# Fingerprint lines.


def prints(*lines: str, recipe: str = "abc", bits: int = 16) -> bytes:
    return "".join(
        f"{line}\n" for line in (f"# simdup 1 recipe={recipe} bits={bits}", *lines)
    ).encode()


LINES = prints("00ff  a", "00fe  b", "00ff  c", "f00f  d", "f00e  e")


def test_lines_of_fingerprints(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": prose(1), "empty.txt": "", "marks.txt": "。！"})
    for bits in (8, 64, 128, 256):
        ran = simdup("fingerprint", ".", "--recipe", f"default,bits={bits}")
        assert ran.status == 0
        assert re.fullmatch(rf"# simdup 1 recipe=[0-9a-f]+ bits={bits}( \w+=\S+)*", ran.lines[0])
        assert re.fullmatch(rf"[0-9a-f]{{{bits // 4}}}  \./a\.txt", ran.lines[1])
        assert len(ran.lines) == 2
        assert "2 skipped (1 empty, 1 without words)" in ran.err


def test_pairs(simdup: Command) -> None:
    ran = simdup("pairs", "-d", "1", stdin=LINES)
    assert (ran.status, ran.err) == (0, "")
    assert ran.text == "1\ta\tb\n0\ta\tc\n1\td\te\n"
    as_csv = simdup("pairs", "-d", "1", "-f", "csv", stdin=LINES)
    assert as_csv.text == "a,b,distance,similarity\na,b,1,\na,c,0,\nd,e,1,\n"
    as_json = simdup("pairs", "-d", "0", "-f", "jsonl", stdin=LINES).lines
    assert [json.loads(line) for line in as_json] == [
        {"type": "pair", "a": "a", "b": "c", "distance": 0}
    ]


def test_cluster(simdup: Command) -> None:
    ran = simdup("cluster", "-d", "1", "-f", "csv", stdin=LINES)
    assert ran.status == 0
    assert ran.text == (
        "cluster,role,document,fingerprint,distance,similarity,containment,cosine,measure,kept,new\n"
        "1,kept,a,00ff,,,,,,a,\n1,redundant,b,00fe,1,,,,,a,\n1,redundant,c,00ff,0,,,,,a,\n"
        "2,kept,d,f00f,,,,,,d,\n2,redundant,e,f00e,1,,,,,d,\n"
    )
    records = [json.loads(x) for x in simdup("cluster", "-f", "jsonl", stdin=LINES).lines]
    assert records[-1]["recipe"] == {"digest": "abc", "bits": 16}
    assert "cluster 2: 2 documents" in simdup("cluster", stdin=LINES).text


def test_a_pipe_gives_the_clusters_of_a_scan_without_verification(
    simdup: Command, tmp_path: Path
) -> None:
    corpus(tmp_path)
    lines = simdup("fingerprint", "c").out
    direct = json.loads(simdup("scan", "c", "--no-verify", "-f", "jsonl").lines[0])
    piped = json.loads(simdup("cluster", "-f", "jsonl", stdin=lines).lines[0])
    # Lines do not show which texts are the same.
    for pair in direct["pairs"]:
        pair.pop("exact", None)
    assert piped == direct


def test_headers_may_be_anywhere(simdup: Command) -> None:
    lines = LINES.splitlines(keepends=True)
    expected = simdup("cluster", "-f", "csv", stdin=LINES).out
    for shuffled in (lines[1:] + lines[:1], lines[:1] + lines[1:3] + lines[:1] + lines[3:]):
        assert simdup("cluster", "-f", "csv", stdin=b"".join(shuffled)).out == expected
    ordered = simdup("pairs", stdin=b"".join(sorted(lines)))
    assert {frozenset(line.split("\t")[1:]) for line in ordered.lines} == {
        frozenset("ac"), frozenset("ab"), frozenset("de"),
    }  # fmt: skip
    known_by_more = LINES.replace(b"bits=16", b"bits=16 since=2024")
    assert simdup("cluster", "-f", "csv", stdin=known_by_more).out == expected


def test_lines_without_a_header_tell_their_bits(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"one": "00ff  a\n", "two": "00ff  b\n\n"})
    ran = simdup("cluster", "one", "two", "-f", "jsonl")
    assert [m["document"] for m in json.loads(ran.lines[0])["documents"]] == ["a", "b"]
    assert json.loads(ran.lines[-1])["recipe"] == {}
    assert simdup("pairs", stdin=b"").out == b""


def test_lines_of_different_recipes_are_refused(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(LINES)
    for other in (prints("00ff  x", recipe="abd"), prints("00ff00ff  x", bits=32)):
        (tmp_path / "two").write_bytes(other)
        for name in ("cluster", "pairs"):
            ran = simdup(name, "one", "two")
            assert (ran.status, ran.out) == (2, b"")
            assert "two:1" in ran.err
            hints = ("simdup fit", "idf=FILE") if b"bits=32" not in other else ("same --recipe",)
            assert all(hint in ran.err for hint in hints)


@pytest.mark.parametrize(
    "bad",
    [b"00fg  x", b"00ff x", b"00ff", b"x", b"00ff0  x", b"00f  x", b"  x", b"# header", b"\xff  x",
        b"\n".join([b"00 f  x"] * 16),
     b"# simdup 2 recipe=abc bits=16", b"# simdup 1 recipe=abc bits=banana",
     "# simdup 1 recipe=abc bits=²".encode(), b"# simdup 1 recipe=abc bits=" + b"1" * 5000,
     b"# simdup " + b"1" * 5000],
)  # fmt: skip
def test_invalid_lines(simdup: Command, bad: bytes) -> None:
    ran = simdup("cluster", stdin=LINES + bad + b"\n")
    assert (ran.status, ran.out) == (2, b"")
    assert re.match(r"simdup: -:7: ", ran.err)
    assert "internal" not in ran.err


def test_sizes_beyond_all_bounds(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": prose(1), "b.txt": prose(1)})
    size = "9" * 15 + "T"
    ran = simdup("scan", "a.txt", "b.txt", "--max-size", size)
    assert (ran.status, ran.out.count(b".txt")) == (0, 2)
    ran = simdup("scan", "a.txt", "b.txt", "--max-size", "9" * 400 + "G")
    assert (ran.status, "is not a size" in ran.err) == (2, True)


# Pipes.


def test_a_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    # Results of 80 kB and more: more than a pipe holds.
    write(tmp_path / "c", {f"{n:0200}.txt": prose(n // 2, 12) for n in range(400)})
    for arguments in (
        ("fingerprint", "c", "--recipe", "default,idf=builtin"),
        ("scan", "c", "-q", "-f", "jsonl", "--recipe", "default,idf=builtin"),
    ):
        with running(*arguments, cwd=tmp_path) as started:
            assert started.stdout is not None
            assert started.stderr is not None
            started.stdout.read(1)
            started.stdout.close()
            assert started.wait() == 0
            assert started.stderr.read() == b""


def test_fingerprints_stream(tmp_path: Path) -> None:
    options = ("--input-format", "jsonl", "-", "--recipe", "default,idf=builtin")
    record = json.dumps({"text": prose(1)}).encode() + b"\n"
    with running("fingerprint", *options, cwd=tmp_path) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        for number in range(1, 4):
            started.stdin.write(record)
            started.stdin.flush()
            if number == 1:
                assert started.stdout.readline().startswith(b"# simdup 1 ")
            assert started.stdout.readline().endswith(f"  -#{number}\n".encode())
        started.stdin.write(record[:-1])
        started.stdin.close()
        assert started.stdout.read().endswith(b"  -#4\n")
        assert started.wait() == 0


# Compare.


def compared(simdup: Command, folder: Path, a: str, b: str, *options: str) -> Ran:
    write(folder, {"a.txt": a, "b.txt": b})
    return simdup("compare", "a.txt", "b.txt", *options)


def test_compare_as_json(simdup: Command, tmp_path: Path) -> None:
    ran = compared(simdup, tmp_path, prose(1), edited(prose(1), 3, 9), "-f", "jsonl")
    assert ran.out.count(b"\n") == 1
    found = json.loads(ran.out)
    assert list(found) == [
        "type", "a", "b", "verdict", "duplicates", "distance", "bits", "agreement", "ratio",
        "similarity", "measure", "fingerprints", "bands", "searches", "proposed_by", "shared",
        "only_a", "only_b", "recipe", "facts", "passages", "share_a", "share_b",
    ]  # fmt: skip
    assert (found["type"], found["a"], found["b"]) == ("comparison", "a.txt", "b.txt")
    one, other = (int(digits, 16) for digits in found["fingerprints"])
    assert found["distance"] == (one ^ other).bit_count()
    assert found["agreement"] == 1 - found["distance"] / found["bits"]
    assert found["ratio"] == min(one, other) / max(one, other)
    different = f"{one ^ other:064b}"
    assert found["bands"] == ["1" not in different[at : at + 16] for at in (0, 16, 32, 48)]
    assert found["searches"].keys() == {"simhash", "minhash"}
    assert found["searches"]["simhash"] == found["bands"]
    assert ("simhash" in found["proposed_by"]) == (found["distance"] <= 3)
    for kind in ("only_a", "only_b"):
        weights = [weight for _, weight in found[kind]]
        assert weights == sorted(weights, reverse=True)
    sums = [a + b for _, a, b in found["shared"]]
    assert sums == sorted(sums, reverse=True)
    assert len(found["shared"]) + len(found["only_a"]) == 20
    assert found["recipe"]["idf"] == "builtin"
    assert ran.status == (0 if found["duplicates"] else 1)


BASE = " ".join(f"{random.Random(n).getrandbits(40):x}" for n in range(80))
BACKWARDS = " ".join(BASE.split()[::-1])
LONGER = BASE + " extra"
SIMHASH = ["--method", "simhash"]


def test_compare_says_what_a_scan_would_miss(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bands, "RECALL", 0.01)
    ran = compared(simdup, tmp_path, BASE, BASE[280:], "-d", "0", "-s", "0.6")
    assert (ran.status, "would miss the pair" in ran.lines[1]) == (0, True)
    ran = compared(simdup, tmp_path, BASE, BASE[280:], "-s", "0.6", "--method", "minhash")
    assert (ran.status, "the method auto may find it" in ran.lines[0]) == (1, True)


def test_compare_names_the_distance_that_would_find_it(simdup: Command, tmp_path: Path) -> None:
    options = ("--recipe", "default,top=0", *SIMHASH)
    found = compared(simdup, tmp_path, BASE, LONGER, "-d", "0", *options)
    wanted = re.search(r"a distance of (\d+) would find it", found.text)
    assert wanted
    assert simdup("compare", "a.txt", "b.txt", "-d", wanted[1], *options).status == 0


def test_compare_shows_its_recipe_on_request(simdup: Command, tmp_path: Path) -> None:
    assert "recipe " not in compared(simdup, tmp_path, BASE, LONGER).text
    assert re.search(r"^  recipe [0-9a-f]+: ", simdup("compare", "a.txt", "b.txt", "-v").text, re.M)


@pytest.mark.parametrize("similarity", ["0.5", "0.8", "0.95"])
def test_compare_names_the_searches_that_propose_a_pair_in_a_scan(
    simdup: Command, tmp_path: Path, similarity: str
) -> None:
    for seed in range(4):
        for edits in (1, 20):
            ran = compared(
                simdup, tmp_path, prose(seed), edited(prose(seed), seed, edits),
                "-f", "jsonl", "-s", similarity,
            )  # fmt: skip
            said = json.loads(ran.out)["proposed_by"]
            asked = ("a.txt", "b.txt", "-f", "jsonl", "-s", similarity)
            for method in ("simhash", "minhash"):
                summary = simdup("scan", *asked, "--method", method).lines[-1]
                assert json.loads(summary)["checked"] == (method in said)


def test_compare_shows_the_first_place_where_the_texts_differ(
    simdup: Command, tmp_path: Path
) -> None:
    page = prose(1) + "\nSince 2023 it stands.\n" + prose(2)
    other = page.replace("2023", "2024")
    ran = compared(simdup, tmp_path, page, other)
    assert "only in" not in ran.text
    shown = r"\n  differences   in 1 place .*--diff.*\n +….*Since \[-2023-\]\{\+2024\+\} it .*…\n"
    assert re.search(shown, ran.text)
    assert "差异          1 处" in compared(simdup, tmp_path, page, other, "--lang", "zh").text
    ran = compared(simdup, tmp_path, page, other.replace("it stands", "it\nstood"))
    assert "in 2 places (--diff shows all), first:\n" in ran.text
    # Not where the texts follow, are the same, have little in common, or are long.
    assert "differences" not in compared(simdup, tmp_path, page, other, "--diff").text
    assert "differences" not in compared(simdup, tmp_path, page, page.upper()).text
    assert "differences" not in compared(simdup, tmp_path, prose(1), prose(2)).text
    assert "--diff shows them" in compared(simdup, tmp_path, page * 90, other * 90).text


def test_compare_shows_terms_by_width(simdup: Command, tmp_path: Path) -> None:
    ran = compared(simdup, tmp_path, prose(1), prose(2))
    heads = [line for line in ran.lines if line.startswith(("  heaviest shared ", "  only in "))]
    assert [head.split("(")[0].strip() for head in heads] == [
        "heaviest shared terms", "only in a", "only in b",
    ]  # fmt: skip
    assert max(map(len, ran.lines[3:])) <= 100


def test_compare_reads_standard_input(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": prose(1)})
    ran = simdup("compare", "a.txt", "-", stdin=prose(1).encode("gb18030"))
    assert ran.status == 0


def test_compare_is_quiet_on_request(simdup: Command, tmp_path: Path) -> None:
    ran = compared(simdup, tmp_path, prose(1), prose(1), "-q")
    assert ran == (0, b"", "")
