"""Write results for programs: CSV, JSONL, tab-separated pairs, and known near-duplicates."""

from __future__ import annotations

import csv
import json
import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from itertools import islice
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, BinaryIO

from simdup._version import __version__
from simdup.base.when_used import pattern
from simdup.corpus.names import escape, list_entry, to_bytes
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import SHARES
from simdup.model.decisions import Baseline, Entry
from simdup.model.documents import Skipped
from simdup.model.formats import BASELINE_HEAD, PAIR_COLUMNS, QUERY_COLUMNS
from simdup.model.frames import Columns, cluster_columns, columns_of
from simdup.model.matches import QueryResult
from simdup.near.findings import Findings
from simdup.show.escaping import shown

# The version of the typed lines; it increases with incompatible changes.
SCHEMA = 1

_OF_MEMBER = [field.name for field in fields(Member)]

# Rows and clusters written at a time, if there may be any number of them: column by column, which
# takes half to four fifths of the time.
_CSV_ROWS, _CSV_CLUSTERS = 1 << 12, 1 << 10

_SURROGATE = pattern("[\ud800-\udfff]")


def rounded(similarity: float | None) -> float | None:
    """Return a similarity with 4 digits, rounded down, so that it is never overstated.

    A share such as 0.57 has no exact binary form and may be stored slightly too low, hence the
    first rounding, far beyond the digits shown.
    """
    return None if similarity is None else math.floor(round(similarity * 1e4, 6)) / 1e4


def digits(similarity: float | None) -> str:
    """Return `rounded` as text, empty for None."""
    return "" if similarity is None else f"{rounded(similarity):.4f}"


