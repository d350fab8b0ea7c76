"""What is found, against brute force; passages cover what they should."""

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from lab.oracles import reuse as oracle
from simdup.kernels.passages import chains, common_lengths
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.finding import (
    Finder,
    Passages,
    Runs,
    Sides,
    extend,
    outermost,
)
from simdup.reuse.overlaps import shares
from simdup.reuse.seeds import Place, Stretches, common_grams
from simdup.reuse.sought import SoughtSeeds, least_seeds
from simdup.reuse.symbols import SymbolTexts
from simdup.reuse.winnowing import Window, row_symbols, winnow
from simdup.search.arrays import Members, distinct

Texts = list[list[int]]


def cut(texts: Sequence[Sequence[int]]) -> SymbolTexts:
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return SymbolTexts(starts, np.array([s for text in texts for s in text], np.uint32))


def finder(texts: Sequence[Sequence[int]], criteria: PassageCriteria) -> Finder:
    every = cut(texts)
    return Finder.of(every, winnow(every, Window.of(criteria.min_run)), criteria)


@st.composite
def sharing_texts(draw: st.DrawFn) -> Texts:
    """Texts of a few symbols that share pieces of each other."""
    letters = draw(st.sampled_from([2, 3, 6, 20, 1000]))
    chance = random.Random(draw(st.integers(0, 2**32)))
    source = [chance.randrange(letters) for _ in range(120)]
    texts = []
    for _ in range(draw(st.integers(2, 4))):
        text = [chance.randrange(letters) for _ in range(chance.randrange(60))]
        for _ in range(chance.randrange(4)):
            start, place = chance.randrange(100), chance.randrange(len(text) + 1)
            text[place:place] = source[start : start + chance.randrange(50)]
        texts.append(text)
    return texts


@given(sharing_texts(), st.sampled_from([2, 3, 4, 5, 8, 15]), st.sampled_from([2, 3, 100]))
def test_every_run_that_has_a_seed_is_found(texts: Texts, least: int, common: int) -> None:
    criteria = PassageCriteria(min_run=least, min_length=1, common=common)
    tried, k = finder(texts, criteria), Window.of(least).k
    index, starts = tried.index, tried.starts.tolist()
    places = zip(index.texts.tolist(), index.positions.tolist(), strict=True)
    seeds = {(text, position - starts[text]) for text, position in places}
    runs = tried._runs(0, len(texts))
    found = set(zip(runs.a.tolist(), runs.b.tolist(), runs.lengths.tolist(), strict=True))
    for i, x in enumerate(texts):
        for j, y in enumerate(texts[i + 1 :], i + 1):
            every = set(oracle.equal_runs(x, y, k))
            mine = {
                (a - starts[i], b - starts[j], n)
                for a, b, n in found
                if starts[i] <= a < starts[i + 1] and starts[j] <= b < starts[j + 1]
            }
            assert mine <= every
            for a, b, n in every - mine:
                inside = range(n - k + 1)
                run = Runs(*(np.array([x]) for x in (starts[i] + a, starts[j] + b, n)))
                if tried._own(run)[0] < k:
                    assert common < 100
                    continue
                assert not any((i, a + o) in seeds and (j, b + o) in seeds for o in inside)
                # With more letters and no common seeds, only rows are left out.
                if (
                    n >= least
                    and common == 100
                    and max(max(text, default=0) for text in texts) > 10
                ):
                    assert all(oracle.is_row(x[a + o : a + o + k]) for o in inside)


@given(sharing_texts(), st.sampled_from([2, 3, 4, 5, 8, 15]), st.sampled_from([2, 3]))
def test_common_text_is_in_too_many_texts(texts: Texts, least: int, common: int) -> None:
    tried = finder(texts, PassageCriteria(min_run=least, min_length=1, common=common))
    k, found = Window.of(least).k, tried.index.crowded
    grams = [{tuple(text[o : o + k]) for o in range(len(text) - k + 1)} for text in texts]
    covered = []
    for start, text in zip(tried.starts.tolist(), texts, strict=False):
        here = set[int]()
        for o in range(len(text) - k + 1):
            if sum(tuple(text[o : o + k]) in some for some in grams) > common:
                here.update(range(start + o, start + o + k))
        covered.append(here)
    every = np.arange(int(tried.starts[-1]))
    mine = found.within(every, np.ones_like(every)).nonzero()[0].tolist()
    assert len(mine) == found.sums[-1]
    assert set(mine) <= set().union(*covered)
    # Each position that starts a common k-gram, and what it covers.
    again = Stretches.of(np.array(mine, np.int64), 1, len(tried.symbols))
    spans = every[:-3], np.full(len(every) - 3, 3)
    assert again.within(*spans).tolist() == found.within(*spans).tolist()


