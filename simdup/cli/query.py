"""`simdup query`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import click

from simdup.cli import options
from simdup.cli.index import fingerprint_lines, index_file, timeout
from simdup.cli.messages import say_error
from simdup.cli.outcome import Status, status, typed
from simdup.model.criteria import Criteria
from simdup.model.reading import Reading
from simdup.model.settings import RunOptions

if TYPE_CHECKING:
    from simdup.model.matches import QueryResult


class Asked(NamedTuple):
    """What a query asks for, and what becomes of the documents without a match."""

    limit: int | None
    new: bool
    add: bool
    compress: bool
    fingerprints: bool


@click.command(
    "query",
    cls=options.Command,
    examples="""
    simdup query seen.index ./delivery
    simdup query seen.index ./delivery --new -0 | xargs -0 cp -t fresh/
    crawl | simdup query seen.index --add --input-format jsonl --id-field url -f jsonl -
    simdup fingerprint --idf model.idf new/ | simdup query seen.index --fingerprints -
    """,
)
@index_file
@options.sources
@options.reading
@options.criteria("distance", "similarity", "verify")
@options.value(
    "asks",
    Asked,
    options.option(
        "-n",
        "--limit",
        panel="Matching",
        type=click.IntRange(1),
        metavar="N",
        help="Most matches to print.",
        shown="all",
    ),
    options.option(
        "--new",
        panel="Output",
        common=True,
        is_flag=True,
        help="Print only the names of documents without a match.",
    ),
    options.option(
        "--add",
        panel="Output",
        common=True,
        is_flag=True,
        help="Add documents without a match to the index.",
    ),
    options.option(
        "--compress",
        panel="Search",
        is_flag=True,
        help="Keep search tables in two thirds of the memory.",
    ),
    fingerprint_lines,
)
@options.output("text", "csv", "jsonl")
@options.screen
@options.run
@options.asked_recipe
@timeout
@options.debug
@click.pass_context
def command(
    context: click.Context,
    *,
    index: str,
    sources: list[str],
    asked: options.AskedRecipe,
    asks: Asked,
    criteria: Criteria,
    reading: Reading,
    run: RunOptions,
    timeout: float,
    out: options.Output,
    screen: options.Screen,
) -> Status:
    """Tell for each document what an index holds near it.

    Matches come with distance and similarity, the best first. The index has no texts, only
    sketches of them: similarity is an estimate with a standard error of 0.035 at 0.8, and less
    above. Documents given or stored as fingerprint lines have none.

    The recipe is that of the index, with the IDF model that was learned when it was built. JSONL on
    standard input is answered line by line. With --add each batch is in the index before its
    results are printed, and is searched too: of similar documents only the first is new.
    """
    from simdup.index.index import Index
    from simdup.output.text import count_words, skipped_words

    started = time.monotonic()
    with Index.open(index) as opened, out.open() as stream:
        opened.require_recipe(*asked)
        writer = _writer(stream, out, asks, context.params["null"])
        with screen.watch(run) as watched:
            results = opened.query(
                sources,
                criteria.distance,
                criteria.similarity,
                verify=criteria.verify,
                limit=asks.limit,
                add=asks.add,
                fingerprints=asks.fingerprints,
                compress=asks.compress,
                reading=reading,
                run=watched,
                timeout=timeout,
                waiting=lambda what: say_error(index, what),
            )
            stream.write(writer.head)
            counts: Counter[str] = Counter()
            for chunk in results.chunks:
                counts["documents"] += len(chunk)
                counts["matched"] += sum(not result.new for result in chunk)
                counts["added"] += sum(result.added for result in chunk)
                stream.writelines(writer.write(chunk))
                stream.flush()
        seconds = time.monotonic() - started
        new = counts["documents"] - counts["matched"]
        if out.format == "jsonl":
            from simdup.output.records import query_summary

            figures = {name: counts[name] for name in ("documents", "matched")}
            figures |= {"new": new, "added": counts["added"]}
            stream.writelines(
                query_summary(typed(results.skipped), figures, seconds, opened.recipe)
            )
    screen.skipped(results.skipped, results.notes)
    parts = [
        f"{count_words(counts['documents'], 'document')} in {seconds:.1f} s",
        f"{counts['matched']:,} with a match, {new:,} new"
        + (f", {counts['added']:,} added" if asks.add else ""),
        skipped_words(results.skipped),
    ]
    screen.report("; ".join(part for part in parts if part))
    return status(results.skipped)


class _Writer(NamedTuple):
    """What comes first, and how results are written."""

    head: bytes
    write: Callable[[list[QueryResult]], Iterable[bytes]]


def _writer(stream: BinaryIO, out: options.Output, asks: Asked, null: bool) -> _Writer:
    """Return how results are written in a format, all of them or the new ones only."""
    from simdup.output import records
    from simdup.output.text import query_text

    if out.format == "jsonl":
        write, head = records.query_jsonl, b""
    elif out.format == "csv":
        write, head = records.query_csv, records.QUERY_CSV_HEAD
    elif asks.new:
        end = b"\0" if null else b"\n"
        return _Writer(b"", lambda chunk: _names(chunk, end, stream.isatty() and not null))
    else:
        paint = out.painter(stream)
        head = (paint("dim", "  bits  similar  document") + "\n").encode()
        return _Writer(head, lambda chunk: query_text(chunk, paint))
    if asks.new:
        return _Writer(head, lambda chunk: write(result for result in chunk if result.new))
    return _Writer(head, write)


def _names(chunk: list[QueryResult], end: bytes, terminal: bool) -> Iterable[bytes]:
    """Return the names of new documents: as they are for programs, escaped on a terminal."""
    from simdup.corpus.names import to_bytes
    from simdup.output.escaping import shown

    for result in chunk:
        if result.new:
            yield to_bytes(shown(result.document) if terminal else result.document) + end
