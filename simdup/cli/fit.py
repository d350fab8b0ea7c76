"""`simdup fit`."""

from __future__ import annotations

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status
from simdup.model.settings import Settings


@click.command("fit", cls=options.Command)
@options.sources
@options.settings(options.reading, options.run, options.recipe)
@options.option(
    "-o, --output MODEL",
    "Write the model to MODEL.",
    name="model",
    panel="Output",
    common=True,
    required=True,
)
@options.screen
def command(
    *, sources: list[str], settings: Settings, model: str, screen: options.Screen
) -> Status:
    """Learn an IDF model from a corpus.

    The model holds in how many documents each term occurs. Fingerprints made with one model stay
    comparable between corpora and over time.

    Examples:
      simdup fit ./corpus -o model.idf
      simdup fingerprint --idf model.idf new/ | simdup cluster
    """
    from simdup.operations.fit import fit

    with options.Output(model).open(sources, settings.reading) as stream:
        with screen.watch(settings) as watched:
            content, learned, skipped = fit(sources, watched)
        screen.skipped(skipped)
        stream.write(content)
    screen.report(f"{learned.documents:,} documents, {len(learned.ids):,} terms")
    return status(skipped)
