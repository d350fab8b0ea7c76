"""Texts that were removed because of documents of an index: the same ones match these again."""

from pathlib import Path
from typing import Any

import pytest
from support import Command

from lab.corpora.crafted import edit, forge, number_of
from lab.corpora.made import prose
from simdup import Index, SimdupError, dedupe, scan
from simdup.index.segments import Edit

TEXT = "We were glad to hear from you, and hope that all is well with the garden by the river."
# Near it by its letters; by its shingles, which are all that an index knows, it is not.
NEAR = TEXT.replace("hear", "learn").replace("well", "fine")
OTHER = "Please remember that the library closes early on Friday, and that all books are due then."
NEAR_OTHER = OTHER.replace("closes", "shuts").replace("books", "maps")


@pytest.fixture
def path(tmp_path: Path) -> str:
    """An index of a document and others; a near-copy of it was removed beside it."""
    found = str(tmp_path / "seen.index")
    others = [(f"p{i}", prose(i)) for i in range(5)]
    cleaned = dedupe([("a", TEXT), ("b", NEAR), *others], index=found, add=True)
    assert [(one.document, one.kept) for one in cleaned.removed] == [("b", "a")]
    return found


def matches(path: str, text: str = NEAR, name: str = "x", **options: Any) -> list[str]:
    with Index.open(path) as index:
        (result,) = index.query([(name, text)], **options)
        return [one.document for one in result.matches]


def is_intact(path: str) -> bool:
    with Index.open(path) as index:
        return index.check() == []


def remembered(path: str) -> bytes:
    with Index.open(path) as index:
        return index._opened.segments.removed().tobytes()


def test_the_pair_has_the_figures_of_then(path: str) -> None:
    (pair,) = scan([("a", TEXT), ("b", NEAR)]).pairs
    with Index.open(path) as index:
        (result,) = index.query([("x", NEAR)])
        assert result.matches == (("a", pair.distance, pair.similarity),)
    (again,) = scan([("x", NEAR)], references=path).pairs
    assert again == pair._replace(b="x", estimated=True, exact=False, measure=again.measure)


def test_only_the_same_text_matches(path: str) -> None:
    for other in (NEAR + " And you?", NEAR.replace("glad", "sad"), NEAR.replace("garden", "house")):
        assert matches(path, other) == []


def test_what_is_asked_now_decides(path: str) -> None:
    (pair,) = scan([("a", TEXT), ("b", NEAR)]).pairs
    assert pair.similarity is not None
    assert matches(path, similarity=pair.similarity) == ["a"]
    assert matches(path, similarity=pair.similarity + 1e-6) == []
    assert matches(path, verify=False) == []


def test_a_new_version_of_the_kept_document_is_new(path: str) -> None:
    assert matches(path, name="a") == []
    cleaned = dedupe([("a", NEAR)], index=path, add=True)
    assert cleaned.removed == []
    # It was removed because of another text.
    assert matches(path) == ["a"]
    assert matches(path, TEXT) == []
    assert remembered(path) == b""


def test_removing_the_kept_document_drops_what_was_removed_for_it(path: str) -> None:
    with Index.open(path) as index:
        index.remove(["p1"])
        assert [one.new for one in index.query([("x", NEAR)])] == [False]
        index.remove(["a"])
        assert [one.new for one in index.query([("x", NEAR)])] == [True]
        # It was removed by another who had it then.
        index.add([("a", TEXT)])
        assert [one.new for one in index.query([("x", NEAR)])] == [True]
        index.remove([name for name, _ in index.export()])
        assert [one.new for one in index.query([("x", NEAR)])] == [True]
    assert remembered(path) == b""
    assert is_intact(path)


def test_documents_may_move(path: str) -> None:
    with Index.open(path) as index:
        index.add([(f"n{i}", prose(i, 12)) for i in range(10, 1_040)])
        assert [one.matches[0].document for one in index.query([("x", NEAR)])] == ["a"]
        index.remove([f"p{i}" for i in range(5)])
        assert [one.matches[0].document for one in index.query([("x", NEAR)])] == ["a"]
        index.add([("p1", prose(90)), ("n11", prose(91))])
    assert matches(path) == ["a"]
    assert is_intact(path)


