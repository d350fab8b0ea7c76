"""Excerpts of long documents: which are found, and in which direction they are contained."""

import json
import random
import time
from itertools import combinations
from pathlib import Path

import pytest
from oracles import plain
from support import Command, seeds, write

from simdup import Result, SimdupError, compare, scan
from simdup.model.settings import RunOptions

HAN = [chr(0x4E00 + i) for i in range(600)]
_letters = random.Random(0)
WORDS = ["".join(_letters.choices("etaoinshrdlu", k=_letters.randint(2, 9))) for _ in range(3000)]
ONE = RunOptions(jobs=1)


def han(chance: random.Random, size: int) -> str:
    return "".join(chance.choices(HAN, k=size))


def english(chance: random.Random, size: int) -> str:
    return " ".join(chance.choices(WORDS, k=size // 6))


def edited(chance: random.Random, text: str, every: int) -> str:
    """Change about one character, or one word of English, in `every` characters."""
    unit, gap = (text.split(), " ") if " " in text else (list(text), "")
    step = every // 6 if gap else every
    for i in range(step // 2, len(unit), step):
        unit[i] = chance.choice(WORDS if gap else HAN)
    return gap.join(unit)


def pairs_of(found: Result) -> set[tuple[str, str]]:
    return {(pair.a, pair.b) for pair in found.pairs}


@pytest.mark.parametrize("make", [han, english])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("every", [0, 120])
def test_excerpts_in_documents_of_ten_times_the_length(
    make: object, share: float, every: int
) -> None:
    chance = random.Random(f"{share} {every}")
    data, planted = [], set()
    for i in range(12):
        source = make(chance, 1200)  # type: ignore[operator]
        size = int(len(source) * share)
        start = chance.randrange(len(source) - size)
        excerpt = source[start : start + size]
        if every:
            excerpt = edited(chance, excerpt, every)
        # The source is part of a document of ten times its length, and the excerpt stands alone.
        before, after = (make(chance, 6000) for _ in range(2))  # type: ignore[operator]
        data += [(f"long {i}", f"{before}\n{source}\n{after}"), (f"part {i}", excerpt)]
        planted.add((f"long {i}", f"part {i}"))
    chance.shuffle(data)
    found = scan(data, similarity=0, containment=0.8, run=ONE)
    assert {tuple(sorted(pair)) for pair in pairs_of(found)} == planted
    for pair in found.pairs:
        assert pair.contained == ("a" if pair.a.startswith("part") else "b")
    assert found.summary.candidates_by["passages"] == 12
    assert not scan(data, run=ONE).pairs


@pytest.mark.parametrize("least", [0.5, 0.7, 0.9])
def test_every_contained_text_is_found(least: float) -> None:
    """By all pairs: texts from 80 characters on, cut out of others and edited anywhere."""
    for seed in seeds(5):
        chance = random.Random(seed)
        texts = [han(chance, chance.randint(80, 900)) for _ in range(6)]
        for _ in range(14):
            source = chance.choice(texts)
            size = chance.randint(80, max(len(source) - 1, 81))
            start = chance.randrange(max(len(source) - size, 1))
            part = edited(chance, source[start : start + size], chance.choice([20, 40, 80, 2000]))
            around = han(chance, chance.choice([0, 0, 40, 400]))
            texts.insert(chance.randrange(len(texts)), part + around)
        names = [f"{i:02d}" for i in range(len(texts))]
        expected = {
            (names[i], names[j]): plain.contained(texts[i], texts[j], least)
            for i, j in combinations(range(len(texts)), 2)
            if plain.containment(texts[i], texts[j]) >= least
        }
        data = list(zip(names, texts, strict=True))
        found = scan(data, containment=least, run=ONE)
        assert {(pair.a, pair.b): pair.contained for pair in found.pairs} == expected, seed


def test_results_do_not_depend_on_processes_or_order() -> None:
    chance = random.Random(3)
    data = []
    for i in range(60):
        source = han(chance, 9000)
        data += [(f"{i}", source), (f"{i} part", source[3000:3900])]
    # As much text as several processes are worth.
    assert sum(len(text.encode()) for _, text in data) > 1 << 20
    found = scan(data, containment=0.9, run=ONE)
    several = scan(data, containment=0.9, run=RunOptions(jobs=3))
    assert (several.clusters, several.summary.candidates_by) == (
        found.clusters,
        found.summary.candidates_by,
    )
    assert found.summary.clusters == 60
    chance.shuffle(data)
    again = scan(data, containment=0.9, run=ONE)
    assert {frozenset(pair) for pair in pairs_of(again)} == {
        frozenset(pair) for pair in pairs_of(found)
    }


def test_a_family_with_excerpts_is_one_cluster_in_little_time() -> None:
    chance = random.Random(4)
    page = han(chance, 400)
    data = [(f"{i}", page + han(chance, chance.randint(20, 200))) for i in range(2000)]
    data += [(f"part {i}", page[40 * i : 40 * i + 120]) for i in range(6)]
    started = time.process_time()
    found = scan(data, containment=0.6, run=ONE)
    # All pairs would be two million.
    assert time.process_time() - started < 20
    assert found.summary.candidates < 200_000
    assert [len(cluster.members) for cluster in found.clusters] == [len(data)]


def test_what_many_documents_quote_is_found_in_all_of_them() -> None:
    chance = random.Random(8)
    notice = han(chance, 150)
    data = [(f"{i}", han(chance, 600) + notice + han(chance, 400)) for i in range(120)]
    data.insert(40, ("notice", notice))
    found = scan(data, containment=0.9, run=ONE)
    assert [len(cluster.members) for cluster in found.clusters] == [121]
    assert found.summary.candidates < 500


def test_without_a_similarity_only_the_containment_counts(simdup: Command, tmp_path: Path) -> None:
    chance = random.Random(5)
    whole = han(chance, 2000)
    write(tmp_path, {"c/whole": whole, "c/part": whole[500:700], "c/none": han(chance, 900)})
    ran = simdup("scan", "c", "--containment", "0.9", "-f", "jsonl", "-q")
    cluster, summary = map(json.loads, ran.lines)
    (pair,) = cluster["pairs"]
    assert (pair["a"], pair["b"], pair["contained"]) == ("c/part", "c/whole", "a")
    assert cluster["documents"][1]["contained"] == "kept"
    assert summary["candidates_by"]["passages"] == 1
    longest = simdup("scan", "c", "--containment", "0.9", "--keep", "longest").text
    assert "contained  document" in longest.splitlines()[0]
    assert longest.splitlines()[3].split()[-2:] == ["document", "c/part"]
    # A similarity that is set must be met as well.
    assert simdup("scan", "c", "--containment", "0.9", "-s", "0.8", "-q").out == b""
    # A method that was asked for by name does not look for passages.
    by_name = simdup("scan", "c", "--containment", "0.9", "--method", "simhash", "-f", "jsonl")
    assert "passages" not in json.loads(by_name.lines[-1])["candidates_by"]


def test_dedupe_removes_excerpts(simdup: Command, tmp_path: Path) -> None:
    chance = random.Random(6)
    whole = han(chance, 2000)
    write(tmp_path, {"c/a part": whole[500:700], "c/whole": whole})
    ran = simdup("dedupe", "c", "--containment", "0.9", "--keep", "longest", "-o", "out")
    assert ran.status == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["whole"]


def test_compare_says_which_text_is_contained() -> None:
    chance = random.Random(7)
    whole = han(chance, 2000)
    found = compare(whole[300:500], whole, containment=0.9)
    assert (found.duplicates, found.contained) == (True, "a")
    assert found.proposed_by == ("passages",)
    assert compare(whole, whole + "完", containment=0.9).contained == "both"
    apart = compare(whole, han(chance, 2000), containment=0.9)
    assert (apart.duplicates, apart.contained, apart.searches["passages"]) == (
        False, None, (False,),
    )  # fmt: skip
    with pytest.raises(SimdupError):
        compare(whole, whole, containment=2)
