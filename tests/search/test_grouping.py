"""Lists of rows, and disjoint sets of rows, compared with plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lab.oracles import groups
from simdup.search.arrays import distinct
from simdup.search.grouping import Forest, Lists

KEYS = st.lists(st.integers(0, 6), max_size=30)


def rows_of(lists: Lists) -> list[list[int]]:
    """The rows of each list."""
    assert (np.diff(lists.lists) >= 0).all()
    return [lists.rows[lists.lists == each].tolist() for each in range(lists.count)]


def equal(keys: list[int], row_of: list[int]) -> list[list[int]]:
    """The rows of each key that several have."""
    each = [[row for row, key in zip(row_of, keys, strict=True) if key == one] for one in {*keys}]
    return sorted(rows for rows in each if len(rows) > 1)


@given(KEYS, st.data())
def test_rows_of_an_equal_key_share_a_list(keys: list[int], data: st.DataObject) -> None:
    lists = Lists.of_key(np.array(keys, np.uint64))
    rows = [*range(len(keys))]
    expected = equal(keys, rows)
    assert sorted(rows_of(lists)) == expected
    assert len(lists) == sum(map(len, expected))
    assert lists.count_pairs() == sum(len(one) * (len(one) - 1) // 2 for one in expected)
    others = np.cumsum([data.draw(st.integers(1, 3)) for _ in rows], dtype=np.int64)
    assert sorted(rows_of(lists.of_rows(others))) == equal(keys, others.tolist())


@given(KEYS, KEYS, st.data())
def test_parts_of_lists(first: list[int], second: list[int], data: st.DataObject) -> None:
    """All parts together; some entries; the lists with one of the wanted rows, and the others."""
    both = [Lists.of_key(np.array(keys, np.uint64)) for keys in (first, second)]
    lists = Lists.concat([both[0], Lists.none(), both[1]])
    assert rows_of(lists) == rows_of(both[0]) + rows_of(both[1])
    assert rows_of(Lists.concat([])) == []

    chosen = np.array([data.draw(st.booleans()) for _ in range(len(lists))], np.bool_)
    taken = [lists.rows[(lists.lists == each) & chosen].tolist() for each in range(lists.count)]
    assert rows_of(lists.take(chosen)) == [rows for rows in taken if len(rows) > 1]

    wanted = np.array([data.draw(st.booleans()) for _ in range(30)])
    for part, having in lists.parted(wanted):
        assert rows_of(part) == [rows for rows in rows_of(lists) if wanted[rows].any() == having]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(10, 19)), max_size=9))
def test_a_list_for_each_pair(pairs: list[tuple[int, int]]) -> None:
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T
    assert rows_of(Lists.of_pairs(i, j)) == [[*pair] for pair in pairs]


@given(st.integers(1, 40), st.data())
def test_a_forest_does_not_depend_on_the_order_of_pairs(n: int, data: st.DataObject) -> None:
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    pairs = data.draw(st.lists(pair, max_size=60))
    forest = Forest(n)
    cut = data.draw(st.integers(0, len(pairs)))
    for some in (pairs[:cut], pairs[cut:]):
        forest.join(*np.array(some, np.int64).reshape(-1, 2).T)
    assert forest.roots.tolist() == groups.joined(set(pairs), n)


@given(st.lists(st.integers(0, 50)))
def test_distinct_rows_come_in_order(rows: list[int]) -> None:
    assert distinct(np.array(rows, np.int64)).tolist() == sorted(set(rows))
