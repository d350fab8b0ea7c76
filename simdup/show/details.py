"""Further columns of documents: what tells a person more than a name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, TypeAlias

from simdup.base.system import date_of
from simdup.model.clusters import Cluster
from simdup.near.findings import Findings

if TYPE_CHECKING:
    from simdup.near.source_documents import SourceDocuments

# Of each column, what it says of a document by its number; one that is missing is not known.
Details: TypeAlias = Mapping[str, Mapping[int, str | int]]


def details(result: Findings, clusters: Iterable[Cluster], columns: Sequence[str]) -> Details:
    """Return what some columns say of the documents of clusters.

    Documents are read again for their titles; documents of an index have none of all this.
    """
    members = (member.number for cluster in clusters for member in cluster.members)
    numbers = sorted(number for number in members if number >= 0)
    return {column: COLUMNS[column](result.origins, numbers) for column in columns}


def new_documents(clusters: Iterable[Cluster]) -> Mapping[int, str]:
    """Return a word for each document that a baseline lacks."""
    members = (member for cluster in clusters for member in cluster.members)
    return {member.number: "new" for member in members if member.new}


def _titles(origins: SourceDocuments, numbers: Sequence[int]) -> dict[int, str]:
    from simdup.text.titles import MOST, title_of

    found = origins.documents_again(numbers)
    return {number: title_of(document)[:MOST] for number, document in found}


def _lengths(origins: SourceDocuments, numbers: Sequence[int]) -> dict[int, int]:
    return {number: int(origins.documents["length"][number]) for number in numbers}


def _modified(origins: SourceDocuments, numbers: Sequence[int]) -> dict[int, str]:
    """Return times in ISO 8601; texts of a pipe or from Python have none."""
    known = ((number, float(origins.documents["modified"][number])) for number in numbers)
    times = ((number, date_of(seconds, UTC)) for number, seconds in known if seconds)
    return {number: f"{time:%Y-%m-%dT%H:%M:%SZ}" for number, time in times}


def _folders(origins: SourceDocuments, numbers: Sequence[int]) -> dict[int, str]:
    """Return the folders of files; a record has its file."""
    paths, records = origins.documents["path"], origins.documents["record"]
    return {
        number: paths[number] if records[number] else os.path.dirname(paths[number])
        for number in numbers
    }


# For each column, what finds out what it says.
COLUMNS: dict[str, Callable[[SourceDocuments, Sequence[int]], Mapping[int, str | int]]] = {
    "title": _titles,
    "length": _lengths,
    "modified": _modified,
    "folder": _folders,
}
