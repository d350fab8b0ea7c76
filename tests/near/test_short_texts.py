"""Short texts: found by shorter shingles, measured by edits, and different where numbers are."""

import gzip
import json
import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support import ROOT, Command, examples

from lab.oracles import plain, short_texts
from simdup import compare, scan
from simdup.model.criteria import SHORT, Criteria
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions
from simdup.near import crew
from simdup.near.measures.edits import edit_similarities
from simdup.near.methods.short_texts import (
    _without_one,
    edit_signatures,
    placed_sets,
    similar_sets,
)
from simdup.text.analyzer import Analyzer
from simdup.text.short_texts import Forms, form_sets, forms_of

HAN = "岸树芽云洋虫星桥路竹梅兰菊荷墨笔纸杯盘铺柜窗柱梯砖瓦钉绳线布衫帽鞋袜伞扇镜"
WORDS = ["please", "update", "window", "answer", "between", "simple", "garden", "winter", "friend"]
ONE_PROCESS = RunOptions(jobs=1)

few_letters = st.text("ab河岸天", min_size=1, max_size=24)


def forms(*texts: str) -> Forms:
    return forms_of(Analyzer.for_recipe(Recipe()).prepare_all(texts))


def form(text: str) -> str:
    return forms(text).texts[0]


def message(random_: random.Random, script: str) -> str:
    if script == "Han":
        return "".join(random_.choice(HAN) for _ in range(random_.randint(25, 110)))
    return " ".join(random_.choice(WORDS) for _ in range(random_.randint(8, 18)))


def with_one_edit(text: str, random_: random.Random) -> str:
    """A word changed, added or left out; a link, an emoji or other punctuation added."""
    cut = text.split(" ") if text.isascii() else [text[i : i + 2] for i in range(0, len(text), 2)]
    joint = " " if text.isascii() else ""
    place = random_.randrange(len(cut))
    other = random_.choice(WORDS) if text.isascii() else "".join(random_.choices(HAN, k=2))
    kind = random_.randrange(5)
    if kind == 0:
        cut[place] = other
    elif kind == 1:
        cut.insert(place, other)
    elif kind == 2:
        del cut[place]
    elif kind == 3:
        return f"{text} 👍🏻 https://t.cn/A{random_.randrange(10**6)}"
    else:
        return f"@someone_1: {text}！！！"
    return joint.join(cut)


def corpus(script: str, many: int) -> list[tuple[str, str]]:
    random_ = random.Random(script)
    data = []
    for i in range(many):
        text = message(random_, script)
        data += [(f"{i}", text), (f"{i}'", with_one_edit(text, random_))]
    return data


# -- the form of a text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("明天，下午三点 开会！！", "明天1500开会"),
        ("看看这个视频真的太好笑 https://t.cn/A6xyz。快去", "看看这个视频真的太好笑快去"),
        ("RT @some_user1: Please read THIS now", "rtpleasereadthisnow"),
        ("转发@张三丰：明天下午大家一起去开会", "转发明天下午大家一起去开会"),
        ("感谢@小明的分享，明天见", "感谢小明的分享明天见"),  # nobody knows where the name ends
        ("请写信到 someone@example.org 报名", "请写信到someoneexampleorg报名"),
        ("太好了😀👍🏻❤️ 1️⃣ 明天见大家", "太好了明天见大家"),
        ("C++ 和 C# 还有 + 号的入门教程", "c++和c#还有号的入门教程"),
        ("轉發 微博", "转发微博"),
        ("看看链接 https://t.cn/A1", "看看链接"),
        ("转发 https://t.cn/A1", "转发httpstcna1"),  # nearly nothing would be left
        ("。。。", "。。。"),
        ("ข้าว ผัด", "ข้าวผัด"),
    ],
)
def test_a_form_has_letters_and_digits_only(text: str, expected: str) -> None:
    assert form(text) == expected


def test_a_form_does_not_depend_on_the_text_before_it() -> None:
    assert forms("harbour", "#harbour walnut", "+1 harbour lantern").texts[1:] == [
        form("#harbour walnut"),
        form("+1 harbour lantern"),
    ]
    assert form("#harbour walnut") == "harbourwalnut"


