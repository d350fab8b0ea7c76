"""Damaged and crafted indexes: the right answers, or one line and status 2."""

import json
import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support import Command, process

from lab.corpora.crafted import ROWS, edit, forge, forget_manifest
from lab.corpora.made import prose
from simdup import Index, Recipe, SimdupError
from simdup.index.storage import Storage

Ask = Callable[[], list[Any]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of texts in three blocks."""
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


@pytest.mark.parametrize("name", ["created", "changed", "simdup", "sealed"])
@pytest.mark.parametrize("value", ["2001-01-01T00:00:00.000000+00:00", "", "\x1b[31m", "x" * 999])
def test_another_date_or_version_is_noticed(path: Path, name: str, value: str) -> None:
    edit(path, f"UPDATE about SET value = ? WHERE name = '{name}'", values=(value,))
    with pytest.raises(SimdupError, match="the description of the index is damaged"):
        Index.open(str(path))


def test_a_damaged_header_is_not_taken_for_missing_permissions(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[18] ^= 64
    path.write_bytes(content)
    with pytest.raises(SimdupError, match="the index is damaged"):
        Index.open(str(path))


def test_a_row_edited_with_its_checksum_changes_no_answer(path: Path, whole: Path) -> None:
    right = answers(path)
    changes: dict[str, Callable[[bytes], bytes]] = {
        "names": lambda content: content.replace(b"d1", b"e1"),
        "ends": lambda content: content[4:] + content[-4:],
        "fingerprints": lambda content: content[::-1],
        "lengths": lambda content: content[::-1],
        "sketches": lambda content: content[::-1],
        "terms": lambda content: content[:-1],
        "recipe": lambda content: content.replace(b'"top": 20', b'"top": 21'),
        "manifest": lambda content: b"[" * 100_000,
    }
    for kind, change in changes.items():
        shutil.copy(whole, path)
        number = 0 if kind in ("recipe", "manifest") else 2
        forge(path, kind, number, change)
        assert "damaged" in same_or_refused(path, right), kind


def test_block_rows_are_compared_with_sections_without_a_manifest_too(path: Path) -> None:
    forget_manifest(path)
    right = answers(path)
    content = path.read_bytes()
    for statement in (one for one in ROWS if " block " in one):
        path.write_bytes(content)
        edit(path, statement)
        assert same_or_refused(path, right), statement


def test_an_index_without_a_manifest_answers_as_before_and_gets_one(path: Path) -> None:
    right = answers(path)
    forget_manifest(path)
    assert answers(path) == right
    with Index.open(str(path)) as index:
        assert index.check() == []
        index.add([("another", prose(4000))])
        index.remove(["another"])
        assert index.check() == []
    assert answers(path) == right
    edit(path, "UPDATE block SET documents = 5 WHERE number = 2")
    assert "should have 1024 documents" in same_or_refused(path, right)


def test_a_change_by_a_simdup_without_manifests_is_not_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, Index.open(str(path)) as index:
        patch.setattr(Storage, "seal", lambda self: None)
        patch.setattr("simdup.index.session.now", lambda: "2020-01-01T00:00:00+00:00")
        index.add([("another", prose(4000))])
    with Index.open(str(path)) as index:
        assert len(index) == 2400
        assert index.check() == []
        index.remove(["another"])
    with Index.open(str(path)) as index:
        assert index.check() == []


# The output of check, and what repair saves.


def test_check_notices_a_missing_block_row(simdup: Command, path: Path) -> None:
    for forget in (False, True):
        if forget:
            forget_manifest(path)
        edit(path, "DELETE FROM block WHERE number = 2")
        checked = simdup("index", "check", "seen.index")
        assert checked.status == 2
        said = "simdup: seen.index: block 2 is missing from the list of blocks"
        assert said in checked.err.splitlines()
        assert checked.err.splitlines()[-1] == "hint: simdup index repair seen.index"


def documents(path: Path) -> list[tuple[str, int]]:
    with Index.open(str(path)) as index:
        assert index.check() == []
        return list(index.export())


@pytest.mark.parametrize("manifest", [True, False])
def test_repair_restores_data_from_other_tables(
    simdup: Command, path: Path, manifest: bool
) -> None:
    right, found = answers(path), documents(path)
    if not manifest:
        forget_manifest(path)
    edit(
        path,
        "DELETE FROM block WHERE number = 2",
        "DELETE FROM part WHERE kind = 'keys' AND number = 1",
        "UPDATE part SET content = x'00' WHERE kind = 'contents' AND number = 3",
    )
    before = path.read_bytes()
    done = simdup("index", "repair", "seen.index")
    assert (done.status, done.err) == (0, "2,399 documents in seen.index.repaired\n")
    assert path.read_bytes() == before
    new = path.with_name("seen.index.repaired")
    assert answers(new) == right
    assert documents(new) == found
    # Existing files are never replaced.
    again = simdup("index", "repair", "seen.index")
    assert again.status == 2
    assert "seen.index.repaired: already exists" in again.err


def test_repair_reports_losses_and_keeps_the_rest(simdup: Command, path: Path) -> None:
    found = documents(path)
    edit(path, "UPDATE part SET content = x'00' WHERE kind = 'names' AND number = 2")
    done = simdup("index", "repair", "seen.index", "new.index")
    assert done.status == 2
    assert done.err.splitlines() == [
        "simdup: seen.index: block 2: 1,024 documents are lost (section names 2 is damaged)",
        "hint: simdup index add new.index SOURCE",
        "1,375 documents in new.index",
    ]
    kept = documents(path.with_name("new.index"))
    with Index.open(str(path.with_name("new.index"))) as index:
        assert index.info().created
    assert kept == [*found[:1023], *found[1023 + 1024 :]]


@pytest.mark.parametrize("name", ["sqlite_autoindex_part_1", "about", "block"])
def test_repair_without_a_table_or_index_that_others_make_up_for(
    simdup: Command, path: Path, name: str
) -> None:
    found = documents(path)
    with closing(sqlite3.connect(path)) as file:
        select = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        (root,) = file.execute(select, (name,)).fetchone()
    content = bytearray(path.read_bytes())
    content[(root - 1) * 4096 : root * 4096] = bytes(4096)
    path.write_bytes(content)
    assert simdup("index", "check", "seen.index").status == 2
    assert simdup("index", "repair", "seen.index").status == 0
    assert documents(path.with_name("seen.index.repaired")) == found


def test_repair_where_sqlite_no_longer_finds_the_manifest(simdup: Command, path: Path) -> None:
    """Wherever its name is damaged, in its row or in the index of the table, all else is whole."""
    found, whole = documents(path), path.read_bytes()
    places = [match.start() for match in re.finditer(b"manifest", whole)]
    assert len(places) >= 2
    for place in places:
        path.write_bytes(whole[:place] + b"-" + whole[place + 1 :])
        assert simdup("index", "check", "seen.index").status == 2
        new = path.with_name(f"{place}.index")
        simdup("index", "repair", "seen.index", new.name)
        assert documents(new) == found


def test_repair_of_any_page(simdup: Command, path: Path) -> None:
    """The result is intact and has nothing new; every loss is reported."""
    found, whole = documents(path), path.read_bytes()
    rng = random.Random(5)
    outcomes = []
    for turn in range(12):
        content = bytearray(whole)
        at = rng.randrange(1, len(whole) // 4096) * 4096
        content[at : at + 4096] = rng.randbytes(4096) if turn % 2 else bytes(4096)
        path.write_bytes(content)
        done = simdup("index", "repair", "seen.index", f"{turn}.index")
        assert done.status in (0, 2)
        assert "internal" not in done.err
        outcomes.append(done.status)
        new = path.with_name(f"{turn}.index")
        if new.exists():
            kept = documents(new)
            assert set(kept) <= set(found)
            assert (kept == found) == (done.status == 0)
    assert set(outcomes) == {0, 2}


def test_repair_of_intact_and_hopeless_files(simdup: Command, path: Path) -> None:
    done = simdup("index", "repair", "seen.index")
    assert (done.status, done.err) == (0, "the index is intact; nothing was written\n")
    edit(path, "UPDATE part SET content = x'00' WHERE kind = 'recipe'")
    done = simdup("index", "repair", "seen.index")
    assert done.status == 2
    assert "seen.index: cannot be repaired: section recipe 0 is damaged" in done.err
    assert not path.with_name("seen.index.repaired").exists()


def test_repair_where_a_checksum_is_a_number(simdup: Command, path: Path) -> None:
    edit(path, "UPDATE part SET content = 'text', checksum = 7 WHERE kind = 'terms'")
    done = simdup("index", "repair", "seen.index")
    assert done.status == 2
    assert "documents are lost (section terms 1 is damaged)" in done.err


def test_repair_without_the_model_compares_fingerprints(simdup: Command, tmp_path: Path) -> None:
    path = tmp_path / "seen.index"
    with Index.build(str(path), [(f"d{i}", prose(i)) for i in range(5)], Recipe(idf="corpus")):
        pass
    prints = simdup("index", "export", "seen.index").out
    edit(path, "UPDATE part SET content = x'00' WHERE kind = 'model'")
    done = simdup("index", "repair", "seen.index")
    assert done.status == 2
    assert "section model 0 is damaged: texts can no longer be fingerprinted" in done.err
    assert simdup("index", "export", "seen.index.repaired").out == prints
    assert simdup("index", "check", "seen.index.repaired").status == 0


# Crafted indexes.

COMMANDS = (
    ["query", "seen.index", "a.txt"],
    ["index", "add", "seen.index", "a.txt"],
    ["index", "remove", "seen.index", "d1"],
    ["index", "info", "seen.index"],
    ["index", "check", "seen.index"],
    ["index", "repair", "seen.index"],
    ["index", "export", "seen.index"],
)


@pytest.mark.parametrize("table", ["block", "part", "about"])
def test_a_tree_whose_branches_share_their_leaves_comes_to_an_end(
    simdup: Command, path: Path, table: str
) -> None:
    """Ten levels of 300 branches each, all to the same page: 300**10 rows."""
    (path.parent / "a.txt").write_text(prose(7), "utf-8")
    with closing(sqlite3.connect(path)) as file:
        select = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        (root,) = file.execute(select, (table,)).fetchone()
    content = bytearray(path.read_bytes())
    pages = len(content) // 4096
    first = pages + 1
    content += content[(root - 1) * 4096 : root * 4096]
    kind = content[(root - 1) * 4096]
    by_rowid = kind in (0x0D, 0x05)
    cell = b"\x01" if by_rowid else content[-40:][:0] + b"\x04\x03\x0f\x0fab"
    for level in range(10):
        child = (first + level).to_bytes(4, "big")
        size = 4 + len(cell)
        start = 4096 - 300 * size
        places = b"".join((start + i * size).to_bytes(2, "big") for i in range(300))
        head = bytes([0x05 if by_rowid else 0x02, 0, 0]) + (300).to_bytes(2, "big")
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
    forget_manifest(path)
    for words in COMMANDS:
        if words[1] not in ("info", "export", "remove"):
            done = process(*words, cwd=path.parent)
            assert done.status == 2, words
            assert "section dictionary 0 is missing" in done.err


def test_an_older_simdup_may_change_an_index_in_the_same_second(tmp_path: Path) -> None:
    """It has no manifest, and records the time of its change in whole seconds."""
    path = tmp_path / "seen.index"
    Index.build(str(path), [("a", prose(1)), ("b", prose(2))]).close()
    with closing(sqlite3.connect(path)) as file:
        blocks = file.execute("SELECT * FROM block").fetchall()
        sections = file.execute("SELECT * FROM part WHERE kind <> 'manifest'").fetchall()
    with Index.open(str(path)) as index:
        index.remove(["b"])
    # As if the older one had restored the previous content.
    edit(path, "DELETE FROM block", "DELETE FROM part WHERE kind <> 'manifest'")
    with closing(sqlite3.connect(path)) as file:
        file.executemany("INSERT INTO block VALUES (?, ?)", blocks)
        file.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", sections)
        file.execute(
            "UPDATE about SET value = substr(value, 1, 19) || '+00:00' WHERE name = 'changed'"
        )
        file.commit()
    with Index.open(str(path)) as index:
        assert index.check() == []
        assert len(index) == 2
        assert "." not in index.info().changed
