"""The page of an audit: pairs of a sample, to be judged one after another.

What might sway a judge, the similarity of a pair, is shown once it is judged.  Pairs are in the
order in which they were drawn, so that a page that is judged in part is a smaller sample.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from simdup.base.system import quoted
from simdup.corpus.found_pairs import FoundPair
from simdup.model.formats import PageOptions
from simdup.near.audit_sample import Sample
from simdup.near.findings import Origins
from simdup.show.report.chunks import add_originals
from simdup.show.report.columns import (
    DocumentRow,
    PairRow,
    RowGroup,
    folder_by_name,
    overview,
    source_row,
)
from simdup.show.report.page import assemble


def audit_page(
    sample: Sample, origins: Origins, options: PageOptions, path: str = ""
) -> Iterator[bytes]:
    """Return the page of a sample.

    Parameters
    ----------
    sample : Sample
        The pairs.
    origins : Origins
        Has their documents, as far as their texts can be read again.
    options : PageOptions
        What the page carries.
    path : str
        The file that the pairs were found in; empty for a result in Python.
    """
    documents = origins.documents
    rows = {str(name): row for row, name in enumerate(documents["name"].tolist())}

    def shown(name: str) -> DocumentRow:
        row = rows.get(name)
        return (
            DocumentRow(name, folder_by_name(name)) if row is None else source_row(documents, row)
        )

    def group(pair: FoundPair) -> RowGroup:
        goes = shown(pair.goes)._replace(role="redundant", similarity=pair.similarity)
        return RowGroup([shown(pair.stays), goes], [PairRow(0, 1, 0, pair.similarity)])

    groups = [group(pair) for pair in sample.pairs]
    judged = ["simdup", "evaluate", path or "FOUND", "--judged", "decisions.jsonl"]
    about: dict[str, Any] = {
        "title": os.path.basename(path),
        "criteria": {},
        **overview(groups, {"clusters": len(groups)}, [], (), ()),
        "audit": {
            "seed": sample.seed,
            "removal": sample.removal,
            "bands": sample.bands,
            "next": quoted(judged),
        },
    }
    add = partial(add_originals, groups=groups, origins=origins)
    return assemble(groups, about, replace(options, kind="audit"), add)
