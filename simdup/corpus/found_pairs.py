"""Files that hold pairs: lines of JSON, or tables with tabs or commas.

What a result has found is read as pairs that people may judge: each redundant document with the one
that stays instead, or pairs that are listed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from simdup.base.errors import NEWER, SimdupError
from simdup.corpus.json_text import object_lines
from simdup.corpus.names import from_bytes
from simdup.corpus.sources import read_bytes
from simdup.model.formats import PASSAGE_COLUMNS


class FoundPair(NamedTuple):
    """Two documents of a result.

    Attributes
    ----------
    stays, goes : str
        Names: of a redundant document and the one that stays instead; of a mere pair, of both.
    similarity : float or None
        As results print it, with 4 digits, rounded down, unless it was not measured.
    """

    stays: str
    goes: str
    similarity: float | None

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the pair, whichever document is named first."""
        return min(self.stays, self.goes), max(self.stays, self.goes)


class Population(NamedTuple):
    """The pairs that a precision is about.

    Attributes
    ----------
    pairs : tuple of FoundPair
        Each once.
    removal : bool
        Whether they are redundant documents, each with the one that stays instead; else they are
        all pairs that are listed.
    """

    pairs: tuple[FoundPair, ...]
    removal: bool

    @classmethod
    def of(cls, pairs: Iterable[FoundPair], removal: bool) -> Population:
        """Return the pairs, each once."""
        return cls(tuple({pair.key: pair for pair in pairs}.values()), removal)


# The types of lines that are no near-duplicates, and the commands that write them.
_UNJUDGED = {
    "overlap": "passages", "rate": "passages", "conflict": "conflicts", "form": "conflicts",
    "leak": "decontaminate", "removed_part": "dedupe --unit", "match": "query", "new": "query",
}  # fmt: skip

_HINT = "expected the JSONL or CSV of scan, cluster or pairs, or what `dedupe` lists as removed"


def read_text(path: str) -> str:
    """Return the text of a file of pairs; ``-`` is standard input."""
    return from_bytes(read_bytes(path)).removeprefix("\ufeff")


def json_lines(path: str, text: str, hint: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the values of each line of JSON; raise for a line that is no object."""
    for number, values in object_lines(text, lambda number: not_written(path, number, hint)):
        if values.get("type") == "summary" and values.get("schema", 1) != 1:
            what = f"a result of schema {values['schema']!r:.40}; this simdup only reads schema 1"
            raise SimdupError(f"{path}:{number}", what, NEWER)
        yield number, values


def not_written(path: str, number: int, hint: str) -> SimdupError:
    """Return the error for a line that is not one of simdup."""
    return SimdupError(f"{path}:{number}", "not a line written by simdup", hint)


def table_delimiter(text: str) -> str:
    """Return what separates the cells: tabs, semicolons or commas, as the first line has them."""
    first = text.split("\n", 1)[0]
    return "\t" if "\t" in first else ";" if ";" in text and "," not in first else ","


def table_rows(path: str, text: str, hint: str) -> list[list[str]]:
    """Return the rows of a table, whose cells `table_delimiter` separates."""
    content, delimiter = io.StringIO(text, newline=""), table_delimiter(text)
    if delimiter == ",":
        lines = csv.reader(content)
    else:  # a quotation mark is part of a name
        lines = csv.reader(content, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    try:
        return [row for row in lines if row]
    except csv.Error as error:
        raise SimdupError(f"{path}:{lines.line_num}", str(error), hint) from None


def number_in(cell: Any) -> float | None:
    """Return the number that a cell holds; None for anything else."""
    try:
        return float(str(cell))
    except ValueError:
        return None


def read_population(path: str) -> Population:
    """Read the pairs of a result that people may judge; ``-`` is standard input.

    Raises
    ------
    SimdupError
        If the file cannot be read, has another format, or has no such pair.
    """
    text = read_text(path)
    if text.lstrip().startswith("{"):
        removal, pairs = _of_lines(path, text)
    else:
        removal, pairs = _of_table(path, table_rows(path, text, _HINT))
    if not pairs:
        raise SimdupError(path, "has no redundant document and no pair", "nothing is to be judged")
    return Population.of(pairs, removal)


def _unjudged(path: str, command: str) -> SimdupError:
    """Return the error for the result of a command that finds no near-duplicates."""
    return SimdupError(path, f"is of simdup {command}, which finds no near-duplicates", _HINT)


def _of_lines(path: str, text: str) -> tuple[bool, list[FoundPair]]:
    """Return whether pairs are of redundant documents, and the pairs."""
    removed: list[FoundPair] = []
    listed: list[FoundPair] = []
    for number, values in json_lines(path, text, _HINT):
        if command := _UNJUDGED.get(str(values.get("type"))):
            raise _unjudged(path, command)
        try:
            kind = values["type"]
            rows = values["documents"] if kind == "cluster" else [values]
            if kind in _KINDS:
                (listed if kind == "pair" else removed).extend(_pairs(kind, rows))
        except (KeyError, TypeError, IndexError):
            raise not_written(path, number, _HINT) from None
    return not listed, removed + listed


def _of_table(path: str, rows: list[list[str]]) -> tuple[bool, list[FoundPair]]:
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    columns = {name: header.index(name) for name in header}
    if columns.keys() >= set(PASSAGE_COLUMNS):
        raise _unjudged(path, "passages")
    kind = next((kind for kind, needed in _KINDS.items() if columns.keys() >= needed), None)
    if kind is None:
        what = f"columns {', '.join(rows[0])}: not those of a result" if rows else "is empty"
        raise SimdupError(path, what, _HINT)
    cells = []
    for number, row in enumerate(rows[1:], 2):
        if len(row) < len(header):
            what = f"{len(header)} columns needed, found {len(row)}"
            raise SimdupError(f"{path}, row {number}", what, _HINT)
        cells.append({name: row[place] for name, place in columns.items()})
    try:
        return kind != "pair", list(_pairs(kind, cells))
    except TypeError:
        raise SimdupError(path, "a similarity is not a number from 0 to 1", _HINT) from None


# What holds pairs, lines of JSON or tables, and the columns that tell a table.
_KINDS = {
    "cluster": {"cluster", "role", "document", "kept"},
    "removed": {"document", "reason", "kept"},
    "pair": {"a", "b"},
}


def _pairs(kind: str, rows: Iterable[dict[str, Any]]) -> Iterator[FoundPair]:
    """Yield the pairs of rows; raise TypeError if a name is no string, or a similarity no share."""
    names = ("a", "b") if kind == "pair" else ("kept", "document")
    for row in rows:
        if kind == "cluster" and row["role"] != "redundant":
            continue
        stays, goes = (row[name] for name in names)
        similarity = row.get("similarity")
        share = number_in(similarity)
        known = similarity in (None, "") or (share is not None and 0 <= share <= 1)
        if not (isinstance(stays, str) and isinstance(goes, str) and known):
            raise TypeError
        yield FoundPair(stays, goes, share)
