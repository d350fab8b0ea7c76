"""`simdup compare`."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli import options
from simdup.cli.messages import say_skipped
from simdup.cli.progress import progress
from simdup.errors import SimdupError
from simdup.model.documents import Document, Skipped

FORMATS = ("text", "jsonl")


@click.command(
    "compare",
    cls=options.Command,
    examples="""
    simdup compare a.txt b.txt
    simdup compare --idf-from ./corpus corpus/a.txt corpus/b.txt
    simdup compare -f jsonl a.txt b.txt | jq .similarity
    """,
)
@click.argument("a", metavar="A", type=click.Path())
@click.argument("b", metavar="B", type=click.Path())
@options.method
@options.distance
@options.verification
@options.measures
@click.option("--idf-from", metavar="SOURCE", help="Weigh as a scan of SOURCE would.")
@options.output(*FORMATS)
@click.option("--encoding", metavar="NAME", help="Encoding of both [default: found out].")
@options.html
@options.effort
@options.quiet
@options.color
@options.debug
@options.recipe
def command(**given: Any) -> int:
    """Tell whether two documents are near-duplicates, and why.

    A and B are files; one of them may be - for standard input. Shows distance and similarity, the
    bands of the fingerprints that match, and the heaviest terms with their weights.

    Status: 0 near-duplicates, 1 not, 2 an error.
    """
    recipe = options.make_recipe(given)
    criteria = options.make_criteria(given)
    form = options.make_format(given, FORMATS)
    reading = options.make_reading(
        given
        | {"glob": (), "exclude": (), "input_format": "auto", "field": "text", "id_field": None}
    )
    if given["idf_from"] is not None and recipe.idf not in ("auto", "corpus"):
        raise click.UsageError("--idf-from goes with --idf auto or corpus only")

    from simdup.corpus.batches import read_file, require_extras
    from simdup.corpus.sources import one_file
    from simdup.fingerprints.fingerprinter import learn_idf
    from simdup.operations.compare import compare
    from simdup.output.comparison import comparison_jsonl, comparison_text
    from simdup.output.streams import open_output
    from simdup.output.text import Painter

    documents: list[Document] = []
    files = [one_file(path, reading) for path in (given["a"], given["b"])]
    require_extras(files, reading)
    for file in files:
        read = read_file(file, reading)
        if isinstance(read, Skipped):
            raise SimdupError(file.path, read.reason)
        documents.append(read)
    notes = [(document.name, document.note) for document in documents if document.note]
    say_skipped([], notes, given["quiet"])
    idf = None
    if given["idf_from"] is not None:
        with progress(given["progress"], given["quiet"]) as show:
            effort = options.make_effort(given, show)
            idf, skipped = learn_idf([given["idf_from"]], recipe, reading, effort)
        say_skipped(skipped, [], given["quiet"])
    with open_output(given["output"]) as stream:
        found = compare(documents[0], documents[1], recipe, criteria, idf, given["segmenter"])
        if form == "jsonl":
            stream.writelines(comparison_jsonl(found))
        elif not given["quiet"] or given["output"]:
            stream.writelines(comparison_text(found, Painter(stream, given["color"])))
    return 0 if found.duplicates else 1