@given(st.sets(st.integers(0, 150)), st.integers(1, 9))
def test_stretches_are_what_k_grams_cover(positions: set[int], k: int) -> None:
    found = Stretches.of(np.array(sorted(positions), np.int64), k, 160)
    covered = {place + i for place in positions for i in range(k)}
    every = np.arange(160)
    assert found.within(every, np.ones_like(every)).tolist() == [one in covered for one in every]


@given(sharing_texts(), st.sampled_from([2, 3, 5, 8]), st.sampled_from([2, 3]))
def test_what_is_common_starts_no_passage_and_is_counted(
    texts: Texts, least: int, common: int
) -> None:
    criteria = PassageCriteria(min_run=least, min_length=1, common=common)
    tried, seeds = finder(texts, criteria), winnow(cut(texts), Window.of(least))
    before = cut(texts).starts
    owners = np.searchsorted(before, seeds.positions, "right") - 1
    moved = seeds._replace(positions=seeds.positions + (tried.starts - before)[owners])
    place = Place.of(tried.symbols, criteria, tried.sides.keys)
    grams = common_grams(moved, tried.starts, place)
    seeded = set(zip(moved.hashes.tolist(), owners.tolist(), strict=True))
    holders = Counter(one for one, _ in seeded)
    assert tried.index.common == sum(holders[one] > 1 for one in grams.tolist())
    starting = np.isin(moved.positions, tried.index.positions)
    assert not np.isin(moved.hashes[starting], grams).any()


