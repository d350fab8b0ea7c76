"""Clusters that people decided to divide: properties, and an oracle that tries every division."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from simdup.model.decisions import Decision, Decisions
from simdup.model.measures import DocumentPair, Measures
from simdup.near.clustering import Group, first_come
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
def groups(draw):
    """One group of connected documents with pairs of some similarity."""
    size = draw(st.integers(2, 7))
    numbers = [(draw(st.integers(0, i - 1)), i) for i in range(1, size)]
    more = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    numbers += [
        tuple(sorted(pair)) for pair in draw(st.lists(more, max_size=6)) if pair[0] != pair[1]
    ]
    pairs = [
        DocumentPair(
            a, b, draw(st.integers(0, 3)), Measures(draw(st.sampled_from([0.8, 0.9, 1.0])))
        )
        for a, b in sorted(set(numbers))
    ]
    return Group(0, list(range(size)), pairs)


def distinct(decisions, a, b):
    """Whether the last decision that names two documents says that they are distinct."""
    kinds = [d.kind for d in decisions.each if {a, b} <= set(d.documents) and d.kind != "keep"]
    return bool(kinds) and kinds[-1] == "distinct"


def slowly(group, decisions):
    """Join the parts of a group along its pairs, the strongest first, unless that is forbidden."""
    parts = [{one} for one in group.members]
    strongest = sorted(group.pairs, key=lambda p: (-p.measures.similarity, p.distance, p.a, p.b))
    for pair in strongest:
        a, b = (next(part for part in parts if one in part) for one in (pair.a, pair.b))
        named = [(NAMES[x], NAMES[y]) for x in a for y in b]
        if a is not b and not any(distinct(decisions, x, y) for x, y in named):
            parts.remove(b)
            a |= b
    return sorted(sorted(part) for part in parts if len(part) > 1)


@given(groups(), DECISIONS)
def test_groups_are_divided_at_their_weakest_links(group, decisions):
    found = divide([group], decisions, NAMES, first_come)
    assert sorted(list(one.members) for one in found) == slowly(group, decisions)
    for one in found:
        assert one.kept in one.members
        assert {x for pair in one.pairs for x in (pair.a, pair.b)} <= set(one.members)
        for x, y in combinations(one.members, 2):
            assert not distinct(decisions, NAMES[x], NAMES[y])


@given(groups(), DECISIONS, st.randoms())
def test_the_order_of_pairs_does_not_matter(group, decisions, chance):
    shuffled = list(group.pairs)
    chance.shuffle(shuffled)
    again = divide([group._replace(pairs=shuffled)], decisions, NAMES, first_come)
    found = divide([group], decisions, NAMES, first_come)
    assert [(g.kept, g.members) for g in again] == [(g.kept, g.members) for g in found]


def test_groups_without_decisions_stay_as_they_are():
    group = Group(1, [0, 1], [DocumentPair(0, 1, 2)])
    assert divide([group], Decisions(), NAMES, first_come) == [group]
    other = Decisions((Decision("distinct", ("d0", "elsewhere")),))
    assert divide([group], other, NAMES, first_come) == [group]
