"""Containment of short texts: by runs that fit, found in a scan, and the same in large clusters."""

import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, examples, seeds

from lab.corpora.made import write
from lab.oracles import plain, short_texts
from simdup import Result, compare, dedupe, scan
from simdup.model.settings import RunOptions
from simdup.near import join, walk

ONE = RunOptions(jobs=1)
HAN = [chr(0x4E00 + i) for i in range(900)]
LETTERS = "etaoinshrdlu"


def verse(chance: random.Random, size: int) -> str:
    return "".join(chance.choices(HAN, k=size))


def by_hand(a: str, b: str) -> float:
    """The containment of two folded texts."""
    first, second = short_texts.contents(a, b)
    return len(first & second) / min(len(first), len(second))


def pairs_of(found: Result) -> set[tuple[Any, Any]]:
    return {(pair.a, pair.b) for pair in found.pairs}


@examples(12)
@given(
    st.text(["河", "山", "水", "日", "月", "a", "b", "，", " "], min_size=1, max_size=60),
    st.integers(0, 3000), st.integers(0, 60), st.randoms(use_true_random=False),
)  # fmt: skip
def test_containment_is_that_of_the_definition(
    text: str, size: int, start: int, chance: random.Random
) -> None:
    """Beside texts of any length, which have some of it in them or not."""
    whole = "".join(chance.choices(["河", "山", "水", "日", "木", "a", "c", "。"], k=size)) + "月"
    whole += text[start:]
    if not plain.solid(text):
        return
    found = compare(text, whole, "plain", containment=0.5).measures
    turned = compare(whole, text, "plain", containment=0.5).measures
    assert found.containment == turned.containment == by_hand(text, whole)
    assert found.containment == compare(text, whole, "plain", containment=0.9).measures.containment


@pytest.mark.parametrize(
    ("letters", "run"),
    [(20, 4), (239, 4), (240, 5), (480, 6), (960, 7), (1920, 8), (3840, 9), (7680, 10), (9**5, 10)],
)  # fmt: skip
def test_runs_grow_with_the_longer_text(letters: int, run: int) -> None:
    chance = random.Random(letters)
    assert compare(verse(chance, 18), verse(chance, letters), containment=0.5).run == run
    assert short_texts.run_length(letters) == run


def test_chance_is_no_containment_however_long_the_other_text_is() -> None:
    chance = random.Random(1)
    # Text with as few different characters as verse has of one kind.
    few = HAN[:250]
    for letters in (60, 600, 6000, 20_000):
        whole = "".join(chance.choices(few, k=letters))
        texts = ["".join(chance.choices(few, k=24)) for _ in range(20)]
        found = (compare(text, whole, "plain", containment=0.5) for text in texts)
        shares = [one.measures.containment for one in found]
        assert sum(share or 0 for share in shares) / len(shares) < 0.03


QUOTED = "有朋自远方来，不亦乐乎"
QUOTING = "孔子曰：有朋从远方来，不亦说乎。"


def test_a_quotation_in_other_words_is_contained_by_two_and_three_characters() -> None:
    found = compare(QUOTED, QUOTING, containment=0.4)
    # However few terms they have.
    assert (found.measures.contained, found.run, found.duplicates) == ("a", 4, True)
    # An explicit size is the same for all pairs, and so are shingles without short texts.
    for asked in ({"shingle": 5}, {"shingle": "5"}, {"method": "simhash"}):
        other = compare(QUOTED, QUOTING, containment=0.4, **asked)
        assert (other.measures.contained, other.run) == (None, 0)
        assert other.measures.containment == plain.containment(QUOTED, QUOTING)
    assert compare(QUOTED * 20, QUOTING * 20, containment=0.5).run == 0


