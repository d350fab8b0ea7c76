"""Fingerprint a single text, or all documents of sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simdup.base.errors import TEXT, check_type
from simdup.corpus.records import without_surrogates
from simdup.model.documents import Skipped
from simdup.model.recipe import Recipe, as_recipe
from simdup.model.settings import Settings
from simdup.near.collection import ingest_fingerprinted
from simdup.near.inputs import Data, open_input
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.stripping import strip_texts


def fingerprint(text: str, recipe: Recipe | str = "default") -> int | None:
    """Return the fingerprint of a text, or None for one without terms.

    Parameters
    ----------
    text : str
        Any text.
    recipe : Recipe or str
        How it is fingerprinted.  A single text is not a corpus: with ``idf="auto"`` the built-in
        table weighs its terms.

    Raises
    ------
    SimdupError
        If the recipe needs the frequencies of a corpus.

    Examples
    --------
    >>> format(fingerprint("This is a test string for testing", "string128"), "032x")
    '0000000020302202800d8e90e45cc488'
    """
    check_type("text", text, TEXT)
    fingerprinter = Fingerprinter.alone(Analyzer.for_recipe(as_recipe(recipe)))
    strip = fingerprinter.recipe.strip
    (stripped,) = strip_texts([without_surrogates(text)], strip, ["text"])
    prepared = fingerprinter.analyzer.prepare(stripped)
    found = fingerprinter.fingerprints(fingerprinter.analyzer.count([prepared]))
    return int(found.hexes()[0], 16) if found.terms[0] else None


@dataclass(slots=True)
class FingerprintRun:
    """Fingerprints of sources as they arrive, and the data of the run."""

    recipe: dict[str, Any]  # resolved; available before the first chunk
    chunks: Iterator[tuple[list[Any], list[str]]]  # names and hex fingerprints, in order
    # As in `Result`; complete once the chunks have ended.
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def fingerprint_sources(data: Data, settings: Settings) -> FingerprintRun:
    """Fingerprint all documents of sources.

    With a model or the built-in table, each batch is returned as soon as it is read.  If the
    corpus's own frequencies may be needed, all documents are read first.
    """
    opened = open_input(data, settings)
    fingerprinter, collections = ingest_fingerprinted(opened)
    report = opened.report
    run = FingerprintRun(fingerprinter.fields, iter(()), report.skipped, report.notes)

    def chunks() -> Iterator[tuple[list[Any], list[str]]]:
        for documents, found in collections:
            hexes = found.hexes()
            with_terms = np.flatnonzero(found.terms)
            names = documents["name"][with_terms].tolist()
            yield names, [hexes[i] for i in with_terms.tolist()]

    run.chunks = chunks()
    return run
