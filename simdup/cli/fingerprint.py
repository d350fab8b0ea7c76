"""`simdup fingerprint`."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli import options
from simdup.cli.messages import say, say_skipped
from simdup.cli.progress import progress


@click.command(
    "fingerprint",
    cls=options.Command,
    examples="""
    simdup fingerprint ./corpus | simdup cluster
    simdup fingerprint --idf model.idf old/ new/ > prints.txt
    simdup fingerprint --idf builtin --input-format jsonl - < feed.jsonl
    """,
)
@options.sources
@click.option("-o", "--output", metavar="FILE", help="Write to FILE.")
@options.reading
@options.effort
@options.quiet
@options.debug
@options.recipe
def command(**given: Any) -> int:
    """Print a fingerprint line for each document.

    A line is the fingerprint in hex, two spaces and the name, as md5sum prints; a header names the
    recipe. With --idf builtin or a model, lines come as documents are read; with the corpus's own
    frequencies they come at the end.
    """
    named = options.make_sources(given)
    recipe = options.make_recipe(given)
    reading = options.make_reading(given)

    from simdup.corpus.fingerprint_lines import format_header, format_lines
    from simdup.operations.cluster import fingerprint_sources
    from simdup.output.streams import open_output
    from simdup.output.text import skipped_words

    with (
        open_output(given["output"]) as stream,
        progress(given["progress"], given["quiet"]) as show,
    ):
        effort = options.make_effort(given, show)
        run = fingerprint_sources(named, recipe, reading, effort)
        stream.write(format_header(run.recipe["digest"], recipe.bits))
        for names, hexes in run.blocks:
            stream.write(format_lines(hexes, names))
            stream.flush()
    say_skipped(run.skipped, run.notes, given["quiet"])
    if run.skipped and not given["quiet"]:
        say(skipped_words(run.skipped))
    return 2 if any(skipped.error for skipped in run.skipped) else 0