@pytest.mark.parametrize("most", [10, 39, 40, 41])
def test_a_notice_of_too_many_texts_starts_no_passage(most: int) -> None:
    """Not at its ends either, where what a window chooses depends on the text beside it."""
    chance = np.random.default_rng(3)
    notice = chance.integers(0, 1 << 30, 60).tolist()
    own = chance.integers(0, 1 << 30, (40, 2, 50)).tolist()
    texts = [[*before, *notice, *after] for before, after in own]
    found = finder(texts, PassageCriteria(min_length=1, common=most)).find(0, 40)
    assert len(found.a) == (0 if most < 40 else 40 * 39 // 2)
    # Nor with the words beside it, that some texts share.
    beside = [[*before, k % 9, *notice, k % 7, *after] for k, (before, after) in enumerate(own)]
    tried = finder(beside, PassageCriteria(min_length=1, common=most))
    assert len(tried.find(0, 40).a) == (0 if most < 40 else 40 * 39 // 2)
    assert tried.index.crowded.sums[-1] == (40 * 60 if most < 40 else 0)


@given(sharing_texts(), st.sampled_from([2, 3, 4, 7, 15]))
def test_each_window_has_a_seed_that_only_its_symbols_decide(texts: Texts, least: int) -> None:
    every, (k, w) = cut(texts), Window.of(least)
    assert k + w - 1 == least
    assert w <= k
    seeds = winnow(every, Window(k, w))
    chosen = set(seeds.positions.tolist())
    for start, end in zip(every.starts[:-1].tolist(), every.starts[1:].tolist(), strict=True):
        for low in range(start, end - least + 1):
            window = every.symbols[low : low + least].tolist()
            alone = winnow(cut([window]), Window(k, w)).positions + low
            assert set(alone.tolist()) <= chosen
            rows = [oracle.is_row(window[o : o + k]) for o in range(w)]
            assert len(alone) == (not all(rows))
    assert not any(oracle.is_row(every.symbols[p : p + k].tolist()) for p in chosen)


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(2, 9))
def test_symbols_of_rows_are_those_of_their_k_grams(text: list[int], k: int) -> None:
    # Of doubled symbols, three are a row.
    expected = {
        i + offset
        for i in range(len(text) - max(k, 3) + 1)
        if oracle.is_row(text[i : i + max(k, 3)])
        for offset in range(max(k, 3))
    }
    with pytest.MonkeyPatch.context() as patch:
        for part in (7, 1000):
            patch.setattr("simdup.reuse.winnowing._PART", part)
            assert row_symbols(np.array(text, np.uint32), k).tolist() == sorted(expected)


@examples(10)
@given(sharing_texts(), st.integers(0, 12), st.integers(0, 30))
def test_runs_are_joined_where_each_is_the_nearest(texts: Texts, gap: int, least: int) -> None:
    pairs, columns, expected = [], [], []
    for number, other in enumerate(texts[1:]):
        runs = sorted(oracle.equal_runs(texts[0], other, 3))
        columns += runs
        pairs += [number] * len(runs)
        expected += [[(number, *run) for run in chain] for chain in oracle.joined(runs, gap)]
    a, b, lengths = np.array(columns, np.int64).reshape(-1, 3).T.copy()
    first, before, overlaps = chains(a, b, lengths, np.array(pairs, np.int64), gap, least)
    found: dict[int, list[tuple[int, ...]]] = {}
    for n, run, row in zip(pairs, columns, first.tolist(), strict=True):
        found.setdefault(row, []).append((n, *run))
    own = {row: int((lengths - overlaps)[first == row].sum()) for row in found}
    long = [chain for row, chain in found.items() if own[row] >= least]
    every = [chain for chain in expected if chain in long or length(chain) >= least]
    assert sorted(long) == sorted(every)
    assert all(row == i or first[row] == first[i] for i, row in enumerate(before) if row >= 0)


def length(chain: list[tuple[int, ...]]) -> int:
    """Equal symbols of a chain; a run begins where the one before it ends in both texts."""
    total = 0
    for before, (_, a, b, n) in zip([None, *chain], chain, strict=False):
        overlap = max(before[1] + before[3] - a, before[2] + before[3] - b, 0) if before else 0
        total += n - overlap
    return total


stretch = st.lists(st.integers(0, 4), max_size=12)


@given(st.lists(st.tuples(stretch, stretch), max_size=8))
def test_gaps_are_aligned_as_by_the_table(pairs: list[tuple[list[int], list[int]]]) -> None:
    every = cut([side for pair in pairs for side in pair])
    bounds = np.stack([every.starts[:-1], every.starts[1:]], 1)
    found = common_lengths(every.symbols, bounds[::2].copy(), bounds[1::2].copy())
    assert found.tolist() == [oracle.lcs(*pair) for pair in pairs]


def test_runs_of_any_length_are_extended_to_their_ends() -> None:
    chance = random.Random(1)
    shared = [chance.randrange(1000) for _ in range(30_000)]
    tried = finder([[1001, *shared], [1002, 1003, *shared, 1004]], PassageCriteria())
    a, b = tried.starts[:2] + np.array([1, 2])
    for offset in (0, 15, 29_990):
        found = extend(tried.symbols, np.array([a + offset]), np.array([b + offset]), 8)
        assert [int(column[0]) for column in found] == [a, b, 30_000]


def test_a_seed_that_is_equal_by_its_hash_only_is_no_run() -> None:
    tried = finder([[1, 2, 3, 4] * 9, [5, 6, 7, 8] * 9], PassageCriteria())
    found = extend(tried.symbols, tried.starts[:1] + 4, tried.starts[1:2] + 4, 8)
    assert len(found.a) == 0


spans = st.tuples(st.integers(0, 20), st.integers(1, 10)).map(lambda s: (s[0], s[0] + s[1]))
passages = st.lists(st.tuples(st.integers(1, 2), spans, spans), max_size=12)


def made(rows: list[tuple[int, tuple[int, int], tuple[int, int]]]) -> Passages:
    rows = sorted(rows)
    texts = np.array([(0, pair) for pair, _, _ in rows], np.int64).reshape(-1, 2)
    a, b = (np.array([row[i] for row in rows], np.int64).reshape(-1, 2) for i in (1, 2))
    return Passages(texts, a, b, a[:, 1] - a[:, 0], np.ones(len(rows)))


@given(passages)
def test_what_lies_within_others_goes_and_the_cover_stays(
    rows: list[tuple[int, tuple[int, int], tuple[int, int]]],
) -> None:
    every = made(rows)
    kept = outermost(every)
    sizes = np.array([40, 40, 40])
    for found in (every, kept):
        firsts, covered = shares(found, sizes)
        for low, high, share in zip(firsts[:-1], firsts[1:], covered, strict=True):
            for i, side in enumerate((found.a, found.b)):
                inside = {p for start, end in side[low:high].tolist() for p in range(start, end)}
                assert share[i] * 40 == pytest.approx(len(inside))
    assert np.array_equal(shares(every, sizes)[1], shares(kept, sizes)[1])
    for i in range(len(kept.a)):
        others = [j for j in range(len(kept.a)) if j != i and kept.texts[i, 1] == kept.texts[j, 1]]

        def within(side: np.ndarray, i: int = i, others: list[int] = others) -> bool:
            (start, end), rest = side[i], [side[j] for j in others]
            return any(s <= start and end <= e and (s, e) != (start, end) for s, e in rest)

        assert not (within(kept.a) and within(kept.b))


@given(sharing_texts())
def test_ranges_of_texts_do_not_change_what_is_found(texts: Texts) -> None:
    tried = finder(texts, PassageCriteria(min_run=4, min_length=6, gap=3))
    whole = tried.find(0, len(texts))
    parts = [tried.find(i, i + 1) for i in range(len(texts))]
    assert whole.a.tolist() == [row for part in parts for row in part.a.tolist()]
    assert whole.b.tolist() == [row for part in parts for row in part.b.tolist()]


@given(sharing_texts(), st.randoms())
def test_what_is_found_does_not_depend_on_the_order(texts: Texts, chance: random.Random) -> None:
    criteria = PassageCriteria(min_run=4, min_length=6, gap=3, common=3)
    texts = [list(text) for text in dict.fromkeys(map(tuple, texts))]

    def rows(order: list[int]) -> list[object]:
        found = finder([texts[i] for i in order], criteria).find(0, len(texts))
        sides = zip(found.texts.tolist(), found.a.tolist(), found.b.tolist(), strict=True)
        pairs = (
            sorted(zip((order[i] for i in pair), spans, strict=True)) for pair, *spans in sides
        )
        return sorted(zip(pairs, found.lengths.tolist(), found.similarities.tolist(), strict=True))

    order = list(range(len(texts)))
    as_given = rows(order)
    chance.shuffle(order)
    assert rows(order) == as_given


def test_memory_is_bounded_by_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(5)
    shared = [chance.randrange(500) for _ in range(200)]
    texts = [
        [*(chance.randrange(500) for _ in range(100)), *shared[chance.randrange(100) :]]
        for _ in range(30)
    ]
    criteria = PassageCriteria(min_run=6, min_length=20, common=50)
    whole = finder(texts, criteria)
    for name, value in (("seeds._PART", 64), ("finding._PAIRS", 50), ("winnowing._PART", 33)):
        monkeypatch.setattr(f"simdup.reuse.{name}", value)
    small = finder(texts, criteria)
    assert len(small.ranges()) > 5
    found = [row for one in small.ranges() for row in small.find(*one).a.tolist()]
    assert found == whole.find(0, 30).a.tolist()
    assert len(found) > 300


@given(sharing_texts(), st.sampled_from([2, 3, 4]), st.integers(0, 8), st.integers(1, 12))
def test_figures_of_a_passage_are_those_of_its_symbols(
    texts: Texts, run: int, gap: int, least: int
) -> None:
    criteria = PassageCriteria(min_run=run, gap=gap, min_length=least)
    found = finder(texts, criteria).find(0, len(texts))
    rows = zip(found.texts.tolist(), found.a.tolist(), found.b.tolist(), strict=True)
    figures = zip(found.lengths.tolist(), found.similarities.tolist(), strict=True)
    for ((i, j), a, b), (length, similarity) in zip(rows, figures, strict=True):
        x, y = texts[i][slice(*a)], texts[j][slice(*b)]
        size = len(x) + len(y)
        assert i < j
        assert x[0] == y[0]
        assert x[-1] == y[-1]
        assert least <= length <= min(len(x), len(y))
        assert 2 * length / size <= similarity <= 2 * oracle.lcs(x, y) / size
        assert (similarity == 1) == (x == y)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans(),
                          st.integers(-1, 2), st.integers(0, 1)), max_size=8))  # fmt: skip
