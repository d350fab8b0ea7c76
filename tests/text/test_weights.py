"""Weights: formulas, document frequencies, top terms, the cap, and where an IDF comes from."""

import hashlib
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command

from lab.corpora.made import LATIN, prose, write
from lab.oracles import plain
from simdup import Recipe, SimdupError, compare, fingerprint, scan
from simdup.text.weights import cap_weights

SPLIT = "default,tokens=split,fold=false"
UNIT = 2.0**-20


def corpus(documents: int = 30, words: int = 40, seed: int = 1) -> list[list[str]]:
    """Documents with a realistic, uneven distribution of words."""
    chance = random.Random(seed)
    vocabulary = [a + b for a in LATIN[:12] for b in LATIN[:12]]
    shares = [1 / (rank + 1) for rank in range(len(vocabulary))]
    return [
        chance.choices(vocabulary, shares, k=chance.randrange(1, words)) for _ in range(documents)
    ]


def compared(simdup: Command, *options: str) -> dict[str, dict[str, float]]:
    """The weights of the first two documents' terms, as `compare` reports them."""
    ran = simdup("compare", "-q", "-f", "jsonl", "c/00.txt", "c/01.txt", *options)
    assert ran.err == ""
    found = json.loads(ran.out)
    return {
        "a": {t: w for t, w, _ in found["shared"]} | dict(found["only_a"]),
        "b": {t: w for t, _, w in found["shared"]} | dict(found["only_b"]),
        "recipe": found["recipe"],
    }


def write_corpus(folder: Path, documents: list[list[str]]) -> None:
    write(folder, {f"c/{n:02}.txt": " ".join(tokens) for n, tokens in enumerate(documents)})


def same(found: dict[str, float], expected: dict[str, float]) -> bool:
    return found.keys() == expected.keys() and all(
        abs(found[term] - expected[term]) <= UNIT for term in expected
    )


@pytest.mark.parametrize("weight", ["tfidf", "logtf", "tf", "tf2", "binary"])
@pytest.mark.parametrize(
    ("top", "cap", "min_df"), [(20, 0.1, 2), (0, 0.0, 0), (5, 0.3, 3), (12, 0.1, 4)]
)
def test_weights_of_a_corpus(
    simdup: Command, tmp_path: Path, weight: str, top: int, cap: float, min_df: int
) -> None:
    for seed in range(4):
        documents = corpus(seed=seed)
        write_corpus(tmp_path, documents)
        options = [f"{SPLIT},{weight=!s},{top=},{cap=}"]
        # Without an IDF and without `min_df`, no corpus matters.
        if weight in ("tfidf", "logtf") or min_df:
            options = [f"{options[0]},min-df={min_df},idf=corpus", "--idf-from", "c"]
        found = compared(simdup, "--recipe", *options)
        for name, tokens in zip("ab", documents, strict=False):
            expected = plain.weights(tokens, documents, weight, min_df, top, cap)
            assert same(found[name], expected), (seed, name)


def test_min_df_leaves_at_least_eight_terms_or_all(simdup: Command, tmp_path: Path) -> None:
    for common in (7, 8):
        shared = LATIN[:common]
        documents = [[*shared, "rare", "rarer"], [*shared, "other"], ["third"]]
        write_corpus(tmp_path, documents)
        recipe = f"{SPLIT},min-df=2,idf=corpus,cap=0"
        found = compared(simdup, "--recipe", recipe, "--idf-from", "c")
        assert set(found["a"]) == set(shared if common == 8 else documents[0])


def test_builtin_ignores_min_df(simdup: Command, tmp_path: Path) -> None:
    write_corpus(tmp_path, [LATIN[:12], ["other"]])
    one, other = (compared(simdup, "--recipe", f"{SPLIT},min-df={n}") for n in (0, 9))
    assert one["a"] == other["a"]
    assert one["recipe"]["digest"] == other["recipe"]["digest"]


def test_equal_weights_go_by_term_hash() -> None:
    text = " ".join(LATIN[:30])
    recipe = Recipe(tokens="split", weight="binary", top=10, cap=0)
    found = compare(text, "", recipe)
    assert {t for t, _ in found.only_a} == set(sorted(LATIN[:30], key=plain.term_hash)[:10])


# The cap.

rows = st.lists(st.floats(0.01, 1000), min_size=1, max_size=30)
shares = st.floats(0.01, 1)


def cap_row(values: list[float], cap: float, padding: int = 0) -> list[float]:
    row = sorted(values, reverse=True) + [0.0] * padding
    return cap_weights(np.array([row]), cap)[0].tolist()


