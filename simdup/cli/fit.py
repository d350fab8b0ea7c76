"""`simdup fit`."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli import options
from simdup.cli.messages import say, say_skipped
from simdup.cli.progress import progress


@click.command(
    "fit",
    cls=options.Command,
    examples="""
    simdup fit ./corpus -o model.idf
    simdup fingerprint --idf model.idf new/ | simdup cluster
    """,
)
@options.sources
@click.option("-o", "--output", metavar="MODEL", required=True, help="Write the model to MODEL.")
@options.reading
@options.effort
@options.quiet
@options.debug
@options.recipe
def command(**given: Any) -> int:
    """Learn an IDF model from a corpus.

    The model says in how many documents each term occurs. Fingerprints made with one model stay
    comparable between corpora and over time.
    """
    named = options.make_sources(given)
    recipe = options.make_recipe(given)
    reading = options.make_reading(given)

    from simdup.operations.fit import fit
    from simdup.output.streams import open_output

    with open_output(given["output"]) as stream:
        with progress(given["progress"], given["quiet"]) as show:
            effort = options.make_effort(given, show)
            content, model, skipped = fit(named, recipe, reading, effort)
        say_skipped(skipped, [], given["quiet"])
        stream.write(content)
    if not given["quiet"]:
        say(f"{model.documents:,} documents, {len(model.ids):,} terms")
    return 2 if any(one.error for one in skipped) else 0
