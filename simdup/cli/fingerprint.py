"""`simdup fingerprint`."""

from __future__ import annotations

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status
from simdup.model.settings import Settings


@click.command("fingerprint", cls=options.Command)
@options.sources
@options.settings(options.reading, options.run, options.recipe)
@options.output_lines
@options.screen
def command(
    *,
    sources: list[str],
    settings: Settings,
    out: options.Output,
    screen: options.Screen,
) -> Status:
    """Print a fingerprint line for each document.

    A line is the fingerprint in hex, two spaces and the name, like the output of md5sum; a header
    names the recipe. With --idf builtin or a model, each line is printed as soon as its document is
    read. With the IDF of the corpus itself, all lines are printed at the end.

    Examples:
      simdup fingerprint ./corpus | simdup cluster
      simdup fingerprint --idf model.idf old/ new/ > prints.txt
      simdup fingerprint --idf builtin --input-format jsonl - < feed.jsonl
    """
    from simdup.corpus.fingerprint_lines import format_header, format_lines
    from simdup.operations.fingerprint import fingerprint_sources
    from simdup.output.summary import skipped_words

    with out.open(sources, settings.reading) as stream, screen.watch(settings) as watched:
        found = fingerprint_sources(sources, watched)
        stream.write(format_header(found.recipe["digest"], settings.recipe.bits))
        for names, hexes in found.chunks:
            stream.write(format_lines(hexes, names))
            stream.flush()
    screen.skipped(found.skipped, found.notes)
    screen.report(skipped_words(found.skipped, screen.words), found.recipe)
    screen.wrote(out.path)
    return status(found.skipped)
