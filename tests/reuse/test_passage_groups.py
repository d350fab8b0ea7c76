"""Groups of passages by their definition, and what they cost."""

import random
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from lab.oracles import reuse as oracle
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.finding import Runs, Sides, surround
from simdup.reuse.overlaps import Holders
from simdup.reuse.passage_groups import (
    GroupFinder,
    _cut_where_sparse,
    form_groups,
    joined_places,
)
from simdup.reuse.seeds import pair_with_first
from simdup.reuse.slots import Alignment
from simdup.reuse.symbols import SymbolTexts
from simdup.reuse.winnowing import Seeds, Window, winnow

Texts = list[list[int]]
Places = set[tuple[int, int, int]]  # a text, and where the passage begins and ends in it


def finder(texts: Texts, criteria: PassageCriteria) -> GroupFinder:
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    every = SymbolTexts(starts, np.array([s for text in texts for s in text], np.uint32))
    seeds = winnow(every, Window.of(criteria.min_run))
    starts, symbols = surround(every)
    owners = np.searchsorted(every.starts, seeds.positions, "right") - 1
    moved = seeds.positions + (starts[:-1] - every.starts[:-1])[owners]
    keys = np.zeros(len(texts), np.uint64)
    return GroupFinder.of(SymbolTexts(starts, symbols), Seeds(seeds.hashes, moved), keys, criteria)


def linked(tried: GroupFinder) -> Alignment:
    return Alignment.concat(tried.find(*one) for one in tried.ranges())


def grouped(texts: Texts, criteria: PassageCriteria) -> list[Places]:
    tried = finder(texts, criteria)
    none = np.zeros((0, 2), np.int64)
    places = joined_places(linked(tried), tried.rows, criteria.min_length, none)
    count = len(texts)
    holders = Holders.of(np.arange(count), count, Sides.every(count))
    return [
        {(d, *span) for d, span in zip(one.documents.tolist(), one.spans.tolist(), strict=True)}
        for one in form_groups(places, tried.starts, holders, criteria.common)
    ]


def letters(chance: random.Random, count: int) -> list[int]:
    return [chance.randrange(10**6) for _ in range(count)]


