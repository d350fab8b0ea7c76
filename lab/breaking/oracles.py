"""Compare the algorithms with slow definitions, on four times the examples of the suite.

It is also the plugin of pytest that counts comparisons, ``-p lab.breaking.oracles``, and writes the
counts as JSON to the file that the environment variable SIMDUP_COUNTS names.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from lab.measuring import CHECKOUT
from lab.reporting import Table
from lab.trial import Trial

ROUNDS = 4
ORACLES = ("plain", "search", "families", "reuse")
# What they make of one text or one set of terms, by the name of the oracle; others judge pairs.
PAIRS = {
    "jaccard": "similarity", "resemblance": "similarity", "containment": "containment",
    "contained": "containment", "cosine": "cosine", "edit_similarity": "edit similarity",
    "edit_distance": "edit similarity", "lcs": "common words", "equal_runs": "passages",
}  # fmt: skip
# These look at all pairs of the rows that they get first.
ALL_PAIRS = {"oracle": "Hamming distance", "sharing_a_key": "equal band keys"}
VALUES = {
    "simhash": "fingerprints", "fingerprint": "fingerprints", "minhash": "signatures",
    "pstable": "signatures", "weights": "weights", "tfidf": "weights", "fold": "folded texts",
    "words": "words of texts",
}  # fmt: skip


def run(trial: Trial) -> Iterator[Table]:
    """Run all tests that use an oracle or hypothesis."""
    tests = trial.pick(["tests/text", "tests/search/test_queries.py"], _tests())
    counted, printed = trial.folder / "counts", trial.folder / "printed"
    variables = {"SIMDUP_ROUNDS": str(trial.pick(1, ROUNDS)), "SIMDUP_COUNTS": str(counted)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider",
               "-p", "lab.breaking.oracles", "-m", "not spark", "--hypothesis-show-statistics",
               *tests]  # fmt: skip
    with printed.open("w") as out:
        done = subprocess.run(
            command, cwd=CHECKOUT, env=os.environ | variables, stdout=out, check=False
        )
    lines = printed.read_text("utf-8")
    if done.returncode:
        failures = [line for line in lines.splitlines() if line.startswith(("FAILED", "ERROR"))]
        for what in failures or [f"pytest ended with {done.returncode}: {lines.splitlines()[-1]}"]:
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
    using = re.compile(r"^(from|import) (lab\.oracles|hypothesis)\b", re.MULTILINE)
    files = (CHECKOUT / "tests").rglob("test_*.py")
    return sorted(str(path) for path in files if using.search(path.read_text("utf-8")))


# What this process has counted, and how many oracles are running in it.
_counts: Counter[str] = Counter()
_running = [0]


def pytest_configure() -> None:
    """Count the calls of oracles; those that one of them makes itself do not count again."""
    for module in (importlib.import_module(f"lab.oracles.{one}") for one in ORACLES):
        for name in {*PAIRS, *ALL_PAIRS, *VALUES} & {*vars(module)}:
            setattr(module, name, _counted(name, getattr(module, name)))


def _counted(name: str, oracle: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(oracle)
    def call(*values: Any, **named: Any) -> Any:
        if not _running[0]:
            rows = len(values[0]) if name in ALL_PAIRS else 0
            _counts[ALL_PAIRS.get(name) or PAIRS.get(name) or VALUES[name]] += (
                rows * (rows - 1) // 2 if rows else 1
            )
        _running[0] += 1
        try:
            return oracle(*values, **named)
        finally:
            _running[0] -= 1

    return call


def pytest_sessionfinish() -> None:
    """Write the counts."""
    Path(os.environ["SIMDUP_COUNTS"]).write_text(json.dumps(_counts), "utf-8")
