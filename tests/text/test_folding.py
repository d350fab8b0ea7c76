"""Folding: texts that differ only in form become equal, by look-up as well as by definition."""

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.corpora.made import simplified_characters
from lab.oracles import plain
from simdup import Recipe, compare, fingerprint
from simdup.text.characters import FOLDED_IN_PLACE, fold, fold_all

SIMPLIFIED = simplified_characters()
# Characters that interact in surprising ways: marks, jamo, ligatures, sharp and dotless
# letters, half-width voicing marks, traditional characters, format characters, surrogates.
NASTY = st.text(
    "aAéßſıİΣςǅﬁÅΐ\u0301\u0327\u0345\u0338\u0308\u0307가각각ㄱｶﾞﾊﾟがか\u3099Ａ１　圖書館裡著乾龍后"
    "甚么麽麼什⺠⻑⺟経気葛\U000e0100\u0336\u0334\u20d2\u20e3=≠<!\u200b\u200d\u2060\ufeff\u00ad\u202e\ufe0f㎏①½Ⅳ…ﷺ\ud83d\ude00\udfff😀𠀀豈\u0f71\u0f72\u1100\u11a8"
)


@given(st.text(st.characters()))
def test_any_text_folds_as_defined(text: str) -> None:
    assert fold(text) == plain.fold(text, SIMPLIFIED)


@given(NASTY)
@example("\u0345\u200d\u0301")
@example("\ud83d\ude00")
@example("e\u200d\u0301")
def test_characters_that_meddle_with_each_other(text: str) -> None:
    assert fold(text) == plain.fold(text, SIMPLIFIED)
    assert fold(fold(text)) == fold(text)


@given(st.lists(NASTY | st.text(), max_size=6))
@example(["e", "\u0301", "", "\ud83d", "\ude00", "가", "\u11ab", "abc"])
def test_texts_do_not_affect_their_neighbours(texts: list[str]) -> None:
    assert fold_all(texts) == [plain.fold(text, SIMPLIFIED) for text in texts]


def test_every_character_on_its_own() -> None:
    huge = {*range(0x4E01, 0x9FF0), *range(0xAC01, 0xD7A3), *range(0x17000, 0x1F000)}
    wrong = [
        code
        for code in range(0x30000)
        if code not in huge
        and unicodedata.category(c := chr(code)) not in ("Cn", "Co")
        and not 0x20000 < code < 0x2F800
        and fold(c) != plain.fold(c, SIMPLIFIED)
    ]
    assert wrong == []


def test_every_traditional_character() -> None:
    text = "".join(map(chr, SIMPLIFIED))
    assert fold(text) == plain.fold(text, SIMPLIFIED)
    assert len(SIMPLIFIED) > 3000


def test_signs_that_contain_a_stroke_stay() -> None:
    signs = [
        c
        for c in map(chr, range(0x30000))
        if "\u0338" in unicodedata.normalize("NFD", c) and unicodedata.category(c)[0] == "S"
    ]
    assert len(signs) > 40
    assert all(fold(c) == unicodedata.normalize("NFKC", c) for c in signs)


def test_characters_one_for_one_fold_in_place_too() -> None:
    text = "経気図売⺠⻑圖ＡΣ"
    assert text.translate(FOLDED_IN_PLACE) == fold(text)


def test_radicals_are_ideographs() -> None:
    names = {code: unicodedata.name(chr(code), "") for code in range(0x2E80, 0x2FE0)}
    left = [chr(code) for code, name in names.items() if name and fold(chr(code)) == chr(code)]
    assert left == ["⺀"]  # Unicode knows no ideograph of it


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_ascii_is_lower_case(text: str) -> None:
    assert fold(text) == text.lower()


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("圖書館裡的龍", "图书馆里的龙"),
        ("繁體與簡體", "繁体与简体"),
        ("ＡＢＣ１２３！", "abc123!"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("e\u0301", "é"),
        ("Straße", "strasse"),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("河\u200b岸\ufeff边\u2060的\u00ad树", "河岸边的树"),
        ("\u202eabc\u202c", "abc"),
        ("①②㎏", "12kg"),
        ("\u1112\u1161\u11ab", "한"),
        ("a\ud800b", "a\ufffdb"),
        ("⺠主，⻑⻋", "民主,长车"),
        ("葛\U000e0100飾区 ❤\ufe0f 5\ufe0f\u20e3", "葛饰区 ❤ 5\u20e3"),
        ("甚麽、甚\u200b麼、甚么，甚至", "什么、什么、什么,甚至"),
        ("経済学部で広告を読む", "经济学部で广告を读む"),
        ("弁芸欠缶予余糸虫", "弁芸欠缶予余糸虫"),
        ("h\u0336e\u0336y\u0336 \u0336明\u0338日，\u0336", "hey 明日,"),
        ("e\u0336\u0301 e\u0301\u0336 \u0336x", "é é x"),
        ("a \u2260 b =\u0338 c =\ufe0f\u0338", "a \u2260 b \u2260 c \u2260"),
        ("\u21cd \u2adc =\u0336", "\u21cd \u2add\u0338 =\u0336"),
        ("", ""),
    ],
)
def test_examples(text: str, folded: str) -> None:
    assert fold(text) == folded


FORMS = [
    ("清晨的市場上有賣麵包和櫻桃的農夫", "清晨的市场上有卖面包和樱桃的农夫"),
    ("the quiet harbour café at nine", "The Quiet HARBOUR cafe\u0301 at nine"),
    ("ｔｈｅ　ｏｌｄ　ｌａｎｔｅｒｎ　ｂｕｒｎｓ", "the old lantern burns"),
    ("老人在河岸钓鱼，木船漂流而过", "\u200b".join("老人在河岸钓鱼，木船漂流而过")),
    ("老人在河岸钓鱼，木船漂流而过", "\u0336".join("老人在河岸钓鱼，木船漂流而过")),
    ("民主是个好东西，你说的是什么", "⺠主是个好东西，你說的是甚麼"),
]


@pytest.mark.parametrize(("one", "other"), FORMS)
def test_forms_of_one_text_are_near_duplicates(one: str, other: str) -> None:
    found = compare(one, other)
    assert (found.duplicates, found.distance, found.similarity) == (True, 0, 1.0)
    assert found.identical


@pytest.mark.parametrize(("one", "other"), FORMS)
def test_without_folding_forms_differ(one: str, other: str) -> None:
    recipe = Recipe(tokens="chars:2", fold=False)
    assert fingerprint(one, recipe) != fingerprint(other, recipe)
    assert not compare(one, other, recipe).identical


def test_endless_marks_take_linear_time() -> None:
    started = time.monotonic()
    folded = fold("A" + "\u0301\u0327" * 50_000)
    assert fold("a\u0336" * 50_000 + "=" + "\u0336" * 9) == "a" * 50_000 + "=" + "\u0336" * 9
    assert time.monotonic() - started < 5
    assert folded == "á" + "\u0327" * 50_000 + "\u0301" * 49_999
