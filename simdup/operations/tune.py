"""Find true pairs of the sources, and measure what each setting finds of them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from simdup.errors import WHOLE, check_type, invalid
from simdup.evaluation import tuning
from simdup.evaluation.templates import COSINE, unlike_share
from simdup.evaluation.tuning import ENOUGH_PAIRS, FEW_PAIRS, LEAST, Truth
from simdup.features.counts import select
from simdup.features.shingles import Sets
from simdup.features.text import DIGEST_BYTES
from simdup.features.weights import Weighting
from simdup.fingerprints.fingerprinter import Fingerprinter, Fingerprints, fingerprint
from simdup.ingest.corpus import Corpus, ingest
from simdup.ingest.counting import BatchOptions
from simdup.ingest.sources import Data, Input, open_input
from simdup.model.criteria import CHARACTERS_5, FEW_TERMS, SHORT, Criteria, CriteriaFields
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, Settings
from simdup.model.shingling import Shingling
from simdup.model.tuning import Reason, Setting, Tuning
from simdup.output.tuning import reasons_words
from simdup.search.duplicates import collapse
from simdup.verify.cosine import cosine, vector
from simdup.verify.join import similar_pairs
from simdup.verify.stored import StoredTexts
from simdup.verify.trials import KnownPairs, Material, Trials, written
from simdup.verify.wide import MOST, jaccard, wide_pairs

_DEFAULT = Criteria()
# Lengths of shingles that are tried where texts are short or heavily edited.
LENGTHS = (4, 3, 2)
# The most documents among which a corpus is searched for true pairs: their signatures take 50 MB,
# and all of tune takes 49 s where they have 100 characters and four lengths are tried.
WIDEST = 50_000
# Elements that all pairs of a sample may have in common, together: 1.5 s.
_JOINED = 1 << 29
# Pairs whose check is timed.
_TIMED = 200

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

    All true pairs of a sample are found, and which of them each setting finds.  If they are fewer
    than 100, the whole corpus is searched for true pairs.  Identical texts count once.

    Parameters
    ----------
    data, recipe, criteria, reading, run, jobs, text, id, **fields
        As in `scan`.  With ``similarity=S`` among the fields a pair is true from S on; without, a
        similarity is recommended, and a length of shingles unless ``shingle`` is among them.
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
    >>> found = tune([("a", text), ("b", text + " Today."), ("c", "Nothing like the others.")])
    >>> found.true, found.advice, found.reason
    (1, '-s 0.8', '1 true pair is too few to judge by, so these are the defaults')
    """
    check_type("sample", sample, WHOLE)
    if sample < 2:
        raise invalid("sample", sample, "2 or more documents")
    settings = Settings.of(
        recipe, criteria, reading=reading, run=run, jobs=jobs, text=text, id=id, **fields
    )
    return _tune(open_input(data, settings), sample, frozenset(fields))


def _tune(opened: Input, sample: int, fixed: frozenset[str]) -> Tuning:
    """Measure what each setting finds; the `fixed` fields of the criteria are not tuned."""
    settings = opened.settings
    with ingest(opened, BatchOptions(settings.criteria.shingle, texts=True)) as corpus:
        texts = _Texts.of(corpus)
        drawn = _spread(texts.distinct, sample)
        wanted = _want(texts, drawn, settings.criteria, fixed)
        measured = _try_settings(texts, drawn, wanted, settings)
    best = measured[0][1]
    if wanted.judged:
        best = tuning.advise_setting([one for advised, one in measured if advised])
    reasons = (*wanted.reasons, *tuning.explain_setting(best, measured[0][1]))
    same = written(wanted.criteria, settings.criteria)
    return Tuning(
        documents=len(texts.distinct),
        sample=len(drawn),
        similarity=wanted.criteria.similarity,
        shingle=str(wanted.criteria.shingle),
        cosine=wanted.criteria.cosine,
        truth=wanted.scope,
        true=len(wanted.true),
        judged=wanted.judged,
        recall=best.recall,
        settings=[one for _, one in measured],
        bins=tuning.histogram(wanted.truth),
        same=same,
        advice=(wanted.judged and best.options) or same,
        reason=reasons_words(reasons),
        reasons=reasons,
        skipped=corpus.skipped,
        notes=corpus.notes,
        recipe=texts.fields,
    )


