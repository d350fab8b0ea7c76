"""`simdup passages`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.options.output_rows import PAGE
from simdup.cli.outcome import Status, status, typed
from simdup.model.passages import PassageCriteria, PassageResult, PassageScope

if TYPE_CHECKING:
    from simdup.cli.outputs import Output
    from simdup.output.words import Words


@declare("passages", "SOURCE...")
def command(call: Call) -> Status:
    """Find the passages that documents share: who copied what from where.

    Lengths are in units. A character of Chinese, or of another script without spaces, counts 1, a
    word of English, or of another script with spaces, 2, a punctuation mark 1, white space 0. So 50
    units are 50 characters of Chinese or about 25 words of English.

    Every equal run of at least --min-run units is found, whatever the documents' lengths, unless
    too many documents have it (--common). Runs with at most --gap units between them in both
    documents are one passage; passages of at least --min-length equal units are reported. Offsets
    count characters of the decoded text as in the file, with its line ends, the end not included.

    Examples:
      simdup passages essays/
      simdup passages essays/ -o report.html
      simdup passages essays/ --reference library/ -o copied.csv
      simdup passages --min-run 8 --min-length 20 homework.jsonl
    """
    from simdup.operations.passages import examine, open_passages

    sources, settings, out, screen = call.sources, call.settings, call.out, call.screen
    criteria, scope = call.value(PassageCriteria), call.value(PassageScope)
    references = call["references"]
    read = [*sources, *references, *scope.templates]
    with out.open(read, settings.reading) as stream, screen.watch(settings) as watched:
        opened = open_passages(sources, watched, references, scope.across)
        with examine(opened, criteria, scope) as (result, text_of):
            result = replace(result, skipped=typed(result.skipped))
            screen.skipped(result.skipped, result.notes)
            if out.format == PAGE:
                from simdup.report.passages import passages_page

                stream.writelines(passages_page(result, criteria, text_of, call.page))
            else:
                stream.writelines(_lines(stream, result, text_of, out, screen.words))
    if not screen.quiet:
        from simdup.output.passages import passage_report

        between = out.format == "text" and result.overlaps and sys.stdout.isatty()
        screen.report(("\n" if between else "") + passage_report(result, criteria, screen.words))
        screen.wrote(out.path)
    return status(result.skipped)


def _lines(
    stream: BinaryIO,
    result: PassageResult,
    text_of: Callable[[int], str],
    out: Output,
    words: Words,
) -> Iterator[bytes]:
    """Return the lines of a result as text, CSV or JSONL."""
    from simdup.output.passages import overlap_csv, overlap_jsonl, overlap_text

    if out.format == "csv":
        return overlap_csv(result.overlaps, out.bom)
    if out.format == "jsonl":
        return overlap_jsonl(result)
    return overlap_text(result.overlaps, text_of, out.painter(stream, words))