@given(rows, shares, st.integers(0, 3))
def test_no_term_exceeds_its_share(values: list[float], cap: float, padding: int) -> None:
    before = sorted(values, reverse=True) + [0.0] * padding
    after = cap_row(values, cap, padding)
    share = max(cap, 1 / len(values))
    level = max(after)
    assert level <= share * sum(after) * (1 + 1e-9)
    # Lowered weights are at the level, which is as high as possible; the others are unchanged.
    lowered = [b > a for a, b in zip(after, before, strict=True)]
    assert all(
        a == level if low else a == b for a, b, low in zip(after, before, lowered, strict=True)
    )
    if any(lowered):
        assert level >= share * sum(after) * (1 - 1e-9)


@given(rows, shares)
def test_capping_agrees_with_bisection(values: list[float], cap: float) -> None:
    named = {str(number): value for number, value in enumerate(sorted(values, reverse=True))}
    expected = list(plain.capped(named, cap).values())
    assert cap_row(values, cap) == pytest.approx(expected, rel=1e-6)


@given(st.lists(rows, min_size=1, max_size=5), shares)
def test_capping_rows_together_is_capping_each(values: list[list[float]], cap: float) -> None:
    width = max(map(len, values))
    together = [sorted(row, reverse=True) + [0.0] * (width - len(row)) for row in values]
    found = cap_weights(np.array(together), cap)
    for row, capped in zip(values, found, strict=True):
        assert capped.tolist() == cap_row(row, cap, width - len(row))


# The built-in table.


def test_function_words_weigh_nothing() -> None:
    assert fingerprint("the of and to in a is that it was for on with as by at") is None
    found = compare("the old lantern and the harbour", "of the lantern", "plain")
    assert {t for t, *_ in found.shared} == {"lantern"}
    assert "the" not in dict(found.only_a)


def test_english_texts_on_different_subjects_are_far_apart() -> None:
    one = (
        "The baker opened the shop at dawn and set the loaves on the shelf. By the time that the "
        "first of the farmers came in from the cold, the whole of the street smelled of rye, and "
        "there was a line to the corner of it. She sold the last of the rolls before the bell of "
        "the school had rung, and swept the floor."
    )
    other = (
        "The survey of the glacier was the work of a week. It was found that the ice had drawn "
        "back from the mark of the year before by the length of a field, and that the lake at the "
        "foot of it was the deeper for it. The party left a row of stakes in the snow, and wrote "
        "the numbers of them in the book."
    )
    found = compare(one, other)
    assert found.distance is not None
    assert found.distance > 10
    leading = [t for t, *_ in (*found.shared, *found.only_a[:10], *found.only_b[:10])]
    assert not {"the", "of", "and", "it", "was", "that", "in", "a"} & set(leading)


def test_known_words_have_table_weights_and_others_the_median() -> None:
    found = compare("河岸 qwxyzzy qwxyzzy", "", Recipe(cap=0))
    weights = dict(found.only_a)
    from importlib.util import find_spec

    spec = find_spec("jieba")
    assert spec is not None
    assert spec.origin is not None
    lines = (Path(spec.origin).parent / "analyse" / "idf.txt").read_text("utf-8").splitlines()
    table = {word: float(value) for word, value in (line.split(" ") for line in lines)}
    assert weights["河岸"] == pytest.approx(table["河岸"], abs=UNIT)
    assert weights["qwxyzzy"] == pytest.approx(2 * float(np.median([*table.values()])), abs=UNIT)


# The same text has the same fingerprint.


def fingerprints(simdup: Command, *options: str) -> dict[str, str]:
    ran = simdup("fingerprint", *options)
    assert ran.err == ""
    return {name: digits for digits, name in (line.split("  ") for line in ran.lines[1:])}


