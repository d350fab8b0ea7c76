"""Made articles are labelled with their reprints, and with nothing else."""

from functools import cache
from itertools import combinations

import pytest

from lab.corpora.facts import CHINESE, ENGLISH
from lab.corpora.reprints import MIXED, Labelled, reprints
from simdup.model.criteria import CHARACTERS_5
from simdup.text.characters import fold
from simdup.text.shingles import Shingler

ALL = (CHINESE, ENGLISH, MIXED)
made = cache(reprints)


def corpus(language: str) -> Labelled:
    return made(language, 60)


@pytest.mark.parametrize("language", ALL)
def test_reprints_are_alike_and_other_documents_are_not(language: str) -> None:
    texts, groups = corpus(language)
    shingler = Shingler(CHARACTERS_5)
    prepared = ("".join(fold(text).split()) for text in texts.values())
    sets = [set(shingler.shingles(text).tolist()) for text in prepared]
    grams = dict(zip(texts, sets, strict=True))

    def alike(pair: tuple[str, str]) -> float:
        a, b = (grams[name] for name in pair)
        return len(a & b) / len(a | b)

    same = {pair for group in groups for pair in combinations(sorted(group), 2)}
    assert min(map(alike, same)) > 0.6
    others = (pair for pair in combinations(sorted(texts), 2) if pair not in same)
    assert 0.15 < max(map(alike, others)) < 0.6
