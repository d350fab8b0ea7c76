"""Indexes as somebody with a bad intent would craft them: by SQL, or with the right checksums."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from simdup.index.state import make_checksum

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
        (content,) = file.execute(f"SELECT content FROM part {where}", (kind, number)).fetchone()
        content = change(content)
        values = (content, make_checksum(kind, number, content), kind, number)
        file.execute(f"UPDATE part SET content = ?, checksum = ? {where}", values)
        file.commit()


def forget_manifest(path: Path) -> None:
    """Turn an index into one that a simdup without manifests wrote."""
    edit(
        path, "DELETE FROM part WHERE kind = 'manifest'", "DELETE FROM about WHERE name = 'sealed'"
    )


_LAST = "AND number = (SELECT max(number) FROM part WHERE kind = '{0}')"
_NAMES, _PRINTS = (f"WHERE kind = '{kind}' AND number = 1" for kind in ("names", "fingerprints"))
_FIFTY_THOUSAND = "WITH RECURSIVE n(i) AS (SELECT {} UNION ALL SELECT i + 1 FROM n LIMIT 50000)"
# Rows that somebody edited: every command is right, or refuses.
ROWS = (
    *(f"DELETE FROM block{where}" for where in (" WHERE number = 2", " WHERE number = 3", "")),
    "UPDATE block SET documents = documents - 1 WHERE number = 1",
    *(f"UPDATE block SET documents = {value} WHERE number = 2" for value in (
        "0", "-5", "'many'", "x'05'", "0.5", "1e300", "9e999", "9223372036854775807")),
    *(f"UPDATE block SET number = {value} WHERE number = {number}" for value, number in (
        (7, 1), (-7, 1), (9223372036854775807, 3))),
    "INSERT INTO block VALUES (9, 1)",
    "INSERT INTO block VALUES (0, 1)",
    "UPDATE block SET documents = 2098 - documents WHERE number < 3",
    f"{_FIFTY_THOUSAND.format(10)} INSERT INTO block SELECT i, 1 FROM n",
    *(f"UPDATE part SET {change} WHERE kind = 'names'" for change in (
        "checksum = x'00'", "checksum = 1e999", "content = 5", "content = zeroblob(3000000)")),
    "UPDATE part SET content = 'text', checksum = 7 WHERE kind = 'terms'",
    *(f"UPDATE part SET number = {value} {_PRINTS}" for value in ("'one'", "1e300", "-1")),
    *(f"UPDATE part SET kind = {kind} {_NAMES}" for kind in (
        "'name'", "x'ff'", "char(27) || '[31m' || char(10) || char(8238)",
        "replace(hex(zeroblob(500000)), '0', 'k')")),
    f"UPDATE part SET number = number + 10 {_PRINTS}",
    "INSERT INTO part SELECT kind, number + 10, checksum, content FROM part",
    "INSERT INTO part SELECT kind || 's', number, checksum, content FROM part",
    "UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'block'",
    "UPDATE sqlite_schema SET rootpage = 1000000 WHERE name = 'part'",
    "DELETE FROM part",
    "DELETE FROM part WHERE kind = 'manifest'",
    "DELETE FROM about",
    *(f"UPDATE about SET value = {value} WHERE name {names}" for value, names in (
        ("x'ff'", "= 'changed'"),
        ("'2001' || substr(value, 5)", "= 'changed'"),
        ("'2001' || substr(value, 5)", "= 'created'"),
        ("'9.9'", "= 'simdup'"),
        ("'x'", "= 'sealed'"),
        ("char(27) || '[31m' || char(8238)", "IN ('changed', 'sealed')"),
        ("hex(zeroblob(500000))", "IN ('changed', 'sealed')"))),
    f"{_FIFTY_THOUSAND.format(1)} INSERT INTO about SELECT i, i FROM n",
    *(f"DELETE FROM part WHERE kind = '{kind}' {_LAST.format(kind)}"
      for kind in ("names", "ends", "terms", "lengths", "sketches", "fingerprints", "recipe")),
)  # fmt: skip

_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
_TRIGGER = "CREATE TRIGGER t BEFORE INSERT ON part BEGIN DELETE FROM block; END"
_TWICE = (
    "INSERT INTO sqlite_schema SELECT a.* FROM sqlite_schema AS a, sqlite_schema AS b"
    " WHERE a.name = 'sqlite_autoindex_part_1'"
)
# Tables, views and triggers that are not simdup's: everything is refused, and nothing runs.
SCHEMAS: dict[str, Craft] = {
    "views": edits(
        "DROP TABLE about",
        f"CREATE VIEW about AS {_ENDLESS} SELECT i AS name, i AS value FROM n"),
    "a trigger": edits(_TRIGGER),
    "a trigger after many rows": edits(_TWICE, _TWICE, _TRIGGER),
    "an endless trigger": edits(
        "CREATE TRIGGER t BEFORE INSERT ON part BEGIN DELETE FROM part WHERE number IN"
        " (SELECT a.number FROM part AS a, part AS b, part AS c, part AS d, part AS e); END"),
    "a trigger on a view": edits(
        "CREATE VIEW v AS SELECT 1 AS a",
        "CREATE TRIGGER t INSTEAD OF DELETE ON v BEGIN DELETE FROM block; END"),
    "a check": edits(
        "UPDATE sqlite_schema SET sql = replace(sql, 'value TEXT NOT NULL',"
        " 'value TEXT NOT NULL CHECK (randomblob(1000000000) IS NULL)') WHERE name = 'about'"),
    "a default": edits("ALTER TABLE about ADD COLUMN more DEFAULT 5"),
    "a generated column": edits(
        "ALTER TABLE about ADD COLUMN more AS (hex(zeroblob(500000000)))"),
    "a huge type": edits(
        "UPDATE sqlite_schema SET sql = replace(sql, 'BLOB', 'BLOB(99999999999)')"
        " WHERE name = 'part'"),
    "another column": edits("ALTER TABLE block ADD COLUMN more"),
    "another table": edits("CREATE TABLE more (a)"),
    "another index": edits("CREATE INDEX more ON part (length(content))"),
    "a virtual table": edits("CREATE VIRTUAL TABLE more USING fts5(a)"),
    "a sequence": edits(
        "CREATE TABLE more (a INTEGER PRIMARY KEY AUTOINCREMENT)", "DROP TABLE more",
        "INSERT INTO sqlite_sequence VALUES ('block', 9223372036854775807)"),
    "statistics": edits("ANALYZE"),
    "a rowid table": edits(
        "UPDATE sqlite_schema SET sql = replace(sql, ' WITHOUT ROWID', '') WHERE name = 'about'"),
    "no rowid": edits("UPDATE sqlite_schema SET sql = sql || ' WITHOUT ROWID' WHERE name = 'part'"),
    "a name twice": edits("UPDATE sqlite_schema SET name = 'block' WHERE name = 'part'"),
    "broken SQL": edits("UPDATE sqlite_schema SET sql = 'CREATE TABLE part (' WHERE name = 'part'"),
}  # fmt: skip
HEADERS: dict[str, Craft] = {
    "another application": edits("PRAGMA application_id = 5"),
    "a negative application": edits("PRAGMA application_id = -1"),
    "a newer format": edits("PRAGMA user_version = 2"),
    "a negative format": edits("PRAGMA user_version = -1"),
}


def _forged(kind: str, change: Callable[[bytes], bytes], number: int | None = None) -> Craft:
    """Return what forges a section, and drops the manifest that would tell."""

    def craft(path: Path) -> None:
        first = 0 if kind in ("recipe", "model") else 2
        forge(path, kind, first if number is None else number, change)
        forget_manifest(path)

    return craft


def _recipe(**changes: object) -> Craft:
    """Return what changes values of the recipe, as it is shown and as it is used."""

    def change(content: bytes) -> bytes:
        recipe = json.loads(content)
        recipe["resolved"] |= changes
        recipe["fields"] |= {name: changes[name] for name in recipe["fields"].keys() & changes}
        return json.dumps(recipe).encode()

    return _forged("recipe", change)


def _renumber(path: Path) -> None:
    """Give the last block the largest number there is, and all its sections."""
    with closing(sqlite3.connect(path)) as file:
        last = 2**63 - 1
        rows = file.execute("SELECT kind, content FROM part WHERE number = 3").fetchall()
        for kind, content in rows:
            values = (last, make_checksum(kind, last, content), kind)
            statement = "UPDATE part SET number = ?, checksum = ? WHERE kind = ? AND number = 3"
            file.execute(statement, values)
        file.execute("UPDATE block SET number = ? WHERE number = 3", (last,))
        file.commit()
    forget_manifest(path)


def _manifest(content: bytes) -> Craft:
    return partial(forge, kind="manifest", number=0, change=lambda old: content)


def _manifest_of(change: Callable[[dict[str, object]], object]) -> Craft:
    """Return what changes the entry of block 2 in the manifest."""

    def forged(content: bytes) -> bytes:
        entries = json.loads(content)
        entries["2"] = change(entries["2"])
        return json.dumps(entries).encode()

    return partial(forge, kind="manifest", number=0, change=forged)


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
    "the largest block number": _renumber,
    "fingerprints of 4096 bits": _recipe(bits=4096),
    "fingerprints of -8 bits": _recipe(bits=-8),
    "bits that are true": _recipe(bits=True),
    "fingerprints of half a byte": _recipe(bits=4),
    "a recipe with NaN": _recipe(cap=float("nan")),
    "a recipe with text for a number": _recipe(top="many"),
    "a recipe with an endless pattern": _recipe(strip=["(a+)+$"], digest="0"),
    "a recipe with escapes": _recipe(tokens="\x1b[31m\n", idf="\u202e", digest="\x1b"),
    "a recipe with lists": _recipe(hash=[["md5"]] * 5),
    "another date": edits(
        "UPDATE about SET value = '2001' || substr(value, 5) WHERE name IN ('changed', 'sealed')"),
    **{f"recipe {text[:60]}": _forged("recipe", lambda c, text=text: text.encode("latin-1"))
       for text in (
        "", "[]", "{}", "[" * 100_000, "\xff", '{"resolved": {"bits": "x"}, "fields": null}',
        '{"resolved": {"bits": 8, "digest": ""}, "fields": {"a": 1}, "model_documents": null}',
        '{"resolved": {"bits": 8, "digest": "", "idf": 1}, "fields": {}, "model_documents": 0}',
       )},
    "a manifest of lists": _manifest(b"[[[]]]"),
    "a manifest of nothing": _manifest(b"{}"),
    "a deep manifest": _manifest(b'{"1":' * 50_000),
    "a manifest with long numbers": _manifest(b'{"' + b"9" * 100_000 + b'": {"documents": 1}}'),
    "a manifest with NaN": _manifest_of(lambda entry: entry | {"documents": float("nan")}),
    "a manifest with text": _manifest_of(lambda entry: entry | {"documents": "x" * 100_000}),
    "a manifest with escapes": _manifest_of(lambda entry: entry | {"\x1b[31m\n": "00"}),
    "a manifest with long kinds": _manifest_of(lambda entry: entry | {"k" * 100_000: "00"}),
    "a manifest with a list": _manifest_of(lambda entry: entry | {"names": [1]}),
}  # fmt: skip
