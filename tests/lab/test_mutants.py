"""Mutants: changes that still compile, and a small project whose tests kill some of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support import ROOT

from lab.breaking.mutants import (
    ROOMS,
    Reach,
    choose,
    every_mutant,
    kill,
    mutations,
    read_equivalent,
)

SOURCE = """\
def above(values, least, bar=None):
    if bar:
        bar.update(len(values) + 1)
    return sum(1 for value, _ in zip(values, values, strict=True) if value > least)
"""
TEST = """\
from room.algorithm import above


def test_above():
    assert above([1, 3], 2) == 1
"""


@pytest.mark.parametrize("room", ROOMS)
def test_each_mutation_changes_a_module_that_still_compiles(room: str) -> None:
    for path in (ROOT / "simdup" / room).glob("*.py"):
        source = path.read_text("utf-8")
        before = ast.dump(ast.parse(source))
        for mutation in mutations(source)[::50]:  # all of them take long
            assert ast.dump(ast.parse(mutation.apply(source))) != before, (path, mutation)


def test_each_mutant_has_a_name_and_what_was_read_is_one_of_them() -> None:
    names = [mutant.name for mutant in every_mutant()]
    assert len(names) == len(set(names))
    assert read_equivalent().keys() <= set(names)


def test_the_same_are_drawn_where_other_places_change() -> None:
    names = [mutant.name for mutant in choose(50, ("search",))]
    assert set(names) < {mutant.name for mutant in choose(60, ("search",))}
    assert [m.name for m in mutations(SOURCE)] == [m.name for m in mutations("\n" + SOURCE)]


def test_a_mutation_is_not_applied_to_another_source() -> None:
    mutation = mutations(SOURCE)[0]
    with pytest.raises(ValueError, match="no '1' at"):
        mutation.apply("\n" + SOURCE)


def test_a_mutant_is_killed_if_a_test_fails_and_survives_if_none_does(tmp_path: Path) -> None:
    path = "project/room/algorithm.py"
    (tmp_path / "project/room").mkdir(parents=True)
    (tmp_path / path).write_text(SOURCE, "utf-8")
    (tmp_path / "conftest.py").write_text("import sys\nsys.path.append('project')\n", "utf-8")
    (tmp_path / "test_it.py").write_text(TEST, "utf-8")
    test = "test_it.py::test_above"
    lines = {(path, number): {test} for number in range(1, 5)}
    found = {}
    for mutant in mutations(SOURCE, path):
        found[mutant.after] = kill(tmp_path, mutant, Reach(lines, {test: 0.1}))
    assert found == {"2": test, "(value >= least)": ""}
