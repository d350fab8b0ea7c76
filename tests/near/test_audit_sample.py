"""Samples of a result, and what judgements of them say: compared with formulas and by counting."""

import math
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT, seeds

from lab.corpora.audits import judge, make
from simdup.corpus.decision_files import Judgement, Judgements
from simdup.corpus.found_pairs import FoundPair, Population
from simdup.near.audit_sample import (
    LEAST,
    Stratum,
    draw,
    estimate,
    interval_of,
)

SIZES = (60, 40, 50, 150)
shares = st.one_of(st.none(), st.integers(0, 10000).map(lambda n: n / 10000))
populations = st.lists(shares, min_size=1, max_size=60).map(
    lambda found: Population.of((FoundPair(f"a{i}", f"b{i}", s) for i, s in enumerate(found)), True)
)


def said(sample, verdict):
    return Judgements(
        tuple(
            Judgement(verdict(pair), (pair.goes, pair.stays), sample.seed, 1)
            for pair in sample.pairs
        )
    )


# -- the draw --------------------------------------------------------------------------------------


@given(populations, st.integers(1, 80), st.integers(0, 5))
def test_a_sample_has_each_pair_once(population, size, seed):
    sample = draw(population, size, seed)
    assert len(sample.pairs) == len(set(sample.pairs)) == min(size, len(population.pairs))
    assert set(sample.pairs) <= set(population.pairs)
    assert sum(band.pairs for band in sample.bands) == len(population.pairs)
    counts = Counter(sample.places)
    assert [band.drawn for band in sample.bands] == [
        counts[place] for place in range(len(sample.bands))
    ]


@given(populations, st.integers(1, 80), st.randoms())
def test_order_and_size_decide_nothing_but_how_many(population, size, chance):
    shuffled = list(population.pairs)
    chance.shuffle(shuffled)
    one = draw(population, size, 7)
    turned = [pair._replace(stays=pair.goes, goes=pair.stays) for pair in shuffled]
    other = draw(Population.of(turned, True), size + 10, 7)
    assert [pair.key for pair in other.pairs][: len(one.pairs)] == [pair.key for pair in one.pairs]


def test_copies_are_one_band():
    pairs = [FoundPair(f"a{i}", f"b{i}", 1.0) for i in range(10)]
    assert draw(Population.of(pairs, True), 20, 1).bands == ((1.0, 1.0, 10, 10),)


@given(populations)
def test_bands_hold_their_pairs(population):
    sample = draw(population, 100, 1)
    for pair, place in zip(sample.pairs, sample.places, strict=True):
        low, high = sample.bands[place][:2]
        if pair.similarity is None:
            assert low is high is None
        else:
            assert low <= pair.similarity < high or pair.similarity == low == high == 1


def test_a_seed_draws_what_it_drew():
    """Recorded: judgements are read again by other versions on other platforms."""
    pairs = [FoundPair(f"甲{i}", f"b{i}", 0.8 + i / 100) for i in range(20)]
    sample = draw(Population.of(pairs, True), 6, 1)
    assert [pair.stays for pair in sample.pairs] == ["甲2", "甲6", "甲18", "甲0", "甲8", "甲19"]
    assert draw(Population.of(pairs, True), 6, 2).pairs != sample.pairs


def test_pairs_near_the_threshold_are_drawn_more_often():
    made = make((500, 500, 500, 500), (1, 1, 1, 1), 0.9)
    drawn = [band.drawn for band in draw(made.population, 200, 1).bands]
    assert drawn == [73, 55, 36, 36]
    assert [(band.low, band.high) for band in draw(made.population, 200, 1).bands] == [
        (0.8, 0.85), (0.85, 0.9), (0.9, 1.0), (1.0, 1.0),
    ]  # fmt: skip


def test_small_bands_are_seen():
    made = make((20, 9_000, 3, 900), (1, 1, 1, 1), 0.9)
    drawn = draw(made.population, 30, 1).bands
    assert all(band.drawn >= min(LEAST, band.pairs) for band in drawn)
    assert draw(made.population, 18, 1).bands[2].drawn == 3


