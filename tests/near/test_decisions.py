"""Clusters that people decided to divide: properties, and an oracle that tries pair by pair."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support import leaders

from lab.corpora.made import prose
from simdup import scan
from simdup.model.criteria import Criteria
from simdup.model.decisions import Decision, Decisions
from simdup.model.measures import MeasuredPairs
from simdup.near.rules.decisions import divide

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
def clusters(draw: st.DrawFn) -> MeasuredPairs:
    """The pairs of a cluster."""
    size = draw(st.integers(2, 7))
    numbers = {(draw(st.integers(0, i - 1)), i) for i in range(1, size)}
    more = st.sets(st.integers(0, size - 1), min_size=2, max_size=2)
    numbers |= {(min(two), max(two)) for two in draw(st.lists(more, max_size=6))}
    a, b = np.array(sorted(numbers)).T
    return MeasuredPairs({"a": a, "b": b})


def near(pairs: MeasuredPairs) -> Any:
    numbers = set(map(frozenset, zip(pairs["a"].tolist(), pairs["b"].tolist(), strict=True)))
    return lambda a, b: frozenset((a, b)) in numbers


def distinct(decisions: Decisions, a: str, b: str) -> bool:
    """Whether the last decision that names two documents says that they are distinct."""
    kinds = [d.kind for d in decisions.each if {a, b} <= set(d.documents) and d.kind != "keep"]
    return bool(kinds) and kinds[-1] == "distinct"


def divided(pairs: MeasuredPairs, decisions: Decisions) -> list[Any]:
    criteria, order = Criteria(decisions=decisions), np.arange(len(NAMES))
    members = sorted({*pairs["a"].tolist(), *pairs["b"].tolist()})
    return list(divide([members], criteria, NAMES, order, lambda rows, decided: pairs))


@given(clusters(), DECISIONS)
def test_clusters_are_divided_as_the_definition_says(
    pairs: MeasuredPairs, decisions: Decisions
) -> None:
    members = sorted({*pairs["a"].tolist(), *pairs["b"].tolist()})
    expected = leaders(
        members, near(pairs), distinct=lambda a, b: distinct(decisions, NAMES[a], NAMES[b])
    )
    for rows, taken_by, root in divided(pairs, decisions):
        parts: dict[int, set[int]] = {}
        for row in rows:
            parts.setdefault(root.get(row, row), set()).add(row)
        assert taken_by == expected[0]
        assert {frozenset(part) for part in parts.values() if len(part) > 1} == expected[1]
        return
    # Nobody decided that two of them are distinct.
    assert expected[1] == {frozenset(members)}


def test_clusters_without_decisions_stay_as_they_are() -> None:
    pairs = MeasuredPairs({"a": np.array([0]), "b": np.array([1])})
    assert divided(pairs, Decisions()) == []
    assert divided(pairs, Decisions((Decision("distinct", ("d0", "elsewhere")),))) == []


def test_a_document_that_people_divided_is_not_spared_beside_the_other() -> None:
    """Without them in it, nothing is left of the cluster."""
    text = prose(1)
    data = [("a", f"{text} 17"), ("b", f"{text} 23")]
    assert [one.name for one in scan(data, lossless=True, jobs=1).spared] == ["b"]
    decisions = Decisions((Decision("distinct", ("a", "b")),))
    assert scan(data, lossless=True, decisions=decisions, jobs=1).spared == ()
