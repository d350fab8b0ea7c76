"""The files of an index, and files that are in its way."""

import os
import shutil
import sqlite3
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support import Command, command, environment

from lab.corpora.made import prose, write
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
        assert done.err.startswith(f"simdup: seen.index{side}: is in the way of the index: it does")
        assert theirs.read_text() == "notes of mine"


def test_the_journal_of_another_database_is_not_played_back(simdup: Command, corpus: Path) -> None:
    """It says that the file had one page before, so SQLite would cut it."""
    simdup("index", "build", "seen.index", "corpus")
    before = (corpus / "seen.index").read_bytes()
    theirs = corpus / "seen.index-journal"
    magic = bytes.fromhex("d9d505f920a163d7")
    numbers = (0, 1, 1, 512, 4096)  # records, nonce, pages before, sizes of a sector and a page
    theirs.write_bytes((magic + struct.pack(">5I", *numbers)).ljust(512, b"\0"))
    done = simdup("index", "check", "seen.index")
    assert done.status == 2
    assert "seen.index-journal: is in the way of the index" in done.err
    theirs.unlink()
    assert (corpus / "seen.index").read_bytes() == before


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
