"""`simdup tune`."""

from __future__ import annotations

from dataclasses import replace

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status, typed
from simdup.model.criteria import Criteria
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, Settings


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
@options.reading
@options.option(
    "--sample",
    panel="Matching",
    common=True,
    type=click.IntRange(2),
    default=2000,
    metavar="N",
    help="How many documents to look at.",
)
@options.criteria("similarity", "shingle")
@options.output("text", "jsonl")
@options.screen
@options.run
@options.recipe
@options.debug
@click.pass_context
def command(
    context: click.Context,
    *,
    sources: list[str],
    recipe: Recipe,
    criteria: Criteria,
    reading: Reading,
    run: RunOptions,
    out: options.Output,
    screen: options.Screen,
    sample: int,
) -> Status:
    """Find out which settings suit a corpus.

    Takes a sample, finds its true pairs exactly, and prints for each distance, and for the other
    methods, how many pairs it proposes, how many of them are true, what share of the true pairs
    that is, and what it costs; then a histogram of similarities, and advice to paste. Without
    --similarity the least similarity of a true pair is advised too.
    """
    from simdup.operations.tune import tune
    from simdup.output.tuning import tuning_jsonl, tuning_text

    source = context.get_parameter_source("similarity")
    fixed = source is not None and source.name != "DEFAULT"
    with out.open() as stream:
        with screen.watch(run) as watched:
            settings = Settings(recipe, criteria, reading, watched)
            found = tune(sources, settings, sample, fixed)
        found = replace(found, skipped=typed(found.skipped))
        screen.skipped(found.skipped)
        if out.format == "jsonl":
            stream.writelines(tuning_jsonl(found))
        else:
            stream.writelines(tuning_text(found, out.painter(stream)))
    return status(found.skipped)
