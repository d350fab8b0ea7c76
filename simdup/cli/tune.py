"""`simdup tune`."""

from __future__ import annotations

from dataclasses import replace

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status, typed
from simdup.model.settings import Settings


@click.command("tune", cls=options.Command)
@options.sources
@options.option(
    "--sample N",
    "How many documents to look at.",
    click.IntRange(2),
    panel="Matching",
    common=True,
    default=2000,
)
@options.settings(
    options.reading, options.criteria("similarity", "shingle"), options.run, options.recipe
)
@options.output("text", "jsonl")
@options.screen
@click.pass_context
def command(
    context: click.Context,
    *,
    sources: list[str],
    settings: Settings,
    out: options.Output,
    screen: options.Screen,
    sample: int,
) -> Status:
    """Find out which settings suit a corpus.

    Takes a sample, finds its true pairs exactly, and prints for the default, for simhash at each
    distance, and for the other methods, how many pairs each proposes, how many of them are true,
    what share of the true pairs that is, and what it costs; then a histogram of similarities, and
    advice to paste. Without --similarity the least similarity of a true pair is advised, too.

    Examples:
      simdup tune ./corpus
      simdup tune -s 0.9 --sample 5000 ./corpus
      simdup tune -f jsonl ./corpus | jq -r 'select(.type == "advice").options'
    """
    from simdup.operations.tune import tune
    from simdup.output.tuning import tuning_jsonl, tuning_text

    source = context.get_parameter_source("similarity")
    fixed = source is not None and source.name != "DEFAULT"
    with out.open(sources, settings.reading) as stream:
        with screen.watch(settings) as watched:
            found = tune(sources, watched, sample, fixed)
        found = replace(found, skipped=typed(found.skipped))
        screen.skipped(found.skipped, found.notes)
        if out.format == "text":
            stream.writelines(tuning_text(found, out.painter(stream), screen.verbose))
        else:
            stream.writelines(tuning_jsonl(found))
    return status(found.skipped)
