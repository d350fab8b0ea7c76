"""Faults in a few commands; `python -m lab break faults` strikes every call of all of them."""

from pathlib import Path

from support import commands

from lab.breaking.faults import run
from lab.breaking.scenarios import SCENARIOS
from lab.trial import Trial

# Options that let a command write, beside `--output`.
_WRITING = {"--removed", "--evidence", "--add", "--update-baseline"}
# Commands that write what they are named as an argument.
_NAMED = {"index build", "index add", "index remove"}


def test_after_a_fault_there_is_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    trial = Trial(tmp_path, "small")
    by_fault, _ = run(trial)
    assert trial.failures == []
    name, tried, *_ = by_fault.rows[-1]
    assert name == "all"
    assert isinstance(tried, int)
    assert tried > 15


def test_every_command_that_writes_is_tried() -> None:
    wanted, tried = set(), set()
    for name, one in commands().items():
        options = {o for parameter in one.params for o in parameter.opts} & {"--output", *_WRITING}
        wanted |= {(name, option) for option in options}
    wanted |= {(name, "") for name in _NAMED}
    for scenario in SCENARIOS:
        given = {"--output" if word == "-o" else word for word in scenario.arguments}
        tried |= {(scenario.command, option) for option in given & {"--output", *_WRITING}}
        tried |= {(scenario.command, "")}
    assert wanted - tried == set()
