"""An index of passages: it keeps what `passages` computes, whatever was added and removed."""

import os
import re
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, examples

from lab.corpora.crafted import edit, forge, head_of, number_of
from lab.corpora.made import prose, write
from simdup import Index, SimdupError, dedupe, passages
from simdup.corpus.batches import PackedBatch, read
from simdup.index import segments
from simdup.index.passages import PassageIndex, open_passages
from simdup.model.documents import Document
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.model.shared_passages import PassageCriteria
from simdup.near.collection import collected
from simdup.near.cutting import Cutting, assemble
from simdup.near.inputs import open_input
from simdup.reuse.finding import Sides
from simdup.reuse.seeds import Place, common_grams
from simdup.reuse.sought import SoughtSeeds
from simdup.reuse.symbols import cut
from simdup.reuse.winnowing import Window, winnow
from simdup.search.arrays import U64, Members, distinct
from simdup.text.characters import digest_bytes, fold

NOTICE = prose(99, 40)
# Below 10 documents none is common; with 12, what more than 9 of them have.
COMMON = {f"n{i}": f"{prose(i, 8)} {NOTICE} {prose(i + 50, 8)}" for i in range(12)}

Kept = tuple[list[tuple[str, str]], int, list[int]]
Contents = dict[str, list[tuple[bytes, ...]]]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "seen.index")


def built(path: str, documents: dict[str, str], **options: object) -> str:
    Index.build(path, documents.items(), passages=True, **options).close()  # type: ignore[arg-type]
    return path


def kept(path: str) -> Kept:
    """Return the documents, how many distinct texts they have, and what is common."""
    with open_passages(path) as index:
        documents = [(one.name, one.text) for batch in index.every() for one in unpacked(batch)]
        assert len(documents) == index.documents
        return documents, index.texts, index.common.tolist()


WINDOW = Window.of(15)


def grams(text: str, window: Window = WINDOW) -> U64:
    return distinct(winnow(cut([fold(text)]), window).hashes)


def digest(text: str) -> bytes:
    return digest_bytes(cut([fold(text)]).symbols.data)


def common(documents: dict[str, str], run: int = 15) -> tuple[int, list[int]]:
    """Return the distinct texts and what is common, as `passages` reads documents."""
    opened, window = open_input(documents.items(), Settings()), Window.of(run)
    with collected(opened, opened.analyzer(), Cutting(window)) as read:
        found = assemble(read, Sides.every(len(read)))
        texts = len(found.starts) - 1
        keys = np.zeros(texts, np.uint64)
        place = Place(found.symbols, window.k, PassageCriteria().most_documents(texts), keys)
        return texts, common_grams(found.seeds, found.starts, place).tolist()


def unpacked(batch: PackedBatch) -> list[Document]:
    return [one for one in read(batch, Reading()) if isinstance(one, Document)]


def matching(index: PassageIndex, wanted: U64, digests: tuple[bytes, ...] = ()) -> list[str]:
    owners, needs = np.zeros(len(wanted), np.int64), np.ones(1, np.int64)
    sought = SoughtSeeds.of(wanted, owners, Members(wanted[:0]), needs)
    return [one.name for batch in index.matching(sought, digests) for one in batch.texts]


# -- what is stored --------------------------------------------------------------------------------

_WORDS = st.sampled_from([*prose(7, 30).split(), "国", "國", "e\u0301", "\ufb01", "--- "])
_TEXTS = st.lists(_WORDS, min_size=1, max_size=60).map(lambda words: "a word " + " ".join(words))


