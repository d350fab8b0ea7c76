"""Pairs of very many sets: nearly all that comparing each with each finds, at a bounded cost."""

import random

import numpy as np
import pytest

from lab.corpora.made import in_memory
from lab.oracles import plain
from simdup.model.criteria import CHARACTERS_5, SHORT, Criteria, Shingling
from simdup.model.measures import MeasuredPairs
from simdup.model.recipe import Recipe
from simdup.near import true_pairs
from simdup.near.true_pairs import edited_pairs, wide_counted, wide_edited
from simdup.near.verifier import Texts
from simdup.text.analyzer import Analyzer
from simdup.text.short_texts import forms_of

ANALYZER = Analyzer.for_recipe(Recipe())
Elements = list[set[int]]


def families(count: int, size: int = 60) -> Elements:
    """Sets in families of four that share more and less with each other."""
    chance = np.random.default_rng(count)
    made: Elements = []
    for _ in range(count):
        own = chance.integers(0, 1 << 60, size).tolist()
        for lost in (0, 3, 12, 25):
            other = chance.integers(0, 1 << 60, lost).tolist()
            made.append({*own[lost:], *other})
    return made


def texts_of(made: Elements) -> Texts:
    """Texts whose words are the elements."""
    contents = [" ".join(map(str, sorted(one))).encode() for one in made]
    documents, read = in_memory(contents)
    return Texts(documents, ANALYZER, Shingling.parse("words:1"), read)


def all_pairs(made: Elements, least: float) -> dict[tuple[int, int], float]:
    shares = {(i, j): plain.jaccard(made[i], made[j]) for j in range(len(made)) for i in range(j)}
    return {pair: share for pair, share in shares.items() if share >= least}


def test_it_finds_what_comparing_all_finds() -> None:
    made = families(60)
    pairs, least = wide_counted(texts_of(made), 0.8)
    found = as_dict(pairs)
    true = all_pairs(made, least)
    assert least == 0.3
    assert found.items() <= true.items()
    assert len(found) >= 0.995 * len(true)
    assert list(found) == sorted(found)


def test_short_texts_are_measured_by_edits() -> None:
    chance = random.Random(3)
    letters = "河岸老树新芽春风秋雨山高水长天地人和日月星辰"
    texts = []
    for number in range(120):
        text = "".join(chance.choices(letters, k=chance.choice([9, 30, 110, 150])))
        texts.append(text + f" {number % 7}")
        for _ in range(chance.randint(0, len(text) // 3)):
            place = chance.randrange(len(text))
            text = text[:place] + chance.choice(letters) + text[place + 1 :]
        texts.append(text + f" {number % 7 + number % 2}")
    prepared = ANALYZER.prepare_all(texts)
    forms = forms_of(prepared, 400)
    known, read = in_memory([text.folded.encode() for text in prepared])
    known = known.and_columns(letters=forms.lengths, numbers=forms.number_hashes)
    held = Texts(known, ANALYZER, CHARACTERS_5, read)
    measured = {
        (i, j): plain.edit_similarity(forms.texts[i], forms.texts[j])
        for j in range(len(texts))
        for i in range(j)
        if min(len(forms.texts[i]), len(forms.texts[j])) < SHORT
        and forms.numbers[i] == forms.numbers[j]
    }
    true = {pair: share for pair, share in measured.items() if share >= 0.3}
    exact = edited_pairs(held, 0.3)
    assert as_dict(exact) == true
    found, least = wide_edited(held, Criteria())
    assert least == 0.5
    assert as_dict(found).items() <= true.items()
    high = {pair for pair, share in true.items() if share >= 0.7}
    assert len(high) > 30
    assert len(high & as_dict(found).keys()) >= 0.95 * len(high)


def as_dict(found: MeasuredPairs) -> dict[tuple[int, int], float]:
    a, b, similarity = (found[name].tolist() for name in ("a", "b", "similarity"))
    return dict(zip(zip(a, b, strict=True), similarity, strict=True))


def test_documents_are_named_by_their_places() -> None:
    made, rows = families(5), np.array([0, 1, 8, 9])
    pairs, _ = wide_counted(texts_of(made).take(rows), 0.8)
    assert as_dict(pairs).keys() == {(0, 1), (2, 3)}
    nothing, _ = wide_counted(texts_of(made).take(rows[:0]), 0.8)
    assert len(nothing) == 0


def test_the_similarity_rises_until_few_pairs_share_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    made = families(60)
    monkeypatch.setattr(true_pairs, "VISITS", 5000)
    pairs, least = wide_counted(texts_of(made), 0.8)
    assert 0.3 < least <= 0.8
    true = all_pairs(made, least)
    assert len(pairs) >= 0.99 * len(true)
    monkeypatch.setattr(true_pairs, "VISITS", 0)
    assert wide_counted(texts_of(made), 0.75)[1] == 0.75


def test_of_many_candidates_some_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = texts_of(families(60))
    whole, _ = wide_counted(texts, 0.8)
    monkeypatch.setattr(true_pairs, "MOST", 50)
    some, _ = wide_counted(texts, 0.8)
    assert as_dict(some).keys() < as_dict(whole).keys()
    assert 25 <= len(some) <= 50
    # A random part: as many of the most similar pairs as of the others.
    high = [np.mean(pairs["similarity"] > 0.6) for pairs in (some, whole)]
    assert abs(high[0] - high[1]) < 0.25
