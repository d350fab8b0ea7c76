"""Shell patterns: braces."""

from itertools import product
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given
from support import Command

from lab.corpora.made import prose, write
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


@pytest.mark.parametrize("field", ["glob", "exclude", "prefer"])
def test_a_pattern_is_no_longer_than_a_path(simdup: Command, tmp_path: Path, field: str) -> None:
    """Earlier, 30,000 brackets took 19 s."""
    write(tmp_path, {"c/a.txt": prose(1)})
    ran = simdup("scan", "c", f"--{field}", "[" * 30_000)
    assert (ran.status, ran.err.splitlines()[0]) == (
        2, f"simdup: --{field}: '{'[' * 39}... has more than 4,096 characters",
    )  # fmt: skip
    assert simdup("scan", "c", f"--{field}", "[" * 4096).status in (0, 2)


def test_patterns_know_which_of_them_matched() -> None:
    patterns = Patterns(["*.md", "README*", "*.rst"])
    assert patterns.match("d/README.md")
    assert not patterns.match("a.txt")
    assert patterns.unused == ["*.rst"]
