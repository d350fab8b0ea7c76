"""Change the algorithms in small ways, one at a time: does a test fail?

A mutant is killed if one of the tests that run the changed line fails, or never ends.
A mutant that survives shows a missing test, or a change without an effect on results: many guard
speed or memory.

It is also the plugin of pytest that notes what tests take and run, ``-p lab.breaking.mutants``.
"""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from lab.measuring import CHECKOUT, environment
from lab.reporting import Table
from lab.trial import Trial, say

ROOMS = ("search", "lsh", "verify", "reuse")
# Tests of these folders run for every mutant whose line they reach.
TESTS = ("search", "lsh", "verify", "reuse", "clustering", "fingerprints", "operations")
COPIED = ("simdup", "tests", "examples", "docs", "lab", "pyproject.toml",
          "README.md", "README.zh-CN.md")  # fmt: skip
SEED, MUTANTS = 21, 300
# Seconds of tests that a mutant must survive, as they took without it: the shortest tests first.
PATIENCE = 20.0
PYTEST = ["-q", "-p", "no:randomly", "-p", "no:xdist", "-p", "no:cov", "-p", "no:cacheprovider",
          "-p", "lab.breaking.mutants", "-m", "not spark"]  # fmt: skip
# Variables that name the files of the plugin: for seconds and failures, and for lines, if any.
_NOTES, _LINES = "SIMDUP_MUTANTS_NOTES", "SIMDUP_MUTANTS_LINES"


class Mutant(NamedTuple):
    """A mutation and its file, relative to the checkout."""

    path: str
    mutation: Mutation

    def __str__(self) -> str:
        before, after = _short(self.mutation.before), _short(self.mutation.after)
        return f"{self.path}:{self.mutation.line}  {before}  ->  {after}"


