"""Large families: the same clusters, kept documents and figures as all pairs give."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support import seeds

from lab.corpora.made import write
from lab.oracles.plain import contained
from simdup import Criteria, Result, scan
from simdup.base.workers import FORKS, Workers
from simdup.model.clusters import Cluster
from simdup.model.settings import RunOptions
from simdup.near import bounds, candidates, large_groups, pair_groups

LETTERS = "岸树芽云洋虫星桥路竹梅兰菊荷墨笔纸杯盘铺柜窗柱梯砖瓦钉绳线布衫帽鞋袜伞扇镜"


def text(random_: random.Random, length: int) -> str:
    return "".join(random_.choice(LETTERS) for _ in range(length))


def template(random_: random.Random, many: int) -> list[str]:
    """Pages that share a template, each with more or less content of its own."""
    page = text(random_, 90)
    own = random_.choice((4, 12, 20, 30))
    return [page + text(random_, random_.randint(0, own)) for _ in range(many)]


def chain(random_: random.Random, many: int) -> list[str]:
    """Texts that are each near only the next ones."""
    whole = text(random_, 60 + 6 * many)
    return [whole[6 * i : 6 * i + 60] for i in range(many)]


def numbered(random_: random.Random, many: int) -> list[str]:
    """Messages that differ in a number."""
    words = text(random_, 50)
    return [f"{words[:25]}{random_.randrange(10**7):07d}{words[25:]}" for _ in range(many)]


def shuffled(random_: random.Random, many: int) -> list[str]:
    """The same words in any order: equal fingerprints, different texts."""
    words = [text(random_, 3) for _ in range(12)]
    return ["".join(random_.sample(words, len(words))) for _ in range(many)]


def corpus(seed: int) -> list[str]:
    random_ = random.Random(seed)
    kinds = [template, chain, numbered, shuffled]
    texts: list[str] = []
    for _ in range(random_.randint(1, 4)):
        texts += random_.choice(kinds)(random_, random_.randint(2, 14))
    texts += random_.choices(texts, k=random_.randint(0, 6))  # copies
    random_.shuffle(texts)
    return texts


def named(texts: list[str]) -> list[tuple[str, str]]:
    return [(f"{i:03d}", one) for i, one in enumerate(texts)]


def told(result: Result) -> list[object]:
    """The results that must not depend on how many pairs were verified."""
    return [
        [(m.name, m.role, m.distance, m.similarity, m.containment, m.cosine) for m in one.members]
        for one in result.clusters
    ]


@pytest.fixture
def small_families(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat clusters of a few documents as large families."""
    monkeypatch.setattr(pair_groups, "LARGE", 3)
    monkeypatch.setattr(candidates, "LARGE", 3)


SETTINGS = [
    {},
    {"linkage": "star"},
    {"method": "simhash", "distance": 12},
    {"method": "minhash", "similarity": 0.6},
    {"similarity": 0.9, "keep": "longest"},
    {"similarity": 0.5, "keep": "shortest", "linkage": "star"},
    {"similarity": 0.6, "containment": 0.8},
    {"containment": 0.8},
    {"containment": 0.7, "linkage": "star"},
    {"similarity": 0.0, "cosine": 0.7, "method": "minhash"},
    {"verify": False, "distance": 10},
    {"verify": False, "method": "minhash", "linkage": "star"},
    {"shingle": "words:1", "similarity": 0.7},
    {"lossless": True, "similarity": 0.6},
    {"lossless": True, "keep": "longest", "similarity": 0.5, "method": "minhash"},
]


