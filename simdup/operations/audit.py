"""Draw pairs from a result and make a page to judge them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

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
from simdup.near.inputs import SourceReport, open_input
from simdup.near.source_documents import SourceDocuments
from simdup.show.result import Result
from simdup.show.streams import open_output
from simdup.show.targets import check_output
from simdup.text.analyzer import Analyzer

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
    from simdup.show.report.audit_page import audit_page

    if sample < 1 or seed < 0:
        name, least = ("sample", 1) if sample < 1 else ("seed", 0)
        raise SimdupError(name, f"expected a number from {least} on", field=name)
    named = [sources] if isinstance(sources, str | os.PathLike) else sources
    where = [os.fspath(one) for one in named]
    settings = Settings(reading=reading or Reading())
    audited = examine(found, where, settings, sample, seed)
    path = "" if isinstance(found, Result) else os.fspath(found)
    check_output(os.fspath(page), [*filter(None, [path]), *where], settings.reading)
    with open_output(os.fspath(page)) as stream:
        stream.writelines(audit_page(audited.sample, audited.documents, PageOptions(), path))
    return audited.sample


@dataclass(frozen=True, slots=True)
class Audited:
    """A sample, and its texts.

    Attributes
    ----------
    sample : Sample
        The pairs.
    documents : SourceDocuments
        Has the documents whose texts can be read again.
    skipped : sequence of Skipped
        Those that cannot.
    notes : sequence of (str, str)
        Names, and notes on how they were read.
    """

    sample: Sample
    documents: SourceDocuments
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
    names = list(dict.fromkeys(name for pair in drawn.pairs for name in (pair.stays, pair.goes)))
    documents, skipped, notes = _read_again(names, sources, settings)
    if not documents:
        # Records that lack the field are not known by their own names.
        for one in skipped:
            if isinstance(one, NoField):
                raise SourceReport(reading=settings.reading).refuse(one)
        count = counted(len(names), "document")
        what = f"none of its {count} can be read again, first {names[0]!r:.200}"
        hint = "name the SOURCEs of the scan after FOUND, or run this where it ran"
        if sources:
            hint = "read the SOURCEs as the scan did, with its --id-field and --input-format"
        raise SimdupError(path, what, hint)
    analyzer = Analyzer.for_recipe(settings.recipe)
    origins = SourceDocuments.of_texts(documents, settings, analyzer, None)
    return Audited(drawn, origins, skipped, notes)


def _read_again(
    names: Sequence[str], sources: Sequence[str], settings: Settings
) -> tuple[list[Document], list[Skipped], Sequence[tuple[str, str]]]:
    """Return documents, those that cannot be read, and notes.

    Without sources they are read from where their names say.
    """
    left = dict.fromkeys(names)
    opened = open_input(Named(sources or dict.fromkeys(map(without_address, names))), settings)
    documents, others = list[Document](), 0
    failed = {str(one.document): one for one in opened.skipped}
    for batch in opened.batches:
        for one in read_stripped(batch, settings.reading, settings.recipe):
            if isinstance(one, Skipped):
                failed[str(one.document)] = one
                continue
            # A record whose own name was taken already is named by its place.
            name = one.name if one.name in left else one.place
            if name in left:
                del left[name]
                documents.append(one._replace(name=name))
            else:
                others += 1
    missing = [failed.get(name) or Skipped(name, "no such document with a text") for name in left]
    if not documents and not others:
        missing = [*failed.values(), *missing]
    return documents, [replace(one, error=True) for one in missing], opened.notes
