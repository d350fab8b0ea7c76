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
from urllib.parse import unquote, urlsplit

import pytest
from support import ROOT, Command, environment

from lab.corpora.made import near, prose, write
from lab.corpora.office_files import zipped
from simdup.corpus.spool import spool_folder

SOURCES = sorted((ROOT / "simdup").rglob("*.py"))
POSIX = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")

# What turns data into a program, starts one or reaches out, wherever the name comes from.
FORBIDDEN_NAMES = {
    "eval", "exec", "__import__", "system", "popen", "fork", "forkpty", "startfile",
    "enable_load_extension", "load_extension", "mktemp",
    *(f"exec{how}" for how in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    *(f"spawn{how}" for how in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    "posix_spawn", "posix_spawnp",
}  # fmt: skip
FORBIDDEN_KEYWORDS = {"allow_pickle", "shell"}
FORBIDDEN_MODULES = {
    "builtins", "code", "codeop", "ctypes", "dill", "ftplib", "http", "imp", "marshal", "pickle",
    "pty", "runpy", "shelve", "smtplib", "socket", "subprocess", "urllib.request", "yaml",
}  # fmt: skip
# The only places where simdup does so: with names of its own, or with a second simdup.
ALLOWED = {
    "__init__.py": {"import_module(_HOMES[name])"},
    "cli/usage.py": {"import_module(f'{__package__}.{name}')"},
    "corpus/formats/__init__.py": {"import_module(row.module)"},
    "corpus/office/pdf.py": {"subprocess"},
    "near/features.py": {"import_module(f'{package}.{module}')"},
    "text/stripping.py": {"regex.compile"},
}


def forbidden_in(tree: ast.AST) -> Iterator[str]:
    """What is forbidden: modules by their name, names wherever they occur, calls as written."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from forbidden_calls(node)
        elif isinstance(node, ast.Import):
            yield from forbidden_imports([name.name for name in node.names], "")
        elif isinstance(node, ast.ImportFrom):
            yield from forbidden_imports([name.name for name in node.names], node.module or "")
        elif isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in FORBIDDEN_NAMES or (name == "import_module" and id(node) not in called):
                yield name


def forbidden_calls(call: ast.Call) -> Iterator[str]:
    """A name that is computed may be anything; `re.compile` makes patterns, `compile` programs."""
    called = call.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    constant = bool(call.args) and isinstance(call.args[0], ast.Constant)
    yield from {keyword.arg for keyword in call.keywords if keyword.arg} & FORBIDDEN_KEYWORDS
    if name == "import_module" and not constant:
        yield ast.unparse(call)
    if name == "compile" and (what := ast.unparse(called)) != "re.compile":
        yield what
    if name in ("getattr", "attrgetter", "methodcaller"):
        named = {one.value for one in call.args if isinstance(one, ast.Constant)}
        yield from named & (FORBIDDEN_NAMES | {"compile", "import_module"})


def forbidden_imports(names: list[str], module: str) -> Iterator[str]:
    modules = [module, *(f"{module}.{name}" for name in names)] if module else names
    yield from {one.partition(".")[0] for one in modules} & FORBIDDEN_MODULES
    yield from set(modules) & FORBIDDEN_MODULES
    yield from set(names if module else ()) & FORBIDDEN_NAMES


def test_nothing_turns_data_into_a_program() -> None:
    assert len(SOURCES) > 100
    found = {}
    for path in SOURCES:
        name = path.relative_to(ROOT / "simdup").as_posix()
        if used := set(forbidden_in(ast.parse(path.read_text("utf-8")))):
            found[name] = used
    assert found == ALLOWED


@pytest.mark.parametrize("line", [
    "from os import system; system(text)", "from os import system as run", "os.system(text)",
    "builtins.exec(core.strip(text))", "import builtins", "exec(re.sub('a', 'b', text))",
    "importlib.import_module(text)", "from importlib import import_module; f = import_module",
    "import_module(re.sub('a', 'b', text))", "run = eval", "compile(re.escape(text), '', 'exec')",
    "getattr(os, 'execv')(text, [])", "np.load(file, allow_pickle=True)", "os.fork()",
    "subprocess.run(text, shell=True)", "import os.path, pickle", "from urllib.request import x",
])  # fmt: skip
def test_what_turns_data_into_a_program_is_noticed(line: str) -> None:
    assert set(forbidden_in(ast.parse(line)))


WATCHED = """
import json, os, socket, sys
from multiprocessing import connection, popen_fork

calls = json.loads(sys.argv[1])
# Workers, which inherit it, write what they do as well.
log = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
quiet = ("pickle.find_class", "socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn",
         "os.fork", "os.spawn", "os.startfile", "pty.", "urllib.", "http.", "ftplib.", "smtplib.",
         "ctypes.dlopen", "sqlite3.load_extension", "sqlite3.enable_load_extension", "webbrowser.")
# How workers start, and what they and simdup send each other, through a pair of sockets.
own = {("os.fork", popen_fork.__file__), ("pickle.find_class", connection.__file__),
       ("socket.__new__", connection.__file__)}

def note(event, what):
    os.write(log, json.dumps([event, what]).encode() + b"\\n")

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, (str, bytes)) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            note("open", os.path.realpath(os.fsdecode(path)))
    elif event in ("os.rename", "os.link", "os.symlink", "os.mkdir"):
        target = arguments[0 if event == "os.mkdir" else 1]
        note(event, os.path.realpath(os.fsdecode(target)))
    elif event == "sqlite3.connect":
        note(event, str(arguments[0]))
    elif event.startswith(quiet):
        by = sys._getframe(1)
        while by.f_code.co_filename == socket.__file__:
            by = by.f_back
        of_workers = (event, by.f_code.co_filename) in own
        note("workers" if of_workers else event, repr(arguments)[:200])

from simdup.cli import main
import jieba, numpy, scipy.sparse, sklearn.preprocessing, simdup.text.tokens
import simdup.near.collection, simdup.show.report.pairs_page

simdup.near.collection.WORTH_WORKERS = 0
sys.addaudithook(watch)
for call in calls:
    try:
        main(call)
    except SystemExit as left:
        note("exit", left.code)
"""


def within(path: str, homes: list[Path]) -> bool:
    return any(Path(path).is_relative_to(home) for home in homes)


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
        ["scan", "in", "-j", "2", "-q", "-f", "jsonl", "-o", "out/found.jsonl"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, json.dumps(calls), "events"], cwd=tmp_path,
        env=environment(TMPDIR=str(temporary), PYTHONDONTWRITEBYTECODE="1"), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = (tmp_path / "events").read_text("utf-8").splitlines()
    events = [tuple(json.loads(event)) for event in told]
    assert [what for event, what in events if event == "exit"] == [2] * len(calls)
    writing = ("open", "os.rename", "os.link", "os.mkdir")
    written = [str(what) for event, what in events if event in writing]
    assert len(written) > 20
    homes = [out.resolve(), temporary.resolve(), Path(os.devnull)]
    assert [path for path in written if not within(path, homes)] == []
    connected = [str(what) for event, what in events if event == "sqlite3.connect"]
    assert connected
    assert all(within(unquote(urlsplit(what).path), [out, out.resolve()]) for what in connected)
    assert [event for event in events if event[0] == "workers"]
    known = {"exit", "sqlite3.connect", "workers", *writing}
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
@pytest.mark.parametrize(
    "start",
    [
        *("=", "+", "-", "@", "\t", "\r", "\n", " =", "\u3000=", "\ufeff=", "\u200b\x01@"),
        *("＝", "＋", "－", "＠", "﹦", " ＝"),
    ],
)
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


def test_other_cells_for_a_spreadsheet_stay_as_they_are(simdup: Command, tmp_path: Path) -> None:
    names = ["a=1", "（一）", "", "_", "1-2", "“”", "￥3", " b"]
    rows = (json.dumps({"id": name, "text": prose(1)}) for name in names)
    write(tmp_path, {"rows.jsonl": "\n".join(rows)})
    found = simdup("scan", "rows.jsonl", "--id-field", "id", "-f", "csv", "--bom").out
    cells = csv.reader(io.StringIO(found.decode("utf-8-sig"), newline=""))
    assert {row[2] for row in cells} > {name for name in names if name}
