"""Indexes as somebody with a bad intent would craft them: by SQL, or with the right checksums."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from simdup.index.storage import LIST, SectionList, make_checksum

Craft = Callable[[Path], None]


def edit(path: Path, *statements: str, values: tuple[object, ...] = ()) -> None:
    """Change an index behind simdup's back."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            file.execute(statement, values)
        file.commit()


def edits(*statements: str) -> Craft:
    """Return what runs statements on an index."""
    return lambda path: edit(path, *statements)


def forge(path: Path, kind: str, number: int, change: Callable[[bytes], bytes]) -> None:
    """Change a section, and its checksum too."""
    with closing(sqlite3.connect(path)) as file:
        where = "WHERE kind = ? AND number = ?"
        select = f"SELECT content FROM section {where}"
        (listed,) = file.execute(select, (LIST, 0)).fetchone()
        (content,) = file.execute(select, (kind, number)).fetchone()
        content = change(content)
        written = SectionList.read(listed).find(kind, number)
        values = (content, make_checksum(kind, number, written, content), kind, number)
        file.execute(f"UPDATE section SET content = ?, checksum = ? {where}", values)
        file.commit()


def relist(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the values of the list of sections, and its checksum too."""

    def changed(content: bytes) -> bytes:
        values = json.loads(content)
        change(values)
        return json.dumps(values).encode()

    forge(path, LIST, 0, changed)


_LAST = "AND number = (SELECT max(number) FROM section WHERE kind = '{0}')"
_NAMES, _PRINTS = (f"WHERE kind = '{kind}' AND number = 1" for kind in ("names", "fingerprints"))
_FIFTY_THOUSAND = "WITH RECURSIVE n(i) AS (SELECT {} UNION ALL SELECT i + 1 FROM n LIMIT 50000)"
# Rows that somebody edited: every command is right, or refuses.
ROWS = (
    *(f"UPDATE section SET {change} WHERE kind = 'names'" for change in (
        "checksum = x'00'", "checksum = 9e999", "checksum = -1", "content = 5",
        "content = zeroblob(3000000)")),
    "UPDATE section SET content = 'text', checksum = 7 WHERE kind = 'terms'",
    *(f"UPDATE section SET number = {value} {_PRINTS}" for value in ("'one'", "1e300", "-1")),
    *(f"UPDATE section SET kind = {kind} {_NAMES}" for kind in (
        "'name'", "x'ff'", "char(27) || '[31m' || char(10) || char(8238)",
        "replace(hex(zeroblob(500000)), '0', 'k')")),
    f"UPDATE section SET number = number + 10 {_PRINTS}",
    f"UPDATE section SET number = -number {_PRINTS}",
    *(f"INSERT INTO section SELECT {row}, checksum, content FROM section" for row in (
        "kind, number + 10", "kind, number + 0.5", "kind, -1 - number", "kind || 's', number")),
    f"{_FIFTY_THOUSAND.format(10)} INSERT INTO section SELECT 'names', i, 1, x'00' FROM n",
    f"{_FIFTY_THOUSAND.format(1)} INSERT INTO section SELECT i, 0, 1, x'00' FROM n",
    "UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'section'",
    "UPDATE sqlite_schema SET rootpage = 1000000 WHERE name = 'section'",
    "DELETE FROM section",
    "DELETE FROM section WHERE number = 2",
    "DELETE FROM section WHERE number = 3",
    "DELETE FROM section WHERE number > 0",
    *(f"UPDATE section SET {change} WHERE kind = 'list'" for change in (
        "checksum = checksum + 1", "content = x''", "content = '{}'", "number = 1",
        "content = CAST(replace(content, '20', '19') AS BLOB)",
        "content = CAST(replace(content, '+00:00', '+01:00') AS BLOB)",
        "content = zeroblob(3000000)")),
    *(f"DELETE FROM section WHERE kind = '{kind}' {_LAST.format(kind)}" for kind in (
        "names", "ends", "keys", "contents", "compacts", "terms", "lengths", "sketches",
        "fingerprints", "recipe", "model", "list")),
)  # fmt: skip

_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
_TRIGGER = "CREATE TRIGGER t BEFORE INSERT ON section BEGIN DELETE FROM section; END"
_TWICE = (
    "INSERT INTO sqlite_schema SELECT a.* FROM sqlite_schema AS a, sqlite_schema AS b"
    " WHERE a.name = 'sqlite_autoindex_section_1'"
)
# Tables, views and triggers that are not simdup's: everything is refused, and nothing runs.
SCHEMAS: dict[str, Craft] = {
    "views": edits(
        "DROP TABLE section",
        f"CREATE VIEW section AS {_ENDLESS} SELECT 'names' AS kind, i AS number, 0 AS checksum,"
        " x'00' AS content FROM n"),
    "a trigger": edits(_TRIGGER),
    "a trigger after many rows": edits(_TWICE, _TWICE, _TRIGGER),
    "an endless trigger": edits(
        "CREATE TRIGGER t BEFORE INSERT ON section BEGIN DELETE FROM section WHERE number IN"
        " (SELECT a.number FROM section AS a, section AS b, section AS c, section AS d); END"),
    "a trigger on a view": edits(
        "CREATE VIEW v AS SELECT 1 AS a",
        "CREATE TRIGGER t INSTEAD OF DELETE ON v BEGIN DELETE FROM section; END"),
    "a check": edits(
        "UPDATE sqlite_schema SET sql = replace(sql, 'kind TEXT NOT NULL',"
        " 'kind TEXT NOT NULL CHECK (randomblob(1000000000) IS NULL)') WHERE name = 'section'"),
    "a default": edits("ALTER TABLE section ADD COLUMN more DEFAULT 5"),
    "a generated column": edits(
        "ALTER TABLE section ADD COLUMN more AS (hex(zeroblob(500000000)))"),
    "a huge type": edits(
        "UPDATE sqlite_schema SET sql = replace(sql, 'BLOB', 'BLOB(99999999999)')"
        " WHERE name = 'section'"),
    "another column": edits("ALTER TABLE section ADD COLUMN more"),
    "another table": edits("CREATE TABLE more (a)"),
    "another index": edits("CREATE INDEX more ON section (length(content))"),
    "a virtual table": edits("CREATE VIRTUAL TABLE more USING fts5(a)"),
    "a sequence": edits(
        "CREATE TABLE more (a INTEGER PRIMARY KEY AUTOINCREMENT)", "DROP TABLE more",
        "INSERT INTO sqlite_sequence VALUES ('section', 9223372036854775807)"),
    "statistics": edits("ANALYZE"),
    "no rowid": edits(
        "UPDATE sqlite_schema SET sql = sql || ' WITHOUT ROWID' WHERE name = 'section'"),
    "another name": edits("UPDATE sqlite_schema SET name = 'part' WHERE name = 'section'"),
    "broken SQL": edits(
        "UPDATE sqlite_schema SET sql = 'CREATE TABLE section (' WHERE name = 'section'"),
}  # fmt: skip
HEADERS: dict[str, Craft] = {
    "another application": edits("PRAGMA application_id = 5"),
    "a negative application": edits("PRAGMA application_id = -1"),
    "an older format": edits("PRAGMA user_version = 1"),
    "a newer format": edits("PRAGMA user_version = 3"),
    "a negative format": edits("PRAGMA user_version = -1"),
}


def _forged(kind: str, change: Callable[[bytes], bytes], number: int | None = None) -> Craft:
    """Return what forges a section."""
    first = 0 if kind in (LIST, "recipe", "model") else 2
    return lambda path: forge(path, kind, first if number is None else number, change)


def _recipe(**changes: object) -> Craft:
    """Return what changes values of the recipe, as it is shown and as it is used."""

    def change(content: bytes) -> bytes:
        recipe = json.loads(content)
        recipe["resolved"] |= changes
        recipe["fields"] |= {name: changes[name] for name in recipe["fields"].keys() & changes}
        return json.dumps(recipe).encode()

    return _forged("recipe", change)


def _block(*entry: object) -> Craft:
    """Return what changes the entry of block 2 in the list."""
    return lambda path: relist(path, lambda values: values["blocks"].__setitem__(1, entry))


def _listed(**changes: object) -> Craft:
    return lambda path: relist(path, lambda values: values.update(changes))


def _described(**changes: str) -> Craft:
    return lambda path: relist(path, lambda values: values["about"].update(changes))


# With the right checksums an index may say anything: commands take it, or refuse it in one line.
FORGED: dict[str, Craft] = {
    "names with control characters": _forged("names", lambda c: c.replace(b"d1", b"\x1b\n")),
    "names that are not UTF-8": _forged("names", lambda c: c.replace(b"d1", b"\xff\x00")),
    "ends beyond the names": _forged("ends", lambda c: c[:-4] + b"\xff" * 4),
    "ends that run backwards": _forged("ends", lambda c: c[4:8] + c[:4] + c[8:]),
    "no ends": _forged("ends", lambda c: b""),
    "half an end": _forged("ends", lambda c: c[:-1]),
    "huge lengths": _forged("lengths", lambda c: b"\xff" * len(c)),
    "no lengths": _forged("lengths", lambda c: bytes(len(c))),
    "equal fingerprints": _forged("fingerprints", lambda c: bytes(len(c))),
    "equal keys": _forged("keys", lambda c: bytes(len(c))),
    "equal contents": _forged("contents", lambda c: b"\xff" * len(c)),
    "all terms": _forged("terms", lambda c: b"\xff" * len(c)),
    "no terms": _forged("terms", lambda c: bytes(len(c))),
    "a sketch too few": _forged("sketches", lambda c: c[:-128]),
    "part of a sketch": _forged("sketches", lambda c: c[:-1]),
    "equal sketches": _forged("sketches", lambda c: bytes(len(c))),
    "a model of nothing": _forged("model", lambda c: b""),
    "a model cut short": _forged("model", lambda c: c[: len(c) // 2]),
    "a model with another checksum": _forged("model", lambda c: c[:-1] + bytes([c[-1] ^ 1])),
    "fingerprints of 4096 bits": _recipe(bits=4096),
    "fingerprints of -8 bits": _recipe(bits=-8),
    "bits that are true": _recipe(bits=True),
    "fingerprints of half a byte": _recipe(bits=4),
    "a recipe with NaN": _recipe(cap=float("nan")),
    "a recipe with text for a number": _recipe(top="many"),
    "a recipe with an endless pattern": _recipe(strip=["(a|aa)+$"], digest="0"),
    "a recipe with escapes": _recipe(tokens="\x1b[31m\n", idf="\u202e", digest="\x1b"),
    "a recipe with lists": _recipe(hash=[["md5"]] * 5),
    "another date": _described(changed="2001-01-01T00:00:00+00:00"),
    **{f"recipe {text[:60]}": _forged("recipe", lambda c, text=text: text.encode("latin-1"))
       for text in (
        "", "[]", "{}", "[" * 100_000, "\xff", '{"resolved": {"bits": "x"}, "fields": null}',
        '{"resolved": {"bits": 8, "digest": ""}, "fields": {"a": 1}, "model_documents": null}',
        '{"resolved": {"bits": 8, "digest": "", "idf": 1}, "fields": {}, "model_documents": 0}',
       )},
    **{f"list {text[:60]}": _forged(LIST, lambda c, text=text: text.encode("latin-1"))
       for text in ("", "[[[]]]", "{}", '{"blocks":' * 50_000, "\xff", "9" * 100_000)},
    "a list with another key": _listed(more=1),
    "a list without blocks": _listed(blocks=[]),
    "a list of one block": _listed(blocks=[[1, 1024, 1]]),
    "a list that counts on from text": _listed(change="x"),
    "a list that counts on from true": _listed(change=True),
    "a list with escapes": _listed(others={"recipe": 1, "\x1b[31m\n": 1}),
    "a list with long kinds": _listed(others={"recipe": 1, "k" * 100_000: 1}),
    "a list without a recipe": _listed(others={}),
    "a list with a list for kinds": _listed(others=["recipe"]),
    "a description with escapes": _described(changed="\x1b[31m\u202e"),
    "a long description": _described(simdup="x" * 100_000),
    "a description with more": _described(sealed="x"),
    "a block that is a number": _listed(blocks=[5]),
    "a block without a change": _block(2, 1024),
    "a block of a later change": _block(2, 1024, 9),
    "a block with NaN": _block(2, float("nan"), 1),
    "a block with half a document": _block(2, 0.5, 1),
    "a block with text": _block(2, "x" * 100_000, 1),
    "a block with a list": _block(2, [1], [1]),
    "a block without documents": _block(2, 0, 1),
    "a block with fewer documents": _block(2, 5, 1),
    "a block with too many documents": _block(2, 10**30, 1),
    "a block twice": _block(1, 1024, 1),
    "the largest block number": _block(2**63 - 1, 1024, 1),
    "a block below 0": _block(-2, 1024, 1),
}  # fmt: skip
