"""The walk of large components: the same clusters as all pairs give, however it goes."""

import random
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from support import seeds

from lab.corpora.made import write
from lab.oracles.plain import contained
from simdup import Criteria, Result, scan
from simdup.base.workers import FORKS, Workers
from simdup.near import bounds, join, walk

LETTERS = "岸树芽云洋虫星桥路竹梅兰菊荷墨笔纸杯盘铺柜窗柱梯砖瓦钉绳线布衫帽鞋袜伞扇镜"


def text(chance: random.Random, length: int) -> str:
    return "".join(chance.choices(LETTERS, k=length))


def template(chance: random.Random, many: int) -> list[str]:
    """Pages that share a template, each with more or less content of its own."""
    page, most = text(chance, chance.choice((90, 200))), chance.choice((4, 12, 20, 30))
    return [page + text(chance, chance.randint(0, most)) for _ in range(many)]


def chain(chance: random.Random, many: int) -> list[str]:
    """Texts that are each near only the next ones."""
    step = chance.choice((6, 15))
    whole = text(chance, (10 + many) * step)
    return [whole[i * step : (i + 10) * step] for i in range(many)]


def numbered(chance: random.Random, many: int) -> list[str]:
    """Messages that differ in a number."""
    words = text(chance, chance.choice((50, 150)))
    return [f"{words[:25]}{chance.randrange(10**7):07d}{words[25:]}" for _ in range(many)]


def shuffled(chance: random.Random, many: int) -> list[str]:
    """The same words in any order: equal fingerprints, different texts."""
    words = [text(chance, 20) for _ in range(8)]
    return ["".join(chance.sample(words, len(words))) for _ in range(many)]


def short(chance: random.Random, many: int) -> list[str]:
    """Titles that differ in some characters."""
    title, titles = text(chance, 16), []
    for _ in range(many):
        letters = [*title]
        for _ in range(chance.randint(0, 3)):
            letters[chance.randrange(16)] = chance.choice(LETTERS)
        titles.append("".join(letters))
    return titles


def corpus(seed: int) -> list[tuple[str, str]]:
    chance, texts = random.Random(seed), []
    for _ in range(chance.randint(2, 4)):
        kind = chance.choice([template, chain, numbered, shuffled, short])
        texts += kind(chance, chance.randint(4, 14))
    texts += chance.choices(texts, k=chance.randint(0, 6))  # copies
    chance.shuffle(texts)
    return [(f"{i:03d}", one) for i, one in enumerate(texts)]


