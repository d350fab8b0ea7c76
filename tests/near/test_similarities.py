"""How similar candidates are: a sample that does not depend on order, and its valley."""

import os
import random

from support import ROOT, Command

from lab.corpora.made import edited, prose
from simdup import scan
from simdup.near.steps.similarities import valley


def corpus() -> list[tuple[str, str]]:
    """Copies with few edits, and others with many."""
    texts = []
    for number in range(40):
        text = prose(number)
        texts += [(f"{number}", text), (f"{number} near", edited(text, number, 3))]
        texts.append((f"{number} far", edited(text, number, 60)))
    return texts


def test_the_sample_does_not_depend_on_the_order_of_input() -> None:
    texts, counts = corpus(), set()
    for seed in range(3):
        random.Random(seed).shuffle(texts)
        similarities = scan(texts, similarity=0.7, similarities=True).summary.similarities
        assert similarities is not None
        counts.add(similarities.counts)
    (counted,) = counts
    # What is no pair is counted too.
    assert sum(counted[14:]) >= 40
    assert sum(counted[:14]) > 0


def test_of_a_family_some_pairs_are_measured() -> None:
    text = prose(1)
    family = [(str(number), edited(text, number, 2)) for number in range(300)]
    similarities = scan(family, similarities=True).summary.similarities
    assert similarities is not None
    assert 300 <= sum(similarities.counts) <= 2000


def test_nobody_measures_what_is_not_asked_for() -> None:
    assert scan(corpus()).summary.similarities is None
    unverified = scan(corpus(), similarities=True, verify=False)
    assert unverified.summary.similarities is None


def test_a_valley_is_surely_below_both_sides() -> None:
    assert valley([0, 50, 0, 50]) == 0.625
    assert valley([0, 50, 0, 0, 50]) == 0.6
    assert valley([50, 30, 10]) is None
    assert valley([3, 0, 3]) is None
    assert valley([400, 300, 400]) is None
    assert valley([0] * 20) is None
    assert valley([]) is None


def test_the_report_shows_it_if_all_is_to_be_said(simdup: Command) -> None:
    examples = os.fspath(ROOT / "examples")
    assert "sampled candidates" not in simdup("scan", examples).err
    said = simdup("scan", examples, "-v").err
    assert "sampled candidates by similarity: 0 │" in said
