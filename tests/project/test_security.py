"""What SECURITY.md promises: inputs never run, reach out, or write where they should not."""

import ast
import csv
import io
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from office_files import zipped
from support import ROOT, Command, environment, near, prose, write

from simdup.corpus.spool import spool_folder

SOURCES = sorted((ROOT / "simdup").rglob("*.py"))
POSIX = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")

# What turns data into a program.
FORBIDDEN = {
    "eval", "exec", "compile", "__import__", "pickle", "marshal", "shelve", "dill", "yaml",
    "os.system", "os.popen", "enable_load_extension", "allow_pickle", "shell", "mktemp",
}  # fmt: skip


def spelled(node: ast.AST) -> Iterator[str]:
    """What a node calls or imports, and the names of its arguments."""
    if isinstance(node, ast.Call):
        yield ast.unparse(node.func)
        yield ast.unparse(node.func).rpartition(".")[2] if "re." not in ast.unparse(node) else ""
        yield from (keyword.arg or "" for keyword in node.keywords)
    elif isinstance(node, ast.Import):
        yield from (name.name.partition(".")[0] for name in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield (node.module or "").partition(".")[0]


def test_nothing_turns_data_into_a_program() -> None:
    assert len(SOURCES) > 300
    for path in SOURCES:
        tree = ast.parse(path.read_text("utf-8"))
        used = {name for node in ast.walk(tree) for name in spelled(node)}
        assert not used & FORBIDDEN, path


WATCHED = """
import json, os, sys
from pathlib import Path

calls, events = json.loads(sys.argv[1]), []
quiet = ("pickle.find_class", "socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn",
         "urllib.", "http.", "ftplib.", "smtplib.", "ctypes.dlopen", "sqlite3.load_extension",
         "sqlite3.enable_load_extension", "webbrowser.")

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, (str, bytes)) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            events.append(["open", os.path.realpath(os.fsdecode(path))])
    elif event in ("os.rename", "os.link", "os.symlink", "os.mkdir"):
        target = arguments[0 if event == "os.mkdir" else 1]
        events.append([event, os.path.realpath(os.fsdecode(target))])
    elif event == "sqlite3.connect":
        events.append([event, str(arguments[0])])
    elif event.startswith(quiet):
        events.append([event, repr(arguments)[:200]])

from simdup.cli import main
import jieba, numpy, scipy.sparse, sklearn.preprocessing, simdup.features.tokens, simdup.report.scan

sys.addaudithook(watch)
for call in calls:
    try:
        main(call)
    except SystemExit as left:
        events.append(["exit", left.code])
Path(sys.argv[2]).write_text(json.dumps(events))
"""


@POSIX
def test_hostile_inputs_run_nothing_and_write_only_where_asked(tmp_path: Path) -> None:
    """The interpreter tells of every file, process, socket and class that a run asks for."""
    hostile = {
        "../../escaped.txt": prose(1),
        "/escaped-too.txt": near(prose(1)),
        "a/../../b.txt": prose(2),
        "C:\\\\windows.txt": prose(3),
        "$(touch hacked).txt": prose(4),
        "`touch hacked`.txt": prose(4),
    }
    corpus, out, temporary = (tmp_path / name for name in ("in", "out", "temporary"))
    for folder in (corpus, out, temporary):
        folder.mkdir()
    (corpus / "hostile.zip").write_bytes(zipped([*hostile.items()]))
    entity = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'
    (corpus / "x.docx").write_bytes(zipped([("word/document.xml", entity)]))
    page = '<script src="https://example.org/x.js"></script><img src=x onerror=alert(1)>'
    write(corpus, {"page.html": page + prose(5), "; touch hacked": prose(6), "=cmd|x!A1": prose(6)})
    rows = [{"id": "../../escaped", "text": prose(7)}, {"id": "__import__('os')", "text": prose(7)}]
    write(corpus, {"rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    calls = [
        ["scan", "in", "-j", "1", "-q", "-o", "out/found.html"],
        ["scan", "in", "-j", "1", "-q", "-f", "csv", "-o", "out/found.csv"],
        ["dedupe", "in", "-j", "1", "-q", "-o", "out/cleaned", "--removed", "out/removed.csv"],
        ["index", "build", "out/i.simdup", "in", "-j", "1", "-q"],
        ["query", "out/i.simdup", "in", "-j", "1", "-q", "-o", "out/query.jsonl"],
        ["passages", "in", "-j", "1", "-q", "-o", "out/passages.jsonl"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, json.dumps(calls), "events"], cwd=tmp_path,
        env=environment(TMPDIR=str(temporary), PYTHONDONTWRITEBYTECODE="1"), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    events = [tuple(event) for event in json.loads((tmp_path / "events").read_text("utf-8"))]
    assert [what for event, what in events if event == "exit"] == [2, 2, 2, 2, 2, 2]
    writing = ("open", "os.rename", "os.link", "os.mkdir")
    written = [str(what) for event, what in events if event in writing]
    assert len(written) > 20
    homes = (str(out.resolve()), str(temporary.resolve()), "/dev/null")
    assert [path for path in written if not path.startswith(homes)] == []
    connected = [str(what) for event, what in events if event == "sqlite3.connect"]
    assert connected
    assert all(str(out) in what or what.startswith("file:") for what in connected)
    known = {"exit", "sqlite3.connect", *writing}
    assert [event for event in events if event[0] not in known] == []
    assert not list(tmp_path.rglob("hacked"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events", "in", "out", "temporary"]
    assert os.listdir(temporary) == []


@POSIX
def test_nobody_else_can_read_what_is_spooled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = os.umask(0)
    try:
        with spool_folder() as folder:
            assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    finally:
        os.umask(before)


@POSIX
def test_a_link_in_the_output_leads_nowhere(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "in", {"sub/a.txt": prose(1), "b.txt": prose(2)})
    write(tmp_path / "else", {"a.txt": "mine"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sub").symlink_to("../else")
    ran = simdup("dedupe", "in", "-o", "out", "--force")
    assert (ran.status, (tmp_path / "else" / "a.txt").read_text()) == (2, "mine")
    assert "a symbolic link leads out of" in ran.err
    (tmp_path / "out" / "sub").unlink()
    (tmp_path / "out" / "b.txt").symlink_to("../else/a.txt")
    assert simdup("dedupe", "in", "-o", "out", "--force").status == 0
    assert (tmp_path / "else" / "a.txt").read_text() == "mine"
    assert not (tmp_path / "out" / "b.txt").is_symlink()


@POSIX
@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_cells_for_a_spreadsheet_are_no_formulas(
    simdup: Command, tmp_path: Path, start: str
) -> None:
    names = [f"{start}cmd|' /C calc'!A{n}" for n in (1, 2)]
    write(tmp_path, {"rows.jsonl": "".join(
        json.dumps({"id": name, "text": prose(1)}) + "\n" for name in names
    )})  # fmt: skip
    found = simdup("scan", "rows.jsonl", "--id-field", "id", "-f", "csv", "--bom").out
    rows = list(csv.reader(io.StringIO(found.decode("utf-8-sig"), newline="")))
    assert {row[2] for row in rows[1:]} == {f"'{name}" for name in names}
