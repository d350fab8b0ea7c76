"""`simdup query`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from simdup.base.errors import SimdupError
from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status, say_error, typed
from simdup.cli.options import PAGE

if TYPE_CHECKING:
    from simdup.index.match import QueryResult, QueryResults


# Options that are named like keywords of `Index.query`.
_ASKED = ("method", "limit", "exclude_self", "add", "compress", "fingerprints", "timeout")


@declare("query", "INDEX", "SOURCE...")
def command(call: Call) -> Status:
    """Find the near-duplicates of each document in an index.

    Candidates are found as the method of the index says: by fingerprint, by shared text, or by both
    (see simdup index build). Matches are shown
    with distance and similarity, best first. The index stores sketches of the texts, so the
    similarity is an estimate; its standard error is 0.035 at similarity 0.8, and less above.
    Documents given or stored as fingerprint lines have no similarity, and are found by fingerprint
    alone.

    A changed document does not match its own earlier version, the stored document of the same name.
    An unchanged one matches itself, unless --exclude-self is set.

    The index determines the recipe, with the IDF model learned when it was built. JSONL on standard
    input is answered line by line. With --add, each batch is searched and added to the index before
    its results are printed; of several similar documents, only the first is new. A changed document
    that is new replaces its earlier version.

    Status: 0 done; 1 with --check if any document has a match; 2 if something could not be read or
    a SOURCE gave no document.

    Examples:
      simdup query seen.index ./delivery
      simdup query seen.index ./delivery -o report.html
      simdup query seen.index ./delivery --check -q
      simdup query seen.index ./delivery --new -0 | xargs -0 -r cp -t fresh/
      crawl | simdup query seen.index --add --input-format jsonl --id-field url -
      simdup query seen.index --fingerprints prints.txt
    """
    started = time.monotonic()
    from simdup.corpus.files import holds_index
    from simdup.index.index import Index
    from simdup.show.lines import query_summary
    from simdup.show.summary import query_words

    path, sources, criteria, out = call["index"], call.sources, call.settings.criteria, call.out
    asked = {name: call[name] for name in _ASKED}
    if call["new"]:  # one match is enough if only new names are printed
        asked["limit"] = 1
    counts = Counter(documents=0, matched=0, new=0, added=0)
    if not holds_index(path) and any(map(holds_index, sources)):  # many type them the other way
        hint = "the index comes first: simdup query INDEX SOURCE..."
        raise SimdupError(path, "is not a simdup index", hint)
    with Index.open(path) as index, call.writing(path, *sources) as stream:
        index.require_recipe(*call.asked_recipe)
        stored = len(index)
        with call.watch() as watched:
            results = index.query(
                sources,
                criteria.distance,
                criteria.similarity,
                verify=criteria.verify,
                reading=watched.reading,
                run=watched.run,
                waiting=partial(say_error, path),
                **asked,
            )
            answers = _counted(results, counts, stream, call["new"])
            if out.format == PAGE:
                from simdup.show.report.pairs_page import query_page

                about = path, stored, criteria, index.recipe
                page = query_page(answers, typed(results), *about, call.page)
            else:
                stream.writelines(_lines(answers, call, stream))
        seconds = time.monotonic() - started
        if out.format == "jsonl":
            skipped = typed(results).skipped
            stream.writelines(query_summary(skipped, counts, seconds, index.recipe))
        elif out.format == PAGE:
            stream.writelines(page)
    call.screen.skipped(results.skipped, results.notes)
    text = query_words(counts, seconds, results.skipped, call["add"], call.screen.words)
    no = call["check"] and counts["matched"] > 0
    return call.finish(results.skipped, text, index.recipe, no=no)


def _counted(
    results: QueryResults, counts: Counter[str], stream: BinaryIO, only_new: bool
) -> Iterator[QueryResult]:
    """Yield results as they arrive, and count them; what was written of some is shown at once."""
    for chunk in results.chunks:
        new = [one for one in chunk if one.new]
        counts.update(documents=len(chunk), matched=len(chunk) - len(new), new=len(new))
        counts.update(added=sum(one.added for one in new))
        yield from new if only_new else chunk
        stream.flush()


def _lines(answers: Iterator[QueryResult], call: Call, stream: BinaryIO) -> Iterable[bytes]:
    """Return the answers in the format of the output."""
    from simdup.show.lines import name_lines, query_csv, query_jsonl
    from simdup.show.text import query_text

    if call.out.format == "jsonl":
        return query_jsonl(answers)
    if call.out.format == "csv":
        return query_csv(answers, call.out.bom)
    if call["new"]:
        return name_lines(stream, (one.document for one in answers), call["null"])
    return query_text(answers, call.out.painter(stream, call.screen.words))
