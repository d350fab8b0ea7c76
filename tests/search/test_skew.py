import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from lab.oracles.search import hits, numbers_of, oracle, planted, tuples, words_of
from simdup.base.errors import SimdupError
from simdup.search import equal_keys, plans, threads
from simdup.search.allpairs import all_pairs, iter_pairs
from simdup.search.arrays import mix_rows
from simdup.search.plans import HammingBall
from simdup.search.queries import build
from simdup.search.tables import BitView


def sampled(f, found, distance, rows):
    """Compare the pairs of some rows with an exhaustive comparison."""
    for row in rows:
        distances = np.bitwise_count(f ^ f[row])
        near = np.flatnonzero(distances <= distance)
        near = near[near != row]
        mine = (found.i == row) | (found.j == row)
        others = (found.i + found.j)[mine] - row
        assert sorted(others.tolist()) == near.tolist()
        assert (distances[others] == found.distance[mine]).all()


@pytest.mark.parametrize(
    "mask", [0x0000FFFFFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFF0000, 0xFF00FF00FF00FF]
)
@pytest.mark.parametrize("shape", ["auto", 4, 10])
def test_fingerprints_that_share_blocks_are_searched_by_the_rest(mask, shape):
    f = planted(60_000, near=0.3).reshape(-1) & np.uint64(mask)
    started = time.process_time()
    found = all_pairs(f, tables=shape)
    assert time.process_time() - started < 8
    sampled(f, found, 3, range(0, 60_000, 2000))


def test_long_runs_are_searched_completely(monkeypatch):
    f = planted(3000, near=0.5)
    f[:1500] &= np.uint64(0xFFFFFFFF)
    f[1500:2500] &= np.uint64(0xFFFF0000FFFFFFFF)
    expected = oracle(numbers_of(f), 3)
    calls = []

    def short(ball):
        calls.append(ball.bits)
        return 5 if ball.bits > 8 else None

    monkeypatch.setattr("simdup.search.allpairs.long_run", short)
    for shape in (4, 10, 16, 20):
        assert tuples(all_pairs(f, tables=shape)) == expected
    assert min(calls) < 40


def test_a_million_duplicates_are_one_fingerprint():
    f = np.full(1_000_000, 12345, dtype=np.uint64)
    f[::1000] = np.arange(1000, dtype=np.uint64) << np.uint64(20)
    found = all_pairs(f, copies="first")
    assert len(found.i) >= 998_999
    assert (np.diff(found.i) >= 0).all()
    with pytest.raises(SimdupError, match="do not fit") as error:
        all_pairs(f)
    assert "`copies`" in error.value.hint
    total = 0
    for block in iter_pairs(f):
        total += len(block.i)
        assert len(block.i) <= 1 << 18
        assert (block.i < block.j).all()
        if total > 2_000_000:
            break


def test_pairs_above_the_memory_limit_raise_as_they_are_found():
    f = np.arange(4096, dtype=np.uint64)
    with pytest.raises(SimdupError, match="do not fit") as error:
        all_pairs(f, 12, 16, copies="first", memory=100_000)
    assert "smaller `distance`" in error.value.hint
    assert len(all_pairs(f, 1, 16, memory=10_000_000).i) == 12 * 4096 // 2


def test_one_template_of_which_hundreds_are_near():
    random = np.random.default_rng(5)
    centres = random.integers(0, 1 << 64, 20, dtype=np.uint64)
    f = centres[random.integers(0, 20, 20_000)]
    for _ in range(8):
        f ^= np.uint64(1) << random.integers(0, 64, len(f)).astype(np.uint64)
    started = time.process_time()
    found = all_pairs(f)
    assert time.process_time() - started < 10
    sampled(f, found, 3, range(0, 20_000, 500))


def test_many_queries_on_a_long_run_are_joined_by_the_rest():
    f = planted(30_000, near=0.4).reshape(-1) & np.uint64(0xFFFFFFFFFFFF)
    index = build(f[:20_000])
    started = time.process_time()
    found = hits(index, f[20_000:])
    assert time.process_time() - started < 8
    for row in range(0, 10_000, 500):
        near = np.flatnonzero(np.bitwise_count(f[:20_000] ^ f[20_000 + row]) <= 3)
        assert found.row[found.query == row].tolist() == near.tolist()


