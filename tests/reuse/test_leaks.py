"""Leaks: the pairs whose passages make up a large enough share of the reference."""

import random
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reuse.test_finding import Texts, finder, sharing_texts

from lab.oracles import reuse as oracle
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.finding import Finder, Passages, Sides, concat
from simdup.reuse.rates import find_leaks

Spans = list[tuple[int, int, int]]


def with_sides(texts: Texts, kinds: list[str], gap: int) -> tuple[Passages, Finder]:
    tried = finder(texts, PassageCriteria(min_run=4, gap=gap, min_length=4, common=100))
    sources, references = (np.array([one in kind for kind in kinds]) for one in "se")
    sides = Sides.every(len(texts))._replace(sources=sources, references=references)
    tried = replace(tried, sides=sides)
    return tried.find(0, len(texts)), tried


def by_definition(found: Passages, tried: Finder, texts: Texts) -> dict[tuple[int, int], float]:
    """The share of each reference that each source has."""
    rows, passages = set(tried.rows.tolist()), defaultdict[tuple[int, int], Spans](list)
    columns = (found.texts, found.a, found.b, found.lengths)
    for (a, b), *spans, length in zip(*(one.tolist() for one in columns), strict=True):
        for x, y, (begin, end) in ((a, b, spans[0]), (b, a, spans[1])):
            if tried.sides.references[x] and tried.sides.sources[y]:
                start = int(tried.starts[x])
                equal = length + sum(start + i in rows for i in range(begin, end))
                passages[x, y].append((begin, end, equal))
    for one in np.flatnonzero(tried.sides.sources & tried.sides.references).tolist():
        passages[one, one] = [(0, len(texts[one]), len(texts[one]))]
    return {
        (x, y): oracle.leaked_share(some, len(texts[x]))
        for (x, y), some in passages.items()
        if texts[x]
    }


@given(sharing_texts(), st.data(), st.sampled_from([0, 3, 30]), st.sampled_from([0.1, 0.5, 1.0]))
def test_shares_are_those_of_the_definition(
    texts: Texts, data: st.DataObject, gap: int, least: float
) -> None:
    texts = [text or [1] for text in texts]
    one = st.sampled_from(["s", "e", "se"])
    kinds = data.draw(st.lists(one, min_size=len(texts), max_size=len(texts)))
    found, tried = with_sides(texts, kinds, gap)
    leaks = find_leaks(found, tried, least)
    shares = dict(zip(map(tuple, leaks.texts.tolist()), leaks.shares.tolist(), strict=True))
    expected = by_definition(found, tried, texts)
    assert shares == pytest.approx({k: v for k, v in expected.items() if v >= least})
    assert list(shares) == sorted(shares)
    assert leaks.firsts[-1] == len(leaks.spans) == len(leaks.places)
    for number, (x, y) in enumerate(shares):
        rows = slice(leaks.firsts[number], leaks.firsts[number + 1])
        for a, b in zip(leaks.spans[rows].tolist(), leaks.places[rows].tolist(), strict=True):
            assert texts[x][a[0]] == texts[y][b[0]]
            assert texts[x][a[1] - 1] == texts[y][b[1] - 1]


def test_gaps_between_chance_runs_do_not_count() -> None:
    """Half of a text is covered, but only a third of it is equal."""
    chance = random.Random(1)
    own = [[chance.randrange(1 << 30) for _ in range(90)] for _ in range(2)]
    for start in (0, 30, 60):
        own[1][start : start + 10] = own[0][start : start + 10]
    found, tried = with_sides(own, ["e", "s"], 30)
    assert found.a.tolist() == [[0, 70]]
    assert find_leaks(found, tried, 0.3).shares == pytest.approx([1 / 3])
    assert not len(find_leaks(found, tried, 0.4).texts)


def test_without_passages_nothing_is_leaked() -> None:
    _, tried = with_sides([[1, 2, 3], [4, 5, 6]], ["e", "s"], 0)
    leaks = find_leaks(concat([]), tried, 0.1)
    assert (len(leaks.texts), leaks.firsts.tolist()) == (0, [0])
