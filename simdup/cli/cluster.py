"""`simdup cluster`."""

from __future__ import annotations

from dataclasses import replace

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status
from simdup.cli.results import FORMATS, write_result
from simdup.model.criteria import Criteria
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, Settings


@click.command(
    "cluster",
    cls=options.Command,
    examples="""
    simdup fingerprint ./corpus | simdup cluster
    simdup cluster --verify-from ./corpus prints.txt
    cat monday.txt tuesday.txt | simdup cluster -d 5 -f csv
    """,
)
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path())
@options.option(
    "--verify-from",
    panel="Input",
    common=True,
    multiple=True,
    metavar="SOURCE",
    help="Read the documents again there, and check pairs on their texts.",
)
@options.reading
@options.criteria("distance", "similarity", "shingle", "linkage")
@options.option(
    "--fold/--no-fold", panel="Matching", default=True, help="Fold texts as their recipe does."
)
@options.output(*FORMATS)
@options.screen_without_progress
@options.search_only
@options.debug
def command(
    *,
    files: tuple[str, ...],
    verify_from: tuple[str, ...],
    criteria: Criteria,
    fold: bool,
    reading: Reading,
    run: RunOptions,
    out: options.Output,
    screen: options.Screen,
) -> Status:
    """Group fingerprint lines into clusters.

    Reads what `simdup fingerprint` prints, from FILEs or standard input. All lines must have the
    same recipe. Without the texts nothing is verified: distance alone decides. With --verify-from
    the documents that the lines name are read again, and pairs are checked on their texts.

    Status: 0 done, 2 if a document was not found or could not be read.
    """
    criteria = replace(criteria, verify=bool(verify_from))

    from simdup.corpus.fingerprint_lines import read_lines
    from simdup.operations.cluster import cluster
    from simdup.output.text import report

    lines = read_lines(files or ["-"])
    result = cluster(lines, Settings(Recipe(fold=fold), criteria, reading, run), verify_from)
    screen.skipped(result.skipped, result.notes)
    with out.open() as stream:
        write_result(stream, result, out)
    screen.report(report(result, criteria))
    return status(result.skipped)
