"""The persistent index: one file, always complete, whatever happens to it."""

import multiprocessing
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from simdup import Index, Recipe, SimdupError, fingerprint
from simdup.index import segments

BLOCK = 1024
OTHER = "Nothing of this has to do with bridges: a recipe for bread, flour, water, salt, patience."
BRIDGE = "The council met on Monday to discuss the new bridge over the river, and what it may cost."
LIBRARY = "图书馆今天宣布将延长周末开放时间，方便学生备考复习，读者对此表示欢迎，并希望常年如此。"


def numbered(n: int, first: int = 0) -> list[tuple[str, int]]:
    """Names and fingerprints far from each other."""
    rng = random.Random(first)
    return [(f"n{i}", rng.getrandbits(64)) for i in range(first, first + n)]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "seen.index")


def names(index: Index) -> list[str]:
    return [name for name, _ in index.export()]


def test_add_leaves_unchanged_replaces_changed_and_removes_by_name(path: str) -> None:
    with Index.build(path, [("a", BRIDGE), ("b", LIBRARY)]) as index:
        again = index.add([("a", BRIDGE), ("b", OTHER), ("c", LIBRARY)])
        assert (again.added, again.replaced, again.unchanged) == (1, 1, 1)
        assert sorted(names(index)) == ["a", "b", "c"]
        assert dict(index.export())["b"] == fingerprint(OTHER)
        assert index.remove(["a", "nobody"]) == ["nobody"]
        assert len(index) == 2
        assert not next(iter(index.query([("x", BRIDGE)]))).matches
        assert index.check() == []


def test_it_goes_back_to_an_earlier_content(path: str) -> None:
    with Index.build(path, [("a", BRIDGE)]) as index:
        for text in (LIBRARY, BRIDGE, LIBRARY):
            assert index.add([("a", text)]).replaced == 1
            assert dict(index.export())["a"] == fingerprint(text)


def test_segments_fill_up_empty_and_become_one(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "FULL", 200 * BLOCK)
    rng = random.Random(3)
    model: dict[str, int] = {}
    with Index.build(path, numbered(3), fingerprints=True) as index:
        model.update(numbered(3))
        for _ in range(12):
            more = numbered(
                rng.choice([1, 50, BLOCK - 3, BLOCK, 2 * BLOCK + 1]), rng.randrange(9000)
            )
            index.add(more, fingerprints=True)
            model.update(more)
            gone = rng.sample(sorted(model), min(len(model), rng.choice([0, 5, 3000])))
            assert index.remove(gone) == []
            for name in gone:
                del model[name]
        assert dict(index.export()) == model
        assert len(index) == len(model)
        assert index.check() == []
        each = list(index._opened.segments)
        assert all(2 * one.entry.gone <= one.entry.rows for one in each)
        assert len(each) <= len(model) // BLOCK + 12


def test_one_by_one_there_are_few_segments_in_the_order_of_arrival(path: str) -> None:
    with Index.build(path) as index:
        for name, value in numbered(70):
            index.add([(name, value)], fingerprints=True)
            count = len(list(index._opened.segments))
            assert count == len(index).bit_count()
        assert list(index.export()) == numbered(70)


def test_wide_fingerprints(path: str) -> None:
    rng = random.Random(1)
    given = [(f"n{i}", rng.getrandbits(200)) for i in range(300)]
    with Index.build(path, given, Recipe(bits=200), fingerprints=True) as index:
        assert list(index.export()) == given
        asked = [("x", given[7][1] ^ 1 << 199 ^ 1)]
        (answer,) = index.query(asked, fingerprints=True)
        assert [(m.document, m.distance) for m in answer.matches] == [("n7", 2)]


def test_size_without_names_and_sketches(path: str) -> None:
    n = 20_000
    with Index.build(path, numbered(n), fingerprints=True):
        pass
    beside = os.path.getsize(path) - sum(len(name) for name, _ in numbered(n))
    assert beside / n <= 64


def test_one_file_remains(path: str, tmp_path: Path) -> None:
    with Index.build(path, [("a", BRIDGE)]) as index:
        index.add([("b", LIBRARY)])
        list(index.query([("c", OTHER)], add=True))
    assert os.listdir(tmp_path) == ["seen.index"]
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA application_id").fetchone()[0] != 0
        assert file.execute("PRAGMA user_version").fetchone() == (4,)