def test_every_text_but_an_empty_one_has_a_form() -> None:
    found = forms("字" * 10_000, " ", "字 " * 10)
    assert found.rows.tolist() == [0, 2]
    assert found.lengths.tolist() == [10_000, 10]


@example(["ab 河岸 " + "-!/" * 20], 30)
@given(
    st.lists(st.text("ab+河岸一二百万十第1.,i v@:/-!", max_size=60), max_size=4), st.integers(8, 40)
)
def test_forms_up_to_a_length_are_those_of_all(texts: list[str], longest: int) -> None:
    """Each form follows from its text alone, whatever is made beside it."""
    prepared = Analyzer.for_recipe(Recipe()).prepare_all(texts)
    found = forms_of(prepared, longest)
    alone = [forms_of([one]) for one in prepared]
    expected = [
        (i, one.texts[0], one.facts[0])
        for i, one in enumerate(alone)
        if one.texts and len(one.texts[0]) <= longest
    ]
    assert list(zip(found.rows.tolist(), found.texts, found.facts, strict=True)) == expected


def test_links_and_emoji_make_no_text_long() -> None:
    text = "明天下午三点在二楼会议室开会请大家准时参加"
    links = "".join(f" https://example.org/{i:040}" for i in range(20))
    assert form(text + links + "😀" * 300) == form(text)


# -- the measure


@given(st.lists(st.tuples(few_letters, few_letters), max_size=5))
def test_edit_similarity_is_that_of_the_definition(pairs: list[tuple[str, str]]) -> None:
    found = edit_similarities([a for a, _ in pairs], [b for _, b in pairs])
    assert found.tolist() == [plain.edit_similarity(a, b) for a, b in pairs]


@given(few_letters, few_letters, st.sampled_from([0.5, 0.7, 0.8, 0.9, 1.0]))
def test_bounds_reject_no_pair_that_has_the_similarity(a: str, b: str, similarity: float) -> None:
    criteria = Criteria(similarity=similarity)
    signatures = edit_signatures([a, b], np.zeros(2, np.uint64), criteria)
    may = bool(signatures.may_reach(np.array([0]), np.array([1]))[0])
    assert may or plain.edit_similarity(a, b) < similarity


def may_be_alike(a: str, b: str) -> bool:
    """Whether two texts have enough letters, in any order, for an edit similarity of 0.8."""
    longer = max(len(a), len(b))
    return longer - (Counter(a) & Counter(b)).total() <= 0.2 * longer


def proposed(texts: Sequence[str], similarity: float) -> NDArray[np.bool_]:
    """Which pairs of forms their keys propose, in the order of `combinations`."""
    numbers = np.zeros(len(texts), np.uint64)
    signatures = edit_signatures(texts, numbers, Criteria(similarity=similarity))
    return signatures.propose(*np.array(list(combinations(range(len(texts)), 2))).T)


@given(
    st.text("ab河岸", min_size=4, max_size=14),
    st.integers(0, 13),
    st.sampled_from(["", "a", "岸", "c"]),
    st.booleans(),
)
def test_very_short_texts_with_one_edit_are_always_proposed(
    text: str, place: int, new: str, insert: bool
) -> None:
    place %= len(text)
    edited = text[:place] + new + text[place + (not insert) :]
    longer = max(len(text), len(edited))
    for similarity in (0.5, 0.8, 0.9):
        allowed = longer * (1 - similarity) + 1e-9
        if 1 <= allowed < 3 and longer <= 14:
            assert proposed([text, edited], similarity).all()


@examples(100)
@given(
    st.text("abc河岸", min_size=1, max_size=14),
    st.integers(0, 13),
    st.sampled_from("a岸c"),
    st.booleans(),
)
def test_one_edit_leaves_a_key_without_a_character(
    text: str, place: int, new: str, insert: bool
) -> None:
    place %= len(text)
    edited = text[:place] + new + text[place + (not insert) :]
    one, other = _without_one([text, edited], 20)
    assert (one == other).any()


def test_the_similarity_of_sets_falls_with_that_of_texts() -> None:
    found = [similar_sets(similarity) for similarity in (1.0, 0.9, 0.8)]
    assert found == pytest.approx([1, 0.85 / 1.15, 0.7 / 1.3])


