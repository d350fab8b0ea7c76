"""`simdup fingerprint`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status


@declare("fingerprint", "SOURCE...")
def command(call: Call) -> Status:
    """Print a fingerprint line for each document.

    A line is the fingerprint in hex, two spaces and the name, like the output of md5sum; a header
    names the recipe. With idf=builtin or a model, each line is printed as soon as its document is
    read. With the IDF of the corpus itself, all lines are printed at the end.

    Examples:
      simdup fingerprint ./corpus | simdup cluster
      simdup fingerprint --recipe default,idf=model.idf old/ new/ > prints.txt
      crawl | simdup fingerprint --recipe default,idf=builtin --input-format jsonl -
    """
    from simdup.corpus.fingerprint_lines import format_header, format_lines
    from simdup.operations.fingerprint import fingerprint_sources
    from simdup.show.summary import skipped_words

    with call.writing(*call.sources) as stream, call.watch() as settings:
        run = fingerprint_sources(call.sources, settings)
        stream.write(format_header(run.recipe["digest"], settings.recipe.bits))
        for names, hexes in run.chunks:
            stream.write(format_lines(hexes, names))
            stream.flush()
    skipped = run.report.skipped
    call.screen.skipped(skipped, run.report.notes)
    return call.finish(skipped, skipped_words(skipped, call.screen.words), run.recipe)
