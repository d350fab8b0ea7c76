"""Containment, cosine and shingles of words, compared with plain Python and in the command."""

import csv
import io
import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, held

from lab.corpora.made import HAN, LATIN, edited, prose, write
from lab.oracles import plain
from simdup import Recipe, SimdupError, scan
from simdup.model.criteria import Criteria, Shingling
from simdup.model.measures import Measures
from simdup.near.measures import measured
from simdup.near.measures.cosine import Vector, cosine, vector
from simdup.text.counts import CsrRows
from simdup.text.shingles import Shingler


def down(share: float) -> str:
    """A value as results print it: four digits, rounded down."""
    return f"{math.floor(share * 1e4 + 1e-7) / 1e4:.4f}"


# The measures themselves.

few_letters = st.text("ab河岸 \n\u3000😀", max_size=30)


def containment(a: str, b: str, n: int = 5) -> float:
    criteria = Criteria(containment=0.5, shingle=n)
    texts = held([plain.solid(a), plain.solid(b)], n)
    return float(measured(np.array([0]), np.array([1]), texts, criteria)["containment"][0])


@given(few_letters, few_letters, st.integers(1, 8))
def test_containment_is_the_share_of_the_smaller_set(a: str, b: str, n: int) -> None:
    wanted = plain.containment(a, b, n)
    assert containment(a, b, n) == containment(b, a, n) == wanted


numbers = st.dictionaries(
    st.integers(0, 12), st.floats(0, 1e6).filter(lambda w: w == 0 or w > 1e-6), max_size=9
)


def as_row(weights: Mapping[int, float]) -> CsrRows:
    columns = np.array(list(weights), np.int32)
    values = np.array(list(weights.values()), np.float64)
    return CsrRows(np.array([0, len(columns)]), columns, values)


def as_vector(weights: Mapping[int, float]) -> Vector:
    return vector(as_row(weights))


@given(numbers, numbers)
def test_cosine_is_that_of_the_definition(a: dict[int, float], b: dict[int, float]) -> None:
    expected = plain.cosine(*({str(term): w for term, w in one.items()} for one in (a, b)))
    found = cosine(as_vector(a), as_vector(b))
    assert found == cosine(as_vector(b), as_vector(a)) == pytest.approx(expected, abs=1e-12)
    assert 0 <= found <= 1


@given(numbers, st.floats(0.001, 1000), st.randoms())
def test_neither_length_nor_order_matter(
    a: dict[int, float], factor: float, chance: random.Random
) -> None:
    items = [(term, weight * factor) for term, weight in a.items()]
    chance.shuffle(items)
    expected = 1 if any(a.values()) else 0
    assert cosine(as_vector(a), as_vector(dict(items))) == pytest.approx(expected, abs=1e-12)


WORDS = ["a", "b", "河", "岸", "ab"]


@given(
    st.lists(st.sampled_from(WORDS), max_size=12),
    st.lists(st.sampled_from(WORDS), max_size=12),
    st.integers(1, 4),
)
def test_shingles_of_words(a: list[str], b: list[str], n: int) -> None:
    runs = [plain.word_runs(words, n) for words in (a, b)]
    cut = Shingler(Shingling(n, "words")).shingles
    sets = [cut(" ".join(words)) for words in (a, b)]
    assert [len(one) for one in sets] == [len(one) for one in runs]
    assert len({*sets[0].tolist()} & {*sets[1].tolist()}) == len(runs[0] & runs[1])
    assert all((one[1:] > one[:-1]).all() for one in sets)