@pytest.mark.usefixtures("small_families")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_families_equal_all_pairs(
    settings: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    large = 0
    for seed in seeds(4):
        # Families are searched by their keys in one half, and by their shingles in the other.
        for module in (large_groups, bounds):
            monkeypatch.setattr(module, "FEW_PAIRS", 512 * (seed % 2))
        data, run = named(corpus(seed)), RunOptions(jobs=1)
        criteria = Criteria(**settings)  # type: ignore[arg-type]
        found = scan(data, "plain", criteria, run=run)
        with monkeypatch.context() as patch:
            if not criteria.similarity:
                # Bands promise none of these pairs: the search decides, with families or without.
                patch.setattr(pair_groups, "LARGE", len(data))
                patch.setattr(candidates, "LARGE", len(data))
            whole = bool(criteria.similarity)
            every = scan(data, "plain", criteria, run=run, all_pairs=whole)
        assert told(found) == told(every), seed
        assert found.spared == every.spared, seed
        assert found.summary.star_redundant == every.summary.star_redundant, seed
        large += sum(not one.complete for one in found.clusters)
        for one, whole in zip(found.clusters, every.clusters, strict=True):
            check_listed(one, whole)
    assert large


@pytest.mark.usefixtures("small_families")
@pytest.mark.parametrize("few", [0, 512])
def test_a_pair_of_a_family_may_have_just_the_asked_similarity(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_groups, "FEW_PAIRS", few)
    monkeypatch.setattr(bounds, "FEW_PAIRS", few)
    for seed in range(4):
        random_ = random.Random(seed)
        size = 300 + seed
        page = "".join(map(chr, random_.sample(range(0x4E00, 0x9FA5), size + 20)))
        # Each text lacks one shingle of the next one, which lacks one of it.
        texts = [page[i : i + size + 4] for i in range(5)]
        similarity = (size - 1) / (size + 1)
        found = scan(named(texts), "plain", similarity=similarity, method="minhash", jobs=1)
        assert [len(one.members) for one in found.clusters] == [5]


@pytest.mark.skipif(not FORKS, reason="processes are not forked here")
@pytest.mark.usefixtures("small_families")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_large_groups_in_other_processes_are_the_same(
    settings: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [text for seed in range(2) for text in corpus(seed)]
    criteria = Criteria(**settings)  # type: ignore[arg-type]
    alone = scan(named(texts), "plain", criteria, jobs=1)
    monkeypatch.setattr(pair_groups, "_WORTH_FORKS", 0)
    started: list[int] = []

    class Counted(Workers):  # type: ignore[type-arg]
        def map(self, tasks: Sequence[object]) -> Iterator[object]:
            started.append(len(tasks))
            return super().map(tasks)

    monkeypatch.setattr(pair_groups, "Workers", Counted)
    spread = scan(named(texts), "plain", criteria, jobs=2)
    assert min(started) > 1
    assert (told(spread), spread.spared) == (told(alone), alone.spared)
    assert spread.pairs == alone.pairs
    for figure in ("candidates", "candidates_by", "unchecked", "star_redundant", "linked"):
        assert getattr(spread.summary, figure) == getattr(alone.summary, figure)


@pytest.mark.parametrize("large", [False, True])
def test_copies_are_beside_the_reference_that_their_first_is_near(
    large: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if large:
        monkeypatch.setattr(pair_groups, "LARGE", 2)
        monkeypatch.setattr(candidates, "LARGE", 2)
    whole = "".join(map(chr, random.Random(1).sample(range(0x4E00, 0x9FA5), 500)))
    first, between, second, last = (whole[i : i + 400] for i in (0, 30, 60, 90))
    write(tmp_path, {"1": first, "2": second})
    data = [("between", between), ("last", last), ("copy", last)]
    found = scan(data, "plain", references=[str(tmp_path)], linkage="single", jobs=1)
    (cluster,) = found.clusters
    names = {member.number: Path(str(member.name)).name for member in cluster.members}
    roles = {names[one.number]: (one.role, names[one.beside]) for one in cluster.members}
    assert roles["between"] == ("redundant", "1")
    assert roles["last"] == roles["copy"] == ("redundant", "2")
    assert found.redundant == ["between", "last", "copy"]


@pytest.mark.usefixtures("small_families")
@pytest.mark.parametrize("linkage", ["single", "star"])
def test_references_in_families(linkage: str, tmp_path: Path) -> None:
    several = 0
    for seed in seeds(4):
        texts = corpus(seed)
        known = tmp_path / str(seed)
        write(known, {f"{i:03d}": one for i, one in enumerate(texts[::4])})
        data, run = named(texts[1::2]), RunOptions(jobs=1)
        found, every = (
            scan(data, "plain", references=[str(known)], run=run, linkage=linkage, all_pairs=all_)
            for all_ in (False, True)
        )
        assert told(found) == told(every), seed
        for cluster in found.clusters:
            numbers = {member.number: member for member in cluster.members}
            references = [m for m in cluster.members if m.number < found.references]
            assert {m.role for m in references} <= {"kept"}
            several += len(references) > 1
            for member in cluster.members:
                if member.role == "redundant":
                    assert numbers[member.beside].role == "kept"
                    assert (member.similarity or 0) >= 0.8
    assert several or linkage == "star"


@pytest.mark.usefixtures("small_families")
def test_documents_near_a_kept_reference_are_listed_with_it(tmp_path: Path) -> None:
    """Also if an earlier reference is near them too; two references are never a pair."""
    random_ = random.Random(7)
    page = text(random_, 90)
    known = {f"known/{i}": page + text(random_, length) for i, length in enumerate((2, 9, 4))}
    write(tmp_path, known)
    data = [(f"new{i}", page + text(random_, random_.randint(0, 6))) for i in range(12)]
    data += [("copy", data[0][1]), ("copied", known["known/0"])]
    references = [str(tmp_path / "known")]
    found = scan(data, "plain", references=references, keep="longest", jobs=1)
    (cluster,) = found.clusters
    first, longest, third = (str(tmp_path / name) for name in known)
    assert (cluster.members[0].name, cluster.complete) == (longest, False)
    # Other references are joined by the first document that is near them.
    expected = [(longest, name) for name, _ in data] + [(first, "new0"), (third, "new0")]
    assert sorted((pair.a, pair.b) for pair in found.pairs) == sorted(expected)


@pytest.mark.usefixtures("small_families")
@pytest.mark.parametrize("few", [0, 512])
@pytest.mark.parametrize("before", [0, 3])
def test_a_twin_of_the_kept_document_is_listed_with_the_first_near_it(
    few: int, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier, it was in the cluster without any pair where lists were made of rare shingles."""
    monkeypatch.setattr(large_groups, "FEW_PAIRS", few)
    monkeypatch.setattr(bounds, "FEW_PAIRS", few)
    random_ = random.Random(3)
    page = text(random_, 400)
    others = [(page + text(random_, random_.randint(0, 6)), "bc"[i % 2]) for i in range(8)]
    kept = (page + text(random_, 9), "a")
    rows = [*others[:before], kept, *others[before:], kept]
    data = [{"id": i, "text": one, "author": author} for i, (one, author) in enumerate(rows)]
    found = scan(data, "plain", across="author", method="minhash", keep="longest", jobs=1)
    (cluster,) = found.clusters
    assert (cluster.complete, cluster.members[0].name) == (False, before)
    with_kept = {(min(i, before), max(i, before)) for i in range(9) if i != before}
    first = 0 if before else 1
    assert {(pair.a, pair.b) for pair in found.pairs} == with_kept | {(first, 9)}


@pytest.mark.usefixtures("small_families")
def test_copies_in_families_say_which_text_is_contained() -> None:
    """Earlier, this was turned round where a copy came before, or a copy was kept."""
    for seed in seeds(4):
        random_ = random.Random(seed)
        page = text(random_, 90)
        texts = [page + text(random_, random_.choice((0, 5, 12, 40))) for _ in range(10)]
        texts += random_.choices(texts, k=8)
        random_.shuffle(texts)
        found = scan(enumerate(texts), "plain", containment=0.7, shingle=5, keep="longest", jobs=1)
        for pair in found.pairs:
            assert pair.contained == contained(texts[pair.a], texts[pair.b], 0.7)


def check_listed(cluster: Cluster, every: Cluster) -> None:
    """Check which pairs a large family lists: the kept one's, otherwise the first in order."""
    if cluster.complete:
        return
    assert len(cluster.pairs) < len(cluster.members)
    kept = cluster.members[0].name
    listed = {frozenset((pair.a, pair.b)): pair for pair in cluster.pairs}
    known = {frozenset((pair.a, pair.b)): pair for pair in every.pairs}
    for member in cluster.members[1:]:
        if member.role == "redundant":
            assert listed[frozenset((kept, member.name))].similarity == member.similarity
        else:
            partners = sorted(
                next(iter(names - {member.name})) for names in known if member.name in names
            )
            twins = [p.a for p in every.pairs if p.exact and p.b == member.name]
            if partners and not twins:
                assert (
                    listed[frozenset((partners[0], member.name))]
                    == known[frozenset((partners[0], member.name))]
                )


@pytest.mark.usefixtures("small_families")
@pytest.mark.parametrize("method", ["simhash", "minhash", "pstable"])
def test_a_single_search_proposed_all_that_was_checked(method: str) -> None:
    summary = scan(named(corpus(5)), "plain", run=RunOptions(jobs=1), method=method).summary
    assert summary.candidates_by == {method: summary.candidates}


def test_a_document_that_cannot_hold_another_is_not_asked_about_it() -> None:
    """Chunks overlap, and hardly one has all of another: bounds tell before texts are compared."""
    chance = random.Random(4)
    page = [chr(0x4E00 + chance.randrange(900)) for _ in range(2000)]
    pages = [
        "".join(chance.choice(page) if chance.random() < 0.02 else one for one in page)
        for _ in range(12)
    ]
    starts = (chance.randrange(1700) for _ in range(600))
    chunks = [chance.choice(pages)[start : start + 300] for start in starts]
    criteria = Criteria(similarity=0.5, linkage="star", lossless=True, keep="longest")
    summary = scan(named(chunks), criteria=criteria, jobs=1).summary
    assert not summary.unchecked
    assert summary.candidates < len(chunks)
