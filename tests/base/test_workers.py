"""Worker processes: what ends them is told by the parent, in plain words."""

import multiprocessing
import signal
from collections.abc import Callable

import pytest

from simdup import SimdupError
from simdup.base.workers import Workers


def refuse(number: int) -> Callable[[int], int]:
    raise SimdupError("worker", "cannot start")


def deaf(number: int) -> Callable[[str], int]:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return len


def test_workers_end_even_if_a_signal_is_lost() -> None:
    workers = Workers[str, int](2, deaf)
    assert list(workers.map(["a", "bc"])) == [1, 2]
    workers.close()
    assert multiprocessing.active_children() == []


def test_a_worker_that_cannot_start_tells_its_parent(capfd: pytest.CaptureFixture[str]) -> None:
    workers = Workers[int, int](2, refuse)
    try:
        with pytest.raises(SimdupError, match="worker: cannot start"):
            list(workers.map(range(10)))
    finally:
        workers.close()
    assert capfd.readouterr() == ("", "")


class Unreadable:
    """What can be sent to a worker, and not be received."""

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return int, ("none",)


def test_the_reason_why_a_task_cannot_be_received_is_its_answer() -> None:
    workers = Workers[Unreadable, int](2, deaf)  # type: ignore[arg-type]
    try:
        with pytest.raises(ValueError, match="invalid literal"):
            list(workers.map([Unreadable()]))
    finally:
        workers.close()
