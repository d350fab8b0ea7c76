"""Write results for programs: CSV, JSONL, tab-separated pairs, and known near-duplicates.

`record` makes a line of JSON from the fields of a value, as their annotations say: see
`simdup.model.formats`.  Where a line or a row has more than one value says, what shows that result
to people adds it, and writes it with what is here.
"""

from __future__ import annotations

import csv
import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import islice
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from simdup._version import __version__
from simdup.base.when_used import pattern
from simdup.corpus.names import escape, list_entry, to_bytes
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import SHARES
from simdup.model.decisions import Baseline, Entry
from simdup.model.documents import Skipped
from simdup.model.formats import (
    BASELINE_HEAD,
    PAIR_COLUMNS,
    QUERY_COLUMNS,
    WrittenField,
    digits,
    value_class,
    what_is_written,
    written_fields,
)
from simdup.model.frames import Columns, cluster_columns, columns_of
from simdup.show.escaping import shown

if TYPE_CHECKING:
    from simdup.index.match import QueryResult

# The version of the typed lines; it increases with incompatible changes.
SCHEMA = 1

# Values of which columns are made at a time, if there may be any number of them.
_AT_ONCE = 1 << 10

# What makes the value of a field that is written.
_Spell: TypeAlias = Callable[[Any], Any]

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_SURROGATE = pattern("[\ud800-\udfff]")


# -- lines of JSON --


def json_line(values: dict[str, Any]) -> bytes:
    """Return one line of JSON; bytes of names that are not UTF-8 are escaped."""
    text = _ENCODE(values) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def record(value: Any) -> dict[str, Any]:
    """Return the fields of a value as they are written, without those that are not set."""
    getter, each = _fields(value.__class__)
    values = {}
    for (key, spell, default), field in zip(each, getter(value), strict=True):
        if field is not default:
            values[key] = field if spell is None or field is None else spell(field)
    return values


@cache
def _fields(kind: type) -> tuple[_Spell, list[tuple[str, _Spell | None, Any]]]:
    """Return what gets the fields of a class; the key of each, its spelling, and what is unset."""
    # There are several in every class: of a single one, this would return no tuple.
    each = list(written_fields(kind))
    getter = attrgetter(*(field.name for field in each))
    return getter, [(field.key, _spelling(field), field.default) for field in each]


def _spelling(field: WrittenField) -> _Spell | None:
    """Return what makes the value of a field that is written; None where it is as it is."""
    kind, about = what_is_written(field.hint)
    if about.spell or value_class(kind) is None:
        return about.spell
    return record if kind is value_class(kind) else records