def test_forms_of_other_groups_and_texts_without_one_are_not_proposed() -> None:
    criteria = Criteria(similarity=0.8)
    signatures = edit_signatures(["春江花月夜"] * 3, np.zeros(3, np.uint64), criteria)
    signatures = signatures._replace(row_of=np.array([0, 1, -1, 2]))
    masked = signatures.masked(np.array([7, 7, 7, 8], np.uint64))
    pairs = np.array(list(permutations(range(4), 2)))
    for some, expected in (
        (signatures, {(0, 1), (0, 3), (1, 3)}), (masked, {(0, 1)}),
    ):  # fmt: skip
        found = pairs[some.propose(*pairs.T)].tolist()
        assert {tuple(sorted(one)) for one in found} == expected
        assert len(found) == 2 * len(expected)


@given(st.lists(few_letters, min_size=2, max_size=5))
def test_placed_runs_are_those_of_the_definition(texts: list[str]) -> None:
    starts, hashes = placed_sets(texts)
    found = [set(hashes[a:b].tolist()) for a, b in pairwise(starts.tolist())]
    expected = [short_texts.placed_runs(text) for text in texts]
    for (a, one), (b, other) in combinations(zip(found, expected, strict=True), 2):
        assert (len(a), len(b), len(a & b)) == (len(one), len(other), len(one & other))


