"""Prefixes: no pair of sets above the similarity is missed."""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support import examples

from simdup.base.mix64 import mix64
from simdup.kernels.leaders import LISTED, Leaders, PairBounds
from simdup.search.arrays import count_equal
from simdup.search.grouping import Lists, Prefixes

Sets = list[set[int]]

SIMILARITIES = [0.1, 0.3, 0.5, 0.8, 0.9, 0.97, 1.0]


@st.composite
def families(draw: st.DrawFn) -> Sets:
    """Sets that share much or little, with rare and common elements: halves of hashes."""
    every = (mix64(np.arange(1, 60, dtype=np.uint64)) >> np.uint64(32)).tolist()
    common = set(draw(st.lists(st.sampled_from(every))))
    changes = st.sets(st.sampled_from(every), max_size=8)
    alone = st.sets(st.integers(1, 2**32 - 1), max_size=3)
    one = st.tuples(st.booleans(), changes, alone)
    return [
        ((common if near else set()) ^ changed | own) or {1}
        for near, changed, own in draw(st.lists(one, min_size=1, max_size=14))
    ]


def columns(sets: Sets, rows: Iterable[int]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    some = [sorted(sets[row]) for row in rows]
    starts = np.cumsum([0, *map(len, some)], dtype=np.int64)
    return starts, np.array([one for each in some for one in each], np.uint64)


def similar(sets: Sets, least: float) -> set[tuple[int, int]]:
    return {
        (i, j)
        for i, j in combinations(range(len(sets)), 2)
        if len(sets[i] & sets[j]) / len(sets[i] | sets[j]) >= least
    }


def meeting(lists: Lists, sets: Sets, least: float) -> set[tuple[int, int]]:
    """Return which pairs share a list, and are not ruled out by what is left of them there."""
    n, (starts, hashes) = len(sets), columns(sets, range(len(sets)))
    bounds, nothing = PairBounds(n, least, 0), np.zeros((n, 0), np.uint64)
    # All elements have an equal half, so only sizes rule out pairs.
    same = np.zeros(len(hashes), np.uint32)
    bounds.by_sets(nothing, starts, same, same.copy())
    leaders = Leaders(
        bounds, np.zeros((n, 0), np.int64), np.zeros((n, 0), np.uint8), 0, nothing, 0,
        np.zeros(n, np.bool_),
    )  # fmt: skip
    leaders.use(lists.lists, lists.rows, np.full(lists.count, LISTED, np.uint8), lists.rest)
    found: set[tuple[int, int]] = set()
    while not leaders.done:
        i, j = leaders.questions(1 << 40)
        found |= set(zip(i.tolist(), j.tolist(), strict=True))
        leaders.answer(np.zeros(len(i), np.uint8))
    return found


def prefix_lists(sets: Sets, least: float, cut: int = 0) -> Lists:
    """Return the lists, of sets that come in two parts."""
    prefixes, every = Prefixes(len(sets), sum(map(len, sets)), least), np.arange(len(sets))
    for add in (prefixes.count, prefixes.add):
        for rows in (every[:cut], every[cut:]):
            add(rows, *columns(sets, rows))
    return prefixes.lists()


@pytest.mark.parametrize("least", SIMILARITIES)
@examples(12)
@given(sets=families(), cut=st.integers(0, 5))
def test_similar_sets_meet_in_prefixes(least: float, sets: Sets, cut: int) -> None:
    assert similar(sets, least) <= meeting(prefix_lists(sets, least, cut), sets, least)


@given(st.integers(1, 300), st.integers(0, 50), st.integers(0, 2**32 - 1))
def test_equal_bytes_are_counted(width: int, pairs: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    rows = chance.integers(0, 2, (9, width)).astype(np.uint8)
    i, j = chance.integers(0, 9, (2, pairs))
    expected = [sum(x == y for x, y in zip(rows[a], rows[b], strict=True))
                for a, b in zip(i, j, strict=True)]  # fmt: skip
    assert count_equal(rows, i, rows, j).tolist() == expected


def test_prefixes_leave_nothing_of_sets_that_share_too_much_of_the_same() -> None:
    sets = [set(range(1, 101)) | set(range(1000 * i + 200, 1000 * i + 220)) for i in range(40)]
    assert not meeting(prefix_lists(sets, 0.8), sets, 0.8)


def test_elements_that_always_occur_together_make_one_list() -> None:
    pages = [set(range(1, 101)) | {1000 + i} for i in range(40)]
    lists = prefix_lists(pages, 0.8)
    assert len(meeting(lists, pages, 0.8)) == 40 * 39 // 2
    assert lists.count == 1
