"""Values of fields: how alike they are, and whether they differ."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.oracles.named_fields import slow_words
from simdup.text.field_values import (
    FieldValue,
    abbreviates,
    field_values,
    intervals,
    meet,
    similarity,
)

TITLES = st.text(st.sampled_from("abcd 12ivx中文王(),.&<>áß"), max_size=24)
VALUES = st.sampled_from(
    [
        "",
        "1",
        "2",
        "12-18",
        "12-8",
        "1234-41",
        "1234-1241",
        "e12",
        "10.1000/abc",
        "第12页",
        "x",
        "2-3",
    ]
)


def alike(a: str, b: str) -> float:
    return similarity(*field_values([a, b]))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Deep Learning: a review.", "DEEP LEARNING - A REVIEW"),
        ("Smith, John; Doe, Jane", "Jane Doe and John Smith"),
        ("J. Smith, K. Doe", "Smith J, Doe K"),
        ("Müller, J.", "MULLER J"),
        ("Ødegård, L.", "Odegard L"),
        ("Effects of <i>E. coli</i> &amp; others", "Effects of E. coli & others"),
        ("A. Smith, B. Jones, C. Brown, D. Green", "Smith A, Jones B, et al."),
        ("A. Smith; B. Jones; C. Brown; D. Green", "Smith, A.; Jones, B.; others"),
        ("王小明；李华；张三", "王小明 等"),
        ("資訊檢索", "资讯检索"),
        ("Learning, Part I", "Learning, Part 1"),
        ("A three-year study of children at school", "A 3-year study of children at school"),
    ],
)
def test_values_of_one_thing_are_alike(a: str, b: str) -> None:
    assert alike(a, b) >= 0.85


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("A study of learning at school, part I", "A study of learning at school, part II"),
        ("A study of learning at school, part one", "A study of learning at school, part two"),
        ("Annual report 2019", "Annual report 2020"),
        ("刑法研究（上）", "刑法研究（下）"),
        ("刑法研究(一)", "刑法研究（二）"),
        ("刑法研究（Ⅰ）", "刑法研究（Ⅱ）"),
        ("A study of learning at school", "Erratum to: A study of learning at school"),
        ("Smith J, Doe K", "Jones P, Kim D"),
        ("王伟", "王芳"),
    ],
)
def test_values_of_different_things_are_not(a: str, b: str) -> None:
    assert alike(a, b) < 0.5


def test_names_in_another_script_say_nothing() -> None:
    assert math.isnan(alike("王小明", "Wang Xiaoming"))
    assert not math.isnan(alike("王小明 Wang", "Wang Xiaoming"))
    assert alike("12", "王12") < 1  # digits are of no script


def test_initials_count_as_far_as_they_go() -> None:
    assert alike("Smith, John; Doe, Jane", "Smith J; Doe J") == pytest.approx(2 * 10 / (16 + 10))
    assert 0.5 <= alike("Journal of Machine Learning Research", "J. Mach. Learn. Res.") < 0.7
    assert alike("J J Smith", "John Smith") == pytest.approx(2 * 6 / (7 + 9))  # one of them
    assert alike("Ivanov I", "Ivanov Ivan") > 0.5  # not the number 1
    assert alike("Ivanov Ivan", "Ivanov I") > 0.5
    assert alike("Tang, Cheng-Cheng; Smith, Jean-Pierre", "Smith JP; Tang CC") > 0.6


def test_an_initial_stands_for_one_word() -> None:
    assert alike("J. J. Smith", "John Smith") == pytest.approx(2 * 6 / (7 + 9))
    assert alike("J. Smith", "John Jack Smith") == pytest.approx(2 * 6 / (6 + 13))


def test_a_word_is_abbreviated_by_its_letters_in_order() -> None:
    assert abbreviates("jrnl", "journal")
    assert not abbreviates("ournal", "journal")
    assert not abbreviates("jx", "journal")
    assert not abbreviates("journal", "journal")
    assert not abbreviates("王", "王伟")


def test_long_values_are_compared_by_runs() -> None:
    text = "".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)} " for i in range(200))
    assert alike(text, text[: len(text) // 2] + "x" + text[len(text) // 2 :]) > 0.9
    # Half of it: as much as the words say.
    assert 0.5 < alike(text, text[: len(text) // 2]) < 0.8


@given(TITLES, TITLES)
def test_similarity_is_symmetric_and_a_share(a: str, b: str) -> None:
    one, other = field_values([a, b])
    if not (one.words and other.words):
        return
    found = similarity(one, other)
    assert math.isnan(found) or 0 <= found <= 1
    assert similarity(other, one) == pytest.approx(found, nan_ok=True)
    assert similarity(one, one) == 1


NAMES = st.lists(st.sampled_from(["王小明", "张三", "李四", "赵六六"]), min_size=1, max_size=6)


@given(NAMES, NAMES)
def test_words_count_as_often_as_both_have_them(a: list[str], b: list[str]) -> None:
    one, other = (
        FieldValue("".join(words), tuple(words), (), (), False) for words in (a, b)
    )  # without the numbers that some are
    letters = len(one.letters) + len(other.letters)
    assert similarity(one, other) >= 2 * slow_words(a, b) / letters - 1e-12


@pytest.mark.parametrize(
    ("a", "b", "tolerance", "same"),
    [
        ("10.1000/ABC", "https://doi.org/10.1000/abc", 0, True),
        ("doi:10.1000/abc.", "10.1000/abd", 0, False),
        ("1234-41", "1234–1241", 0, True),
        ("pp. 12-18", "12", 0, True),
        ("12-18", "12-19", 0, False),
        ("S12-S18", "S12-8", 0, True),
        ("S12-S18", "S12-19", 0, False),
        ("89-96+119", "pp. 89-96", 0, True),
        ("e123", "123", 0, False),
        ("第12页", "12", 0, True),
        ("1,000", "1000", 0, True),
        ("二十", "20", 0, True),
        ("Vol. 12", "12", 0, True),
        ("2020-05-01", "2020/5/1", 0, True),
        ("A-12 b", "a12B", 0, True),
        ("２０１９", "2019", 0, True),
        ("2019", "2020", 1, True),
        ("2019", "2021", 1, False),
        ("2019-12-31", "2020", 1, True),
        ("1.1", "1.2", 0.1, True),
        ("1.1", "1.3", 0.1, False),
        ("", "2021", 0, True),
        ("n.d.", "2021", 1, True),
        ("—", "2021", 0, True),
    ],
)
def test_whether_values_differ(a: str, b: str, tolerance: float, same: bool) -> None:
    first, second = intervals([a, b], tolerance)
    assert meet(first[None], second[None]).tolist() == [same]


def test_a_tolerance_does_not_count_where_values_must_be_equal() -> None:
    bounds = intervals(["2019", "2020", "2019", ""], 1)
    first = np.repeat(bounds[:1], 4, axis=0)
    assert meet(first, bounds).all()
    assert meet(first, bounds, exactly=True).tolist() == [True, False, True, True]
    assert meet(first, bounds, exactly=np.array([False, False, True, True])).all()


@given(st.lists(VALUES, min_size=1, max_size=6), st.sampled_from([0, 1, 5]))
def test_values_of_which_each_two_meet_have_a_point_in_common(
    values: list[str], tolerance: float
) -> None:
    bounds = intervals(values, tolerance)
    each_two = all(
        meet(bounds[[i]], bounds[[j]])[0] for i, j in combinations(range(len(values)), 2)
    )
    half = bounds.shape[1] // 2
    assert each_two == bool((bounds[:, :half].max(axis=0) <= bounds[:, half:].min(axis=0)).all())


def test_hostile_values_take_linear_time() -> None:
    # Each would take minutes if its time grew with the square.
    for text in ("<" * 200_000, "&amp" * 50_000, "i " * 100_000, "一" * 100_000, "(" * 100_000):
        field_values([text])
        intervals([text], 0)
        intervals([text], 1)
    assert alike("a b " * 20_000, "c d " * 20_000) < 0.1