def _rows(columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Return the rows of columns, as a CSV has them."""
    values = (map(digits, of) if name in SHARES else of for name, of in columns.items())
    return zip(*values, strict=True)


def json_line(values: dict[str, Any]) -> bytes:
    """Return one line of JSON; bytes of names that are not UTF-8 are escaped."""
    text = json.dumps(values, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode() + b"\n"


def csv_head(columns: Sequence[str], bom: bool = False) -> bytes:
    """Return the header of a CSV; the byte order mark tells spreadsheets that it is UTF-8."""
    return (b"\xef\xbb\xbf" if bom else b"") + ",".join(columns).encode() + b"\n"


def cluster_csv(clusters: Iterable[Cluster], bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV of clusters: a header, then one row per document; `bom` is for spreadsheets."""
    yield csv_head(list(cluster_columns([])), bom)
    left = iter(clusters)
    while some := list(islice(left, _CSV_CLUSTERS)):
        columns = cluster_columns(some)
        columns["new"] = ["new" if new else "" for new in columns["new"]]
        yield csv_rows(_rows(columns), bom)


def cluster_jsonl(clusters: Iterable[Cluster]) -> Iterator[bytes]:
    """Yield one typed JSON line per cluster."""
    for cluster in clusters:
        yield json_line(
            {
                "type": "cluster",
                "cluster": cluster.number,
                "size": len(cluster.members),
                "documents": list(map(_member, cluster.members, cluster.kept_names())),
                "pairs": [_pair(pair) for pair in cluster.pairs],
            }
        )


def summary_jsonl(result: Findings) -> Iterator[bytes]:
    """Yield the typed JSON lines that end a result."""
    for skipped in result.skipped:
        yield skipped_line(skipped)
    summary = asdict(result.summary)
    recipe = summary.pop("recipe")
    for name in ("kept_apart", "indexed", "new", "known", "stale", "similarities"):
        if summary[name] is None:
            del summary[name]
    if not summary["all_pairs"]:
        del summary["all_pairs"]
    # Only pages and cleaned corpora have it.
    del summary["facts_differ"]
    summary["seconds"] = round(summary["seconds"], 3)
    head = {"type": "summary", "schema": SCHEMA}
    yield json_line(head | summary | {"simdup": __version__, "recipe": recipe})


def pair_csv(
    pairs: Iterable[Pair], columns: Sequence[str] = PAIR_COLUMNS, bom: bool = False
) -> Iterator[bytes]:
    """Yield the CSV of pairs; see `cluster_csv`."""
    yield csv_head(columns, bom)
    left = iter(pairs)
    while some := list(islice(left, _CSV_ROWS)):
        yield csv_rows(_rows(columns_of(columns, some)), bom)


def pair_jsonl(pairs: Iterable[Pair]) -> Iterator[bytes]:
    """Yield one JSON line per pair."""
    return (json_line({"type": "pair"} | _pair(pair)) for pair in pairs)


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


def query_csv(answers: Iterable[QueryResult], bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV of answers: a row per match, and one row for a document without a match."""
    yield csv_head(QUERY_COLUMNS, bom)
    for answer in answers:
        rows = [
            (answer.document, match.document, match.distance, digits(match.similarity))
            for match in answer.matches
        ]
        yield csv_rows(rows or [(answer.document, "", "", "")], bom)


def query_jsonl(answers: Iterable[QueryResult]) -> Iterator[bytes]:
    """Yield one typed JSON line per document: ``match`` or ``new``."""
    for answer in answers:
        if answer.new:
            added = {"added": True} if answer.added else {}
            yield json_line({"type": "new", "document": answer.document} | added)
            continue
        matches = [
            {"document": match.document, "distance": match.distance}
            | ({} if match.similarity is None else {"similarity": rounded(match.similarity)})
            for match in answer.matches
        ]
        yield json_line({"type": "match", "document": answer.document, "matches": matches})


def query_summary(
    skipped: Sequence[Skipped], figures: dict[str, int], seconds: float, recipe: dict[str, Any]
) -> Iterator[bytes]:
    """Yield the typed JSON lines that end the results of a query."""
    yield from map(skipped_line, skipped)
    summary = {"skipped": len(skipped), "seconds": round(seconds, 3), "simdup": __version__}
    yield json_line({"type": "summary"} | figures | summary | {"recipe": recipe})


def skipped_line(one: Skipped) -> bytes:
    """Return the typed JSON line of a skipped document."""
    return json_line({"type": "skipped", "document": one.document, "reason": one.reason})


def _member(member: Member, kept: Any) -> dict[str, Any]:
    """Return the fields of a member; all but kept ones have a distance and a similarity."""
    values = _rounded({name: getattr(member, name) for name in _OF_MEMBER})
    values = _marked({"document": values.pop("name")} | values)
    del values["number"], values["beside"]
    values["kept"] = kept
    if member.role == "kept":
        del values["distance"]
    elif member.similarity is None:
        values["similarity"] = None
    return values


def _pair(pair: Pair) -> dict[str, Any]:
    values = _rounded(pair._asdict())
    if not pair.exact:
        del values["exact"]
    return _marked(values)


def _marked(values: dict[str, Any]) -> dict[str, Any]:
    """Return fields without the marks that are not set: of an estimate, of what is new."""
    for mark in ("estimated", "new"):
        if not values.get(mark, True):
            del values[mark]
    return values


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    """Return fields with rounded measures, without those not measured."""
    measures = {name: rounded(values[name]) for name in (*SHARES, "covered") if name in values}
    measures |= {name: values[name] for name in ("contained", "measure")}
    others = {name: value for name, value in values.items() if name not in measures}
    return others | {name: value for name, value in measures.items() if value is not None}


def csv_rows(rows: Iterable[Iterable[object]], bom: bool) -> bytes:
    """Return rows of a CSV."""
    if bom:
        rows = (map(_no_formula, row) for row in rows)
    lines: list[str] = []
    # With this line end, the writer also quotes a carriage return in a name, in every Python.
    out = SimpleNamespace(write=lambda line: lines.append(line.removesuffix("\r\n") + "\n"))
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return to_bytes("".join(lines))


def _no_formula(cell: object) -> object:
    """Return a cell that a spreadsheet treats as text, not as a formula."""
    if not isinstance(cell, str) or cell[:1].isalnum():
        return cell
    # Spreadsheets drop what is invisible at the start, and some read a wide sign as a plain one.
    seen = (c for c in cell if not c.isspace() and unicodedata.category(c) not in ("Cc", "Cf"))
    sign = unicodedata.normalize("NFKC", next(seen, ""))
    return f"'{cell}" if sign.startswith(_FORMULA) or cell.startswith(_ENDS) else cell


_FORMULA, _ENDS = ("=", "+", "-", "@"), ("\t", "\r", "\n")


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
