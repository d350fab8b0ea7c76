"""A few commands at the same time; `python -m lab break concurrency` tries them all."""

from pathlib import Path

from lab.breaking.concurrency import Orders, run
from lab.breaking.judging import State
from lab.trial import Trial


def test_two_writers_and_readers_beside_a_writer(tmp_path: Path) -> None:
    trial = Trial(tmp_path, "small")
    writers, readers = run(trial)
    assert trial.failures == []
    for table, least in ((writers, 5), (readers, 7)):
        name, tried, *_ = table.rows[-1]
        assert name == "all"
        assert isinstance(tried, int)
        assert tried > least


def test_a_lost_update_is_noticed() -> None:
    first, second, both = (State({"seen": what}) for what in ("first", "second", "both"))
    orders = Orders(("seen",), (first, second), (both, both), (0, 0))
    assert not orders.differs(both, [True, True])
    assert orders.differs(first, [True, True])
    assert not orders.differs(first, [True, False])
    assert orders.differs(first, [False, True])
    assert orders.differs(both, [True, False])