@examples(12)
@given(st.lists(_TEXTS, min_size=1, max_size=6), st.sampled_from([4, 8, 15]))
def test_what_is_stored_is_what_is_computed(texts: list[str], run: int) -> None:
    documents, window = {f"d{i}": text for i, text in enumerate(texts)}, Window.of(run)
    with tempfile.TemporaryDirectory() as folder:
        path = built(os.path.join(folder, "i"), documents, min_run=run)
        names, count, _ = kept(path)
        assert names == list(documents.items())
        assert count == len(set(map(digest, texts)))
        with open_passages(path) as index, Index.open(path) as opened:
            assert index.window == window
            assert opened.check() == []
            assert opened.info().min_run == run
            for name, text in documents.items():
                hashes = grams(text, window)
                same = [one for one, other in documents.items() if digest(other) == digest(text)]
                assert matching(index, hashes[:0], (digest(text),)) == same
                for one in hashes[:3]:
                    having = [n for n, t in documents.items() if one in grams(t, window)]
                    assert name in having
                    assert matching(index, np.array([one], np.uint64)) == having


def test_what_is_common_is_what_too_many_texts_have(path: str) -> None:
    """Copies count once; k-grams beside those that are chosen everywhere are common, too."""
    documents = COMMON | {f"copy {i}": COMMON["n0"] for i in range(5)}
    built(path, documents)
    found = kept(path)
    assert found == (list(documents.items()), *common(documents))
    counts = Counter(one for text in COMMON.values() for one in grams(text).tolist())
    chosen = {one for one, count in counts.items() if count > 9}
    assert chosen
    assert chosen <= set(found[2])


def test_texts_that_are_read_before_the_recipe_is_known_and_in_processes(path: str) -> None:
    """From 200 documents on, the corpus decides about the weights; then texts are spooled."""
    documents = {f"d{i}": prose(i, 30) for i in range(230)} | {"again": prose(1, 30)}
    built(path, documents, run=RunOptions(jobs=2))
    assert kept(path) == (list(documents.items()), *common(documents))


def test_long_texts_have_segments_of_their_own(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "FULL", 1 << 16)
    chance = np.random.default_rng(1)
    texts = ["".join(map(chr, chance.integers(0x4E00, 0x9F00, 17_000))) for _ in range(3)]
    documents = {"a": prose(1), **{f"long {i}": text for i, text in enumerate(texts)}, "z": "zz z"}
    built(path, documents)
    with Index.open(path) as index:
        assert [len(one) for one in index._opened.segments] == [1, 1, 1, 1, 1]
        index.add([("y", prose(3))])
        assert [len(one) for one in index._opened.segments] == [1, 1, 1, 1, 2]
        assert index.check() == []
    assert kept(path)[0] == [*documents.items(), ("y", prose(3))]


# -- changes ---------------------------------------------------------------------------------------

_NAMES = st.sampled_from([f"n{i}" for i in range(16)])
_KINDS = st.sampled_from([f"{prose(i, 6)} {NOTICE if i % 5 else ''} {i}" for i in range(14)])
_CHANGES = st.lists(
    st.one_of(st.dictionaries(_NAMES, _KINDS, min_size=1), st.lists(_NAMES, max_size=6)), max_size=4
)


@examples(15)
@given(st.dictionaries(_NAMES, _KINDS, min_size=8), _CHANGES, st.sampled_from([1, 4000, 1 << 21]))
def test_after_any_changes_it_is_as_if_it_was_built_anew(
    first: dict[str, str], changes: list[dict[str, str] | list[str]], full: int
) -> None:
    with pytest.MonkeyPatch.context() as patched, tempfile.TemporaryDirectory() as folder:
        patched.setattr(segments, "FULL", full)
        present, path = dict(first), os.path.join(folder, "i")
        with Index.build(path, first.items(), passages=True) as index:
            for change in changes:
                if isinstance(change, dict):
                    index.add(change.items())
                    new = {name: text for name, text in change.items() if present.get(name) != text}
                    present = {n: t for n, t in present.items() if n not in new} | new
                else:
                    index.remove(change)
                    present = {n: t for n, t in present.items() if n not in change}
            assert index.check() == []
        assert kept(path) == (list(present.items()), *common(present))
        assert kept(path) == kept(built(os.path.join(folder, "j"), present))


