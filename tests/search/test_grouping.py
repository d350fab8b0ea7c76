"""Groups found without checking all pairs, compared with all pairs in plain Python."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from simdup.search.arrays import distinct
from simdup.search.forest import Forest
from simdup.search.grouping import (
    LOOK,
    Budget,
    Check,
    Known,
    PairSet,
    connect,
    first_partners,
    stars,
)
from simdup.search.lists import Lists

Pairs = set[tuple[int, int]]


class Graph(NamedTuple):
    """Rows in lists, which pairs pass the check, and which of these belong together."""

    n: int
    lists: Lists
    check: Check
    pairs: Pairs


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    n, columns = draw(st.integers(1, 30)), draw(st.integers(1, 3))
    row = st.lists(st.integers(0, draw(st.integers(0, 6))), min_size=columns, max_size=columns)
    keys = np.array(draw(st.lists(row, min_size=n, max_size=n)), np.uint64)
    sharing = [(i, j) for i, j in combinations(range(n), 2) if (keys[i] == keys[j]).any()]
    chosen = draw(st.sets(st.sampled_from(sharing))) if sharing else set()
    if draw(st.booleans()):
        chosen = set(sharing) - chosen  # mostly all, or mostly none
    lists, check = Lists.of_keys(keys.T), check_of(chosen, n)
    if draw(st.booleans()):
        return Graph(n, lists, check, chosen)
    # Rows of one kind never belong together, whatever the check says.
    kinds = draw(st.lists(st.integers(0, draw(st.integers(0, 3))), min_size=n, max_size=n))
    kept = {(i, j) for i, j in chosen if kinds[i] != kinds[j]}
    return Graph(n, lists.of_kinds(np.array(kinds, np.int64)), check, kept)


def check_of(pairs: Pairs, n: int) -> Check:
    passes = np.zeros((n, n), np.bool_)
    for i, j in pairs:
        passes[i, j] = passes[j, i] = True
    asked: Pairs = set()

    def look(i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.uint8]:
        pairs = set(zip(i.tolist(), j.tolist(), strict=True))
        assert len(pairs) == len(i)
        assert not pairs & asked
        assert (i < j).all()
        asked.update(pairs)
        return np.where(passes[i, j], np.uint8(5), np.uint8(2))

    known = Known(look, n)
    return Check(lambda i, j: np.ones(len(i), np.bool_), lambda i, j: known(i, j) == 5)


def roots_of(pairs: Pairs, n: int) -> list[int]:
    group = list(range(n))
    for _ in range(n):
        for i, j in pairs:
            group[i] = group[j] = min(group[i], group[j])
    return group


@given(graphs())
def test_connected_rows(graph: Graph) -> None:
    forest = Forest(graph.n)
    connect(graph.lists, forest, graph.check, Budget(1e12))
    assert forest.roots.tolist() == roots_of(graph.pairs, graph.n)


@given(graphs())
def test_pairs_of_lists(graph: Graph) -> None:
    """All of them are found from the tails of lists, and as many are counted."""
    lists, all_rows = graph.lists, np.arange(graph.n)
    visited = list(lists.pairs_between(all_rows, graph.n))
    found = [pair for some in visited for pair in zip(*lists.rows_of(*some), strict=True)]
    assert len(found) == lists.count_pairs()
    joined = {tuple(sorted(map(int, pair))) for pair in found}
    assert joined >= graph.pairs
    assert joined == {
        tuple(sorted(map(int, pair)))
        for some in lists.heads(np.arange(len(lists)), graph.n)
        for pair in zip(*lists.rows_of(*some), strict=True)
    }


@given(graphs(), st.integers(0, 40))
def test_lists_of_the_pairs_that_are_possible(graph: Graph, most: int) -> None:
    def possible(i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.bool_]:
        return (i + j) % 3 > 0

    def pairs_of(lists: Lists) -> list[tuple[int, int]]:
        some = [lists.rows_of(*one) for one in lists.pairs_between(np.arange(graph.n), graph.n)]
        return [(min(i, j), max(i, j)) for one in some for i, j in np.stack(one, 1).tolist()]

    expected = sorted({(i, j) for i, j in pairs_of(graph.lists) if (i + j) % 3})
    lists = graph.lists.of_possible(possible, most)
    assert lists is graph.lists or sorted(pairs_of(lists)) == expected
    assert (lists is graph.lists) <= (len(expected) > most)


@given(st.integers(1, 40), st.data())
def test_a_forest_does_not_depend_on_the_order_of_pairs(n: int, data: st.DataObject) -> None:
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    pairs = data.draw(st.lists(pair, max_size=60))
    forest = Forest(n)
    cut = data.draw(st.integers(0, len(pairs)))
    for some in (pairs[:cut], pairs[cut:]):
        forest.join(*np.array(some, np.int64).reshape(-1, 2).T)
    assert forest.roots.tolist() == roots_of(set(pairs), n)


@given(graphs(), st.randoms(use_true_random=False))
def test_stars(graph: Graph, random: object) -> None:
    n, pairs = graph.n, graph.pairs
    order = list(range(n))
    random.shuffle(order)  # type: ignore[attr-defined]
    found = stars(graph.lists, np.array(order), graph.check, Budget(1e12))
    centres: dict[int, int] = {}
    for row in order:
        if row not in centres:
            centres[row] = row
            for i, j in pairs:
                other = {i: j, j: i}.get(row, row)
                centres.setdefault(other, row)
    assert found.tolist() == [centres[row] for row in range(n)]


@given(graphs(), st.data())
def test_first_partners(graph: Graph, data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.sampled_from(range(graph.n)), unique=True).map(sorted))
    found = first_partners(graph.lists, np.array(wanted, np.int64), graph.check, Budget(1e12))

    def partners(row: int) -> Sequence[int]:
        return [{i: j, j: i}[row] for i, j in graph.pairs if row in (i, j)]

    assert found.tolist() == [min(partners(row), default=-1) for row in wanted]


def test_a_family_costs_as_much_as_it_has_members() -> None:
    looked: list[int] = []

    def count(i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.bool_]:
        looked.append(len(i))
        return np.ones(len(i), np.bool_)

    n = 50_000
    forest = Forest(n)
    lists = Lists.of_keys(np.ones((4, n), np.uint64))
    connect(lists, forest, Check(count, count), Budget(1e12))
    assert not forest.roots.any()
    assert sum(looked) < 5 * n


def test_rows_of_one_kind_are_not_visited() -> None:
    """In any order, whether they belong to the rows of another kind or not."""
    n = 8_000
    for passing in (True, False):
        visited: list[int] = []

        def look(
            i: NDArray[np.int64],
            j: NDArray[np.int64],
            passing: bool = passing,
            visited: list[int] = visited,
        ) -> NDArray[np.bool_]:
            visited.append(len(i))
            return np.full(len(i), passing)

        for others in (slice(0, 50), slice(n - 50, n), slice(0, n, n // 50)):
            kinds = np.zeros(n, np.int64)
            kinds[others] = 1
            lists, check = (
                Lists.of_keys(np.ones((1, n), np.uint64)).of_kinds(kinds),
                Check(look, look),
            )
            forest = Forest(n)
            connect(lists, forest, check, Budget(1e12))
            assert not (forest.roots.any() and passing)
            stars(lists, np.arange(n), check, Budget(1e12))
            first_partners(lists, np.flatnonzero(kinds == 0)[:1000], check, Budget(1e12))
        assert sum(visited) < 3 * 10 * 50 * n


def test_a_budget_limits_the_work_and_counts_the_rest() -> None:
    n = 2_000
    forest, budget = Forest(n), Budget(1e6)

    def nobody(i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.zeros(len(i), np.bool_)

    connect(Lists.of_keys(np.ones((1, n), np.uint64)), forest, Check(nobody, nobody), budget)
    assert budget.unchecked > 0
    assert len(np.unique(forest.roots)) == n


@given(graphs(), st.integers(0, 40))
def test_what_a_budget_leaves_is_counted(graph: Graph, visits: int) -> None:
    """Rows that it does not reach stay alone; whoever is joined belongs together."""
    n, whole = graph.n, roots_of(graph.pairs, graph.n)

    def connected(check: Check, budget: Budget) -> NDArray[np.int64]:
        forest = Forest(n)
        connect(graph.lists, forest, check, budget)
        return forest.roots

    def starred(check: Check, budget: Budget) -> NDArray[np.int64]:
        return stars(graph.lists, np.arange(n), check, budget)

    def first(check: Check, budget: Budget) -> NDArray[np.int64]:
        found = first_partners(graph.lists, np.arange(n), check, budget)
        return np.where(found < 0, np.arange(n), found)

    for join in (connected, starred, first):
        budget = Budget(float(LOOK * visits))
        roots = join(check_of(graph.pairs, n), budget).tolist()
        assert all(whole[row] == whole[root] for row, root in enumerate(roots))
        assert budget.unchecked or roots == join(check_of(graph.pairs, n), Budget(1e12)).tolist()


@given(st.integers(1, 40), st.data())
def test_a_set_of_pairs(n: int, data: st.DataObject) -> None:
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    pairs, found = data.draw(st.lists(pair)), PairSet(n)
    found.add(*np.array(pairs, np.int64).reshape(-1, 2).T)
    for row in range(n):
        expected = {j for i, j in pairs if i == row}
        assert np.flatnonzero(found.after(row)).tolist() == sorted(expected)


@given(st.lists(st.integers(0, 50)))
def test_distinct_rows_come_in_order(rows) -> None:
    assert distinct(np.array(rows, np.int64)).tolist() == sorted(set(rows))
