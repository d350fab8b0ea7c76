"""The columns that rules need of the documents of a scan, and what people should know of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix_columns
from simdup.corpus.patterns import matches
from simdup.model.criteria import Criteria
from simdup.model.settings import Reading
from simdup.model.table import Documents
from simdup.near.collection import Collection
from simdup.near.rules import within_groups
from simdup.near.sources import GroupBy
from simdup.search.arrays import RowIds, run_starts
from simdup.text.bands import pstable_cosine
from simdup.text.fingerprinter import Fingerprints

# A field that more documents share names none of them; fewer such documents say nothing.
_FEW_SHARE, _SOME = 4, 10


def notes(
    documents: Documents, criteria: Criteria, known: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield what is to be noted once all documents are known, whose names are `known`."""
    for pattern in dict.fromkeys(criteria.prefer):
        names = chain(map(str, documents["name"]), documents["path"])
        if len(documents) and not any(matches(name, [pattern]) for name in names):
            yield "`prefer`", f"nothing matches {pattern!r}"
    yield from _without_value(documents, criteria)
    asked = list(criteria.decisions.names)
    present = set(map(str, known)) if asked else set()
    if missing := sum(name not in present for name in asked):
        yield "`decisions`", f"{missing:,} of {len(asked):,} documents are not in this scan"
    yield from _promised(criteria)


def apart_by_fields(
    documents: Documents, groups: Sequence[RowIds], reading: Reading
) -> Iterator[tuple[str, str]]:
    """Yield a note if documents with the same first field are kept apart by the others.

    `groups` have their rows; those below 0 are of indexes.
    """
    if "head" not in documents or not len(documents):
        return
    heads, group_of = documents["head"], np.full(len(documents), -1)
    for number, members in enumerate(groups):
        group_of[members[members >= 0]] = number
    order = np.lexsort((group_of, heads))
    heads, group_of = heads[order], group_of[order]
    begins = run_starts(heads)
    sizes = np.diff(np.append(begins, len(heads)))
    sharing = (sizes > 1) & (sizes <= _FEW_SHARE) & (heads[begins] != 0)
    alike, one_of = np.repeat(sharing, sizes), np.repeat(begins, sizes)
    beside = np.append(False, (one_of[1:] == one_of[:-1]) & (group_of[1:] == group_of[:-1]))
    together = (beside | np.append(beside[1:], False)) & alike & (group_of >= 0)
    same, found = int(alike.sum()), int(together.sum())
    if same >= _SOME and found < same / 2:
        first, few = reading.text_fields[0], f"{found:,}" if found else "none"
        what = (
            f"{same:,} documents share their {first!r} with another one, {few} of them in a cluster"
        )
        yield "`field`", f"{what} with it: the other fields differ; {first!r} alone may find more"


def deciding_columns(
    read: Collection, prints: Fingerprints, references: int, criteria: Criteria
) -> dict[str, NDArray[Any]]:
    """Return what decides about documents; so many at the beginning are references."""
    columns = {name: read[name] for name in ("name", "path", "digest")}
    columns |= prints.columns | {"reference": np.arange(len(read)) < references}
    return columns | rule_columns(read, criteria)


def rule_columns(read: Collection, criteria: Criteria) -> dict[str, NDArray[Any]]:
    """Return the columns of the rules that the criteria set; see `simdup.near.rules`."""
    columns: dict[str, NDArray[Any]] = {}
    if criteria.across is not None:
        columns["group_number"] = group_numbers(read, "across", criteria.across)
    equal = [read.title_keys()] if criteria.same_title else []
    if criteria.within is not None:
        equal.append(within_groups(group_numbers(read, "within", criteria.within)))
    if equal:
        columns["blocking_key"] = mix_columns(equal)
    return columns


def group_numbers(read: Collection, argument: str, name: str) -> NDArray[np.int64]:
    """Return the group of each document, -1 for none; note what follows from it for many.

    Groups are those that must differ (`argument` is ``across``) or be the same (``within``).

    Raises
    ------
    SimdupError
        If no document has the field.
    """
    groups, apart = GroupBy(argument, name).group(read.documents), argument == "across"
    said, without = list[str](), int(np.count_nonzero(groups.of < 0))
    if without:
        others = "all others" if apart else "none"
        said.append(f"{without:,} without field {name!r} compared with {others}")
    elif len(groups.of) > 1 and len(groups.names) == 1:
        compared = "none" if apart else "all"
        same = f"all documents have the same {name}: {groups.names[0]!r:.80}"
        said.append(f"{same}; {compared} are compared")
    if not apart and len(groups.of) > 1 and len(groups.names) == len(groups.of) - without:
        said.append(f"no two documents have the same {name}; none are compared")
    read.report.notes.extend((f"`{argument}`", what) for what in said)
    return groups.of


def _without_value(documents: Documents, criteria: Criteria) -> Iterator[tuple[str, str]]:
    """Yield the note on documents that are kept only where no other is, if there are any."""
    without = sum(map(math.isnan, documents["value"])) if "value" in documents else 0
    if without:
        what = f"{without:,} of {len(documents):,} documents have no number, date or time in"
        yield "`keep`", f"{what} {criteria.keep_field!r:.80}; others are kept before them"


def _promised(criteria: Criteria) -> list[tuple[str, str]]:
    """Return the note that p-stable projections promise pairs by their cosine only."""
    if criteria.method != "pstable" or criteria.cosine is not None or not criteria.similarity:
        return []
    least = pstable_cosine(criteria)
    missed = "similar texts whose rare words differ are below and may be missed"
    return [("`method`", f"pstable finds pairs with a cosine of {least:.3g} or more; {missed}")]