def told(result: Result) -> list[object]:
    """What must not depend on which pairs were compared; of large clusters not all are listed."""
    return [
        result.redundant,
        result.spared,
        [
            [(m.name, m.role, m.beside, m.distance, m.similarity, m.containment, m.cosine)
             for m in one.members]
            for one in result.clusters
        ],
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Components of a few documents are large."""
    monkeypatch.setattr(walk, "LARGE", 3)
    monkeypatch.setattr(join, "LARGE", 3)


WAYS = {
    "by keys": {},
    "by rare shingles": {(walk, "_VISITS"): 0},
    "texts are read at once": {(walk, "_IN_VAIN"): -1},
    "in a mapped file": {(walk, "_VISITS"): 0, (walk, "_IN_VAIN"): -1, (bounds, "HELD"): 0},
    "in small batches": {(walk, "_AT_ONCE"): 50},
}

SETTINGS: list[dict[str, Any]] = [
    {},
    {"method": "simhash", "distance": 12},
    {"method": "minhash", "similarity": 0.6},
    {"similarity": 0.9, "keep": "longest"},
    {"similarity": 0.6, "containment": 0.8},
    {"containment": 0.7, "keep": "shortest"},
    {"similarity": 0.0, "cosine": 0.7, "method": "minhash"},
    {"verify": False, "distance": 10},
    {"shingle": "words:1", "similarity": 0.7},
    {"lossless": True, "similarity": 0.6},
    {"lossless": True, "keep": "longest", "similarity": 0.5, "method": "minhash"},
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_large_components_equal_all_pairs(
    settings: dict[str, Any], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for (module, name), value in WAYS[way].items():
        monkeypatch.setattr(module, name, value)
    for number in seeds(1):
        # Each way has other texts.
        seed = number * len(WAYS) + [*WAYS].index(way)
        data, criteria = corpus(seed), Criteria(**settings)
        found = scan(data, "plain", criteria, jobs=1)
        every = scan(data, "plain", criteria, jobs=1, all_pairs=True)
        assert told(found) == told(every), seed
        assert {*found.pairs} <= {*every.pairs}
        assert found.summary.unchecked == 0
        assert found.clusters


@pytest.mark.parametrize("way", WAYS)
def test_references_and_authors(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """References are never redundant, and documents of one author never near."""
    for (module, name), value in WAYS[way].items():
        monkeypatch.setattr(module, name, value)
    several = 0
    for seed in seeds(4):
        texts = [one for _, one in corpus(seed)]
        write(tmp_path / str(seed), {f"{i:03d}": one for i, one in enumerate(texts[::4])})
        data = [{"id": i, "text": one, "author": "abc"[i % 3]} for i, one in enumerate(texts[1::2])]
        fields: list[dict[str, Any]] = [
            {"references": [str(tmp_path / str(seed))]},
            {"across": "author", "keep": "longest", "method": "minhash"},
        ]
        for each in fields:
            found, every = (
                scan(data, "plain", jobs=1, all_pairs=all_pairs, **each)
                for all_pairs in (False, True)
            )
            assert told(found) == told(every), seed
            for one in found.clusters:
                references = [m for m in one.members if m.number < found.references]
                assert {m.role for m in references} <= {"kept"}
                several += len(references) > 1
    assert several


@pytest.mark.parametrize("way", WAYS)
def test_a_pair_may_have_just_the_asked_similarity(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for (module, name), value in WAYS[way].items():
        monkeypatch.setattr(module, name, value)
    for seed in range(4):
        size = 300 + seed
        letters = random.Random(seed).sample(range(0x4E00, 0x9FA5), size + 20)
        page = "".join(map(chr, letters))
        # Each text lacks one shingle of the next one, which lacks one of it.
        data = [(i, page[i : i + size + 4]) for i in range(5)]
        similarity = (size - 1) / (size + 1)
        found = scan(data, "plain", similarity=similarity, method="minhash", jobs=1)
        assert [len(one.members) for one in found.clusters] == [5]
        assert found.redundant == [1, 3]


@pytest.mark.skipif(not FORKS, reason="processes are not forked here")
@pytest.mark.parametrize("way", ["by keys", "in a mapped file"])
@pytest.mark.parametrize("settings", SETTINGS[::3], ids=str)
def test_other_processes_find_the_same(
    settings: dict[str, Any], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for (module, name), value in WAYS[way].items():
        monkeypatch.setattr(module, name, value)
    data = [(f"{seed}{name}", one) for seed in range(2) for name, one in corpus(seed)]
    alone = scan(data, "plain", Criteria(**settings), jobs=1)
    started: list[int] = []

    class Counted(Workers):  # type: ignore[type-arg]
        def map(self, tasks: Sequence[object]) -> Iterator[object]:
            started.append(len(tasks))
            return super().map(tasks)

    monkeypatch.setattr(join, "_WORTH_FORKS", 0)
    monkeypatch.setattr(join, "Workers", Counted)
    spread = scan(data, "plain", Criteria(**settings), jobs=2)
    assert min(started) > 1
    assert (told(spread), spread.pairs) == (told(alone), alone.pairs)
    figures = ("checked", "unchecked")
    assert [getattr(spread.summary, one) for one in figures] == [
        getattr(alone.summary, one) for one in figures
    ]


@pytest.mark.parametrize("comparisons", [0, 8, 100, 10_000])
def test_a_component_does_not_depend_on_others(
    comparisons: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the budget is too small for some of them."""
    for name in ("MANY_DOCUMENTS", "FORMED_DOCUMENTS", "FEW_DOCUMENTS"):
        monkeypatch.setattr(bounds, name, 0)
    monkeypatch.setattr(walk, "COMPARISONS", comparisons)
    chance = random.Random(5)
    parts = [
        [(f"{kind.__name__}{i}", one) for i, one in enumerate(dict.fromkeys(kind(chance, 14)))]
        for kind in (template, chain, template, chain)
    ]
    unchecked = 0
    apart: list[object] = []
    for part in parts:
        found = scan(part, "plain", method="minhash", jobs=1)
        apart += members(found)
        unchecked += found.summary.unchecked
    mixed = [one for some in zip_longest(*parts) for one in some if one]
    together = scan(mixed, "plain", method="minhash", jobs=1)
    assert sorted(members(together), key=str) == sorted(apart, key=str)
    assert together.summary.unchecked == unchecked
    assert bool(unchecked) == (comparisons < 10_000)
    assert bool(apart) == (comparisons > 0)


def members(found: Result) -> list[object]:
    return [
        [(m.name, m.role, one.member(m.beside).name, m.similarity) for m in one.members]
        for one in found.clusters
    ]


def test_copies_say_which_text_is_contained() -> None:
    """Also where a copy comes before, or is kept."""
    for seed in seeds(4):
        chance = random.Random(seed)
        page = text(chance, 90)
        texts = [page + text(chance, chance.choice((0, 5, 12, 40))) for _ in range(10)]
        texts += chance.choices(texts, k=8)
        chance.shuffle(texts)
        found = scan(enumerate(texts), "plain", containment=0.7, shingle=5, keep="longest", jobs=1)
        for pair in found.pairs:
            assert pair.contained == contained(texts[pair.a], texts[pair.b], 0.7)


def test_a_document_that_cannot_hold_another_is_not_asked_about_it() -> None:
    """Chunks overlap, and hardly one has all of another: bounds tell before texts are compared.

    Of 12,414 near pairs, only some have to join the chunks.
    """
    chance = random.Random(4)
    page = [chr(0x4E00 + chance.randrange(900)) for _ in range(2000)]
    pages = [
        "".join(chance.choice(page) if chance.random() < 0.02 else one for one in page)
        for _ in range(12)
    ]
    starts = (chance.randrange(1700) for _ in range(600))
    chunks = [(i, chance.choice(pages)[start : start + 300]) for i, start in enumerate(starts)]
    criteria = Criteria(similarity=0.5, lossless=True, keep="longest")
    summary = scan(chunks, criteria=criteria, jobs=1).summary
    assert not summary.unchecked
    assert summary.checked < 6 * len(chunks)
