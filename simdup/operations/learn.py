"""Learn: the fingerprinter that a scan of some sources would use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from simdup.corpus.sources import Named
from simdup.features.idf import Model
from simdup.fingerprints.fingerprinter import Fingerprinter
from simdup.ingest.corpus import ingest
from simdup.ingest.sources import open_input
from simdup.model.documents import Skipped
from simdup.model.settings import Settings


def learn_fingerprinter(
    sources: Iterable[str], settings: Settings
) -> tuple[Fingerprinter, list[Skipped], list[tuple[str, str]]]:
    """Return the fingerprinter that a scan of the sources would use, what it skips and notes."""
    named = list(sources)
    with ingest(open_input(Named(named), settings)) as corpus:
        made = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
    if made.learned and isinstance(made.idf, Model):
        idf = replace(made.idf, name="corpus " + ", ".join(named))
        made = replace(made, idf=idf)
    return made, corpus.skipped, corpus.notes