def test_only_requested_measures_are_computed() -> None:
    texts = whole, part = plain.solid(prose(1)), plain.solid(prose(1)[:300])
    rows = [as_row({1: 3.0, 2: 4.0}), as_row({2: 1.0})]
    exact = {
        "similarity": plain.resemblance(whole, part),
        "containment": plain.containment(whole, part),
        "cosine": 0.8,
    }
    for asked in ([], ["containment"], ["cosine"], ["containment", "cosine"]):
        side = {"contained": plain.contained(whole, part, 0.5)} if "containment" in asked else {}
        criteria = Criteria(**dict.fromkeys(asked, 0.5))  # type: ignore[arg-type]
        weights_of = rows.__getitem__ if "cosine" in asked else None
        known = replace(held(texts), weights_of=weights_of)
        (found,) = measured(np.array([0]), np.array([1]), known, criteria).measures()
        wanted = {name: exact[name] for name in ("similarity", *asked)}
        given = {n: v for n, v in found._asdict().items() if v is not None}
        given = {n: v for n, v in given.items() if n not in ("differing", "same_facts")}
        assert {n: given.pop(n) for n in side} == side
        assert ("covered" in given) == bool(side)
        given.pop("covered", None)
        assert given == pytest.approx(wanted)


shares = st.one_of(st.none(), st.sampled_from([0.0, 0.4, 0.5, 1.0]))


@given(st.sampled_from([0.0, 0.4, 0.5, 1.0]), shares, shares, st.tuples(*[st.floats(0, 1)] * 3))
def test_all_given_criteria_must_be_met(
    similarity: float,
    least_containment: float | None,
    least_cosine: float | None,
    found: tuple[float, float, float],
) -> None:
    criteria = Criteria(similarity=similarity, containment=least_containment, cosine=least_cosine)
    asked = (similarity, least_containment or 0, least_cosine or 0)
    expected = all(value >= least for value, least in zip(found, asked, strict=True))
    assert Measures(*found).accepted(criteria) == expected


# In the command.  Distance 64 accepts every pair, so the measures alone decide.

EVERY = ("-d", "64", "--recipe", "default,tokens=split,fold=false,idf=corpus")


def spaced(seed: int, words: int = 60) -> list[str]:
    chance = random.Random(seed)
    return [chance.choice(HAN + LATIN) for _ in range(words)]


@pytest.fixture
def documents(tmp_path: Path) -> dict[str, list[str]]:
    """A text, an excerpt of it, its words in another order, an edited copy, and another text."""
    whole = spaced(1)
    shuffled = sorted(whole)
    changed = [*whole[:20], "改动", *whole[21:]]
    named = {
        "c/changed": changed, "c/excerpt": whole[:25], "c/other": spaced(2),
        "c/shuffled": shuffled, "c/whole": whole,
    }  # fmt: skip
    write(tmp_path, {name: " ".join(words) for name, words in named.items()})
    return named


def exact(documents: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], dict[str, float]]:
    """All measures of all pairs, by the definitions."""
    vectors = dict(zip(documents, plain.tfidf(list(documents.values())), strict=True))
    texts = {name: " ".join(words) for name, words in documents.items()}
    return {
        (a, b): {
            "similarity": plain.resemblance(texts[a], texts[b]),
            "containment": plain.containment(texts[a], texts[b]),
            "cosine": plain.cosine(vectors[a], vectors[b]),
        }
        for a, b in combinations(sorted(documents), 2)
    }


def listed(simdup: Command, *options: str) -> dict[tuple[str, str], dict[str, float]]:
    """The pairs of a scan with their measures, as JSONL has them."""
    ran = simdup("scan", "c", "-f", "jsonl", "-q", *EVERY, *options)
    assert (ran.status, ran.err) == (0, "")
    records = [json.loads(line) for line in ran.lines]
    pairs = [pair for record in records if record["type"] == "cluster" for pair in record["pairs"]]
    return {
        (p.pop("a"), p.pop("b")): {k: p[k] for k in p if k not in ("distance", "exact")}
        for p in pairs
    }


