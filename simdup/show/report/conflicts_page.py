"""The page of conflicts: each place in which copies contradict each other, with who says what.

A reading may have 10,000 documents and a document may be in thousands of conflicts, so documents
are listed once and the table numbers them.  It has columns of four lengths: of conflicts, of
readings, of places (a document in a conflict), of documents.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.model.formats import PageOptions
from simdup.model.readings import Conflict, ConflictCriteria, ConflictResult, ReadingPlace
from simdup.show.report.chunks import deflate, script_json
from simdup.show.report.columns import LISTED, DocumentRow, folder_by_name, overview, pack
from simdup.show.report.page import page_head, write_page
from simdup.text.characters import to_codes

# Conflicts that a page lists: by falling number of documents, nobody goes beyond.
CONFLICTS = 50_000


def conflicts_page(
    found: ConflictResult, criteria: ConflictCriteria, options: PageOptions
) -> Iterator[bytes]:
    """Return the page of conflicts.

    Parameters
    ----------
    found : ConflictResult
        What it shows.
    criteria : ConflictCriteria
        How that was found.
    options : PageOptions
        What the page carries; the text around conflicts is short and always there.
    """
    listed = found.conflicts[:CONFLICTS]
    kinds = Counter(one.kind for one in listed).most_common()
    numbers = [[kind for kind, _ in kinds].index(one.kind) for one in listed]
    places = [place for one in listed for reading in one.readings for place in reading.documents]
    first: dict[str, ReadingPlace] = {}
    for place in places:
        first.setdefault(str(place.document), place)
    rows = [DocumentRow(name, folder_by_name(name)) for name in first]
    folders = {folder: i for i, folder in enumerate(dict.fromkeys(row.folder for row in rows))}
    columns = _columns(listed, places, list(first)) | {
        "kind": np.array(numbers, np.uint8),
        "folder": np.array([folders[row.folder] for row in rows], np.uint32),
        "modified": np.array([place.modified for place in first.values()], np.float64),
    }
    texts = [[one.before, one.after, *(r.value for r in one.readings)] for one in listed]
    labels = {"names": list(first), "folders": list(folders), "conflicts": texts}
    figures, by_folder = _figures(found, len(listed)), _by_folder(columns, list(folders))
    about = {
        "title": "",
        **overview((), figures, by_folder, found.skipped, found.notes),
        "criteria": {"context": criteria.context, "kinds": ", ".join(criteria.kinds)},
        "kinds": kinds,
    }
    occurs = np.zeros(sys.maxunicode + 1, np.bool_)
    occurs[to_codes("".join(text for some in texts for text in some))] = True
    blocks = [
        ("table", deflate(pack(columns))),
        ("names", deflate(script_json(labels).encode())),
    ]
    head = page_head(about, replace(options, kind="conflicts"), rows, occurs)
    yield from write_page(head, blocks)


def _columns(
    conflicts: Sequence[Conflict], places: Sequence[ReadingPlace], names: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Return the columns of conflicts, of readings and of places."""
    numbers = {name: i for i, name in enumerate(names)}
    lengths = [len(reading.documents) for one in conflicts for reading in one.readings]
    return {
        "readings": np.array([len(one.readings) for one in conflicts], np.uint32),
        "places": np.array(lengths, np.uint32),
        "document": np.array([numbers[str(place.document)] for place in places], np.uint32),
        "start": np.array([place.start for place in places], np.uint32),
        "end": np.array([place.end for place in places], np.uint32),
        "line": np.array([place.line for place in places], np.uint32),
    }


def _by_folder(columns: dict[str, NDArray[Any]], folders: Sequence[str]) -> list[list[Any]]:
    """Return [folder, documents in a conflict, conflicts] by falling number of conflicts."""
    numbers = np.arange(len(columns["readings"]))
    conflict = np.repeat(np.repeat(numbers, columns["readings"]), columns["places"])
    pairs = np.unique(np.stack([columns["folder"][columns["document"]], conflict]), axis=1)
    conflicts = np.bincount(pairs[0], minlength=len(folders)).tolist()
    documents = np.bincount(columns["folder"], minlength=len(folders)).tolist()
    order = sorted(range(len(folders)), key=lambda i: (-conflicts[i], -documents[i], folders[i]))
    return [[folders[i], documents[i], conflicts[i]] for i in order[:LISTED]]


def _figures(found: ConflictResult, listed: int) -> dict[str, Any]:
    """Return figures of all conflicts, listed or not."""
    summary = found.summary
    return {
        "documents": summary.documents,
        "matched": summary.affected,
        "clusters": listed,
        "pairs": summary.conflicts,
        "listed": listed,
        "known": summary.known,
        "forms": summary.forms,
        "skipped": summary.skipped,
        "redundant": 0,
    }
