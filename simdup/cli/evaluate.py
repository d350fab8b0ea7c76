"""`simdup evaluate`."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli import options
from simdup.cli.messages import say_error

FORMATS = ("text", "jsonl")


@click.command(
    "evaluate",
    cls=options.Command,
    examples="""
    simdup scan ./corpus -o found.jsonl; simdup evaluate found.jsonl truth.tsv
    simdup scan ./corpus -f csv | simdup evaluate - truth.tsv
    simdup evaluate --min-score 0.8 -f jsonl found.jsonl scored.csv | jq .f1
    """,
)
@click.argument("found", metavar="FOUND", type=click.Path())
@click.argument("truth", metavar="TRUTH", type=click.Path())
@click.option(
    "--min-score",
    type=float,
    metavar="S",
    help="Leave out pairs of TRUTH with a lesser score.",
)
@options.output(*FORMATS)
@options.quiet
@options.debug
def command(**given: Any) -> int:
    """Tell how well found near-duplicates agree with known ones.

    FOUND is what scan or pairs wrote, as JSONL or CSV; one of the two may be - for standard input.
    TRUTH is the same, or a table, with tabs or commas, of pairs (columns a, b and, if there are
    any, label and score, with a header or in this order) or of clusters (columns cluster and
    document).

    JSONL counts the pairs that a cluster lists, and copies as pairs of all that one of them is a
    pair of; the CSV of a scan counts all pairs within a cluster. Documents that neither file names
    do not count.

    Names in TRUTH are those in FOUND, the ends of their paths, with or without the suffix, or
    longer paths.
    """
    form = options.make_format(given, FORMATS)
    if given["found"] == given["truth"] == "-":
        raise click.UsageError("only one of FOUND and TRUTH can be standard input")

    from simdup.evaluation.labels import read_answer, with_names_of
    from simdup.evaluation.metrics import evaluate
    from simdup.output.evaluation import evaluation_jsonl, evaluation_text
    from simdup.output.streams import open_output

    found = read_answer(given["found"])
    truth = read_answer(given["truth"], given["min_score"])
    truth = with_names_of(found, truth)
    if found.names and truth.names and not found.names & truth.names and not given["quiet"]:
        say_error(given["truth"], "names no document of FOUND", "are names written alike in both?")
    measured = evaluate(found, truth)
    with open_output(given["output"]) as stream:
        stream.writelines((evaluation_jsonl if form == "jsonl" else evaluation_text)(measured))
    return 0
