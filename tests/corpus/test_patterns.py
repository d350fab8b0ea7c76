"""Shell patterns: braces."""

from itertools import product

import hypothesis.strategies as st
import pytest
from hypothesis import given

from simdup.corpus.patterns import Patterns, expand, matches


@pytest.mark.parametrize(
    ("pattern", "stands_for"),
    [
        ("*.{md,txt}", ["*.md", "*.txt"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("a{b,c{d,e}}f", ["abf", "acdf", "acef"]),
        ("{,x}y", ["y", "xy"]),
        ("{{a,b},c}", ["a", "b", "c"]),
        ("{a}", ["{a}"]),
        ("{a}{b,c}", ["{a}b", "{a}c"]),
        ("{a,b", ["{a,b"]),
        ("a},{b", ["a},{b"]),
        ("{a,{b,c}", ["{a,b", "{a,c"]),
        ("a,b", ["a,b"]),
    ],
)
def test_braces_expand_as_in_a_shell(pattern: str, stands_for: list[str]) -> None:
    assert list(expand(pattern)) == stands_for


@given(st.lists(st.lists(st.text("ab*.", max_size=3), min_size=2, max_size=3), max_size=3))
def test_consecutive_braces_expand_to_all_combinations(choices: list[list[str]]) -> None:
    pattern = "-".join("{" + ",".join(some) + "}" for some in choices)
    assert list(expand(pattern)) == ["-".join(chosen) for chosen in product(*choices)]


@given(st.text("{},a", max_size=40))
def test_any_braces_come_to_an_end(pattern: str) -> None:
    assert expand(pattern)


def test_braces_with_too_many_combinations_are_literal() -> None:
    pattern = "{a,b}" * 60
    assert expand(pattern) == (pattern,)
    assert matches(pattern, [pattern])


def test_patterns_know_which_of_them_matched() -> None:
    patterns = Patterns(["*.md", "README*", "*.rst"])
    assert patterns.match("d/README.md")
    assert not patterns.match("a.txt")
    assert patterns.unused == ["*.rst"]
