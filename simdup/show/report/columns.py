"""What a page lists, as columns of numbers, and the figures that its overview shows.

Both bodies of a page list clusters: documents side by side, or two that share passages.  A table
begins with four bytes, the length of a JSON head, and the head: for each column its type, its
offset and how many numbers it has.  Columns are little-endian and aligned, so the page makes typed
arrays of them in place.
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.files import STDIN
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import EDIT
from simdup.model.documents import Skipped
from simdup.model.readings import WORDING, FactDifference
from simdup.model.table import Documents

# By cluster, and by the place of a pair in it, the facts in which its texts differ.
Facts = Mapping[int, Mapping[int, Sequence[FactDifference]]]

ROLES = ("kept", "redundant")

# Flags of a document: it is a reference, it is a file that can be opened, its similarity is an
# estimate, it was left out of a cleaned corpus, its similarity is that of short texts.
REFERENCE, FILE, ESTIMATED, REMOVED, EDITED = 1, 2, 4, 8, 16

# Flags of a pair: its texts are the same; only one document is contained in the other, as was asked
# for: the first stays beside the second, or the second stays.
SAME, FIRST_STAYS, SECOND_STAYS = 1, 2, 4
_STAYS = {"b": FIRST_STAYS, "a": SECOND_STAYS}

# The texts of the first documents of a cluster are carried: matrix and graph show no more.
MEMBERS = 24

# What clusters differ in beside facts: nothing, as far as texts are compared; and not known.
SAME_TEXT, UNKNOWN = "same", "unknown"


def ten_thousandths(similarity: float | None) -> int:
    """Return a similarity in ten-thousandths, rounded down as results print it; -1 for None."""
    return -1 if similarity is None else math.floor(round(similarity * 1e4, 6))


def folder_of(name: str) -> str:
    """Return the folder of a document, or the file of a record: their names end with ``#5``."""
    path, mark, number = name.rpartition("#")
    return path if mark and number.isdecimal() else os.path.dirname(name)


def takers(members: Sequence[Member]) -> list[int]:
    """Return for each member the place of the one that took it; of a kept one its own."""
    kept = (i * (member.role == "kept") for i, member in enumerate(members))
    return list(accumulate(kept, max))


def are_files(documents: Documents | None, members: Sequence[Member]) -> NDArray[np.bool_]:
    """Return which members are files of their own, which a link can open.

    Without a table of documents they are looked for: those of an index may be anywhere.
    """
    if documents is None:
        return np.array([m.number >= 0 and os.path.isfile(str(m.name)) for m in members], np.bool_)
    paths, records = documents["path"].tolist(), documents["record"].tolist()
    alone = [
        not record and path not in ("", STDIN) for path, record in zip(paths, records, strict=True)
    ]
    return np.array([m.number in range(len(alone)) and alone[m.number] for m in members], np.bool_)


def member_columns(
    members: Sequence[Member],
    documents: Documents | None,
    references: int = 0,
    removed: Collection[str] = (),
) -> dict[str, NDArray[Any]]:
    """Return the columns that members of all clusters have on their own."""
    sizes = [0] if documents is None or "size" not in documents else documents["size"].tolist()
    digits = max((len(m.fingerprint or "") for m in members), default=16)
    prints = "".join((m.fingerprint or "").zfill(digits) for m in members)
    distances = [-1 if m.distance is None else m.distance for m in members]
    flags = [
        REFERENCE * (m.number < references)
        | ESTIMATED * m.estimated
        | REMOVED * (m.name in removed)
        | EDITED * (m.measure == EDIT)
        for m in members
    ]
    within = range(len(sizes))
    return {
        "bytes": _u32(
            min(sizes[m.number], 2**32 - 1) if m.number in within else 0 for m in members
        ),
        "role": np.array([ROLES.index(m.role) for m in members], np.uint8),
        "distance": np.array(distances, np.int16),
        "similarity": _similarities(members),
        "flags": np.array(flags, np.uint8) | FILE * are_files(documents, members).astype(np.uint8),
        "fingerprint": np.frombuffer(bytes.fromhex(prints), np.uint8),
    }


