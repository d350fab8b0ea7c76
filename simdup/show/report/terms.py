"""Why documents are alike: their heaviest terms, as a fingerprint is made of them."""

from __future__ import annotations

from collections.abc import Sequence

from simdup.text.fingerprinter import Fingerprinter
from simdup.text.weights import UNIT

# Terms of a document that a page lists.
MOST = 20


def heaviest_terms(texts: Sequence[str], fingerprinter: Fingerprinter) -> list[list[list[object]]]:
    """Return [term, weight] of each text, by falling weight; weights have one decimal."""
    analyzer = fingerprinter.analyzer
    counts = analyzer.count(analyzer.prepare_all(texts))
    found: list[list[list[object]]] = []
    for top in fingerprinter.weigh(counts).top_terms():
        for columns, weights in zip(top.columns.tolist(), top.weights.tolist(), strict=True):
            found.append(
                [
                    [counts.terms[column], round(weight * UNIT, 1)]
                    for column, weight in list(zip(columns, weights, strict=True))[:MOST]
                    if weight
                ]
            )
    return found
