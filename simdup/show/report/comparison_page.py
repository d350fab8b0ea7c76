"""The page of two documents, whatever the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from simdup.model.comparison import Comparison
from simdup.model.criteria import EDIT
from simdup.model.documents import Document
from simdup.model.formats import PageOptions
from simdup.model.settings import Settings
from simdup.near.source_documents import SourceDocuments
from simdup.show.comparison_output import facts
from simdup.show.report.chunks import add_originals
from simdup.show.report.columns import (
    EDITED,
    EXACT,
    SAME,
    PairRow,
    RowGroup,
    overview,
    source_row,
)
from simdup.show.report.page import assemble
from simdup.show.report.scan_page import criteria_values
from simdup.show.verdict import verdict
from simdup.show.words import CHINESE, ENGLISH, Phrases
from simdup.text.fingerprinter import Fingerprinter


def comparison_page(
    found: Comparison,
    documents: tuple[Document, Document],
    fingerprinter: Fingerprinter,
    options: PageOptions,
) -> Iterator[bytes]:
    """Return the page of a comparison."""
    settings = Settings(criteria=found.criteria)
    origins = SourceDocuments.of_texts(documents, settings, fingerprinter.analyzer, fingerprinter)
    group = _group(found, origins)
    about = {
        "title": "",  # the heading has both names
        "verdict": {
            # Where the texts are in the page, the reader lists the facts.
            words.language: _verdict(found, documents, words, brief=options.texts != 0)
            for words in (ENGLISH, CHINESE)
        },
        "criteria": criteria_values(found.criteria),
        "recipe": found.recipe,
        **overview([group], {"clusters": 1, "pairs": 1}, [], (), ()),
    }
    add = partial(add_originals, groups=[group], origins=origins)
    return assemble([group], about, replace(options, kind="compare"), add)


def _verdict(
    found: Comparison, documents: tuple[Document, Document], words: Phrases, *, brief: bool
) -> tuple[str, str]:
    """Return the answer and the sentence that begins with it."""
    texts = documents[0].text, documents[1].text
    judgement = verdict(found, texts, words, ("A", "B"), brief=brief)
    return judgement.answer, judgement.sentence(words)


def _group(found: Comparison, origins: SourceDocuments) -> RowGroup:
    """Return the two documents; the second is redundant if they are near-duplicates."""
    known, sizes = facts(found), origins.documents["size"].tolist()
    first, second = (source_row(origins.documents, n)._replace(size=sizes[n]) for n in (0, 1))
    a, b = ((digits or "").zfill(known["bits"] // 4) for digits in known["fingerprints"])
    distance, similarity = known["distance"], known["similarity"]
    second = second._replace(
        role="redundant" if known["duplicates"] else "kept",
        distance=distance,
        similarity=similarity,
        fingerprint=b,
        flags=second.flags | EXACT * found.identical | EDITED * (known["measure"] == EDIT),
    )
    pair = PairRow(0, 1, distance or 0, similarity, SAME * found.identical)
    return RowGroup([first._replace(fingerprint=a), second], [pair])
