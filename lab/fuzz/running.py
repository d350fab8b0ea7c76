"""Run targets with inputs that Atheris makes, count them, and try one input again.

Atheris makes those inputs the most often that reach new lines of simdup; it watches what is
imported after `instrument`, so nothing here imports simdup before. Each target runs in a child of
its own, forked once simdup is imported and instrumented: libFuzzer, on which Atheris is built,
never returns, and an input may end the process.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import chdir, redirect_stderr, suppress
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.reporting import RESULTS, Table, environment, save
from lab.trial import all_known

if TYPE_CHECKING:
    from lab.fuzz.target import Target

MISSING = "Atheris is not installed: python -m pip install 'simdup[fuzz]'"


# A call that does not end for so many seconds ends the child, and so does so much memory.
_HANGS, _MEGABYTES = 60, 4096
# Different faults of one target; more are no news.
_FAULTS = 10
_COVERAGE = re.compile(r"\bcov: (\d+)")


@dataclass(frozen=True)
class Limits:
    """How long a target runs, and where what it finds is written.

    Attributes
    ----------
    folder : str
        An absolute path, where inputs are written for which something went wrong.
    runs : int or None
        Inputs; None for any number.
    seconds : float or None
        Processor time; None for any.
    seed : int
        Where the random numbers start.
    corpus : str or None
        A folder for inputs that reached something new; they are read again by the next run.
    """

    folder: str
    runs: int | None = None
    seconds: float | None = None
    seed: int = 1
    corpus: str | None = None


@dataclass
class Figures:
    """What a run of a target has shown."""

    inputs: int = 0
    refused: int = 0  # that ended in a `SimdupError`, or of which nothing could be read
    slowest: float = 0.0  # seconds of processor time of one call
    megabytes: float = 0.0  # that one call raised the memory of the process by
    edges: int = 0  # of the code of simdup that were reached
    faults: dict[str, str] = field(default_factory=dict)  # what went wrong, and the file

    def cells(self) -> dict[str, Any]:
        """Return the cells of a row of a table, by column."""
        return {
            "inputs": self.inputs,
            "refused": self.refused,
            "slowest call s": round(self.slowest, 3),
            "most memory of a call MB": round(self.megabytes),
            "edges reached": self.edges,
            "failed": len(self.faults),
        }


def installed() -> bool:
    """Return whether Atheris is installed."""
    return find_spec("atheris") is not None


def instrument() -> None:
    """Let Atheris watch what is imported of simdup from now on, also within functions."""
    import atheris

    atheris.instrument_imports(include=["simdup"]).__enter__()


def load_targets() -> dict[str, Target]:
    """Return all targets by name."""
    with redirect_stderr(io.StringIO()):  # Atheris lists every module
        from lab.fuzz.targets import TARGETS
    return TARGETS


def replay(name: str, path: str) -> int:
    """Try the input in a file again; return 1 if something goes wrong."""
    from lab.fuzz.oracle import Wrong, judge

    target = load_targets()[name]
    data = Path(path).read_bytes()
    try:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as work, chdir(work):
            verdict = judge(target.check, data)
    except Wrong as wrong:
        traceback.print_exc()
        print(f"{name}: {wrong}", file=sys.stderr)
        return 1
    how = "refused, as it should be" if verdict.refused else "a result"
    print(f"{name}: {how}, {verdict.seconds:.3f} s")
    return 0


def run(options: argparse.Namespace) -> int:
    """List the targets, or run some; return 1 if something went wrong, 2 if it cannot run."""
    fuzzing = bool(options.names or options.all)
    if fuzzing and not installed():
        print(MISSING, file=sys.stderr)
        return 2
    if fuzzing:
        instrument()
    targets = load_targets()
    if not all_known(options.names, targets):
        return 2
    if not fuzzing:
        print("\n".join(f"{name:<14} {one.summary}" for name, one in targets.items()))
        return 0
    corpus = options.corpus and os.path.abspath(options.corpus)
    limits = Limits(
        os.path.abspath(options.found), options.runs, options.seconds, options.seed, corpus
    )
    where = environment()
    chosen = list(targets) if options.all else options.names
    warm_up(targets[name] for name in chosen)
    every = {name: _run_target(targets[name], limits) for name in chosen}
    failed = sum(len(one.faults) for one in every.values())
    # Part of the targets is not a result: it is written only to a folder that was requested.
    if options.all or options.results:
        path = (options.results or RESULTS / "break") / "fuzz.json"
        save(path, [_table(every, options.seconds)], where | {"size": "full", "failed": failed})
    return min(failed, 1)


def _run_target(target: Target, limits: Limits) -> Figures:
    """Run one target, and say what it has shown."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as work:
        figures = drive(target, limits, Path(work))
    cells = "  ".join(f"{name} {value}" for name, value in figures.cells().items())
    print(f"{target.name:<14} {cells}", flush=True)
    for what, path in figures.faults.items():
        again = f"python -m lab fuzz {target.name} {path}"
        print(f"FAILED: {target.name}: {what}\n  again: {again}", file=sys.stderr, flush=True)
    return figures


