"""A few kills and interruptions; `python -m lab break kills` makes more than a thousand."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.breaking.kills import run
from lab.breaking.running import build_library
from lab.trial import Trial


@pytest.fixture
def nohup() -> Iterator[None]:
    """Ignore signals, as under nohup: they must reach the commands all the same."""
    ignored = (signal.SIGINT, signal.SIGHUP)
    before = [signal.signal(number, signal.SIG_IGN) for number in ignored]
    yield
    for number, handler in zip(ignored, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("nohup")
def test_what_is_killed_leaves_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    if build_library(tmp_path) is None:
        pytest.skip("no C compiler, or no LD_PRELOAD: nothing can be killed at a call")
    trial = Trial(tmp_path, "small")
    (table,) = run(trial)
    assert trial.failures == []
    signals = ("SIGINT", "SIGTERM", "SIGHUP")
    ways = {f"{name} {when}" for name in signals for when in ("at a call", "from the start on")}
    assert {row[0] for row in table.rows} >= ways | {"SIGKILL at a call", "SIGKILL to a worker"}
