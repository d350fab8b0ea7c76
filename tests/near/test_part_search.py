"""Parts that earlier documents have: those of the definition, whatever reads and cuts."""

import random
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.oracles import units as oracle
from simdup import dedupe
from simdup.corpus.record_fields import without_spans
from simdup.model.cleaned import UNITS
from simdup.near import part_search
from simdup.show.removed import Cleaned

SENTENCES = [
    "甲甲甲甲甲。", "乙乙乙乙乙！", "Alpha beta. ", "Gamma delta? ", "短。", "ALPHA　beta. ",
    "丁，乙乙乙乙乙！",
]  # fmt: skip
TEXTS = st.lists(
    st.lists(st.sampled_from([*SENTENCES, "\n", "\n\n", "丙丙丙丙丙"]), max_size=6).map("".join),
    max_size=6,
)


def shortened(texts: list[str], unit: str, copies: int = 1, **more: int) -> Cleaned:
    return dedupe(list(enumerate(texts)), unit=unit, copies=copies, min_length=5, **more)


@given(TEXTS, st.sampled_from(UNITS), st.integers(0, 3))
def test_parts_are_cut_as_the_definition_says(texts: list[str], unit: str, copies: int) -> None:
    found = shortened(texts, unit, copies)
    left = [text for _, text in found.data]
    gone = oracle.left_out(texts, unit, copies, 5)
    removed = list(found.removed)
    for number, text in enumerate(texts):
        spans = [(one.start, one.end) for one in removed if one.document == number]
        assert left[number] == without_spans(text, spans)
        parts = oracle.parts(text, unit)
        cut = [part for part, left_out in zip(parts, gone[number], strict=True) if left_out]
        # A few stay, because the parts around them would become one.
        assert all(text[start:end].strip() in cut for start, end in spans)
        stay = oracle.parts(left[number], unit)
        assert len(stay) == len(parts) - len(spans)
    turn = oracle.in_turn([oracle.parts(text, unit) for text in texts], unit, 5)
    for one in removed:
        if one.kept is None:
            assert (one.kept_start, one.kept_end, copies) == (None, None, 0)
            continue
        kept = texts[one.kept][one.kept_start : one.kept_end]
        assert turn.index(one.kept) <= turn.index(one.document)
        assert one.text == texts[one.document][one.start : one.end]
        assert oracle.form(one.text) in oracle.form(kept)
        assert kept in left[one.kept]
    assert (found.documents, found.unit) == (sum(bool(text.strip()) for text in texts), unit)
    assert found.changed == len({one.document for one in removed})
    assert found.characters_after == sum(len(t) for t in left if t) - sum(
        len(t) for t in texts if not t.strip()
    )


@given(TEXTS, st.sampled_from(UNITS), st.integers(0, 3))
def test_what_was_cut_once_is_not_cut_again(texts: list[str], unit: str, copies: int) -> None:
    once = [text for _, text in shortened(texts, unit, copies).data]
    again = shortened(once, unit, copies)
    assert [text for _, text in again.data] == once
    assert len(again.removed) == 0


@pytest.mark.parametrize("unit", UNITS)
def test_processes_do_not_matter(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_search, "WORTH_WORKERS", 0)
    lines = [f"第{i % 700}个句子有二十个以上的字，所以它可以被删去，好的。" for i in range(8000)]
    texts = ["\n".join(lines[i : i + 20]) for i in range(0, len(lines), 20)]
    one, two = shortened(texts, unit, jobs=1), shortened(texts, unit, jobs=2)
    assert one.data == two.data
    assert list(one.removed) == list(two.removed)
    # Of 400 documents, the first 35 have each of the 700.
    assert one.emptied == len(texts) - 35


def test_a_refrain_stays_in_the_document_that_keeps_it() -> None:
    texts = ["甲甲甲甲甲。短。甲甲甲甲甲。", "甲甲甲甲甲。乙。甲甲甲甲甲。"]
    found = shortened(texts, "sentence")
    assert [text for _, text in found.data] == [texts[0], "乙。"]
    assert found.removed[-1] == (1, 8, 14, 0, 0, 6, "甲甲甲甲甲。")
    assert len(found.removed[:1]) == 1


PAGE = ["The first line of the page.", "Menu", "A second line of it.", "Menu", "The last line."]


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("unit", UNITS)
def test_a_page_twice_is_cut_to_one_and_empties_no_clean_one(
    unit: str, order: tuple[int, ...]
) -> None:
    joint = "\n\n" if unit == "paragraph" else "\n"
    page = joint.join(PAGE) + joint
    texts = [page * 2, page, "Something else that nobody has." + joint + page * 3]
    found = dict(shortened([texts[i] for i in order], unit).data)
    left = {i: found[place] for place, i in enumerate(order)}
    whole = {i for i in range(3) if page in left[i]}
    assert left[1] == page or (whole == {2} and left[2].count(page) == 1)
    assert not oracle.parts(left[0], unit) or set(oracle.parts(left[0], unit)) == {"Menu"}
    assert dict(shortened(texts[:1], unit).data) == {0: page}
    assert dict(shortened(texts[:2], unit).data)[1] == page


def test_rolling_captions() -> None:
    """Each is in the one before it, in whole words and numbers."""
    lines = [
        "we begin the talk", "WE BEGIN  the talk", "the talk", "the talk has 12",
        "he talk has 1", "talk has", "we begin the talk", "今天我们讲第一章", "我们讲第一章",
        "共计一百二十元整", "共计一百二十",
    ]  # fmt: skip
    found = shortened(["\n".join(lines)], "line")
    assert found.data[0][1].split("\n") == [lines[i] for i in (0, 3, 4, 6, 7, 9, 10)]
    kept = [(one.text, one.kept_start, one.kept_end) for one in found.removed]
    assert kept[0] == ("WE BEGIN  the talk\n", 0, 17)
    assert (len(kept), kept[1][1:]) == (4, (0, 17))


def test_the_same_parts_stay_in_any_order() -> None:
    lines = [f"第{i}个句子有二十个以上的字，所以它可以被删去，好的。" for i in range(40)]
    chance = random.Random(3)
    texts = ["\n".join(chance.choices(lines, k=12)) for _ in range(30)]
    texts += [f"{text}\n{text}" for text in texts[:9]]
    counts = set()
    for _ in range(10):
        chance.shuffle(texts)
        left = [oracle.parts(text, "line") for _, text in shortened(texts, "line", 2).data]
        having = Counter(part for parts in left for part in set(parts))
        counts.add(tuple(sorted(having.items())))
    assert len(counts) == 1


def test_no_half_of_a_quotation_is_left() -> None:
    """What begins or ends outside of a sentence stays with it."""
    quoted = "老师说：“明天的比赛改到下午三点。没有完成作业的同学留下来。”大家都摇头叹气。"
    again = "通知如下：“没有完成作业的同学留下来。”大家都摇头叹气。"
    found = dedupe([("a", quoted), ("b", again)], unit="sentence", min_length=5)
    assert [text for _, text in found.data] == [quoted, "通知如下：“没有完成作业的同学留下来。”"]