def test_the_model_and_the_dictionary_travel_inside(tmp_path: Path, path: str) -> None:
    words = [f"word{i:03}" for i in range(400)]
    rng = random.Random(8)
    corpus = [(f"d{i}", " ".join(rng.choices(words, k=60))) for i in range(230)]
    dictionary = tmp_path / "words.txt"
    dictionary.write_text("延长周末 1000\n", "utf-8")
    with Index.build(path, corpus, Recipe(dictionary=str(dictionary))) as index:
        assert index.info().model_documents == 230
        before = {answer.document: answer.matches for answer in index.query(corpus)}
        prints = dict(index.export())
    dictionary.unlink()
    moved = shutil.move(path, tmp_path / "elsewhere.index")
    with Index.open(str(moved)) as index:
        assert index.recipe["idf"] == "corpus"
        assert {answer.document: answer.matches for answer in index.query(corpus)} == before
        # The frequencies are fixed: later documents do not change them.
        index.add([("later", " ".join(words[:50] * 3))])
        assert index.add(corpus).unchanged == 230
        index.remove(["d0"])
        index.add(corpus[:1])
        assert dict(index.export())["d0"] == prints["d0"]
        assert index.check() == []


def test_an_index_is_not_overwritten(path: str) -> None:
    Index.build(path, [("a", BRIDGE)]).close()
    before = Path(path).read_bytes()
    with pytest.raises(SimdupError, match="already exists"):
        Index.build(path)
    assert Path(path).read_bytes() == before


