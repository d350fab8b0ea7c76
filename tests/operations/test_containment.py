"""Excerpts of long documents: which are found, and in which direction they are contained."""

import csv
import errno
import io
import json
import random
import time
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, examples, leaders, seeds

from lab.corpora.made import prose, write
from lab.oracles import plain, short_texts
from simdup import Result, SimdupError, compare, dedupe, scan
from simdup.model.settings import RunOptions
from simdup.near import collection, join, walk

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
    assert not scan(data, run=ONE).pairs


def contained(a: str, b: str, least: float) -> str | None:
    """Which of two texts is contained in the other; short ones by runs."""
    return plain.within(*short_texts.contents(a, b), least)


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
            (names[i], names[j]): side
            for i, j in combinations(range(len(texts)), 2)
            if (side := contained(texts[i], texts[j], least))
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
    assert several.clusters == found.clusters
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
    assert found.summary.checked < 200_000
    assert [len(cluster.members) for cluster in found.clusters] == [len(data)]


def test_what_many_documents_quote_is_found_in_all_of_them() -> None:
    chance = random.Random(8)
    notice = han(chance, 150)
    data = [(f"{i}", han(chance, 600) + notice + han(chance, 400)) for i in range(120)]
    data.insert(40, ("notice", notice))
    found = scan(data, containment=0.9, run=ONE)
    assert [len(cluster.members) for cluster in found.clusters] == [121]
    assert found.summary.checked < 500


def test_without_a_similarity_only_the_containment_counts(simdup: Command, tmp_path: Path) -> None:
    chance = random.Random(5)
    whole = han(chance, 2000)
    write(tmp_path, {"c/whole": whole, "c/part": whole[500:700], "c/none": han(chance, 900)})
    ran = simdup("scan", "c", "--containment", "0.9", "-f", "jsonl", "-q")
    cluster, _ = map(json.loads, ran.lines)
    (pair,) = cluster["pairs"]
    assert (pair["a"], pair["b"], pair["contained"]) == ("c/part", "c/whole", "a")
    assert [one["document"] for one in cluster["documents"]] == ["c/whole", "c/part"]
    assert cluster["documents"][1]["contained"] == "document"
    shown = simdup("scan", "c", "--containment", "0.9").text
    assert "containment  document" in shown.splitlines()[0]
    assert shown.splitlines()[3].split()[-2:] == ["1.0000", "c/part"]
    # A similarity that is set must be met as well.
    assert simdup("scan", "c", "--containment", "0.9", "-s", "0.8", "-q").out == b""
    # A method that was asked for by name does not look for passages.
    assert not simdup("scan", "c", "--containment", "0.9", "--method", "simhash").out


def test_a_whole_stays_beside_an_excerpt_that_is_kept(simdup: Command, tmp_path: Path) -> None:
    chance = random.Random(6)
    whole = han(chance, 2000)
    write(tmp_path, {"c/a part": whole[500:700], "c/whole": whole})
    asked = ("--containment", "0.9", "--keep", "first")
    ran = simdup("dedupe", "c", *asked, "-o", "out", "--removed", "gone.jsonl")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a part", "whole"]
    assert "Spared 1 document that the kept one does not contain." in ran.err
    (line,) = map(json.loads, (tmp_path / "gone.jsonl").read_text().splitlines())
    assert (line["type"], line["document"], line["kept"]) == ("spared", "c/whole", "c/a part")
    ran = simdup("scan", "c", *asked, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.text)))
    assert [(row["role"], row["kept"]) for row in rows] == [
        ("kept", "c/a part"), ("kept", "c/whole"),
    ]  # fmt: skip
    write(tmp_path, {"known": whole[500:700]})
    ran = simdup("scan", "c/whole", "--containment", "0.9", "--reference", "known", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.text)))
    assert [row["role"] for row in rows] == ["kept", "kept"]


def test_compare_says_which_text_is_contained() -> None:
    chance = random.Random(7)
    whole = han(chance, 2000)
    found = compare(whole[300:500], whole, containment=0.9)
    assert (found.duplicates, found.measures.contained) == (True, "a")
    assert found.proposed_by == ("passages",)
    assert compare(whole, whole + "完", containment=0.9).measures.contained == "both"
    apart = compare(whole, han(chance, 2000), containment=0.9)
    assert (apart.duplicates, apart.measures.contained, apart.searches["passages"]) == (
        False, None, (False,),
    )  # fmt: skip
    with pytest.raises(SimdupError):
        compare(whole, whole, containment=2)


