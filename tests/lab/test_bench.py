"""The benchmarks can be listed and run; their results are not tested."""

import json
import subprocess
import sys
from pathlib import Path

from support import ROOT, environment

from lab.__main__ import BENCHMARKS


def benchmarks(*arguments: str | Path, **changes: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "lab", "bench", *arguments],
        cwd=ROOT, env=environment(**changes), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_without_a_name_they_are_listed() -> None:
    lines = benchmarks().splitlines()
    names = [line.split()[0] for line in lines]
    assert names == [*BENCHMARKS]
    assert all(line.endswith(".") for line in lines)


def test_a_small_one_prints_tables_and_writes_figures(tmp_path: Path) -> None:
    printed = benchmarks("--small", "search", "--results", tmp_path)
    assert "### All pairs within distance 3" in printed
    result = json.loads((tmp_path / "search.json").read_text("utf-8"))
    assert (result["benchmark"], result["size"]) == ("search", "small")
    assert {"Python", "simdup", "numpy"} <= set(result["versions"])
    assert all(row["ratio"] > 0 for row in result["tables"][0]["rows"])


def test_without_the_real_texts_one_is_skipped_with_the_reason(tmp_path: Path) -> None:
    printed = benchmarks("accuracy", SIMDUP_DATA=str(tmp_path / "missing"))
    assert "accuracy: skipped: no real texts in" in printed
