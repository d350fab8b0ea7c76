"""The result of a scan, and what shows it: a page, tables, a notebook.

This is the face of `show/`: its other files take `Findings`; only `removed` hands a result on.
"""

from __future__ import annotations

import os
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Literal, overload

from simdup.base.errors import counted
from simdup.model.clusters import Cluster
from simdup.model.formats import TEXT_BYTES, PageOptions, digits
from simdup.model.frames import table_columns, to_arrow, to_frame
from simdup.near.findings import Findings
from simdup.show.escaping import shown

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa


# Clusters that a notebook lists, and documents of each.
_CLUSTERS, _DOCUMENTS = 10, 4


class Result(Findings):
    """The result of a scan; its length is the number of clusters.

    What was found is described in `Findings`; the methods here show it.
    """

    __slots__ = ()

    def to_html(self, path: str, *, texts: int | None = TEXT_BYTES) -> None:
        """Write a report page: one file that shows clusters and texts, offline.

        Parameters
        ----------
        path : str
            The file to write, whole or not at all.
        texts : int or None
            Most bytes that texts may take in it; 0 for none, None for all.  Documents are read
            again for their texts: those of an iterator are gone, and only figures are shown.

        Raises
        ------
        SimdupError
            If the file cannot be written, or this result is not one of `scan`.
        """
        page = import_module("simdup.show.report.pairs_page")
        page.write_page(self, os.fspath(path), PageOptions(texts))

    @overload
    def to_frame(self, library: None = None) -> pandas.DataFrame | polars.DataFrame: ...
    @overload
    def to_frame(self, library: Literal["pandas"]) -> pandas.DataFrame: ...
    @overload
    def to_frame(self, library: Literal["polars"]) -> polars.DataFrame: ...
    def to_frame(self, library: str | None = None) -> pandas.DataFrame | polars.DataFrame:
        """Return the clusters as a DataFrame.

        A row is a document, cluster by cluster, each kept one before those that it took.  The
        columns are those of the CSV: ``cluster`` (int64), ``role``, ``document``, ``fingerprint``,
        ``distance`` (nullable int64), ``similarity``, ``containment`` and ``cosine`` (float64,
        unrounded), ``measure``: ``jaccard``, ``edit`` or ``estimated``, ``kept`` and ``new``
        (bool), and last, beyond the CSV, ``row`` (nullable int64): the place of the document in the
        order of reading, from 0, references first and what was skipped included; missing for
        documents of an index.

        Parameters
        ----------
        library : str, optional
            ``pandas`` or ``polars``; by default pandas, or Polars where pandas is missing.

        Raises
        ------
        SimdupError
            If the library is not installed.
        """
        return to_frame(table_columns(self.clusters), library)

    def to_arrow(self) -> pa.Table:
        """Return the table of `to_frame` as a ``pyarrow.Table``.

        Other libraries take it without a copy, through its ``__arrow_c_stream__``.

        Raises
        ------
        SimdupError
            If pyarrow is not installed.
        """
        return to_arrow(table_columns(self.clusters))

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return _notebook_table(self)


def _notebook_table(result: Findings) -> str:
    """Return a result as HTML without a script: a caption and the first clusters."""
    summary = result.summary
    caption = (
        f"{summary.redundant:,} of {counted(summary.documents, 'document')} redundant "
        f"({counted(summary.clusters, 'cluster')}, {counted(summary.pairs, 'pair')})"
    )
    rows = "".join(map(_cluster_row, result.clusters[:_CLUSTERS]))
    rest = len(result.clusters) - _CLUSTERS
    more = f'<tr><td colspan="4">and {rest:,} more</td></tr>' if rest > 0 else ""
    head = "<tr><th>cluster</th><th>documents</th><th>weakest</th><th>names</th></tr>"
    return f"<div><p>{caption}</p><table>{head}{rows}{more}</table></div>"


def _cluster_row(cluster: Cluster) -> str:
    names = [escape(shown(str(member.name))) for member in cluster.members[:_DOCUMENTS]]
    names += ["…"] if len(cluster.members) > _DOCUMENTS else []
    cells = [str(cluster.number), str(len(cluster.members)), digits(cluster.weakest)]
    cells.append("<br>".join(f"<bdi>{name}</bdi>" for name in names))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
