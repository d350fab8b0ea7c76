"""Compare the algorithms with slow definitions, on four times the examples of the suite."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from lab.breaking.counting import ALL_PAIRS, PAIRS, VALUES
from lab.reporting import Table
from lab.trial import Trial

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 4


def run(trial: Trial) -> Iterator[Table]:
    """Run all tests that use an oracle or hypothesis."""
    tests = trial.pick(["tests/lsh", "tests/search/test_queries.py"], _tests())
    counted, said = trial.folder / "counts", trial.folder / "said"
    variables = {"SIMDUP_ROUNDS": str(trial.pick(1, ROUNDS)), "SIMDUP_COUNTS": str(counted)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider",
               "-p", "lab.breaking.counting", "-m", "not spark", "--hypothesis-show-statistics",
               *tests]  # fmt: skip
    with said.open("w") as out:
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | variables, stdout=out, check=False
        )
    lines = said.read_text("utf-8")
    if done.returncode:
        told = [line for line in lines.splitlines() if line.startswith(("FAILED", "ERROR"))]
        for what in told or [f"pytest ended with {done.returncode}: {lines.splitlines()[-1]}"]:
            trial.fail(what)
    counts = json.loads(counted.read_text("utf-8"))
    examples = sum(map(int, re.findall(r"- (\d+) passing", lines)))
    passed = sum(map(int, re.findall(r"^(\d+) passed", lines, re.MULTILINE)))
    yield Table("Tests", ("tests", "examples of hypothesis"), [(passed, examples)])
    pairs = {*PAIRS.values(), *ALL_PAIRS.values()}
    rows = [(name, counts[name]) for name in sorted(pairs) if name in counts]
    rows.append(("all", sum(count for _, count in rows)))
    yield Table("Pairs compared with an oracle", ("by", "pairs"), rows)
    values = [(name, counts[name]) for name in sorted({*VALUES.values()}) if name in counts]
    yield Table("Values compared with an oracle", ("what", "values"), values)


def _tests() -> list[str]:
    """Return the files of tests that use an oracle or hypothesis."""
    using = re.compile(r"^(from|import) (oracles|hypothesis)\b", re.MULTILINE)
    found = (ROOT / "tests").rglob("test_*.py")
    return sorted(str(path) for path in found if using.search(path.read_text("utf-8")))
