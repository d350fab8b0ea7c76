import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from simdup.base.errors import SimdupError
from simdup.search.plans import Cut, HammingBall, Plan, alternatives, cut, plan, width

BALL = HammingBall(64, 3)


@pytest.mark.parametrize(
    ("tables", "blocks", "key_bits"),
    [
        (4, (16, 16, 16, 16), {16}),
        (10, (13, 13, 13, 13, 12), {25, 26}),
        (16, (16, 16, 16, 16), {28}),
        (20, (11, 11, 11, 11, 10, 10), {31, 32, 33}),
    ],
)
def test_the_plans_of_the_paper(tables, blocks, key_bits):
    chosen = plan(BALL, 10**6, tables)
    assert chosen.cut
    assert (chosen.tables, chosen.cut.sizes, set(chosen.key_bits)) == (tables, blocks, key_bits)
    assert chosen.search == "tables"


def test_a_fingerprint_has_43745_variants_within_3():
    assert BALL.volume == 43_745


@given(st.integers(1, 256), st.data())
def test_blocks_differ_by_one_bit_at_most(bits, data):
    pieces = cut(bits, data.draw(st.integers(1, bits)))
    sizes = [size for _, size in pieces]
    assert sum(sizes) == bits
    assert max(sizes) - min(sizes) <= 1
    assert [start for start, _ in pieces] == list(itertools.accumulate([0, *sizes]))[:-1]


def bits_of(key):
    return {bit for start, length in key for bit in range(start, start + length)}


@pytest.mark.parametrize(("bits", "distance"), [(8, 0), (8, 1), (10, 2), (12, 3), (9, 4)])
def test_for_any_differing_bits_some_key_is_equal(bits, distance):
    ball = HammingBall(bits, distance)
    cuts = [Cut(ball, blocks) for blocks in range(distance + 1, bits + 1)]
    if (distance + 1) ** 2 <= bits:
        cuts.append(Cut(ball, distance + 1, nested=True))
    for one in cuts:
        spared = [bits_of(key) for key in one.keys]
        assert one.tables == len(one.keys)
        sizes = [size for size, many in one.key_sizes() for _ in range(many)]
        assert sorted(sizes) == sorted(map(width, one.keys))
        for differ in itertools.combinations(range(bits), distance):
            assert any(key.isdisjoint(differ) for key in spared)


@examples(60)
@given(st.integers(1, 256), st.data(), st.integers(0, 10**8))
def test_a_plan_is_the_cheapest_of_those_considered(bits, data, n):
    ball = HammingBall(bits, data.draw(st.integers(0, bits)))
    chosen = plan(ball, n)
    assert chosen.seconds == min(one.seconds for one in alternatives(ball, n))
    assert chosen.tables == len(chosen.keys)
    assert all(0 < width(key) <= bits for key in chosen.keys)
    assert hash(chosen) == hash(plan(ball, n))


def test_auto_chooses_the_scan_for_few_fingerprints_or_large_distances():
    assert plan(BALL, 100).search == "exhaustive"
    assert plan(HammingBall(64, 40), 10**4).search == "exhaustive"
    assert plan(HammingBall(64, 64), 10**6).search == "exhaustive"
    assert plan(BALL, 10**6).search == "tables"


def test_more_fingerprints_want_longer_keys():
    keys = [min(plan(BALL, 10**power).key_bits, default=0) for power in range(2, 10)]
    assert keys == sorted(keys)
    assert keys[-1] >= 25


def test_candidates_are_those_of_random_fingerprints():
    assert plan(BALL, 10**6, 4).candidates == pytest.approx(4 * math.comb(10**6, 2) / 2**16)


def test_an_exhaustive_search_compares_all_pairs():
    assert plan(BALL, 1000, search="exhaustive").candidates == math.comb(1000, 2)


@pytest.mark.parametrize("search", ["exhaustive", "probe", "neighbours"])
def test_baselines_are_plans_without_tables(search):
    chosen = plan(BALL, 1000, search=search)
    assert (chosen.search, chosen.tables, chosen.cut) == (search, 0, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0, 1), "1 to 256"),
        ((64, 65, 1), "0 to 64"),
        ((64, 3, 1, 7), "4, 10, 16, 20"),
        ((64, 3, 1, "four"), "4, 10, 16, 20"),
        ((64, 3, 1, "auto", "best"), "exhaustive"),
        ((256, 100, 1, 20), "176,851 tables"),
    ],
)
def test_invalid_arguments_raise(arguments, message):
    with pytest.raises(SimdupError, match=message):
        plan(HammingBall(*arguments[:2]), *arguments[2:])


def test_a_plan_is_a_value():
    chosen = plan(BALL, 5000)
    assert isinstance(chosen, Plan)
    with pytest.raises(AttributeError):
        chosen.n = 1
