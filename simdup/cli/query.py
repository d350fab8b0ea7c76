"""`simdup query`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import say_error
from simdup.cli.options.output_rows import PAGE
from simdup.cli.outcome import Status, status, typed
from simdup.cli.results import name_lines
from simdup.errors import SimdupError
from simdup.model.formats import QUERY_COLUMNS
from simdup.model.page import PageOptions
from simdup.model.settings import Settings

if TYPE_CHECKING:
    from simdup.cli.outputs import Output
    from simdup.index.index import Index
    from simdup.model.documents import Skipped
    from simdup.model.matches import QueryResult, QueryResults
    from simdup.output.words import Words
    from simdup.report.query import Queried

Write = Callable[[Iterable["QueryResult"]], Iterable[bytes]]


@declare("query", "INDEX", "SOURCE...")
def command(call: Call) -> Status:
    """Find the near-duplicates of each document in an index.

    Candidates are found by fingerprint and by shared text, as scan finds them. Matches are shown
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
    from simdup.output.records import query_summary

    started = time.monotonic()
    index, sources, settings, new = call["index"], call.sources, call.settings, call["new"]
    out, screen = call.out, call.screen
    with _open(index, sources) as opened, out.open([index, *sources], settings.reading) as stream:
        opened.require_recipe(*call.asked_recipe)
        kept = _kept(opened, settings) if out.format == PAGE else None
        head, write = _writer(stream, out, new, call["null"], screen.words)
        if kept:
            head, write = b"", kept.take
        with screen.watch(settings) as watched:
            results = _query(opened, sources, watched, call)
            stream.write(head)
            counts = _write(results, write, stream, new)
        seconds = time.monotonic() - started
        if out.format == "jsonl":
            skipped = typed(results.skipped)
            stream.writelines(query_summary(skipped, counts, seconds, opened.recipe))
        elif kept:
            stream.writelines(_page(kept, results, call.page))
    screen.skipped(results.skipped, results.notes)
    screen.report(
        _words(counts, results.skipped, seconds, call["add"], screen.words), opened.recipe
    )
    screen.wrote(out.path)
    return status(results.skipped, no=call["check"] and counts["matched"] > 0)


# Options that are named like keywords of `Index.query`.
_ASKED = ("limit", "exclude_self", "add", "compress", "fingerprints", "timeout")


def _query(index: Index, sources: list[str], settings: Settings, call: Call) -> QueryResults:
    """Return the results of a query, as they will arrive; a wait is reported."""
    criteria = settings.criteria
    return index.query(
        sources,
        criteria.distance,
        criteria.similarity,
        verify=criteria.verify,
        method=criteria.method,
        reading=settings.reading,
        run=settings.run,
        waiting=lambda what: say_error(index.path, what),
        # One match is enough if only new names are printed.
        **{name: call[name] for name in _ASKED} | ({"limit": 1} if call["new"] else {}),
    )


def _write(results: QueryResults, write: Write, stream: BinaryIO, new: bool) -> Counter[str]:
    """Write results as they arrive, all or only the new ones, and count them."""
    counts = Counter(documents=0, matched=0, new=0, added=0)
    for chunk in results.chunks:
        fresh = [one for one in chunk if one.new]
        counts.update(documents=len(chunk), matched=len(chunk) - len(fresh), new=len(fresh))
        counts.update(added=sum(one.added for one in fresh))
        stream.writelines(write(fresh if new else chunk))
        stream.flush()
    return counts


def _kept(index: Index, settings: Settings) -> Queried:
    """Return what takes in the results of a query for a page."""
    from simdup.report.query import Queried

    return Queried(index.path, len(index), settings.criteria, index.recipe)


def _page(kept: Queried, results: QueryResults, page: PageOptions) -> Iterable[bytes]:
    """Return the page of a query whose results have ended."""
    from simdup.report.query import query_page

    shown = replace(results, skipped=[*typed(results.skipped)])
    return query_page(kept, shown, replace(page, texts=0))


def _words(
    counts: Counter[str], skipped: list[Skipped], seconds: float, add: bool, words: Words
) -> str:
    from simdup.output.summary import skipped_words

    documents = words("documents", n=counts["documents"])
    parts = [
        words("query", documents=documents, seconds=seconds),
        words("query.added" if add else "query.counts", **counts),
        skipped_words(skipped, words),
    ]
    return words("semicolon").join(filter(None, parts))


def _writer(
    stream: BinaryIO, out: Output, new: bool, null: bool, words: Words
) -> tuple[bytes, Write]:
    """Return the head of the output in a format, and the function that writes results."""
    from simdup.output import records
    from simdup.output.text import query_text

    if out.format == "jsonl":
        return b"", records.query_jsonl
    if out.format == "csv":
        head = records.csv_head(QUERY_COLUMNS, out.bom)
        return head, partial(records.query_csv, bom=out.bom)
    if new:
        return b"", lambda results: name_lines(stream, (one.document for one in results), null)
    paint = out.painter(stream, words)
    head = (paint("dim", f"  {words('heading.pairs')}{words('column.document')}") + "\n").encode()
    return head, lambda results: query_text(results, paint)


def _open(index: str, sources: list[str]) -> Index:
    """Open the index; raise if a SOURCE is one instead: many type them the other way round."""
    from simdup.index.index import Index
    from simdup.index.opening import holds_index

    if not holds_index(index) and any(map(holds_index, sources)):
        hint = "the index comes first: simdup query INDEX SOURCE..."
        raise SimdupError(index, "is not a simdup index", hint)
    return Index.open(index)
