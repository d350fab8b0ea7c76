"""Results for programs: CSV, JSONL and tab-separated pairs."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from types import SimpleNamespace
from typing import Any

from simdup._version import __version__
from simdup.corpus.names import escape, to_bytes
from simdup.model.clusters import Cluster, Member, Pair, Removed, Result
from simdup.model.criteria import Measures
from simdup.model.documents import Skipped
from simdup.model.formats import CLUSTER_COLUMNS, PAIR_COLUMNS, REMOVED_COLUMNS
from simdup.model.matches import QueryResult

# Counts changes of the typed lines that a program might stumble over.
SCHEMA = 1

# Rows written at a time, where there may be any number of them.
_CSV_ROWS = 1 << 12

_SURROGATE = re.compile("[\ud800-\udfff]")


def rounded(similarity: float | None) -> float | None:
    """Return a similarity with 4 digits, rounded down: what is printed is never too good.

    A share such as 0.57 has no exact binary form and may lie a hair below itself: hence the first
    rounding, far beyond the digits shown.
    """
    return None if similarity is None else math.floor(round(similarity * 1e4, 6)) / 1e4


def digits(similarity: float | None) -> str:
    """Return `rounded` as text, empty for None."""
    return "" if similarity is None else f"{rounded(similarity):.4f}"


def json_line(values: dict[str, Any]) -> bytes:
    """Return one line of JSON; bytes of names that are not UTF-8 stand as escapes."""
    text = json.dumps(values, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode() + b"\n"


def csv_head(columns: Sequence[str], bom: bool = False) -> bytes:
    """Return the header of a CSV; a spreadsheet knows UTF-8 by the byte order mark."""
    return (b"\xef\xbb\xbf" if bom else b"") + ",".join(columns).encode() + b"\n"


def cluster_csv(
    clusters: Iterable[Cluster], extras: Sequence[str] = (), bom: bool = False
) -> Iterator[bytes]:
    """Yield the CSV of clusters: a header, then a row a document.

    `extras` are measures beside the similarity that get a column of their own; `bom` is for
    spreadsheets, here and below.
    """
    yield csv_head((*CLUSTER_COLUMNS, *extras), bom)
    for cluster in clusters:
        yield csv_rows(
            (
                (
                    cluster.number,
                    member.role,
                    member.name,
                    member.fingerprint,
                    "" if member.distance is None else member.distance,
                    digits(member.similarity),
                    *(digits(getattr(member, extra)) for extra in extras),
                )
                for member in cluster.members
            ),
            bom,
        )


def cluster_jsonl(result: Result) -> Iterator[bytes]:
    """Yield the typed JSON lines of a result."""
    for cluster in result.clusters:
        yield json_line(
            {
                "type": "cluster",
                "cluster": cluster.number,
                "size": len(cluster.members),
                "diameter": cluster.diameter,
                "weakest": rounded(cluster.weakest),
                "documents": [_member(member, cluster) for member in cluster.members],
                "pairs": [_pair(pair) for pair in cluster.pairs],
                **({} if cluster.complete else {"pairs_complete": False}),
                **({"chained": True} if cluster.linked else {}),
            }
        )
    for skipped in result.skipped:
        yield skipped_line(skipped)
    summary = asdict(result.summary)
    recipe = summary.pop("recipe")
    if summary["star_redundant"] is None:
        del summary["star_redundant"]
    summary["seconds"] = round(summary["seconds"], 3)
    head = {"type": "summary", "schema": SCHEMA}
    yield json_line(head | summary | {"simdup": __version__, "recipe": recipe})


def removed_csv(removed: Iterable[Removed], bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV of what was removed: a header, then a row a document."""
    yield csv_head(REMOVED_COLUMNS, bom)
    yield csv_rows(
        (
            (one.document, one.reason, one.distance, digits(one.similarity), one.kept)
            for one in removed
        ),
        bom,
    )


def removed_jsonl(removed: Iterable[Removed]) -> Iterator[bytes]:
    """Yield a JSON line for each document that was removed."""
    for one in removed:
        yield json_line({"type": "removed"} | asdict(one) | {"similarity": rounded(one.similarity)})


def pair_csv(pairs: Iterable[Pair], bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV of pairs."""
    yield csv_head(PAIR_COLUMNS, bom)
    rows = ((p.a, p.b, p.distance, digits(p.similarity)) for p in pairs)
    while some := list(islice(rows, _CSV_ROWS)):
        yield csv_rows(some, bom)


def pair_jsonl(pairs: Iterable[Pair]) -> Iterator[bytes]:
    """Yield a JSON line a pair."""
    return (json_line({"type": "pair"} | _pair(pair)) for pair in pairs)


def pair_lines(pairs: Iterable[Pair]) -> Iterator[bytes]:
    """Yield ``DISTANCE<TAB>NAME<TAB>NAME`` a pair, names escaped."""
    for pair in pairs:
        a, b = (escape(name, "\\\t\n\r") for name in (pair.a, pair.b))
        yield to_bytes(f"{pair.distance}\t{a}\t{b}\n")


def query_csv(answers: Iterable[QueryResult], bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV rows of answers: a row a match, and one with the rest empty where none is."""
    for answer in answers:
        rows = [
            (answer.document, match.document, match.distance, digits(match.similarity))
            for match in answer.matches
        ]
        yield csv_rows(rows or [(answer.document, "", "", "")], bom)


def query_jsonl(answers: Iterable[QueryResult]) -> Iterator[bytes]:
    """Yield a typed JSON line a document: ``match`` or ``new``."""
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


def _member(member: Member, cluster: Cluster) -> dict[str, Any]:
    """Return a member's fields: of the kept one those it has, of others the similarity at least."""
    values = _rounded(asdict(member))
    values = {"document": values.pop("name")} | values
    del values["number"], values["beside"]
    if member.beside not in (cluster.members[0].number, member.number):
        values["kept"] = cluster.member(member.beside).name
    if member.distance is None:
        del values["distance"]
    elif member.similarity is None:
        values["similarity"] = None
    return values


def _pair(pair: Pair) -> dict[str, Any]:
    values = _rounded(pair._asdict())
    if not pair.exact:
        del values["exact"]
    return values


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    """Return fields with their measures rounded, and without those that were not taken."""
    measures = {name: rounded(values[name]) for name in Measures._fields}
    others = {name: value for name, value in values.items() if name not in measures}
    return others | {name: value for name, value in measures.items() if value is not None}


def csv_rows(rows: Iterable[Iterable[object]], bom: bool) -> bytes:
    """Return rows of a CSV."""
    if bom:
        rows = (map(_no_formula, row) for row in rows)
    lines: list[str] = []
    # That end of a line makes the writer quote a return in a name too, in every Python.
    out = SimpleNamespace(write=lambda line: lines.append(line.removesuffix("\r\n") + "\n"))
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return to_bytes("".join(lines))


def _no_formula(cell: object) -> object:
    """Return a cell that a spreadsheet takes as text, not as a formula to run."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


# A spreadsheet drops a tab or a return at the beginning, and reads what follows it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
