"""Damaged and crafted indexes: the right answers, or one line and status 2."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support import Command, process

from lab.corpora.crafted import ROWS, edit, forge, number_of, rehead
from lab.corpora.made import prose
from simdup import Index, SimdupError
from simdup.model.documents import Skipped

Ask = Callable[[], list[Any]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of texts in two segments."""
    path = tmp_path_factory.mktemp("whole") / "seen.index"
    texts = [(f"d{i}", prose(i % 60, 12 + i // 60)) for i in range(2400)]
    with Index.build(str(path), texts[:2100]) as index:
        index.add(texts[2100:])
        index.remove(["d70"])
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "seen.index"))


def answers(path: Path, distance: int = 8) -> list[tuple[str, Any]]:
    asked = [(f"q{i}", prose(i % 60, 13 + i // 60)) for i in range(0, 2400, 300)]
    with Index.open(str(path)) as index:
        return [(one.document, one.matches) for one in index.query(asked, distance, 0.3)]


def same_or_refused(path: Path, right: list[tuple[str, Any]]) -> str:
    """Return the error, or nothing if the answers are right."""
    got, said = right, str(path)
    try:
        got = answers(path)
    except SimdupError as error:
        said = str(error)
    assert got == right
    assert said.startswith(str(path))
    assert "\n" not in said
    return said.removeprefix(str(path))


@pytest.mark.parametrize("name", ["created", "changed", "simdup"])
@pytest.mark.parametrize("value", ["", "\x1b[31m", "x" * 999, 7])
def test_another_date_or_version_is_noticed(path: Path, name: str, value: object) -> None:
    rehead(path, lambda values: values[0].update({name: value}))
    with pytest.raises(SimdupError, match="the head is damaged"):
        Index.open(str(path))


def test_a_damaged_header_is_not_taken_for_missing_permissions(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[18] ^= 64
    path.write_bytes(content)
    with pytest.raises(SimdupError, match="the index is damaged"):
        Index.open(str(path))


def test_an_edited_row_changes_no_answer(path: Path, whole: Path) -> None:
    right = answers(path)
    for statement in ROWS:
        shutil.copy(whole, path)
        edit(path, statement)
        same_or_refused(path, right)


READ = ("content_key", "fingerprint", "length", "name", "name_key", "name_size", "sketch", "terms")


@pytest.mark.parametrize("name", READ)
def test_a_column_of_another_segment_is_damaged(path: Path, name: str) -> None:
    one, other = (number_of(path, name, segment) for segment in (1, 2))
    edit(
        path,
        f"UPDATE blob SET number = -1 WHERE number = {one}",
        f"UPDATE blob SET number = {one} WHERE number = {other}",
        f"UPDATE blob SET number = {other} WHERE number = -1",
    )
    with Index.open(str(path)) as index:
        assert f"part {name} of segment 1 is damaged" in index.check()
        with pytest.raises(SimdupError, match="is damaged"):
            index.remove([f"d{i}" for i in range(1500)])


def test_an_earlier_head_is_damage(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file:
        before = file.execute("SELECT content FROM blob WHERE number = 0").fetchone()
    right = answers(path)
    with Index.open(str(path)) as index:
        index.remove([f"d{i}" for i in range(60, 1100)])
    edit(path, "UPDATE blob SET content = ? WHERE number = 0", values=before)
    same_or_refused(path, right)
    with Index.open(str(path)) as index:
        assert index.check()


# The output of check, and of an export of what is intact.


HINT = (
    "build the index again from its sources; "
    "simdup index export INDEX prints the names and fingerprints that are intact"
)


def test_check_names_every_damaged_segment(simdup: Command, path: Path) -> None:
    edit(
        path,
        f"DELETE FROM blob WHERE number = {number_of(path, 'name', 2)}",
        f"UPDATE blob SET content = x'00' WHERE number = {number_of(path, 'terms', 1)}",
    )
    checked = simdup("index", "check", "seen.index")
    assert checked.status == 2
    assert checked.err.splitlines() == [
        "simdup: seen.index: has other blobs than its head lists",
        "simdup: seen.index: part terms of segment 1 is damaged",
        "simdup: seen.index: part name of segment 2 is missing",
        f"hint: {HINT}",
    ]


def test_blobs_that_nobody_wrote_are_found_and_not_read(path: Path) -> None:
    right = answers(path)
    edit(path, "INSERT INTO blob SELECT number + 1000, content FROM blob")
    assert answers(path) == right
    with Index.open(str(path)) as index:
        assert index.check() == ["has other blobs than its head lists"]


def export(simdup: Command) -> list[bytes]:
    """Return the fingerprint lines of the index, after the header."""
    done = simdup("index", "export", "seen.index")
    assert (done.status, done.err) == (0, "")
    return done.out.splitlines()


def test_an_export_has_all_segments_but_damaged_ones(simdup: Command, path: Path) -> None:
    head, *lines = export(simdup)
    edit(path, f"DELETE FROM blob WHERE number = {number_of(path, 'name', 2)}")
    done = simdup("index", "export", "seen.index", "-o", "prints.txt")
    assert done.status == 2
    assert done.err.splitlines() == [
        "simdup: seen.index: segment 2: 300 documents lost (part name of segment 2 is missing)",
        "hint: build the index again from its sources",
        "Wrote prints.txt.",
    ]
    kept = path.with_name("prints.txt").read_bytes().splitlines()
    assert kept == [head, *lines[:2099]]
    # These lines make an index, of fingerprints alone.
    assert simdup("index", "build", "new.index", "--fingerprints", "prints.txt").status == 0
    assert simdup("index", "export", "new.index").out.splitlines() == kept


def test_from_python_a_damaged_segment_raises_or_is_noted(path: Path) -> None:
    with Index.open(str(path)) as index:
        whole = list(index.export())
    edit(path, f"DELETE FROM blob WHERE number = {number_of(path, 'name_size', 2)}")
    skipped: list[Skipped] = []
    with Index.open(str(path)) as index:
        with pytest.raises(SimdupError, match="part name_size of segment 2 is missing"):
            list(index.export())
        assert list(index.export(skipped)) == whole[:2099]
    assert [one.reason for one in skipped] == [
        "segment 2: 300 documents lost (part name_size of segment 2 is missing)"
    ]


def test_an_export_needs_no_more_than_names_and_fingerprints(simdup: Command, path: Path) -> None:
    lines = export(simdup)
    for name in ("terms", "sketch"):
        edit(path, f"DELETE FROM blob WHERE number = {number_of(path, name, 1)}")
    assert simdup("index", "check", "seen.index").status == 2
    assert export(simdup) == lines


@pytest.mark.parametrize("name", ["head", "recipe"])
def test_nothing_is_exported_without_what_all_segments_need(
    simdup: Command, path: Path, name: str
) -> None:
    number, part = (0, "the head") if name == "head" else (number_of(path, name), f"part {name}")
    edit(path, f"UPDATE blob SET content = x'00' WHERE number = {number}")
    done = simdup("index", "export", "seen.index")
    assert (done.status, done.out) == (2, b"")
    assert done.err.splitlines()[0] == f"simdup: seen.index: {part} is damaged"
    assert done.err.splitlines()[1] == "hint: build the index again from its sources"


def test_any_damaged_page_is_found_and_the_rest_exported(simdup: Command, path: Path) -> None:
    lines, whole, right = export(simdup), path.read_bytes(), answers(path)
    rng = random.Random(6)
    outcomes = []
    for turn in range(60):
        content = bytearray(whole)
        at = rng.randrange(1, len(whole) // 4096) * 4096
        content[at : at + 4096] = rng.randbytes(4096) if turn % 2 else bytes(4096)
        path.write_bytes(content)
        same_or_refused(path, right)
        assert simdup("index", "check", "seen.index").status == 2
        done = simdup("index", "export", "seen.index")
        assert "internal" not in done.err
        kept = done.out.splitlines()
        assert set(kept) <= set(lines)
        assert (kept == lines) == (done.status == 0)
        outcomes.append(done.status)
    assert set(outcomes) == {0, 2}


# Crafted indexes.

COMMANDS = (
    ["query", "seen.index", "a.txt"],
    ["index", "add", "seen.index", "a.txt"],
    ["index", "remove", "seen.index", "d1"],
    ["index", "info", "seen.index"],
    ["index", "check", "seen.index"],
    ["index", "export", "seen.index"],
)


def test_a_tree_whose_branches_share_their_leaves_comes_to_an_end(
    simdup: Command, path: Path
) -> None:
    """Ten levels of 300 branches each, all to the same page: 300**10 rows."""
    (path.parent / "a.txt").write_text(prose(7), "utf-8")
    with closing(sqlite3.connect(path)) as file:
        (root,) = file.execute("SELECT rootpage FROM sqlite_schema").fetchone()
    content = bytearray(path.read_bytes())
    pages = len(content) // 4096
    first = pages + 1
    content += content[(root - 1) * 4096 : root * 4096]
    cell = b"\x01"
    for level in range(10):
        child = (first + level).to_bytes(4, "big")
        size = 4 + len(cell)
        start = 4096 - 300 * size
        places = b"".join((start + i * size).to_bytes(2, "big") for i in range(300))
        head = bytes([0x05, 0, 0]) + (300).to_bytes(2, "big")
        head += start.to_bytes(2, "big") + b"\0" + child + places
        content += head.ljust(start, b"\0") + (child + cell) * 300
    content[(root - 1) * 4096 : root * 4096] = content[-4096:]
    content[28:32] = (len(content) // 4096).to_bytes(4, "big")
    path.write_bytes(content)
    for words in COMMANDS:
        done = simdup(*words)
        assert done.status in (0, 2), words
        assert "internal" not in done.err


def test_an_index_cannot_choose_files_to_open(simdup: Command, path: Path) -> None:
    """Its recipe names an endless device as dictionary and as model."""
    (path.parent / "a.txt").write_text(prose(7), "utf-8")

    def name(content: bytes) -> bytes:
        recipe = json.loads(content)
        for fields in (recipe["fields"], recipe["resolved"]):
            fields |= {"dictionary": "/dev/zero", "idf": "/dev/zero"}
        return json.dumps(recipe).encode()

    forge(path, "recipe", 0, name)
    for words in COMMANDS:
        if words[1] not in ("info", "export", "remove"):
            done = process(*words, cwd=path.parent)
            assert done.status == 2, words
            assert "part dictionary is missing" in done.err
