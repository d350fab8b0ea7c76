"""Compare: are two documents near-duplicates, and why."""

from __future__ import annotations

from collections.abc import Sequence

from simdup.corpus.records import without_surrogates
from simdup.errors import SimdupError
from simdup.features.counts import Counts, join
from simdup.features.idf import Idf
from simdup.features.tokens import tokenizer
from simdup.features.weights import UNIT, TopTerms, top_terms
from simdup.fingerprints.bands import MinhashBands, minhash_banding, ordered_words, pstable_keys
from simdup.fingerprints.fingerprinter import resolve_idf, resolved, shingler_for, vectors
from simdup.ingest.counting import prepare, term_counter, without_space
from simdup.lsh.simhash import distance as hamming
from simdup.lsh.simhash import simhash_rows, to_hex
from simdup.model.comparison import Comparison
from simdup.model.criteria import FEW_TERMS, Criteria, Measures
from simdup.model.documents import Document
from simdup.model.recipe import Recipe
from simdup.search.pieces import cut
from simdup.verify.verifier import Verifier


def compare(
    a: Document,
    b: Document,
    recipe: Recipe,
    criteria: Criteria,
    idf: Idf | None = None,
    segmenter: str = "auto",
) -> Comparison:
    """Compare two documents as a scan would.

    Parameters
    ----------
    a, b : Document
        What to compare.
    recipe : Recipe
        How to fingerprint them.
    criteria : Criteria
        When they are near-duplicates.
    idf : Idf, optional
        What to weigh with instead of what the recipe says.
    segmenter : str
        The segmenting engine.

    Raises
    ------
    SimdupError
        If the recipe wants the frequencies of a corpus: two documents are none.
    """
    segment = tokenizer(recipe, segmenter)
    texts = (without_surrogates(document.text) for document in (a, b))
    (tokens_a, text_a), (tokens_b, text_b) = (prepare(text, recipe, segment) for text in texts)
    counts, idf, top, hexes = _sketch([tokens_a, tokens_b], recipe, idf)
    weights = [
        {counts.terms[c]: w * UNIT for c, w in zip(*row, strict=True) if w}
        for row in zip(top.columns.tolist(), top.weights.tolist(), strict=True)
    ]
    shared = weights[0].keys() & weights[1].keys()
    apart = None if None in hexes else hamming(*(int(h or "", 16) for h in hexes))
    identical = without_space(text_a) == without_space(text_b)
    measures = _measures((text_a, text_b), counts, idf, recipe, criteria)
    terms = int(top.terms.min())
    bands = _bands(hexes[0], hexes[1], recipe.bits, criteria.distance)
    if criteria.method != "simhash" and apart is not None:
        bands = _equal_keys((text_a, text_b), counts, idf, recipe, criteria)
    near = apart is not None and apart <= criteria.distance
    duplicates = (
        (near if criteria.method == "simhash" else any(bands))
        and (not criteria.verify or criteria.accepts(measures))
        and (identical or terms >= FEW_TERMS)
    )
    return Comparison(
        a=a.name,
        b=b.name,
        duplicates=duplicates,
        distance=apart,
        bits=recipe.bits,
        similarity=measures.similarity or 0.0,
        containment=measures.containment,
        cosine=measures.cosine,
        identical=identical,
        terms=terms,
        fingerprints=(hexes[0], hexes[1]),
        bands=bands,
        shared=tuple(
            sorted(
                ((t, weights[0][t], weights[1][t]) for t in shared),
                key=lambda item: (-item[1] - item[2], item[0]),
            )
        ),
        only_a=_alone(weights[0], shared),
        only_b=_alone(weights[1], shared),
        recipe=resolved(recipe, idf),
        criteria=criteria,
    )


def _measures(
    texts: tuple[str, str], counts: Counts, idf: Idf, recipe: Recipe, criteria: Criteria
) -> Measures:
    """Measure two folded texts as a scan does."""
    cut = shingler_for(criteria, recipe)
    made = [cut(text if criteria.shingle.by_words else without_space(text)) for text in texts]
    return Verifier(made.__getitem__, vectors(counts, idf, recipe), criteria).measure(0, 1)


def fingerprints(texts: Sequence[str], recipe: Recipe) -> list[str | None]:
    """Return the hex fingerprints of a few texts; None for those without terms."""
    segment = tokenizer(recipe)
    tokens = [prepare(without_surrogates(text), recipe, segment)[0] for text in texts]
    return _sketch(tokens, recipe, None)[3]


def _sketch(
    tokens: list[list[str]], recipe: Recipe, idf: Idf | None
) -> tuple[Counts, Idf, TopTerms, list[str | None]]:
    if idf is None and recipe.idf == "corpus":
        raise SimdupError(
            "--idf corpus", "a text or two are no corpus", "name one with --idf-from SOURCE"
        )
    counts = join([(0, term_counter(recipe).count(tokens))], recipe.bits // 8)
    idf = idf or resolve_idf(recipe, counts)
    (top,) = top_terms(counts, idf, recipe)
    values = simhash_rows(counts.hashes, top.columns, top.weights, recipe.ties)
    hexes = to_hex(values, recipe.bits)
    return counts, idf, top, [h if n else None for h, n in zip(hexes, top.terms, strict=True)]


def _alone(weights: dict[str, float], shared: set[str]) -> tuple[tuple[str, float], ...]:
    alone = ((term, weight) for term, weight in weights.items() if term not in shared)
    return tuple(sorted(alone, key=lambda item: (-item[1], item[0])))


def _equal_keys(
    texts: tuple[str, str],
    counts: Counts,
    idf: Idf,
    recipe: Recipe,
    criteria: Criteria,
) -> tuple[bool, ...]:
    """Tell in which bands a scan by another method gives two documents the same key."""
    if criteria.method == "minhash":
        making = MinhashBands(minhash_banding(criteria), criteria.shingle)
        words = list(map(ordered_words(recipe), texts)) if making.shingles_words else []
        keys = making.keys([without_space(text) for text in texts], words)
    else:
        keys = pstable_keys(counts, idf, recipe, criteria)
    return tuple((keys[0] == keys[1]).tolist())


def _bands(a: str | None, b: str | None, bits: int, distance: int) -> tuple[bool, ...]:
    """Tell which of distance + 1 bands are equal: one must be, if that few bits differ."""
    if a is None or b is None:
        return ()
    different = format(int(a, 16) ^ int(b, 16), f"0{bits}b")
    count = min(distance + 1, bits)
    return tuple("1" not in different[start : start + size] for start, size in cut(bits, count))
