"""`simdup scan`."""

from __future__ import annotations

import sys
from typing import Any

import click

from simdup.cli import options
from simdup.cli.messages import say, say_skipped
from simdup.cli.progress import progress
from simdup.cli.results import FORMATS, write_names, write_result

LISTS = ("redundant", "kept", "unique")


@click.command(
    "scan",
    cls=options.Command,
    examples="""
    simdup scan ./corpus
    simdup scan news/ archive.jsonl -o duplicates.csv
    simdup scan -d 6 -s 0.9 --keep longest --glob '*.md' docs/
    simdup scan ./corpus --list redundant -0 | xargs -0 ls -l
    find . -name '*.txt' -print0 | simdup scan --files-from - -0
    """,
)
@options.sources
@options.method
@options.distance
@options.verification
@options.measures
@options.keep
@options.linkage
@click.option("--list", "listed", type=click.Choice(LISTS), help="Print such names, one a line.")
@click.option("--check", is_flag=True, help="Leave with status 1 if there are duplicates.")
@options.output(*FORMATS)
@options.reading
@options.effort
@options.quiet
@options.color
@options.debug
@options.search
@options.recipe
def command(**given: Any) -> int:
    """Find near-duplicate documents in files and folders.

    A SOURCE is a folder, a file, a file of records, or - for standard input. Pairs are
    found by their fingerprints and checked on their texts; what pairs connect is a cluster.

    Status: 0 done, 1 with --check where duplicates were found, 2 where something could not be
    read.
    """
    if given["listed"] and given["format_"]:
        raise click.UsageError("--list has a format of its own: without --format")
    named = options.make_sources(given)
    recipe = options.make_recipe(given)
    criteria = options.make_criteria(given)
    reading = options.make_reading(given)
    form = options.make_format(given, FORMATS)

    from simdup.operations.scan import scan
    from simdup.output.streams import open_output

    with open_output(given["output"]) as stream:
        with progress(given["progress"], given["quiet"]) as show:
            effort = options.make_effort(given, show)
            result = scan(named, recipe, criteria, reading, effort, given["references"])
        say_skipped(result.skipped, result.notes, given["quiet"])
        if given["listed"]:
            write_names(stream, result.names(given["listed"]), given["null"])
        else:
            write_result(stream, result, form, given["color"], criteria.extras)
    if not given["quiet"]:
        from simdup.output.text import report

        between = form == "text" and result.clusters and sys.stdout.isatty()
        say(("\n" if between else "") + report(result, criteria))
    if any(skipped.error for skipped in result.skipped):
        return 2
    return 1 if given["check"] and result.clusters else 0