def test_one_recipe_gives_one_fingerprint_by_every_road(simdup: Command, tmp_path: Path) -> None:
    texts = {f"c/{n:03}.txt": prose(n // 2) + f" {n} lantern" for n in range(220)}
    write(tmp_path, texts)
    by_corpus = fingerprints(simdup, "c")
    assert simdup("fit", "c", "-o", "m.idf").status == 0
    by_model = fingerprints(simdup, "--recipe", "default,idf=m.idf", "c")
    assert by_corpus == by_model
    assert len(by_corpus) == 220
    found = scan([str(tmp_path / "c")], jobs=1)
    assert found.summary.recipe["idf"] == "corpus"
    seen = {
        member.name.removeprefix(f"{tmp_path}/"): member.fingerprint
        for cluster in found.clusters
        for member in cluster.members
    }
    assert seen
    assert {name: by_corpus[name] for name in seen} == seen
    for options in (["--idf-from", "c"], ["--recipe", "default,idf=m.idf"]):
        ran = simdup("compare", "-f", "jsonl", *options, "c/000.txt", "c/003.txt")
        told = json.loads(ran.out)
        assert told["fingerprints"] == [by_corpus["c/000.txt"], by_corpus["c/003.txt"]]
    # And alone, with the model, in another folder, from Python.
    recipe = Recipe(idf=str(tmp_path / "m.idf"))
    assert fingerprint(texts["c/007.txt"], recipe) == int(by_corpus["c/007.txt"], 16)


def test_the_weights_are_those_of_the_oracle_to_the_bit(simdup: Command, tmp_path: Path) -> None:
    documents = corpus(60, seed=5)
    write_corpus(tmp_path, documents)
    found = fingerprints(simdup, "--recipe", f"{SPLIT},idf=corpus", "c")
    for number, tokens in enumerate(documents):
        expected = plain.fingerprint(plain.weights(tokens, documents))
        assert found[f"c/{number:02}.txt"] == f"{expected:016x}"


@pytest.mark.parametrize(("documents", "idf"), [(199, "builtin"), (200, "corpus")])
def test_auto_trusts_a_corpus_from_200_documents_with_terms_on(documents: int, idf: str) -> None:
    texts = [(str(n), f"lantern harbour number{n}") for n in range(documents)]
    found = scan([*texts, ("empty", " "), ("marks", "!?")], jobs=1)
    assert found.summary.recipe["idf"] == idf


def test_different_recipes_have_different_digests(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": prose(1), "b.txt": prose(2), "c/d.txt": prose(3)})
    assert simdup("fit", "a.txt", "-o", "one.idf").status == 0
    assert simdup("fit", "b.txt", "-o", "two.idf").status == 0

    def digest(*options: str) -> str:
        return simdup("fingerprint", "a.txt", *options).lines[0]

    fields = [
        "fold=false", "tokens=chars:3", "weight=logtf", "weight=tf", "idf=one.idf", "idf=two.idf",
        "top=0", "cap=0", "hash=md5", "bits=128", "ties=zero", "idf=one.idf,min-df=0",
    ]  # fmt: skip
    every = ["default", "string128", "bkdr32", *(f"default,{field}" for field in fields)]
    assert len({digest("--recipe", recipe) for recipe in every}) == len(every)
    assert digest("--recipe", "default,idf=builtin") == digest() == digest("--recipe", "default")
    assert digest("--recipe", "plain") == digest("--recipe", "default,cap=0")
    (tmp_path / "copy.idf").write_bytes((tmp_path / "one.idf").read_bytes())
    assert digest("--recipe", "default,idf=copy.idf") == digest("--recipe", "default,idf=one.idf")
    # A corpus's own frequencies depend on its content, not on how it was read.
    assert digest("--recipe", "default,idf=corpus") == digest("--recipe", "default,idf=one.idf")


def test_models_that_cannot_be_used(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": prose(1), "no.idf": "something else"})
    assert simdup("fit", "a.txt", "-o", "m.idf").status == 0
    content = (tmp_path / "m.idf").read_bytes()
    (tmp_path / "cut.idf").write_bytes(content[:-5])
    (tmp_path / "bad.idf").write_bytes(content[:99] + bytes([content[99] ^ 1]) + content[100:])
    head, arrays = content[:-32].split(b"\n", 1)
    for number, wrong in enumerate(
        [
            head.replace(b"terms=", b"terms=1"), head.replace(b"terms=", b"terms=-"),
            head.replace(b"documents=", b"documents=" + b"9" * 5000), b"# simdup-idf 1 \xff",
            head.replace(b"documents=1", b"documents=0"), head.replace(b" from", b" other"),
        ]
    ):  # fmt: skip
        body = wrong + b"\n" + arrays
        checksum = hashlib.blake2b(body, digest_size=32).digest()
        (tmp_path / f"{number}.idf").write_bytes(body + checksum)
    for model, what in [
        *((f"{number}.idf", "of the IDF model are invalid" if number == 4 else "header")
          for number in range(6)),
        ("missing.idf", "no such file"), ("no.idf", "not an IDF model"),
        ("cut.idf", "damaged"), ("bad.idf", "damaged"),
    ]:  # fmt: skip
        ran = simdup("fingerprint", "--recipe", f"default,idf={model}", "a.txt")
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.startswith(f"simdup: {model}: ")
        assert what in ran.err
        assert "\nhint: " in ran.err
    ran = simdup("fingerprint", "--recipe", "default,idf=m.idf,tokens=chars:2", "a.txt")
    assert ran.status == 2
    assert "other tokens" in ran.err


def test_fit_needs_documents(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"e/empty.txt": ""})
    ran = simdup("fit", "e", "-o", "m.idf")
    assert ran.status == 2
    assert list(tmp_path.glob("*.idf*")) == []


def test_one_text_is_not_a_corpus() -> None:
    with pytest.raises(SimdupError, match="corpus"):
        fingerprint("some text", Recipe(idf="corpus"))
