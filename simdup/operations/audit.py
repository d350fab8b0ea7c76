"""Draw pairs from a result and make a page to judge them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, TypeAlias

from simdup.base.errors import SimdupError, counted
from simdup.corpus.found_pairs import read_population
from simdup.corpus.names import without_address
from simdup.corpus.sources import Named
from simdup.model.decisions import SAMPLE, SEED
from simdup.model.documents import Document, NoField, Skipped
from simdup.model.formats import PageOptions
from simdup.model.settings import Reading, Settings
from simdup.near.audit_sample import Sample, draw, population_of
from simdup.near.batch_reader import read_stripped
from simdup.near.findings import Origins
from simdup.near.inputs import SourceReport, open_input
from simdup.show.result import Result
from simdup.show.streams import open_output
from simdup.show.targets import check_output

Found: TypeAlias = str | os.PathLike[str] | Result


def audit(
    found: Found,
    page: str | os.PathLike[str],
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    *,
    sample: int = SAMPLE,
    seed: int = SEED,
    reading: Reading | None = None,
) -> Sample:
    """Draw pairs from a result and write a page to judge them.

    The pairs are the redundant documents, each with the one that stays instead; of a file that
    lists pairs, these.  Decisions that the page saves are for `evaluate`.

    Parameters
    ----------
    found : path or Result
        The JSONL or CSV of a scan, or what `scan` returned.
    page : path
        Where to write the page.
    sources : path or paths
        Where the documents of a file are, if their names do not say it: they are read again.
    sample : int
        How many pairs to draw.  If there are fewer, all are drawn.
    seed : int
        Decides which pairs are drawn: the same ones from the same result.
    reading : Reading, optional
        How documents are read, as for the scan.

    Returns
    -------
    Sample
        ``pairs`` in the order of the page, ``bands`` of similarity with their numbers of pairs.

    Raises
    ------
    SimdupError
        If the file cannot be read or has no pair, or none of the texts can be read again.

    Examples
    --------
    >>> audit(scan("./corpus"), "sample.html", sample=100).bands  # doctest: +SKIP
    """
    from simdup.show.report.pairs_page import audit_page

    if sample < 1 or seed < 0:
        name, least = ("sample", 1) if sample < 1 else ("seed", 0)
        raise SimdupError(name, f"expected a number from {least} on", field=name)
    named = [sources] if isinstance(sources, str | os.PathLike) else sources
    where = [os.fspath(path) for path in named]
    settings = Settings(reading=reading or Reading())
    audited = examine(found, where, settings, sample, seed)
    path = "" if isinstance(found, Result) else os.fspath(found)
    check_output(os.fspath(page), [*filter(None, [path]), *where], settings.reading)
    with open_output(os.fspath(page)) as stream:
        stream.writelines(audit_page(audited.sample, audited.documents, PageOptions(), path))
    return audited.sample


class Audited(NamedTuple):
    """A sample, the documents whose texts are there, and notes on how these were read.

    What cannot be read is skipped.
    """

    sample: Sample
    documents: Origins
    skipped: Sequence[Skipped] = ()
    notes: Sequence[tuple[str, str]] = ()


def examine(
    found: Found, sources: Sequence[str], settings: Settings, sample: int, seed: int
) -> Audited:
    """Draw a sample, and read its documents again."""
    if isinstance(found, Result):
        if not (population := population_of(found)).pairs:
            raise SimdupError("found", "has no redundant document", field="found")
        return Audited(draw(population, sample, seed), replace(found.origins, fingerprinter=None))
    path = os.fspath(found)
    drawn = draw(read_population(path), sample, seed)
    missing = dict.fromkeys(name for pair in drawn.pairs for name in (pair.stays, pair.goes))
    count, first = counted(len(missing), "document"), next(iter(missing))
    # Without sources they are read from where their names say.
    opened = open_input(Named(sources or dict.fromkeys(map(without_address, missing))), settings)
    documents, others = list[Document](), False
    failed = {str(document.document): document for document in opened.skipped}
    for batch in opened.batches:
        for document in read_stripped(batch, settings.reading, settings.recipe):
            if isinstance(document, Skipped):
                failed[str(document.document)] = document
                continue
            # A record whose own name was taken already is named by its place.
            name = document.name if document.name in missing else document.place
            if name in missing:
                del missing[name]
                documents.append(document._replace(name=name))
            else:
                others = True
    skipped = [
        failed.get(name) or Skipped(name, "no such document with a text") for name in missing
    ]
    if not documents:
        # Records that lack the field are not known by their own names.
        for fault in skipped if others else chain(failed.values(), skipped):
            if isinstance(fault, NoField):
                raise SourceReport(reading=settings.reading).refuse(fault)
        hint = "name the SOURCEs of the scan after FOUND, or run this where it ran"
        if sources:
            hint = "read the SOURCEs as the scan did, with its --id-field and --input-format"
        what = f"none of its {count} can be read again, first {first!r:.200}"
        raise SimdupError(path, what, hint)
    skipped = [replace(fault, error=True) for fault in skipped]
    return Audited(drawn, Origins.of_texts(documents, settings), skipped, opened.notes)
