"""`simdup fit`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.outcome import Status, status


@declare("fit", "SOURCE...")
def command(call: Call) -> Status:
    """Learn an IDF model from a corpus.

    The model records how many documents contain each term. Fingerprints made with the same model
    stay comparable between corpora and over time.

    Examples:
      simdup fit ./corpus -o model.idf
      simdup fingerprint --idf model.idf new/ | simdup cluster
    """
    from simdup.operations.fit import fit

    sources, settings, out, screen = call.sources, call.settings, call.out, call.screen
    with out.open(sources, settings.reading) as stream:
        with screen.watch(settings) as watched:
            fitted = fit(sources, watched.recipe, reading=watched.reading, run=watched.run)
        screen.skipped(fitted.skipped, fitted.notes)
        stream.write(fitted.content)
    words = screen.words
    documents = words("documents", n=fitted.model.documents)
    terms = words("terms", n=len(fitted.model.ids))
    screen.report(words("fitted", documents=documents, terms=terms))
    screen.wrote(out.path)
    return status(fitted.skipped)
