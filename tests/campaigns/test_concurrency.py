"""A few commands at the same time; `python -m campaigns concurrency` tries them all."""

from pathlib import Path

from campaigns.concurrency import run
from campaigns.trying import Trial


def test_two_writers_and_readers_beside_a_writer(tmp_path: Path) -> None:
    trial = Trial(tmp_path, "small")
    writers, readers = run(trial)
    assert trial.failures == []
    for table, least in ((writers, 5), (readers, 7)):
        name, tried, *_ = table.rows[-1]
        assert name == "all"
        assert isinstance(tried, int)
        assert tried > least
