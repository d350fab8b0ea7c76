"""`simdup cluster`."""

from __future__ import annotations

from dataclasses import replace

import click

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status
from simdup.cli.options import PAGE
from simdup.show.result import result_lines
from simdup.show.selection import EVERYTHING, Selection


@declare("cluster", "[FILE...]")
def command(call: Call) -> Status:
    """Group fingerprint lines into clusters.

    FILEs, or standard input, hold the lines that `simdup fingerprint` prints, all made with the
    same recipe. By default only the fingerprint distance decides. With --verify-from, simdup reads
    the named documents again and compares the texts of each pair.

    Status: 0 done; 2 if a document was not found or could not be read.

    Examples:
      simdup fingerprint ./corpus | simdup cluster
      simdup cluster --verify-from ./corpus prints.txt
      cat monday.txt tuesday.txt | simdup cluster -d 5 -f csv
    """
    files, verify_from, out, words = call["files"], call["verify_from"], call.out, call.screen.words
    selection = call.value(Selection)
    if out.format == PAGE and not verify_from:
        raise click.UsageError("a report page needs --verify-from: lines have no texts")

    from simdup.corpus.fingerprint_lines import read_lines
    from simdup.operations.cluster import cluster
    from simdup.show.summary import report

    criteria = replace(call.settings.criteria, verify=bool(verify_from), method="simhash")
    settings = replace(call.settings, criteria=criteria)
    result = cluster(read_lines(files or ["-"]), settings, verify_from)
    call.screen.skipped(result.skipped, result.notes)
    with call.writing(*files, *verify_from) as stream:
        if out.format == PAGE:
            from simdup.show.report.scan_page import scan_page

            stream.writelines(scan_page(result, replace(call.page, kind="cluster")))
        else:
            stream.writelines(result_lines(result, selection, out, stream, words))
    listed = EVERYTHING if out.format == PAGE else selection
    text = report(result, criteria, listed, words)
    return call.finish(result.skipped, text, result.summary.recipe)