def cluster_columns(clusters: Sequence[Cluster]) -> dict[str, NDArray[Any]]:
    """Return the columns of clusters and their pairs."""
    pairs = [pair for cluster in clusters for pair in cluster.pairs]
    places = [place for cluster in clusters for place in cluster.places()]
    flags = [SAME * pair.exact | _STAYS.get(pair.contained or "", 0) for pair in pairs]
    return {
        "size": _u32(len(cluster.members) for cluster in clusters),
        "pairs": _u32(len(cluster.pairs) for cluster in clusters),
        "order": _u32(rank for cluster in clusters for rank in _ranks(cluster)),
        "pairA": _u32(a for a, _ in places),
        "pairB": _u32(b for _, b in places),
        "pairDistance": np.array([pair.distance or 0 for pair in pairs], np.uint16),
        "pairSimilarity": _similarities(pairs),
        "pairFlags": np.array(flags, np.uint8),
    }


def _ranks(cluster: Cluster) -> list[int]:
    """Return for each member which one of the cluster it would be to be kept."""
    numbers = [member.number for member in cluster.members]
    order = cluster.order or sorted(range(len(numbers)), key=numbers.__getitem__)
    return sorted(range(len(order)), key=order.__getitem__)


def _similarities(measured: Iterable[Member | Pair]) -> NDArray[np.int32]:
    return np.array([ten_thousandths(row.similarity) for row in measured], np.int32)


def fact_columns(
    clusters: Sequence[Cluster], facts: Facts
) -> tuple[dict[str, NDArray[Any]], list[tuple[str, int]]]:
    """Return the columns of what clusters differ in, and how many differ in what, most first.

    There are none if nothing was compared.  A cluster has a bit for each kind of fact in which a
    pair differs; or for one of these: its pairs differ in wording, in nothing, nobody knows.
    """
    kinds = [_kinds(cluster, facts.get(i)) for i, cluster in enumerate(clusters)] if facts else []
    counts = Counter(kind for cluster in kinds for kind in cluster)
    last = {kind: i for i, kind in enumerate((WORDING, SAME_TEXT, UNKNOWN))}
    order = sorted(counts, key=lambda kind: (last.get(kind, -1), -counts[kind], kind))
    bits = {kind: 1 << i for i, kind in enumerate(order)}
    differing = [
        min(len(facts.get(i, {}).get(place, ())), 2**16 - 1)
        for i, cluster in enumerate(clusters)
        for place in range(len(cluster.pairs))
    ]
    columns = {
        "kinds": np.array([sum(map(bits.__getitem__, cluster)) for cluster in kinds], np.uint16),
        "pairFacts": np.array(differing, np.uint16),
    }
    return columns, [(kind, counts[kind]) for kind in order]


def _kinds(cluster: Cluster, facts: Mapping[int, Sequence[FactDifference]] | None) -> set[str]:
    if all(pair.exact for pair in cluster.pairs):
        return {SAME_TEXT}
    if facts is None:
        return {UNKNOWN}
    return {fact.kind for differing in facts.values() for fact in differing} or {WORDING}


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


# Bars of the histogram, from similarity 0 to 1: fine enough for a threshold of two digits.
BARS = 100

# Folders, notes and skipped documents that are listed; what is beyond is counted.
LISTED = 500


def overview(
    clusters: Sequence[Cluster],
    figures: Mapping[str, Any],
    folders: list[list[Any]],
    skipped: Sequence[Skipped],
    notes: Sequence[tuple[str, str]],
) -> dict[str, Any]:
    """Return what a page shows first, small enough for its beginning: figures, charts, notes."""
    pairs = (pair for cluster in clusters for pair in cluster.pairs)
    similarities = _similarities(pairs)
    bars = np.bincount(similarities[similarities >= 0] // 100, minlength=BARS + 1)
    return {
        "figures": figures,
        "histogram": bars.tolist(),  # 1 has a bar of its own
        "sizes": sorted(Counter(len(cluster.members) for cluster in clusters).items()),
        "folders": folders,
        "skipped": [[str(fault.document), fault.reason] for fault in skipped[:LISTED]],
        "notes": [list(note) for note in notes[:LISTED]],
    }


def by_folder(documents: Iterable[str], listed: Iterable[str]) -> list[list[Any]]:
    """Return [folder, documents, those listed] by falling number of those listed.

    Both are folders, of all documents and of those listed.
    """
    total, part = Counter(documents), Counter(listed)
    order = sorted(total, key=lambda folder: (-part[folder], -total[folder], folder))
    return [[folder, total[folder], part[folder]] for folder in order[:LISTED]]