def test_what_dedupe_and_query_add_has_its_text_too(path: str) -> None:
    built(path, {"a": prose(1)})
    with Index.open(path) as index:
        found = list(index.query([("b", prose(2)), ("a again", prose(1))], add=True))
        assert [one.added for one in found] == [True, False]
    dedupe([("c", prose(3)), ("b again", prose(2))], index=path, add=True)
    assert kept(path)[0] == [("a", prose(1)), ("b", prose(2)), ("c", prose(3))]
    with Index.open(path) as index:
        assert index.check() == []


def test_nothing_is_written_where_nothing_changes(path: str) -> None:
    built(path, COMMON)
    before = Path(path).read_bytes()
    with Index.open(path) as index:
        assert index.add(COMMON.items()).unchanged == len(COMMON)
    assert Path(path).read_bytes() == before


# -- passages found in it --------------------------------------------------------------------------

_PARTS = st.sampled_from(
    [prose(i, 25) for i in range(6)] + [NOTICE, "練習 题目 " * 9, "---- " * 30]
)
# Without any words, a document is in no index.
_BODIES = st.lists(_PARTS, min_size=1, max_size=4).map(lambda parts: " ".join(["harbour", *parts]))


@examples(12)
@given(
    st.lists(_BODIES, min_size=1, max_size=14),
    st.lists(_BODIES, min_size=1, max_size=3),
    st.sampled_from([{}, {"min_run": 20}, {"common": 3}, {"gap": 0, "min_length": 20}]),
)
def test_passages_are_those_that_are_found_in_the_documents_themselves(
    bodies: list[str], asked: list[str], options: dict[str, int]
) -> None:
    new = [(f"asked {i}", text) for i, text in enumerate(asked)]
    with tempfile.TemporaryDirectory() as folder:
        texts = {f"{i:02}.txt": text for i, text in enumerate(bodies)}
        sources = os.path.join(folder, "c")
        write(Path(sources), texts)
        path = os.path.join(folder, "i")
        Index.build(path, sources, passages=True).close()
        ours = passages(new, references=path, **options)  # type: ignore[arg-type]
        theirs = passages(new, references=sources, **options)  # type: ignore[arg-type]
    assert list(ours.overlaps) == list(theirs.overlaps)
    assert ours.summary.documents == theirs.summary.documents
    assert ours.summary.most_documents == theirs.summary.most_documents


def test_the_command_finds_what_it_finds_in_the_documents(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {f"c/{i}.txt": text for i, text in enumerate(COMMON.values())})
    write(tmp_path, {"new/a.txt": f"{prose(200)} {prose(3, 8)} {NOTICE} {prose(53, 8)}"})
    assert simdup("index", "build", "seen.index", "c/0.txt", "--passages").status == 0
    assert simdup("index", "add", "seen.index", "c").status == 0
    line = ("passages", "new", "--min-length", "10", "-f", "csv", "--reference")
    ours, theirs = simdup(*line, "seen.index"), simdup(*line, "c")
    assert len(ours.lines) > 1
    assert ours.out == theirs.out
    write(tmp_path, {"other/0.txt": prose(200)})
    line += ("other", "--reference")
    ours, theirs = simdup(*line, "seen.index"), simdup(*line, "c")
    assert "other/0.txt" in ours.text
    assert ours.lines == theirs.lines
    done = simdup("passages", "new", "--reference", "seen.index", "--across", "folder")
    assert done.status == 2
    assert "seen.index is an index, which has no groups of documents" in done.err
    Index.build(str(tmp_path / "plain.index"), [("a", prose(1))]).close()
    done = simdup("passages", "new", "--reference", "plain.index")
    assert done.status == 2
    assert done.err.splitlines() == [
        "simdup: plain.index: is an index that was built without --passages: it has no texts",
        "hint: build it again with --passages, or name the documents themselves",
    ]


# -- readers beside a writer -----------------------------------------------------------------------


def test_a_reader_sees_one_state(path: str) -> None:
    documents = {f"d{i}": prose(i) for i in range(3)}
    built(path, documents)
    with open_passages(path) as reader, Index.open(path) as writer:
        batches = reader.every()
        writer.add([("more", prose(9))])
        writer.remove(["d1"])
        assert [one.name for batch in batches for one in batch.texts] == list(documents)
        assert reader.documents == 3
        with open_passages(path) as other:
            assert other.documents == 3
            assert matching(other, grams(prose(9))) == ["more"]
        assert matching(reader, grams(prose(9))) == []