def test_who_is_opposed_by_its_definition(rows: list[tuple[str, bool, bool, int, int]]) -> None:
    values = [row[0] for row in rows]
    columns = ([row[n] for row in rows] for n in range(1, 5))
    kinds = (np.bool_, np.bool_, np.int64, np.uint64)
    sides = Sides(*map(np.array, columns, kinds))
    every = np.arange(len(rows))
    expected = [
        any(values[a] != values[b] and sides.allow(every[[a]], every[[b]])[0] for b in every)
        for a in every
    ]
    assert sides.opposed(every, values).tolist() == expected


@pytest.mark.parametrize(("run", "length", "least"), [(15, 50, 3), (15, 15, 1), (4, 50, 10)])
def test_a_passage_has_so_many_seeds(run: int, length: int, least: int) -> None:
    assert least_seeds(PassageCriteria(min_run=run), length) == least


@examples(60)
@given(
    sharing_texts(), st.sampled_from([2, 4, 8, 15]), st.integers(1, 60), st.sampled_from([2, 99])
)
def test_texts_that_share_a_passage_have_enough(
    texts: Texts, run: int, length: int, common: int
) -> None:
    criteria = PassageCriteria(min_run=run, min_length=length, common=common)
    tried = finder(texts, criteria)
    pairs = set(map(tuple, tried.find(0, len(texts)).texts.tolist()))
    seeds = [winnow(cut([text]), Window.of(run)).hashes for text in texts]
    every = distinct(np.concatenate(seeds))
    holders = [sum(one in own.tolist() for own in seeds) for one in every.tolist()]
    crowd = Members(every[np.array(holders, np.int64) > common])
    for i, j in pairs:
        for one, other in ((i, j), (j, i)):
            # The texts of one side are that one, and what has nothing in common with the other.
            own = seeds[one], np.ones(len(seeds[one]), np.int64)
            needs = least_seeds(criteria, np.array([10**6, length]))
            sought = SoughtSeeds.of(*own, crowd, needs)
            found = distinct(seeds[other])
            assert sought.enough(found, np.array([0, len(found)])).tolist() == [False, True]
            once = SoughtSeeds.of(*own, crowd, needs, once=True)
            ends = np.array([len(seeds[other])])
            assert once.enough(seeds[other], ends).tolist() == [True]


@given(
    st.lists(st.lists(st.integers(0, 9), max_size=12), min_size=1, max_size=4),
    st.lists(st.lists(st.integers(0, 12), max_size=12), max_size=4),
    st.sets(st.integers(0, 9)),
    st.integers(1, 6),
)
def test_seeds_are_counted_for_each_pair(
    texts: Texts, others: Texts, common: set[int], need: int
) -> None:
    def spread(numbers: Sequence[int]) -> np.ndarray:
        return np.array(numbers, np.uint64) * np.uint64(0x1111111111111111)

    crowd = Members(spread(sorted(common)))
    owners = np.array([i for i, text in enumerate(texts) for _ in text], np.int64)
    hashes = spread([one for text in texts for one in text])
    needs = np.full(len(texts), need)
    sought = SoughtSeeds.of(hashes, owners, crowd, needs, once=True)
    ends = np.cumsum([len(other) for other in others], dtype=np.int64)
    found = sought.enough(spread([one for other in others for one in other]), ends)
    known = {one for text in texts for one in text}
    expected = [
        any(
            not set(text).isdisjoint(set(other) - common)
            and sum(one in text or one in common & known for one in other) >= need
            for text in texts
        )
        for other in others
    ]
    assert found.tolist() == expected