# Sentences; texts are some of them in a row, so many are contained in others.
SENTENCES = [prose(seed, 30) for seed in range(1, 12)]
SPANS = st.lists(st.tuples(st.integers(0, 8), st.integers(3, 11)), min_size=2, max_size=9)


class Oracle:
    """Which texts stand for which others, by hand; the first ones are references."""

    def __init__(
        self, texts: list[str], references: int, keep: str, least: float, similarity: float
    ) -> None:
        sets = [plain.shingles(plain.solid(text)) for text in texts]
        self.all, self.references = range(len(texts)), range(references)
        # share[a][b]: how much of a is in b.
        self.share = [[len(a & b) / len(a) for b in sets] for a in sets]
        self.least = least
        self.alike = [[len(a & b) / len(a | b) >= similarity for b in sets] for a in sets]
        sizes = [len(plain.solid(text)) for text in texts]
        sign = {"first": 0, "longest": -1, "shortest": 1}[keep]
        first = {i: (i >= references, sign * sizes[i] * (i >= references), i) for i in self.all}
        self.order = sorted(self.all, key=first.__getitem__)

    def takes(self, kept: int, one: int) -> bool:
        return self.paired(kept, one) and self.share[one][kept] >= self.least

    def paired(self, a: int, b: int) -> bool:
        both = a in self.references and b in self.references
        contained = max(self.share[a][b], self.share[b][a]) >= self.least
        return contained and self.alike[a][b] and not both

    def spared(self, taken_by: dict[int, int]) -> dict[int, int]:
        """Each document that stays beside one that does not contain it: the first of these."""
        found: dict[int, int] = {}
        for kept, one in combinations((i for i in self.order if i not in taken_by), 2):
            if self.paired(kept, one):
                found.setdefault(one, kept)
        return found


@pytest.mark.parametrize("large", [64, 2])
@pytest.mark.parametrize("similarity", [0, 0.3])
@examples(12)
@given(
    SPANS, st.sampled_from(["", "first", "longest", "shortest"]), st.integers(0, 2),
    st.sampled_from([0.5, 0.8]),
)  # fmt: skip
def test_only_what_the_kept_document_contains_is_redundant(
    large: int, similarity: float, spans: list[tuple[int, int]], keep: str, known: int, least: float
) -> None:
    """By hand, in small and in large clusters, with and without references."""
    texts = ["".join(SENTENCES[start : start + size]) for start, size in spans]
    known = min(known, len(texts) - 1)
    oracle = Oracle(texts, known, keep or "longest", least, similarity)
    asked: dict[str, Any] = {"containment": least, "similarity": similarity, "recipe": "plain"}
    asked |= {"method": "simhash", "distance": 64, "run": ONE} | ({"keep": keep} if keep else {})
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(join, "LARGE", large)
        patch.setattr(walk, "LARGE", large)
        write(Path(folder), {f"{i}": texts[i] for i in range(known)})
        references = [f"{folder}/{i}" for i in range(known)]
        data = list(enumerate(texts))[known:]
        found = scan(data, references=references, **asked)
        cleaned = dedupe(data, references=references, **asked)
    taken_by, clusters = leaders(oracle.order, oracle.paired, oracle.takes)
    assert {frozenset(m.number for m in one.members) for one in found.clusters} == clusters
    members = [member for cluster in found.clusters for member in cluster.members]
    assert {m.number: m.beside for m in members if m.role == "redundant"} == taken_by
    for member in members:
        if member.role == "redundant":
            assert member.contained in ("document", "both")
    assert sorted(cleaned.numbers) == sorted(taken_by)
    spared = {one.number: one.beside for one in cleaned.result.spared}
    assert spared == oracle.spared(taken_by)
    for one in cleaned.result.spared:
        assert oracle.share[one.number][one.beside] == one.covered < least


def test_a_full_disk_is_named_after_reading_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds are mapped once all is read."""

    def full(*about: object) -> bool:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(collection, "reserve_room", full)
    with pytest.raises(SimdupError, match="no space left for the texts"):
        scan([("a", prose(1)), ("b", prose(1)[:200])], containment=0.8, jobs=1)