@pytest.mark.parametrize(
    "least",
    [
        {"similarity": 0.8},
        {"similarity": 0.0, "containment": 0.95},
        {"similarity": 0.0, "cosine": 0.95},
        {"similarity": 0.0, "cosine": 0.5},
        {"similarity": 0.0, "containment": 0.9, "cosine": 0.6},
        {"similarity": 0.35, "containment": 0.9, "cosine": 0.6},
        {"similarity": 0.0, "containment": 0.0, "cosine": 0.0},
    ],
)
def test_a_scan_lists_pairs_that_meet_all_measures(
    simdup: Command, documents: dict[str, list[str]], least: dict[str, float]
) -> None:
    options = [word for name, value in least.items() for word in (f"--{name}", f"{value}")]
    expected = {
        pair: {name: float(down(values[name])) for name in least}
        for pair, values in exact(documents).items()
        if all(values[name] >= share for name, share in least.items())
    }
    assert expected
    found = listed(simdup, *options, "--method", "simhash")
    for (a, b), measures in found.items():
        texts = [" ".join(documents[name]) for name in (a, b)]
        side = plain.contained(*texts, least["containment"]) if "containment" in least else None
        assert measures.pop("contained", None) == side
        assert measures.pop("measure") == "jaccard"
    assert found == expected


def test_without_resemblance_order_does_not_matter(
    simdup: Command, documents: dict[str, list[str]]
) -> None:
    pair = ("c/shuffled", "c/whole")
    assert exact(documents)[pair]["similarity"] < 0.8
    assert pair not in listed(simdup, "--cosine", "0.99")
    assert listed(simdup, "--cosine", "0.99", "-s", "0")[pair]["cosine"] == 1


@pytest.mark.parametrize("asked", [(), ("containment",), ("cosine",), ("containment", "cosine")])
def test_csv_has_all_columns_and_fills_those_asked_for(
    simdup: Command, documents: dict[str, list[str]], asked: tuple[str, ...]
) -> None:
    # The order on the command line differs from that of the columns.
    options = [word for name in reversed(asked) for word in (f"--{name}", "0")]
    ran = simdup("scan", "c", "-f", "csv", "-q", "-s", "0", "--method", "simhash", *EVERY, *options)
    assert ran.status == 0
    usual = ["cluster", "role", "document", "fingerprint", "distance", "similarity"]
    always = ["containment", "cosine", "measure", "kept", "new"]
    assert ran.lines[0].split(",") == [*usual, *always]
    kept, *others = csv.DictReader(io.StringIO(ran.text))
    assert [kept[name] for name in ("similarity", *asked)] == [""] * (1 + len(asked))
    known = exact(documents)
    assert len(others) == 4
    for row in others:
        first, second = sorted([kept["document"], row["document"]])
        values = known[(first, second)]
        for name in ("similarity", *asked):
            assert row[name] == down(values[name])


