"""`simdup cluster`."""

from __future__ import annotations

from dataclasses import replace

import click

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.options.output_rows import PAGE
from simdup.cli.outcome import Status, status
from simdup.cli.results import write_page, write_result
from simdup.output.selection import EVERYTHING, Selection


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
    files, verify_from = call["files"], call["verify_from"]
    settings, out, screen = call.settings, call.out, call.screen
    selection = call.value(Selection)
    if out.format == PAGE and not verify_from:
        raise click.UsageError("a report page needs --verify-from: lines have no texts")

    from simdup.corpus.fingerprint_lines import read_lines
    from simdup.operations.cluster import cluster
    from simdup.output.summary import report

    criteria = replace(settings.criteria, verify=bool(verify_from), method="simhash")
    settings = replace(settings, criteria=criteria)
    result = cluster(read_lines(files or ["-"]), settings, verify_from)
    screen.skipped(result.skipped, result.notes)
    with out.open([*files, *verify_from], settings.reading) as stream:
        if out.format == PAGE:
            write_page(stream, result, replace(call.page, kind="cluster"))
        else:
            write_result(stream, result, out, selection, screen.words)
    chosen = EVERYTHING if out.format == PAGE else selection
    screen.report(report(result, criteria, chosen, screen.words), result.summary.recipe)
    screen.wrote(out.path)
    return status(result.skipped)
