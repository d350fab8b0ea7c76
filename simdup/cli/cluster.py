"""`simdup cluster`."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli import options
from simdup.cli.messages import say
from simdup.cli.results import FORMATS, write_result


@click.command(
    "cluster",
    cls=options.Command,
    examples="""
    simdup fingerprint ./corpus | simdup cluster
    cat monday.txt tuesday.txt | simdup cluster -d 5 -f csv
    """,
)
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path())
@options.distance
@options.linkage
@options.output(*FORMATS)
@options.quiet
@options.color
@options.jobs
@options.debug
@options.search
def command(**given: Any) -> int:
    """Group fingerprint lines into clusters.

    Reads what `simdup fingerprint` prints, from FILEs or standard input. All lines must come from
    one recipe. Without the texts nothing is verified: distance alone decides.
    """
    form = options.make_format(given, FORMATS)
    criteria = options.make_criteria(given | {"verify": False})

    from simdup.corpus.lines import read_lines
    from simdup.output.files import open_output
    from simdup.output.text import report
    from simdup.pipeline.lines import cluster_lines

    result = cluster_lines(
        read_lines(given["files"] or ["-"]), criteria, options.make_effort(given)
    )
    with open_output(given["output"]) as stream:
        write_result(stream, result, form, given["color"])
    if not given["quiet"]:
        say(report(result, criteria))
    return 0
