"""Equal runs, their chains, and common symbols of stretches: arrays that do not fit each other.

What they find is compared with plain Python in `tests/reuse/test_finding.py`.
"""

from collections.abc import Callable

import numpy as np
import pytest

from simdup.kernels.passages import chains, common_lengths, equal_runs, in_step_again

SYMBOLS = np.array([1, 2, 3, 9, 1, 2, 3, 8], np.uint32)


def seeds(*pairs: tuple[int, int]) -> np.ndarray:
    return np.array([(b - a) << 32 | a for a, b in pairs], np.uint64)


def test_seeds_of_one_run_make_one_run() -> None:
    runs = equal_runs(SYMBOLS, seeds((0, 4), (1, 5), (2, 6)), 1)
    assert [column.tolist() for column in runs] == [[0], [4], [3]]
    assert not len(equal_runs(SYMBOLS, seeds((0, 4), (3, 7)), 4)[0])


def chain(a: list[int], pairs: list[int], runs: int = 2) -> object:
    ones = np.ones(runs, np.int64)
    return chains(np.array(a, np.int64), ones, ones, np.array(pairs, np.int64), 3, 1)


def span(first: int, last: int) -> np.ndarray:
    return np.array([[first, last]], np.int64)


def step(a: int, most: int, way: int = 1, places: int = 1) -> object:
    one = np.zeros(1, np.int64)
    ends = np.full(1, a), np.zeros(places, np.int64)
    return in_step_again(SYMBOLS, *ends, one + most, one, 1, way)


@pytest.mark.parametrize(
    "call",
    [
        lambda: equal_runs(SYMBOLS, seeds((0, 8)), 1),
        lambda: equal_runs(SYMBOLS, np.array([2**64 - 1], np.uint64), 1),
        lambda: equal_runs(SYMBOLS, seeds((1, 5), (0, 4)), 1),
        lambda: chain([2, 1], [0, 0]),
        lambda: chain([1, 2], [1, 0]),
        lambda: chain([1], [0]),
        lambda: chain([1, 2], [0, 0], runs=1),
        lambda: common_lengths(SYMBOLS, span(0, 9), span(0, 1)),
        lambda: common_lengths(SYMBOLS, span(-1, 2), span(0, 1)),
        lambda: common_lengths(SYMBOLS, span(0, 1), span(0, 9)),
        lambda: common_lengths(SYMBOLS, span(0, 1), np.zeros((1, 3), np.int64)),
        lambda: common_lengths(SYMBOLS, span(0, 1), np.zeros((2, 2), np.int64)),
        lambda: step(9, 1),
        lambda: step(-1, 1),
        lambda: step(1, -1),
        lambda: step(1, 1, way=0),
        lambda: step(1, 1, places=2),
    ],
)
def test_arrays_that_do_not_fit_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="fit"):
        call()
