"""Made-up inputs for everything that reads what others wrote."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.reporting import Table
from campaigns.trying import Trial
from fuzz import watching
from fuzz.driving import Figures

# Of processor time for each target.  The suite runs as long as the variable says.
_FULL, _SMALL, _VARIABLE = 10.0, 0.3, "SIMDUP_FUZZ_SECONDS"
_ROOT = Path(__file__).resolve().parents[1]


def run(trial: Trial) -> Iterator[Table]:
    """Run each target; inputs that go wrong are written to the working folder."""
    if not watching.installed():
        trial.fail(watching.MISSING)
        return
    seconds = trial.pick(float(os.environ.get(_VARIABLE, _SMALL)), _FULL)
    written = trial.folder / "figures.json"
    options = ("--seconds", str(seconds), "--found", os.getcwd(), "--figures", str(written))
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", "--all", *options], cwd=_ROOT, stdout=sys.stderr, check=False
    )
    if not written.exists():
        trial.fail(f"python -m fuzz ended with status {done.returncode}")
        return
    read: dict[str, dict[str, Any]] = json.loads(written.read_text())
    every = {name: Figures(**one) for name, one in read.items()}
    for name, one in every.items():
        for what, path in one.faults.items():
            trial.fail(f"{name}: {what}; again: python -m fuzz {name} {path}")
    yield Table(
        "Fuzzed inputs",
        ("target", *Figures().cells()),
        [*((name, *one.cells().values()) for name, one in every.items()), _total(every.values())],
        f"{seconds:g} s of processor time for each target, with coverage measured.",
    )


def _total(every: Iterable[Figures]) -> tuple[Any, ...]:
    """Return the last row: sums and maxima; edges of targets are partly the same ones."""
    columns = zip(*(one.cells().values() for one in every), strict=True)
    inputs, refused, slowest, memory, _, failed = columns
    return "all", sum(inputs), sum(refused), max(slowest), max(memory), None, sum(failed)
