"""Run targets, count what they were given, and try one input again.

Atheris watches what is imported after `instrument`: nothing here imports simdup before.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
import traceback
from collections.abc import Iterable
from contextlib import chdir, redirect_stderr
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.reporting import RESULTS, Table, environment, save

if TYPE_CHECKING:
    from lab.fuzz.driving import Figures, Limits
    from lab.fuzz.target import Target

MISSING = "Atheris is not installed: python -m pip install 'simdup[fuzz]'"


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
    if unknown := [name for name in options.names if name not in targets]:
        print(f"no such target: {', '.join(unknown)}", file=sys.stderr)
        return 2
    if not fuzzing:
        print("\n".join(f"{name:<14} {one.summary}" for name, one in targets.items()))
        return 0
    from lab.fuzz.driving import Limits, warm_up

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
    from lab.fuzz.driving import drive

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
