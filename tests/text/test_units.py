"""Lines, sentences and paragraphs: where they are, and what is left without some of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.oracles import units as oracle
from simdup.corpus.span_cutting import without_spans
from simdup.model.cleaned import UNITS
from simdup.text.characters import digest_bytes
from simdup.text.units import cut_spans, keys_of, lay_out

PIECES = st.sampled_from([
    "。", "！", "？", "；", "…", "……", ".", "!", "?", "...", "”", "」", "）", ")", '"', "“", "(",
    " ", "  ", "\n", "\n\n", "\r\n", "\r", "\n \n", "　　", "中文", "好", "Foo", "bar", "a", "B",
    "Dr",
    "e.g", "U.S", "No", "et al", "Fig", "1", "3.5", "v2.5", "http://a.b/c?d", "I", "，", ",", "-",
    "\u2028", "x\u0301", "Ａ", "Ph.D", "1)", "[2]", "ǅ",
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join)


def parts(text: str, unit: str = "sentence") -> list[str]:
    return [text[one.start : one.end] for one in lay_out(text, unit).parts]


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
    spans = cut_spans(text, unit, layout, [i in gone for i in range(len(layout.parts))])
    return without_spans(text, [span for span in spans if span is not None])


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
    count = len(layout.parts)
    gone = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    spans = cut_spans(text, unit, layout, gone)
    assert len(spans) == count
    assert all(left_out or span is None for left_out, span in zip(gone, spans, strict=True))
    done = 0
    for part, span in zip(layout.parts, spans, strict=True):
        start, end = span or part[:2]
        assert done <= start <= part.start < part.end <= end
        # But for the part only white space.
        assert not (text[start : part.start] + text[part.end : end]).strip()
        done = end
    rest = without_spans(text, [span for span in spans if span is not None])
    stay = [text[p.start : p.end] for p, s in zip(layout.parts, spans, strict=True) if s is None]
    assert parts(rest, unit) == stay


@given(TEXTS, st.sampled_from(UNITS), st.integers(1, 6))
def test_keys_are_digests_of_long_parts(text: str, unit: str, least: int) -> None:
    keys = keys_of(text, unit, least)
    long = [one for one in oracle.parts(text, unit) if oracle.compared(one, unit, least)]
    places = zip(keys.starts.tolist(), keys.ends.tolist(), strict=True)
    assert [text[start:end] for start, end in places] == long
    want = [digest_bytes(oracle.form(one).encode()) for one in long]
    assert [bytes(one) for one in keys.digests] == want


def test_time_is_linear_in_hostile_texts() -> None:
    for piece in ("1. ", "。", "a.", "! (", "\n", ". A", "A\n\nb\n"):
        text = piece * (100_000 // len(piece))
        layout = lay_out(text, "sentence")
        cut_spans(text, "sentence", layout, [i % 2 == 0 for i in range(len(layout.parts))])
