"""Lines, sentences and paragraphs: where they are, and what is left without some of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.oracles import units as oracle
from simdup.corpus.record_fields import without_spans
from simdup.model.cleaned import UNITS
from simdup.text import units
from simdup.text.characters import digest_bytes
from simdup.text.units import cut_spans, forms_of, keys_of, lay_out, repeated

PIECES = st.sampled_from([
    "。", "！", "？", "；", "…", "……", ".", "!", "?", "...", "”", "」", "）", ")", '"', "“", "(",
    " ", "  ", "\n", "\n\n", "\r\n", "\r", "\n \n", "　　", "中文", "好", "Foo", "bar", "a", "B",
    "Dr",
    "e.g", "U.S", "No", "et al", "Fig", "1", "3.5", "v2.5", "http://a.b/c?d", "I", "，", ",", "-",
    "\u2028", "x\u0301", "Ａ", "Ph.D", "1)", "[2]", "ǅ",
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join)


def parts(text: str, unit: str = "sentence") -> list[str]:
    layout = lay_out(text, unit)
    return [text[start:end] for start, end in zip(layout.starts, layout.ends, strict=True)]


@given(TEXTS | st.text(max_size=30), st.sampled_from(UNITS))
def test_parts_are_those_of_the_definition(text: str, unit: str) -> None:
    assert parts(text, unit) == oracle.parts(text, unit)


@pytest.mark.parametrize(
    "sentences",
    [
        ["他说：“你好！”", "然后走了。", "她问……", "不知道！", "是吗?", "好的。"],
        ["（见附件。）", "第二句？！", "第三句；", "第四句"],
        ["Dr. Smith et al. wrote v2.5.", "See Fig. 3 for e.g. U.S. data.", "It cost 3.5 dollars."],
        ["J. R. Tolkien saw http://a.b/c?d=end.", "Why?", "(He left.)"],
        ["“So?”", "In 1999.", "12 died."],
        ["12 people... Then all left.", '"Really?" he said.', "No. 5 is alive."],
        ["I said no.", "Yes."],
        ["He left (at once).", "She stayed [there].", "(Nobody knows.)"],
        ["A Ph.D. Student wrote it.", "No."],
        ["1. First item.", "2. Second item."],
        ["Jane Doe, Ph.D. Ed.D. Smith wrote it.", "He did."],
        ["他买了iPhone 15 Pro.", "很贵。", "Yes!", "好。"],
    ],
)  # fmt: skip
def test_sentences(sentences: list[str]) -> None:
    glue = "" if sentences[0][0] in "他（" and "." not in "".join(sentences) else " "
    assert parts(glue.join(sentences)) == sentences
    assert parts("\n".join(sentences)) == sentences
    assert parts("\n\n".join(sentences)) == sentences


def test_a_line_goes_on_with_a_small_letter() -> None:
    assert parts("A title\nThe text is\nwrapped here. And\nhere.\n\nnew") == [
        "A title", "The text is\nwrapped here.", "And\nhere.", "new",
    ]  # fmt: skip


def test_paragraphs_are_apart_by_blank_lines_if_there_is_one() -> None:
    assert parts("a\nb\nc", "paragraph") == ["a", "b", "c"]
    assert parts(" a\r\nb\r\n \r\nc\n", "paragraph") == ["a\r\nb", "c"]


def left(text: str, unit: str, gone: list[int]) -> str:
    layout = lay_out(text, unit)
    spans = cut_spans(text, unit, layout, [i in gone for i in range(len(layout.starts))])
    return without_spans(text, spans[spans[:, 0] >= 0].tolist())


@pytest.mark.parametrize(
    ("unit", "gone", "want"),
    [
        ("line", [1], "标题\n\n\nThird. Fourth.  \n\nLast"),
        ("line", [0, 3], "　　第一。第二。\n\n\nThird. Fourth.  \n\n"),
        ("line", [0, 1], "\n\nThird. Fourth.  \n\nLast"),
        ("paragraph", [0], "Third. Fourth.  \n\nLast"),
        ("paragraph", [1], "标题\n　　第一。第二。\n\n\nLast"),
        ("sentence", [1], "标题\n　　第二。\n\n\nThird. Fourth.  \n\nLast"),
        ("sentence", [2], "标题\n　　第一。\n\n\nThird. Fourth.  \n\nLast"),
        ("sentence", [1, 2], "标题\n\n\nThird. Fourth.  \n\nLast"),
        ("sentence", [0, 1, 2], "Third. Fourth.  \n\nLast"),
        ("sentence", [3], "标题\n　　第一。第二。\n\n\nFourth.  \n\nLast"),
        ("sentence", [4], "标题\n　　第一。第二。\n\n\nThird. \n\nLast"),
        ("sentence", [3, 4], "标题\n　　第一。第二。\n\n\nLast"),
        ("sentence", [0, 1, 2, 3, 4, 5], ""),
    ],
)
def test_what_is_left_reads_well(unit: str, gone: list[int], want: str) -> None:
    assert left("标题\n　　第一。第二。\n\n\nThird. Fourth.  \n\nLast", unit, gone) == want


def test_what_would_become_one_part_stays_apart() -> None:
    assert left("Foo bar. 好的。abc", "sentence", [1]) == "Foo bar. 好的。abc"
    assert left("Foo bar\n好的。\nabc", "sentence", [1]) == "Foo bar\n好的。\nabc"
    # A blank line says that two lines are one paragraph.
    assert left("a\n\n\nb\nc", "paragraph", [0]) == "\nb\nc"


@given(TEXTS, st.sampled_from(UNITS), st.data())
def test_what_is_left_has_the_same_parts(text: str, unit: str, data: st.DataObject) -> None:
    layout = lay_out(text, unit)
    count = len(layout.starts)
    gone = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    spans = cut_spans(text, unit, layout, gone).tolist()
    assert len(spans) == count
    assert all(left_out or span == [-1, -1] for left_out, span in zip(gone, spans, strict=True))
    done, stay = 0, []
    for first, last, span in zip(layout.starts, layout.ends, spans, strict=True):
        start, end = (first, last) if span == [-1, -1] else span
        assert done <= start <= first < last <= end
        # But for the part only white space.
        assert not (text[start:first] + text[last:end]).strip()
        done = end
        if span == [-1, -1]:
            stay.append(text[first:last])
    rest = without_spans(text, [span for span in spans if span != [-1, -1]])
    assert parts(rest, unit) == stay


@given(TEXTS, st.sampled_from(UNITS), st.integers(1, 6))
def test_keys_are_digests_of_long_parts(text: str, unit: str, least: int) -> None:
    keys = keys_of(text, unit, least)
    cut = oracle.parts(text, unit)
    repeats = oracle.repeated(cut, unit, least)
    long = [
        one
        for one, first in zip(cut, repeats, strict=True)
        if first is None and oracle.compared(one, unit, least)
    ]
    places = zip(keys.starts.tolist(), keys.ends.tolist(), strict=True)
    assert [text[start:end] for start, end in places] == long
    want = [digest_bytes(oracle.form(one).encode()) for one in long]
    assert [bytes(one) for one in keys.digests] == want


# Few of them, so that runs repeat; some are in others, and some hold half a quotation.
WORDS = st.sampled_from([
    "a", "b", "c", "a b", "b c", "a b c", "ab", "b, c", "甲", "甲乙", "1", "1.5", "“a", "b”", '"',
    "A  B",
])  # fmt: skip


@settings(max_examples=500)
@given(st.lists(WORDS, max_size=24), st.sampled_from(UNITS), st.integers(1, 3), st.data())
def test_repetitions_are_those_of_the_definition(
    lines: list[str], unit: str, least: int, data: st.DataObject
) -> None:
    doubled = data.draw(st.integers(0, len(lines)))
    lines += lines[doubled:] + lines[:doubled]
    text = "\n".join(lines)
    layout = lay_out(text, "line")
    places = layout.starts, layout.ends
    origin = repeated(text, unit, *places, forms_of(text, *places, least), least).tolist()
    want = oracle.repeated(oracle.parts(text, "line"), unit, least)
    assert origin == [-1 if one is None else one for one in want]
    # What is left repeats nothing.
    rest = "\n".join(line for line, one in zip(lines, want, strict=True) if one is None)
    assert oracle.repeated(oracle.parts(rest, "line"), unit, least) == [None] * want.count(None)


def test_parts_are_folded_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Alpha beta.\nbeta.\nGamma!\n“甲乙丙”\n" * 3
    whole = keys_of(text, "line", 2)
    monkeypatch.setattr(units, "_FOLDED", 3)
    assert repr(keys_of(text, "line", 2)) == repr(whole)
    assert whole.repeats == 2


def test_time_is_linear_in_hostile_texts() -> None:
    for piece in ("1. ", "。", "a.", "! (", "\n", ". A", "A\n\nb\n"):
        text = piece * (100_000 // len(piece))
        layout = lay_out(text, "sentence")
        cut_spans(text, "sentence", layout, [i % 2 == 0 for i in range(len(layout.starts))])
        keys_of(text, "sentence", 1)
