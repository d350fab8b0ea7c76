"""Nothing that reads or searches takes more than linear time, or little more, on hostile input."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from lab.breaking.growth import GROUPS, MOST, Probe, a_doubling, calling, seconds

# Below this, in seconds, the clock and constants decide.
LEAST = 0.004
# Doublings between the two sizes that are measured here; the campaign measures larger ones.
DOUBLINGS = 3


@pytest.fixture(autouse=True, scope="module")
def frozen() -> Iterator[None]:
    """What is imported by now is not looked through before every measurement."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def slow(probe: Probe, folder: Path) -> float:
    """By what factor the processor time grows; what is slow is measured twice."""
    sizes = (max(1, probe.size >> DOUBLINGS + 2), probe.size >> 2)
    works = [probe.make(size, folder) for size in sizes]
    took = [seconds(work, 1) for work in works]
    if a_doubling(took, LEAST, DOUBLINGS) > MOST:
        took = [min(before, seconds(work, 3)) for before, work in zip(took, works, strict=True)]
    return a_doubling(took, LEAST, DOUBLINGS)


def one_shape_each(probes: Sequence[Probe]) -> list[Probe]:
    """A probe of each thing that is measured, by turns with another shape."""
    shapes: dict[str, list[Probe]] = defaultdict(list)
    for probe in probes:
        shapes[probe.name].append(probe)
    return [some[turn % len(some)] for turn, some in enumerate(shapes.values())]


@pytest.mark.parametrize("group", GROUPS)
def test_time_grows_as_the_input_does(tmp_path: Path, group: str) -> None:
    found = {}
    for number, probe in enumerate(one_shape_each(GROUPS[group])):
        folder = tmp_path / str(number)
        folder.mkdir()
        grown = slow(probe, folder)
        if grown > MOST:
            found[f"{probe.name}, {probe.shape}"] = grown
    assert not found


def test_what_is_quadratic_is_noticed(tmp_path: Path) -> None:
    # So large that the smaller one of both sizes takes more than `LEAST`.
    (probe,) = calling(
        "x", lambda n: sum(i < j for i in range(n) for j in range(n)), {"y": (10_000, lambda n: n)}
    )
    assert slow(probe, tmp_path) > MOST
