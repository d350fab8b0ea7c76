"""Operations on arrays against loops in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdup.search.arrays import (
    Members,
    combine_rows,
    find_packed,
    pack,
    ranges,
    row_bits,
    split_rows,
)

NUMBERS = st.integers(0, 2**64 - 1)
ROWS = st.lists(st.integers(0, 2**32 - 1), max_size=12)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.lists(st.integers(0, 6)))
def test_packed_keys_are_found_by_their_fronts(rows_keys: list[int], asked: list[int]) -> None:
    n = len(rows_keys)
    # Keys that differ in the last bit that is left of them.
    fronts, wanted = (
        np.array(keys, np.uint64) << np.uint64(row_bits(n)) for keys in (rows_keys, asked)
    )
    entries = pack(fronts, np.arange(n), n)
    entries.sort()
    begin, count = find_packed(entries, wanted, n)
    for key, first, many in zip(asked, begin.tolist(), count.tolist(), strict=True):
        assert first == sum(one < key for one in rows_keys)
        assert many == rows_keys.count(key)


@given(ROWS, st.data())
def test_combined_rows_are_in_the_order_of_pairs(high: list[int], data: st.DataObject) -> None:
    row = st.integers(0, 2**32 - 1)
    low = data.draw(st.lists(row, min_size=len(high), max_size=len(high)))
    values = combine_rows(np.array(high, np.int64), np.array(low, np.int64))
    values.sort()
    pairs = zip(*(side.tolist() for side in split_rows(values)), strict=True)
    assert list(pairs) == sorted(zip(high, low, strict=True))


@given(st.lists(NUMBERS | st.integers(0, 9), unique=True), st.lists(NUMBERS | st.integers(0, 9)))
def test_members_are_the_numbers_that_are_there(known: list[int], asked: list[int]) -> None:
    members = Members(np.array(sorted(known), np.uint64))
    asked += known
    found = members(np.array(asked, np.uint64))
    assert found.tolist() == [one in known for one in asked]
    places = members.places(np.array(known, np.uint64))
    assert places.tolist() == [sorted(known).index(one) for one in known]


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 4))))
def test_ranges_follow_each_other(drawn: list[tuple[int, int]]) -> None:
    firsts, counts = np.array(drawn, np.int64).reshape(-1, 2).T
    expected = [one for first, count in drawn for one in range(first, first + count)]
    assert ranges(firsts, counts).tolist() == expected
