"""`simdup compare`."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import nullcontext

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status
from simdup.cli.options import PAGE

# Differences are found unasked where the product of the lengths is at most this: two texts of
# 32,000 characters take 0.2 s.
_FEW_PAIRS = 1 << 30


@declare("compare", "A", "B")
def command(call: Call) -> Status:
    """Show whether two documents are near-duplicates, and why.

    A and B are files, or records of files, such as train.jsonl#5; one of them may be - for standard
    input. The first line is the verdict: equal, near-duplicates, near-duplicates that differ in
    some facts, partly copied, or neither. Then come the similarity, the distance, the searches that
    would find the pair, in how many places the texts differ and the first of them, the passages
    that both share and how much of each text these cover, and the heaviest terms. With --method
    auto, only the measures decide.

    With --diff, words that only A has are shown as [-removed-], those that only B has as {+added+}.
    Differences only in case, width or script are dimmed. In JSONL, spans have the offsets into both
    texts.

    Status: 0 near-duplicates, equal texts included; 1 not near-duplicates; 2 an error.

    Examples:
      simdup compare a.txt b.txt
      simdup compare --idf-from ./corpus corpus/a.txt corpus/b.txt
      simdup compare --diff old.txt new.txt
      simdup compare old.txt new.txt -o report.html
      simdup compare train.jsonl#5 train.jsonl#17
      simdup compare -f jsonl a.txt b.txt | jq .similarity
    """
    idf_from, out, screen, paths = call["idf_from"], call.out, call.screen, call.pair("a", "b")
    from simdup.operations.compare import compare_documents, learn_fingerprinter, read_document
    from simdup.show.comparison_output import comparison_jsonl, comparison_text

    settings = call.settings
    a, b = documents = (read_document(paths[0], settings), read_document(paths[1], settings))
    notes = [(document.name, document.note) for document in documents if document.note]
    shapes = Counter(document.shape for document in documents if document.shape)
    if shapes and settings.reading.field is None:
        from simdup.corpus.shapes import shape_notes

        notes += shape_notes(shapes, "field")
    screen.skipped((), notes)
    with call.watch() if idf_from else nullcontext(settings) as watched:
        fingerprinter, skipped, learned = learn_fingerprinter(watched, idf_from)
    screen.skipped(skipped, learned)
    with call.writing(*paths, *filter(None, [idf_from])) as stream:
        texts, show = (a.text, b.text), call["diff"]
        differences = show or (out.format == "text" and math.prod(map(len, texts)) <= _FEW_PAIRS)
        compared = compare_documents(documents, fingerprinter, settings, differences)
        if out.format == "jsonl":
            stream.writelines(comparison_jsonl(compared))
        elif out.format == PAGE:
            from simdup.show.report.pairs_page import comparison_page

            stream.writelines(comparison_page(compared, documents, fingerprinter, call.page))
        elif not screen.quiet or out.path:
            paint = out.painter(stream, screen.words)
            lines = comparison_text(
                compared, texts, paint, followed=show, verbose=screen.verbose,
                chosen_idf=idf_from is not None or settings.recipe.idf != "auto",
            )  # fmt: skip
            stream.writelines(lines)
            if show:
                from simdup.show.diff import diff_text

                stream.writelines(diff_text(compared, texts, paint))
    return call.finish(no=not compared.duplicates)
