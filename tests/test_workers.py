"""Worker processes: what ends them is told by the parent, in plain words."""

from collections.abc import Callable

import pytest

from simdup import SimdupError
from simdup.workers import Workers


def refuse(number: int) -> Callable[[int], int]:
    raise SimdupError("worker", "cannot start")


def test_a_worker_that_cannot_start_tells_its_parent(capfd: pytest.CaptureFixture[str]) -> None:
    workers = Workers[int, int](2, refuse)
    try:
        with pytest.raises(SimdupError, match="worker: cannot start"):
            list(workers.map(range(10)))
    finally:
        workers.close()
    assert capfd.readouterr() == ("", "")