def test_a_longer_name_is_another_pair():
    pairs = [FoundPair("a", "bc", 0.9), FoundPair("ab", "c", 0.9), FoundPair("bc", "a", 0.9)]
    assert len(Population.of(pairs, True).pairs) == 2


# -- the interval ----------------------------------------------------------------------------------


strata = st.lists(
    st.tuples(st.integers(1, 50), st.integers(1, 60), st.floats(0, 1)), min_size=1, max_size=5
)


def as_strata(given_):
    pairs = sum(weight for weight, _, _ in given_)
    return [
        Stratum(weight / pairs, round(share * size) / size, size) for weight, size, share in given_
    ]


@given(strata)
def test_an_interval_holds_the_estimate(given_):
    some = as_strata(given_)
    low, high = interval_of(some)
    assert -1e-12 <= low <= sum(one.weight * one.share for one in some) + 1e-9
    assert high <= 1 + 1e-12
    mirrored = interval_of([one._replace(share=1 - one.share) for one in some])
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(strata)
def test_more_judgements_make_it_narrower(given_):
    some = as_strata(given_)
    low, high = interval_of(some)
    less, more = interval_of([one._replace(size=4 * one.size) for one in some])
    assert more - less < high - low


def test_equal_bands_of_equal_samples_are_one():
    """With equal shares in proportional samples, bands change nothing."""
    whole = interval_of([Stratum(1.0, 0.9, 200)])
    parts = interval_of([Stratum(0.25, 0.9, 50)] * 4)
    assert parts == pytest.approx(whole, abs=1e-9)


@given(strata)
def test_a_part_that_is_known_adds_no_width(given_):
    low, high = interval_of(as_strata(given_))
    halved = [one._replace(weight=one.weight / 2) for one in as_strata(given_)]
    found = interval_of([*halved, Stratum(0.5, 0.25, math.inf)])
    assert found == pytest.approx((0.125 + low / 2, 0.125 + high / 2), abs=1e-9)


@pytest.mark.parametrize("page", ["guides/audit.md", "zh/audit.md"])
def test_the_guide_has_the_intervals(page):
    lines = (ROOT / "docs" / page).read_text("utf-8").splitlines()
    head = next(line for line in lines if "100 %" in line or "100% |" in line)
    shares = [int(cell.strip(" %")) / 100 for cell in head.split("|")[2:-1]]
    start = next(i for i, line in enumerate(lines) if line == head) + 2
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[start : start + 5]]
    for size, *cells in rows:
        for share, cell in zip(shares, cells, strict=True):
            low, high = interval_of([Stratum(1.0, share, int(size.replace(",", "")))])
            assert re.split(" to | 至 ", cell) == [f"{low:.3f}", f"{high:.3f}"]


# -- the estimate ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("verdict", "share"), [("duplicates", 1.0), ("distinct", 0.0)])
def test_all_are_right_or_wrong(verdict, share):
    made = make(SIZES, (1, 1, 1, 1), 0.9)
    sample = draw(made.population, 50, 1)
    found = estimate(sample, said(sample, lambda pair: verdict))
    assert found.precision == share
    low, high = found.interval
    assert (low < high == 1.0) if share else (0.0 == low < high)
    assert found.bounds == (share, share)


@pytest.mark.parametrize("seed", seeds(3))
def test_a_result_that_is_judged_as_a_whole_is_known(seed):
    made = make(SIZES, (9, 3, 1, 0), 0.9)
    sample = draw(made.population, sum(SIZES), seed)
    found = estimate(sample, judge(made, sample))
    assert found.precision == pytest.approx(made.precision)
    assert found.interval == pytest.approx((made.precision, made.precision))
    for band in found.bands:
        assert band.interval == (band.precision, band.precision)


