"""Change the algorithms in small ways, one at a time: does a test fail?

A mutant is killed if one of the tests that run the changed line fails, or never ends.
A mutant that survives shows a missing test, or a change that cannot have an effect on results: it
costs time or memory.  Whoever reads such a survivor adds it to `EQUIVALENT`, with the reason; the
share is that of mutants killed among the others (DeMillo, Lipton and Sayward, Computer 1978).

It is also the plugin of pytest that notes what tests take and run, ``-p lab.breaking.mutants``.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from lab.measuring import CHECKOUT, environment
from lab.reporting import Table
from lab.trial import Trial, say

ROOMS = ("search", "text", "near", "reuse")
# Tests of these folders, and of what files of earlier versions hold: those that run the line of a
# mutant try it.
TESTS = ("search", "text", "near", "reuse", "operations", "index", "corpus", "cli", "show",
         "project/test_compatibility.py")  # fmt: skip
COPIED = ("simdup", "tests", "examples", "docs", "lab", "pyproject.toml",
          "README.md", "README.zh-CN.md")  # fmt: skip
MUTANTS = 200
# Survivors that somebody has read: for each reason, files and functions, the lines as they become.
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.json")
# Seconds of tests that a mutant must survive, as they took without it: those of its room, and
# others.
PATIENCE = 20.0
PYTEST = ["-q", "-p", "no:randomly", "-p", "no:xdist", "-p", "no:cov", "-p", "no:cacheprovider",
          "-p", "lab.breaking.mutants", "-m", "not spark"]  # fmt: skip
# Variables that name the files of the plugin: for seconds and failures, and for lines, if any.
_NOTES, _LINES = "SIMDUP_MUTANTS_NOTES", "SIMDUP_MUTANTS_LINES"


class Mutant(NamedTuple):
    """One change of a file."""

    path: str  # relative to the checkout
    line: int  # the first one of what is changed, from 1
    # The first line of the statement that it is in, by which one knows whether it runs; of a
    # default value, the first line of the function.
    statement: int
    start: int  # where what is replaced is, in bytes of the source
    end: int
    before: str
    after: str
    becomes: str  # the changed line, without what is around it
    function: str  # the nearest one above

    @property
    def name(self) -> tuple[str, str, str]:
        """What does not change with other places."""
        return self.path.removeprefix("simdup/"), self.function, self.becomes

    @property
    def digest(self) -> bytes:
        """Its place in the order in which mutants are drawn."""
        return blake2b("\0".join(self.name).encode(), digest_size=16).digest()

    @property
    def room(self) -> str:
        """The room of its file."""
        return self.path.split("/")[1]

    @property
    def place(self) -> str:
        """Where it is."""
        return f"{self.path}:{self.line}"

    def apply(self, source: str) -> str:
        """Return the source with this change; a ValueError if it is a change of another one."""
        content = source.encode()
        if content[self.start : self.end].decode() != self.before:
            raise ValueError(f"line {self.line}: no {self.before!r} at {self.start}")
        return (content[: self.start] + self.after.encode() + content[self.end :]).decode()


def _short(code: str) -> str:
    line = " ".join(code.split()).replace("|", "\\|")
    return line if len(line) <= 90 else line[:89] + "…"


class Reach(NamedTuple):
    """Which tests run which lines, and how long they take."""

    tests: dict[tuple[str, int], set[str]]  # for each file and line, names as pytest prints them
    seconds: dict[str, float]  # of each test

    def of(self, mutant: Mutant) -> tuple[list[str], list[str]]:
        """Return the tests of a mutant: those of its room, then others; each take `PATIENCE`.

        Of the room, the shortest come first: they know most about it.  Of the others, files take
        turns, each with its shortest first: what differs tells more than many tests of one kind.
        Those that only run its module come last: what a cache remembers is run by the first of
        them.
        """
        line = self.tests.get((mutant.path, mutant.statement), set())
        module = set().union(*(t for (path, _), t in self.tests.items() if path == mutant.path))
        room = {test for test in line if test.startswith(f"tests/{mutant.room}/")}
        rest = sorted(
            (line and line | module) - room, key=lambda t: (t not in line, self.cost(t), t)
        )
        turns, turn = Counter[str](), dict[str, int]()
        for test in rest:
            file = test.partition("::")[0]
            turn[test] = turns[file]
            turns[file] += 1
        rest.sort(key=lambda t: (t not in line, turn[t]))
        return self._within(sorted(room, key=lambda t: (self.cost(t), t))), self._within(rest)

    def _within(self, tests: list[str]) -> list[str]:
        """Return the first tests that take `PATIENCE`, at least one."""
        chosen, left = list[str](), PATIENCE
        for test in tests:
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
    for name in COPIED:
        source, target = CHECKOUT / name, checkout / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)
    reach = measure(checkout, [f"tests/{name}" for name in trial.pick(("search",), TESTS)])
    chosen = choose(trial.pick(3, MUTANTS), trial.pick(("search",), ROOMS))
    killers = kill_all(checkout, chosen, reach, trial.pick(1, len(os.sched_getaffinity(0))))
    reasons = read_equivalent()
    tried, equal, killed = Counter[str](), Counter[str](), Counter[str]()
    survivors = []
    for mutant, killer in zip(chosen, killers, strict=True):
        reason = reasons.get(mutant.name, "")
        for room in (mutant.room, "all"):
            tried[room] += 1
            equal[room] += bool(reason)
            killed[room] += bool(killer)
        if reason and killer:
            trial.fail(f"{mutant.place} was taken for one without an effect: {killer}")
        if not killer:
            survivors.append((mutant.place, _short(mutant.becomes), reason))
    columns = ("room", "mutants", "equivalent", "killed", "share")
    rows = [
        (room, tried[room], equal[room], killed[room], killed[room] / (tried[room] - equal[room]))
        for room in (*ROOMS, "all")
        if tried[room]
    ]
    yield Table("Mutants", columns, rows)
    survivors.sort(key=lambda row: (bool(row[2]), row[0]))
    yield Table("Survivors", ("line", "becomes", "why nothing changes"), survivors)


def read_equivalent() -> dict[tuple[str, str, str], str]:
    """Return why mutants change no result, for the names of those that somebody has read."""
    kept = json.loads(EQUIVALENT.read_text("utf-8"))
    return {
        (*place.split(":"), line): reason
        for reason, places in kept.items()
        for place, lines in places.items()
        for line in lines
    }


def every_mutant(rooms: Sequence[str] = ROOMS) -> list[Mutant]:
    """Return all mutants of some rooms."""
    return [
        mutant
        for room in rooms
        for path in sorted((CHECKOUT / "simdup" / room).glob("*.py"))
        for mutant in mutations(path.read_text("utf-8"), path.relative_to(CHECKOUT).as_posix())
    ]


def choose(number: int, rooms: Sequence[str]) -> list[Mutant]:
    """Return mutants drawn by their digests: where code changes, the others are drawn again."""
    drawn = sorted(every_mutant(rooms), key=lambda mutant: mutant.digest)
    return sorted(drawn[:number])


def measure(checkout: Path, tests: list[str]) -> Reach:
    """Run the tests once, without a mutant, and note which lines each of them runs."""
    from coverage import CoverageData

    say("which test runs which line")
    data = checkout / "lines.coverage"
    notes = _run_tests(checkout, tests, 7200, **{_LINES: str(data)})
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
    free = SimpleQueue[Path]()
    free.put(checkout)
    for job in range(1, jobs):
        free.put(Path(shutil.copytree(checkout, checkout.with_name(f"checkout{job}"))))

    def kill_one(mutant: Mutant) -> str:
        place = free.get()
        killer = kill(place, mutant, reach)
        free.put(place)
        say(f"{mutant.place} ({mutant.function})  {mutant.becomes}: {killer or 'SURVIVED'}")
        return killer

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(kill_one, mutants))


def kill(checkout: Path, mutant: Mutant, reach: Reach) -> str:
    """Run the tests of a mutant; return the first that fails, or nothing if none does."""
    path = checkout / mutant.path
    source, status = path.read_text("utf-8"), path.stat()
    try:
        path.write_text(mutant.apply(source), "utf-8")
        for tests in filter(None, reach.of(mutant)):
            seconds = 20 + 4 * sum(reach.cost(test) for test in tests)
            if killer := str(_run_tests(checkout, ["-x", *tests], seconds)["failed"]):
                return killer
    finally:
        path.write_text(source, "utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    return ""


def _run_tests(
    checkout: Path, arguments: Sequence[str], seconds: float, **variables: str
) -> dict[str, Any]:
    """Run pytest in a group of its own; return what failed, and the seconds of each test."""
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
            return {"failed": "out of time"}
    noted = json.loads(notes.read_text("utf-8")) if notes.exists() else {"seconds": {}}
    return {"failed": f"pytest ended with {status}" if status else ""} | noted


# -- changes ---------------------------------------------------------------------------------------

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "+",
    ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "|",
}  # fmt: skip
_FUNCTION = re.compile(rb" *def (\w+)")
# What such calls do is not a result: how far a run is, and what a developer reads.
_UNSEEN = ("advance", "update", "close", "set_description", "_progress")


def mutations(source: str, path: str = "") -> list[Mutant]:
    """Return all mutations of a module, in the order of their places.

    Left out are docstrings, annotations, messages of errors, progress, `strict` of `zip`, and
    constants of a module: these are tuned by measurements, and most other values give the same
    results.  That `<` becomes `<=` beside such a constant would make it larger by one.
    """
    content = source.encode()
    rows = content.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, rows))]
    changes, seen = [], Counter[tuple[str, str]]()
    for node, statement, after in sorted(_changes(ast.parse(source)), key=_place):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        before = content[start:end].decode()
        if before == after:
            continue
        head = rows[node.lineno - 1][: node.col_offset].decode()
        tail = rows[node.end_lineno - 1][node.end_col_offset :].decode()
        called = f"  # {before}" if after == "pass" else ""
        becomes = " ".join(f"{head}{after}{tail}{called}".split())
        function = next(
            found[1] for row in rows[node.lineno - 1 :: -1] if (found := _FUNCTION.match(row))
        ).decode()
        seen[function, becomes] += 1
        if seen[function, becomes] > 1:
            becomes += f" ({seen[function, becomes]})"
        changes.append(
            Mutant(path, node.lineno, statement, start, end, before, after, becomes, function)
        )
    return changes


def _place(change: tuple[Any, int, str]) -> tuple[int, int, int, int, str]:
    node, _, after = change
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, after


def _changes(tree: ast.Module) -> Iterator[tuple[Any, int, str]]:
    """Yield what can be changed, the line of its statement, and what it becomes."""
    pending: list[tuple[ast.AST, int]] = [
        (node, 0) for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    while pending:
        node, statement = pending.pop()
        if isinstance(node, ast.FunctionDef):
            # The first line below the docstring.
            documented = ast.get_docstring(node) is not None and len(node.body) > 1
            statement = node.body[documented].lineno
        elif isinstance(node, ast.stmt):
            statement = node.lineno
        for after in _afters(node):
            yield node, statement, after
        pending += [(part, statement) for part in _parts(node)]


def _parts(node: ast.AST) -> list[ast.AST]:
    """Return what is below a node, without annotations, decorators, docstrings and errors."""
    if isinstance(node, ast.FunctionDef):
        return [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body]
    if isinstance(node, ast.ClassDef):
        return [one for one in node.body if isinstance(one, ast.FunctionDef)]
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value else []
    # Before Python 3.12, what is in an f-string has no places.
    if isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert):
        return []
    if isinstance(node, ast.Expr) and (isinstance(node.value, ast.Constant) or _unseen(node)):
        return []
    # What `zip` is to raise if one is longer, which none is.
    return [
        part
        for part in ast.iter_child_nodes(node)
        if not (isinstance(part, ast.keyword) and part.arg == "strict")
    ]


def _unseen(node: ast.Expr) -> bool:
    called = node.value.func if isinstance(node.value, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in _UNSEEN


def _afters(node: ast.AST) -> Iterator[str]:
    """Yield what an expression or a statement can become."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        ordered = isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        if not (ordered and (left.isupper() or right.isupper())):
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
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield str(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.Continue | ast.Break):
        yield "break" if isinstance(node, ast.Continue) else "continue"
    elif isinstance(node, ast.AugAssign) and type(node.op) in _COMPUTED:
        target, value = ast.unparse(node.target), ast.unparse(node.value)
        yield f"{target} {_COMPUTED[type(node.op)]}= {value}"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not _unseen(node):
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
    failed = {"failed": _failed[0]} if _failed else {}
    Path(os.environ[_NOTES]).write_text(json.dumps({"seconds": _seconds} | failed), "utf-8")