@st.composite
def sharing_texts(draw: st.DrawFn) -> Texts:
    """Texts that share pieces of each other, some with a change."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    kinds = draw(st.sampled_from([2, 6, 1000]))
    source = [chance.randrange(kinds) for _ in range(100)]
    texts = []
    for _ in range(draw(st.integers(2, 5))):
        text = [chance.randrange(kinds) for _ in range(chance.randrange(20))]
        for _ in range(chance.randrange(4)):
            start, place = chance.randrange(80), chance.randrange(len(text) + 1)
            piece = source[start : start + chance.randrange(60)]
            for _ in range(chance.randrange(3)):
                piece[chance.randrange(len(piece) + 1) :][:1] = [chance.randrange(kinds)]
            text[place:place] = piece
        texts.append(text)
    return texts


def chains_of(aligned: Alignment) -> list[list[oracle.Run]]:
    (a, b, lengths), chains, _ = aligned
    rows = zip(chains.tolist(), a.tolist(), b.tolist(), lengths.tolist(), strict=True)
    return [[(x, y, n) for _, x, y, n in some] for _, some in groupby(rows, lambda row: row[0])]


@examples(60)
@given(sharing_texts(), st.sampled_from([2, 4, 7]), st.integers(0, 8), st.integers(3, 14))
def test_places_and_groups_by_their_definition(
    texts: Texts, run: int, gap: int, least: int
) -> None:
    criteria = PassageCriteria(min_run=run, gap=gap, min_length=least)
    tried = finder(texts, criteria)
    aligned, whole = linked(tried), np.stack([tried.starts[:-1], tried.starts[1:] - 1], 1)
    (a, _, lengths), _, weights = aligned
    assert weights.tolist() == [
        n - np.isin(np.arange(first, first + n), tried.rows).sum()
        for first, n in zip(a.tolist(), lengths.tolist(), strict=True)
    ]
    copies = whole[np.diff(whole, axis=1).ravel() >= least][:1]
    expected = oracle.joined_places(
        chains_of(aligned), set(tried.rows.tolist()), least, list(map(tuple, copies.tolist()))
    )
    found = joined_places(aligned, tried.rows, least, copies)
    assert sorted(list(map(tuple, one.tolist())) for one in found) == sorted(expected)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 12), st.booleans()),
             min_size=1, max_size=9),
    st.integers(1, 20),
)  # fmt: skip
def test_links_are_cut_where_they_are_sparse(
    rows: list[tuple[int, int, int, bool]], least: int
) -> None:
    a, b = (
        np.cumsum([0, *(i + n for i, _, n, _ in rows)]),
        np.cumsum([0, *(j + n for _, j, n, _ in rows)]),
    )
    lengths = np.array([n for _, _, n, _ in rows])
    starts = [a[:-1] + [i for i, _, _, _ in rows], b[:-1] + [j for _, j, _, _ in rows]]
    weights = lengths * np.array([counts for *_, counts in rows])
    aligned = Alignment(Runs(*starts, lengths), np.zeros(len(rows), np.int64), weights)
    found = _cut_where_sparse(aligned, least)
    kept = np.bincount(found.chains, found.weights)[found.chains] >= least
    chain = list(zip(starts[0].tolist(), starts[1].tolist(), lengths.tolist(), strict=True))
    expected = oracle.dense_parts(chain, weights.tolist(), least)
    assert chains_of(found.take(np.flatnonzero(kept))) == expected


@given(st.lists(st.lists(st.integers(0, 4), max_size=12), min_size=1, max_size=5))
def test_each_seed_is_paired_with_the_first_text(texts: Texts) -> None:
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    every = [symbol for text in texts for symbol in text]
    owner = [number for number, text in enumerate(texts) for _ in text]
    hashes = np.array(every, np.uint64) << np.uint64(40)
    expected = set()
    for at, symbol in enumerate(every):
        same = [i for i, one in enumerate(every) if one == symbol]
        holders = sorted({owner[i] for i in same})
        rank = sum(owner[i] == owner[at] for i in same if i < at)
        if len(holders) < 2 or rank >= 8:
            continue
        if owner[at] != holders[0]:
            expected.add((same[0], at))
        elif rank:
            expected.add((at, next(i for i in same if owner[i] == holders[1])))
    seeds = Seeds(hashes, np.arange(len(every)))
    found = pair_with_first(seeds, starts, again=True)
    assert sorted(zip(*map(np.ndarray.tolist, found), strict=True)) == sorted(expected)
    assert (np.diff(found.b) >= 0).all()


@examples(40)
@given(st.integers(0, 2**32), st.sampled_from([2, 5, 15]), st.integers(10, 60))
def test_an_equal_run_is_in_a_group_of_all_its_texts(seed: int, run: int, least: int) -> None:
    """Whatever is beside it, and whoever has a part of it."""
    chance = random.Random(seed)
    size = least + Window.of(run).w - 1
    passage = letters(chance, size)
    texts = []
    for _ in range(chance.randrange(3)):
        start = chance.randrange(size)
        part = passage[start : start + chance.randrange(size)]
        texts.append([*letters(chance, 20), *part, *letters(chance, 20)])
    own = range(len(texts), len(texts) + 4)
    texts += [[*letters(chance, 9 * i), *passage, *letters(chance, 40)] for i in range(4)]
    groups = grouped(texts, PassageCriteria(min_run=run, min_length=least, gap=5))
    assert any({text for text, _, _ in one} >= set(own) for one in groups)


def test_who_has_a_part_is_in_a_group_of_the_part() -> None:
    chance = random.Random(1)
    before, notice, behind = letters(chance, 100), letters(chance, 60), letters(chance, 100)
    texts = [
        [*letters(chance, 30), *before, *notice, *behind],
        [*before, *notice, *behind],
        [*letters(chance, 50), *notice, *letters(chance, 50)],
        [*letters(chance, 70), *notice],
    ]
    for order in ([0, 1, 2, 3], [2, 0, 3, 1], [3, 2, 1, 0]):
        found = grouped([texts[i] for i in order], PassageCriteria())
        named = [{(order[text], start, end) for text, start, end in one} for one in found]
        assert named == [
            {(0, 130, 190), (1, 100, 160), (2, 50, 110), (3, 70, 130)},
            {(0, 30, 290), (1, 0, 260)},
        ]


def test_what_a_text_has_twice_is_two_places() -> None:
    chance = random.Random(2)
    notice = letters(chance, 60)
    texts = [
        [*notice, *letters(chance, 90), *notice, *letters(chance, 5)],
        [*letters(chance, 80), *notice, *letters(chance, 80), *notice],
    ]
    [found] = grouped(texts, PassageCriteria())
    assert found == {(0, 0, 60), (0, 150, 210), (1, 80, 140), (1, 220, 280)}


def test_cost_grows_with_the_places_not_with_their_pairs() -> None:
    chance = random.Random(3)
    notice = letters(chance, 80)
    counts = []
    for many in (200, 400):
        texts = [[*letters(chance, 30), *notice, *letters(chance, 30)] for _ in range(many)]
        tried = finder(texts, PassageCriteria())
        aligned = linked(tried)
        counts.append((len(tried.pairs.a), len(aligned.chains)))
        [found] = grouped(texts, PassageCriteria())
        # By chance, two texts have the same beside it.
        assert len({text for text, _, _ in found}) == len(found) == many
        assert {start for _, start, _ in found} <= {29, 30}
    (pairs, links), (more_pairs, more_links) = counts
    assert more_pairs <= 2.1 * pairs
    assert more_links <= 2.5 * links <= 5 * 200


@pytest.mark.parametrize(("common", "groups"), [(None, 1), (9, 0), (10, 1)])
def test_text_of_too_many_documents_is_left_out_if_that_is_asked(
    common: int | None, groups: int
) -> None:
    chance = random.Random(4)
    notice = letters(chance, 80)
    texts = [[*letters(chance, 30), *notice, *letters(chance, 30)] for _ in range(10)]
    assert len(grouped(texts, PassageCriteria(common=common))) == groups


def test_relatives_are_compared_in_full() -> None:
    """Though most of their seeds are in an earlier text, which differs more."""
    chance = random.Random(5)
    source = letters(chance, 2000)
    far = [s if i % 70 else 7 for i, s in enumerate(source)]
    far = far[:900] + letters(chance, 300) + far[1200:]
    near = [
        [s if (i + shift) % 45 else 8 + shift for i, s in enumerate(source)] for shift in (3, 20)
    ]
    found = grouped([far, *near], PassageCriteria())
    assert any({text for text, _, _ in one} == {1, 2} for one in found)
    whole = next(one for one in found if {text for text, _, _ in one} == {1, 2})
    assert min(end - start for _, start, end in whole) > 1900


def test_no_texts_have_no_groups() -> None:
    assert grouped([[1], [2]], PassageCriteria()) == []
    none = np.zeros((0, 2), np.int64)
    assert joined_places(Alignment.concat([]), np.zeros(0, np.int64), 50, none) == []
