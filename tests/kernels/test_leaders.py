"""What rules pairs out, and who leads, compared with definitions in plain Python."""

from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from support import examples

from lab.oracles import groups
from simdup.kernels.leaders import (
    LISTED,
    PRINTED,
    SKETCHED,
    Leaders,
    PairBounds,
    odd_sketches,
)
from simdup.model.criteria import Criteria
from simdup.near.leading import lead
from simdup.near.methods.short_texts import edit_signatures
from simdup.search.arrays import hamming_distances
from simdup.text.characters import to_codes

Rows = NDArray[np.int64]
SETS = st.lists(st.sets(st.integers(0, 40), min_size=1), min_size=2, max_size=8)
SIMILARITIES = st.sampled_from([0.3, 0.5, 0.8, 1.0])


def columns(sets: list[set[int]]) -> tuple[Rows, NDArray[np.uint64]]:
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return starts, np.array([one for each in sets for one in sorted(each)], np.uint64)


def bounds_of(
    sets: list[set[int]], similarity: float, covering: float = 0, words: int = 2, equal: int = 1
) -> PairBounds:
    """What rules out pairs of sets; so many consecutive elements have an equal half."""
    starts, hashes = columns(sets)
    sketches = odd_sketches(starts, hashes, words) if words else np.zeros((len(sets), 0), np.uint64)
    bounds, halves = PairBounds(len(sets), similarity, covering), (hashes // equal)
    bounds.by_sets(sketches, starts, halves.astype(np.uint32), np.empty(len(halves), np.uint32))
    return bounds


def similarity_of(a: set[int], b: set[int]) -> float:
    return len(a & b) / len(a | b)


def pairs_of(n: int) -> Rows:
    return np.array([*permutations(range(n), 2)], np.int64).reshape(-1, 2).T.copy()


@given(SETS, st.sampled_from([1, 2, 8]))
def test_odd_sketches_never_overrate_a_difference(sets: list[set[int]], words: int) -> None:
    sketches = odd_sketches(*columns(sets), words)
    assert sketches.shape == (len(sets), words)
    i, j = pairs_of(len(sets))
    bits = hamming_distances(sketches, i, sketches, j).tolist()
    for a, b, differ in zip(i.tolist(), j.tolist(), bits, strict=True):
        assert differ <= len(sets[a] ^ sets[b])
        assert differ % 2 == len(sets[a] ^ sets[b]) % 2


@given(SETS, SIMILARITIES, st.sampled_from([0, 1, 2, 9]), st.integers(1, 5))
def test_bounds_never_rule_out_what_is_similar(
    sets: list[set[int]], similarity: float, words: int, equal: int
) -> None:
    """And where no elements have an equal half, they rule out everything else."""
    i, j = pairs_of(len(sets))
    possible = bounds_of(sets, similarity, 0, words, equal).possible(i, j)
    for a, b, good in zip(i.tolist(), j.tolist(), possible, strict=True):
        similar = similarity_of(sets[a], sets[b]) >= similarity
        assert good == similar or (good and equal > 1)


@pytest.mark.parametrize("equal", [1, 3])
def test_sets_of_frequent_and_rare_elements(equal: int) -> None:
    chance = np.random.default_rng(4)
    sets = [
        {*chance.choice(60, 40, replace=False).tolist(), *chance.integers(100, 600, 30).tolist()}
        for _ in range(300)
    ]
    i, j = np.triu_indices(300, 1)
    pairs = zip(i.tolist(), j.tolist(), strict=True)
    similar = np.array([similarity_of(sets[a], sets[b]) >= 0.26 for a, b in pairs])
    possible = bounds_of(sets, 0.26, 0, 4, equal).possible(i, j)
    assert possible[similar].all()
    assert equal > 1 or not possible[~similar].any()
    assert 0.1 < np.mean(similar) < 0.9


@given(
    st.lists(st.text("abc中文", min_size=1, max_size=12), min_size=2, max_size=6),
    st.booleans(), st.data(),
)  # fmt: skip
def test_forms_never_rule_out_what_is_similar(
    forms: list[str], edits: bool, data: st.DataObject
) -> None:
    """And where edits are counted, they rule out everything else."""
    n = len(forms)
    numbers = np.array([data.draw(st.integers(0, 1)) for _ in forms], np.uint64)
    formed = np.array([data.draw(st.booleans()) for _ in forms])
    signatures = edit_signatures(forms, numbers, Criteria(similarity=0.7))
    bounds, letters = PairBounds(n, 0.7, 0), np.where(formed, signatures.lengths, 0)
    bounds.by_forms(letters, numbers, 6, *signatures.sketches)
    if edits:
        bounds.by_letters(np.append(0, np.cumsum([*map(len, forms)])), to_codes("".join(forms)))
    i, j = pairs_of(n)
    for a, b, good in zip(i.tolist(), j.tolist(), bounds.possible(i, j), strict=True):
        if not (0 < letters[a] < 6 or 0 < letters[b] < 6):
            assert good  # another measure decides
        elif not (formed[a] and formed[b]) or numbers[a] != numbers[b]:
            assert not good
        else:
            similar = Levenshtein.normalized_similarity(forms[a], forms[b]) >= 0.7
            assert good == similar or (good and not edits)


@examples(25)
@given(st.randoms(use_true_random=False), SIMILARITIES)
def test_edits_between_forms_of_several_words(chance: Any, similarity: float) -> None:
    page = "".join(chance.choices("abcdefg中文字", k=chance.choice([3, 63, 64, 65, 128, 200])))
    forms = [page]
    for _ in range(6):
        other = list(page)
        for _ in range(chance.randint(0, len(page) // 2)):
            place = chance.randrange(len(other) + 1)
            other[place : place + chance.randint(0, 1)] = chance.choices(
                "abxy", k=chance.choice([0, 1])
            )
        forms.append("".join(other) or "a")
    n, empty = len(forms), np.zeros((len(forms), 0), np.uint64)
    starts = np.cumsum([0, *map(len, forms)], dtype=np.int64)
    bounds = PairBounds(n, similarity, 0)
    bounds.by_forms(np.diff(starts), np.zeros(n, np.uint64), 1000, empty, empty)
    bounds.by_letters(starts, to_codes("".join(forms)))
    i, j = pairs_of(n)
    for a, b, good in zip(i.tolist(), j.tolist(), bounds.possible(i, j), strict=True):
        longer = max(len(forms[a]), len(forms[b]))
        most = int((1 - similarity) * longer + 1e-6)
        assert good == (Levenshtein.distance(forms[a], forms[b]) <= most)


# -- leaders --


class Entries(NamedTuple):
    """Lists: the list and the row of each entry, and their kinds."""

    lists: Rows
    rows: Rows
    kinds: NDArray[np.uint8]

    @classmethod
    def of(cls, each: list[tuple[list[int], int]]) -> "Entries":
        rows = np.array([row for some, _ in each for row in some], np.int64)
        lists = np.repeat(np.arange(len(each)), [len(some) for some, _ in each])
        return cls(lists, rows, np.array([kind for _, kind in each], np.uint8))


class Corpus(NamedTuple):
    """Rows in the order of keeping, lists of them, and what is near: (x, y) with x < y."""

    n: int
    arguments: tuple[Any, ...]  # of Leaders
    held: list[bool]
    entries: list[Entries]  # each with all near pairs
    near: dict[tuple[int, int], bool]  # and whether the first may take the second

    def walk(self) -> Leaders:
        leaders = Leaders(*self.arguments)
        leaders.use(*self.entries[0])
        return leaders

    def answer(self, leaders: Leaders, i: Rows, j: Rows) -> None:
        """Answer questions, which have the same answer in both directions."""
        answers = []
        for x, y in zip(i.tolist(), j.tolist(), strict=True):
            takes = self.near.get((min(x, y), max(x, y)))
            answers.append(0 if takes is None else 1 + 2 * takes)
        leaders.answer(np.array(answers, np.uint8))

    def led(self) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
        pairs = ((x, y, takes) for (x, y), takes in sorted(self.near.items()))
        return lead(pairs, held={row for row in range(self.n) if self.held[row]})

    def check(self, leaders: Leaders) -> None:
        """Check the results against the definition."""
        taken_by, _, spared = self.led()
        kept = [self.n if self.held[row] else taken_by.get(row, -1) for row in range(self.n)]
        assert leaders.keeper.tolist() == kept
        for row in range(self.n):
            if kept[row] < 0:
                assert leaders.spared[row] == spared.get(row, -1)
        assert first_rows(leaders.roots) == groups.joined(self.near, self.n)


def first_rows(roots: Rows) -> list[int]:
    """The first row of each component."""
    return [roots.tolist().index(root) for root in roots.tolist()]


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    chance = draw(st.randoms(use_true_random=False))
    n = draw(st.integers(1, 24))
    held = [chance.random() < 0.15 for _ in range(n)]
    width = draw(st.integers(0, 2))
    apart = np.array([chance.choices((-1, -1, 0, 1, 2), k=width) for _ in range(n)], np.int64)
    sketches = np.array([chance.choices((0, 1), k=16) for _ in range(n)], np.uint8)
    prints = np.array([[chance.getrandbits(6)] for _ in range(n)], np.uint64)
    fewest, distance = chance.randint(0, 9), chance.randint(1, 6)
    sets = [{*range(5), *chance.sample(range(5, 20), chance.randint(0, 8))} for _ in range(n)]
    bounds, covering = PairBounds(n, 0.6, 0), chance.choice((0.0, 0.9))
    if by_sets := draw(st.booleans()):
        bounds = bounds_of(sets, 0.6, covering)

    def may(x: int, y: int, kind: int) -> bool:
        sketched = (sketches[x] == sketches[y]).sum() >= fewest
        printed = int(prints[x, 0] ^ prints[y, 0]).bit_count() <= distance
        return {SKETCHED: bool(sketched), PRINTED: printed, LISTED: True}[kind]

    most = min(n, chance.choice((3, 24)))
    lists = [
        (sorted(chance.sample(range(n), chance.randint(1, most))),
         chance.choice((SKETCHED, PRINTED, LISTED)))
        for _ in range(chance.randint(1, 30))
    ]  # fmt: skip
    possible = {pair for rows, kind in lists for pair in combinations(rows, 2) if may(*pair, kind)}
    entries = [Entries.of(lists)]
    for _ in range(draw(st.integers(0, 2))):
        few = [(list(pair), LISTED) for pair in possible]
        entries.append(Entries.of(few + chance.sample(lists, chance.randint(0, len(lists)))))
    share, near = chance.choice((0.1, 0.5, 0.9)), {}
    for x, y in sorted(possible):
        if ((apart[x] == apart[y]) & (apart[x] >= 0)).any() or chance.random() > share:
            continue
        takes = chance.random() < 0.7
        if by_sets:
            if similarity_of(sets[x], sets[y]) < 0.6:
                continue
            takes &= len(sets[x] & sets[y]) >= covering * len(sets[y])
        near[x, y] = takes
    arguments = (bounds, apart, sketches, fewest, prints, distance, np.array(held))
    return Corpus(n, arguments, held, entries, near)


@examples(100)
@given(corpora(), st.sampled_from([1, 5, 40, 10_000]))
def test_leaders_are_those_of_all_near_pairs(corpus: Corpus, visits: int) -> None:
    """Whatever the size of batches is, and where other lists take the place of the first."""
    leaders, left, asked = corpus.walk(), corpus.entries[1:], 0
    while not leaders.done:
        i, j = leaders.questions(visits)
        asked += len(i)
        corpus.answer(leaders, i, j)
        if left and not leaders.joining:
            leaders.use(*left.pop())
    corpus.check(leaders)
    assert leaders.checked <= asked
    assert [len(one) for one in leaders.questions(100)] == [0, 0]
    assert leaders.stop() == 0


@examples(100)
@given(corpora(), st.integers(1, 60), st.integers(0, 4))
def test_a_walk_that_ends_early_counts_who_asked_too_little(
    corpus: Corpus, visits: int, rounds: int
) -> None:
    leaders = corpus.walk()
    for _ in range(rounds):
        corpus.answer(leaders, *leaders.questions(visits))
    complete = leaders.done
    left = leaders.stop()
    assert leaders.done
    assert [len(one) for one in leaders.questions(100)] == [0, 0]
    if rounds:
        assert complete == (left == 0)
    if complete:
        corpus.check(leaders)
    assert left <= corpus.n
    for row, keeper in enumerate(leaders.keeper.tolist()):
        assert keeper in (-1, corpus.n) or corpus.near[keeper, row]
    whole = groups.joined(corpus.near, corpus.n)
    assert all(whole[row] == whole[first] for row, first in enumerate(first_rows(leaders.roots)))


def plain(n: int, lists: Rows, rows: Rows, apart: Rows | None = None) -> Leaders:
    """Leaders about rows of which nothing is known but their lists."""
    apart = np.zeros((n, 0), np.int64) if apart is None else apart
    nothing, prints = np.zeros((n, 0), np.uint8), np.zeros((n, 0), np.uint64)
    leaders = Leaders(PairBounds(n, 0, 0), apart, nothing, 0, prints, 0, np.zeros(n, np.bool_))
    leaders.use(lists, rows, np.full(len(np.unique(lists)), LISTED, np.uint8))
    return leaders


def test_a_family_costs_as_much_as_it_has_members() -> None:
    n, asked = 50_000, 0
    leaders = plain(n, np.repeat(np.arange(4), n), np.tile(np.arange(n), 4))
    assert leaders.coming == 4 * n * (n - 1) // 2
    while not leaders.done:
        i, _ = leaders.questions(1 << 40)
        asked += len(i)
        leaders.answer(np.full(len(i), 3, np.uint8))
    assert not leaders.keeper[1:].any()
    assert leaders.checked <= asked < 2 * n
    assert leaders.visits < 20 * n


def test_rows_that_are_apart_are_not_asked_about() -> None:
    n = 2_000
    leaders = plain(n, np.zeros(n, np.int64), np.arange(n), np.arange(n)[:, None] % 2)
    while not leaders.done:
        i, j = leaders.questions(1 << 40)
        assert ((i - j) % 2).all()
        leaders.answer(np.full(len(i), 3, np.uint8))
    assert (leaders.keeper[:4].tolist(), len(set(first_rows(leaders.roots)))) == ([-1, 0, -1, 0], 1)


EQUAL, ONE, TWO, KIND = (
    np.zeros(2, np.int64),
    np.zeros(1, np.int64),
    np.array([0, 1]),
    np.zeros(1, np.uint8),
)
SKETCH, BYTES, CODE = np.zeros((2, 1), np.uint64), np.zeros((2, 16), np.uint8), np.zeros(1, "u4")
NONE, STARTS, HASHES = np.zeros(0, "u4"), np.array([0, 0, 1]), np.zeros(1, np.uint64)


def made(**given: Any) -> Leaders:
    arguments = {"bounds": PairBounds(2, 0, 0), "apart": np.full((2, 1), -1), "sketches": BYTES,
                 "fewest": 0, "prints": SKETCH, "distance": 0, "held": TWO > 1}  # fmt: skip
    return Leaders(*(arguments | given).values())


def used(lists: Rows = EQUAL, rows: Rows = TWO, kinds: Any = KIND, *more: Any) -> Leaders:
    leaders = made()
    leaders.use(lists, rows, kinds, *more)
    return leaders


def asked() -> Leaders:
    leaders = used()
    assert len(leaders.questions(9)[0]) == 1
    return leaders


def formed() -> PairBounds:
    bounds = PairBounds(2, 0, 0)
    bounds.by_forms(TWO, SKETCH[:, 0].copy(), 5, SKETCH, SKETCH)
    return bounds


@pytest.mark.parametrize(
    "call",
    [
        lambda: made(bounds=PairBounds(3, 0, 0)),
        lambda: made(apart=ONE[:, None]),
        lambda: made(sketches=BYTES[:1]),
        lambda: made(sketches=BYTES[:, :15].copy()),
        lambda: made(sketches=np.zeros((2, 4096), np.uint8)),
        lambda: made(prints=SKETCH[:1]),
        lambda: made(held=ONE > 0),
        lambda: used(rows=TWO + 1),
        lambda: used(rows=TWO - 1),
        lambda: used(rows=ONE),
        lambda: used(lists=TWO[::-1].copy()),
        lambda: used(lists=TWO),
        lambda: used(kinds=KIND[:0]),
        lambda: used(EQUAL, TWO, KIND, TWO),
        lambda: asked().use(ONE, ONE, KIND),
        lambda: asked().answer(np.zeros(2, np.uint8)),
        lambda: used().answer(KIND),
        lambda: PairBounds(2, 0, 0).possible(TWO, TWO + 1),
        lambda: PairBounds(2, 0, 0).possible(TWO, TWO - 1),
        lambda: PairBounds(2, 0, 0).possible(TWO, ONE),
        lambda: PairBounds(2, 0, 0).by_sets(SKETCH[:1], STARTS, CODE, CODE.copy()),
        lambda: PairBounds(2, 0, 0).by_sets(SKETCH, TWO, CODE, CODE.copy()),
        lambda: PairBounds(2, 0, 0).by_sets(SKETCH, STARTS, NONE, NONE.copy()),
        lambda: PairBounds(2, 0, 0).by_sets(SKETCH, STARTS, CODE, NONE.copy()),
        lambda: PairBounds(2, 0, 0).by_forms(ONE, SKETCH[:, 0].copy(), 5, SKETCH, SKETCH),
        lambda: PairBounds(2, 0, 0).by_forms(TWO, HASHES, 5, SKETCH, SKETCH),
        lambda: PairBounds(2, 0, 0).by_forms(TWO, SKETCH[:, 0].copy(), 5, SKETCH[:1], SKETCH),
        lambda: PairBounds(2, 0, 0).by_letters(STARTS, CODE),
        lambda: formed().by_letters(TWO, CODE),
        lambda: formed().by_letters(STARTS, NONE),
        lambda: odd_sketches(TWO, HASHES[:0], 1),
        lambda: odd_sketches(ONE, HASHES[:0], 0),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="fit"):
        call()
