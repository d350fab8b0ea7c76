"""Take a sample of the sources, find its true pairs, and measure what each setting finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from simdup.errors import WHOLE, check_type, invalid
from simdup.evaluation import tuning
from simdup.evaluation.templates import COSINE, unlike_share, unlike_words
from simdup.evaluation.tuning import LEAST, Truth
from simdup.features.counts import select
from simdup.features.shingles import Sets, Shingles
from simdup.features.weights import Weighting
from simdup.fingerprints.bands import Signatures, minhash_signatures, pstable_signatures
from simdup.fingerprints.fingerprinter import Fingerprinter, Fingerprints
from simdup.fingerprints.near import near_pairs
from simdup.ingest.corpus import Corpus, ingest
from simdup.ingest.counting import BatchOptions
from simdup.ingest.sources import Data, Input, open_input
from simdup.model.criteria import FEW_TERMS, Criteria, CriteriaFields
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, Settings
from simdup.model.tuning import Tuning
from simdup.search.banding import candidates
from simdup.verify.cosine import cosine, vector
from simdup.verify.join import similar_pairs

DISTANCES = range(17)
_DEFAULT = Criteria()
RECALLS = (_DEFAULT.recall, 0.95, 0.9)

RowIds = NDArray[np.int64]


def tune(
    data: Data,
    recipe: Recipe | str = "default",
    criteria: Criteria | None = None,
    *,
    sample: int = 2000,
    reading: Reading | None = None,
    run: RunOptions | None = None,
    jobs: int | None = None,
    text: str | tuple[str, ...] | None = None,
    id: str | None = None,  # noqa: A002
    **fields: Unpack[CriteriaFields],
) -> Tuning:
    """Find out which settings suit a corpus.

    All true pairs of a sample are found, and which of them each setting proposes.

    Parameters
    ----------
    data, recipe, criteria, reading, run, jobs, text, id, **fields
        As in `scan`.  With ``similarity=S`` among the fields a pair is true from S on; without, a
        similarity is recommended.
    sample : int
        The number of documents to sample, evenly spread over all; 2 or more.

    Returns
    -------
    Tuning
        ``settings``: the recall and cost of each; ``advice``, as options of the command line, and
        the ``reason`` for it; ``similarity``; ``bins``, the histogram of similarities.

    Raises
    ------
    SimdupError
        If an argument is invalid.

    Examples
    --------
    >>> text = "The quick brown fox jumps over the lazy dog near the old river bank."
    >>> found = tune([("a", text), ("b", text.upper()), ("c", "Nothing like the others.")])
    >>> found.true, found.advice
    (1, '-s 0.8')
    """
    check_type("sample", sample, WHOLE)
    if sample < 2:
        raise invalid("sample", sample, "2 or more documents")
    settings = Settings.of(
        recipe, criteria, reading=reading, run=run, jobs=jobs, text=text, id=id, **fields
    )
    return _tune(open_input(data, settings), sample, "similarity" in fields)


def _tune(opened: Input, sample: int, fixed: bool) -> Tuning:
    """Measure what each setting finds; if `fixed`, the similarity is the one of the criteria."""
    settings = opened.settings
    criteria = settings.criteria
    with ingest(opened, BatchOptions(criteria.shingle, texts=True)) as corpus:
        fingerprinter = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
        documents, drawn = _draw(corpus, fingerprinter, criteria, sample)
    truth = Truth(len(drawn.sets), *similar_pairs(drawn.sets, LEAST))
    similarity, reasons = _similarity(truth, criteria.similarity, fixed)
    share = _unlike_share(drawn, truth, similarity)
    if share is not None:
        # What looks alike may share no more than a form: even less below.
        similarity = criteria.similarity
        reasons = [unlike_words(share)]
    wanted = replace(criteria, similarity=max(similarity, LEAST))
    true = truth.at(wanted.similarity)
    tried = _try_settings(drawn, replace(settings, criteria=wanted))
    measured = [tuning.measure(options, truth, true, *found) for options, found in tried]
    best = tuning.advise_setting(measured)
    reasons.append(tuning.explain_setting(best, measured[0]))
    more = "" if share is None else f" --cosine {COSINE:g}"
    advice = f"{best.options} -s {wanted.similarity:g}{more}".strip() if len(true) else ""
    return Tuning(
        documents=documents,
        sample=len(drawn.sets),
        similarity=wanted.similarity,
        true=len(true),
        settings=measured,
        bins=tuning.histogram(truth),
        advice=advice,
        reason="; ".join(filter(None, reasons)) if advice else "",
        skipped=corpus.skipped,
        notes=corpus.notes,
        recipe=fingerprinter.fields,
    )


def _similarity(truth: Truth, usual: float, fixed: bool) -> tuple[float, list[str]]:
    """Return the similarity to advise, and why."""
    if fixed:
        return usual, ["the similarity is the one you set"]
    advised = tuning.advise_similarity(truth, usual)
    return advised, [tuning.explain_similarity(truth, advised, usual)]


def _unlike_share(drawn: _Sample, truth: Truth, similarity: float) -> float | None:
    """Return the share of similar pairs that differ in content, as the hint of a scan does."""
    near = (truth.similarity >= similarity) & (truth.similarity < 1)
    pairs = list(zip(truth.i[near].tolist(), truth.j[near].tolist(), strict=True))
    return unlike_share(
        pairs, lambda a, b: cosine(*(vector(drawn.weighting.document(one)) for one in (a, b)))
    )


@dataclass(frozen=True, slots=True)
class _Sample:
    """The documents of a sample: their fingerprints, shingles and weighted terms."""

    fingerprints: Fingerprints
    sets: list[Shingles]
    weighting: Weighting


def _draw(
    corpus: Corpus, fingerprinter: Fingerprinter, criteria: Criteria, size: int
) -> tuple[int, _Sample]:
    """Return how many documents have enough terms, and a sample of them."""
    found = fingerprinter.fingerprints(corpus.counts)
    enough = np.flatnonzero(found.terms >= FEW_TERMS)
    places = np.linspace(0, len(enough) - 1, min(size, len(enough)))
    chosen = enough[places.astype(np.int64)]
    shingler = corpus.analyzer.shingler(criteria.shingle)
    sets = [shingler.shingles(corpus.text(document)) for document in chosen.tolist()]
    weighting = fingerprinter.weigh(select(corpus.counts, chosen.tolist()))
    sampled = replace(found, values=found.values[chosen], terms=found.terms[chosen])
    return len(enough), _Sample(sampled, sets, weighting)


def _try_settings(
    drawn: _Sample, settings: Settings
) -> Iterator[tuple[str, tuple[RowIds, RowIds]]]:
    """Yield the options of each setting and the pairs that it proposes, the default first."""
    criteria = settings.criteria
    near = near_pairs(drawn.fingerprints, max(DISTANCES), settings.run)
    starts = np.cumsum([0, *map(len, drawn.sets)], dtype=np.int64)
    sets = Sets(starts, np.concatenate([np.zeros(0, np.uint64), *drawn.sets]))
    minhash = {r: _proposed(minhash_signatures(sets, replace(criteria, recall=r))) for r in RECALLS}
    simhash = {d: (near.i[near.distance <= d], near.j[near.distance <= d]) for d in DISTANCES}
    yield "", _distinct([simhash[_DEFAULT.distance], minhash[_DEFAULT.recall]])
    for distance, found in simhash.items():
        yield f"--method simhash -d {distance}", found
    for recall, found in minhash.items():
        option = "" if recall == _DEFAULT.recall else f" --recall {recall:g}"
        yield f"--method minhash{option}", found
    yield "--method pstable", _proposed(pstable_signatures(drawn.weighting, criteria))


def _proposed(signatures: Signatures) -> tuple[RowIds, RowIds]:
    """Return the pairs that signatures propose."""
    found = [(i[good], j[good]) for i, j in candidates(signatures.keys)
             if (good := signatures.propose(i, j)).any()]  # fmt: skip
    return _distinct(found)


def _distinct(chunks: Sequence[tuple[RowIds, RowIds]]) -> tuple[RowIds, RowIds]:
    """Return the pairs of all chunks, each once."""
    pairs = [i << 32 | j for i, j in chunks]
    both = np.unique(np.concatenate([np.zeros(0, np.int64), *pairs]))
    return both >> 32, both & 0xFFFFFFFF
