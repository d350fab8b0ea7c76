"""Long runs of equal keys in a sorted table, compared with a walk over the table."""

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup.search import tables
from simdup.search.arrays import WORD
from simdup.search.tables import find_long_runs

few_keys = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=60)


@given(few_keys, st.sampled_from([4, 17, 40]), st.integers(1, 8), st.sampled_from([3, 1 << 20]))
def test_runs_begin_and_end_where_keys_change(
    rows: list[tuple[int, int]], key: int, longest: int, chunk: int
) -> None:
    values = np.sort(np.array([a << (WORD - key) | b for a, b in rows], np.uint64))
    expected, at = [], 0
    for _, run in groupby(values.tolist(), lambda value: value >> (WORD - key)):
        end = at + len(list(run))
        if end - at > longest:
            expected.append((at, end))
        at = end
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "CHUNK", chunk)
        assert find_long_runs(values, key, longest) == expected
    assert find_long_runs(values, key, None) == []
