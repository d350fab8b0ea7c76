"""`simdup fit`."""

from __future__ import annotations

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, Settings


@click.command(
    "fit",
    cls=options.Command,
    examples="""
    simdup fit ./corpus -o model.idf
    simdup fingerprint --idf model.idf new/ | simdup cluster
    """,
)
@options.sources
@options.reading
@options.option(
    "-o",
    "--output",
    "model",
    panel="Output",
    common=True,
    metavar="MODEL",
    required=True,
    help="Write the model to MODEL.",
)
@options.screen
@options.run
@options.recipe
@options.debug
def command(
    *,
    sources: list[str],
    recipe: Recipe,
    reading: Reading,
    run: RunOptions,
    model: str,
    screen: options.Screen,
) -> Status:
    """Learn an IDF model from a corpus.

    The model holds in how many documents each term occurs. Fingerprints made with one model stay
    comparable between corpora and over time.
    """
    from simdup.operations.fit import fit

    with options.Output(model).open() as stream:
        with screen.watch(run) as watched:
            settings = Settings(recipe=recipe, reading=reading, run=watched)
            content, learned, skipped = fit(sources, settings)
        screen.skipped(skipped)
        stream.write(content)
    screen.report(f"{learned.documents:,} documents, {len(learned.ids):,} terms")
    return status(skipped)
