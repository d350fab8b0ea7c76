"""Clusters that people decided to divide: properties, and an oracle that tries pair by pair."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support import leaders

from simdup.model.criteria import Criteria
from simdup.model.decisions import Decision, Decisions
from simdup.model.measures import DocumentPair
from simdup.near.clustering import Group
from simdup.near.divided_clusters import divide

NAMES = [f"d{i}" for i in range(7)]
KINDS = st.sampled_from(["distinct", "duplicates", "keep"])
DECISIONS = st.lists(
    st.builds(
        lambda kind, some: Decision(kind, tuple(NAMES[i] for i in some)),
        KINDS,
        st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True),
    ),
    max_size=5,
).map(lambda some: Decisions(tuple(some)))


@st.composite
def groups(draw: st.DrawFn) -> Group:
    """A group of documents that pairs connect."""
    size = draw(st.integers(2, 7))
    numbers = {(draw(st.integers(0, i - 1)), i) for i in range(1, size)}
    more = st.sets(st.integers(0, size - 1), min_size=2, max_size=2)
    numbers |= {(min(two), max(two)) for two in draw(st.lists(more, max_size=6))}
    pairs = [DocumentPair(a, b, 0) for a, b in sorted(numbers)]
    return Group(list(range(size)), leaders(range(size), near(pairs))[0], pairs)


def near(pairs: list[DocumentPair]) -> Any:
    numbers = {frozenset((pair.a, pair.b)) for pair in pairs}
    return lambda a, b: frozenset((a, b)) in numbers


def distinct(decisions: Decisions, a: str, b: str) -> bool:
    """Whether the last decision that names two documents says that they are distinct."""
    kinds = [d.kind for d in decisions.each if {a, b} <= set(d.documents) and d.kind != "keep"]
    return bool(kinds) and kinds[-1] == "distinct"


def divided(group: Group, decisions: Decisions) -> list[Group]:
    criteria = Criteria(decisions=decisions)
    return divide(
        [group], criteria, NAMES, np.arange(len(NAMES)), lambda group, decided: group.pairs
    )


@given(groups(), DECISIONS)
def test_groups_are_divided_as_the_definition_says(group: Group, decisions: Decisions) -> None:
    found = divided(group, decisions)
    expected = leaders(
        group.members,
        near(list(group.pairs)),
        distinct=lambda a, b: distinct(decisions, NAMES[a], NAMES[b]),
    )
    assert ({a: b for one in found for a, b in one.taken_by.items()}) == expected[0]
    assert {frozenset(one.members) for one in found} == expected[1]
    for one in found:
        assert sorted(one.members) == list(one.members)
        assert list(one.pairs) == [p for p in group.pairs if {p.a, p.b} <= {*one.members}]


def test_groups_without_decisions_stay_as_they_are() -> None:
    group = Group([0, 1], {1: 0}, [DocumentPair(0, 1, 2)])
    assert divided(group, Decisions()) == [group]
    assert divided(group, Decisions((Decision("distinct", ("d0", "elsewhere")),))) == [group]
