"""A few kills and interruptions; `python -m campaigns kills` makes more than a thousand."""

from pathlib import Path

import pytest

from campaigns.kills import run
from campaigns.running import build_library
from campaigns.trying import Trial


def test_what_is_killed_leaves_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    if build_library(tmp_path) is None:
        pytest.skip("no C compiler, or no LD_PRELOAD: nothing can be killed at a call")
    trial = Trial(tmp_path, "small")
    (table,) = run(trial)
    assert trial.failures == []
    tried = {row[0]: row[1] for row in table.rows}
    for how in ("SIGKILL at a call", "SIGINT at a call", "SIGKILL to a worker",
                "SIGTERM from the start on"):  # fmt: skip
        assert tried[how], how
