"""Sort more values than fit in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup.search import threads
from simdup.search.threads import sort_chunks


@contextmanager
def no_folder() -> Iterator[str]:
    raise AssertionError("all of it fits in memory")
    yield ""


@given(
    st.lists(st.lists(st.integers(0, 40) | st.integers(0, 2**64 - 1), max_size=30), max_size=8),
    st.integers(1, 50),
    st.integers(1, 9),
)
def test_values_are_sorted_for_any_memory_limit(tmp_path_factory, given_chunks, room, window):
    path: Path = tmp_path_factory.mktemp("runs")

    @contextmanager
    def folder() -> Iterator[str]:
        yield str(path)

    chunks = [np.array(chunk, np.uint64) for chunk in given_chunks]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "_FEWEST_READ", window)
        patch.setattr(threads, "_SORTED", 7)
        with sort_chunks(chunks, room, folder) as ordered:
            found = list(ordered)
    assert all(0 < len(chunk) <= 7 for chunk in found)
    everything = [value for chunk in given_chunks for value in chunk]
    assert [value for chunk in found for value in chunk.tolist()] == sorted(everything)


def test_values_that_fit_in_memory_need_no_folder():
    chunks = [np.array([3, 1], np.uint64), np.array([2], np.uint64)]
    with sort_chunks(chunks, 4, no_folder) as ordered:
        assert np.concatenate(list(ordered)).tolist() == [1, 2, 3]
