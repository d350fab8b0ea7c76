"""A name is in an index once, whoever adds it and how often."""

from pathlib import Path

import pytest

from lab.corpora.made import prose
from simdup import Index, fingerprint
from simdup.index import segments


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "seen.index")


def is_whole(path: str, expected: dict[str, str]) -> bool:
    """Check that an index has these documents, once each, by what all commands read."""
    with Index.open(path) as index:
        assert index.check() == []
        found = list(index.export())
        assert index.info().documents == len(index) == len(found)
    return sorted(found) == sorted((name, fingerprint(one)) for name, one in expected.items())


def test_two_that_add_in_turn_know_what_the_other_has_added(path: str) -> None:
    Index.build(path, [("a", prose(1))]).close()
    with Index.open(path) as one, Index.open(path) as other:
        assert one.add([("b", prose(2))]).added == 1
        assert other.add([("c", prose(3))]).added == 1
        # The first one wrote last before that; what it remembers is out of date.
        same = one.add([("c", prose(3))])
        assert (same.added, same.replaced, same.unchanged) == (0, 0, 1)
        assert one.add([("c", prose(4))]).replaced == 1
        assert other.add([("b", prose(2)), ("c", prose(5)), ("d", prose(6))]).replaced == 1
        assert one.remove(["d"]) == []
        assert other.add([("d", prose(6)), ("c", prose(5))]).added == 1
    assert is_whole(path, {"a": prose(1), "b": prose(2), "c": prose(5), "d": prose(6)})


def test_two_that_query_and_add_in_turn_know_what_the_other_has_added(path: str) -> None:
    Index.build(path, [("a", prose(1))]).close()
    with Index.open(path) as one, Index.open(path) as other:
        for number, (index, seed) in enumerate([(one, 2), (other, 3), (one, 4), (other, 5)]):
            (result,) = index.query([("x", prose(seed))], add=True)
            assert (result.matches, result.added) == ((), True), number
    assert is_whole(path, {"a": prose(1), "x": prose(5)})


@pytest.mark.parametrize("apart", [1, 1_030])
@pytest.mark.parametrize("full", [1, segments.FULL])
def test_a_name_again_later_in_one_add_replaces_the_first(
    path: str, monkeypatch: pytest.MonkeyPatch, apart: int, full: int
) -> None:
    """Documents are added in chunks, and written a segment at a time."""
    monkeypatch.setattr(segments, "FULL", full)
    first, last = prose(1, 20), prose(2, 20)
    between = {f"n{i}": f"{prose(3, 12)} {i} {i * i}" for i in range(apart)}
    with Index.build(path) as index:
        added = index.add([("twice", first), *between.items(), ("twice", last)])
        assert added.added == len(index) == apart + 1
    assert is_whole(path, {"twice": last, **between})


@pytest.mark.parametrize("apart", [0, 40, 1_030])
@pytest.mark.parametrize("full", [1, segments.FULL])
def test_the_last_text_of_an_id_counts_also_if_it_is_the_stored_one(
    path: str, monkeypatch: pytest.MonkeyPatch, apart: int, full: int
) -> None:
    monkeypatch.setattr(segments, "FULL", full)
    stored, other = prose(1, 20), prose(2, 20)
    between = {f"n{i}": f"{prose(3, 12)} {i} {i * i}" for i in range(apart)}
    with Index.build(path, [("twice", stored)]) as index:
        added = index.add([("twice", other), *between.items(), ("twice", stored)])
        assert (added.added, len(index)) == (apart, apart + 1)
    assert is_whole(path, {"twice": stored, **between})
