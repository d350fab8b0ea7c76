"""Write a result in each of its formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from simdup.cli.options import Output

if TYPE_CHECKING:
    from simdup.model.clusters import Result

FORMATS = ("text", "csv", "jsonl")


def name_lines(stream: BinaryIO, names: Iterable[str], null: bool) -> Iterator[bytes]:
    """Yield names, each followed by a newline or NUL; on a terminal they are escaped."""
    from simdup.corpus.names import list_entry
    from simdup.output.escaping import shown

    end = b"\0" if null else b"\n"
    spell = shown if stream.isatty() else str
    return (list_entry(spell(name)) + end for name in names)


def write_result(stream: BinaryIO, result: Result, out: Output, extras: Sequence[str] = ()) -> None:
    """Write the clusters of a result in one of `FORMATS`, with columns for extra measures."""
    if out.format == "csv":
        from simdup.output.records import cluster_csv

        marked = result.summary.indexed is not None
        stream.writelines(cluster_csv(result.clusters, extras, out.bom, marked=marked))
    elif out.format == "jsonl":
        from simdup.output.records import cluster_jsonl

        stream.writelines(cluster_jsonl(result))
    else:
        from simdup.output.text import cluster_text

        stream.writelines(cluster_text(result.clusters, out.painter(stream), extras))
