"""`simdup evaluate`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status


@declare("evaluate", "FOUND", "TRUTH")
def command(call: Call) -> Status:
    """Measure how well a result agrees with known near-duplicates.

    FOUND is the JSONL or CSV output of scan or pairs. TRUTH has the same format, or is a table with
    tabs or commas: of pairs (columns a, b and optionally label and score, with a header or in this
    order) or of clusters (columns cluster and document); or it has a cluster per line: id;id;id.
    One of the two may be - for standard input.

    JSONL counts the pairs listed in a cluster; a copy of a document also counts as a pair with each
    of its partners. The CSV of a scan counts all pairs within a cluster. Documents that
    neither file names are not counted.

    Names match if they are equal, or if one is the end of the other's path, with or without the
    suffix.

    Examples:
      simdup scan ./corpus -o found.jsonl; simdup evaluate found.jsonl truth.tsv
      simdup scan ./corpus -f csv | simdup evaluate - truth.tsv
      simdup evaluate --min-score 0.8 -f jsonl found.jsonl scored.csv | jq .f1
    """
    from simdup.operations.evaluate import evaluate
    from simdup.show.evaluation import evaluation_jsonl, evaluation_text

    files = call.pair("found", "truth")
    measured = evaluate(*files, call["min_score"])
    with call.writing(*files) as stream:
        if call.out.format == "jsonl":
            stream.writelines(evaluation_jsonl(measured))
        else:
            stream.writelines(evaluation_text(measured, call.screen.words))
    return call.finish()
