"""`simdup tune`."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli import options
from simdup.cli.messages import say_skipped
from simdup.cli.progress import progress

FORMATS = ("text", "jsonl")


@click.command(
    "tune",
    cls=options.Command,
    examples="""
    simdup tune ./corpus
    simdup tune -s 0.9 --sample 5000 ./corpus
    simdup tune -f jsonl ./corpus | jq -r 'select(.type == "advice").options'
    """,
)
@options.sources
@click.option(
    "--sample",
    type=click.IntRange(2),
    default=2000,
    metavar="N",
    show_default=True,
    help="How many documents to look at.",
)
@click.option(
    "-s",
    "--similarity",
    type=click.FloatRange(0.3, 1),
    metavar="S",
    help="From where on a pair is true [advised by the sample].",
)
@options.shingle
@options.output(*FORMATS)
@options.reading
@options.effort
@options.quiet
@options.color
@options.debug
@options.recipe
def command(**given: Any) -> int:
    """Find out which settings suit a corpus.

    Takes a sample, finds its true pairs exactly, and prints for each distance, and for the other
    methods, how many pairs it proposes, how many of them hold up, what share of the true pairs
    that is, and what it costs; then a histogram of similarities, and an advice to paste.
    """
    named = options.make_sources(given)
    recipe = options.make_recipe(given)
    reading = options.make_reading(given)
    fixed = given["similarity"] is not None
    criteria = options.make_criteria(given if fixed else given | {"similarity": 0.8})
    form = options.make_format(given, FORMATS)

    from simdup.operations.tune import tune
    from simdup.output.streams import open_output
    from simdup.output.text import Painter
    from simdup.output.tuning import tuning_jsonl, tuning_text

    with open_output(given["output"]) as stream:
        with progress(given["progress"], given["quiet"]) as show:
            effort = options.make_effort(given, show)
            found = tune(named, recipe, criteria, reading, effort, given["sample"], fixed)
        say_skipped(found.skipped, [], given["quiet"])
        if form == "jsonl":
            stream.writelines(tuning_jsonl(found))
        else:
            stream.writelines(tuning_text(found, Painter(stream, given["color"])))
    return 2 if any(one.error for one in found.skipped) else 0
