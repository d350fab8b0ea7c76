"""`simdup evaluate`."""

from __future__ import annotations

from functools import partial

import click

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status


@declare("evaluate", "FOUND", "[TRUTH]")
def command(call: Call) -> Status:
    """Measure how well a result agrees with known near-duplicates, or with what people judged.

    FOUND is the JSONL or CSV output of scan or pairs. TRUTH has the same format, or is a table with
    tabs or commas: of pairs (columns a, b and optionally label and score, with a header or in this
    order) or of clusters (columns cluster and document); or it has a cluster per line: id;id;id.
    One of the two may be - for standard input.

    A result of clusters counts all pairs of documents that share one; JSONL of a scan with
    --all-pairs, and a list of pairs, count the pairs that are listed. Documents that neither file
    names are not counted.

    Names match if they are equal, or if one is the end of the other's path, with or without the
    suffix.

    With --judged in place of TRUTH, FOUND is the result that simdup audit drew pairs from. Prints
    the precision of all of its pairs with a 95 % interval, in all and by band of similarity.

    Examples:
      simdup scan ./corpus -o found.jsonl; simdup evaluate found.jsonl truth.tsv
      simdup scan ./corpus -f csv | simdup evaluate - truth.tsv
      simdup evaluate found.jsonl --judged decisions.jsonl
      simdup evaluate --min-score 0.8 -f jsonl found.jsonl scored.csv | jq .f1
    """
    from simdup.operations.evaluate import evaluate
    from simdup.show import evaluation as show
    from simdup.show.lines import typed

    found, truth, judged = call["found"], call["truth"], call["judged"]
    if truth is None and judged is None:
        raise click.UsageError("missing TRUTH (or --judged FILE)")
    if judged is not None:
        precision = evaluate(found, judged=judged)
        call.screen.skipped([], [(judged, note) for note in show.precision_notes(precision)])
        files: tuple[str, ...] = (found, judged)
        as_jsonl, as_text = show.precision_jsonl(precision), partial(show.precision_text, precision)
    else:
        files = call.pair("found", "truth")
        measured = evaluate(*files, call["min_score"])
        as_jsonl = typed("evaluation", [measured])
        as_text = partial(show.evaluation_text, measured)
    with call.writing(*files) as stream:
        jsonl = call.out.format == "jsonl"
        stream.writelines(as_jsonl if jsonl else as_text(call.screen.words))
    return call.finish()