def test_a_precision_is_weighted_back():
    made = make((500, 500, 500, 500), (4, 0, 0, 0), 0.8)
    sample = draw(made.population, 200, 1)
    found = estimate(sample, judge(made, sample))
    plain = sum(band.duplicates for band in found.bands) / 200
    assert found.precision == pytest.approx(
        sum(band.precision for band in found.bands) / len(found.bands)
    )
    assert abs(found.precision - made.precision) < abs(plain - made.precision)


def test_whoever_cannot_say_is_counted_apart():
    made = make(SIZES, (1, 1, 1, 1), 0.9)
    sample = draw(made.population, 60, 1)
    unsure = set(sample.pairs[::3])
    found = estimate(sample, said(sample, lambda p: "unsure" if p in unsure else "duplicates"))
    assert sum(band.unsure for band in found.bands) == len(unsure)
    assert found.precision == 1
    low, high = found.bounds
    assert 0.5 < low < high == 1
    assert found.total.judged == 40


def test_of_two_judgements_the_later_holds():
    sample = draw(Population.of([FoundPair("a", "b", 0.9)], True), 1, 1)
    both = [Judgement(kind, ("b", "a"), 1, 1) for kind in ("distinct", "duplicates")]
    assert estimate(sample, Judgements(tuple(both))).precision == 1


def test_a_band_without_a_judgement_is_left_out():
    made = make(SIZES, (1, 1, 1, 1), 0.9)
    sample = draw(made.population, 40, 1)
    low = sample.bands[0].high
    some = [pair for pair in sample.pairs if pair.similarity >= low]
    found = estimate(
        sample, Judgements(tuple(Judgement("duplicates", p.key, 1, 40) for p in some), others=2)
    )
    assert found.bands[0].precision is found.bands[0].interval is None
    assert found.total.pairs == sum(SIZES[1:])
    assert (found.not_drawn, found.others) == (0, 2)
    nothing = estimate(sample, Judgements(()))
    assert nothing.precision is nothing.interval is nothing.bounds is None


def test_the_interval_holds_what_a_result_can_have():
    """Nine right ones of ten: the tenth may be wrong."""
    pairs = [FoundPair(f"a{i}", f"b{i}", 1.0) for i in range(10)]
    sample = draw(Population.of(pairs, True), 9, 1)
    found = estimate(sample, said(sample, lambda pair: "duplicates"))
    assert found.interval == (0.9, 1.0)


def test_where_most_are_judged_an_interval_ends_at_what_whole_pairs_can_be():
    pairs = [FoundPair(f"a{i}", f"b{i}", 1.0) for i in range(100)]
    sample = draw(Population.of(pairs, True), 60, 1)
    wrong = set(sample.pairs[:10])
    found = estimate(sample, said(sample, lambda p: "distinct" if p in wrong else "duplicates"))
    low, high = found.interval
    assert 0.5 < low < 5 / 6 < high < 0.9
    assert [round(100 * end, 9) % 1 for end in found.interval] == [0, 0]


@pytest.mark.parametrize("precision", [0.8, 0.99])
def test_intervals_hold_the_truth_in_95_of_100_audits(precision):
    """A small part of ``python -m lab bench audit``: 150 audits leave 4 % to chance."""
    made = make((80, 80, 80, 80), (1, 1, 1, 1), precision)
    inside = 0
    for seed in range(150):
        sample = draw(made.population, 80, seed)
        low, high = estimate(sample, judge(made, sample)).interval
        inside += low - 1e-9 <= made.precision <= high + 1e-9
    assert inside / 150 >= 0.91


def test_whoever_stops_early_has_a_sample():
    """The beginning of a sample is one: its bands are drawn at the same rates."""
    made = make((500, 500, 500, 500), (1, 1, 1, 1), 0.9)
    sample = draw(made.population, 200, 1)
    counts = Counter(sample.places[:100])
    assert [counts[i] for i in range(4)] == [37, 27, 18, 18]
