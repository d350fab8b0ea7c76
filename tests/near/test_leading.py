"""Leaders inside components: who is kept, and takes whom."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import leaders

from lab.corpora.made import prose, write
from simdup import Result, scan
from simdup.model.decisions import Decision, Decisions
from simdup.near.leading import lead


class Near(NamedTuple):
    """Documents in the order of keeping, their near pairs, and what forbids some of these."""

    order: list[int]
    pairs: dict[frozenset[int], bool]  # and whether the first may take the second
    apart: set[frozenset[int]]  # must not share a cluster
    held: set[int]


@st.composite
def graphs(draw: st.DrawFn) -> Near:
    order = draw(st.permutations(range(draw(st.integers(2, 9)))))
    two = st.frozensets(st.sampled_from(order), min_size=2, max_size=2)
    pairs = draw(st.dictionaries(two, st.integers(0, 3).map(bool)))
    return Near(order, pairs, draw(st.sets(two, max_size=3)), draw(st.sets(st.integers(0, 9))))


def led(near: Near, *, divided: bool = False, held: bool = False) -> Any:
    place = near.order.index
    pairs = sorted(
        (sorted(pair, key=place) for pair in near.pairs), key=lambda pair: [*map(place, pair)]
    )
    return lead(
        [(a, b, near.pairs[frozenset((a, b))]) for a, b in pairs],
        {i: {i} for i in near.order} if divided else None,
        lambda a, b: frozenset((a, b)) in near.apart,
        near.held if held else (),
    )


def clusters(root: dict[int, int]) -> set[frozenset[int]]:
    members = {top: frozenset(i for i in root if root[i] == top) for top in root.values()}
    return {group for group in members.values() if len(group) > 1}


@given(graphs(), st.booleans())
def test_leaders_are_those_of_the_definition(near: Near, divided: bool) -> None:
    taken_by, root, spared = led(near, divided=divided)
    expected = leaders(
        near.order,
        lambda a, b: frozenset((a, b)) in near.pairs,
        lambda a, b: near.pairs[frozenset((a, b))],
        lambda a, b: divided and frozenset((a, b)) in near.apart,
    )
    assert (taken_by, clusters(root)) == expected
    for document, kept in spared.items():
        assert {document, kept}.isdisjoint(taken_by)
        assert near.pairs[frozenset((document, kept))] is False
        assert near.order.index(kept) < near.order.index(document)


@given(graphs())
def test_what_others_took_neither_leads_nor_is_taken(near: Near) -> None:
    taken_by, root, _ = led(near, held=True)
    assert near.held.isdisjoint({*taken_by, *taken_by.values()})
    assert clusters(root) == clusters(led(near)[1])


# What a scan says of it.

PARTS = [prose(seed, 30) for seed in range(12)]


def text(first: int, many: int = 8) -> str:
    """A text that shares seven parts of nine with the next one, and five of eleven with the one
    after that.
    """
    return "".join(PARTS[first : first + many])


def scanned(texts: dict[str, Any], **fields: Any) -> list[dict[Any, Any]]:
    """Who is kept for each document of each cluster."""
    found = scan(texts, "plain", method="minhash", similarity=0.7, jobs=1, **fields)
    check(found)
    return [
        {member.name: each.member(member.beside).name for member in each.members}
        for each in found.clusters
    ]


def check(found: Result) -> None:
    for each in found.clusters:
        kept = ""
        for member in each.members:
            assert (member.role == "kept") == (member.beside == member.number)
            kept = member.name if member.role == "kept" else kept
            assert each.member(member.beside).name == kept
            assert (member.similarity is None) == (member.role == "kept")


def test_several_are_kept_in_a_cluster() -> None:
    chain = {name: text(i) for i, name in enumerate("abcde")}
    assert scanned(chain) == [{"a": "a", "b": "a", "c": "c", "d": "c", "e": "e"}]
    turned = dict(reversed(chain.items()))
    assert scanned(turned) == [{"e": "e", "d": "e", "c": "c", "b": "c", "a": "a"}]
    preferred = [{"d": "d", "c": "d", "e": "d", "a": "a", "b": "a"}]
    assert scanned(chain, prefer=("d",)) == preferred
    # That the second is near a redundant one removes nothing.
    assert scanned({"a": text(0), "b": text(1), "c": text(2)}) == [{"a": "a", "b": "a", "c": "c"}]


def test_what_may_not_be_taken_joins_and_leads() -> None:
    whole, longer = text(0), text(0) + PARTS[8]
    texts = {"a": whole, "b": longer, "c": longer[:-2], "d": whole[:-2]}
    contained = {"containment": 0.99, "keep": "first"}
    assert scanned(texts, **contained) == [{"a": "a", "d": "a", "b": "b", "c": "b"}]
    assert scanned(texts, containment=0.99) == [{"b": "b", "a": "b", "c": "b", "d": "b"}]
    assert scanned(texts, lossless=True) == [{"a": "a", "d": "a", "b": "b", "c": "b"}]
    assert scanned(texts) == [{"a": "a", "b": "a", "c": "a", "d": "a"}]


def test_references_are_kept_and_take_first(tmp_path: Any) -> None:
    write(tmp_path, {"1": text(1) + "。", "2": text(2) + "完"})
    chain = {name: text(i) for i, name in enumerate("abcde")}
    old = [str(tmp_path / name) for name in "12"]
    assert scanned(chain, references=old) == [
        {old[0]: old[0], "a": old[0], "b": old[0], "c": old[0],
         old[1]: old[1], "d": old[1], "e": "e"},
    ]  # fmt: skip


def test_equal_texts_of_one_author_stay_beside_that_of_another() -> None:
    rows = [{"id": f"{author}{i}", "text": text(0), "author": author}
            for i, author in enumerate("aabb")]  # fmt: skip
    (kept,) = scanned(rows, across="author")  # type: ignore[arg-type]
    assert kept == {"a0": "a0", "b2": "a0", "b3": "a0", "a1": "a1"}


@pytest.mark.parametrize(
    ("decided", "expected"),
    [
        ([("distinct", "ab")], [{"a": "a"}, {"b": "b", "c": "b"}]),
        ([("distinct", "bc")], [{"a": "a", "b": "a"}]),
        ([("distinct", "ac")], [{"a": "a", "b": "a"}]),
        ([("distinct", "ac"), ("keep", "b")], [{"b": "b", "a": "b"}]),
        ([("keep", "c")], [{"c": "c", "b": "c", "a": "a"}]),
    ],
)
def test_a_take_or_a_join_that_a_decision_forbids_is_not_made(
    decided: list[tuple[str, str]], expected: list[dict[str, str]]
) -> None:
    decisions = Decisions(tuple(Decision(kind, tuple(names)) for kind, names in decided))
    chain = {name: text(i) for i, name in enumerate("abc")}
    found = scanned(chain, decisions=decisions)
    assert found == [each for each in expected if len(each) > 1]
