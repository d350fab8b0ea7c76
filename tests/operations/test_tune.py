"""Tune: the true pairs of a sample are counted exactly, and the advice follows from them."""

import gzip
import json
import random
import shlex
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, shingles

from lab.corpora.made import edited, prose, zipf_texts
from simdup import evaluate, scan
from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.tuning import Setting
from simdup.near.true_pairs import SharedElements
from simdup.operations.tune import (
    LEAST,
    Truth,
    advise_setting,
    advise_similarity,
    choose_shingle,
    explain_setting,
    explain_similarity,
    find_gap,
    histogram,
    tune,
)
from simdup.show.evaluation import reasons_words
from simdup.text.characters import fold
from simdup.text.shingles import Sets, Shingles

SETS = st.lists(st.sets(st.integers(0, 12), max_size=9), max_size=9)


def why(pairs: Truth, advised: float) -> str:
    return reasons_words([explain_similarity(pairs, advised)])


@given(SETS, st.sampled_from([0.1, 0.3, 0.5, 0.8, 1.0]))
def test_similar_pairs_are_those_of_counting_by_hand(sets: list[set[int]], least: float) -> None:
    found = similar([np.array(sorted(one), np.uint64) for one in sets], least)
    expected = [
        (i, j, len(a & b) / len(a | b))
        for (i, a), (j, b) in combinations(enumerate(sets), 2)
        if a | b and len(a & b) / len(a | b) >= least
    ]
    assert found == expected


def similar(sets: Sequence[Shingles], least: float) -> list[tuple[int, int, float]]:
    """All pairs of sets with the similarity."""
    starts = np.cumsum([0, *map(len, sets)])
    hashes = np.concatenate([np.zeros(0, np.uint64), *sets])
    found = SharedElements(Sets(starts, hashes)).similar(least)
    return list(zip(*(found[name].tolist() for name in found), strict=True))


def truth(*similarities: float) -> Truth:
    i = np.zeros(len(similarities), np.int64)
    pairs = {"a": i, "b": i + 1, "similarity": np.array(similarities, np.float64)}
    return Truth(MeasuredPairs(pairs), 1000)


def test_the_histogram_counts_every_pair_once() -> None:
    bins = histogram(truth(0.3, 0.34, 0.35, 0.99, 1.0))
    assert [(start, pairs) for start, _, pairs in bins if pairs] == [(0.95, 2), (0.35, 1), (0.3, 2)]


def test_the_threshold_goes_down_while_pairs_thin_out() -> None:
    heap = [0.97] * 20 + [0.82] * 9 + [0.72] * 5 + [0.62] * 3
    assert advise_similarity(truth(*heap)) < 0.62
    assert why(truth(*heap), 0.6) == (
        "the number of pairs falls from 0.8 down to 0.6, so these are near-duplicates too"
    )
    # A peak of chance similarity right below keeps the threshold.
    assert advise_similarity(truth(*heap, *[0.77] * 40)) == 0.8

    assert "by chance" in why(truth(*heap, *[0.77] * 40), 0.8)


def test_the_bottom_of_a_valley_belongs_to_both_peaks() -> None:
    near = [0.97] * 20 + [0.87] * 12 + [0.82] * 9 + [0.77] * 7 + [0.72] * 5 + [0.67] * 4
    assert advise_similarity(truth(*near, *[0.61] * 9, *[0.57] * 40)) == 0.7


def test_what_was_not_looked_for_is_not_said_to_be_missing() -> None:
    known = replace(truth(*[0.9] * 40), least=0.8)
    assert advise_similarity(known) == 0.8
    assert "too many texts" in why(known, 0.8)
    assert why(replace(known, least=0.5), 0.8) == "no pair is between 0.5 and 0.8"


def test_without_pairs_the_usual_threshold_stays() -> None:
    assert advise_similarity(truth()) == 0.8