def test_a_text_is_held_once(path: str) -> None:
    before = remembered(path)
    assert len(before) == 32
    for name in ("c", "d"):
        texts = [("a", TEXT), (name, NEAR), (name + "2", NEAR), ("e", TEXT)]
        assert len(dedupe(texts, index=path, add=True).removed) == 3
        assert dedupe([(name, NEAR)], index=path, add=True).data == []
        assert remembered(path) == before


def test_streams_recognize_it_too(path: str) -> None:
    with Index.open(path) as index:
        asked = [("x", prose(7)), ("y", NEAR), ("z", prose(8)), ("y2", NEAR)]
        found = list(index.query(asked, add=True))
        assert [one.added for one in found] == [True, False, True, False]
        assert [one.document for one in found[3].matches] == ["a"]


def test_fingerprints_have_no_texts(path: str) -> None:
    with Index.open(path) as index:
        lines = [("x", value) for _, value in index.export()]
        assert not any(one.new for one in index.query(lines, fingerprints=True))


def test_several_indexes(path: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other.index")
    dedupe([("q", prose(50)), ("r", prose(51))], index=other, add=True)
    for references in ([path, other], [other, path]):
        (pair,) = scan([("x", NEAR), ("y", prose(70))], references=references).pairs
        assert (pair.a, pair.b) == ("a", "x")
    # It is near a document that this index lacks: one of the same name is not that one.
    Index.build(other + "2", [("a", prose(60))]).close()
    more = [("same", TEXT), ("x", TEXT.replace("hear", "learn").replace("garden", "house"))]
    cleaned = dedupe(more, references=path, index=other + "2", add=True)
    assert [(one.document, one.kept) for one in cleaned.removed] == [("same", "a"), ("x", "a")]
    assert remembered(other + "2") == b""
    assert dedupe(more, index=path, add=True).data == []
    assert matches(path, more[1][1]) == ["a"]


def test_a_run_that_fails_leaves_the_index(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise SimdupError("x", "no space left")

    before = Path(path).read_bytes()
    monkeypatch.setattr(Edit, "finish", fail)
    with pytest.raises(SimdupError, match="no space left"):
        dedupe([("c", OTHER), ("d", NEAR_OTHER)], index=path, add=True)
    assert Path(path).read_bytes() == before


# Files.


def test_an_index_that_has_none_gets_some(tmp_path: Path) -> None:
    path = str(tmp_path / "old.index")
    Index.build(path, [("a", TEXT)]).close()
    assert matches(path) == []
    with Index.open(path) as index:
        index.remove(["a"])
        index.add([("a", TEXT)])
        assert not len(index._opened.segments.removed())
    # Without near-copies there is none, either.
    dedupe([("c", prose(1))], index=path, add=True)
    with Index.open(path) as index:
        assert not len(index._opened.segments.removed())
    dedupe([("a", TEXT), ("b", NEAR)], index=path, add=True)
    assert matches(path) == ["a"]
    assert is_intact(path)


@pytest.mark.parametrize(
    ("change", "fault"),
    [("UPDATE blob SET content = x'00'", "is damaged"), ("DELETE FROM blob", "is missing")],
)
def test_damage_is_found_before_an_answer(
    simdup: Command, path: str, change: str, fault: str
) -> None:
    exported = simdup("index", "export", path).out
    edit(Path(path), f"{change} WHERE number = {number_of(Path(path), 'removed')}")
    with Index.open(path) as index:
        assert f"part removed {fault}" in index.check()
    ran = simdup("query", path, "-", "--input-format", "jsonl", stdin=b'{"text": "x y z w"}\n')
    assert ran.status == 2
    assert f"part removed {fault}" in ran.err
    # What an export prints is intact.
    done = simdup("index", "export", path)
    assert (done.status, done.out) == (0, exported)


def test_half_a_removed_text_is_damage(path: str) -> None:
    forge(Path(path), "removed", 0, lambda content: content[:-1])
    with Index.open(path) as index:
        assert index.check() == ["part removed is damaged"]
