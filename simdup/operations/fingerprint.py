"""Fingerprint a single text, or all documents of sources."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any, NamedTuple

from simdup.base.errors import TEXT, check_type
from simdup.corpus.records import without_surrogates
from simdup.model.recipe import Recipe, as_recipe
from simdup.model.settings import Settings
from simdup.near.collection import ingest_fingerprinted
from simdup.near.inputs import Data, SourceReport, open_input
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
    prints = fingerprinter.fingerprints(fingerprinter.analyzer.count([prepared]))
    return int(prints.hexes()[0], 16) if prints.terms[0] else None


class FingerprintRun(NamedTuple):
    """Fingerprints of sources as they arrive, and what is told of the sources once they ended."""

    recipe: dict[str, Any]  # resolved
    chunks: Iterator[tuple[list[Any], list[str]]]  # names and hex fingerprints, in order
    report: SourceReport


def fingerprint_sources(data: Data, settings: Settings) -> FingerprintRun:
    """Fingerprint all documents of sources.

    With a model or the built-in table, each batch is returned as soon as it is read.  If the
    corpus's own frequencies may be needed, all documents are read first.
    """
    opened = open_input(data, settings)
    fingerprinter, collections = ingest_fingerprinted(opened)
    chunks = (
        (documents["name"][prints.terms > 0].tolist(), list(compress(prints.hexes(), prints.terms)))
        for documents, prints in collections
    )
    return FingerprintRun(fingerprinter.fields, chunks, opened.report)
