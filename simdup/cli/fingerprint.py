"""`simdup fingerprint`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.outcome import Status, status


@declare("fingerprint", "SOURCE...")
def command(call: Call) -> Status:
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

    sources, settings, out, screen = call.sources, call.settings, call.out, call.screen
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
