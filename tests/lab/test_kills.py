"""A few kills and interruptions; `python -m lab break kills` makes more than a thousand."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import commands

from lab.breaking.kills import run
from lab.breaking.scenarios import SCENARIOS
from lab.trial import Trial

# Options that let a command write, and commands that write what they are named as an argument.
_WRITING = {"--output", "--removed", "--evidence", "--add", "--update-baseline"}
_NAMED = {"index build", "index add", "index remove"}


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
    trial = Trial(tmp_path, "small")
    (table,) = run(trial)
    assert trial.failures == []
    signals = ("SIGINT", "SIGTERM", "SIGHUP")
    ways = {f"{name} {when}" for name in signals for when in ("at a call", "from the start on")}
    assert {row[0] for row in table.rows} >= ways | {"SIGKILL at a call", "SIGKILL to a worker"}


def test_every_command_that_writes_is_tried() -> None:
    wanted = {(name, "") for name in _NAMED}
    for name, one in commands().items():
        options = {option for parameter in one.params for option in parameter.opts}
        wanted |= {(name, option) for option in options & _WRITING}
    tried = {(one.command, "") for one in SCENARIOS}
    for one in SCENARIOS:
        given = {"--output" if word == "-o" else word for word in one.arguments}
        tried |= {(one.command, option) for option in given & _WRITING}
    assert wanted - tried == set()
