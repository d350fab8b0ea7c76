"""`simdup compare`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.options.output_rows import PAGE
from simdup.cli.outcome import Status, status
from simdup.errors import SimdupError
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import Settings

if TYPE_CHECKING:
    from simdup.cli.outputs import Screen
    from simdup.fingerprints.fingerprinter import Fingerprinter
    from simdup.model.comparison import Comparison
    from simdup.output.words import Words

# Differences are found unasked where the product of the lengths is at most this: two texts of
# 32,000 characters take 0.2 s.
_FEW_PAIRS = 1 << 30


@declare("compare", "A", "B")
def command(call: Call) -> Status:
    """Show whether two documents are near-duplicates, and why.

    A and B are files, or records of files, such as train.jsonl#5; one of them may be - for standard
    input. Prints the similarity, the distance, the searches that would find the pair, in how many
    places the texts differ and the first of them, the passages that both share and how much of each
    text these cover, and the heaviest terms. With --method auto, only the measures decide.

    With --diff, words that only A has are shown as [-removed-], those that only B has as {+added+}.
    Differences only in case, width or script are dimmed. In JSONL, spans have the offsets into both
    texts.

    Status: 0 near-duplicates; 1 not near-duplicates; 2 an error.

    Examples:
      simdup compare a.txt b.txt
      simdup compare --idf-from ./corpus corpus/a.txt corpus/b.txt
      simdup compare --diff old.txt new.txt
      simdup compare old.txt new.txt -o report.html
      simdup compare train.jsonl#5 train.jsonl#17
      simdup compare -f jsonl a.txt b.txt | jq .similarity
    """
    a, b, idf_from = call["a"], call["b"], call["idf_from"]
    settings, out, screen = call.settings, call.out, call.screen
    if a == b == "-":
        raise click.UsageError("only one of A and B can be standard input")

    from simdup.operations.compare import compare_documents
    from simdup.output.comparison import comparison_jsonl, comparison_text

    documents = _read((a, b), settings.reading, settings.recipe)
    screen.skipped([], [(one.name, one.note) for one in documents if one.note])
    fingerprinter = _fingerprinter(settings, idf_from, screen)
    with out.open([a, b, *([idf_from] if idf_from else [])], settings.reading) as stream:
        asked = call["diff"] or call["side_by_side"]
        texts = documents[0].text, documents[1].text
        differences = asked or (out.format == "text" and math.prod(map(len, texts)) <= _FEW_PAIRS)
        found = compare_documents(documents, fingerprinter, settings.criteria, differences)
        if out.format == "jsonl":
            stream.writelines(comparison_jsonl(found))
        elif out.format == PAGE:
            from simdup.report.comparison import comparison_page

            stream.writelines(comparison_page(found, documents, fingerprinter, call.page))
        elif not screen.quiet or out.path:
            paint = out.painter(stream, screen.words)
            hint = _idf_hint(found, settings, idf_from, screen.words)
            stream.writelines(
                comparison_text(
                    found, texts, paint, followed=asked, verbose=screen.verbose, idf_hint=hint
                )
            )
            if asked:
                from simdup.output.columns import columns_text
                from simdup.output.diff import diff_text

                show = columns_text if call["side_by_side"] else diff_text
                stream.writelines(show(found, texts, paint))
    screen.wrote(out.path)
    return status(no=not found.duplicates)


def _idf_hint(found: Comparison, settings: Settings, idf_from: str | None, words: Words) -> str:
    """Return what to know if a scan may weigh terms by another IDF, and show other distances."""
    from simdup.features.idf import ENOUGH_DOCUMENTS

    if idf_from is not None or settings.recipe.idf != "auto" or found.recipe["idf"] != "builtin":
        return ""
    return words("idf.scan", n=ENOUGH_DOCUMENTS)


def _fingerprinter(settings: Settings, idf_from: str | None, screen: Screen) -> Fingerprinter:
    """Return what a scan would weigh terms with: one of the two texts, or one of a corpus."""
    from simdup.features.analyzer import Analyzer
    from simdup.fingerprints.fingerprinter import Fingerprinter

    if idf_from is None:
        if settings.recipe.idf == "corpus":
            raise SimdupError(
                "idf", "two texts are not a corpus", "name one with `idf_from`", field="idf"
            )
        return Fingerprinter.alone(Analyzer.for_recipe(settings.recipe, settings.run.segmenter))
    from simdup.operations.learn import learn_fingerprinter

    with screen.watch(settings) as watched:
        fingerprinter, skipped, notes = learn_fingerprinter([idf_from], watched)
    screen.skipped(skipped, notes)
    return fingerprinter


def _read(paths: tuple[str, str], reading: Reading, recipe: Recipe) -> tuple[Document, Document]:
    """Read two documents: files, or records of files."""
    from simdup.corpus.batches import batches
    from simdup.corpus.extras import require_extras
    from simdup.corpus.sources import addressed, one_file
    from simdup.ingest.given import Given
    from simdup.ingest.stripped import read_stripped

    files = [addressed(path, reading) or one_file(path, reading) for path in paths]
    documents = []
    for file in files:
        if isinstance(file, Skipped):
            raise SimdupError(file.document, file.reason)
        require_extras([file], reading)
        (batch,) = batches([file], reading)
        (found,) = read_stripped(batch, reading, recipe)
        if isinstance(found, Skipped):
            raise Given(reading=reading).refuse(found)
        documents.append(found)
    return documents[0], documents[1]