class Reach(NamedTuple):
    """Which tests run which lines, and how long they take.

    Attributes
    ----------
    tests : dict
        For each file and line, names of tests as pytest prints them.
    seconds : dict
        For each test, how long it took.
    """

    tests: dict[tuple[str, int], set[str]]
    seconds: dict[str, float]

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests of a mutant, the shortest first, until they take `PATIENCE`.

        Tests of the room itself know most about it.  Others that run its module come last: what a
        cache remembers is run by the first of them only.
        """
        room = mutant.path.split("/")[1]
        line = self.tests.get((mutant.path, mutant.mutation.statement), set())
        module = set().union(*(t for (path, _), t in self.tests.items() if path == mutant.path))
        order = sorted(
            line and line | module,
            key=lambda t: (t not in line, not t.startswith(f"tests/{room}/"), self.cost(t), t),
        )
        chosen, left = [], PATIENCE
        for test in order:
            left -= self.cost(test)
            if left < 0 and chosen:
                break
            chosen.append(test)
        return chosen

    def cost(self, test: str) -> float:
        """Return the seconds of a test."""
        return self.seconds.get(test, 1.0)


def run(trial: Trial) -> Iterator[Table]:
    """Kill mutants; survivors are listed, and are no failure."""
    checkout = trial.folder / "checkout"
    checkout.mkdir()
    copy(checkout)
    tests = trial.pick([str(Path("tests", "search"))], [f"tests/{name}" for name in TESTS])
    reach = measure(checkout, tests)
    chosen = choose(trial.pick(3, MUTANTS), trial.pick(("search",), ROOMS))
    killers = kill_all(checkout, chosen, reach, trial.pick(1, len(os.sched_getaffinity(0))))
    kept: dict[str, list[Mutant]] = {room: [] for room in ROOMS}
    tried = dict.fromkeys(ROOMS, 0)
    for mutant, killer in zip(chosen, killers, strict=True):
        room = mutant.path.split("/")[1]
        tried[room] += 1
        if not killer:
            kept[room].append(mutant)
    rows = [(room, tried[room], tried[room] - len(kept[room])) for room in ROOMS if tried[room]]
    rows.append(("all", sum(tried.values()), sum(row[2] for row in rows)))
    shares = [(*row, row[2] / row[1]) for row in rows]
    yield Table("Mutants", ("room", "mutants", "killed", "share"), shares)
    survivors = [
        (f"{m.path}:{m.mutation.line}", _short(m.mutation.before), _short(m.mutation.after))
        for room in ROOMS
        for m in kept[room]
    ]
    yield Table("Survivors", ("line", "before", "after"), survivors)


def choose(number: int, rooms: tuple[str, ...]) -> list[Mutant]:
    """Return mutants drawn by a seed from all of some rooms."""
    every = [
        Mutant(str(path.relative_to(CHECKOUT)), mutation)
        for room in rooms
        for path in sorted((CHECKOUT / "simdup" / room).glob("*.py"))
        for mutation in mutations(path.read_text("utf-8"))
    ]
    return random.Random(SEED).sample(every, number)


def copy(checkout: Path) -> None:
    """Copy the parts of the project that tests need."""
    for name in COPIED:
        source, target = CHECKOUT / name, checkout / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)


def measure(checkout: Path, tests: list[str]) -> Reach:
    """Run the tests once, without a mutant, and note which lines each of them runs."""
    from coverage import CoverageData

    say("which test runs which line")
    data = checkout / "lines.coverage"
    _, notes = _run_tests(checkout, tests, 7200, **{_LINES: str(data)})
    lines = CoverageData(str(data))
    lines.read()
    reached: dict[tuple[str, int], set[str]] = defaultdict(set)
    for file in lines.measured_files():
        path = str(Path(file).relative_to(checkout))
        for line, names in lines.contexts_by_lineno(file).items():
            reached[path, line] |= {name for name in names if name}
    return Reach(reached, notes["seconds"])


def kill_all(checkout: Path, mutants: list[Mutant], reach: Reach, jobs: int) -> list[str]:
    """Return what kills each mutant, as `kill` does; each worker has a checkout of its own."""
    checkouts = [checkout, *(checkout.with_name(f"checkout{job}") for job in range(1, jobs))]
    for other in checkouts[1:]:
        shutil.copytree(checkout, other)

    def kill_part(job: int) -> list[str]:
        killers = []
        for mutant in mutants[job::jobs]:
            killers.append(kill(checkouts[job], mutant, reach))
            say(f"{mutant}: {killers[-1] or 'SURVIVED'}")
        return killers

    with ThreadPoolExecutor(jobs) as pool:
        parts = list(pool.map(kill_part, range(jobs)))
    return [parts[number % jobs][number // jobs] for number in range(len(mutants))]


def kill(checkout: Path, mutant: Mutant, reach: Reach) -> str:
    """Run the tests of a mutant; return the first that fails, or nothing if none does."""
    tests = reach.of(mutant)
    if not tests:
        return ""
    seconds = 20 + 4 * sum(reach.cost(test) for test in tests)
    with mutated(checkout / mutant.path, mutant.mutation):
        status, notes = _run_tests(checkout, ["-x", *tests], seconds)
    if status is None:
        return "out of time"
    return notes["failed"] or (f"pytest ended with {status}" if status else "")


def _run_tests(
    checkout: Path, arguments: Sequence[str], seconds: float, **variables: str
) -> tuple[int | None, dict[str, Any]]:
    """Run pytest in a group of its own; return its status, None if it hung, and its notes."""
    notes = checkout / "notes"
    notes.unlink(missing_ok=True)
    variables |= {_NOTES: str(notes), "PYTHONPATH": f"{checkout}{os.pathsep}{CHECKOUT}"}
    # Compiled code of a mutant may be taken for that of the next one: same file, size and second.
    command = [sys.executable, "-B", "-m", "pytest", *PYTEST, *arguments]
    with open(checkout / "printed", "w") as printed, subprocess.Popen(
        command, cwd=checkout, env=environment(**variables), stdout=printed, stderr=printed,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, {}
    noted = json.loads(notes.read_text("utf-8")) if notes.exists() else {}
    return status, {"failed": "", "seconds": {}} | noted


@contextmanager
def mutated(path: Path, mutation: Mutation) -> Iterator[None]:
    """Change a file for a while."""
    source, status = path.read_text("utf-8"), path.stat()
    try:
        path.write_text(mutation.apply(source), "utf-8")
        yield
    finally:
        path.write_text(source, "utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _short(code: str) -> str:
    """Return code as one line of a table."""
    line = " ".join(code.split()).replace("|", "\\|")
    return line if len(line) <= 60 else line[:59] + "…"


# -- changes ---------------------------------------------------------------------------------------

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "+",
    ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "|",
}  # fmt: skip
# What such calls do is not a result: how far a run is, and what a developer reads.
_UNSEEN = ("advance", "update", "close", "set_description")


class Mutation(NamedTuple):
    """One change of a file.

    Attributes
    ----------
    line : int
        The first line of what is changed, from 1.
    statement : int
        The first line of the statement that it is in, by which one knows whether it runs; of a
        default value, the first line of the function.
    start, end : int
        What is replaced, as offsets in bytes of the source.
    before, after : str
        The text that goes, and the text that comes.
    """

    line: int
    statement: int
    start: int
    end: int
    before: str
    after: str

    def apply(self, source: str) -> str:
        """Return the source with this change.

        Raises
        ------
        ValueError
            If it is not the source that this is a change of.
        """
        content = source.encode()
        if content[self.start : self.end].decode() != self.before:
            raise ValueError(f"line {self.line}: no {self.before!r} at {self.start}")
        return (content[: self.start] + self.after.encode() + content[self.end :]).decode()


def mutations(source: str) -> list[Mutation]:
    """Return all mutations of a module, in the order of their places.

    Left out are docstrings, annotations, messages of errors, and constants of a module: these are
    tuned by measurements, and most other values give the same results.
    """
    lines = [0]
    for line in source.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    changes = []
    for node, statement, after in _changes(ast.parse(source)):
        start = lines[node.lineno - 1] + node.col_offset
        end = lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[operator]
        before = source.encode()[start:end].decode()
        if before != after:
            changes.append(Mutation(node.lineno, statement, start, end, before, after))
    return sorted(set(changes))


def _changes(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, int, str]]:
    """Yield what can be changed, the line of its statement, and what it becomes."""
    pending: list[tuple[ast.AST, int]] = [
        (node, 0) for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    while pending:
        node, statement = pending.pop()
        if isinstance(node, ast.Raise | ast.Assert | ast.AnnAssign) and not _computes(node):
            continue
        if isinstance(node, ast.FunctionDef):
            statement = _without_docstring(node.body)[0].lineno
        elif isinstance(node, ast.stmt):
            statement = node.lineno
        if isinstance(node, ast.expr):
            yield from ((node, statement, after) for after in _expressions(node))
        elif isinstance(node, ast.stmt):
            yield from ((node, statement, after) for after in _statements(node))
        pending += [(part, statement) for part in _parts(node)]


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if documented and len(body) > 1 else body


def _computes(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and node.value is not None


def _parts(node: ast.AST) -> list[ast.AST]:
    """Return what is below a node, without annotations, decorators and docstrings."""
    if isinstance(node, ast.FunctionDef):
        return [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body]
    if isinstance(node, ast.ClassDef):
        return [one for one in node.body if isinstance(one, ast.FunctionDef)]
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value else []
    # Before Python 3.12, what is in an f-string has no places.
    if isinstance(node, ast.JoinedStr):
        return []
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return []
    return list(ast.iter_child_nodes(node))


def _expressions(node: ast.expr) -> Iterator[str]:
    """Yield what an expression can become."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield f"({left} {_COMPARED[type(node.ops[0])]} {right})"
    elif isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED:
        # Text is joined with the operators of numbers.
        if not any(isinstance(one, ast.JoinedStr) for one in (node.left, node.right)):
            left, right = ast.unparse(node.left), ast.unparse(node.right)
            yield f"(({left}) {_COMPUTED[type(node.op)]} ({right}))"
    elif isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield "(" + word.join(f"({ast.unparse(value)})" for value in node.values) + ")"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert | ast.USub):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.IfExp):
        test, yes, no = (ast.unparse(one) for one in (node.test, node.body, node.orelse))
        yield f"(({no}) if ({test}) else ({yes}))"
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield str(not node.value)
        elif isinstance(node.value, int):
            yield str(node.value + 1)


