"""Read labelled pairs from results of `scan` and `pairs`, or tables of known pairs or clusters."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from simdup.base.errors import SimdupError
from simdup.base.when_used import pattern
from simdup.corpus.json_text import parse_json
from simdup.corpus.names import from_bytes
from simdup.corpus.sources import read_bytes
from simdup.evaluation.metrics import LabelledPairs, from_clusters, from_pairs
from simdup.model.formats import TABLES

# Labels of listed pairs that are not near-duplicates; any other label means yes.
NEGATIVE = ("0", "no", "false", "negative", "different", "unrelated")

# Columns with a score; the first existing one is compared with the lowest score.
SCORES = ("score", "jaccard", "similarity")

# What columns are called: id, file1, name_a.
_WORD = pattern(r"[A-Za-z_ ]+[0-9]?")

_HINT = "expected JSONL of scan or pairs, or a table with columns a and b, or cluster and document"


class _Listed(NamedTuple):
    """One pair of a file: `values` are its cells or fields by name."""

    a: str
    b: str
    values: dict[str, Any]


def read_labels(path: str, least_score: float | None = None) -> LabelledPairs:
    """Read pairs or clusters from a file; ``-`` is standard input.

    JSONL gives the pairs that its clusters list, or that it lists one per line.  A table, with tabs
    if its first line has one and else with commas, gives clusters by its columns ``cluster`` and
    ``document``, all pairs within one counting; or pairs by its columns ``a`` and ``b``.  Without
    a header the first two columns are those, and the third is a score if all of it are numbers,
    else a label.  Pairs with a label out of `NEGATIVE` are left out, and those with a score
    (`SCORES`) below the least.

    A run lists copies only with the first of them.  They have similarity 1, or distance 0 if no
    similarity was measured; what one of them is paired with, so are the others.

    Raises
    ------
    SimdupError
        If the file cannot be read, has another format, or lacks a required score.
    """
    text = from_bytes(read_bytes(path)).removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        listed = list(_json_pairs(path, text))
    else:
        rows = _rows(path, text)
        header = [cell.strip().lower() for cell in rows[0]] if rows else []
        if "cluster" in header and "document" in header:
            return _table_clusters(path, header, rows[1:], least_score)
        listed = list(_table_pairs(path, header, rows))
    listed = [one for one in listed if str(one.values.get("label", "")).lower() not in NEGATIVE]
    if least_score is not None:
        listed = [one for one in listed if _score(path, one) >= least_score]
    return from_pairs(
        ((one.a, one.b) for one in listed), ((one.a, one.b) for one in listed if _copies(one))
    )


def _json_pairs(path: str, text: str) -> Iterator[_Listed]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
            pairs = record["pairs"] if record["type"] == "cluster" else [record]
            if record["type"] in ("cluster", "pair"):
                yield from map(_listed, pairs)
        except (ValueError, KeyError, TypeError):
            raise SimdupError(f"{path}:{number}", "not a line written by simdup", _HINT) from None


def _listed(pair: dict[str, Any]) -> _Listed:
    """Return a pair of JSON; raise TypeError if its names are not strings."""
    a, b = pair["a"], pair["b"]
    if not (isinstance(a, str) and isinstance(b, str)):
        raise TypeError
    # Labels and scores are plain values; nested ones may be too deep to inspect.
    return _Listed(a, b, {k: v for k, v in pair.items() if not isinstance(v, list | dict)})


def _rows(path: str, text: str) -> list[list[str]]:
    content = io.StringIO(text, newline="")
    if "\t" in text.split("\n", 1)[0]:
        # In a file with tabs, a quotation mark is part of a name.
        lines = csv.reader(content, delimiter="\t", quoting=csv.QUOTE_NONE)
    else:
        lines = csv.reader(content)
    try:
        return [row for row in lines if row]
    except csv.Error as error:
        raise SimdupError(f"{path}:{lines.line_num}", str(error), _HINT) from None


def _table_clusters(
    path: str, header: list[str], rows: Sequence[list[str]], least_score: float | None
) -> LabelledPairs:
    if least_score is not None:
        raise SimdupError(path, "clusters have no scores", "remove `least_score`")
    clusters: dict[str, list[str]] = defaultdict(list)
    for number, row in enumerate(rows, 2):
        _check_width(path, number, row, len(header))
        clusters[row[header.index("cluster")]].append(row[header.index("document")])
    return from_clusters(clusters.values())


def _table_pairs(path: str, header: list[str], rows: list[list[str]]) -> Iterator[_Listed]:
    first = 1
    if "a" in header and "b" in header:
        first = 2
        rows = rows[1:]
    elif _is_header(rows):
        what = f"columns {', '.join(rows[0])}: not those of pairs or clusters"
        raise SimdupError(path, what, _HINT)
    else:
        third = [row[2] for row in rows if len(row) > 2]
        header = ["a", "b", "score" if all(map(_is_number, third)) else "label"]
        header = header[: max(len(rows[0]), 2)] if rows else header
    for number, row in enumerate(rows, first):
        _check_width(path, number, row, len(header))
        values = dict(zip(header, row, strict=False))
        yield _Listed(values["a"], values["b"], values)


def _is_header(rows: Sequence[list[str]]) -> bool:
    """Return whether the first row of a table without known columns is a header all the same.

    It is one of simdup, or its first two cells are plain words and no other name is.
    """
    if not rows:
        return False
    head = tuple(cell.strip().lower() for cell in rows[0])
    if any(head[: len(columns)] == columns for columns in TABLES):
        return True
    names = [cell for row in rows[1:] for cell in row[:2]]
    return bool(names) and all(map(_is_word, head[:2])) and not any(map(_is_word, names))


def _is_word(cell: str) -> bool:
    return _WORD.fullmatch(cell.strip()) is not None


def _check_width(path: str, number: int, row: list[str], least: int) -> None:
    if len(row) < least:
        what = f"{least} columns needed, found {len(row)}"
        raise SimdupError(f"{path}, row {number}", what, _HINT)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _score(path: str, one: _Listed) -> float:
    name = next((name for name in SCORES if name in one.values), None)
    if name is None:
        raise SimdupError(path, "no score found", "expected a column " + " or ".join(SCORES))
    value = str(one.values[name])
    if not _is_number(value):
        raise SimdupError(path, f"the score {value!r} is not a number")
    return float(value)


def _copies(one: _Listed) -> bool:
    """Return whether a pair is two copies listed by a run; only runs state a distance."""
    distance = str(one.values.get("distance", ""))
    similarity = str(one.values.get("similarity", ""))
    if not _is_number(distance):
        return False
    return float(similarity) == 1 if _is_number(similarity) else float(distance) == 0


def with_names_of(found: LabelledPairs, truth: LabelledPairs) -> LabelledPairs:
    """Return the truth with its documents named as in `found`.

    A name means the document with that name.  If there is none, it means the document whose path
    ends with the name (``a.txt`` means ``corpus/a.txt``), with or without the suffix (so does
    ``a``), or whose path is the end of the name (``data/corpus/a.txt``).  Other names mean
    documents that were not found.

    Raises
    ------
    SimdupError
        If a name means several documents, or several names the same one.
    """
    documents, names = found.names, truth.names
    ends: dict[str, list[str]] = defaultdict(list)
    bare: dict[str, list[str]] = defaultdict(list)
    # A document that is named exactly cannot be meant by another name.
    # In order, so that the error is the same each time.
    for document in sorted(documents - names):
        for end in _ends(document):
            ends[end].append(document)
            bare[_without_suffix(end)].append(document)
    plain = {document.removeprefix("./"): document for document in documents - names}
    called: dict[str, str] = {}
    renamed: dict[str, str] = {}
    for name in sorted(names - documents):
        longer = [plain[end] for end in _ends(name) if end in plain]
        meant = ends.get(name) or bare.get(name) or longer[:1]
        if len(meant) > 1:
            what = f"matches both {meant[0]} and {meant[1]}"
            raise SimdupError(name, what, "write more of the path in TRUTH")
        if meant:
            document = renamed[name] = meant[0]
            other = called.setdefault(document, name)
            if other != name:
                what = f"has two names in TRUTH: {other} and {name}"
                raise SimdupError(document, what, "write the full path of one of them")
    groups = (tuple(renamed.get(name, name) for name in group) for group in truth.groups)
    return LabelledPairs(tuple(groups), truth.links)


def _ends(path: str) -> Iterator[str]:
    """Yield the path and its ends of whole parts, the longest first."""
    parts = path.split("/")
    return ("/".join(parts[first:]) for first in range(len(parts)))


def _without_suffix(path: str) -> str:
    folder, slash, file = path.rpartition("/")
    stem, dot, _ = file.rpartition(".")
    return f"{folder}{slash}{stem if dot and stem else file}"
