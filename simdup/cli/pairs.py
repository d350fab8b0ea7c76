"""`simdup pairs`."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli import options

FORMATS = ("text", "csv", "jsonl")


@click.command(
    "pairs",
    cls=options.Command,
    examples="""
    simdup fingerprint ./corpus | simdup pairs
    simdup pairs -d 5 prints.txt | sort -n | head
    """,
)
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path())
@options.distance
@options.output(*FORMATS)
@options.jobs
@options.debug
@options.search
def command(**given: Any) -> int:
    """List the pairs of fingerprint lines within a distance.

    Prints distance and both names, with tabs between, in the order of the input. Equal
    fingerprints pair with the first of them only.
    """
    form = options.make_format(given, FORMATS)
    criteria = options.make_criteria(given)

    from simdup.corpus.fingerprint_lines import read_lines
    from simdup.model.clusters import Pair
    from simdup.operations.cluster import pair_lines as pairs_of
    from simdup.output.records import pair_csv, pair_jsonl, pair_lines
    from simdup.output.streams import open_output

    lines = read_lines(given["files"] or ["-"])
    names = lines.names
    pairs = pairs_of(lines, criteria.distance, options.make_effort(given))
    found = (Pair(names[a], names[b], d, None) for a, b, d in pairs)
    write = {"csv": pair_csv, "jsonl": pair_jsonl, "text": pair_lines}[form]
    with open_output(given["output"]) as stream:
        stream.writelines(write(found))
    return 0
