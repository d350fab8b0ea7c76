"""The files of an index, and files that are in its way."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import Command, command, environment, prose, write

from simdup import Index, SimdupError

SIDES = ("-journal", "-wal", "-shm")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write(tmp_path, {f"corpus/{i}.txt": prose(i) for i in range(12)})


@pytest.mark.parametrize("side", SIDES)
def test_build_refuses_files_that_sqlite_would_remove(
    simdup: Command, corpus: Path, side: str
) -> None:
    write(corpus, {"seen.index" + side: "notes of mine"})
    before = sorted(os.listdir(corpus))
    done = simdup("index", "build", "seen.index", "corpus")
    assert done.status == 2
    said, hint = done.err.splitlines()
    assert said.startswith(f"simdup: seen.index{side}: is in the way")
    assert hint.startswith("hint: move it")
    assert (corpus / f"seen.index{side}").read_text() == "notes of mine"
    assert sorted(os.listdir(corpus)) == before


@pytest.mark.parametrize("name", ["seen.index", *("seen.index" + side for side in SIDES)])
def test_build_never_replaces_files_that_appear_meanwhile(tmp_path: Path, name: str) -> None:
    theirs = tmp_path / name

    def documents() -> Any:
        yield "a", prose(1)
        theirs.write_text("theirs")

    with pytest.raises(SimdupError) as caught:
        Index.build(str(tmp_path / "seen.index"), documents())
    assert caught.value.where == str(theirs)
    assert theirs.read_text() == "theirs"
    assert os.listdir(tmp_path) == [name]


def test_two_builds_of_one_index(corpus: Path) -> None:
    """One of them writes it, the other reports that it exists."""
    words = command("index", "build", "seen.index", "corpus")
    running = [
        subprocess.Popen(words, cwd=corpus, env=environment(), stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[1] for process in running]
    assert sorted(process.returncode for process in running) == [0, 2]
    refusals = (b"already exists", b"was created by another program during the run")
    assert any(one in two for one in refusals for two in said)
    with Index.open(str(corpus / "seen.index")) as index:
        assert len(index) == 12
        assert index.check() == []
    assert sorted(os.listdir(corpus)) == ["corpus", "seen.index"]


@pytest.mark.parametrize("side", ["-journal", "-wal"])
def test_other_files_beside_an_index_stay(simdup: Command, corpus: Path, side: str) -> None:
    simdup("index", "build", "seen.index", "corpus")
    theirs = write(corpus, {"seen.index" + side: "notes of mine"}) / f"seen.index{side}"
    for words in (["index", "info"], ["index", "check"], ["query"], ["index", "add"]):
        done = simdup(*words, "seen.index", *["corpus"] * (words[-1] in ("query", "add")))
        assert done.status == 2
        assert done.err.startswith(
            f"simdup: seen.index{side}: is in the way of the index: it is not"
        )
        assert theirs.read_text() == "notes of mine"


def test_an_index_on_a_full_disk_is_read_as_it_is(
    simdup: Command, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simdup("index", "build", "seen.index", "corpus")
    full = shutil.disk_usage(corpus)._replace(free=30_000)
    monkeypatch.setattr("shutil.disk_usage", lambda path: full)
    with Index.open("seen.index") as index:
        assert index.check() == []
        assert sorted(os.listdir(corpus)) == ["corpus", "seen.index"]
    assert simdup("query", "seen.index", "corpus").status == 0
    assert simdup("index", "remove", "seen.index", "corpus/1.txt").status == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_an_index_is_readable_on_a_full_disk(corpus: Path) -> None:
    """On a disk without room for the 32 kB of SQLite's shared memory."""
    Index.build(str(corpus / "seen.index"), [("a", prose(1))]).close()

    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    def run(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            command(*words), cwd=corpus, env=environment(), capture_output=True, timeout=60,
            preexec_fn=limit, check=False,
        )  # fmt: skip
        return done.returncode, (done.stdout + done.stderr).decode()

    status, said = run("query", "seen.index", "corpus/1.txt")
    assert (status, "1.0000  a" in said) == (0, True), said
    assert run("index", "check", "seen.index") == (0, "1 document, all intact\n")
    status, said = run("index", "add", "seen.index", "corpus")
    assert status == 2
    assert "the free disk space" in said
    # What SQLite could not finish is removed when there is room again.
    with Index.open(str(corpus / "seen.index")) as index:
        assert index.add([("b", prose(2))]).added == 1
    assert sorted(os.listdir(corpus)) == ["corpus", "seen.index"]


def test_a_file_that_sqlite_cannot_read_is_explained(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Index.build(str(tmp_path / "seen.index"), [("a", prose(1))]).close()

    def refuse(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("sqlite3.connect", refuse)
    for words in (("info", "seen.index"), ("build", "new.index", ".")):
        ran = simdup("index", *words)
        assert ran.status == 2
        assert ran.err.startswith(f"simdup: {words[1]}: the index is damaged (disk I/O error)")
    assert os.listdir(tmp_path) == ["seen.index"]
