"""The columns of a page: clusters, their documents and their pairs, side by side."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.files import STDIN
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import EDIT
from simdup.model.table import Documents
from simdup.near.source_documents import SourceDocuments
from simdup.show.report.columns import pack
from simdup.show.result import Result

ROLES = ("kept", "redundant", "linked")

# Flags of a document: it is a reference, it is a file that can be opened, its similarity is an
# estimate, its text is that of the kept one, it was left out of a cleaned corpus, its similarity is
# that of short texts.
_REFERENCE, _FILE, _ESTIMATED, _EXACT, _REMOVED, _EDITED = 1, 2, 4, 8, 16, 32


# Flags of a pair: its texts are the same, its similarity is an estimate, and only one document is
# contained in the other, as was asked for: the first stays beside the second, or the second stays.
_SAME, _ABOUT, _FIRST_STAYS, _SECOND_STAYS = 1, 2, 4, 8


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


class Folders:
    """Numbers the folders of documents in the order it meets them, and knows which are files.

    Without a table of documents, names tell both.
    """

    def __init__(self, documents: Documents | None) -> None:
        self.names: dict[str, int] = {}
        self._documents = documents

    def number(self, member: Member) -> int:
        """Return the number of a member's folder."""
        folder = ""
        if member.number >= 0:
            folder = self.of(member.number, member.name)
        return self.names.setdefault(folder, len(self.names))

    def of(self, number: int, name: Any) -> str:
        """Return the folder of a document."""
        if self._documents is None:
            return folder_by_name(str(name))
        path, record = self._place(number)
        return folder_of(str(name), path, record)

    def is_file(self, member: Member) -> bool:
        """Return whether a document is a file of its own, which a link can open."""
        number = member.number
        if number < 0:
            return False
        if self._documents is None:
            return os.path.isfile(member.name)
        path, record = self._place(number)
        return not record and path not in ("", STDIN)

    def _place(self, number: int) -> tuple[str, int]:
        assert self._documents is not None
        return self._documents["path"][number], int(self._documents["record"][number])


def table(
    result: Result,
    folders: Folders,
    place: Mapping[int, tuple[int, int]],
    removed: frozenset[str] = frozenset(),
) -> bytes:
    """Return the table of a result's clusters.

    `place` is that of `Chunks`, `removed` names the documents that a cleaned corpus lacks.
    """
    clusters = result.clusters
    places = [place.get(i, (-1, 0)) for i in range(len(clusters))]
    return pack(
        {
            "size": _u32([len(cluster.members) for cluster in clusters]),
            "pairs": _u32([len(cluster.pairs) for cluster in clusters]),
            "complete": np.array([cluster.complete for cluster in clusters], np.uint8),
            "chunk": np.array([chunk for chunk, _ in places], np.int32),
            "slot": _u32([slot for _, slot in places]),
            **_documents(result, folders, removed),
            "order": _order(clusters),
            **_pairs(clusters),
        }
    )


def _documents(
    result: Result, folders: Folders, removed: frozenset[str]
) -> dict[str, NDArray[Any]]:
    origins = result.sources
    members = [member for cluster in result.clusters for member in cluster.members]
    digits = max((len(member.fingerprint) for member in members), default=16)
    prints = "".join(member.fingerprint.zfill(digits) for member in members)
    flags = [
        _flags(member, origins, result.references)
        | _FILE * folders.is_file(member)
        | _REMOVED * (member.name in removed)
        | _EDITED * (member.measure == EDIT)
        for member in members
    ]
    return {
        "folder": _u32([folders.number(member) for member in members]),
        "bytes": _u32([_size(member, origins) for member in members]),
        "number": np.array([member.number for member in members], np.int32),
        "role": np.array([ROLES.index(member.role) for member in members], np.uint8),
        "distance": np.array([-1 if m.distance is None else m.distance for m in members], np.int16),
        "similarity": np.array([ten_thousandths(m.similarity) for m in members], np.int32),
        "flags": np.array(flags, np.uint8),
        "fingerprint": np.frombuffer(bytes.fromhex(prints), np.uint8),
    }


def _size(member: Member, origins: SourceDocuments | None) -> int:
    if origins is None or member.number < 0:
        return 0
    return min(int(origins.documents["size"][member.number]), 2**32 - 1)


def _flags(member: Member, origins: SourceDocuments | None, references: int) -> int:
    number = member.number
    flags = _REFERENCE * (number < references) | _ESTIMATED * member.estimated
    if origins is None or number < 0:
        return flags
    digests = origins.documents["digest"]
    same = 0 <= member.beside != number and digests[number] == digests[member.beside]
    return flags | _EXACT * bool(same)


def _order(clusters: Sequence[Cluster]) -> NDArray[np.uint32]:
    """Return for each document which one of its cluster it would be to be kept."""
    ranks: list[int] = []
    for cluster in clusters:
        members = cluster.members
        order = cluster.order or sorted(range(len(members)), key=lambda i: members[i].number)
        own = [0] * len(order)
        for rank, i in enumerate(order):
            own[i] = rank
        ranks += own
    return _u32(ranks)


def _pairs(clusters: Sequence[Cluster]) -> dict[str, NDArray[Any]]:
    """Return the columns of pairs: of a cluster the places of their documents in it."""
    places = [place for cluster in clusters for place in cluster.places()]
    pairs = [pair for cluster in clusters for pair in cluster.pairs]
    return {
        "pairA": _u32([a for a, _ in places]),
        "pairB": _u32([b for _, b in places]),
        "pairDistance": np.array([pair.distance for pair in pairs], np.uint16),
        "pairSimilarity": np.array([ten_thousandths(pair.similarity) for pair in pairs], np.int32),
        "pairFlags": np.array([_pair_flags(pair) for pair in pairs], np.uint8),
    }


def _pair_flags(pair: Pair) -> int:
    """Return what a page knows of a pair: among others, which document is not in the other."""
    stays = {"b": _FIRST_STAYS, "a": _SECOND_STAYS}.get(pair.contained or "", 0)
    return _SAME * pair.exact | _ABOUT * pair.estimated | stays


def _u32(values: Sequence[int]) -> NDArray[np.uint32]:
    return np.array(values, np.uint32)
