"""`simdup query`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from simdup._version import __version__
from simdup.cli import options
from simdup.cli.index import asked_recipe, fingerprint_lines, index_file, timeout
from simdup.cli.messages import say, say_error, say_skipped
from simdup.cli.progress import progress

if TYPE_CHECKING:
    from simdup.model.matches import QueryResult
    from simdup.output.text import Painter

FORMATS = ("text", "csv", "jsonl")


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
@options.distance
@click.option(
    "-s",
    "--similarity",
    type=click.FloatRange(0, 1),
    default=0.8,
    metavar="S",
    show_default=True,
    help="Least similarity of a match, an estimate.",
)
@click.option(
    "--verify/--no-verify", default=True, help="Heed similarity, not distance alone [on]."
)
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Most matches to print.")
@click.option("--new", is_flag=True, help="Print only the names of documents without a match.")
@click.option("--add", is_flag=True, help="Add documents without a match to the index.")
@click.option("--compress", is_flag=True, help="Keep search tables in two thirds of the memory.")
@fingerprint_lines
@timeout
@options.output(*FORMATS)
@options.reading
@options.effort
@options.quiet
@options.color
@options.debug
@options.recipe
def command(**given: Any) -> int:
    """Tell for each document what an index holds near it.

    Matches come with distance and similarity, the best first. The index has no texts, only
    sketches of them: similarity is an estimate with a standard error of 0.035 where it is 0.8, and
    less above. Documents given as fingerprint lines, or that came so, have none.

    The recipe is that of the index, with the IDF model that its build has frozen. JSONL on standard
    input is answered line by line. With --add each batch is in the index before its answers
    are printed, and is asked too: of documents alike only the first is new.
    """
    # Here -0 is also how --new writes, with or without --files-from.
    alone = given["new"] and given["files_from"] is None
    named = options.make_sources(given | {"null": given["null"] and not alone})
    reading = options.make_reading(given)
    form = options.make_format(given, FORMATS)

    from simdup.index.index import Index
    from simdup.output.streams import open_output
    from simdup.output.text import Painter, count_words, skipped_words

    started = time.monotonic()
    asked = matched = added = 0
    with Index.open(given["index"]) as index, open_output(given["output"]) as stream:
        index.insist(*asked_recipe(given))
        write = _writer(form, given, Painter(stream, given["color"]), stream.isatty())
        with progress(given["progress"], given["quiet"]) as show:
            answers = index.query(
                named,
                given["distance"],
                given["similarity"],
                verify=given["verify"],
                limit=given["limit"],
                add=given["add"],
                fingerprints=given["fingerprints"],
                compress=given["compress"],
                reading=reading,
                effort=options.make_effort(given, show),
                timeout=given["timeout"],
                waiting=lambda what: say_error(given["index"], what),
            )
            stream.write(write.head)
            for block in answers.blocks:
                asked += len(block)
                matched += sum(not answer.new for answer in block)
                added += sum(answer.added for answer in block)
                stream.writelines(write.answers(block))
                stream.flush()
        if form == "jsonl":
            from simdup.output.records import json_line

            for one in answers.skipped:
                values = {"type": "skipped", "document": one.document, "reason": one.reason}
                stream.write(json_line(values))
            summary = {
                "type": "summary",
                "documents": asked,
                "matched": matched,
                "new": asked - matched,
                "added": added,
                "skipped": len(answers.skipped),
                "seconds": round(time.monotonic() - started, 3),
                "simdup": __version__,
                "recipe": index.recipe,
            }
            stream.write(json_line(summary))
    say_skipped(answers.skipped, answers.notes, given["quiet"])
    if not given["quiet"]:
        parts = [
            f"{count_words(asked, 'document')} in {time.monotonic() - started:.1f} s",
            f"{matched:,} with a match, {asked - matched:,} new"
            + (f", {added:,} added" if given["add"] else ""),
            skipped_words(answers.skipped),
        ]
        say("; ".join(part for part in parts if part))
    return 2 if any(one.error for one in answers.skipped) else 0


class _Writer(NamedTuple):
    """What stands first, and how answers are written."""

    head: bytes
    answers: Callable[[list[QueryResult]], Iterable[bytes]]


def _writer(form: str, given: dict[str, Any], paint: Painter, terminal: bool) -> _Writer:
    """Return how answers are written in a format, all of them or the new ones only."""
    from simdup.output import records
    from simdup.output.text import query_text

    if form == "jsonl":
        write, head = records.query_jsonl, b""
    elif form == "csv":
        write, head = records.query_csv, records.QUERY_CSV_HEAD
    elif given["new"]:
        end = b"\0" if given["null"] else b"\n"
        return _Writer(b"", lambda block: _names(block, end, terminal and not given["null"]))
    else:
        head = (paint("dim", "  bits  similar  document") + "\n").encode()
        return _Writer(head, lambda block: query_text(block, paint))
    if given["new"]:
        return _Writer(head, lambda block: write(answer for answer in block if answer.new))
    return _Writer(head, write)


def _names(block: list[QueryResult], end: bytes, terminal: bool) -> Iterable[bytes]:
    """Return the names of new documents: as they are, for other programs, or fit to be seen."""
    from simdup.corpus.names import to_bytes
    from simdup.output.escaping import shown

    for answer in block:
        if answer.new:
            yield to_bytes(shown(answer.document) if terminal else answer.document) + end
