"""`simdup fit`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status


@declare("fit", "SOURCE...")
def command(call: Call) -> Status:
    """Learn an IDF model from a corpus.

    The model records how many documents contain each term. Fingerprints made with the same model
    stay comparable between corpora and over time.

    Examples:
      simdup fit ./corpus -o model.idf
      simdup fingerprint --recipe default,idf=model.idf new/ | simdup cluster
    """
    from simdup.operations.fit import fit

    with call.writing(*call.sources) as stream:
        with call.watch() as settings:
            fitted = fit(call.sources, settings.recipe, reading=settings.reading, run=settings.run)
        call.screen.skipped(fitted.skipped, fitted.notes)
        stream.write(fitted.content)
    words = call.screen.words
    documents = words("documents", n=fitted.model.documents)
    terms = words("terms", n=len(fitted.model.ids))
    return call.finish(fitted.skipped, words("fitted", documents=documents, terms=terms))
