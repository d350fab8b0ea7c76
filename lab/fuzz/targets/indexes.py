"""Index files: their bytes, rows and blobs are changed, with checksums made anew."""

from __future__ import annotations

import glob
import os
import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any

from lab.corpora.crafted import edit, forge, head_of
from lab.fuzz.oracle import expect_harmless, expect_same, write
from lab.fuzz.target import Taken, Target
from simdup import Index, Recipe, SimdupError
from simdup.model.settings import RunOptions

_TEXT = "清晨的河岸上有一位老人在钓鱼，石桥下漂来一只木船。The quick brown fox jumps. " * 3
_ASKED = [("q", _TEXT), ("d1", _TEXT[3:]), ("r", "再短不过的一句话")]
_ALONE = RunOptions(jobs=1)
_PATH = Path("x.index")

# Flips of bits may make no difference, or must be noticed; other changes may mean anything.
_FLIP = 0  # the first of `_CHANGES`

_COLUMNS = ("number", "content")
_STATEMENTS = (
    "DELETE FROM blob WHERE number = 0", "DELETE FROM blob WHERE number = 1",
    "CREATE VIEW v AS SELECT 1", "DROP TABLE blob", "PRAGMA user_version = 1",
    "CREATE TRIGGER t AFTER DELETE ON blob BEGIN DELETE FROM blob; END",
    "INSERT INTO blob SELECT number + 100, content FROM blob",
    "PRAGMA journal_mode = DELETE", "INSERT INTO blob VALUES (1000, zeroblob(1 << 20))",
)  # fmt: skip


def index(data: bytes) -> None:
    """Index files: opened, checked, asked, exported, changed; never a wrong answer."""
    taken = Taken(data)
    for name in glob.glob("x.index*"):
        os.unlink(name)
    right = _right()
    write("x.index", _whole())
    kinds = set()
    while taken and len(kinds) < 4:
        kind = taken.number() % 4
        kinds.add(kind)
        # What SQLite refuses to change stays; Python cannot decode some of its messages.
        with suppress(sqlite3.Error, UnicodeDecodeError):
            _CHANGES[kind](taken)
    # What has right checksums and is wrong all the same stays wrong.
    crafted = not kinds <= {_FLIP}
    with suppress(SimdupError), Index.open("x.index") as opened:
        intact = set(opened.export([]))
        expect_same(set() if crafted else intact - set(right[1]), set(), "what is not intact")
    answers = _answers()
    if not crafted:
        expect_same(answers, right, "the answers of a damaged index")
    with Index.open("x.index") as opened:
        opened.add([("new", _TEXT + "新的"), ("d1", _TEXT)], run=_ALONE, timeout=0)
        opened.remove(["d2", "none"], timeout=0)
        len(opened)


def _answers() -> Any:
    with Index.open("x.index") as opened:
        for fault in opened.check():
            expect_harmless(fault)
        info = opened.info()
        expect_harmless(f"{info.created} {info.changed}")
        found = [(one.document, one.matches) for one in opened.query(_ASKED, 8, 0.3, run=_ALONE)]
        return found, list(opened.export())


def _flip(taken: Taken) -> None:
    with open("x.index", "r+b") as file:
        place = taken.number(2) * 4 % len(_whole()) + taken.number() % 4
        file.seek(place)
        old = file.read(1) or b"\0"
        file.seek(place)
        file.write(bytes([old[0] ^ (taken.number() or 1)]))


def _blob(taken: Taken) -> None:
    """Change the content of a blob, and its checksum."""
    # An earlier change may have damaged the head, which has the others.
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        head = head_of(_PATH)
        named = [(name, 0, blob) for name, blob in head.blobs.items()]
        for segment, entry in enumerate(head.segments, 1):
            named += [(name, segment, blob) for name, blob in entry.columns.items()]
        name, segment, blob = taken.choice(named)
        with closing(sqlite3.connect("x.index", timeout=0)) as file:
            select = "SELECT content FROM blob WHERE number = ?"
            ((content,),) = file.execute(select, (blob.number,)).fetchall()
        changed = _changed(taken, content)
        forge(_PATH, name, segment, lambda _: changed)


def _changed(taken: Taken, content: bytes) -> bytes:
    changed = bytearray(taken.part() if taken.number() % 2 else content)
    for _ in range(taken.number() % 4):
        place = taken.number(2)
        if taken.number() % 8 == 0:
            del changed[place % (len(changed) + 1) :]
        elif changed:
            changed[place % len(changed)] = taken.number()
    return bytes(changed)


def _cell(taken: Taken) -> None:
    """Put a value of any type into the rows of a column."""
    column = taken.choice(_COLUMNS)
    row, number = taken.number() % 4, int.from_bytes(taken.bytes(8), "little", signed=True)
    some = taken.part()
    value = taken.choice((number, number % 5, -1, number / 7, some, some.decode("latin-1"), None))
    where = f"WHERE rowid = {row}" if row else ""
    edit(_PATH, f"UPDATE OR REPLACE blob SET {column} = ? {where}", values=(value,))


_CHANGES = (_flip, _blob, _cell, lambda taken: edit(_PATH, taken.choice(_STATEMENTS)))


@cache
def _whole() -> bytes:
    texts = [(f"d{i}", _TEXT[i:] + str(i) * 9) for i in range(12)]
    with Index.build("w.index", texts, Recipe(idf="corpus"), run=_ALONE) as built:
        built.remove(["d3"])
    with open("w.index", "rb") as file:
        content = file.read()
    os.unlink("w.index")
    return content


@cache
def _right() -> Any:
    write("x.index", _whole())
    return _answers()


TARGETS = (
    Target(
        index,
        (b"", b"\0\x40\0\1\x10", b"\0\0\x04\2\x80\0\0\x08\1\x01",
         *(bytes([1, part, 1, part % 2, 1, 9, 0, 1, 255]) for part in range(11)),
         *(bytes([2, cell, row, *b"\xff\xff\xff\xff\0\0\0\x80", 1, 65, value])
           for cell in range(2) for row, value in ((0, 5 * cell % 7), (1, 4))),
         *(bytes([3, number]) for number in range(12))),
        (b"\xff" * 8, b"\0" * 8, b"{}", b"[{},[1],{},[]]", b"null", b"[[[["),
        most=200,
    ),
)  # fmt: skip
