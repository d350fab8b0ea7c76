"""What two texts have in common: spans, and the alignment of words."""

from functools import lru_cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.corpora.made import edited, prose
from simdup.corpus.decoding import unify_line_ends
from simdup.model.comparison import Span
from simdup.model.recipe import Recipe
from simdup.near import differences
from simdup.near.differences import align, cut_words, find_differences
from simdup.text.analyzer import Analyzer

ANALYZER = Analyzer.for_recipe(Recipe())

# Pieces of hostile and ordinary texts: they repeat, so that much is found in common.
PIECES = st.sampled_from(
    ["今天", "天气", "天氣", "很", "研究生", "命", "。", "，", " ", "\n", "\r", "\r\n", "\t", "the",
     "The", "ｔｈｅ", "in", "to", "into", "e\u0301", "é", "\u0301", "\u00ad", "\u200b", "\u202e",
     "1,204", "don't", "ﬁ", "ไทย", "カナ", "\ud800", "\x1b[31m", "\u3000", "㍿", "\ufe0f",
     "葛\U000e0100"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=30).map("".join)


@lru_cache(maxsize=2)
def analyzer(fold: bool) -> Analyzer:
    return Analyzer.for_recipe(Recipe(fold=fold))


def compact(text: str) -> str:
    return ANALYZER.prepare(text).compact


def marked(a: str, b: str) -> str:
    """The differences of two texts with marks."""
    shown = {
        "equal": lambda one, _: one,
        "folded": lambda one, other: f"{{={one}={other}=}}",
        "removed": lambda one, _: f"[-{one}-]",
        "added": lambda _, other: f"{{+{other}+}}",
    }
    spans = find_differences(a, b, ANALYZER)
    return "".join(shown[s.kind](a[slice(*s.a)], b[slice(*s.b)]) for s in spans)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("", "", ""),
        ("同一个字", "同一个字", "同一个字"),
        ("", "abc", "{+abc+}"),
        ("我们去公园散步。", "我们在公园跑步。", "我们[-去-]{+在+}公园[-散步-]{+跑步+}。"),
        ("今天天气很好", "今天天氣很好", "{=今天天气=今天天氣=}很好"),
        ("the quick fox", "the slow fox", "the [-quick-]{+slow+} fox"),
        ("foo b\nbar", "foo c\nbar", "foo [-b-]{+c+}\nbar"),
        ("one  three", "two  three", "[-one-]{+two+}  three"),
        ("four \t five", "nine\t\t five", "[-four -]{+nine\t+}\t five"),
        ("to be  or", "to be or", "to be{=  = =}or"),
        ("研究生命的起源", "研究生 命的起源", "{=研究生命=研究生 命=}的起源"),
        ("  into it", "in to it", "{=  into =in to =}it"),
        ("Ｃafe\u0301 hy\u00adphen", "café hyphen", "{=Ｃafe\u0301=café=} {=hy\u00adphen=hyphen=}"),
        (
            "一" * 30 + "甲" + "二" * 30,
            "一" * 30 + "乙" + "二" * 30,
            "一" * 30 + "[-甲-]{+乙+}" + "二" * 30,
        ),
        ("ภาษาไทยง่าย", "ภาษาลาวง่าย", "ภาษา[-ไทย-]{+ลาว+}ง่าย"),
        ("it costs 1,204.50 now", "it costs 1,304.50 now", "it costs [-1,204.50-]{+1,304.50+} now"),
    ],
)
def test_texts_differ_by_words(a: str, b: str, expected: str) -> None:
    assert marked(a, b) == expected


def test_words_that_match_by_chance_are_no_islands() -> None:
    a = "Unrelated sentences on the sea, and on the moon in the evening."
    b = "What else could one say the other day, nothing but the end of a long story."
    kinds = [span.kind for span in find_differences(a, b, ANALYZER)]
    assert kinds == ["removed", "added", "equal"]


