"""How a result is written in each of its formats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import BinaryIO

from simdup.model.clusters import Result

FORMATS = ("text", "csv", "jsonl")


def write_names(stream: BinaryIO, names: Iterable[str], null: bool) -> None:
    """Write names as they are, each with a newline or NUL at its end."""
    from simdup.corpus.names import to_bytes

    end = b"\0" if null else b"\n"
    stream.writelines(to_bytes(name) + end for name in names)


def write_result(
    stream: BinaryIO, result: Result, form: str, color: str, extras: Sequence[str] = ()
) -> None:
    """Write the clusters of a result in one of `FORMATS`, with columns for extra measures."""
    if form == "csv":
        from simdup.output.records import cluster_csv

        stream.writelines(cluster_csv(result.clusters, extras))
    elif form == "jsonl":
        from simdup.output.records import cluster_jsonl

        stream.writelines(cluster_jsonl(result))
    else:
        from simdup.output.text import Painter, cluster_text

        stream.writelines(cluster_text(result.clusters, Painter(stream, color), extras))
