"""`simdup cluster`."""

from __future__ import annotations

from dataclasses import replace

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status
from simdup.show.selection import Selection, result_lines


@declare("cluster", "[FILE...]")
def command(call: Call) -> Status:
    """Group fingerprint lines into clusters.

    FILEs, or standard input, hold the lines that `simdup fingerprint` prints, all made with the
    same recipe. The fingerprint distance alone decides which documents are near; what is kept and
    what is redundant follows from that as in a scan.

    Examples:
      simdup fingerprint ./corpus | simdup cluster
      cat monday.txt tuesday.txt | simdup cluster -d 5 -f csv
    """
    files, words, selection = call["files"], call.screen.words, call.value(Selection)

    from simdup.corpus.fingerprint_lines import read_lines
    from simdup.operations.cluster import cluster
    from simdup.show.summary import report

    criteria = replace(call.settings.criteria, verify=False, method="simhash")
    settings = replace(call.settings, criteria=criteria)
    result = cluster(read_lines(files or ["-"]), settings)
    with call.writing(*files) as stream:
        stream.writelines(result_lines(result, selection, call.out, stream, words))
    text = report(result, criteria, selection, words)
    return call.finish(report=text, recipe=result.summary.recipe)