def test_a_gap_ends_the_near_duplicates() -> None:
    assert advise_similarity(truth(*[0.9] * 9)) == 0.8
    assert why(truth(*[0.9] * 9), 0.8) == "no pair is between 0.3 and 0.8"
    assert advise_similarity(truth(*[0.9] * 9, *[0.4] * 3)) == 0.8
    assert why(truth(*[0.9] * 9, 0.412), 0.8) == ("no pair is right below 0.8: the next has 0.41")
    assert advise_similarity(truth(*[0.88] * 9, *[0.76] * 3, *[0.4] * 3)) == 0.75


def test_the_reason_names_what_the_default_misses() -> None:
    default, best = Setting("", 9, 9, 0.9, 1.0), Setting("--method minhash", 9, 9, 0.97, 1.0)
    assert explain_setting(default, default) == []
    assert reasons_words(explain_setting(best, default)) == (
        "the default finds 90% of the true pairs, --method minhash 97%"
    )


def test_pages_of_a_template_get_the_default_and_the_reason(
    simdup: Command, tmp_path: Path
) -> None:
    for n in range(12):
        about = f"{chr(97 + n) * 4}port"
        (tmp_path / f"{n}.txt").write_text(f"{about}\n" + prose(1, 300) + f" {about}" * 3, "utf-8")
    told = printed(simdup, "tune", str(tmp_path)).splitlines()
    assert told[0] == f"advice: simdup scan -s 0.8 {tmp_path}"
    assert "pages of a template" in told[1]
    assert "--same-title" in told[1]


def test_a_gap_separates_pairs_from_chance() -> None:
    near, chance = [0.9] * 40 + [0.6] * 40, [0.32] * 500 + [0.36] * 30
    assert find_gap(truth(*near, *chance)) == 0.45
    # Pairs that become more and more towards low similarities have no gap above them.
    assert find_gap(truth(*near, *chance, *[0.43] * 9, *[0.53] * 5, *[0.72] * 9)) is None
    assert find_gap(truth(*[0.9] * 9, *chance)) is None, "too few pairs are above"
    assert find_gap(truth(*near)) == 0.35
    low = truth(*[0.9] * 80, *chance)
    assert find_gap(replace(low, least=0.6)) == 0.65, "below is not known"
    assert find_gap(replace(truth(*near), documents=14)) is None, "all pairs are above"


def test_shorter_shingles_must_gain() -> None:
    assert choose_shingle({4: (0.4, 105), 3: (0.4, 109)}, 100) is None
    assert choose_shingle({4: (0.4, 115), 3: (0.4, 116), 2: (0.5, 150)}, 100) == 2
    assert choose_shingle({4: (0.4, 115), 3: (0.4, 116)}, 100) == 4
    assert choose_shingle({}, 0) is None


WORDS = [
    "河岸",
    "春天",
    "图书馆",
    "列车",
    "工厂",
    "学生",
    "医院",
    "茶叶",
    "山路",
    "电话",
    "商店",
    "老师",
    "夜晚",
    "花园",
    "报纸",
    "船员",
]


def corpus(folder: Path) -> Path:
    """Thirty texts, ten of them with an edited copy."""
    rng = np.random.default_rng(7)
    for number in range(30):
        words = [WORDS[i] + str(number) for i in rng.integers(0, len(WORDS), 80)]
        (folder / f"{number:02}.txt").write_text("，".join(words), "utf-8")
        if number < 10:
            words[number] = "改动"
            (folder / f"{number:02}b.txt").write_text("，".join(words), "utf-8")
    return folder


