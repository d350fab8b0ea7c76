"""`simdup passages`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status, typed
from simdup.cli.options import PAGE
from simdup.model.shared_passages import PassageCriteria, PassageResult, PassageScope

if TYPE_CHECKING:
    from simdup.near.cutting import PairTexts


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
      simdup passages theses/ --rates --leave-out references,quotes
      simdup passages --min-run 8 --min-length 20 homework.jsonl
    """
    from simdup.operations.passages import examine, open_passages
    from simdup.show import passage_output as show

    sources, references, words = call.sources, call["references"], call.screen.words
    criteria, scope, rates = call.value(PassageCriteria), call.value(PassageScope), call["rates"]
    read = (*sources, *references, *scope.templates)
    with call.writing(*read) as stream, call.watch() as settings:
        opened, beside = open_passages(sources, settings, references, scope)
        with examine(opened, criteria, scope, beside, rates) as (result, text_of):
            stream.writelines(_overlaps(call, typed(result), text_of, stream))
    limit = None if call.out.format == PAGE else call["limit"]
    report = show.passage_report(result, criteria, words, rates, limit)
    return call.finish(result.skipped, report, listed=result.rates if rates else result.overlaps)


def _overlaps(
    call: Call, result: PassageResult, text_of: PairTexts, stream: BinaryIO
) -> Iterable[bytes]:
    """Return overlaps, or rates, in the format that is asked for."""
    from simdup.show import passage_output as show

    call.screen.skipped(result.skipped, result.notes)
    out, rates, carried = call.out, call["rates"], text_of if call["text"] else None
    counted = bool(call["leave_out"])
    if out.format == PAGE:
        from simdup.show.report.places_page import passages_page

        return passages_page(
            result, call.value(PassageCriteria), text_of, call.page, rates, counted
        )
    if call["limit"]:
        some = slice(call["limit"])
        result = replace(result, overlaps=result.overlaps[some], rates=result.rates[some])
    if out.format == "csv":
        listed = show.overlap_csv(result.overlaps, out.bom, carried)
        return show.rate_csv(result.rates, out.bom) if rates else listed
    if out.format == "jsonl":
        return show.rate_jsonl(result) if rates else show.overlap_jsonl(result, carried)
    paint = out.painter(stream, call.screen.words)
    if rates:
        return show.rate_text(result.rates, paint, counted)
    return show.overlap_text(result.overlaps, text_of, paint)
