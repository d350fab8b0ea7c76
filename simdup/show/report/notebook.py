"""A result in a notebook: figures, a small histogram and the first clusters, without a script."""

from __future__ import annotations

from html import escape

from simdup.model.clusters import Cluster
from simdup.show.csv_jsonl import digits
from simdup.show.escaping import shown
from simdup.show.result import Result

# Clusters that are listed, and documents of each.
CLUSTERS, DOCUMENTS = 10, 4

# Bars of the histogram, from similarity 0.5 to 1.
_BARS = 20


def inline(result: Result) -> str:
    """Return a result as HTML: a caption, a histogram of similarities, a table."""
    summary = result.summary
    caption = (
        f"{summary.redundant:,} of {summary.documents:,} documents are near-duplicates "
        f"({summary.clusters:,} clusters, {summary.pairs:,} pairs)"
    )
    rows = "".join(map(_row, result.clusters[:CLUSTERS]))
    rest = len(result.clusters) - CLUSTERS
    more = f'<tr><td colspan="4">and {rest:,} more</td></tr>' if rest > 0 else ""
    head = "<tr><th>cluster</th><th>documents</th><th>weakest</th><th>names</th></tr>"
    return f"<div><p>{caption} {_sparkline(result)}</p><table>{head}{rows}{more}</table></div>"


def _row(cluster: Cluster) -> str:
    names = [escape(shown(str(member.name))) for member in cluster.members[:DOCUMENTS]]
    names += ["…"] if len(cluster.members) > DOCUMENTS else []
    cells = [str(cluster.number), str(len(cluster.members)), digits(cluster.weakest)]
    cells.append("<br>".join(f"<bdi>{name}</bdi>" for name in names))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _sparkline(result: Result) -> str:
    """Return the similarities of the pairs as a histogram of text height."""
    bars = [0] * _BARS
    for pair in result.pairs:
        if pair.similarity is not None:
            bars[min(max(int((pair.similarity - 0.5) * 2 * _BARS), 0), _BARS - 1)] += 1
    if not any(bars):
        return ""
    heights = [14 * bar / max(bars) for bar in bars]
    shapes = "".join(
        f'<rect x="{4 * i}" y="{15 - height:.1f}" width="3" height="{height:.1f}"/>'
        for i, height in enumerate(heights)
        if height
    )
    label = "similarity of the pairs, 0.5 to 1"
    return (
        f'<svg width="{4 * _BARS}" height="16" fill="#4a78a9" role="img" aria-label="{label}">'
        f"{shapes}</svg>"
    )