def _statements(node: ast.stmt) -> Iterator[str]:
    """Yield what a statement can become."""
    if isinstance(node, ast.Continue):
        yield "break"
    elif isinstance(node, ast.Break):
        yield "continue"
    elif isinstance(node, ast.AugAssign) and type(node.op) in _COMPUTED:
        target, value = ast.unparse(node.target), ast.unparse(node.value)
        yield f"{target} {_COMPUTED[type(node.op)]}= {value}"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if not (isinstance(called, ast.Attribute) and called.attr in _UNSEEN):
            yield "pass"


# -- the plugin ------------------------------------------------------------------------------------

_seconds: dict[str, float] = defaultdict(float)
_failed: list[str] = []
_watchers: list[Any] = []


def pytest_configure() -> None:
    """Watch which lines run, if they are asked for."""
    if _LINES in os.environ:
        from coverage import Coverage

        source = [str(Path.cwd() / "simdup")]
        _watchers.append(Coverage(os.environ[_LINES], source=source, context="", config_file=False))
        _watchers[0].start()


def pytest_runtest_logstart(nodeid: str) -> None:
    """Let the lines that run from now on be those of a test."""
    for watcher in _watchers:
        watcher.switch_context(nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    """Note how long a test takes, and whether it fails."""
    _seconds[report.nodeid] += report.duration
    if report.failed:
        _failed.append(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write the notes, and the lines."""
    for watcher in _watchers:
        watcher.stop()
        watcher.save()
    notes = {"failed": (_failed or [""])[0], "seconds": _seconds}
    Path(os.environ[_NOTES]).write_text(json.dumps(notes), "utf-8")
