"""`simdup tune`."""

from __future__ import annotations

from dataclasses import replace

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status, typed
from simdup.model.criteria import CriteriaFields
from simdup.model.settings import Settings


@click.command("tune", cls=options.Command)
@options.sources
@options.option(
    "--sample N",
    "Number of documents to sample.",
    click.IntRange(2),
    panel="Matching",
    common=True,
    default=2000,
)
@options.settings(
    options.reading,
    options.criteria("similarity", "shingle", similarity={"shown": "recommended from the sample"}),
    options.run,
    options.recipe,
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

    Finds the pairs of the corpus, short ones by edits and others by shingles as a scan does. For
    each setting, prints the share of these pairs that it finds and, on a sample, the cost. The
    settings are the default, simhash at some distances, the other methods, and shorter
    shingles where texts are short or heavily edited. Then prints a histogram of similarities. All
    of that comes after the advice: a command to paste, and the reason for it. Without --similarity
    and --shingle, it recommends them; where it cannot know better than the default, it advises the
    default and says why. Identical texts count once.

    Examples:
      simdup tune ./corpus
      simdup tune -s 0.9 --sample 5000 ./corpus
      simdup tune -f jsonl ./corpus | jq -r 'select(.type == "advice").options'
    """
    from simdup.operations.tune import tune
    from simdup.output.tuning import tuning_jsonl, tuning_text

    fields: CriteriaFields = {}
    if _is_set(context, "similarity"):
        fields["similarity"] = settings.criteria.similarity
    if _is_set(context, "shingle"):
        fields["shingle"] = settings.criteria.shingle
    with out.open(sources, settings.reading) as stream:
        with screen.watch(settings) as watched:
            found = tune(
                sources, watched.recipe, watched.criteria,
                sample=sample, reading=watched.reading, run=watched.run, **fields,
            )  # fmt: skip
        found = replace(found, skipped=typed(found.skipped))
        screen.skipped(found.skipped, found.notes)
        if out.format == "text":
            rest = options.typed_again(context)
            stream.writelines(
                tuning_text(found, rest, out.painter(stream, screen.words), screen.verbose)
            )
        else:
            stream.writelines(tuning_jsonl(found))
    screen.wrote(out.path)
    return status(found.skipped)


def _is_set(context: click.Context, name: str) -> bool:
    """Return whether an option was typed or configured."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
