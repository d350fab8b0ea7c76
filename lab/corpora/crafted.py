"""Indexes as somebody with a bad intent would craft them: by SQL, or with the right checksums."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from simdup.index.file import Head, make_checksum

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


def head_of(path: Path) -> Head:
    """Return the head of an index."""
    with closing(sqlite3.connect(path)) as file:
        return Head.read(file.execute("SELECT content FROM blob WHERE number = 0").fetchone()[0])


def number_of(path: Path, name: str, segment: int = 0) -> int:
    """Return the number of a blob: of a column of a segment, or of one that belongs to none."""
    head = head_of(path)
    return (head.segments[segment - 1].columns if segment else head.blobs)[name].number


def rehead(path: Path, change: Callable[[list[Any]], None]) -> None:
    """Change the values of the head, and its checksum too."""
    about, following, blobs, segments = head_of(path)
    values = [about, following, blobs, [list(entry) for entry in segments]]
    change(values)
    body = json.dumps(values).encode()
    with closing(sqlite3.connect(path)) as file:
        update = "UPDATE blob SET content = ? WHERE number = 0"
        file.execute(update, (zlib.crc32(body).to_bytes(4, "little") + body,))
        file.commit()


def forge(path: Path, name: str, segment: int, change: Callable[[bytes], bytes]) -> None:
    """Change a blob, and its size and its checksum too; segment 0 has those that belong to none."""
    number = number_of(path, name, segment)
    with closing(sqlite3.connect(path)) as file:
        (content,) = file.execute("SELECT content FROM blob WHERE number = ?", (number,)).fetchone()
        content = change(content)
        file.execute("UPDATE blob SET content = ? WHERE number = ?", (content, number))
        file.commit()

    def listed(values: list[Any]) -> None:
        blobs = values[3][segment - 1][2] if segment else values[2]
        blobs[name] = number, len(content), make_checksum(number, content)

    rehead(path, listed)


_FIFTY_THOUSAND = "WITH RECURSIVE n(i) AS (SELECT {} UNION ALL SELECT i + 1 FROM n LIMIT 50000)"
_LARGEST = "(SELECT number FROM blob ORDER BY length(content) DESC LIMIT 1)"
# Rows that somebody edited: every command is right, or refuses.
ROWS = (
    *(f"UPDATE blob SET content = {content} WHERE number = {number}"
      for number in (0, 1, 2, 7, _LARGEST)
      for content in ("5", "'text'", "x''", "zeroblob(3000000)", "zeroblob(length(content))",
                      "CAST(content || x'00' AS BLOB)")),
    *(f"UPDATE blob SET number = {value} WHERE number = {number}"
      for number in (0, 1, _LARGEST) for value in (-1, 100_000, 9_223_372_036_854_775_807)),
    "UPDATE blob SET number = -number WHERE number > 0",
    "UPDATE blob SET content = (SELECT content FROM blob WHERE number = 3) WHERE number = 4",
    "UPDATE blob SET content = CAST(replace(content, '20', '19') AS BLOB) WHERE number = 0",
    "UPDATE blob SET content = CAST(replace(content, '+00:00', '+01:00') AS BLOB) WHERE number = 0",
    "INSERT INTO blob SELECT number + 10000, content FROM blob",
    "INSERT INTO blob SELECT -1 - number, content FROM blob",
    f"{_FIFTY_THOUSAND.format(10_000)} INSERT INTO blob SELECT i, x'00' FROM n",
    "UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'blob'",
    "UPDATE sqlite_schema SET rootpage = 1000000 WHERE name = 'blob'",
    "DELETE FROM blob",
    "DELETE FROM blob WHERE number > 0",
    *(f"DELETE FROM blob WHERE number = {number}" for number in (0, 1, 2, 3, 9, _LARGEST)),
)  # fmt: skip

_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
_TRIGGER = "CREATE TRIGGER t BEFORE INSERT ON blob BEGIN DELETE FROM blob; END"
_TWICE = "INSERT INTO sqlite_schema SELECT * FROM sqlite_schema"
# Tables, views and triggers that are not simdup's: everything is refused, and nothing runs.
SCHEMAS: dict[str, Craft] = {
    "views": edits(
        "DROP TABLE blob",
        f"CREATE VIEW blob AS {_ENDLESS} SELECT i AS number, x'00' AS content FROM n"),
    "a trigger": edits(_TRIGGER),
    "a trigger after many rows": edits(_TWICE, _TWICE, _TRIGGER),
    "an endless trigger": edits(
        "CREATE TRIGGER t BEFORE INSERT ON blob BEGIN DELETE FROM blob WHERE number IN"
        " (SELECT a.number FROM blob AS a, blob AS b, blob AS c, blob AS d); END"),
    "a trigger on a view": edits(
        "CREATE VIEW v AS SELECT 1 AS a",
        "CREATE TRIGGER t INSTEAD OF DELETE ON v BEGIN DELETE FROM blob; END"),
    "a check": edits(
        "UPDATE sqlite_schema SET sql = replace(sql, 'content BLOB NOT NULL',"
        " 'content BLOB NOT NULL CHECK (randomblob(1000000000) IS NULL)') WHERE name = 'blob'"),
    "a default": edits("ALTER TABLE blob ADD COLUMN more DEFAULT 5"),
    "a generated column": edits(
        "ALTER TABLE blob ADD COLUMN more AS (hex(zeroblob(500000000)))"),
    "a huge type": edits(
        "UPDATE sqlite_schema SET sql = replace(sql, 'BLOB NOT', 'BLOB(99999999999) NOT')"
        " WHERE name = 'blob'"),
    "another column": edits("ALTER TABLE blob ADD COLUMN more"),
    "another table": edits("CREATE TABLE more (a)"),
    "another index": edits("CREATE INDEX more ON blob (length(content))"),
    "a virtual table": edits("CREATE VIRTUAL TABLE more USING fts5(a)"),
    "a sequence": edits(
        "CREATE TABLE more (a INTEGER PRIMARY KEY AUTOINCREMENT)", "DROP TABLE more",
        "INSERT INTO sqlite_sequence VALUES ('blob', 9223372036854775807)"),
    "statistics": edits("ANALYZE"),
    "no rowid": edits(
        "UPDATE sqlite_schema SET sql = sql || ' WITHOUT ROWID' WHERE name = 'blob'"),
    "another name": edits("UPDATE sqlite_schema SET name = 'part' WHERE name = 'blob'"),
    "broken SQL": edits(
        "UPDATE sqlite_schema SET sql = 'CREATE TABLE blob (' WHERE name = 'blob'"),
}  # fmt: skip
HEADERS: dict[str, Craft] = {
    "another application": edits("PRAGMA application_id = 5"),
    "a negative application": edits("PRAGMA application_id = -1"),
    "an older format": edits("PRAGMA user_version = 3"),
    "a newer format": edits("PRAGMA user_version = 5"),
    "a negative format": edits("PRAGMA user_version = -1"),
}


def _forged(name: str, change: Callable[[bytes], bytes], segment: int = 1) -> Craft:
    """Return what forges a column of a segment."""
    return lambda path: forge(path, name, segment, change)


def _recipe(**changes: object) -> Craft:
    """Return what changes values of the recipe, as it is shown and as it is used."""

    def change(content: bytes) -> bytes:
        recipe = json.loads(content)
        recipe["resolved"] |= changes
        recipe["fields"] |= {name: changes[name] for name in recipe["fields"].keys() & changes}
        return json.dumps(recipe).encode()

    return _forged("recipe", change, 0)


def _segment(place: int, value: object) -> Craft:
    """Return what changes a value of the entry of segment 1 in the head."""
    return lambda path: rehead(path, lambda values: values[3][0].__setitem__(place, value))


def _headed(place: int, value: object) -> Craft:
    return lambda path: rehead(path, lambda values: values.__setitem__(place, value))


def _described(**changes: object) -> Craft:
    return lambda path: rehead(path, lambda values: values[0].update(changes))


def _beheaded(body: bytes) -> Craft:
    """Return what writes another head, with its checksum."""
    content = zlib.crc32(body).to_bytes(4, "little") + body

    def craft(path: Path) -> None:
        edit(path, "UPDATE blob SET content = ? WHERE number = 0", values=(content,))

    return craft


# With the right checksums an index may say anything: commands take it, or refuse it in one line.
FORGED: dict[str, Craft] = {
    "names with control characters": _forged("name", lambda c: c.replace(b"d1", b"\x1b\n")),
    "names that are not UTF-8": _forged("name", lambda c: c.replace(b"d1", b"\xff\x00")),
    "sizes beyond the names": _forged("name_size", lambda c: c[:-4] + b"\xff" * 4),
    "no sizes": _forged("name_size", lambda c: b""),
    "half a size": _forged("name_size", lambda c: c[:-1]),
    "huge lengths": _forged("length", lambda c: b"\xff" * len(c)),
    "no lengths": _forged("length", lambda c: bytes(len(c))),
    "equal fingerprints": _forged("fingerprint", lambda c: bytes(len(c))),
    "equal keys": _forged("name_key", lambda c: bytes(len(c))),
    "equal contents": _forged("content_key", lambda c: b"\xff" * len(c)),
    "all terms": _forged("terms", lambda c: b"\xff" * len(c)),
    "no terms": _forged("terms", lambda c: bytes(len(c))),
    "other facts": _forged("facts", lambda c: b"\xff" * len(c)),
    "other letters": _forged("letters", lambda c: b"\xff" * len(c)),
    "no marks": _forged("gone", lambda c: bytes(len(c))),
    "a mark too few": _forged("gone", lambda c: c[:-1]),
    "a sketch too few": _forged("sketch", lambda c: c[:-128]),
    "part of a sketch": _forged("sketch", lambda c: c[:-1]),
    "equal sketches": _forged("sketch", lambda c: bytes(len(c))),
    "a model of nothing": _forged("model", lambda c: b"", 0),
    "a model cut short": _forged("model", lambda c: c[: len(c) // 2], 0),
    "a model with another checksum": _forged("model", lambda c: c[:-1] + bytes([c[-1] ^ 1]), 0),
    "fingerprints of 4096 bits": _recipe(bits=4096),
    "fingerprints of -8 bits": _recipe(bits=-8),
    "bits that are true": _recipe(bits=True),
    "fingerprints of half a byte": _recipe(bits=4),
    "a recipe with NaN": _recipe(cap=float("nan")),
    "a recipe with text for a number": _recipe(top="many"),
    "a recipe with an endless pattern": _recipe(strip=["(a|aa)+$"], digest="0"),
    "a recipe with escapes": _recipe(tokens="\x1b[31m\n", idf="\u202e", digest="\x1b"),
    "a recipe with lists": _recipe(hash=[["md5"]] * 5),
    **{f"recipe {text[:60]}": _forged("recipe", lambda c, text=text: text.encode("latin-1"), 0)
       for text in (
        "", "[]", "{}", "[" * 100_000, "\xff", '{"resolved": {"bits": "x"}, "fields": null}',
        '{"resolved": {"bits": 8, "digest": ""}, "fields": {"a": 1}, "model_documents": null}',
        '{"resolved": {"bits": 8, "digest": "", "idf": 1}, "fields": {}, "model_documents": 0}',
       )},
    **{f"head {body[:40]!r}": _beheaded(body)
       for body in (b"", b"[[[]]]", b"{}", b"[" * 50_000, b"\xff", b"9" * 100_000, b"[1,2,3,4]")},
    "a date with escapes": _described(changed="\x1b[31m\u202e"),
    "another date": _described(changed="2001-01-01T00:00:00+00:00"),
    "a long version": _described(simdup="x" * 100_000),
    "a version that is a number": _described(simdup=7),
    "a description with more": _described(sealed="x"),
    "a head that counts on from text": _headed(1, ["x"]),
    "a head that counts on from true": _headed(1, [True]),
    "a head that counts on from nothing": _headed(1, []),
    "a head that counts from 1 again": _headed(1, [1]),
    "a head without a recipe": _headed(2, {}),
    "a head with a list for blobs": _headed(2, ["recipe"]),
    "a head with another blob": _headed(2, {"recipe": [1, 1, 1], "\x1b[31m\n" * 9999: [1, 1, 1]}),
    "a head without segments": _headed(3, []),
    "a segment that is a number": _headed(3, [5]),
    "a segment without columns": _segment(2, {}),
    "a segment with a list for columns": _segment(2, [1]),
    "a segment with NaN": _segment(0, float("nan")),
    "a segment with half a document": _segment(0, 0.5),
    "a segment with text": _segment(0, "x" * 100_000),
    "a segment without documents": _segment(0, 0),
    "a segment with fewer documents": _segment(0, 5),
    "a segment with more documents": _segment(0, 10**5),
    "a segment with too many documents": _segment(0, 10**30),
    "a segment with fewer removed": _segment(1, 1),
    "a segment with more removed than there are": _segment(1, 10**6),
    "a segment twice": lambda path: rehead(path, lambda v: v[3].append(v[3][0])),
}  # fmt: skip
