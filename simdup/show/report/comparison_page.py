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
from simdup.near.findings import Origins
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
from simdup.show.words import CHINESE, ENGLISH
from simdup.text.fingerprinter import Fingerprinter


def comparison_page(
    compared: Comparison,
    documents: tuple[Document, Document],
    fingerprinter: Fingerprinter,
    options: PageOptions,
) -> Iterator[bytes]:
    """Return the page of a comparison."""
    origins = Origins.of_texts(documents, Settings(criteria=compared.criteria), fingerprinter)
    group = _group(compared, origins)
    texts, verdicts = (documents[0].text, documents[1].text), {}
    for words in (ENGLISH, CHINESE):
        # Where the texts are in the page, the reader lists the facts.
        judged = verdict(compared, texts, words, ("A", "B"), brief=options.texts != 0)
        verdicts[words.language] = judged.answer, judged.sentence(words)
    about = {
        "title": "",  # the heading has both names
        "verdict": verdicts,
        "criteria": criteria_values(compared.criteria),
        "recipe": compared.recipe,
        **overview([group], {"clusters": 1, "pairs": 1}, [], (), ()),
    }
    add = partial(add_originals, groups=[group], origins=origins)
    return assemble([group], about, replace(options, kind="compare"), add)


def _group(compared: Comparison, origins: Origins) -> RowGroup:
    """Return the two documents; the second is redundant if they are near-duplicates."""
    distance, similarity = compared.distance, compared.similarity
    a, b = ((digits or "").zfill(compared.bits // 4) for digits in compared.fingerprints)
    first, second = (source_row(origins.documents, row) for row in (0, 1))
    second = second._replace(
        role="redundant" if compared.duplicates else "kept",
        distance=distance,
        similarity=similarity,
        fingerprint=b,
        flags=second.flags | EXACT * compared.identical | EDITED * (compared.measure == EDIT),
    )
    pair = PairRow(0, 1, distance or 0, similarity, SAME * compared.identical)
    return RowGroup([first._replace(fingerprint=a), second], [pair])
