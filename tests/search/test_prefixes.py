"""Prefixes, parts and odd sketches: no pair of sets above the similarity is missed."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support import examples

from simdup.base.mix64 import mix64
from simdup.kernels.groups import ALL, PairBounds, odd_sketches
from simdup.search.arrays import count_equal, hamming_distances
from simdup.search.grouping import Lists, Parts, Prefixes

Sets = list[set[int]]

SIMILARITIES = [0.1, 0.3, 0.5, 0.8, 0.9, 0.97, 1.0]


@st.composite
def families(draw: st.DrawFn) -> Sets:
    """Sets that share much or little, with rare and common elements."""
    every = mix64(np.arange(1, 60, dtype=np.uint64)).tolist()
    common = set(draw(st.lists(st.sampled_from(every))))
    changes = st.sets(st.sampled_from(every), max_size=8)
    alone = st.sets(st.integers(1, 2**64 - 1), max_size=3)
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
    bounds = PairBounds(len(sets), least, 0)
    sizes, nothing = np.array([len(one) for one in sets], np.int64), np.zeros(0, np.uint64)
    bounds.by_sets(np.zeros((len(sets), 0), np.uint64), sizes, np.zeros(1, np.int64), nothing)
    walk = lists.walk(ALL, bounds, np.unique(lists.rows))
    j, i = walk.questions(1 << 40)
    assert not len(walk.questions(1 << 40)[0])
    return set(zip(i.tolist(), j.tolist(), strict=True))


def prefix_lists(sets: Sets, least: float, first: Sequence[int]) -> Lists:
    """Return the lists; later sets add only elements that the first sets have."""
    n = len(sets)
    prefixes = Prefixes(n, sum(map(len, sets)), least)
    every = np.arange(n)
    prefixes.count(every, *columns(sets, every))
    rows = np.array(first, np.int64)
    prefixes.add(rows, *columns(sets, rows))
    prefixes.remember()
    others = np.setdiff1d(every, rows)
    prefixes.add(others, *columns(sets, others), met=True)
    return prefixes.lists()


@pytest.mark.parametrize("least", SIMILARITIES)
@examples(12)
@given(sets=families())
def test_similar_sets_meet_in_prefixes(least: float, sets: Sets) -> None:
    lists = prefix_lists(sets, least, range(len(sets)))
    assert similar(sets, least) <= meeting(lists, sets, least)


@given(families(), st.sampled_from(SIMILARITIES), st.data())
def test_pairs_of_settled_sets_need_not_meet(sets: Sets, least: float, data: st.DataObject) -> None:
    first = data.draw(st.lists(st.sampled_from(range(len(sets))), unique=True).map(sorted))
    wanted = {pair for pair in similar(sets, least) if set(pair) & set(first)}
    assert wanted <= meeting(prefix_lists(sets, least, first), sets, least)


@given(families(), st.sampled_from(SIMILARITIES))
def test_a_set_meets_those_that_may_contain_it(sets: Sets, least: float) -> None:
    every = np.arange(len(sets))
    prefixes = Prefixes(len(sets), sum(map(len, sets)), least)
    prefixes.count(every, *columns(sets, every))
    prefixes.add(every, *columns(sets, every))
    prefixes.remember(drop=True)
    prefixes.add(every, *columns(sets, every), met=True, whole=True)
    lists = prefixes.holder_lists()
    assert lists.takeable is not None
    entries = zip(lists.lists.tolist(), lists.rows.tolist(), lists.takeable.tolist(), strict=True)
    rows, takeable = defaultdict(set), set()
    for one, row, taken in entries:
        rows[one].add(row)
        takeable |= {(one, row)} if taken else set()
    meeting = {(row, other) for one, row in takeable for other in rows[one] - {row}}
    assert meeting >= {
        (i, j)
        for i, j in permutations(range(len(sets)), 2)
        if len(sets[i] & sets[j]) >= least * len(sets[i])
    }


@pytest.mark.parametrize("least", SIMILARITIES)
@examples(12)
@given(sets=families())
def test_similar_sets_meet_in_parts(least: float, sets: Sets) -> None:
    parts = Parts(least, np.array([len(one) for one in sets]))
    rows = np.arange(len(sets))
    cut = len(sets) // 2
    lists = parts.lists((some, columns(sets, some)) for some in (rows[:cut], rows[cut:]))
    assert similar(sets, least) <= meeting(lists, sets, least)


@pytest.mark.parametrize("least", SIMILARITIES)
def test_a_set_meets_the_largest_similar_one_that_contains_it(least: float) -> None:
    for size in range(1, 40):
        whole = set(mix64(np.arange(int(size / least + 1e-9), dtype=np.uint64)).tolist())
        sets = [set(sorted(whole)[:size]), whole]
        parts = Parts(least, np.array([len(one) for one in sets]))
        assert meeting(parts.lists([(np.arange(2), columns(sets, range(2)))]), sets, least)


@given(families(), st.sampled_from([1, 2, 8]))
def test_odd_sketches_never_overrate_a_difference(sets: Sets, words: int) -> None:
    sketches = odd_sketches(*columns(sets, range(len(sets))), words)
    assert sketches.shape == (len(sets), words)
    for i, j in combinations(range(len(sets)), 2):
        (bits,) = hamming_distances(sketches, np.array([i]), sketches, np.array([j])).tolist()
        assert bits <= len(sets[i] ^ sets[j])
        assert bits % 2 == len(sets[i] ^ sets[j]) % 2


@given(st.integers(1, 300), st.integers(0, 50), st.integers(0, 2**32 - 1))
def test_equal_bytes_are_counted(width: int, pairs: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    rows = chance.integers(0, 2, (9, width)).astype(np.uint8)
    i, j = chance.integers(0, 9, (2, pairs))
    expected = [sum(x == y for x, y in zip(rows[a], rows[b], strict=True))
                for a, b in zip(i, j, strict=True)]  # fmt: skip
    assert count_equal(rows, i, rows, j).tolist() == expected


def numbered(n: int) -> Sets:
    """Sets that share a hundred elements and have twenty of their own."""
    return [set(range(1, 101)) | set(range(1000 * i + 200, 1000 * i + 220)) for i in range(n)]


def test_prefixes_leave_nothing_of_sets_that_share_too_much_of_the_same() -> None:
    sets = numbered(40)
    assert not meeting(prefix_lists(sets, 0.8, range(40)), sets, 0.8)


def test_elements_that_always_occur_together_make_one_list() -> None:
    pages = [set(range(1, 101)) | {1000 + i} for i in range(40)]
    lists = prefix_lists(pages, 0.8, range(40))
    assert len(meeting(lists, pages, 0.8)) == 40 * 39 // 2
    assert len(np.unique(lists.lists)) == 1


def test_parts_separate_sets_of_the_same_few_elements() -> None:
    rng = np.random.default_rng(3)
    sets = [set(rng.choice(400, 60, replace=False).tolist()) for _ in range(200)]
    parts = Parts(0.8, np.full(200, 60))
    lists = parts.lists([(np.arange(200), columns(sets, range(200)))])
    assert len(meeting(lists, sets, 0.8)) < 200