def edited_all_over(random_: random.Random, longest: int, edits: int) -> tuple[str, str]:
    """Two texts of random letters, the longer one of so many, with so many edits between them."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    while True:
        text = edited = "".join(random_.choices(letters, k=longest))
        for place in sorted(random_.sample(range(longest), edits), reverse=True):
            new = random_.choice(letters)
            new = random_.choice([new, new + edited[place], ""])
            edited = edited[:place] + new + edited[place + 1 :]
        distance = plain.edit_distance(text, edited)
        if max(len(text), len(edited)) == longest and distance == edits:
            return text, edited


def documented() -> list[tuple[int, int, float]]:
    """The cells of the table in docs/methods.md: letters, edits, and the share that is proposed."""
    page = (ROOT / "docs" / "methods.md").read_text("utf-8")
    rows = page.partition("| letters | 1 edit |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [
        (int(letters), edits, int(share) / 100)
        for letters, *shares in cells
        for edits, share in enumerate(shares, 1)
        if share
    ]


@pytest.mark.parametrize(("letters", "edits", "share"), documented())
def test_edits_all_over_a_text_are_found_as_often_as_documented(
    letters: int, edits: int, share: float
) -> None:
    random_ = random.Random(f"{letters} {edits}")
    many = 300
    texts = [one for _ in range(many) for one in edited_all_over(random_, letters, edits)]
    signatures = edit_signatures(texts, np.zeros(2 * many, np.uint64), Criteria(similarity=0.8))
    first = np.arange(0, 2 * many, 2)
    found = signatures.propose(first, first + 1).mean()
    # Four standard deviations.
    assert found >= share - 4 * (share * (1 - share) / many) ** 0.5


def test_the_documented_table_has_every_number_of_edits_that_is_allowed() -> None:
    cells = documented()
    assert {letters for letters, _, _ in cells} == {10, 12, 14, 15, 20, 25, 30, 35, 40}
    for letters in {letters for letters, _, _ in cells}:
        assert max(edits for one, edits, _ in cells if one == letters) == letters // 5


def few_words(random_: random.Random) -> list[str]:
    """The forms of texts of few distinct words, many of them edited copies of others."""
    words = random_.choice(
        [WORDS, [*WORDS[:4], "of", "a", "山水", "春风", "花"], ["山水", *HAN[:9]]]
    )
    words = random_.sample(words, random_.randint(3, len(words)))
    texts: list[list[str]] = []
    for _ in range(60):
        text = random_.choices(words, k=random_.randint(1, random_.choice([4, 8, 30])))
        if texts and random_.random() < 0.5:
            text = list(random_.choice(texts))
            for _ in range(random_.randint(1, max(len(text) // 5, 1))):
                place = random_.randrange(len(text))
                text[place : place + random_.randrange(2)] = random_.choices(
                    words, k=random_.randrange(2) if len(text) > 1 else 1
                )
        texts.append(text)
    return sorted({form for text in texts if len(form := "".join(text)) < SHORT})


def test_texts_of_few_words_are_proposed_as_often_as_documented() -> None:
    true = found = 0
    expected = variance = 0.0
    for seed in range(40):
        texts = few_words(random.Random(seed))
        starts, hashes = form_sets(texts)
        runs = [set(hashes[a:b].tolist()) for a, b in pairwise(starts.tolist())]
        hits = proposed(texts, 0.8)
        for (i, j), hit in zip(combinations(range(len(texts)), 2), hits.tolist(), strict=True):
            a, b = texts[i], texts[j]
            if may_be_alike(a, b) and plain.edit_similarity(a, b) >= 0.8:
                share = len(runs[i] & runs[j]) / len(runs[i] | runs[j])
                chance = 1 - (1 - share**3) ** 41
                true, found = true + 1, found + hit
                expected, variance = expected + chance, variance + chance * (1 - chance)
    assert true > 500
    assert found >= expected - 4 * variance**0.5
    assert found >= 0.99 * true


@pytest.mark.parametrize("script", ["Han", "Latin"])
def test_a_scan_finds_texts_with_one_edit_and_nothing_else(script: str) -> None:
    data = corpus(script, 90)
    found = scan(data, run=ONE_PROCESS, all_pairs=True)
    pairs = {(p.a, p.b): p for p in found.pairs if not p.exact}
    texts = {name: forms(text) for name, text in data}
    everything = {
        (a, b): min(plain.edit_similarity(texts[a].texts[0], texts[b].texts[0]), plain.LARGEST)
        for a, b in combinations(texts, 2)
        if may_be_alike(texts[a].texts[0], texts[b].texts[0])
        and texts[a].facts[0].key == texts[b].facts[0].key
    }
    true = {pair for pair, similarity in everything.items() if similarity >= 0.8}
    assert pairs.keys() <= true
    assert len(pairs) >= 0.98 * len(true)
    for pair, one in pairs.items():
        assert one.measure == "edit"
        assert one.similarity == everything[pair]
    label = dict(zip(texts, found.labels.tolist(), strict=True))
    together = sum(label[f"{i}"] == label[f"{i}'"] for i in range(90))
    assert together >= 0.95 * 90


def test_the_shorter_text_decides_which_measure_it_is() -> None:
    random_ = random.Random(4)
    for length in (SHORT - 1, SHORT):
        text = "".join(random_.choice(HAN) for _ in range(length))
        longer = text + "再加几个字"
        found = scan([("a", text), ("b", longer)], run=ONE_PROCESS)
        assert found.pairs[0].measure == ("edit" if length < SHORT else "jaccard")
        assert compare(text, longer).measure == found.pairs[0].measure
        assert compare(text, longer).similarity == found.pairs[0].similarity


# Few distinct shingles, so that Jaccard similarity sees no difference in length.
PARTS = HAN + "字词句段章节"
REPEATED = {
    "1": "第1集" + PARTS * 2,
    "2": "第2集" + PARTS * 4,
    "5": "good morning dear friends " * 5,
    "6": "good morning dear friends " * 6,
    "7": "good morning dear friends " * 7,
    "many": "good morning dear friends " * 60,
    "long": PARTS * 20,
    "longer": PARTS * 21,
}


def by_definition(texts: dict[str, str]) -> dict[tuple[str, str], tuple[str, float]]:
    """The measure and the similarity of each pair; those with other numbers are left out."""
    known = {name: forms(text) for name, text in texts.items()}
    found = {}
    for a, b in combinations(texts, 2):
        one, other = known[a].texts[0], known[b].texts[0]
        if min(len(one), len(other)) >= SHORT:
            found[a, b] = ("jaccard", plain.similarity(texts[a], texts[b]))
        elif known[a].facts[0].key == known[b].facts[0].key:
            found[a, b] = (
                "edit",
                plain.similarity(texts[a], texts[b], plain.edit_similarity(one, other)),
            )
    return found


@pytest.mark.parametrize("fields", [{}, {"containment": 0.1}, {"cosine": 0.1}])
@pytest.mark.parametrize("similarity", [0.05, 0.3, 0.7, 0.8])
def test_a_short_text_is_measured_by_edits_beside_one_of_any_length(
    similarity: float, fields: dict[str, Any]
) -> None:
    asked = {"similarity": similarity, "all_pairs": True, **fields}
    found = {(p.a, p.b): p for p in scan(REPEATED, run=ONE_PROCESS, distance=64, **asked).pairs}
    expected = by_definition(REPEATED)
    if not fields:
        assert found.keys() == {p for p, (_, one) in expected.items() if one >= similarity}
    for pair, one in found.items():
        assert (one.measure, one.similarity) == expected[pair]
        compared = compare(*map(REPEATED.__getitem__, pair), similarity=similarity)
        assert (compared.measure, compared.similarity) == expected[pair]


@pytest.mark.parametrize("similarity", [0.0, 0.5, 0.8])
def test_a_threshold_changes_no_measure(simdup: Command, similarity: float) -> None:
    a, b = "明天下午在二楼会议室开会请大家准时参加", "后天下午在三楼会议室开会请大家务必参加"
    found = compare(a, b, similarity=similarity)
    assert (found.measure, found.similarity) == ("edit", compare(a, b).similarity)
    found = compare(a, b, similarity=similarity, containment=0.3)
    assert (found.measure, found.similarity) == ("edit", compare(a, b).similarity)
    pairs = scan([("a", a), ("b", b)], run=ONE_PROCESS, distance=64, similarity=0).pairs
    assert [(p.measure, p.similarity) for p in pairs] == [("edit", found.similarity)]
    assert compare(a, b, similarity=0.0, method="simhash").similarity != found.similarity


def test_without_a_similarity_numbers_and_few_words_decide_as_in_longer_texts() -> None:
    """No similarity is asked for, so edits decide nothing: they are only shown."""
    whole = "第3集" + PARTS * 12
    found = scan([("a", whole), ("b", PARTS)], run=ONE_PROCESS, containment=0.9)
    assert [(p.a, p.b, p.measure) for p in found.pairs] == [("a", "b", "edit")]
    words = [("a", "cat"), ("b", "cat cat")]
    assert not scan(words, run=ONE_PROCESS, similarity=0).clusters
    assert compare("cat", "cat cat", similarity=0).too_short


def test_texts_of_one_word_are_pairs_if_they_are_as_similar() -> None:
    found = scan([("a", "internationalization"), ("b", "internationalisation")], run=ONE_PROCESS)
    assert [(p.a, p.b, p.similarity) for p in found.pairs] == [("a", "b", 0.95)]
    assert compare("internationalization", "internationalisation").duplicates
    assert not scan([("a", "猫"), ("b", "狗")], run=ONE_PROCESS).clusters


def test_identical_short_texts_have_the_measure_of_short_texts() -> None:
    data = [("a", "明天下午开会"), ("b", "明天 下午开会"), ("c", "明天下午开会！")]
    found = scan(data, run=ONE_PROCESS)
    assert [m.measure for m in found.clusters[0].members] == [None, "edit", "edit"]
    assert [(p.measure, p.similarity, p.exact) for p in found.pairs][:2] == [
        ("edit", 1.0, True),
        ("edit", plain.LARGEST, False),
    ]


# -- numbers


SERIES = [(f"{i}", f"《平凡的世界》第{i}集在线观看高清完整版") for i in range(1, 9)]


def test_numbers_tell_short_texts_apart() -> None:
    assert not scan(SERIES, run=ONE_PROCESS).clusters
    # Where fingerprints alone decide, nothing is read in them.
    (cluster,) = scan(SERIES, run=ONE_PROCESS, verify=False, distance=64).clusters
    assert len(cluster.members) == len(SERIES)
    found = compare(SERIES[0][1], SERIES[1][1])
    assert not found.duplicates
    assert [(fact.kind, fact.a, fact.b) for fact in found.facts] == [("number", "第1", "第2")]
    assert found.similarity > 0.9


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("二〇二四年工作总结报告", "2024年工作总结报告"),
        ("三国演义第二十回", "三国演义第20回"),
        ("Part III of the story", "Part 3 of the story"),
    ],
)
def test_spellings_of_a_number_are_no_edits(a: str, b: str) -> None:
    assert compare(a, b).similarity == plain.LARGEST


def test_numbers_do_not_matter_in_longer_texts() -> None:
    random_ = random.Random(5)
    text = "".join(random_.choice(HAN) for _ in range(300))
    found = scan([("a", f"第1版{text}"), ("b", f"第2版{text}")], run=ONE_PROCESS)
    assert found.pairs[0].measure == "jaccard"


# -- many short texts


def notices(many: int, own: int, seed: int) -> list[str]:
    """Notices of one template, alike in form only."""
    random_ = random.Random(seed)
    head, tail = ("".join(random_.choice(HAN) for _ in range(18)) for _ in range(2))
    return [head + "".join(random_.choice(HAN) for _ in range(own)) + tail for _ in range(many)]


def test_copies_are_found_among_many_notices_of_one_template() -> None:
    texts = notices(1500, 24, 1)
    random_ = random.Random(2)
    copies = []
    for i in range(0, 1500, 100):
        place = random_.randrange(len(texts[i]))
        copies.append((i, texts[i][:place] + "变" + texts[i][place + 1 :]))
    data = [(i, text) for i, text in enumerate(texts)] + [(-i - 1, text) for i, text in copies]
    found = scan(data, run=ONE_PROCESS)
    labels = dict(zip((one for one, _ in data), found.labels.tolist(), strict=True))
    assert all(labels[i] == labels[-i - 1] for i, _ in copies)
    assert found.summary.redundant == len(copies)


def test_one_template_costs_no_more_than_many() -> None:
    # Of 4,200 notices, 9 million pairs share band keys; a few hundred of a notice are looked at.
    found = scan(enumerate(notices(4200, 16, 3)), run=ONE_PROCESS)
    assert found.summary.redundant < 400
    assert found.summary.checked < 512 * 4200
    assert found.summary.unchecked == 0


def test_results_do_not_depend_on_the_order_or_the_number_of_processes() -> None:
    data = corpus("Han", 80) + [(f"n{i}", text) for i, text in enumerate(notices(120, 10, 4))]
    first = scan(data, run=ONE_PROCESS)
    assert scan(data, jobs=2).clusters == first.clusters
    turned = scan(data[::-1], run=ONE_PROCESS)
    assert {frozenset(m.name for m in c.members) for c in first.clusters} == {
        frozenset(m.name for m in c.members) for c in turned.clusters
    }


# -- in the command


LINES = [
    "明天下午在二楼会议室开会请大家准时参加",
    "明天下午在二楼会议室开会！请大家务必准时参加 😀",
    "第1集在线观看",
    "第2集在线观看",
]


@pytest.fixture
def lines(tmp_path: Path) -> str:
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(json.dumps({"text": one}) + "\n" for one in LINES), encoding="utf-8")
    return str(path)


def test_compare_says_which_numbers_differ(simdup: Command, lines: str) -> None:
    run = simdup("compare", f"{lines}#3", f"{lines}#4")
    assert run.status == 1
    assert run.lines[0] == "not near-duplicates: they differ in 1 fact: 第1 -> 第2"


def test_poems_of_other_editions_are_found(shared_data: Path) -> None:
    with gzip.open(shared_data / "poems" / "docs.jsonl.gz", "rt", encoding="utf-8") as stream:
        poems = {one["id"]: one["text"] for one in map(json.loads, stream)}
    label = dict(zip(poems, scan(poems, run=ONE_PROCESS).labels.tolist(), strict=True))
    rows = (shared_data / "poems" / "pairs.tsv").read_text("utf-8").splitlines()
    pairs = [row.split("\t")[:2] for row in rows]
    pairs = [(a, b) for a, b in pairs if a in poems]
    assert sum(label[a] == label[b] for a, b in pairs) >= 0.95 * len(pairs)


@pytest.mark.parametrize("containment", [None, 0.9])
def test_processes_measure_short_and_long_texts_as_one_does(
    monkeypatch: pytest.MonkeyPatch, containment: float | None
) -> None:
    # Some tasks have short texts, some have none.
    monkeypatch.setattr(crew, "WORTH_CREW", 0)
    monkeypatch.setattr(crew, "_PAIRS", 2)
    chance = random.Random(4)
    texts = []
    for number in range(40):
        text = "".join(chance.choices(WORDS, k=9 if number % 4 == 0 else 90))
        texts += [text + f" 共{number}页", text + f" 共{number + number % 3}页。"]
    one, several = (scan(enumerate(texts), jobs=jobs, containment=containment) for jobs in (1, 2))
    assert one.clusters == several.clusters
    assert {pair.measure for pair in one.pairs} == {"jaccard", "edit"}