def _table(every: dict[str, Figures], seconds: float) -> Table:
    rows = [(name, *one.cells().values()) for name, one in every.items()]
    columns = ("target", *next(iter(every.values())).cells())
    note = f"{seconds:g} s of processor time for each target, with coverage measured."
    return Table("Fuzzed inputs", columns, [*rows, _total(every.values())], note)


def _total(every: Iterable[Figures]) -> tuple[Any, ...]:
    """Return the last row: sums and maxima; edges of targets are partly the same ones."""
    columns = zip(*(one.cells().values() for one in every), strict=True)
    inputs, refused, slowest, memory, _, failed = columns
    return "all", sum(inputs), sum(refused), max(slowest), max(memory), None, sum(failed)


def warm_up(targets: Iterable[Target]) -> None:
    """Call targets once, so that children need not import and read what this process has."""
    from lab.fuzz.oracle import Wrong, judge

    with tempfile.TemporaryDirectory(prefix="fuzz-") as work, chdir(work):
        for target in targets:
            with suppress(Wrong), redirect_stderr(io.StringIO()):
                judge(target.check, target.seeds[0])


def drive(target: Target, limits: Limits, work: Path) -> Figures:
    """Run a target in a child, and return what it has shown; `work` is an empty folder."""
    seeds = work / "seeds"
    seeds.mkdir(parents=True)
    for number, seed in enumerate(target.seeds):
        (seeds / str(number)).write_bytes(seed)
    sys.stdout.flush()
    child = os.fork()
    if not child:
        _become(target, limits, work)
    _, status = os.waitpid(child, 0)
    log = (work / "log").read_text("utf-8", "replace")
    written = work / "figures.json"
    figures = Figures(**json.loads(written.read_text())) if written.exists() else Figures()
    if status:
        ends = log.splitlines()[-3:]
        files = [str(path) for path in Path(limits.folder).glob(f"{target.name}-hard-*")]
        what = f"the process ended, status {status}: {'; '.join(ends)}"
        figures.faults[what] = max(files, default=str(work / "log"))
    figures.edges = max(map(int, _COVERAGE.findall(log)), default=0)
    return figures


def _become(target: Target, limits: Limits, work: Path) -> None:
    """Run a target in this process, and end the process."""
    import atheris

    files = work / "files"
    files.mkdir()
    os.chdir(files)
    log = os.open(work / "log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        # Workers and PDFium must not outlive it.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        atheris.Setup(_options(target, limits, work), _tried(target, limits, work))
        atheris.Fuzz()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


def _options(target: Target, limits: Limits, work: Path) -> list[str]:
    """Return the command line of libFuzzer."""
    words = work / "words"
    # It takes no empty file.
    words.write_text("".join(f'"{_spelled(word)}"\n' for word in target.words or (b"\0",)))
    found = work / "found"
    kept = Path(limits.corpus or found) / target.name
    kept.mkdir(parents=True, exist_ok=True)
    return [
        "fuzz",
        f"-max_len={target.most}",
        f"-seed={limits.seed}",
        f"-dict={words}",
        f"-timeout={_HANGS}",
        f"-rss_limit_mb={_MEGABYTES}",
        f"-artifact_prefix={Path(limits.folder) / target.name}-hard-",
        str(kept),
        str(work / "seeds"),
    ]


def _spelled(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


def _tried(target: Target, limits: Limits, work: Path) -> Callable[[bytes], None]:
    """Return the function that Atheris calls with each input; it ends the process at the limits."""
    from lab.fuzz.oracle import Wrong, judge

    figures, started = Figures(), time.process_time()

    def tried(data: bytes) -> None:
        figures.inputs += 1
        try:
            verdict = judge(target.check, data)
        except Wrong as wrong:
            _note(figures, target, str(wrong), data, limits)
        else:
            figures.refused += verdict.refused
            figures.slowest = max(figures.slowest, verdict.seconds)
            figures.megabytes = max(figures.megabytes, verdict.megabytes)
        spent = time.process_time() - started
        late = limits.seconds is not None and spent > limits.seconds
        if late or figures.inputs == limits.runs or len(figures.faults) == _FAULTS:
            (work / "figures.json").write_text(json.dumps(asdict(figures)))
            sys.stderr.flush()
            os._exit(0)

    return tried


def _note(figures: Figures, target: Target, what: str, data: bytes, limits: Limits) -> None:
    """Write the input of a fault that is new."""
    # What follows differs from input to input.
    kind = what.partition(": ")[0]
    if kind not in {known.partition(": ")[0] for known in figures.faults}:
        name = f"{target.name}-{hashlib.sha256(data).hexdigest()[:12]}"
        path = Path(limits.folder) / name
        path.write_bytes(data)
        figures.faults[what] = str(path)
