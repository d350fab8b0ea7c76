"""`simdup passages`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status, typed
from simdup.cli.options import PAGE
from simdup.model.shared_passages import PassageCriteria, PassageScope


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
      simdup passages handbook/ --groups
    """
    from simdup.operations.passages import examine, examine_groups, open_passages
    from simdup.show.passage_output import (
        group_csv,
        group_jsonl,
        group_report,
        group_text,
        overlap_csv,
        overlap_jsonl,
        overlap_text,
        passage_report,
    )

    sources, references, out, words = call.sources, call["references"], call.out, call.screen.words
    criteria, scope = call.value(PassageCriteria), call.value(PassageScope)
    read = (*sources, *references, *scope.templates)
    with call.writing(*read) as stream, call.watch() as settings:
        opened = open_passages(sources, settings, references, scope)
        if call["groups"]:
            with examine_groups(opened, criteria, scope) as (result, place_text):
                result = typed(result)
                call.screen.skipped(result.skipped, result.notes)
                if out.format == PAGE:
                    from simdup.show.report.groups_page import groups_page

                    stream.writelines(groups_page(result, criteria, place_text, call.page))
                elif out.format == "csv":
                    asked = place_text if call["text"] else None
                    stream.writelines(group_csv(result.groups, out.bom, asked))
                elif out.format == "jsonl":
                    stream.writelines(group_jsonl(result, place_text if call["text"] else None))
                else:
                    paint = out.painter(stream, words)
                    stream.writelines(group_text(result.groups, place_text, paint))
            report = group_report(result, criteria, words)
            return call.finish(result.skipped, report, listed=result.groups)
        with examine(opened, criteria, scope) as (result, text_of):
            result = typed(result)
            call.screen.skipped(result.skipped, result.notes)
            if out.format == PAGE:
                from simdup.show.report.passages_page import passages_page

                stream.writelines(passages_page(result, criteria, text_of, call.page))
            elif out.format == "csv":
                carried = text_of if call["text"] else None
                stream.writelines(overlap_csv(result.overlaps, out.bom, carried))
            elif out.format == "jsonl":
                stream.writelines(overlap_jsonl(result, text_of if call["text"] else None))
            else:
                paint = out.painter(stream, words)
                stream.writelines(overlap_text(result.overlaps, text_of, paint))
    report = passage_report(result, criteria, words)
    return call.finish(result.skipped, report, listed=result.overlaps)
