"""Characters by table, compared with plain Python; `tests.text` compares what folding makes."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdup.kernels.characters import fold, letters, look_up
from simdup.text.characters import cut_at, ends_of, from_codes, to_codes

CODE_POINTS, COMBINING, SEVERAL = range(0x110000, 0x110003)
STRINGS = ["", "ab", "中"]


@given(st.lists(st.text(), max_size=3))
def test_a_table_fills_itself_and_asks_once(texts: list[str]) -> None:
    table, asked = np.full(CODE_POINTS, 9, np.uint8), list[str]()

    def find(character: str) -> int:
        asked.append(character)
        return ord(character) % 9

    for text in texts:
        found = look_up(table, to_codes(text), 9, find)
        assert found.tolist() == [ord(c) % 9 for c in text]
    assert sorted(asked) == sorted(set("".join(texts)))


MARKS = st.integers(0, CODE_POINTS - 1) | st.integers(COMBINING, SEVERAL + len(STRINGS) - 1)


@given(st.lists(st.lists(MARKS, max_size=6), max_size=4))
@example([[SEVERAL + 1], [], [COMBINING, 7]])
def test_marks_become_texts(lists: list[list[int]]) -> None:
    several, several_ends = to_codes("".join(STRINGS)), ends_of(STRINGS)
    ends = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    marks = np.array([*chain.from_iterable(lists)], np.uint32)
    codes, new_ends, combining = fold(marks, ends, several, several_ends)
    expected = [
        "".join(
            STRINGS[mark - SEVERAL] if mark >= SEVERAL else chr(mark)
            for mark in each
            if mark != COMBINING
        )
        for each in lists
    ]
    assert cut_at(from_codes(codes), new_ends) == expected
    assert combining.tolist() == [COMBINING in each for each in lists]


@pytest.mark.parametrize("sign", ["+", "#"])
def test_two_signs_stay_behind_a_latin_letter_of_the_same_text(sign: str) -> None:
    texts = [f"c{sign * 3}", f"{sign}1{sign}"]
    kinds = {"c": 4, "1": 3, sign: 2}
    found = np.array([kinds[c] for c in "".join(texts)], np.uint8)
    codes, ends = letters(to_codes("".join(texts)), ends_of(texts), found)
    assert cut_at(from_codes(codes), ends) == [f"c{sign * 2}", "1"]


def test_arrays_that_do_not_fit_are_refused() -> None:
    codes, ends = to_codes("ab"), np.array([0, 3])
    table, kinds = np.full(CODE_POINTS, 9, np.uint8), np.zeros(2, np.uint8)
    no_strings, wide = np.zeros(0, np.uint32), np.array([CODE_POINTS], np.uint32)
    with pytest.raises(ValueError, match="ends"):
        letters(codes, ends, kinds)
    with pytest.raises(ValueError, match="ends"):
        fold(codes, ends, no_strings, np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="no string"):
        fold(np.array([SEVERAL], np.uint32), np.array([0, 1]), no_strings, np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="size"):
        look_up(table[:9], codes, 9, ord)
    with pytest.raises(ValueError, match="chr"):
        look_up(table, wide, 9, ord)
