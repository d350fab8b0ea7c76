"""Scans of made corpora give what all pairs, one by one, give."""

import pytest

from lab.breaking import brute_force
from lab.breaking.brute_corpora import Case, Row, make
from lab.corpora.made import simplified_characters
from lab.oracles import plain
from lab.oracles.leaders import leaders

PART = 6


@pytest.mark.parametrize("first", range(0, brute_force.SMALL, PART))
def test_scans_find_what_all_pairs_give(first: int) -> None:
    wrong = {}
    for seed in range(first, first + PART):
        found = brute_force.compare(seed)
        if found.wrong:
            wrong[seed] = found.wrong
    assert not wrong


def test_what_is_wrong_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Boats leave the harbour at seven, and nobody waits. "
    rows = tuple(Row(name, text) for name in "ab")
    assert not brute_force.judge(Case(0, rows, (), {"method": "auto"})).wrong
    monkeypatch.setattr(brute_force.BruteForce, "is_pair", lambda *_: False)
    assert brute_force.judge(Case(0, rows, (), {"method": "auto"})).wrong


def test_kept_documents_take_what_nobody_took() -> None:
    """In a chain, where 3 may not take 2, and 4 must not meet 0."""
    near = {(0, 1), (1, 2), (2, 3), (1, 4)}
    takes = {(a, b) for a in range(5) for b in range(5)} - {(3, 2)}
    kept, cluster = leaders([3, 0, 1, 2, 4], near, takes, distinct=[(0, 4)])
    assert kept == {3: 3, 0: 0, 1: 0, 2: 2, 4: 4}
    assert cluster[0] == {0, 1, 2, 3}
    assert cluster[4] == {4}


@pytest.mark.parametrize("seed", range(3))
def test_edits_are_those_of_the_table(seed: int) -> None:
    table = simplified_characters()
    texts = [plain.fold(row.text, table)[:70] for row in make(seed).rows[:12]]
    for a in texts:
        for b in texts:
            assert plain.edit_distance(a, b) == plain.edit_table(a, b)
