"""The questions of large groups, and what rules pairs out, compared with plain Python."""

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lab.oracles import groups
from lab.oracles.short_texts import edit_similarity
from simdup.kernels.groups import ALL, FIRST, JOIN, STAR, PairBounds, Walk, odd_sketches
from simdup.model.criteria import Criteria
from simdup.text.bands import edit_signatures

Rows = NDArray[np.int64]
NONE, NO_HASHES = np.zeros(1, np.int64), np.zeros(0, np.uint64)
SETS = st.lists(st.sets(st.integers(0, 40), min_size=1), min_size=2, max_size=8)
SIMILARITIES = st.sampled_from([0.3, 0.5, 0.8, 1.0])


def columns(sets: list[set[int]]) -> tuple[Rows, NDArray[np.uint64]]:
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return starts, np.array([one for each in sets for one in sorted(each)], np.uint64)


def pairs_of(n: int) -> Rows:
    return np.array([*permutations(range(n), 2)], np.int64).reshape(-1, 2).T.copy()


@given(SETS, SIMILARITIES, st.sampled_from([0, 1, 2, 9]))
def test_sketches_never_rule_out_what_is_similar(
    sets: list[set[int]], similarity: float, words: int
) -> None:
    n, (starts, hashes) = len(sets), columns(sets)
    sketches = odd_sketches(starts, hashes, words) if words else np.zeros((n, 0), np.uint64)
    bounds = PairBounds(n, similarity, 0.8)
    bounds.by_sets(sketches, np.diff(starts), NONE, NO_HASHES)
    i, j = pairs_of(n)
    for a, b, good, holds in zip(
        i.tolist(), j.tolist(), bounds.possible(i, j), bounds.possible(i, j, directed=True),
        strict=True,
    ):  # fmt: skip
        shared = len(sets[a] & sets[b])
        similar = shared / len(sets[a] | sets[b]) >= similarity
        assert good or not similar
        assert holds or not similar or shared / len(sets[b]) < 0.8


@given(SETS, SIMILARITIES)
def test_sets_that_are_held_tell_what_is_similar(sets: list[set[int]], similarity: float) -> None:
    n, (starts, hashes) = len(sets), columns(sets)
    bounds = PairBounds(n, similarity, 0)
    bounds.by_sets(odd_sketches(starts, hashes, 2), np.diff(starts), starts, hashes)
    i, j = pairs_of(n)
    expected = [
        len(sets[a] & sets[b]) / len(sets[a] | sets[b]) >= similarity
        for a, b in zip(i.tolist(), j.tolist(), strict=True)
    ]
    assert bounds.possible(i, j).tolist() == expected


def test_sets_of_frequent_and_rare_elements_tell_what_is_similar() -> None:
    chance = np.random.default_rng(4)
    sets = [
        {*chance.choice(60, 40, replace=False).tolist(), *chance.integers(100, 600, 30).tolist()}
        for _ in range(300)
    ]
    starts, hashes = columns(sets)
    bounds = PairBounds(300, 0.26, 0)
    bounds.by_sets(odd_sketches(starts, hashes, 4), np.diff(starts), starts, hashes)
    i, j = np.triu_indices(300, 1)
    share = [
        len(sets[a] & sets[b]) / len(sets[a] | sets[b])
        for a, b in zip(i.tolist(), j.tolist(), strict=True)
    ]
    assert bounds.possible(i, j).tolist() == [one >= 0.26 for one in share]
    assert 0.1 < np.mean(np.array(share) >= 0.26) < 0.9


@given(st.lists(st.text("abc中文", min_size=1, max_size=12), min_size=2, max_size=6), st.data())
def test_forms_never_rule_out_what_is_similar(forms: list[str], data: st.DataObject) -> None:
    n, criteria = len(forms), Criteria(similarity=0.7)
    numbers = np.array([data.draw(st.integers(0, 1)) for _ in forms], np.uint64)
    known = np.array([data.draw(st.booleans()) for _ in forms])
    signatures = edit_signatures(forms, numbers, criteria)
    bounds = PairBounds(n, 0.7, 0)
    letters = np.where(known, signatures.lengths, 0)
    bounds.by_forms(letters, numbers, 6, *signatures.sketches)
    i, j = pairs_of(n)
    for a, b, good in zip(i.tolist(), j.tolist(), bounds.possible(i, j), strict=True):
        if not (0 < letters[a] < 6 or 0 < letters[b] < 6):
            assert good  # another measure decides
        elif not (known[a] and known[b]) or numbers[a] != numbers[b]:
            assert not good
        else:
            assert good or edit_similarity(forms[a], forms[b]) < 0.7


