"""Which lines and branches of simdup the suite runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from lab.measuring import CHECKOUT
from lab.reporting import Table
from lab.trial import Trial

# The least share of branches that must run.
LEAST = 0.95

_FIGURES = ("num_statements", "covered_lines", "num_branches", "covered_branches")
_SETTINGS = """
[run]
branch = true
source_pkgs = simdup
data_file = {folder}/data
parallel = true
patch = subprocess, _exit
concurrency = multiprocessing, thread
sigterm = true
[report]
exclude_also =
    if TYPE_CHECKING:
    @overload
    raise NotImplementedError
"""


def run(trial: Trial) -> Iterator[Table]:
    """Run the suite, with its processes, and count."""
    settings, report = trial.folder / "settings", trial.folder / "report.json"
    settings.write_text(_SETTINGS.format(folder=trial.folder), "utf-8")
    tests = trial.pick(["tests/text"], [])
    _coverage(settings, "run", "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider",
              "-p", "no:cov", *tests)  # fmt: skip
    _coverage(settings, "combine", "-q")
    _coverage(settings, "json", "-q", "-o", str(report))
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    for name, covered in json.loads(report.read_text("utf-8"))["files"].items():
        parts = Path(name).parts[Path(name).parts.index("simdup") + 1 :]
        for room in (parts[0] if len(parts) > 1 else "others", "all"):
            rooms[room].update({name: covered["summary"][name] for name in _FIGURES})
    rows = []
    for room in sorted(rooms, key=lambda room: (room == "all", room)):
        lines, run_lines, branches, run_branches = (rooms[room][name] for name in _FIGURES)
        shares = run_lines / max(lines, 1), run_branches / max(branches, 1)
        rows.append((room, lines, shares[0], branches, shares[1]))
    if trial.size != "small" and rows[-1][-1] < LEAST:
        trial.fail(f"{rows[-1][-1]:.3f} of the branches ran, {LEAST} are required")
    yield Table("Lines and branches", ("room", "lines", "run", "branches", "taken"), rows)


def _coverage(settings: Path, action: str, *arguments: str) -> None:
    command = [sys.executable, "-m", "coverage", action, f"--rcfile={settings}", *arguments]
    done = subprocess.run(
        command, cwd=CHECKOUT, env=os.environ | {"PYTHONPATH": str(CHECKOUT)}, stdout=sys.stderr,
        check=False,
    )  # fmt: skip
    if done.returncode and action != "run":
        raise SystemExit(f"coverage {action} ended with {done.returncode}")
