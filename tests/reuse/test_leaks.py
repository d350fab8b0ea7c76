"""Leaks: the pairs of which one text has a large enough share of the reference, in equal runs."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reuse.test_finding import Texts, cut, finder, sharing_texts

from lab.oracles import reuse as oracle
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.finding import Finder, Passages, Sides
from simdup.reuse.overlaps import concat
from simdup.reuse.rates import find_leaks, grams_of_many
from simdup.reuse.winnowing import gram_hashes
from simdup.search.arrays import Members

RUN = 4
NONE = Members(np.zeros(0, np.uint64))


def with_sides(texts: Texts, kinds: list[str]) -> tuple[Passages, Finder]:
    tried = finder(texts, PassageCriteria(min_run=RUN, gap=0, min_length=RUN, common=100))
    sources, references = (np.array([one in kind for kind in kinds]) for one in "se")
    sides = Sides.every(len(texts))._replace(sources=sources, references=references)
    tried = replace(tried, sides=sides)
    return tried.find(0, len(texts)), tried


@st.composite
def telling_texts(draw: st.DrawFn) -> tuple[Texts, list[str]]:
    """Texts without rows, some of which begin alike, and on which side each is."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    pool = [chance.randrange(1 << 30) for _ in range(60)]
    texts = [pool[:8] * draw(st.booleans()) for _ in range(draw(st.integers(2, 6)))]
    for text in texts:
        for _ in range(chance.randrange(1, 5)):
            start = chance.randrange(len(pool))
            text += pool[start : start + chance.randrange(2, 20)]
    kinds = st.lists(st.sampled_from(["s", "e", "se"]), min_size=len(texts), max_size=len(texts))
    return texts, draw(kinds)


@given(telling_texts(), st.sampled_from([1, 2, 100]), st.sampled_from([0, 3, 30]))
def test_shares_are_those_of_the_definition(
    made: tuple[Texts, list[str]], most: int, gap: int
) -> None:
    texts, kinds = made
    found, tried = with_sides(texts, kinds)
    asked = [row for row, kind in enumerate(kinds) if "e" in kind]
    shared = Members(grams_of_many(cut([texts[row] for row in asked]), RUN, lambda _: most))
    counting = oracle.counting_places([texts[row] for row in asked], RUN, most)
    expected = {
        (x, y): share
        for x, places in zip(asked, counting, strict=True)
        for y, kind in enumerate(kinds)
        if "s" in kind and (x == y or texts[x] != texts[y])
        if (share := oracle.leaked_share(texts[x], texts[y], places, RUN)) >= 0.3
    }
    leaks = find_leaks(found, tried, 0.3, gap, shared)
    pairs = [*map(tuple, leaks.texts.tolist())]
    same = {(x, y) for x, y in pairs if x != y and texts[x] == texts[y]}
    shares = dict(zip(pairs, leaks.shares.tolist(), strict=True))
    assert {pair: shares[pair] for pair in shares.keys() - same} == pytest.approx(expected)
    assert pairs == sorted(pairs)
    # What is listed is what counts, and no passage of it says nothing new.
    places_of = dict(zip(asked, counting, strict=True))
    for number, (x, y) in enumerate(pairs):
        rows = slice(leaks.firsts[number], leaks.firsts[number + 1])
        covered = set[int]()
        for a, b in zip(leaks.spans[rows].tolist(), leaks.places[rows].tolist(), strict=True):
            assert texts[x][a[0]] == texts[y][b[0]]
            assert texts[x][a[1] - 1] == texts[y][b[1] - 1]
            covered |= set(range(*a))
        assert len(covered & places_of[x]) >= round(shares[x, y] * len(places_of[x]))


@given(sharing_texts(), st.sampled_from([2, 3, 5]), st.integers(1, 3))
def test_what_many_texts_have_is_counted_by_text(texts: Texts, k: int, most: int) -> None:
    hashes = grams_of_many(cut(texts), k, lambda _: most)
    expected = {
        int(gram_hashes(np.array(gram, np.uint32), k)[0])
        for gram, count in oracle.gram_counts(texts, k).items()
        if count > most
    }
    assert hashes.tolist() == sorted(expected)


def test_a_rough_copy_hides_no_verbatim_one() -> None:
    """A passage of bits comes first in the text, and covers what the copy has whole."""
    chance = random.Random(1)
    own = [chance.randrange(1 << 30) for _ in range(60)]
    rough = [symbol if place % 10 < 5 else 0 for place, symbol in enumerate(own)]
    found, tried = with_sides([own, [*rough, 1, 1, 1, *own[5:]]], ["e", "s"])
    leaks = find_leaks(found, tried, 0.5, 30, NONE)
    assert leaks.shares == pytest.approx([1])
    assert leaks.places.tolist()[-1] == [63, 118]


def test_chance_runs_do_not_count() -> None:
    """Short runs between gaps, however many, are no leak."""
    chance = random.Random(1)
    own = [[chance.randrange(1 << 30) for _ in range(90)] for _ in range(2)]
    for start in range(0, 90, 9):
        own[1][start : start + RUN - 1] = own[0][start : start + RUN - 1]
    own[1][:10] = own[0][:10]
    found, tried = with_sides(own, ["e", "s"])
    assert find_leaks(found, tried, 0.1, 30, NONE).shares == pytest.approx([12 / 90])


def test_without_passages_nothing_is_leaked() -> None:
    _, tried = with_sides([[1, 2, 3], [4, 5, 6]], ["e", "s"])
    leaks = find_leaks(concat([]), tried, 0.1, 0, NONE)
    assert (len(leaks.texts), leaks.firsts.tolist()) == (0, [0])
