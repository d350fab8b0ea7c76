"""Tune: a sample of the sources, its true pairs, and what each setting finds of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from simdup.evaluation.tuning import (
    LEAST,
    Truth,
    advised_setting,
    advised_similarity,
    histogram,
    measure,
)
from simdup.features.counts import select
from simdup.fingerprints.bands import minhash_banding, pstable_keys
from simdup.fingerprints.fingerprinter import resolve_idf, resolved, shingler_for, sketch
from simdup.ingest.counting import Effort, Wanted, gathered, open_sources
from simdup.lsh import minhash
from simdup.lsh.families import bands
from simdup.model.criteria import FEW_TERMS, Criteria
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.tuning import Tuning
from simdup.operations.searching import near_fingerprints
from simdup.search.banding import candidates
from simdup.verify.join import similar_pairs
from simdup.verify.resemblance import Shingles

DISTANCES = range(17)
RECALLS = (0.99, 0.95, 0.9)


def tune(
    sources: Iterable[str],
    recipe: Recipe,
    criteria: Criteria,
    reading: Reading,
    effort: Effort,
    sample: int = 2000,
    fixed: bool = False,
) -> Tuning:
    """Find out what each setting finds.

    Parameters
    ----------
    sources, recipe, criteria, reading, effort
        As in `scan`.
    sample : int
        How many documents to look at, evenly spread over all.
    fixed : bool
        Whether the criteria's similarity is the one that is wanted; otherwise one is advised.
    """
    intake = open_sources(sources, reading, effort)
    wanted_texts = Wanted(texts=True, spaced=criteria.shingle.by_words)
    with gathered(intake, recipe, reading, wanted_texts) as (corpus, counts, text_of):
        idf = resolve_idf(recipe, counts)
        sketched = sketch(counts, idf, recipe)
        worded = np.flatnonzero(sketched.terms >= FEW_TERMS)
        places = np.linspace(0, len(worded) - 1, min(sample, len(worded)))
        chosen = worded[places.astype(np.int64)]
        cut = shingler_for(criteria, recipe)
        sets = [cut(text_of(document)) for document in chosen.tolist()]
        sampled = select(counts, chosen.tolist())
    truth = Truth(len(sets), *similar_pairs(sets, LEAST))
    similarity = criteria.similarity if fixed else advised_similarity(truth, criteria.similarity)
    wanted = replace(criteria, similarity=max(similarity, LEAST))
    true = truth.at(wanted.similarity)

    near = near_fingerprints(sketched.values[chosen], max(DISTANCES), recipe.bits, effort)
    settings = [
        measure(f"-d {d}", truth, true, near.i[near.distance <= d], near.j[near.distance <= d])
        for d in DISTANCES
    ]
    for recall in RECALLS:
        found = _minhash(sets, replace(wanted, recall=recall))
        asked = "" if recall == criteria.recall else f" --recall {recall:g}"
        settings.append(measure(f"--method minhash{asked}", truth, true, *found))
    keys = pstable_keys(sampled, idf, recipe, wanted)
    settings.append(measure("--method pstable", truth, true, *_joined(candidates(keys))))

    best = advised_setting(settings)
    advice = f"{best.options} -s {wanted.similarity:g}" if len(true) else ""
    return Tuning(
        documents=len(worded),
        sample=len(sets),
        similarity=wanted.similarity,
        true=len(true),
        settings=settings,
        bins=histogram(truth),
        advice=advice,
        skipped=corpus.skipped,
        recipe=resolved(recipe, idf),
    )


Rows = np.ndarray[Any, np.dtype[np.int64]]


def _minhash(sets: list[Shingles], criteria: Criteria) -> tuple[Rows, Rows]:
    banding = minhash_banding(criteria)
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    hashes = np.concatenate([np.zeros(0, np.uint64), *sets])
    return _joined(candidates(bands(minhash.signatures(starts, hashes, banding.size), banding)))


def _joined(blocks: Iterator[tuple[Rows, Rows]]) -> tuple[Rows, Rows]:
    pairs = list(blocks)
    nothing = np.zeros(0, np.int64)
    return (
        np.concatenate([nothing, *(i for i, _ in pairs)]),
        np.concatenate([nothing, *(j for _, j in pairs)]),
    )