def test_compare_says_which_runs_it_counts(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": QUOTED, "b.txt": QUOTING})
    shown = simdup("compare", "a.txt", "b.txt", "--containment", "0.4")
    (line,) = (one for one in shown.text.splitlines() if one.startswith("  containment"))
    assert "; by runs of 4 letters, a Chinese character is two; 0.4 required)" in line
    assert shown.status == 0
    ran = simdup("compare", "a.txt", "b.txt", "--containment", "0.4", "-f", "jsonl")
    found = json.loads(ran.out)
    assert (found["run"], found["contained"]) == (4, "a")
    ran = simdup("compare", "a.txt", "b.txt", "--containment", "0.4", "--shingle", "5")
    assert ran.status == 1
    assert "by runs of" not in ran.text


@pytest.mark.parametrize("least", [0.3, 0.5, 0.8])
def test_every_short_text_that_is_contained_in_another_is_found(least: float) -> None:
    """By all pairs: texts with parts of others, in other words."""
    for seed in seeds(4):
        chance = random.Random(seed)
        texts = [verse(chance, chance.randint(6, 60)) for _ in range(10)]
        for _ in range(30):
            source = chance.choice(texts)
            start = chance.randrange(max(len(source) - 6, 1))
            part = source[start : start + chance.randint(6, 40)]
            part = "".join(chance.choice(HAN) if chance.random() < 0.15 else c for c in part)
            texts.append((verse(chance, chance.randint(0, 20)) + part)[:110])
        expected = {
            (i, j)
            for i, j in combinations(range(len(texts)), 2)
            if by_hand(texts[i], texts[j]) >= least
        }
        found = scan(enumerate(texts), containment=least, run=ONE)
        assert pairs_of(found) == expected, seed


def test_a_phrase_of_six_characters_is_enough() -> None:
    chance = random.Random(2)
    data = [(i, verse(chance, 30)) for i in range(400)]
    data += [("phrase", data[7][1][11:17]), ("quote", verse(chance, 8) + data[9][1][3:9])]
    found = scan(data, containment=0.3, run=ONE)
    assert pairs_of(found) == {(7, "phrase"), (9, "quote")}
    assert found.summary.checked < 50


def test_many_texts_with_a_phrase_are_one_cluster_in_few_candidates() -> None:
    """Runs that more than fifty texts have lead to the largest and the smallest of these only."""
    chance = random.Random(3)
    phrase = verse(chance, 20)
    data = [(i, verse(chance, 6) + phrase + verse(chance, 6)) for i in range(1500)]
    data.append(("phrase", phrase))
    found = scan(data, containment=0.8, run=ONE)
    assert [len(cluster.members) for cluster in found.clusters] == [1501]
    assert found.summary.checked < 10_000


@pytest.mark.parametrize("fields", [{}, {"similarity": 0.3}, {"lossless": True}])
def test_large_clusters_have_the_roles_of_small_ones(fields: dict[str, Any]) -> None:
    for seed in seeds(2):
        chance = random.Random(seed)
        lines = [verse(chance, 9) for _ in range(7)]
        texts = ["".join(chance.sample(lines, chance.randint(1, 5))) for _ in range(40)]
        texts += [verse(chance, 300) + "".join(lines[2:6]) for _ in range(3)]
        data = list(enumerate(dict.fromkeys(texts)))
        asked: dict[str, Any] = {"containment": 0.6, "run": ONE, "recipe": "plain", **fields}
        found = []
        for large in (64, 2):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(join, "LARGE", large)
                patch.setattr(walk, "LARGE", large)
                clusters = scan(data, **asked).clusters
                gone = dedupe(data, **asked).numbers
            found.append(([each.members for each in clusters], sorted(gone)))
        assert found[0] == found[1], seed


def test_lossless_counts_shingles_of_five_characters_all_the_same() -> None:
    """Punctuation is no loss of runs, but one of shingles."""
    text, other = "春风又绿江南岸明月何时照我还", "春风又绿江南岸，明月何时照我还！"
    found = compare(text, other, containment=0.9, lossless=True).measures
    assert found.containment == 1
    assert found.contained is None
    assert found.covered is not None
    assert found.covered[0] == len(plain.shingles(text) & plain.shingles(other)) / len(
        plain.shingles(text)
    )