def test_a_mistyped_source_leaves_no_empty_index(path: str, tmp_path: Path) -> None:
    with pytest.raises(SimdupError, match="no such file or folder"):
        Index.build(path, str(tmp_path / "nosuch"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(SimdupError, match="contains no document"):
        Index.build(path, str(tmp_path / "empty"))
    assert not os.path.exists(path)
    with Index.build(path) as index:
        assert len(index) == 0


def test_a_failed_build_leaves_nothing(path: str, tmp_path: Path) -> None:
    def broken() -> Any:
        yield "a", BRIDGE
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError):
        Index.build(path, broken())
    assert os.listdir(tmp_path) == []


def test_a_failed_add_changes_nothing(path: str) -> None:
    def broken() -> Any:
        for i in range(600):
            yield f"d{i}", f"{BRIDGE} {i} {i * 7}"
        raise RuntimeError("the source broke")

    with Index.build(path, [("a", BRIDGE)]) as index:
        with pytest.raises(RuntimeError):
            index.add(broken())
        assert names(index) == ["a"]
        assert index.add([("b", OTHER)]).added == 1
        assert index.check() == []


# Files that are not an index, or are damaged.


def refused(path: Path) -> SimdupError:
    before = path.read_bytes()
    with pytest.raises(SimdupError) as caught, Index.open(str(path)) as index:
        index.add([("new", 7)], fingerprints=True)
    assert path.read_bytes() == before
    assert sorted(path.parent.glob(path.name + "*")) == [path]
    return caught.value


@pytest.mark.parametrize("content", [b"", b"just text\n", b"SQLite format 3\0", bytes(5000)])
def test_no_index(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.index"
    file.write_bytes(content)
    assert refused(file).what == "is not a simdup index"


def test_another_programs_database(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as other:
        other.execute("CREATE TABLE t (a)")
        other.commit()
    assert refused(tmp_path / "x.db").what == "is not a simdup index"


@pytest.mark.parametrize("version", [1, 2, 3, 5])
def test_another_version(path: str, version: int) -> None:
    Index.build(path, numbered(5), fingerprints=True).close()
    content = bytearray(Path(path).read_bytes())
    content[60:64] = version.to_bytes(4, "big")
    Path(path).write_bytes(content)
    error = refused(Path(path))
    assert f"format {version}; this simdup only reads format 4" in error.what
    assert version > 4 or error.hint == "build the index again from its sources"


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_a_file_cut_short(path: str, share: float) -> None:
    Index.build(path, numbered(9000), fingerprints=True).close()
    content = Path(path).read_bytes()
    Path(path).write_bytes(content[: int(len(content) * share)])
    assert "is damaged" in refused(Path(path)).what


def test_every_flipped_byte_of_a_part_is_found(path: str) -> None:
    given = numbered(500)
    Index.build(path, [*given, ("some-name-here", 5)], fingerprints=True).close()
    whole = Path(path).read_bytes()
    places = [whole.index(given[9][1].to_bytes(8, "little")), whole.index(b"some-name-here")]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 4
        Path(path).write_bytes(damaged)
        with Index.open(path) as index:
            assert any("is damaged" in fault for fault in index.check())
            with pytest.raises(SimdupError, match="is damaged"):
                list(index.export())


def test_random_damage_is_never_a_traceback(path: str) -> None:
    Index.build(path, [(f"d{i}", f"{BRIDGE} {i * i}") for i in range(40)]).close()
    whole = Path(path).read_bytes()
    rng = random.Random(4)
    wheres = set()
    for _ in range(60):
        damaged = bytearray(whole)
        start = rng.randrange(100, len(whole))
        damaged[start : start + rng.choice([1, 60, 5000])] = rng.randbytes(
            rng.choice([1, 60, 5000])
        )
        Path(path).write_bytes(damaged)
        try:
            with Index.open(path) as index:
                index.check()
                list(index.query([("x", BRIDGE)]))
        except SimdupError as error:
            wheres.add(error.where)
    assert wheres == {path}


def test_a_full_disk(path: str) -> None:
    with Index.build(path, numbered(100), fingerprints=True) as index:
        # No more pages than the file has: the situation of SQLite on a full disk.
        index._opened.file._connection.execute("PRAGMA max_page_count = 10")
        with pytest.raises(SimdupError, match="no space left"):
            index.add(numbered(9000, 100), fingerprints=True)
        assert len(index) == 100
        assert index.check() == []


# Several processes.


def _add_numbers(path: str, n: int, first: int) -> None:
    with Index.open(path) as index:
        index.add(numbered(n, first), fingerprints=True)


def test_killed_at_any_moment_all_or_none_are_added(path: str, tmp_path: Path) -> None:
    """An add is killed thirty times: sooner, later, or just after it is done."""
    batch = 6000
    Index.build(path, numbered(BLOCK + 50), fingerprints=True).close()
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    started = time.perf_counter()
    _add_numbers(path, batch, 10**6)
    usual = time.perf_counter() - started
    rng = random.Random()
    expected, done = BLOCK + 50 + batch, 0
    for turn in range(30):
        first = (turn + 2) * 10**6
        process = context.Process(target=_add_numbers, args=(path, batch, first))
        process.start()
        time.sleep(rng.uniform(0, 1.3 * usual))
        process.kill()
        process.join()
        process.close()
        with Index.open(path) as index:
            added = len(index) - expected
            assert added in (0, batch)
            if turn % 10 == 0:
                assert index.check() == []
            if added:
                done += 1
                index.remove([name for name, _ in numbered(batch, first)])
    with Index.open(path) as index:
        assert len(index) == expected
        assert index.check() == []
    assert os.listdir(tmp_path) == ["seen.index"]


def test_a_second_writer_waits_and_says_so(path: str) -> None:
    Index.build(path, [("a", BRIDGE)]).close()
    said: list[str] = []
    writing, go_on = threading.Event(), threading.Event()

    def slow() -> Any:
        yield "b", LIBRARY
        writing.set()
        go_on.wait(10)

    def first() -> None:
        with Index.open(path) as index:
            index.add(slow())

    thread = threading.Thread(target=first)
    thread.start()
    writing.wait(10)
    with Index.open(path) as index:
        with pytest.raises(SimdupError, match=r"another process is writing to it; waited 0\.2 s"):
            index.add([("c", OTHER)], timeout=0.2, waiting=said.append)
        # Readers do not wait, and see the previous state.
        started = time.monotonic()
        assert names(index) == ["a"]
        assert time.monotonic() - started < 1
        threading.Timer(0.3, go_on.set).start()
        assert index.add([("c", OTHER)], timeout=10, waiting=said.append).added == 1
        assert sorted(names(index)) == ["a", "b", "c"]
    thread.join()
    assert said == [
        "another process is writing to it; waiting up to 0.2 s",
        "another process is writing to it; waiting up to 10 s",
    ]


def test_a_reader_sees_one_state_while_another_writes(path: str) -> None:
    with Index.build(path, numbered(3 * BLOCK), fingerprints=True) as reader:
        export = reader.export()
        seen = [next(export)]
        with Index.open(path) as writer:
            writer.add(numbered(500, 10**6), fingerprints=True)
            writer.remove(["n5", f"n{2 * BLOCK}"])
        seen += export
        assert seen == numbered(3 * BLOCK)
        assert len(reader) == 3 * BLOCK + 498


def test_a_read_only_index_can_be_queried() -> None:
    # Nothing is read-only for root, so root becomes another user for a moment.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "seen.index")
        Index.build(path, [("a", BRIDGE)]).close()
        os.chmod(path, 0o444)
        os.chmod(folder, 0o555)
        if root:
            os.setresuid(65534, 65534, 0)
        try:
            with Index.open(path) as index:
                assert next(iter(index.query([("b", BRIDGE)]))).matches
                with pytest.raises(SimdupError, match="cannot be written"):
                    index.add([("c", OTHER)])
        finally:
            if root:
                os.setresuid(0, 0, 0)
            os.chmod(folder, 0o755)