def test_identical_texts_have_every_measure(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a": prose(3), "c/b": prose(3) + "\n"})
    found = listed(simdup, "--containment", "1", "--cosine", "1", "-s", "1")
    every = {
        "similarity": 1,
        "containment": 1,
        "cosine": 1,
        "contained": "both",
        "measure": "jaccard",
    }
    assert found == {("c/a", "c/b"): every}


def test_compare_gives_the_measures_too(simdup: Command, documents: dict[str, list[str]]) -> None:
    pair = ("c/excerpt", "c/whole")
    values = exact(documents)[pair]
    options = ("compare", "-f", "jsonl", *pair, "--idf-from", "c", *EVERY, "-s", "0")
    both = simdup(*options, "--containment", "1", "--cosine", "0")
    assert both.status == 0
    found = json.loads(both.out)
    assert (found["containment"], found["contained"]) == (1, "a")
    assert found["cosine"] == float(down(values["cosine"]))
    plain = json.loads(simdup(*options).out)
    assert not plain.keys() & {"containment", "cosine"}
    assert simdup(*options, "--cosine", "0.99").status == 1
    shown = simdup("compare", *options[3:], "--containment", "1").text
    assert "containment   1.0000  (a is contained in b" in shown
    assert "cosine" not in shown


@pytest.mark.parametrize("measure", ["--cosine", "--containment"])
def test_without_verification_nothing_is_measured(simdup: Command, measure: str) -> None:
    for command in (["scan", "."], ["compare", "a", "b"]):
        ran = simdup(*command, "--no-verify", measure, "0.9")
        assert (ran.status, ran.out) == (2, b"")
        assert ": --no-verify compares no texts: remove it, or --containment and" in ran.err


@pytest.mark.parametrize("measure", ["cosine", "containment"])
@pytest.mark.parametrize("value", [1.5, -0.1])
def test_a_measure_is_a_share(simdup: Command, measure: str, value: float) -> None:
    assert simdup("scan", ".", f"--{measure}", str(value)).status == 2
    with pytest.raises(SimdupError, match=f"{measure}: invalid value"):
        Criteria(**{measure: value})  # type: ignore[arg-type]


# Shingles of words.


@pytest.mark.parametrize("n", [1, 2, 3, 80])
def test_a_scan_by_shingles_of_words(
    simdup: Command, documents: dict[str, list[str]], n: int
) -> None:
    options = ("--shingle", f"words:{n}", "-s", "0", "--containment", "0", "--method", "simhash")
    found = listed(simdup, *options)
    assert len(found) == 10
    for (a, b), measures in found.items():
        runs = [plain.word_runs(_cut(documents[name]), n) for name in (a, b)]
        assert measures["similarity"] == float(down(min(plain.jaccard(*runs), plain.LARGEST)))
        share = len(runs[0] & runs[1]) / min(map(len, runs))
        assert measures["containment"] == float(down(share))


def _cut(words: Sequence[str]) -> list[str]:
    """The words of the fixture as jieba cuts them: each may become two."""
    from simdup.text.tokens import tokenizer

    return tokenizer(Recipe())([" ".join(words)]).lists()[0]


@pytest.mark.parametrize("wrong", ["words:0", "words:", "words:x", "lines:2", "0", "-1", "2.5"])
def test_invalid_shingles(simdup: Command, wrong: str) -> None:
    ran = simdup("scan", ".", "--shingle", wrong)
    assert ran.status == 2
    assert "--shingle" in ran.err


def mixed(pairs: int) -> list[tuple[str, str]]:
    """Texts of alternating Chinese and Latin words, and a copy of each with every tenth changed.

    The few Chinese words are the same everywhere, so most of what two texts share is which of them
    stand beside which Latin ones: it is lost where the two scripts are taken apart.
    """
    chance = random.Random(4)
    texts = []
    for number in range(pairs):
        words = [f"{chance.choice(LATIN)}{chance.randrange(1000)}" for _ in range(100)]
        copy = [f"x{chance.randrange(1000)}" if i % 10 == 5 else w for i, w in enumerate(words)]
        for name, one in (("a", words), ("b", copy)):
            texts.append((f"{number}{name}", " 河岸 ".join(one)))
    return texts


@pytest.mark.parametrize(
    "recipe", [Recipe(), Recipe(tokens="chars:2"), Recipe(tokens="split")], ids=lambda r: r.tokens
)
def test_minhash_looks_for_the_shingles_of_words_that_are_verified(recipe: Recipe) -> None:
    texts = mixed(150)
    criteria = Criteria(method="minhash", shingle="words:2", similarity=0.8)
    found = scan(texts, recipe, criteria, jobs=1)
    likeness = [pair.similarity for pair in found.pairs]
    assert all(value is not None and 0.8 <= value < 0.85 for value in likeness)
    assert len(found.pairs) >= 0.97 * 150


def test_minhash_by_shingles_of_words_is_equal_in_every_process() -> None:
    texts = [(str(n), edited(prose(n // 2, 400), n, 2)) for n in range(600)]
    criteria = Criteria(method="minhash", shingle="words:3", similarity=0.7)
    one, two = (scan(texts, Recipe(), criteria, jobs=jobs).pairs for jobs in (1, 2))
    assert one == two
    assert len(one) > 250