@pytest.mark.parametrize(
    ("a", "b", "common"),
    [
        (["k" * 40, "it", "m" * 40], ["it"], False),
        (["k" * 40, "it", "m" * 40], ["it", "n" * 40], False),
        (["k" * 40, "it", "m" * 40], ["l" * 40, "it"], False),
        (["k", "it", "m" * 40], ["l", "it", "n" * 40], True),
        (["it", "m" * 40], ["it", "n" * 40], True),
    ],
)
def test_a_word_between_long_changes_is_common_by_chance(
    a: list[str], b: list[str], common: bool
) -> None:
    """Whichever of the texts has them."""
    for one, other in ((a, b), (b, a), (a[::-1], b[::-1]), (b[::-1], a[::-1])):
        assert bool(align(one, other)) == common


@given(TEXTS, TEXTS, st.booleans())
def test_spans_are_both_texts_and_say_what_is_so(a: str, b: str, fold: bool) -> None:
    made = analyzer(fold)
    spans = find_differences(a, b, made)
    ends = Span("", (0, 0), (0, 0))
    for span in spans:
        assert (span.a[0], span.b[0]) == (ends.a[1], ends.b[1])
        assert span.kind != ends.kind
        left, right = a[slice(*span.a)], b[slice(*span.b)]
        match span.kind:
            case "equal":
                assert unify_line_ends(left) == unify_line_ends(right) != ""
            case "removed":
                assert (bool(left), right) == (True, "")
            case "added":
                assert (left, bool(right)) == ("", True)
            case "folded":
                assert unify_line_ends(left) != unify_line_ends(right)
                assert made.prepare(left).compact == made.prepare(right).compact
        ends = span
    assert (ends.a[1], ends.b[1]) == (len(a), len(b))
    assert "".join(a[slice(*span.a)] for span in spans) == a
    assert "".join(b[slice(*span.b)] for span in spans) == b


@given(TEXTS)
def test_words_tile_a_text(text: str) -> None:
    words = cut_words(text, ANALYZER)
    begin = 0
    for key, stop, end in zip(*words, strict=True):
        assert begin <= stop <= end
        assert key == compact(text[begin:end])
        assert not text[begin:stop][-1:].isspace()
        begin = end
    assert begin == len(text)


def most_in_common(a: list[str], b: list[str]) -> int:
    """The length of a longest common subsequence, by its definition."""
    row = [0] * (len(b) + 1)
    for one in a:
        before = 0
        for j, other in enumerate(b, 1):
            before, row[j] = row[j], before + 1 if one == other else max(row[j], row[j - 1])
    return row[-1]


@given(*[st.lists(st.sampled_from("abcd"), max_size=20)] * 2)
def test_no_subsequence_in_common_is_longer(a: list[str], b: list[str]) -> None:
    runs = list(differences._runs(a, b))
    assert sum(r.a1 - r.a0 for r in runs) == most_in_common(a, b)
    assert all(a[r.a0 : r.a1] == b[r.b0 : r.b1] for r in runs)
    assert all(r.a1 <= after.a0 and r.b1 <= after.b0 for r, after in pairwise(runs))
    assert all((r.a1, r.b1) != (after.a0, after.b0) for r, after in pairwise(runs))


@given(*[st.lists(st.sampled_from(["", "x", "xy", "y", "yz", "z"]), max_size=12)] * 2)
def test_matches_rise_and_have_the_same_characters(a: list[str], b: list[str]) -> None:
    i = j = 0
    for run in align(a, b):
        assert i <= run.a0 <= run.a1 <= len(a)
        assert j <= run.b0 <= run.b1 <= len(b)
        assert "".join(a[run.a0 : run.a1]) == "".join(b[run.b0 : run.b1])
        i, j = run.a1, run.b1


def test_texts_too_long_for_one_alignment_are_aligned_by_sections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a = prose(1, 20_000)
    b = edited(a, edits=20)
    whole = find_differences(a, b, ANALYZER)
    monkeypatch.setattr(differences, "_MOST_PAIRS", 10**6)
    parts = find_differences(a, b, ANALYZER)
    assert parts == whole
    unrelated = find_differences(a, prose(2, 20_000), ANALYZER)
    assert "".join(a[slice(*span.a)] for span in unrelated) == a
