"""Units of length, templates, and the way back to the characters of the text."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lab.oracles import reuse as oracle
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse import between
from simdup.reuse.symbols import (
    HOLE,
    characters,
    cut,
    locate,
    look_up_in,
    offsets,
    places,
    spans_in,
    symbols_before,
)
from simdup.reuse.winnowing import Template
from simdup.text.characters import fold, fold_segments

MIXED = st.text(
    "abcz09éßſı ΣИ.,-…中文测试圖書館々〇かカｶﾞภาษา한국각"
    "\u1100\u1161\u11a8\u0301\u0327\n\t\u3000１Ａ½ﬁ㎏\u00ad\u200b\u200d\u00a8\U00020000\U0001f600"
)


def compact(text: str) -> str:
    return "".join(text.split())


@given(st.lists(MIXED | st.text(), max_size=4))
@example(["a" * 24, "b" * 25, "word", "word"])
@example(["we write num-\nbers", "numbers", "well\u2010\r\n  known", "2019-\n2020", "a-\n\nb"])
@example(["ab-\n" + "c" * 22, "ab-\n" + "c" * 23, "x-", "x-\n", "x-\n -y", "不-\nx"])
def test_units_are_those_of_the_definition(texts: list[str]) -> None:
    texts = [fold(text) for text in texts]
    every = cut(texts)
    words: dict[str, tuple[int, int]] = {}
    for text, start, end in zip(texts, every.starts[:-1], every.starts[1:], strict=True):
        symbols = every.symbols[start:end].tolist()
        found = places(text)
        assert found.symbols.tolist() == symbols
        bounds = list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))
        for unit in oracle.units(text):
            if unit.word:
                first, second = symbols.pop(0), symbols.pop(0)
                assert min(first, second) >= 1 << 31
                assert words.setdefault(unit.text, (first, second)) == (first, second)
                assert bounds.pop(0) == (unit.start, unit.end)
            else:
                assert symbols.pop(0) == ord(unit.text)
            assert bounds.pop(0) == (unit.start, unit.end)
        assert not symbols
    assert len(set(words.values())) == len(words)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("我们的文章", 5),
        ("eight words of english are sixteen units long", 16),
        ("it's", 5),
        ("x = 3.14", 8),
        ("iPhone手机", 4),
        ("ภาษาไทย", 7),
        ("한국어 문장", 4),
        ("   \n\u3000", 0),
        ("A" * 30, 30),
        ("日本語のカタカナ", 8),
    ],
)
def test_what_counts_how_much(text: str, units: int) -> None:
    assert len(cut([fold(text)]).symbols) == units


@given(MIXED | st.text())
@example("e\u200d\u0301x")
@example("\u0301")
@example("ａ\u00ad\u0301ﬁ\u00ad")
@example("甚\u200b麽甚\u0336麼=\u0338\u0336a\ufe0f\u0336")
def test_a_text_and_its_fold_are_cut_alike(text: str) -> None:
    folded, cuts, folded_cuts = fold_segments(text)
    assert folded == fold(text)
    assert (cuts[0], cuts[-1], folded_cuts[0], folded_cuts[-1]) == (0, len(text), 0, len(folded))
    every = list(zip(cuts.tolist(), folded_cuts.tolist(), strict=True))
    for i, (start, folded_start) in enumerate(every):
        for end, folded_end in every[i : i + 4]:
            assert fold(text[start:end]) == folded[folded_start:folded_end]


@given(MIXED | st.text())
@example("1½ cups")
@example("…")
def test_offsets_are_where_folded_symbols_begin_and_end(text: str) -> None:
    begins, ends = offsets([text])[0]
    found = places(fold(text))
    folded = fold(text)
    starts = [i for i, start in enumerate(begins.tolist()) if start >= 0]
    lasts = [i for i, end in enumerate(ends.tolist()) if end >= 0]
    for i in starts[:6]:
        for j in [j for j in lasts if j >= i][:6]:
            passage = folded[found.starts[i] : found.ends[j]]
            assert compact(fold(text[begins[i] : ends[j]])) == compact(passage)


@given(MIXED | st.text(), st.data())
@example(text="\nİstanbul", data=None)
def test_spans_have_all_of_their_symbols(text: str, data: st.DataObject | None) -> None:
    folded = fold(text)
    found, (begins, _) = places(folded), offsets([text])[0]
    size = len(begins)
    assert symbols_before(text, np.array([0])).tolist() == [0]
    if not size:
        return
    first, last = 0, size - 1
    if data:
        first = data.draw(st.integers(0, size - 1))
        last = data.draw(st.integers(first, size - 1))
    ((start, end),) = spans_in(text, np.array([[first, last + 1]])).tolist()
    assert 0 <= start < end <= len(text)
    inside = compact(folded[found.starts[first] : found.ends[last]])
    assert inside in compact(fold(text[start:end]))


@given(st.lists(MIXED | st.text(), min_size=1, max_size=4))
@example(["e", "\u0301e", "", "\u0301", "\u1161\u11a8"])
def test_offsets_of_texts_together_are_those_of_each(texts: list[str]) -> None:
    together, firsts = offsets(texts)
    start = 0
    for text, first in zip(texts, firsts.tolist(), strict=True):
        for mine, every in zip(offsets([text])[0], together, strict=True):
            own = every[first : first + len(mine)]
            assert np.where(own < 0, -1, own - start).tolist() == mine.tolist()
        start += len(text) + 1


@given(st.data())
def test_spans_are_cut_alike_in_both_texts(data: st.DataObject) -> None:
    texts = [data.draw(MIXED.filter(lambda t: len(cut([fold(t)]).symbols))) for _ in range(2)]
    sizes = [len(cut([fold(text)]).symbols) for text in texts]
    length = data.draw(st.integers(1, min(sizes)))
    firsts = [data.draw(st.integers(0, size - length)) for size in sizes]
    spans = [np.array([[first, first + length]]) for first in firsts]
    a, b = locate(look_up_in(texts.__getitem__), np.array([[0, 1]]), *spans)
    kept = []
    for text, (start, end), first in zip(
        texts, (a[0].tolist(), b[0].tolist()), firsts, strict=True
    ):
        begins, ends = (side[first : first + length].tolist() for side in offsets([text])[0])
        kept.append((begins.index(start), ends.index(end)) if end else None)
        if not end:
            # No symbol of both can be cut out.
            assert start == 0
    assert kept[0] == kept[1]


@pytest.mark.parametrize("sides", [(0, 1), (1, 0)])
def test_a_span_of_which_one_text_has_nothing_to_cut_out_is_in_neither(
    sides: tuple[int, int],
) -> None:
    def look_up(documents: NDArray[np.int64], spans: NDArray[np.int64]) -> NDArray[np.int64]:
        """The second document cannot be cut before its third symbol."""
        return np.where((documents[:, None] == 1) & (spans < 2), -1, spans)

    spans = {0: np.array([[3, 9]]), 1: np.array([[0, 2]])}
    a, b = locate(look_up, np.array([sides]), *(spans[side] for side in sides))
    assert a.tolist() == b.tolist() == [[0, 0]]


def test_a_hyphen_at_the_end_of_a_text_divides_no_word() -> None:
    texts = ["see b-", "b and c"]
    found = characters(texts, np.array([0, 1, 1]), np.array([[0, 5], [0, 2], [2, 6]]))
    assert found.tolist() == [[0, 6], [0, 1], [2, 7]]  # a word is two symbols


small = st.text("ab中", max_size=14)


@given(st.lists(small, max_size=3), st.lists(small, max_size=4), st.integers(2, 4))
def test_runs_of_a_template_become_holes(known: list[str], texts: list[str], run: int) -> None:
    every = cut(texts)
    found = Template.of(known, run).cover(every).symbols.tolist()
    runs = {
        tuple(symbols[i : i + run])
        for symbols in (cut([text]).symbols.tolist() for text in known)
        for i in range(len(symbols) - run + 1)
    }
    expected = every.symbols.tolist()
    for start, end in zip(every.starts[:-1].tolist(), every.starts[1:].tolist(), strict=True):
        for i in range(start, end - run + 1):
            if tuple(every.symbols[i : i + run].tolist()) in runs:
                expected[i : i + run] = [int(HOLE)] * run
    assert found == expected


@given(st.lists(MIXED, min_size=1, max_size=5), st.lists(st.integers(0, 4), max_size=6), MIXED)
@example([" \u1161", " \u1161"], [], "")
def test_equal_passages_fold_to_the_same(parts: list[str], order: list[int], other: str) -> None:
    a = "".join(parts)
    b = other + "".join(parts[i % len(parts)] for i in order) + fold(a) + other
    shared = between(a, b, PassageCriteria(min_run=4, min_length=4, gap=2))
    for passage in shared.passages:
        mine, its = a[slice(*passage.a)], b[slice(*passage.b)]
        assert mine
        assert its
        if passage.similarity == 1:
            assert compact(fold(mine)) == compact(fold(its))
    # No passage begins or ends at a mark of another character, or within ½.
    marks = len(fold_segments(a)[1]) != len(a) + 1 or len(fold(a)) != len(a)
    if len(cut([fold(a)]).symbols) >= 4 and shared.share_a == 1 and not marks:
        assert shared.passages
