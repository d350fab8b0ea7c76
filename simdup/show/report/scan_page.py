"""The page of a result: of a scan, of a cleaned corpus."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import chain
from typing import Any

from simdup.base.system import common_folder
from simdup.corpus.files import STDIN
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import EDIT, Criteria
from simdup.model.formats import PageOptions
from simdup.near.findings import Findings, Origins
from simdup.show.report.chunks import add_originals
from simdup.show.report.columns import (
    EDITED,
    ESTIMATED,
    EXACT,
    FIRST_STAYS,
    REFERENCE,
    REMOVED,
    SAME,
    SECOND_STAYS,
    DocumentRow,
    PairRow,
    RowGroup,
    by_folder,
    file_flag,
    folder_of,
    folders_of,
    overview,
)
from simdup.show.report.page import assemble, no_collection
from simdup.show.streams import open_output


def scan_page(
    result: Findings, options: PageOptions, removed: Collection[str] = ()
) -> Iterator[bytes]:
    """Return the page of a result, whose documents are read again for their texts.

    Parameters
    ----------
    result : Findings
        Of a scan, or of the cleaning of a corpus.
    options : PageOptions
        What the page carries.
    removed : collection of str
        The documents that a cleaned corpus lacks.
    """
    origins = result.origins
    with no_collection():
        groups = _groups(result, origins, frozenset(removed))
    about = {
        "title": _title(origins),
        "criteria": criteria_values(origins.criteria),
        "recipe": result.summary.recipe,
        **overview(
            groups, _figures(result, origins), _folders(result, groups, origins),
            result.skipped, result.notes, result.hint,
        ),
    }  # fmt: skip
    add = partial(add_originals, groups=groups, origins=origins)
    return assemble(groups, about, options, add)


def write_page(result: Findings, path: str, options: PageOptions) -> None:
    """Write the page of a result to a file, whole or not at all."""
    page = scan_page(result, options)
    with open_output(path) as stream:
        stream.writelines(page)


def criteria_values(criteria: Criteria) -> dict[str, Any]:
    """Return criteria as a page shows them."""
    values = asdict(criteria) | {"shingle": str(criteria.shingle)}
    del values["decisions"]
    return values


def _groups(result: Findings, origins: Origins, removed: frozenset[str]) -> list[RowGroup]:
    columns = (origins.documents[name] for name in ("path", "record", "size", "digest"))
    paths, records, sizes, digests = columns

    def row(one: Member) -> DocumentRow:
        name, number, beside = str(one.name), one.number, one.beside
        folder, size = "", 0
        flags = (
            REFERENCE * (number < result.references)
            | ESTIMATED * one.estimated
            | REMOVED * (one.name in removed)
            | EDITED * (one.measure == EDIT)
        )
        if number >= 0:
            path, record, size = paths[number], int(records[number]), int(sizes[number])
            folder = folder_of(name, path, record)
            same = 0 <= beside != number and digests[number] == digests[beside]
            flags |= file_flag(path, record) | EXACT * bool(same)
        figures = one.role, one.distance, one.similarity, one.fingerprint or ""
        return DocumentRow(name, folder, number, *figures, size, flags)

    def group(cluster: Cluster) -> RowGroup:
        places, members = cluster.places(), cluster.members
        pairs = [
            PairRow(a, b, pair.distance or 0, pair.similarity, _pair_flags(pair))
            for (a, b), pair in zip(places, cluster.pairs, strict=True)
        ]
        agreeing = {
            place
            for place, (a, b) in enumerate(places)
            if agree(members[a], members[b]) or agree(members[b], members[a])
        }
        return RowGroup(list(map(row, members)), pairs, cluster.order, agreeing)

    def agree(one: Member, kept: Member) -> bool:
        """Return whether a redundant document is known to differ in no fact from who took it."""
        named = one.role == "redundant" and one.beside == kept.number >= 0
        return named and result.facts is not None and one.number not in result.facts

    return list(map(group, result.clusters))


# By the document that is contained in the other, the one that stays.
_STAYS: dict[str | None, int] = {"b": FIRST_STAYS, "a": SECOND_STAYS}


def _pair_flags(pair: Pair) -> int:
    """Return what a page knows of a pair: among others, which document is not in the other."""
    return SAME * pair.exact | _STAYS.get(pair.contained, 0)


def _figures(result: Findings, origins: Origins) -> dict[str, Any]:
    summary, clusters, sizes = result.summary, result.clusters, origins.documents["size"]
    redundant = [m.number for one in clusters for m in one.members if m.role == "redundant"]
    return {
        "documents": summary.documents - result.references,
        "clusters": summary.clusters,
        "redundant": summary.redundant,
        "unique": len(result.unique),
        "pairs": summary.pairs,
        "checked": summary.checked,
        "unchecked": summary.unchecked,
        "several": sum(sum(m.role == "kept" for m in one.members) > 1 for one in clusters),
        "skipped": summary.skipped,
        "saved": int(sizes[redundant].sum()),
    }


def _folders(result: Findings, groups: Sequence[RowGroup], origins: Origins) -> list[list[Any]]:
    """Return [folder, documents, redundant] by falling redundancy."""
    rows = [row for one in groups for row in one.documents if row.number >= result.references]
    known = {row.number for one in groups for row in one.documents} | {*result.inputs.skipped}
    numbers = range(result.references, len(origins.documents))
    others = folders_of(origins.documents, (number for number in numbers if number not in known))
    redundant = (row.folder for row in rows if row.role == "redundant")
    return by_folder(chain((row.folder for row in rows), others), redundant)


def _title(origins: Origins) -> str:
    """Return the name of what was scanned: that of the folder that all files are in."""
    paths: list[str] = origins.documents["path"].tolist()
    known = [path for path in dict.fromkeys(paths) if path not in ("", STDIN)]
    if not known:
        return ""
    paths = list(map(os.path.abspath, known))
    return os.path.basename(common_folder(paths) if len(paths) > 1 else paths[0])