def records(values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return values as they are written."""
    return list(map(record, values))


def typed(kind: str, values: Iterable[Any]) -> Iterator[bytes]:
    """Yield a typed line of JSON for each value."""
    return (json_line({"type": kind} | record(value)) for value in values)


def closing(skipped: Iterable[Skipped], summary: Any, last: str = "") -> Iterator[bytes]:
    """Yield the lines that end a result: what was skipped, and the figures.

    The field `last` comes after the version.
    """
    yield from typed("skipped", skipped)
    values = {"type": "summary", "schema": SCHEMA} | record(summary) | {"simdup": __version__}
    if last:
        values[last] = values.pop(last)
    yield json_line(values)


def cluster_jsonl(clusters: Iterable[Cluster]) -> Iterator[bytes]:
    """Yield one typed JSON line per cluster."""
    for cluster in clusters:
        yield json_line(
            {
                "type": "cluster",
                "cluster": cluster.number,
                "size": len(cluster.members),
                "documents": list(map(_member, cluster.members)),
                "pairs": records(cluster.pairs),
            }
        )


def _member(member: Member) -> dict[str, Any]:
    """Return the fields of a member; all but kept ones have a distance and a similarity."""
    values = record(member)
    if member.role == "kept":
        del values["distance"]
    elif member.similarity is None:
        values["similarity"] = None
    return values


def query_jsonl(answers: Iterable[QueryResult]) -> Iterator[bytes]:
    """Yield one typed JSON line per document: ``match`` or ``new``."""
    for answer in answers:
        yield from typed("new" if answer.new else "match", [answer])


def query_summary(
    skipped: Sequence[Skipped], figures: dict[str, int], seconds: float, recipe: dict[str, Any]
) -> Iterator[bytes]:
    """Yield the typed JSON lines that end the results of a query."""
    yield from typed("skipped", skipped)
    summary = {"skipped": len(skipped), "seconds": round(seconds, 3), "simdup": __version__}
    yield json_line({"type": "summary"} | figures | summary | {"recipe": recipe})


# -- tables --


def csv_lines(
    columns: Sequence[str],
    rows: Iterable[Iterable[object]],
    bom: bool = False,
    at_once: int = 1,
) -> Iterator[bytes]:
    """Yield a CSV: a header, then the lines of so many rows at once, as they arrive.

    With `bom` it is for spreadsheets: a byte order mark tells them that it is UTF-8.
    """
    yield (b"\xef\xbb\xbf" if bom else b"") + ",".join(columns).encode() + b"\n"
    lines: list[str] = []
    # With this line end, the writer also quotes a carriage return in a name, in every Python.
    write = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n").writerows
    cells = (map(_no_formula, row) for row in rows) if bom else iter(rows)
    while chunk := list(islice(cells, at_once)):
        write(chunk)
        yield to_bytes("\n".join([*(line[:-2] for line in lines), ""]))
        lines.clear()


def cluster_csv(clusters: Iterable[Cluster], bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV of clusters: a header, then one row per document; `bom` is for spreadsheets."""
    return csv_lines(list(cluster_columns([])), _table(cluster_columns, clusters), bom, _AT_ONCE)


def pair_csv(
    pairs: Iterable[Pair], columns: Sequence[str] = PAIR_COLUMNS, bom: bool = False
) -> Iterator[bytes]:
    """Yield the CSV of pairs; see `cluster_csv`."""
    return csv_lines(columns, _table(partial(columns_of, columns), pairs), bom, _AT_ONCE)


def _table(
    columns: Callable[[list[Any]], Columns], values: Iterable[Any]
) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the columns of values, as a CSV has them.

    They are made column by column, which takes half of the time.
    """
    remaining = iter(values)
    while chunk := list(islice(remaining, _AT_ONCE)):
        spelled = (
            map(_SPELLED[name], column) if name in _SPELLED else column
            for name, column in columns(chunk).items()
        )
        yield from zip(*spelled, strict=True)


_SPELLED: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(SHARES, digits),
    "new": lambda new: "new" if new else "",
}


def query_csv(answers: Iterable[QueryResult], bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV of answers: a row per match, and one row for a document without a match."""
    rows = (
        (answer.document, match and match.document, match and match.distance,
         digits(match and match.similarity))
        for answer in answers
        for match in answer.matches or [None]
    )  # fmt: skip
    return csv_lines(QUERY_COLUMNS, rows, bom)


def _no_formula(cell: object) -> object:
    """Return a cell that a spreadsheet treats as text, not as a formula."""
    if not isinstance(cell, str) or cell[:1].isalnum():
        return cell
    # Spreadsheets drop what is invisible at the start, and some read a wide sign as a plain one.
    seen = (c for c in cell if not c.isspace() and unicodedata.category(c) not in ("Cc", "Cf"))
    sign = unicodedata.normalize("NFKC", next(seen, ""))
    return f"'{cell}" if sign.startswith(_FORMULA) or cell.startswith(_ENDS) else cell


_FORMULA, _ENDS = ("=", "+", "-", "@"), ("\t", "\r", "\n")


# -- lines of text --


def pair_lines(pairs: Iterable[Pair]) -> Iterator[bytes]:
    """Yield ``DISTANCE<TAB>NAME<TAB>NAME`` for each pair, names escaped."""
    for pair in pairs:
        a, b = (escape(name, "\\\t\n\r") for name in (pair.a, pair.b))
        yield to_bytes(f"{pair.distance}\t{a}\t{b}\n")


def name_lines(stream: BinaryIO, names: Iterable[str], null: bool) -> Iterator[bytes]:
    """Yield names, each followed by a newline or NUL; on a terminal they are escaped."""
    end = b"\0" if null else b"\n"
    spell = shown if stream.isatty() else str
    return (list_entry(spell(name)) + end for name in names)


_ABOUT = {
    "": """
# Near-duplicates that are known, and that a check does not report: the digest of each text and its
# name. Blank lines divide clusters. Only digests count.
""",
    "conflicts": """ conflicts
# Conflicts that are known, and that a check does not report: a digest of each value with the text
# around it, and the value. Blank lines divide conflicts. Above each is a document and the text
# around the place. Only digests count.
""",
}


def baseline_lines(baseline: Baseline, kind: str = "") -> Iterator[bytes]:
    """Yield the lines of a file of known near-duplicates or conflicts, sorted by name.

    Names are escaped already: a line is valid UTF-8, whatever a document is called.
    """
    yield f"{BASELINE_HEAD}{_ABOUT[kind]}".encode()
    by_name = attrgetter("name", "digest")
    clusters = [sorted(one, key=by_name) for one in baseline.clusters]
    comments = [f"# {one}\n" for one in baseline.comments] or [""] * len(clusters)
    each = zip(clusters, comments, strict=True)
    for cluster, comment in sorted(each, key=lambda one: (_first(one[0]), one[1])):
        yield f"\n{comment}".encode()
        yield from (f"{entry.digest}  {entry.name}\n".encode() for entry in cluster)


def _first(entries: list[Entry]) -> tuple[str, str]:
    return entries[0].name, entries[0].digest
