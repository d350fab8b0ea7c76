"""`simdup compare`."""

from __future__ import annotations

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status
from simdup.errors import SimdupError
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading
from simdup.model.settings import Settings


@click.command("compare", cls=options.Command)
@click.argument("a", metavar="A", type=click.Path())
@click.argument("b", metavar="B", type=click.Path())
@options.settings(
    options.reading_of_files,
    options.criteria(
        "method", "recall", "distance", "similarity", "shingle", "verify", "containment", "cosine"
    ),
    options.run,
    options.recipe,
)
@options.option(
    "--idf-from SOURCE", "Weigh terms as a scan of SOURCE would.", panel="Matching", common=True
)
@options.output("text", "jsonl")
@options.screen
def command(
    *,
    a: str,
    b: str,
    settings: Settings,
    out: options.Output,
    screen: options.Screen,
    idf_from: str | None,
) -> Status:
    """Tell whether two documents are near-duplicates, and why.

    A and B are files, or records of files, such as train.jsonl#5; one of them may be - for standard
    input. Shows similarity and distance, which
    searches of a scan propose the pair, and the heaviest terms with their weights. With the method
    auto the measures alone decide.

    Status: 0 near-duplicates, 1 not, 2 an error.

    Examples:
      simdup compare a.txt b.txt
      simdup compare --idf-from ./corpus corpus/a.txt corpus/b.txt
      simdup compare train.jsonl#5 train.jsonl#17
      simdup compare -f jsonl a.txt b.txt | jq .similarity
    """
    recipe = settings.recipe
    if idf_from is not None and recipe.idf not in ("auto", "corpus"):
        raise click.UsageError("--idf-from needs --idf auto or corpus")

    from simdup.features.analyzer import Analyzer
    from simdup.fingerprints.fingerprinter import Fingerprinter
    from simdup.operations.compare import compare_documents, learn_fingerprinter
    from simdup.output.comparison import comparison_jsonl, comparison_text

    documents = _read((a, b), settings.reading)
    screen.skipped([], [(one.name, one.note) for one in documents if one.note])
    if idf_from is None:
        if recipe.idf == "corpus":
            raise SimdupError(
                "idf", "two texts are not a corpus", "name one with `idf_from`", field="idf"
            )
        fingerprinter = Fingerprinter.alone(Analyzer.for_recipe(recipe, settings.run.segmenter))
    else:
        with screen.watch(settings) as watched:
            fingerprinter, skipped, notes = learn_fingerprinter([idf_from], watched)
        screen.skipped(skipped, notes)
    with out.open([a, b, *([idf_from] if idf_from else [])], settings.reading) as stream:
        found = compare_documents(documents, fingerprinter, settings.criteria)
        if out.format == "jsonl":
            stream.writelines(comparison_jsonl(found))
        elif not screen.quiet or out.path:
            stream.writelines(comparison_text(found, out.painter(stream), screen.verbose))
    return status(no=not found.duplicates)


def _read(paths: tuple[str, str], reading: Reading) -> tuple[Document, Document]:
    """Read two documents: files, or records of files."""
    from simdup.corpus.batches import batches, read, require_extras
    from simdup.corpus.sources import addressed, one_file

    files = [addressed(path, reading) or one_file(path, reading) for path in paths]
    documents = []
    for file in files:
        if isinstance(file, Skipped):
            raise SimdupError(file.document, file.reason)
        require_extras([file], reading)
        (batch,) = batches([file], reading)
        (found,) = read(batch, reading)
        if isinstance(found, Skipped):
            raise SimdupError(found.document, found.reason)
        documents.append(found)
    return documents[0], documents[1]
