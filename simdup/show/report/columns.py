"""What a page lists, in rows that every kind of page gives: groups, their documents, their pairs.

Rows become a table, columns of numbers as bytes that a page reads without parsing, and the figures
that its overview shows.  A table begins with four bytes, the length of a JSON head, and the head:
for each column its type, its offset and how many numbers it has.  Columns are little-endian and
aligned, so the page makes typed arrays of them in place.
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.files import STDIN
from simdup.model.documents import Skipped
from simdup.model.table import Documents

# -- rows ------------------------------------------------------------------------------------------

ROLES = ("kept", "redundant")

# Flags of a document: it is a reference, it is a file that can be opened, its similarity is an
# estimate, its text is that of the one that took it, it was left out of a cleaned corpus, its
# similarity is that of short texts.
REFERENCE, FILE, ESTIMATED, EXACT, REMOVED, EDITED = 1, 2, 4, 8, 16, 32

# Flags of a pair: its texts are the same; only one document is contained in the other, as was asked
# for: the first stays beside the second, or the second stays; its texts differ in a fact.
SAME, FIRST_STAYS, SECOND_STAYS, FACTS = 1, 2, 4, 8

# The texts of the first documents of a group are carried: matrix and graph show no more.
MEMBERS = 24


class DocumentRow(NamedTuple):
    """A document that a page lists, and its figures beside the one that took it."""

    name: str
    folder: str = ""
    number: int = -1  # its place in the input; below 0 for one of an index
    role: str = "kept"  # one of `ROLES`
    distance: int | None = None
    similarity: float | None = None
    fingerprint: str = ""
    size: int = 0  # in bytes
    flags: int = 0


class PairRow(NamedTuple):
    """A pair that a page lists, by the places of its documents in their group."""

    a: int
    b: int
    distance: int
    similarity: float | None
    flags: int = 0


class RowGroup(NamedTuple):
    """Documents that a page shows side by side: each kept one before those that it took."""

    documents: Sequence[DocumentRow]
    pairs: Sequence[PairRow]
    # The places of the documents, the first to keep first; empty if that is their order of input.
    order: Sequence[int] = ()
    agreeing: Collection[int] = ()  # the places of pairs that are known to differ in no fact

    @property
    def carried(self) -> list[int]:
        """The numbers of the documents whose texts travel; those of an index have none."""
        return [one.number for one in self.documents[:MEMBERS] if one.number >= 0]

    @property
    def takers(self) -> list[int]:
        """For each document the place of the one that took it; of a kept one its own."""
        kept = (i * (row.role == "kept") for i, row in enumerate(self.documents))
        return list(accumulate(kept, max))

    def ranks(self) -> list[int]:
        """Return for each document which one of the group it would be to be kept."""
        numbers = [row.number for row in self.documents]
        order = self.order or sorted(range(len(numbers)), key=numbers.__getitem__)
        return sorted(range(len(order)), key=order.__getitem__)


def ten_thousandths(similarity: float | None) -> int:
    """Return a similarity in ten-thousandths, rounded down as results print it; -1 for None."""
    return -1 if similarity is None else math.floor(round(similarity * 1e4, 6))


def folder_of(name: str, path: str, record: int) -> str:
    """Return the folder of a document, or the file of a record that is named after its place."""
    if record and name == f"{path}#{record}":
        return path
    return os.path.dirname(name)


def folder_by_name(name: str) -> str:
    """Return the folder of a document of which only the name is known; records end with ``#5``."""
    path, mark, number = name.rpartition("#")
    return path if mark and number.isdecimal() else os.path.dirname(name)


def file_flag(path: str, record: int) -> int:
    """Return `FILE` for a document that is a file of its own, which a link can open; else 0."""
    return FILE if not record and path not in ("", STDIN) else 0


def source_row(documents: Documents, number: int) -> DocumentRow:
    """Return the row of a document that was read, without its figures."""
    name, path = str(documents["name"][number]), documents["path"][number]
    record = int(documents["record"][number])
    size = int(documents["size"][number]) if "size" in documents else 0
    folder, flags = folder_of(name, path, record), file_flag(path, record)
    return DocumentRow(name, folder, number, size=size, flags=flags)


def folders_of(documents: Documents, numbers: Iterable[int]) -> Iterator[str]:
    """Yield the folders of documents that were read, which may be all: no rows are made."""
    names, paths, records = (documents[name] for name in ("name", "path", "record"))
    return (folder_of(str(names[n]), paths[n], int(records[n])) for n in numbers)


# -- the table -------------------------------------------------------------------------------------


