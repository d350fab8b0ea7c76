"""Parts that earlier documents have: those of the definition, whatever reads and cuts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.oracles import units as oracle
from simdup import dedupe
from simdup.corpus.span_cutting import without_spans
from simdup.model.cleaned import UNITS
from simdup.near import part_search
from simdup.show.removed_parts import Shortened

SENTENCES = [
    "甲甲甲甲甲。", "乙乙乙乙乙！", "Alpha beta. ", "Gamma delta? ", "短。", "ALPHA　beta. ",
]  # fmt: skip
TEXTS = st.lists(
    st.lists(st.sampled_from([*SENTENCES, "\n", "\n\n", "丙丙丙丙丙"]), max_size=6).map("".join),
    max_size=6,
)


def shortened(texts: list[str], unit: str, copies: int = 1, **more: int) -> Shortened:
    return dedupe(list(enumerate(texts)), unit=unit, copies=copies, min_length=5, **more)


@given(TEXTS, st.sampled_from(UNITS), st.integers(1, 3))
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
    for one in removed:
        kept = texts[one.kept][one.kept_start : one.kept_end]
        assert one.kept < one.document
        assert oracle.form(kept) == oracle.form(texts[one.document][one.start : one.end])
        assert kept in left[one.kept]
    assert (found.documents, found.unit) == (sum(bool(text.strip()) for text in texts), unit)
    assert found.changed == len({one.document for one in removed})
    assert found.characters_after == sum(len(t) for t in left if t) - sum(
        len(t) for t in texts if not t.strip()
    )


@given(TEXTS, st.sampled_from(UNITS), st.integers(1, 3))
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


def test_a_part_repeated_in_the_document_that_keeps_it_stays() -> None:
    texts = ["甲甲甲甲甲。甲甲甲甲甲。", "甲甲甲甲甲。乙。甲甲甲甲甲。"]
    found = shortened(texts, "sentence")
    assert [text for _, text in found.data] == [texts[0], "乙。"]
    assert found.removed[-1] == (1, 8, 14, 0, 0, 6)
    assert len(found.removed[:1]) == 1


def test_no_half_of_a_quotation_is_left() -> None:
    """What begins or ends outside of a sentence stays with it."""
    quoted = "老师说：“明天的比赛改到下午三点。没有完成作业的同学留下来。”大家都摇头叹气。"
    again = "通知如下：“没有完成作业的同学留下来。”大家都摇头叹气。"
    found = dedupe([("a", quoted), ("b", again)], unit="sentence", min_length=5)
    assert [text for _, text in found.data] == [quoted, "通知如下：“没有完成作业的同学留下来。”"]