def test_its_figures_of_a_method_agree_with_a_scan(tmp_path: Path) -> None:
    folder = str(corpus(tmp_path))
    told = tune([folder], jobs=1, similarity=0.8)
    assert (told.documents, told.sample, told.true) == (40, 40, 10)
    by_options = {setting.options.removesuffix(" -s 0.8"): setting for setting in told.settings}
    assert by_options["--method minhash"].recall == 1.0
    for distance in (0, 3):
        scanned = scan(folder, method="simhash", distance=distance, jobs=1)
        assert by_options[f"--method simhash -d {distance}"].hold == len(scanned.pairs)
    # The default comes first, and proposes what either search does.
    assert told.settings[0].options == ""
    for options, method in (("", "auto"), ("--method minhash", "minhash")):
        scanned = scan(folder, method=method, jobs=1)
        assert by_options[options].hold == len(scanned.pairs) == 10
        assert by_options[options].pairs == scanned.summary.candidates
    assert told.advice == "-s 0.8"
    assert told.bins[0][0] == 0.95
    assert sum(pairs for _, _, pairs in told.bins) >= told.true
    assert all(start >= LEAST for start, _, _ in told.bins)


def test_the_advice_can_be_pasted(simdup: Command, tmp_path: Path) -> None:
    folder = str(corpus(tmp_path))
    lines = records_of(simdup, "tune", folder, "-f", "jsonl")
    advice = next(line for line in lines if line["type"] == "advice")
    assert advice["true"] == 10
    clusters = records_of(simdup, "scan", folder, "-f", "jsonl", *advice["options"].split())
    assert sum(line["type"] == "cluster" for line in clusters) == 10


def test_large_distances_are_not_advised() -> None:
    def setting(options: str, recall: float) -> Setting:
        distance = int(options.partition("-d ")[2] or 0)
        return Setting(options, 9, 9, recall, 1.0, distance=distance)

    far, minhash = setting("--method simhash -d 7", 0.99), setting("--method minhash", 0.96)
    assert advise_setting([far, minhash]) is minhash
    assert advise_setting([setting("--method simhash -d 6", 0.95), minhash]).recall == 0.95
    assert advise_setting([setting("", 0.94), far]) is far, "rather than to miss much"


def test_its_text_can_be_pasted_too(simdup: Command, tmp_path: Path) -> None:
    lines = printed(simdup, "tune", str(corpus(tmp_path)), "-s", "0.8").splitlines()
    assert lines[0] == f"advice: simdup scan -s 0.8 {tmp_path}"
    assert lines[1] == "reason: 10 true pairs are too few to judge by, so these are the defaults"
    assert lines[6].startswith("> nothing more (the default)  ")
    assert max(map(len, lines[4:])) <= 80
    assert not any(line.startswith("recipe") for line in lines)
    assert "\nrecipe " in printed(simdup, "tune", str(tmp_path), "-v")