# -- damage ----------------------------------------------------------------------------------------


COLUMNS = ("symbols_digest", "size", "packed_text", "packed_text_size", "gram_hashes")
_DAMAGES = ("UPDATE blob SET content = zeroblob(length(content))", "DELETE FROM blob")


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("change", _DAMAGES)
def test_each_damaged_column_is_found_and_not_read(path: str, name: str, change: str) -> None:
    built(path, COMMON)
    edit(Path(path), f"{change} WHERE number = {number_of(Path(path), name, 1)}")
    what = f"part {name} of segment 1 is (damaged|missing)"
    with Index.open(path) as index:
        assert any(re.fullmatch(what, fault) for fault in index.check())
    with open_passages(path) as opened, pytest.raises(SimdupError, match=what):
        list(opened.every() if matching(opened, grams(NOTICE), (digest(NOTICE),)) else ())


def test_a_damaged_part_of_what_is_common(path: str) -> None:
    built(path, COMMON)
    number = number_of(Path(path), "passages")
    edit(Path(path), f"UPDATE blob SET content = x'00' WHERE number = {number}")
    with pytest.raises(SimdupError, match="part passages is damaged"), open_passages(path):
        pass
    with Index.open(path) as index:
        assert index.check() == ["part passages is damaged"]


_FORGED: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "no compressed text": ("packed_text", lambda content: b"x" * len(content), ""),
    "fewer hashes": ("gram_hashes", lambda c: c[:-8], "(wrong sizes of gram_hashes)"),
    "half a hash": ("gram_hashes_size", lambda c: b"\x07\0\0\0" + c[4:], "segment 1 is damaged"),
    "fewer digests": ("symbols_digest", lambda c: c[:-16], "segment 1 is damaged"),
    "sizes": ("size", lambda c: b"\xff" * 7 + b"\0" + c[8:], ""),
    "sizes below 0": ("size", lambda c: b"\xff" * 8 + c[8:], ""),
    "half a size": ("packed_text_size", lambda c: c[:-1], "segment 1 is damaged"),
    "common ones in disorder": ("passages", lambda c: c + bytes(8), "part passages is damaged"),
    "no run": ("passages", lambda c: bytes(8) + c[8:], "part passages is damaged"),
    "an endless run": ("passages", lambda c: b"\xff" * 8 + c[8:], "part passages is damaged"),
    "a part of it": ("passages", lambda c: c[:9], "part passages is damaged"),
}


@pytest.mark.parametrize("what", _FORGED)
def test_what_somebody_forged_with_right_checksums(path: str, what: str) -> None:
    """It has an error of one line; `check` finds what has another form."""
    built(path, COMMON)
    name, change, fault = _FORGED[what]
    forge(Path(path), name, int(name != "passages"), change)
    with Index.open(path) as index:
        assert any(fault in each for each in index.check() or ["" if not fault else "intact"])
    assert re.fullmatch(rf"({re.escape(path)}.*damaged.*)?", refusal(path))


def refusal(path: str) -> str:
    """Return why an index cannot be read; nothing if it can."""
    try:
        kept(path)
    except SimdupError as error:
        return str(error)
    return ""


def test_a_text_that_says_it_is_small_takes_no_more_memory(path: str) -> None:
    built(path, {"a": prose(1)})
    bomb = zlib.compress(bytes(1 << 26), 9)
    forge(Path(path), "packed_text", 1, lambda _: bomb)
    forge(Path(path), "packed_text_size", 1, lambda _: len(bomb).to_bytes(4, "little"))
    with open_passages(path) as index, pytest.raises(SimdupError, match="the index is damaged"):
        [unpacked(batch) for batch in index.every()]


# -- what has no passages --------------------------------------------------------------------------