@dataclass(frozen=True, slots=True)
class _Texts:
    """The documents of a corpus, by number: their texts, fingerprints and weights."""

    corpus: Corpus
    fields: dict[str, Any]  # of the resolved recipe
    weighting: Weighting
    fingerprints: Fingerprints
    distinct: RowIds  # the first of each text with enough terms, ascending

    @classmethod
    def of(cls, corpus: Corpus) -> _Texts:
        fingerprinter = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
        weighting = fingerprinter.weigh(corpus.counts)
        found = fingerprint(weighting)
        enough = np.flatnonzero(found.terms >= FEW_TERMS)
        digests = corpus.digests[enough].view(np.uint64).reshape(-1, DIGEST_BYTES // 8)
        groups = collapse(digests)
        distinct = enough if groups.distinct is None else enough[groups.distinct]
        return cls(corpus, fingerprinter.fields, weighting, found, distinct)

    def sets(self, documents: RowIds, shingling: Shingling) -> Sets:
        """Return the distinct shingles of documents."""
        corpus = self.corpus
        return StoredTexts(corpus.analyzer, shingling, corpus.slots, corpus.read).sets(documents)

    def material(self, documents: RowIds) -> Material:
        """Return what searches need of documents."""
        found = self.fingerprints
        return Material(
            replace(found, values=found.values[documents], terms=found.terms[documents]),
            replace(self.weighting, counts=select(self.corpus.counts, documents.tolist())),
            cache(lambda shingling: self.sets(documents, shingling)),
        )

    def joined(self, documents: RowIds, shingling: Shingling, most: float = inf) -> Truth | None:
        """Return all similar pairs of some documents; None if these share too many shingles."""
        starts, hashes = self.sets(documents, shingling)
        times = np.unique(hashes, return_counts=True)[1]
        if int((times * times).sum()) > most:
            return None
        sets = [hashes[a:b] for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
        i, j, similarity = similar_pairs(sets, LEAST)
        return Truth(documents[i], documents[j], similarity, len(documents))

    def wide(self, shingling: Shingling, highest: float) -> Truth:
        """Return similar pairs of the whole corpus."""
        documents = _spread(self.distinct, WIDEST)
        found, least = wide_pairs(lambda some: self.sets(some, shingling), documents, highest)
        return Truth(*found, len(documents), least)

    def cosines(self, truth: Truth) -> NDArray[np.float64]:
        """Return the cosine of each pair."""
        return np.array([self.cosine(*pair) for pair in zip(truth.i, truth.j, strict=True)])

    def cosine(self, a: int, b: int) -> float:
        """Return the cosine of two documents."""
        return cosine(*(vector(self.weighting.document(int(one))) for one in (a, b)))


def _spread(documents: RowIds, size: int) -> RowIds:
    """Return at most `size` of the documents, evenly spread."""
    places = np.linspace(0, len(documents) - 1, min(size, len(documents)))
    return documents[places.astype(np.int64)]


class _Wanted(NamedTuple):
    """What should be found, and why."""

    criteria: Criteria  # the similarity, shingles and cosine of true pairs
    truth: Truth  # the similar pairs, below that similarity too
    true: Truth
    scope: str
    judged: bool  # whether the true pairs are enough to judge by
    reasons: list[Reason]
    others: tuple[
        Criteria, ...
    ] = ()  # other lengths of shingles with a gap, and the similarity in it


def _want(texts: _Texts, drawn: RowIds, asked: Criteria, fixed: frozenset[str]) -> _Wanted:
    """Find true pairs, and what tells them from others."""
    asked = replace(asked, similarity=max(asked.similarity, LEAST), method="auto")
    truth, scope = texts.joined(drawn, asked.shingle), "sample"
    assert truth is not None
    similarity, reasons = _similarity(truth, asked, fixed)
    if len(truth.at(similarity)) < ENOUGH_PAIRS and len(drawn) < len(texts.distinct):
        truth, scope = texts.wide(asked.shingle, asked.similarity), "corpus"
        similarity, reasons = _similarity(truth, asked, fixed)
    wanted = _Wanted(replace(asked, similarity=similarity), truth, truth, scope, True, reasons)
    tunable = not fixed & {"similarity", "shingle"} and asked.shingle == CHARACTERS_5
    if tunable and _shorter_may_help(texts, drawn, wanted):
        wanted = _try_lengths(texts, drawn, wanted)
    share = None if wanted.criteria.shingle != asked.shingle else _unlike_share(texts, wanted)
    if share is not None:
        # What looks alike may share no more than a form: even less below.
        asked = replace(asked, cosine=COSINE)
        wanted = wanted._replace(
            criteria=asked, reasons=[Reason.of("unlike", share=share, cosine=COSINE)]
        )
    wanted = _judge(wanted, texts, asked)
    if wanted.judged and asked.edits_decide and _middle_length(texts, drawn) < SHORT:
        # What was judged is the similarity of shingles, so this is what a scan must measure.
        criteria = replace(wanted.criteria, short_texts=False)
        reasons = [*wanted.reasons, Reason.of("short")]
        wanted = wanted._replace(criteria=criteria, reasons=reasons)
    return wanted


def _middle_length(texts: _Texts, drawn: RowIds) -> float:
    """Return the median of the texts' lengths in characters."""
    return float(np.median(texts.corpus.lengths[drawn])) if len(drawn) else 0.0


def _similarity(truth: Truth, asked: Criteria, fixed: frozenset[str]) -> tuple[float, list[Reason]]:
    """Return the similarity to advise, and why."""
    usual = asked.similarity
    if "similarity" in fixed:
        return usual, [Reason.of("set")]
    advised = tuning.advise_similarity(truth, usual)
    return advised, [tuning.explain_similarity(truth, advised, usual)]


def _shorter_may_help(texts: _Texts, drawn: RowIds, wanted: _Wanted) -> bool:
    """Return whether texts are short, pairs heavily edited, or pairs missing."""
    short = _middle_length(texts, drawn) < tuning.BRIEF
    few = len(wanted.truth.at(wanted.criteria.similarity)) < FEW_PAIRS
    return short or few or tuning.looks_edited(wanted.truth, _DEFAULT.similarity)


def _try_lengths(texts: _Texts, drawn: RowIds, wanted: _Wanted) -> _Wanted:
    """Return what the length of shingles finds that separates most pairs from the others."""
    found = {CHARACTERS_5.n: wanted.truth}
    for length in LENGTHS:
        if wanted.scope == "corpus":
            found[length] = texts.wide(Shingling(length), _DEFAULT.similarity)
        elif (joined := texts.joined(drawn, Shingling(length), _JOINED)) is not None:
            found[length] = joined
    gaps = {length: tuning.find_gap(one) for length, one in found.items()}
    above = {n: (gap, len(found[n].at(gap))) for n, gap in gaps.items() if gap is not None}
    criteria = wanted.criteria
    usual = len(wanted.truth.at(criteria.similarity))
    better = tuning.choose_shingle(above, usual)
    by_length = {n: replace(criteria, similarity=above[n][0], shingle=Shingling(n)) for n in above}
    if better is None:
        by_length.pop(CHARACTERS_5.n, None)
        return wanted._replace(others=tuple(by_length.values()))
    chosen = by_length.pop(better)
    shingles = {"better": better, "pairs": above[better][1], "gap": chosen.similarity}
    others = {"length": CHARACTERS_5.n, "n": usual, "least": criteria.similarity}
    reason = Reason.of("shingles", **shingles, **others)
    return wanted._replace(
        criteria=chosen, truth=found[better], reasons=[reason], others=tuple(by_length.values())
    )


def _unlike_share(texts: _Texts, wanted: _Wanted) -> float | None:
    """Return the share of similar pairs that differ in content, as the hint of a scan does."""
    near = wanted.truth.at(wanted.criteria.similarity)
    near = near.where(near.similarity < 1)
    return unlike_share(list(zip(near.i.tolist(), near.j.tolist(), strict=True)), texts.cosine)


def _judge(wanted: _Wanted, texts: _Texts, asked: Criteria) -> _Wanted:
    """Add the true pairs; return the defaults if they are too few to judge by."""
    criteria = wanted.criteria
    true = wanted.truth.at(criteria.similarity)
    if len(true) > MOST // 2:
        true = true.where(np.arange(len(true)) % -(-2 * len(true) // MOST) == 0)
    if criteria.cosine is not None:
        true = true.where(texts.cosines(true) >= criteria.cosine)
    if len(true) >= FEW_PAIRS:
        return wanted._replace(true=true)
    reasons = [Reason.of("few", n=len(true))]
    if criteria.cosine is not None:
        reasons = [*wanted.reasons, *reasons]
    criteria = replace(asked, cosine=criteria.cosine)
    true = true.where(true.similarity >= criteria.similarity)
    return wanted._replace(criteria=criteria, true=true, judged=False, reasons=reasons)


def _try_settings(
    texts: _Texts, drawn: RowIds, wanted: _Wanted, settings: Settings
) -> list[tuple[bool, Setting]]:
    """Return each setting, the default first, and whether it may be advised."""
    true = wanted.true
    documents = np.unique(np.concatenate([true.i, true.j]))
    i, j = np.searchsorted(documents, true.i), np.searchsorted(documents, true.j)
    check = _check_seconds(texts, drawn, wanted.criteria.shingle)
    pairs = KnownPairs(texts.material(documents), i, j, true.similarity, wanted.criteria)
    return Trials(texts.material(drawn), pairs, settings, check).results(wanted.others)


def _check_seconds(texts: _Texts, drawn: RowIds, shingling: Shingling) -> float:
    """Return how long it takes to check a pair: to read a text, and to compare two."""
    some = _spread(drawn, _TIMED)
    if not len(some):
        return 0.0
    started = time.process_time()
    sets = texts.sets(some, shingling)
    places = np.arange(len(some))
    jaccard(sets, places, np.roll(places, 1))
    return (time.process_time() - started) / len(some)
