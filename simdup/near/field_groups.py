"""Which documents agree in a FIELD of `same`, `across` and `by`: each is of one group, or of none.

Values of records and titles are compared folded and without white space, paths as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.model.criteria import Criteria
from simdup.model.fields import FILE, TITLE, folder_levels, record_field
from simdup.near.collection import Collection
from simdup.near.rules import RULES
from simdup.search.arrays import Bools, RowIds
from simdup.text.characters import fold_all
from simdup.text.fingerprinter import Fingerprints


@dataclass(frozen=True, slots=True)
class Groups:
    """Which group each document belongs to."""

    names: Sequence[str]  # of the groups, as their first documents have them
    of: NDArray[np.int64]  # int64[documents]: the place of each one's group; -1 for none


def group_by(argument: str, field: str, read: Collection) -> Groups:
    """Return the groups of documents that agree in a field, which an argument names.

    Raises
    ------
    SimdupError
        If no document has the field.
    """
    keys, name_of = keys_of(argument, field, read)
    of, firsts = _numbers(keys, read.skipped)
    return Groups([name_of(row) for row in firsts], of)


def deciding_columns(
    read: Collection, prints: Fingerprints, references: Container[str], criteria: Criteria
) -> dict[str, NDArray[Any]]:
    """Return what decides about documents; those of the files in `references` are some."""
    columns = {name: read[name] for name in ("name", "path", "digest")}
    of_file = (path in references for path in read["path"].tolist())
    columns |= prints.columns | {"reference": np.fromiter(of_file, np.bool_, len(read))}
    return columns | rule_columns(read, criteria.fields)


def rule_columns(read: Collection, fields: Mapping[str, Sequence[str]]) -> dict[str, NDArray[Any]]:
    """Return the columns of the rules on fields, given the fields by argument.

    What follows from a field for many documents is noted.
    """
    asked = ((column, rule) for column, rule in RULES.items() if fields.get(rule.module))
    return {column: rule.loaded.column(read, fields[rule.module]) for column, rule in asked}


def decided(read: Collection, argument: str, field: str) -> RowIds:
    """Return the group of each document, -1 for none; note what follows from it for many."""
    keys, name_of = keys_of(argument, field, read)
    of, firsts = _numbers(keys, read.skipped)
    apart, documents = argument == "across", int(np.count_nonzero(~read.skipped))
    without = documents - int(np.count_nonzero(of >= 0))
    notes = []
    if without:
        others = "all others" if apart else "none"
        notes.append(f"{without:,} without {field!r:.80} compared with {others}")
    if documents > 1 and len(firsts) == 1 and not without:
        follows = "none are compared" if apart else "it changes nothing"
        notes.append(f"all documents have the same {field}, {name_of(firsts[0])!r:.80}; {follows}")
    if documents > 1 and len(firsts) == documents - without:
        follows = "it changes nothing" if apart else "none are compared"
        notes.append(f"no two documents have the same {field}; {follows}")
    read.report.notes.extend((f"`{argument}`", note) for note in notes)
    return of


def keys_of(
    argument: str, field: str, read: Collection
) -> tuple[Sequence[Hashable], Callable[[int], str]]:
    """Return what documents are grouped by, empty for none, and what tells the value of one."""
    if field == TITLE:
        return read.title_keys().tolist(), read.title
    documents, name = read.documents, record_field(field)
    if name is not None:
        place = [known for _, known in read.report.reading.group_fields].index(name)
        # Texts have no fields.
        values = [groups[place] if groups else "" for groups in documents["groups"].tolist()]
        if values and not any(values):
            raise SimdupError(argument, f"no record has a field {name!r:.80}", field=argument)
        return ["".join(value.split()) for value in fold_all(values)], values.__getitem__
    pairs = zip(documents["path"].tolist(), documents["name"].tolist(), strict=True)
    paths = [path or str(name) for path, name in pairs]
    if field == FILE:
        return paths, paths.__getitem__
    if levels := folder_levels(field):
        folders = [_first_folders(path, levels, read.report.sources) for path in paths]
        return folders, folders.__getitem__
    folders = [os.path.dirname(path) or os.curdir for path in paths]
    # One folder may be written in several ways.
    absolute = {folder: os.path.abspath(folder) for folder in dict.fromkeys(folders)}
    return [absolute[folder] for folder in folders], folders.__getitem__


def _first_folders(path: str, levels: int, sources: Container[str]) -> str:
    """Return the first folders of a path below its SOURCE."""
    below: list[str] = []
    above = os.path.dirname(path)
    while above and above not in sources and above != os.path.dirname(above):
        above, name = os.path.split(above)
        below.append(name)
    return "/".join(below[::-1][:levels])


def _numbers(keys: Sequence[Hashable], skipped: Bools) -> tuple[RowIds, list[int]]:
    """Return the number of each key, in the order in which they are met, and where that is.

    What was skipped has none.
    """
    numbers: dict[Hashable, int] = {}
    firsts: list[int] = []
    of = np.full(len(keys), -1)
    for row, key in enumerate(keys):
        if key == "" or skipped[row]:
            continue
        number = numbers.setdefault(key, len(firsts))
        if number == len(firsts):
            firsts.append(row)
        of[row] = number
    return of, firsts
