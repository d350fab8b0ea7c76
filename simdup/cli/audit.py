"""`simdup audit`."""

from __future__ import annotations

import click

from simdup.base.system import quoted
from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status, say
from simdup.cli.options import PAGE


@declare("audit", "FOUND", "[SOURCE...]")
def command(call: Call) -> Status:
    """Draw pairs from a result, and make a page to judge them.

    FOUND is the JSONL or CSV of scan or cluster, or what dedupe listed as --removed. Its pairs are
    the redundant documents, each with the one that stays instead: what dedupe would act on. If it
    lists pairs (scan --pairs, pairs), they are these. FOUND may be - for standard input.

    Pairs near the threshold are drawn more often: of four bands of similarity, the lowest twice as
    often as the upper half and copies, and at least 5 pairs of each. The same --seed draws the same
    pairs from the same result.

    The documents are read again: from where their names say, or from SOURCE, where a record has a
    name of its own (--id-field) or the result is of another folder.

    Judge the pairs in a browser with the keys 1, 2 and 3, save the decisions, and let
    simdup evaluate FOUND --judged FILE say how many of all pairs are right.

    Status: 0 done; 2 an error, or a document could not be read.

    Examples:
      simdup scan ./corpus -o found.jsonl; simdup audit found.jsonl -o sample.html
      simdup evaluate found.jsonl --judged decisions.jsonl
      simdup audit --id-field url --sample 400 found.jsonl news.jsonl -o sample.html
    """
    from simdup.operations.audit import examine
    from simdup.show.escaping import shown
    from simdup.show.evaluation import sample_table, sample_words
    from simdup.show.report.pairs_page import audit_page

    found, sources, words = call["found"], call.sources, call.screen.words
    if found == "-" and "-" in sources:
        raise click.UsageError("only one of FOUND and SOURCE can be standard input")
    call.check_suffix((PAGE,), "name a file that ends with .html")
    with call.writing(found, *sources) as stream:
        audited = examine(found, sources, call.settings, call["sample"], call["seed"])
        call.screen.skipped(audited.skipped, audited.notes)
        stream.writelines(audit_page(audited.sample, audited.documents, call.page, found))
    call.screen.report(sample_words(audited.sample, words))
    if not call.screen.quiet:
        say("\n".join(sample_table(audited.sample, words)))
    status = call.finish(audited.skipped)
    judged = quoted(["simdup", "evaluate", found, "--judged", "decisions.jsonl"])
    call.screen.report(words("audit.next", command=shown(judged)))
    return status