@given(st.data())
def test_who_may_be_taken_in_a_list_is_asked_about_there(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 9))
    lists = data.draw(st.lists(st.sets(st.integers(0, n - 1), min_size=2), min_size=1, max_size=4))
    order = data.draw(st.permutations(range(n)))
    ranks = np.empty(n, np.int64)
    ranks[order] = np.arange(n)
    entries = [
        (number, row, data.draw(st.booleans()))
        for number, one in enumerate(lists)
        for row in sorted(one, key=lambda row: ranks[row])
    ]
    takes = {
        (i, j)
        for number, j, takeable in entries
        for other, i, _ in entries
        if takeable and number == other and ranks[i] < ranks[j]
    }
    takes -= set(data.draw(st.lists(st.sampled_from(sorted(takes))))) if takes else set()
    number, rows, takeable = map(np.array, zip(*entries, strict=True))
    walk = Walk(
        STAR, number, rows, PairBounds(n, 0, 0), np.array(order), ranks=ranks, takeable=takeable
    )
    asked: list[tuple[int, int]] = []
    while True:
        j, i = walk.questions(1000)
        if not len(j):
            break
        found = [*zip(i.tolist(), j.tolist(), strict=True)]
        asked += found
        walk.answer(np.array([pair in takes for pair in found]))
    assert len(set(asked)) == len(asked)
    assert walk.left == 0
    centres = groups.stars(takes, order)
    taken = walk.found.tolist()
    assert [order[one] if one < n else row for row, one in enumerate(taken)] == [
        centres[row] for row in range(n)
    ]


@pytest.mark.parametrize("way", [ALL, JOIN, STAR, FIRST])
def test_a_walk_that_stops_early_says_how_much_is_left(way: int) -> None:
    n = 50
    rows = np.arange(n)
    walk = Walk(way, np.zeros(n, np.int64), rows, PairBounds(n, 0, 0), rows)
    assert walk.left >= n * (n - 1) // 2
    left = walk.left
    while True:
        i, _ = walk.questions(7)
        if not len(i):
            break
        walk.answer(np.zeros(len(i), np.bool_))
        assert walk.left <= left
        left = walk.left
    assert left == 0
    assert walk.visits >= n * (n - 1) // 2


def test_sets_of_a_walk_may_be_joined_before() -> None:
    rows = np.arange(4)
    roots = np.array([0, 0, 2, 2])
    walk = Walk(JOIN, np.zeros(4, np.int64), rows, PairBounds(4, 0, 0), rows, roots=roots)
    i, j = walk.questions(100)
    assert {tuple(sorted(pair)) for pair in zip(i.tolist(), j.tolist(), strict=True)} <= {
        pair for pair in combinations(range(4), 2) if roots[pair[0]] != roots[pair[1]]
    }
    walk.answer(np.ones(len(i), np.bool_))
    assert walk.roots.tolist() == [0, 0, 0, 0]


def walk(**columns: NDArray[np.generic]) -> Walk:
    rows = np.arange(2)
    given = {"lists": np.zeros(2, np.int64), "rows": rows, "bounds": PairBounds(2, 0, 0)}
    return Walk(JOIN, **given | {"asking": rows} | columns)  # type: ignore[arg-type]


ONE, TWO = np.zeros(1, np.int64), np.array([0, 1])
SKETCH = np.zeros((2, 1), np.uint64)


@pytest.mark.parametrize(
    "call",
    [
        lambda: walk(rows=TWO + 1),
        lambda: walk(rows=TWO - 1),
        lambda: walk(rows=TWO[::-1].copy()),
        lambda: walk(rows=ONE),
        lambda: walk(lists=TWO[::-1].copy()),
        lambda: walk(asking=TWO + 1),
        lambda: walk(asking=TWO * 0),
        lambda: walk(rest=TWO),
        lambda: walk(kinds=ONE),
        lambda: walk(parts=ONE),
        lambda: walk(takeable=ONE.astype(np.bool_)),
        lambda: walk(ranks=ONE),
        lambda: walk(ranks=TWO[::-1].copy()),
        lambda: walk(roots=TWO[::-1].copy()),
        lambda: walk().answer(np.ones(1, np.bool_)),
        lambda: PairBounds(2, 0, 0).possible(TWO, TWO + 1),
        lambda: PairBounds(2, 0, 0).possible(TWO, TWO - 1),
        lambda: PairBounds(2, 0, 0).possible(TWO, ONE),
        lambda: PairBounds(2, 0, 0).by_sets(SKETCH[:1], TWO, NONE, NO_HASHES),
        lambda: PairBounds(2, 0, 0).by_sets(SKETCH, ONE, NONE, NO_HASHES),
        lambda: PairBounds(2, 0, 0).by_sets(SKETCH, TWO, TWO, NO_HASHES),
        lambda: PairBounds(2, 0, 0).by_sets(SKETCH, TWO, np.array([0, 1, 2]), NO_HASHES),
        lambda: PairBounds(2, 0, 0).by_forms(ONE, SKETCH[:, 0].copy(), 5, SKETCH, SKETCH),
        lambda: PairBounds(2, 0, 0).by_forms(TWO, SKETCH[:, 0].copy(), 5, SKETCH[:1], SKETCH),
        lambda: odd_sketches(TWO, NO_HASHES, 1),
        lambda: odd_sketches(NONE, NO_HASHES, 0),
    ],
)
def test_arrays_that_do_not_fit_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="fit"):
        call()
