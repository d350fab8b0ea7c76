"""Advice if many pairs share a template, and their titles differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simdup.model.fields import TITLE
from simdup.near.collection import Collection
from simdup.near.rows import Scanned
from simdup.text.titles import looks_templated

# Among documents with equal titles, those that share two thirds of their text are versions.
TITLED = 0.5


def step(scanned: Scanned) -> dict[str, Any]:
    """Return ``hint``."""
    corpus, criteria = scanned.rows.of_texts, scanned.criteria
    if TITLE in criteria.same:
        return {}
    pairs = scanned.joined.pairs.each()
    near = [(p.a, p.b) for p in pairs if p.measures.similarity not in (None, 1)]
    if not looks_templated(near, corpus.pages):
        return {}
    equal = _count_equal(corpus, [(pair.a, pair.b) for pair in pairs])
    also = "" if criteria.similarity <= TITLED else f" and `similarity` {TITLED:g}"
    hint = (
        "most pairs have different titles, and differ in what these name; if the documents share "
        f"a template, add `same` title{also}: {equal:,} of the {len(pairs):,} "
        "pairs found have equal titles"
    )
    return {"hint": hint}


def _count_equal(corpus: Collection, pairs: Sequence[tuple[int, int]]) -> int:
    """Count the pairs whose titles are equal, as if these decided; see `share_titles`."""
    titles = corpus.folded_titles(sorted({document for pair in pairs for document in pair}))
    digests, named = corpus["digest"], corpus["named"]

    def equal(a: int, b: int) -> bool:
        if digests[a] == digests[b] and not (named[a] or named[b]):
            return True
        one, other = ("".join(titles[document].split()) for document in (a, b))
        return one == other and bool(one or digests[a] == digests[b])

    return sum(equal(a, b) for a, b in pairs)
