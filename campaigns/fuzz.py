"""Made-up inputs for everything that reads what others wrote."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.reporting import Table
from campaigns.trying import Trial
from fuzz import watching

# Of processor time for each target.  The suite runs as long as the variable says.
_FULL, _SMALL, _VARIABLE = 10.0, 0.3, "SIMDUP_FUZZ_SECONDS"
_ROOT = Path(__file__).resolve().parents[1]
_COLUMNS = (
    "target", "inputs", "refused", "slowest call s", "most memory of a call MB", "edges reached",
    "failed",
)  # fmt: skip


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
    every: dict[str, dict[str, Any]] = json.loads(written.read_text())
    for name, one in every.items():
        for what, path in one["faults"].items():
            trial.fail(f"{name}: {what}; again: python -m fuzz {name} {path}")
    yield Table(
        "Fuzzed inputs",
        _COLUMNS,
        [*(_row(name, one) for name, one in every.items()), _total(list(every.values()))],
        f"{seconds:g} s of processor time for each target, with coverage measured.",
    )


def _row(name: str, one: dict[str, Any]) -> tuple[Any, ...]:
    slowest, memory = round(one["slowest"], 3), round(one["megabytes"])
    figures = one["inputs"], one["refused"], slowest, memory, one["edges"]
    return name, *figures, len(one["faults"])


def _total(every: list[dict[str, Any]]) -> tuple[Any, ...]:
    inputs, refused = (sum(one[key] for one in every) for key in ("inputs", "refused"))
    slowest, memory = (max(one[key] for one in every) for key in ("slowest", "megabytes"))
    slowest, memory = round(slowest, 3), round(memory)
    return "all", inputs, refused, slowest, memory, None, sum(len(one["faults"]) for one in every)
