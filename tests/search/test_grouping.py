"""Groups found without checking all pairs, compared with all pairs in plain Python."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lab.oracles import groups
from simdup.kernels.groups import PairBounds
from simdup.search.arrays import distinct
from simdup.search.grouping import (
    LOOK,
    Budget,
    Forest,
    Known,
    Lists,
    Test,
    connect,
    first_partners,
    possible_pairs,
    stars,
)

Pairs = set[tuple[int, int]]


class Graph(NamedTuple):
    """Rows in lists, which pairs pass the check, and which of these belong together."""

    n: int
    lists: Lists
    check: Test
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


def check_of(pairs: Pairs, n: int) -> Test:
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

    known = Known(n)
    return lambda i, j: known.of(i, j, look) == 5


def connected(lists: Lists, n: int, check: Test, budget: Budget) -> NDArray[np.int64]:
    return connect(lists, PairBounds(n, 0, 0), np.arange(n), check, budget)


@given(graphs())
def test_connected_rows(graph: Graph) -> None:
    roots = connected(graph.lists, graph.n, graph.check, Budget(1e12))
    assert roots.tolist() == groups.joined(graph.pairs, graph.n)


@given(graphs(), st.integers(0, 40))
def test_lists_of_the_pairs_that_are_possible(graph: Graph, most: int) -> None:
    def possible(i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.bool_]:
        assert (j < i).all()
        return (i + j) % 3 > 0

    every: list[Pairs] = [set()]
    for one in np.unique(graph.lists.lists):
        rows = graph.lists.rows[graph.lists.lists == one].tolist()
        every.append(set(combinations(rows, 2)))
    kinds = graph.lists.kinds
    pairs = [(i, j) for i, j in set().union(*every) if kinds is None or kinds[i] != kinds[j]]
    assert graph.lists.count_pairs() >= len(pairs) >= len(graph.pairs)
    expected = sorted((i, j) for i, j in pairs if (i + j) % 3)
    lists = possible_pairs(graph.lists, PairBounds(graph.n, 0, 0), possible, most)
    assert (lists is graph.lists) == (len(expected) > most)
    if lists is not graph.lists:
        assert sorted(map(tuple, lists.rows.reshape(-1, 2).tolist())) == expected


@given(graphs())
def test_lists_have_rows_of_several_kinds(graph: Graph) -> None:
    kinds = np.arange(graph.n) if graph.lists.kinds is None else graph.lists.kinds
    for one in np.unique(graph.lists.lists):
        assert len(np.unique(kinds[graph.lists.rows[graph.lists.lists == one]])) > 1


@given(st.lists(st.lists(st.integers(1, 9), max_size=6), max_size=6), st.integers(0, 60))
def test_a_budget_is_spent_until_a_cost_does_not_fit(costs: list[list[int]], left: int) -> None:
    budget, unchecked = Budget(left), 0
    for some in costs:
        expected = 0
        while expected < len(some) and some[expected] <= left:
            left -= some[expected]
            expected += 1
        if expected < len(some):
            left, unchecked = 0, unchecked + len(some) - expected
        assert budget.afford(np.array(some, np.int64)) == expected
    assert (budget.left, budget.unchecked) == (left, unchecked)


@given(st.integers(1, 40), st.data())
def test_a_forest_does_not_depend_on_the_order_of_pairs(n: int, data: st.DataObject) -> None:
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    pairs = data.draw(st.lists(pair, max_size=60))
    forest = Forest(n)
    cut = data.draw(st.integers(0, len(pairs)))
    for some in (pairs[:cut], pairs[cut:]):
        forest.join(*np.array(some, np.int64).reshape(-1, 2).T)
    assert forest.roots.tolist() == groups.joined(set(pairs), n)


@given(graphs(), st.data())
def test_stars(graph: Graph, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(graph.n)))[data.draw(st.integers(0, graph.n - 1)) :]
    pairs = {pair for pair in graph.pairs if set(pair) <= set(order)}
    bounds = PairBounds(graph.n, 0, 0)
    found = stars(graph.lists, bounds, np.array(order), graph.check, Budget(1e12))
    centres = groups.stars([*pairs, *((j, i) for i, j in pairs)], order)
    assert found.tolist() == [centres.get(row, -1) for row in range(graph.n)]


@given(graphs(), st.data())
def test_first_partners(graph: Graph, data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.sampled_from(range(graph.n)), unique=True).map(sorted))
    parts = None
    if data.draw(st.booleans()):
        part = st.integers(-1, 2)
        parts = np.array(data.draw(st.lists(part, min_size=graph.n, max_size=graph.n)), np.int64)
    rows, bounds = np.array(wanted, np.int64), PairBounds(graph.n, 0, 0)
    found = first_partners(graph.lists, bounds, rows, graph.check, Budget(1e12), parts)

    part_of = None if parts is None else parts.tolist()
    expected = [groups.first_partner(graph.pairs, row, part_of) for row in wanted]
    assert found.tolist() == expected


def test_a_family_costs_as_much_as_it_has_members() -> None:
    looked: list[int] = []

    def count(i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.bool_]:
        looked.append(len(i))
        return np.ones(len(i), np.bool_)

    n = 50_000
    lists, budget = Lists.of_keys(np.ones((4, n), np.uint64)), Budget(1e12)
    assert not connected(lists, n, count, budget).any()
    assert sum(looked) < 5 * n
    assert 1e12 - budget.left < 50 * LOOK * n


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
            lists = Lists.of_keys(np.ones((1, n), np.uint64)).of_kinds(kinds)
            budget, bounds = Budget(1e12), PairBounds(n, 0, 0)
            assert not (connected(lists, n, look, budget).any() and passing)
            stars(lists, bounds, np.arange(n), look, budget)
            first_partners(lists, bounds, np.flatnonzero(kinds == 0)[:1000], look, budget)
            assert 1e12 - budget.left < 10 * 50 * n * LOOK
        assert sum(visited) < 3 * 10 * 50 * n


@given(graphs(), st.integers(0, 40))
def test_what_a_budget_leaves_is_counted(graph: Graph, visits: int) -> None:
    """Rows that it does not reach stay alone; whoever is joined belongs together."""
    n, whole = graph.n, groups.joined(graph.pairs, graph.n)

    bounds = PairBounds(n, 0, 0)

    def joined(check: Test, budget: Budget) -> NDArray[np.int64]:
        return connected(graph.lists, n, check, budget)

    def starred(check: Test, budget: Budget) -> NDArray[np.int64]:
        return stars(graph.lists, bounds, np.arange(n), check, budget)

    def first(check: Test, budget: Budget) -> NDArray[np.int64]:
        found = first_partners(graph.lists, bounds, np.arange(n), check, budget)
        return np.where(found < 0, np.arange(n), found)

    for join in (joined, starred, first):
        budget = Budget(float(LOOK * visits))
        roots = join(check_of(graph.pairs, n), budget).tolist()
        assert all(whole[row] == whole[root] for row, root in enumerate(roots))
        assert budget.unchecked or roots == join(check_of(graph.pairs, n), Budget(1e12)).tolist()


@given(st.lists(st.integers(0, 50)))
def test_distinct_rows_come_in_order(rows) -> None:
    assert distinct(np.array(rows, np.int64)).tolist() == sorted(set(rows))
