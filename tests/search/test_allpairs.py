import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from lab.oracles.search import clustered, numbers_of, oracle, planted, tuples, words_of
from simdup.base.errors import SimdupError
from simdup.search import allpairs, arrays, equal_keys, tables
from simdup.search.allpairs import Pairs, all_pairs, iter_pairs

SMALL = examples(120)


@SMALL
@given(clustered(), st.data(), st.sampled_from(["all", "first"]))
def test_finds_exactly_the_pairs_within_any_distance_of_any_width(drawn, data, which):
    numbers, bits = drawn
    distance = data.draw(st.integers(0, bits) | st.integers(0, min(bits, 6)))
    found = all_pairs(words_of(numbers, bits), distance, bits, which, threads=1)
    assert tuples(found) == oracle(numbers, distance, which)


@SMALL
@given(clustered(), st.data(), st.sampled_from(["all", "first"]))
def test_every_plan_finds_the_same(drawn, data, which):
    numbers, bits = drawn
    distance = data.draw(st.integers(0, min(bits, 5)))
    f, expected = words_of(numbers, bits), oracle(numbers, distance, which)
    for shape in (4, 10, 16, 20):
        assert tuples(all_pairs(f, distance, bits, which, tables=shape, threads=1)) == expected


@examples(40)
@given(clustered(), st.data(), st.sampled_from(["all", "first"]))
def test_every_search_finds_the_same(drawn, data, which):
    numbers, bits = drawn
    distance = data.draw(st.integers(0, min(bits, 3 if bits <= 24 else 1)))
    f, expected = words_of(numbers, bits), oracle(numbers, distance, which)
    for search in ("tables", "auto", "exhaustive", "probe", "neighbours"):
        found = all_pairs(f, distance, bits, which, search=search, threads=1)
        assert tuples(found) == expected, search


@pytest.mark.parametrize("bits", [24, 64, 128, 200])
@pytest.mark.parametrize("shape", [4, 10, 16, 20])
def test_all_threads_and_chunk_sizes_give_the_same_arrays(bits, shape, monkeypatch):
    f = planted(700, bits=bits, near=0.5)
    f[100:130] = f[99]
    expected = tuples(all_pairs(f, 3, bits, search="exhaustive"))
    assert expected == tuples(all_pairs(f, 3, bits, tables=shape, threads=1))
    for chunk, pairs in ((7, 5), (64, 1000), (1 << 20, 1 << 20)):
        for module in (arrays, tables, equal_keys):
            monkeypatch.setattr(module, "CHUNK", chunk)
        monkeypatch.setattr(equal_keys, "PAIRS", pairs)
        monkeypatch.setattr(allpairs, "PAIRS", pairs)
        found = all_pairs(f, 3, bits, tables=shape, threads=3)
        assert tuples(found) == expected
        assert [part.dtype for part in found] == [np.int64, np.int64, np.int16]


@pytest.mark.parametrize("which", ["all", "first"])
def test_the_stream_yields_each_pair_once_in_bounded_chunks(which, monkeypatch):
    monkeypatch.setattr(equal_keys, "PAIRS", 50)
    f = planted(3000, near=0.5)
    f[500:600] = f[499]
    chunks = list(iter_pairs(f, copies=which, tables=10, threads=2))
    assert all(isinstance(chunk, Pairs) for chunk in chunks)
    joined = sorted(triple for chunk in chunks for triple in tuples(chunk))
    assert joined == tuples(all_pairs(f, copies=which))
    assert joined == oracle(numbers_of(f), 3, which)


def test_a_stream_that_is_dropped_leaves_no_thread_behind(monkeypatch):
    monkeypatch.setattr(tables, "CHUNK", 16)
    before = threading.active_count()
    stream = iter_pairs(planted(20_000, near=0.5), tables=20, threads=4)
    next(stream)
    stream.close()
    assert threading.active_count() == before


def test_exceptions_of_threads_are_raised(monkeypatch):
    def broken(*_):
        raise MemoryError("no room")
        yield

    monkeypatch.setattr(allpairs, "walk", broken)
    with pytest.raises(MemoryError, match="no room"):
        all_pairs(planted(5000), tables=10, threads=2)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("search", ["tables", "exhaustive", "probe", "neighbours"])
def test_zero_or_one_fingerprint_have_no_pairs(n, search):
    found = all_pairs(np.zeros(n, dtype=np.uint64), 2, search=search)
    assert tuples(found) == []
    assert tuples(all_pairs(np.zeros((n, 3), dtype=np.uint64), 1, 160, search=search)) == []


def test_the_input_is_left_alone_and_may_be_read_only():
    f = planted(2000).reshape(-1)
    f.flags.writeable = False
    before = f.copy()
    all_pairs(f, tables=4)
    assert (f == before).all()


def test_strided_input_is_accepted():
    f = planted(4000).reshape(-1)
    assert tuples(all_pairs(f[::2])) == tuples(all_pairs(f[::2].copy()))


@pytest.mark.parametrize(
    ("fingerprints", "options", "message"),
    [
        ([1, 2], {}, "uint64"),
        (np.array([1, 2]), {}, "uint64"),
        (np.zeros((2, 2), dtype=np.uint64), {}, "expected shape"),
        (np.zeros(2, dtype=np.uint64), {"bits": 128}, "expected shape"),
        (np.zeros((2, 1, 1), dtype=np.uint64), {}, "expected shape"),
        (np.array([256], dtype=np.uint64), {"bits": 8}, "more than"),
        (np.array([[1 << 8, 0]], dtype=np.uint64), {"bits": 72}, "more than"),
        (np.zeros(2, dtype=np.uint64), {"bits": 0}, "1 to 256"),
        (np.zeros(2, dtype=np.uint64), {"bits": 257}, "1 to 256"),
        (np.zeros(2, dtype=np.uint64), {"bits": 64.0}, "whole number"),
        (np.zeros(2, dtype=np.uint64), {"distance": -1}, "0 to 64"),
        (np.zeros(2, dtype=np.uint64), {"distance": 65}, "0 to 64"),
        (np.zeros(2, dtype=np.uint64), {"distance": 1.5}, "whole number"),
        (np.zeros(2, dtype=np.uint64), {"copies": "some"}, "'first'"),
        (np.zeros(2, dtype=np.uint64), {"tables": 5}, "4, 10, 16, 20"),
        (np.zeros(2, dtype=np.uint64), {"search": "guess"}, "neighbours"),
        (np.zeros(2, dtype=np.uint64), {"distance": 20, "search": "probe"}, "variants"),
        (np.zeros(2, dtype=np.uint64), {"distance": 60, "tables": 20}, "auto|tables"),
    ],
)
def test_invalid_input_raises(fingerprints, options, message):
    with pytest.raises(SimdupError, match=message):
        all_pairs(fingerprints, **options)
    with pytest.raises(SimdupError, match=message):
        iter_pairs(fingerprints, **options)


def test_neighbours_that_would_not_fit_are_refused():
    with pytest.raises(SimdupError, match="too many for neighbours"):
        all_pairs(planted(10_000, near=0), search="neighbours")