def test_an_index_without_passages_is_as_it_was(path: str) -> None:
    with Index.build(path, COMMON.items()) as index:
        index.add([("more", prose(1))])
        list(index.query([("new", prose(2))], add=True))
        assert index.info().min_run is None
        assert index.check() == []
    head = head_of(Path(path))
    assert set(head.blobs) == {"recipe"}
    assert not {"packed_text", "gram_hashes"} & set(head.segments[0].columns)
    with pytest.raises(SimdupError) as caught, open_passages(path):
        pass
    assert caught.value.where == path
    assert caught.value.what == "is an index that was built without `passages`: it has no texts"
    assert caught.value.hint.startswith("build it again with `passages`")


def test_what_is_no_index(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": prose(1)})
    with (
        pytest.raises(SimdupError, match="is not a simdup index"),
        open_passages(str(tmp_path / "a.txt")),
    ):
        pass
    with pytest.raises(SimdupError, match="no such file"), open_passages(str(tmp_path / "b")):
        pass


def test_documents_without_texts_are_refused(path: str) -> None:
    built(path, COMMON)
    before = kept(path)
    with Index.open(path) as index:
        digest = index.recipe["digest"]
        with pytest.raises(SimdupError, match="keeps the texts of its documents") as caught:
            index.add([("a", 1)], fingerprints=True)
        assert "without `passages`" in caught.value.hint
        with pytest.raises(SimdupError, match="keeps the texts of its documents"):
            list(index.query([("a", 1)], fingerprints=True, add=True))
        assert list(index.query([("a", 1)], fingerprints=True))
        assert index.check() == []
    assert digest
    assert kept(path) == before
    with pytest.raises(SimdupError, match="fingerprint lines have no texts"):
        Index.build(path + "2", [("a", 1)], fingerprints=True, passages=True)
    assert not os.path.exists(path + "2")


def test_texts_that_a_recipe_changes_are_refused(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1)})
    done = simdup("index", "build", "seen.index", "c", "--passages", "--strip", "the")
    assert done.status == 2
    assert done.err.splitlines()[0].startswith("simdup: --passages: --strip changes texts")
    assert not (tmp_path / "seen.index").exists()


def test_the_command(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "d/b.txt": prose(2)})
    assert simdup("index", "build", "seen.index", "c", "--passages", "--min-run", "9").status == 0
    assert simdup("index", "add", "seen.index", "d").status == 0
    assert "passages   runs of 9 units\n" in simdup("index", "info", "seen.index").text
    assert simdup("index", "check", "seen.index").status == 0
    assert kept(str(tmp_path / "seen.index"))[0] == [("c/a.txt", prose(1)), ("d/b.txt", prose(2))]
    done = simdup("index", "build", "other.index", "c", "--passages", "--fingerprints")
    assert done.status == 2
    assert "--passages" in done.err
    assert simdup("index", "build", "other.index", "c", "--passages", "--min-run", "1").status == 2


def test_a_document_is_not_compared_with_itself(path: str) -> None:
    """This year's work may be in the archive already; what is copied from others is found."""
    shared = prose(3)
    texts = {"a": f"{prose(1)} {shared}", "b": f"{prose(2)} {shared}", "c": prose(4)}
    built(path, texts)
    for common in (None, 50):
        found = passages(texts.items(), references=path, common=common)
        # One pair of texts, whichever of them is the one in the index.
        assert [{one.a, one.b} for one in found.overlaps] == [{"a", "b"}]
        assert [(one.document, one.sources) for one in found.rates if one.share] == [
            ("a", 1), ("b", 1),
        ]  # fmt: skip
        assert found.summary.identical == 0
        # Another document with the same text is a copy.
        copied = passages([("d", texts["a"])], references=path, common=common)
        assert [(one.b, one.identical) for one in copied.overlaps] == [("a", True), ("b", False)]


def test_a_reference_that_is_missing_gives_no_result(tmp_path: Path, path: str) -> None:
    built(path, {"a": prose(1)})
    for missing in ([str(tmp_path / "no")], [path, str(tmp_path / "no")]):
        with pytest.raises(SimdupError, match="no such file or folder, but is a reference"):
            passages([("a", prose(1))], references=missing)
