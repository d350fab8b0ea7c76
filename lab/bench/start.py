"""Start-up: how long users wait for programs that have little to do."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator

from lab import measuring
from lab.measuring import CHECKOUT, SIMDUP, in_turn, ratio
from lab.reporting import Table
from lab.trial import Trial

NOTICES = CHECKOUT / "examples" / "corpus" / "notices"


def run(trial: Trial) -> Iterator[Table]:
    """Compare the time of each program with one that does nothing."""
    paths = [str(NOTICES / f"宿舍管理规定-{year}.txt") for year in (2021, 2022)]
    commands = {
        "an empty program": [sys.executable, "-c", "pass"],
        "import simdup": [sys.executable, "-c", "import simdup"],
        "simdup --help": [*SIMDUP, "--help"],
        "simdup compare of two notices": [*SIMDUP, "compare", *paths],
    }
    works = [
        lambda command=command: measuring.run(command, statuses=(0, 1)).seconds
        for command in commands.values()
    ]
    taken = in_turn(7 * trial.rounds, *works)
    empty = taken[0]
    rows = [
        (
            name,
            statistics.median(seconds) * 1e3,
            statistics.median(a - b for a, b in zip(seconds, empty, strict=True)) * 1e3,
            ratio(seconds, empty),
        )
        for name, seconds in zip(commands, taken, strict=True)
    ]
    yield Table("Start-up", ("program", "ms", "ms above empty", "ratio to empty"), rows)
