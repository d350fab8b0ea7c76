"""Where copies differ: slots against what was planted, and loops against slow ones."""

import random
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lab.oracles import reuse as oracle
from simdup.kernels.passages import in_step_again
from simdup.reuse.finding import surround
from simdup.reuse.seeds import pair_with_first
from simdup.reuse.slot_texts import FoldedText
from simdup.reuse.slots import COPIED, Alignment, SlotFinder, _unlike
from simdup.reuse.symbols import SymbolTexts, places
from simdup.reuse.winnowing import Seeds, Window, winnow

CONTEXT = 8


def finder(texts: list[list[int]]) -> SlotFinder:
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    every = SymbolTexts(starts, np.array([s for text in texts for s in text], np.uint32))
    hashes, positions = winnow(every, Window.of(COPIED.min_run))
    surrounded = SymbolTexts(*surround(every))
    owners = np.searchsorted(starts, positions, "right") - 1
    moved = positions + (surrounded.starts - starts)[owners]
    return SlotFinder.of(surrounded, Seeds(hashes, moved), starts[:0], CONTEXT)


def aligned(texts: list[list[int]]) -> tuple[SlotFinder, Alignment]:
    found = finder(texts)
    return found, Alignment.concat(found.find(*one) for one in found.ranges())


@st.composite
def families(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]]]:
    """Copies of a passage within other text; a few of its places have another value in some."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    fresh = iter(range(1000, 10**6))
    passage = [next(fresh) for _ in range(chance.randrange(90, 200))]
    places = [30, 60][: chance.randrange(1, 3)]
    texts, values = [], []
    for _ in range(draw(st.integers(2, 7))):
        copy, own = list(passage), []
        for place in reversed(places):
            own.append(chance.randrange(3))
            copy[place : place + 1] = [5] * own[-1] + [7 + own[-1]]
        around = [[next(fresh) for _ in range(chance.randrange(0, 40))] for _ in range(2)]
        texts.append(around[0] + copy + around[1])
        values.append(own[::-1])
    return texts, values


@given(families())
def test_slots_of_each_pair_are_where_copies_differ(
    family: tuple[list[list[int]], list[list[int]]],
) -> None:
    texts, values = family
    found, alignment = aligned(texts)
    symbols, (a, b, lengths) = found.symbols, alignment.runs
    # Runs are equal, and as long as they can be.
    for i, j, n in zip(a.tolist(), b.tolist(), lengths.tolist(), strict=True):
        # A run of no symbol is where a text begins or ends, or a line.
        assert n >= CONTEXT or not n
        assert symbols[i : i + n].tolist() == symbols[j : j + n].tolist()
    before, side_a, side_b = alignment.slots
    inner = (lengths[before] > 0) & (lengths[before + 1] > 0)
    before, side_a, side_b = before[inner], side_a[inner], side_b[inner]
    assert (side_a[:, 0] <= side_a[:, 1]).all()
    assert (side_b[:, 0] <= side_b[:, 1]).all()
    # What both have of a slot is not counted, nor what the smaller side has.
    assert alignment.differing(symbols).tolist() == [
        max(len(one), len(other)) - oracle.lcs(one, other)
        for one, other in (
            (symbols[slice(*x)].tolist(), symbols[slice(*y)].tolist())
            for x, y in zip(*(side.tolist() for side in alignment.slots[1:]), strict=True)
        )
    ]
    # Each copy differs from the first exactly where their values do.
    slots: dict[tuple[int, int], int] = {}
    # Two chains of a pair may have the same slot between them.
    for x, y in {*zip(side_a[:, 0].tolist(), side_b[:, 0].tolist(), strict=True)}:
        pair = tuple(int(np.searchsorted(found.starts, one, "right")) - 1 for one in (x, y))
        slots[pair] = slots.get(pair, 0) + 1
    for i, j in combinations(range(len(texts)), 2):
        expected = sum(p != q for p, q in zip(values[i], values[j], strict=True))
        if not i:
            assert slots.get((i, j), 0) == expected
        else:
            assert slots.get((i, j), 0) <= expected
    assert len(before) >= sum(slots.values())


def test_cost_grows_with_the_copies_not_with_their_pairs() -> None:
    chance = random.Random(1)
    passage = [chance.randrange(10**6) for _ in range(200)]
    texts = [[*passage[:100], 10**7 + n % 3, *passage[101:]] for n in range(300)]
    found, alignment = aligned(texts)
    assert len(found.pairs.a) <= 300 * len(passage)
    # The first copy of all and that with the same value: two runs for each, and two borders.
    assert len(alignment.chains) <= 6 * 300


def test_what_two_stretches_do_not_share_is_counted_on_the_larger_side() -> None:
    symbols = np.array([1, 2, 3, 4, 1, 3], np.uint32)
    long, short = np.array([[0, 4], [0, 0]]), np.array([[4, 6], [4, 6]])
    assert _unlike(symbols, long, short).tolist() == [2, 2]
    assert _unlike(symbols, short, long).tolist() == [2, 2]


def test_a_slot_is_found_from_one_side() -> None:
    # The first text has what is left of the slot, and the third one what is right of it.
    left, right = list(range(1000, 1040)), list(range(2000, 2040))
    texts = [left, [*left, 1, *right], right, [*left, 2, *right]]
    found, alignment = aligned(texts)
    _, a, b = alignment.slots
    pairs = {
        tuple(int(np.searchsorted(found.starts, one, "right")) - 1 for one in (x, y))
        for x, y in zip(a[:, 0].tolist(), b[:, 0].tolist(), strict=True)
    }
    assert (1, 3) in pairs


@given(st.lists(st.integers(CONTEXT, 9), min_size=1, max_size=3), st.integers(1, 3))
def test_text_between_slots_may_be_short(islands: list[int], size: int) -> None:
    """Too short to be found by itself."""
    fresh = iter(range(1000, 10**6))
    one = [next(fresh) for _ in range(60)]
    other, slots = list(one), list[list[int]]()
    for length in [*islands, 60]:
        slots.append([len(one), len(other)])
        one.append(next(fresh))
        other += [next(fresh) for _ in range(size)]
        # Rows of a table are much the same.
        equal = [next(fresh) for _ in range(60)] if length == 60 else [*range(length)]
        one += equal
        other += equal
    found, alignment = aligned([one, other])
    _, a, b = alignment.slots
    assert (a[:, 0] <= a[:, 1]).all()
    assert (b[:, 0] <= b[:, 1]).all()
    spans = np.concatenate([a - found.starts[0], b - found.starts[1]], 1).tolist()
    assert all([x, x + 1, y, y + size] in spans for x, y in slots)


symbol_lists = st.lists(st.integers(0, 2), max_size=14)


@given(symbol_lists, symbol_lists, st.integers(0, 6), st.integers(0, 6), st.integers(1, 4))
def test_in_step_again_by_its_definition(
    x: list[int], y: list[int], most_x: int, most_y: int, least: int
) -> None:
    most = min(most_x, len(x)), min(most_y, len(y))
    expected = oracle.in_step_again(x, y, most, least)
    ends = [*x, 98, *y, 99]
    forwards = in_step_again(
        np.array(ends, np.uint32), *(np.array([n]) for n in (0, len(x) + 1, *most)), least, 1
    )
    assert tuple(forwards[:, 0].tolist()) == expected
    turned = [98, *x[::-1], 99, *y[::-1]]
    places = (np.array([n]) for n in (len(x) + 1, len(turned), *most))
    backwards = in_step_again(np.array(turned, np.uint32), *places, least, -1)
    assert tuple(backwards[:, 0].tolist()) == expected


def slot(text: str, part: str) -> FoldedText:
    """A text with one slot, of which it is folded already."""
    _, begins, _ = places(text)
    first, last = np.searchsorted(begins, [text.index(part), text.index(part) + len(part)])
    return FoldedText.of(text, "", 0).at(np.array([[first, last]]))


def test_a_fact_that_touches_a_slot_is_in_it() -> None:
    for part in ("约", "后"):
        (found,) = slot("每次约10mg后停药", part).parts(None)
        assert [(one.kind, one.value) for one in found.facts] == [("amount", "10 mg")]
    (found,) = slot("每次约10mg后停药", "停").parts(None)
    assert found.facts == ()


def test_a_slot_at_the_end_of_an_address_shows_a_fact() -> None:
    for text, fact in (("写信abcd@efgh甲好", True), ("写信abcd@efgh大家说甲好", False)):
        assert [one.fact for one in slot(text, "甲").signs(None)] == [fact]


@given(st.lists(st.lists(st.integers(0, 4), max_size=12), min_size=1, max_size=5))
def test_each_seed_is_paired_with_the_first_text(texts: list[list[int]]) -> None:
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    every = [symbol for text in texts for symbol in text]
    owner = [number for number, text in enumerate(texts) for _ in text]
    hashes = np.array(every, np.uint64) << np.uint64(40)
    expected = set()
    for at, symbol in enumerate(every):
        same = [i for i, one in enumerate(every) if one == symbol]
        rank = sum(owner[i] == owner[at] for i in same if i < at)
        if owner[at] != owner[same[0]] and rank < 8:
            expected.add((same[0], at))
    found = pair_with_first(Seeds(hashes, np.arange(len(every))), starts)
    assert sorted(zip(*map(np.ndarray.tolist, found), strict=True)) == sorted(expected)
    assert (np.diff(found.b) >= 0).all()
