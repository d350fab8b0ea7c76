"""`simdup pairs`."""

from __future__ import annotations

import click

from simdup.cli import options
from simdup.cli.outcome import Status
from simdup.model.criteria import Criteria
from simdup.model.settings import RunOptions

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
@options.criteria("distance")
@options.output(*FORMATS, colors=False)
@options.search_only
@options.debug
def command(
    *, files: tuple[str, ...], criteria: Criteria, run: RunOptions, out: options.Output
) -> Status:
    """List the pairs of fingerprint lines within a distance.

    Prints the distance and both names, separated by tabs, in the order of the input. Equal
    fingerprints pair with the first of them only.
    """
    from simdup.corpus.fingerprint_lines import read_lines
    from simdup.operations.pairs import pairs
    from simdup.output.records import pair_csv, pair_jsonl, pair_lines

    found = pairs(read_lines(files or ["-"]), criteria.distance, run)
    write = {"csv": pair_csv, "jsonl": pair_jsonl, "text": pair_lines}[out.format]
    with out.open() as stream:
        stream.writelines(write(found))
    return Status.DONE