def table(
    groups: Sequence[RowGroup],
    folders: Mapping[str, int],
    place: Mapping[int, tuple[int, int]],
    differ: Mapping[int, Mapping[int, int]],
) -> bytes:
    """Return the table of groups.

    `folders` numbers their folders; `place` is that of `Chunks`, and so is `differ`.
    """
    places = [place.get(i, (-1, 0)) for i in range(len(groups))]
    rows = [row for group in groups for row in group.documents]
    pairs = [pair for group in groups for pair in group.pairs]
    digits = max((len(row.fingerprint) for row in rows), default=16)
    prints = "".join(row.fingerprint.zfill(digits) for row in rows)
    distances = [-1 if row.distance is None else row.distance for row in rows]
    flags = np.array([pair.flags for pair in pairs], np.uint8)
    firsts = np.cumsum([0, *(len(group.pairs) for group in groups)])
    facts = np.zeros(len(pairs), np.int64)
    for i, counts in differ.items():
        facts[firsts[i] + np.array(list(counts), np.int64)] = list(counts.values())
    flags[facts > 0] |= FACTS
    return pack(
        {
            "size": _u32(len(group.documents) for group in groups),
            "pairs": _u32(len(group.pairs) for group in groups),
            "chunk": np.array([chunk for chunk, _ in places], np.int32),
            "slot": _u32(slot for _, slot in places),
            "folder": _u32(folders[row.folder] for row in rows),
            "bytes": _u32(min(row.size, 2**32 - 1) for row in rows),
            "role": np.array([ROLES.index(row.role) for row in rows], np.uint8),
            "distance": np.array(distances, np.int16),
            "similarity": np.array([ten_thousandths(row.similarity) for row in rows], np.int32),
            "flags": np.array([row.flags for row in rows], np.uint8),
            "fingerprint": np.frombuffer(bytes.fromhex(prints), np.uint8),
            "order": _u32(rank for group in groups for rank in group.ranks()),
            "pairA": _u32(pair.a for pair in pairs),
            "pairB": _u32(pair.b for pair in pairs),
            "pairDistance": np.array([pair.distance for pair in pairs], np.uint16),
            "pairSimilarity": np.array([ten_thousandths(p.similarity) for p in pairs], np.int32),
            "pairFlags": flags,
            "pairFacts": np.minimum(facts, 2**16 - 1).astype(np.uint16),
        }
    )


def _u32(values: Iterable[int]) -> NDArray[np.uint32]:
    return np.array(list(values), np.uint32)


_NAMES = {"|u1": "u8", "<u2": "u16", "<i2": "i16", "<u4": "u32", "<i4": "i32", "<f8": "f64"}
_ALIGN = 8


def pack(columns: Mapping[str, NDArray[Any]]) -> bytes:
    """Return columns as bytes; their types are those of `_NAMES`."""
    head: dict[str, tuple[str, int, int]] = {}
    body = bytearray()
    for name, column in columns.items():
        little = column.astype(column.dtype.newbyteorder("<"), copy=False)
        head[name] = (_NAMES[little.dtype.str], len(body), little.size)
        body += little.tobytes()
        body += bytes(-len(body) % _ALIGN)
    described = json.dumps(head).encode()
    described += b" " * (-(len(described) + 4) % _ALIGN)
    return struct.pack("<I", len(described)) + described + body


# -- the overview ----------------------------------------------------------------------------------

# Bars of the histogram, from similarity 0 to 1: fine enough for a threshold of two digits.
BARS = 100

# Distances of the heat map: beyond, fingerprints say little.  Rows are 20 to a similarity of 1.
HEAT_COLUMNS, HEAT_ROWS = 24, 20

# Folders, notes and skipped documents that are listed; what is beyond is counted.
LISTED = 500


def overview(
    groups: Sequence[RowGroup],
    figures: Mapping[str, Any],
    folders: list[list[Any]],
    skipped: Sequence[Skipped],
    notes: Sequence[tuple[str, str]],
    hint: str = "",
) -> dict[str, Any]:
    """Return what a page shows first, small enough for its beginning: figures, charts, notes."""
    return {
        "figures": figures,
        "histogram": _histogram(groups),
        "heat": _heat(groups),
        "sizes": sorted(Counter(len(group.documents) for group in groups).items()),
        "folders": folders,
        "skipped": [[str(one.document), one.reason] for one in skipped[:LISTED]],
        "notes": [list(note) for note in notes[:LISTED]],
        "hint": hint,
    }


def _histogram(groups: Sequence[RowGroup]) -> list[int]:
    """Return how many pairs there are in each hundredth of similarity; 1 has a bar of its own."""
    found = np.array([ten_thousandths(p.similarity) for one in groups for p in one.pairs], np.int64)
    bars: list[int] = np.bincount(found[found >= 0] // 100, minlength=BARS + 1).tolist()
    return bars


def _heat(groups: Sequence[RowGroup]) -> list[list[int]]:
    """Return [distance, row of similarity, pairs] wherever there are pairs."""
    cells = Counter(
        (min(p.distance, HEAT_COLUMNS - 1), min(int(p.similarity * HEAT_ROWS), HEAT_ROWS - 1))
        for group in groups
        for p in group.pairs
        if p.similarity is not None
    )
    return [[distance, row, pairs] for (distance, row), pairs in sorted(cells.items())]


def by_folder(every: Iterable[str], found: Iterable[str]) -> list[list[Any]]:
    """Return [folder, documents, those found] by falling number of those found.

    Both are folders, of all documents and of those found.
    """
    every, found = Counter(every), Counter(found)
    order = sorted(every, key=lambda folder: (-found[folder], -every[folder], folder))
    return [[folder, every[folder], found[folder]] for folder in order[:LISTED]]
