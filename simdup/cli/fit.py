"""`simdup fit`."""

from __future__ import annotations

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status
from simdup.model.settings import Settings


@click.command("fit", cls=options.Command)
@options.sources
@options.settings(options.reading, options.run, options.recipe_of_terms)
@options.option(
    "-o, --output MODEL",
    "Write the model to MODEL.",
    name="model",
    panel="Output",
    common=True,
    required=True,
)
@options.screen_with("quiet", "progress")
def command(
    *, sources: list[str], settings: Settings, model: str, screen: options.Screen
) -> Status:
    """Learn an IDF model from a corpus.

    The model records how many documents contain each term. Fingerprints made with the same model
    stay comparable between corpora and over time.

    Examples:
      simdup fit ./corpus -o model.idf
      simdup fingerprint --idf model.idf new/ | simdup cluster
    """
    from simdup.operations.fit import fit

    with options.Output(model).open(sources, settings.reading) as stream:
        with screen.watch(settings) as watched:
            fitted = fit(sources, watched.recipe, reading=watched.reading, run=watched.run)
        screen.skipped(fitted.skipped, fitted.notes)
        stream.write(fitted.content)
    words = screen.words
    documents = words("documents", n=fitted.model.documents)
    terms = words("terms", n=len(fitted.model.ids))
    screen.report(words("fitted", documents=documents, terms=terms))
    screen.wrote(model)
    return status(fitted.skipped)
