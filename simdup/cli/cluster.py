"""`simdup cluster`."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli import options
from simdup.cli.messages import say, say_skipped
from simdup.cli.results import FORMATS, write_result


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
@options.distance
@options.linkage
@click.option("--verify-from", multiple=True, metavar="SOURCE", help="Read the documents there.")
@options.resemblance
@options.contents
@click.option("--fold/--no-fold", default=True, help="Fold texts as their recipe does [on].")
@options.output(*FORMATS)
@options.quiet
@options.color
@options.jobs
@options.debug
@options.search
def command(**given: Any) -> int:
    """Group fingerprint lines into clusters.

    Reads what `simdup fingerprint` prints, from FILEs or standard input. All lines must come from
    one recipe. Without the texts nothing is verified: distance alone decides. With --verify-from
    the documents that the lines name are read again, and pairs checked on their texts.

    Status: 0 done, 2 an error, or a document was not found or could not be read.
    """
    form = options.make_format(given, FORMATS)
    again = given["verify_from"]
    criteria = options.make_criteria(given | {"verify": bool(again)})
    reading = options.make_reading(given)

    from simdup.corpus.fingerprint_lines import read_lines
    from simdup.operations.cluster import cluster_lines, verify_lines
    from simdup.output.streams import open_output
    from simdup.output.text import report

    lines = read_lines(given["files"] or ["-"])
    effort = options.make_effort(given)
    if again:
        result = verify_lines(lines, again, given["fold"], criteria, reading, effort)
        say_skipped(result.skipped, result.notes, given["quiet"])
    else:
        result = cluster_lines(lines, criteria, effort)
    with open_output(given["output"]) as stream:
        write_result(stream, result, form, given["color"])
    if not given["quiet"]:
        say(report(result, criteria))
    return 2 if any(skipped.error for skipped in result.skipped) else 0