def narrow(kind, n):
    """128 bits, of which the second word says little; some are near another."""
    random = np.random.default_rng(1)
    f = random.integers(0, 1 << 64, (n, 2), dtype=np.uint64)
    if kind == "constant":
        f[:, 1] &= np.uint64(15)
    elif kind == "repeated":
        f[:, 1] = (f[:, 1] & np.uint64(15)) * np.uint64(0x1111111111111111)
    else:
        for _ in range(5):
            f[:, 1] &= random.integers(0, 1 << 64, n, dtype=np.uint64)
    f[: n // 10] = f[n // 2 : n // 2 + n // 10]
    f[: n // 10, 0] ^= np.uint64(0b1011)
    return f


@pytest.mark.parametrize("kind", ["constant", "repeated", "rare"])
def test_bits_that_say_little_cost_no_more_than_comparing_all(kind):
    """Tables of such keys were joined one level down, again and again, for minutes."""
    f = narrow(kind, 3000)
    started = time.process_time()
    found = all_pairs(f, 12, 128, threads=1)
    answers = hits(build(f, 128, 12, threads=1), f, threads=1)
    # Both take about a twentieth of a second, and comparing all as much.
    assert time.process_time() - started < 5
    expected = all_pairs(f, 12, 128, search="exhaustive")
    assert len(expected.i) >= 300
    assert tuples(found) == tuples(expected)
    assert [(i, j) for i, j in tuples(answers) if i < j] == tuples(expected[:2])


@examples(40)
@given(st.data(), st.integers(2, 40), st.sampled_from([8, 64, 128]))
def test_any_fingerprints_of_few_bits(data, n, bits):
    """Whatever plan is chosen for the bits that vary, it finds all pairs."""
    mask = data.draw(st.integers(0, (1 << bits) - 1))
    numbers = data.draw(st.lists(st.integers(0, (1 << bits) - 1), min_size=n, max_size=n))
    numbers = [number & mask for number in numbers]
    distance = data.draw(st.integers(0, min(bits, 6)))
    expected = oracle(numbers, distance)
    f = words_of(numbers, bits)
    with pytest.MonkeyPatch.context() as patch:
        if data.draw(st.booleans()):
            patch.setattr("simdup.search.allpairs.long_run", lambda ball: 2)
            patch.setattr("simdup.search.queries.PAIRS", 2)
        for shape in ("auto", 4):
            assert tuples(all_pairs(f, distance, bits, tables=shape)) == expected
        index = build(f, bits, distance, tables=4)
        assert len(hits(index, f).query) == 2 * len(expected) + n


def test_a_run_is_long_if_tables_are_faster_than_the_scan():
    ball = HammingBall(48, 3)
    length = plans.long_run(ball)
    assert plans.plan(ball, length).search == "tables"
    assert plans.plan(ball, length // 2).search == "exhaustive"
    assert plans.long_run(HammingBall(3, 3)) is None


@pytest.mark.parametrize("words", [1, 2, 3])
def test_different_fingerprints_are_mixed_differently(words):
    # They differ in one or two bits of any word.
    single = words_of([0, *(1 << bit for bit in range(64 * words))], 64 * words)
    double = single[:, None] ^ single
    every = np.unique(double.reshape(-1, words), axis=0)
    assert len(np.unique(mix_rows(every))) == len(every)


def test_collisions_of_the_mix_are_resolved(monkeypatch):
    monkeypatch.setattr(equal_keys, "mix_rows", lambda f: f[:, 0] % np.uint64(3) << np.uint64(60))
    f = np.random.default_rng(6).integers(0, 40, 300, dtype=np.uint64)
    for which in ("all", "first"):
        assert tuples(all_pairs(f, 1, 8, which)) == oracle(f.tolist(), 1, which)


def test_an_array_sorted_by_threads_is_sorted(monkeypatch):
    monkeypatch.setattr(threads, "MIN_PARALLEL_SORT", 1)
    for n in (0, 1, 2, 5, 1000):
        values = np.random.default_rng(n).integers(0, 1 << 64, n, dtype=np.uint64)
        expected = np.sort(values)
        threads.sort(values, 3)
        assert (values == expected).all()


def test_nothing_is_copied_on_the_way_in():
    f = planted(100)
    assert BitView.of_all_bits(f, 64).fingerprints is f