def test_the_command_has_the_options_that_were_typed(simdup: Command, tmp_path: Path) -> None:
    lines = [json.dumps({"id": n, "body": prose(n // 2)}) for n in range(8)]
    (tmp_path / "my records.jsonl").write_text("\n".join(lines), "utf-8")
    asked = ["--field", "body", "--id-field", "id", "--no-fold", "--shingle", "6", "--sample", "9"]
    told = printed(simdup, "tune", *asked, str(tmp_path / "my records.jsonl"), "-q")
    words = shlex.split(told.splitlines()[0])
    assert words[:3] == ["advice:", "simdup", "scan"]
    assert "--sample" not in words
    clusters = records_of(simdup, *words[2:], "-f", "jsonl")
    assert sum(line["type"] == "cluster" for line in clusters) == 4
    assert clusters[0]["documents"][0]["document"] == "0"


def test_with_few_true_pairs_it_advises_the_default(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alone in the world, with words enough to be distinguished")
    told = printed(simdup, "tune", str(tmp_path)).splitlines()
    assert told[0] == f"advice: simdup scan -s 0.8 {tmp_path}"
    assert told[1].startswith("reason: 0 true pairs are too few to judge by")


def test_what_is_configured_for_it_is_in_the_command(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "simdup.toml").write_text('[tune]\nglob = ["*.txt"]\nfold = false\nsample = 9\n')
    (tmp_path / "a.txt").write_text(prose(1), "utf-8")
    (line, *_) = printed(simdup, "tune", ".", "-q").splitlines()
    assert line == "advice: simdup scan -s 0.8 --glob '*.txt' --no-fold ."


def test_identical_texts_count_once() -> None:
    texts = [prose(seed) for seed in range(30)]
    data = [(n, text) for n, text in enumerate(texts * 3 + [edited(text, 1, 2) for text in texts])]
    told = tune(data, jobs=1)
    assert (told.documents, told.true, told.judged) == (60, 30, True)
    distinct = dict(reversed([(text, (n, text)) for n, text in data])).values()
    assert told.settings[0].pairs == scan(distinct, jobs=1).summary.candidates


def test_a_sample_with_few_pairs_is_not_all_it_looks_at() -> None:
    texts = [prose(seed) for seed in range(120)]
    data = list(enumerate(texts + [edited(text, 1, 2) for text in texts]))
    told = tune(data, sample=20, jobs=1)
    assert (told.truth, told.true, told.sample, told.documents) == ("corpus", 120, 20, 240)
    assert told.recall >= 0.99
    assert tune(data, sample=240, jobs=1).truth == "sample"


@pytest.mark.parametrize("sample", [2000, 50])
def test_shorter_shingles_are_advised_for_heavily_edited_texts(sample: int) -> None:
    data = made(200, share=0.12)
    told = tune(data, sample=sample, jobs=1)
    assert told.truth == ("sample" if sample == 2000 else "corpus")
    assert int(told.shingle) < 5
    assert f"--shingle {told.shingle}" in told.advice
    assert told.true >= 95
    # The default, which has other shingles, holds what a scan with it finds of the true pairs.
    scanned = {(pair.a, pair.b) for pair in scan(data, jobs=1).pairs}
    true = all_pairs_of([text for _, text in data], int(told.shingle), told.similarity)
    assert (told.settings[0].options, told.settings[0].hold) == ("", len(scanned & true))
    # Each length is worth a look only where nothing was asked for.
    assert tune(data, sample=sample, shingle=5, jobs=1).shingle == "5"


def made(documents: int, share: float) -> list[tuple[int, str]]:
    """Texts of 120 to 300 characters, half of them copies with some characters replaced."""
    rng = np.random.default_rng(documents)
    texts = []
    for number, text in enumerate(islice(zipf_texts(rng, 60, 150), documents // 2)):
        texts += [text, edited(text, number, round(len(text) * rng.uniform(0, 2 * share)))]
    return list(enumerate(texts))


@pytest.mark.parametrize(
    ("documents", "share"), [(40, 0.01), (40, 0.06), (200, 0.01), (200, 0.06), (600, 0.03)]
)
def test_the_advice_keeps_its_promise(documents: int, share: float) -> None:
    """A scan with the advised options finds the promised share of the true pairs of all texts."""
    data = made(documents, share)
    told = tune(data, sample=500, jobs=1)
    names = {"-s": "similarity", "--shingle": "shingle", "--method": "method", "-d": "distance"}
    asked = told.advice.split()
    fields = {names[one]: value for one, value in zip(asked[::2], asked[1::2], strict=True)}
    kinds = {"similarity": float, "distance": int}
    typed = {name: kinds.get(name, str)(value) for name, value in fields.items()}
    result = scan(data, criteria=Criteria(all_pairs=True, **typed), jobs=1)
    found = {(pair.a, pair.b) for cluster in result.clusters for pair in cluster.pairs}
    true = all_pairs_of([text for _, text in data], int(told.shingle), told.similarity)
    assert abs(len(found & true) / len(true) - told.recall) <= 0.03


VOCABULARY = random.Random(1)
ENGLISH = [
    "".join(VOCABULARY.choices("aeionrstlcdm", k=VOCABULARY.randint(3, 9))) for _ in range(300)
]


def records(kind: str, count: int) -> tuple[list[tuple[int, str]], list[int]]:
    """Made records, half of them with another spelling, and what each one is about."""
    chance = random.Random(count)
    texts: list[str] = []
    about: list[int] = []
    for number in range(count):
        words = chance.choices(ENGLISH, k=chance.randint(4, 11))
        authors = [chance.choices(ENGLISH, k=2) for _ in range(chance.randint(1, 4))]
        names = ", ".join(" ".join(author) for author in authors) * (kind == "authors")
        initials = ", ".join(f"{first[0]}. {last}" for first, last in authors)
        texts.append(" ".join(words) + "\n" + names)
        about.append(number)
        if chance.random() < 0.5:
            continue
        if kind == "variants":
            words[chance.randrange(len(words))] = chance.choice(ENGLISH)
        title = list(" ".join(words))
        for _ in range(chance.randint(0, {"typos": 6, "authors": 1, "variants": 0}[kind])):
            title[chance.randrange(len(title))] = chance.choice("aeiourstn")
        texts.append("".join(title) + "\n" + initials * (kind == "authors"))
        # Two of three variants are other things.
        about.append(number + count * (kind == "variants" and number % 3 > 0))
    return list(enumerate(texts)), about


def score(found: Sequence[Hashable], true: Sequence[Hashable]) -> float:
    """F1 of the pairs of documents with equal labels."""
    both, *each = (
        sum(n * (n - 1) // 2 for n in Counter(labels).values())
        for labels in (zip(found, true, strict=True), found, true)
    )
    return 2 * both / max(sum(each), 1)


@pytest.mark.parametrize("sample", [2000, 200])
@pytest.mark.parametrize("kind", ["typos", "authors", "variants"])
def test_records_are_judged_by_the_pairs_that_a_scan_finds(
    kind: str, sample: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All pairs that a scan lists are those that its searches propose.
    monkeypatch.setattr("simdup.model.criteria._FEW_DOCUMENTS", 0)
    data, about = records(kind, 400)
    told = tune(data, sample=sample, jobs=1)
    options = told.advice.split()
    assert options[::2] == ["-s"]
    usual = scan(data, all_pairs=True, jobs=1)
    asked = scan(data, similarity=told.similarity, all_pairs=True, jobs=1)
    for promised, found in (told.recall * told.true, asked), (told.settings[0].hold, usual):
        different = sum(not pair.exact for pair in found.pairs)
        assert abs(promised - different) <= 0.01 * told.true
    assert score(asked.labels, about) >= score(usual.labels, about) - 0.005
    if kind == "authors":
        assert score(asked.labels, about) > score(usual.labels, about) + 0.01


@pytest.mark.parametrize("name", ["laws", "poems", "vsdocs"])
def test_the_advice_for_real_texts_is_no_worse_than_the_default(
    name: str, shared_data: Path
) -> None:
    """Most pairs of the manual pages share no more than a template."""
    with gzip.open(shared_data / name / "docs.jsonl.gz", "rt", encoding="utf-8") as stream:
        rows = list(map(json.loads, stream))
    # The known pairs of poems are of all; of others a part says as much, in a third of the time.
    data = [(row["id"], row["text"]) for row in rows[: None if name == "poems" else 600]]
    told = tune(data)
    if name != "poems":
        assert told.advice == "-s 0.8"
        return
    with open(shared_data / name / "pairs.tsv", encoding="utf-8") as stream:
        known = [tuple(line.split("\t")[:2]) for line in stream][1:]
    f1 = [
        evaluate(scan(data, similarity=similarity), known).f1
        for similarity in (0.8, told.similarity)
    ]
    assert f1[1] > f1[0]


def all_pairs_of(texts: list[str], n: int, least: float) -> set[tuple[int, int]]:
    """All pairs of different texts with the similarity."""
    sets = [shingles(fold(text), n) for text in texts]
    return {(i, j) for i, j, share in similar(sets, least) if share < 1}


def printed(simdup: Command, *arguments: str | Path) -> str:
    ran = simdup(*arguments)
    assert ran.status == 0, ran.err
    return ran.text


def records_of(simdup: Command, *arguments: str | Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in printed(simdup, *arguments).splitlines()]
