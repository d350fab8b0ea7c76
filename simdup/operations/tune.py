"""Find true pairs of the sources, and advise the settings that find them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import WHOLE, check_type, invalid
from simdup.model.criteria import (
    CHARACTERS_5,
    FEW_TERMS,
    SHORT,
    Criteria,
    CriteriaFields,
    Shingling,
)
from simdup.model.measures import MeasuredPairs
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.model.tuning import FEW_PAIRS, Reason, Setting, Tuning
from simdup.near.collection import Collection, ingest
from simdup.near.counting import Maker, contents, forms, titles
from simdup.near.inputs import Data, Input, open_input
from simdup.near.rules import formed
from simdup.near.true_pairs import (
    MOST,
    NO_PAIRS,
    Trials,
    TunedDocuments,
    counted_pairs,
    edited_pairs,
    joined,
    wide_counted,
    wide_edited,
    written,
)
from simdup.near.verifier import Texts
from simdup.search.equal_keys import collapse
from simdup.show.evaluation import reasons_words
from simdup.text.characters import DIGEST_BYTES
from simdup.text.fingerprinter import Fingerprinter, fingerprint
from simdup.text.titles import looks_templated
from simdup.text.weights import Weighting

_DEFAULT = Criteria()
# Lengths of shingles that are tried where texts are short or heavily edited.
LENGTHS = (4, 3, 2)
# The most documents among which a corpus is searched for true pairs: of 30,000 English titles 20
# million pairs share a key, which `VISITS` allows.
WIDEST = 30_000
# The lowest similarity of pairs to look for: below, there are more and more.
LEAST = 0.3
# The step of the histogram.
STEP = 0.05
# A setting with at least this recall is good enough.
ENOUGH = 0.95
# With fewer true pairs, a sample does not tell: the standard error of a recall of 0.95 is 0.022.
ENOUGH_PAIRS = 100
# Texts of fewer characters, in the middle of all, are brief: one edit changes 5 of their 5-grams.
BRIEF = 200
# Two steps of the histogram are a gap if they have at most this share of the pairs above.
GAP = 0.02
# More of all pairs are not near-duplicates.
_RELATED = 0.1
# Shorter shingles must separate so many times more pairs from the others.
_MORE = 1.1
# One length is better than another from so many times the pairs on.
_CLEARLY = 1.02
_LARGE_DISTANCES = frozenset(range(7, 257))
# Elements that all pairs of a sample may have in common, together: 1.5 s.
_JOINED = 1 << 29


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

    The pairs of the corpus are found as a scan would measure them, and which of them each setting
    finds.  If they do not say what is better than the default, the default is advised.  Identical
    texts count once.

    Parameters
    ----------
    data, recipe, criteria, reading, run, jobs, text, id, **fields
        As in `scan`.  With ``similarity=S`` among the fields a pair is true from S on; without, a
        similarity is recommended, and a length of shingles unless ``shingle`` is among them.
    sample : int
        The number of documents, evenly spread over all, on which costs are measured; 2 or more.
        If there are no more, all are compared with each other.

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
    with ingest(opened, _columns(settings.criteria)) as corpus:
        fingerprinter = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
        documents = _distinct(corpus, fingerprinter.weigh(corpus.counts))
        asked = settings.criteria
        asked = replace(asked, similarity=max(asked.similarity, LEAST), method="auto")
        search = _Search.of(documents, documents.spread(sample), asked)
        wanted = _want(search, asked, fixed, corpus)
        measured = _try_settings(search, wanted, settings)
    best = measured[0][1]
    if wanted.judged:
        best = advise_setting([one for advised, one in measured if advised])
    reasons = (*wanted.reasons, *explain_setting(best, measured[0][1]))
    same = written(wanted.criteria, settings.criteria)
    return Tuning(
        documents=len(documents),
        sample=len(search.sample),
        similarity=wanted.criteria.similarity,
        shingle=str(wanted.criteria.shingle),
        cosine=wanted.criteria.cosine,
        true=len(wanted.true),
        recall=best.recall,
        settings=[one for _, one in measured],
        bins=histogram(wanted.truth),
        same=same,
        advice=(wanted.judged and best.options) or same,
        reason=reasons_words(reasons),
        reasons=reasons,
        skipped=corpus.report.skipped,
        notes=corpus.report.notes,
        recipe=fingerprinter.fields,
    )


def _columns(criteria: Criteria) -> list[Maker]:
    """Return what to make of documents: forms for the lowest similarity, without band keys."""
    if not criteria.edits_decide:
        return [titles, contents]
    lowest = replace(criteria, similarity=LEAST, method="simhash")
    return [titles, contents, partial(forms, criteria=lowest)]


def _distinct(corpus: Collection, weighting: Weighting) -> TunedDocuments:
    """Return the first document of each text that can be in a pair."""
    prints = fingerprint(weighting)
    documents = corpus.of_texts.and_columns(number=np.arange(len(corpus)), **prints.columns)
    enough = np.flatnonzero((prints.terms >= FEW_TERMS) | formed(documents))
    groups = collapse(corpus["digest"][enough].view(np.uint64).reshape(-1, DIGEST_BYTES // 8))
    distinct = enough if groups.distinct is None else enough[groups.distinct]
    texts = Texts(documents, corpus.analyzer, CHARACTERS_5, corpus.spool.read)
    return TunedDocuments(texts, weighting).take(distinct)


@dataclass(frozen=True, slots=True)
class _Search:
    """Finds the pairs of a corpus as a scan measures them, by any shingles."""

    sample: TunedDocuments
    documents: TunedDocuments  # among which pairs are looked for
    edited: MeasuredPairs  # the pairs that are measured by edit similarity
    least: float  # from this similarity on

    @classmethod
    def of(cls, every: TunedDocuments, sample: TunedDocuments, criteria: Criteria) -> _Search:
        exact = len(sample) == len(every)
        documents = sample if exact else every.spread(WIDEST)
        if "letters" not in every.texts.documents:
            return cls(sample, documents, NO_PAIRS, LEAST)
        edited, least = edited_pairs(sample.texts, LEAST), LEAST
        if not exact:
            sampled = edited["similarity"]
            edited, least = wide_edited(documents.texts, criteria)
            # The sample tells whether hardly any texts are less alike, yet not different.
            below = np.count_nonzero(sampled < least) * (len(documents) / len(sample)) ** 2
            if below <= GAP * len(edited):
                least = LEAST
        return cls(sample, documents, edited, least)

    def by(self, shingling: Shingling, highest: float, most: float = math.inf) -> Truth | None:
        """Return the similar pairs; None if more than `most` elements are in common."""
        texts, least = self.documents.texts.by(shingling), LEAST
        if self.sample is self.documents:
            # Settings are tried with the same sets.
            sets = self.documents.sets(shingling)
            times = np.unique(sets.hashes, return_counts=True)[1]
            if int((times * times).sum()) > most:
                return None
            counted = counted_pairs(texts, sets, LEAST)
        else:
            counted, least = wide_counted(texts, highest)
        if len(self.edited):
            least = max(least, self.least)
        return Truth(joined([counted, self.edited]), len(self.documents), least)


class _Wanted(NamedTuple):
    """What should be found, and why."""

    criteria: Criteria  # the similarity, shingles and cosine of true pairs
    truth: Truth  # the similar pairs, below that similarity too
    true: MeasuredPairs
    judged: bool  # whether the true pairs are enough to judge by
    reasons: list[Reason]
    # Other lengths of shingles with a gap, and the similarity in it.
    others: tuple[Criteria, ...] = ()


def _want(search: _Search, asked: Criteria, fixed: frozenset[str], corpus: Collection) -> _Wanted:
    """Find true pairs, and what tells them from others."""
    truth = search.by(asked.shingle, asked.similarity)
    assert truth is not None
    similarity, reasons = _similarity(truth, asked, fixed)
    wanted = _Wanted(replace(asked, similarity=similarity), truth, truth.pairs, True, reasons)
    tunable = not fixed & {"similarity", "shingle"} and asked.shingle == CHARACTERS_5
    if tunable and _shorter_may_help(search.sample, wanted):
        wanted = _try_lengths(search, wanted)
    near = truth.at(asked.similarity).pairs
    if "similarity" not in fixed and _templated(search.documents, near, corpus):
        # What looks alike may share no more than a form: even less below.
        wanted = wanted._replace(criteria=asked, truth=truth, reasons=[Reason.of("templated")])
    return _judge(wanted, search.documents, asked)


def _similarity(truth: Truth, asked: Criteria, fixed: frozenset[str]) -> tuple[float, list[Reason]]:
    """Return the similarity to advise, and why."""
    usual = asked.similarity
    if "similarity" in fixed:
        return usual, [Reason.of("set")]
    advised = advise_similarity(truth, usual)
    more = len(truth.at(advised)) - len(truth.at(usual))
    if advised < usual and more < FEW_PAIRS:
        return usual, [Reason.of("slight", n=more, advised=advised)]
    return advised, [explain_similarity(truth, advised, usual)]


def _shorter_may_help(sample: TunedDocuments, wanted: _Wanted) -> bool:
    """Return whether texts are short, pairs heavily edited, or pairs missing."""
    if not len(sample):
        return False
    lengths = sample.texts.documents["length"]
    if wanted.criteria.edits_decide and np.quantile(lengths, 0.75) < SHORT:
        return False  # few pairs are measured by shingles
    short = np.median(lengths) < BRIEF
    few = len(wanted.truth.at(wanted.criteria.similarity)) < FEW_PAIRS
    return bool(short) or few or looks_edited(wanted.truth, _DEFAULT.similarity)


def _try_lengths(search: _Search, wanted: _Wanted) -> _Wanted:
    """Return what the length of shingles finds that separates most pairs from the others."""
    found = {CHARACTERS_5.n: wanted.truth}
    for length in LENGTHS:
        one = search.by(Shingling(length), _DEFAULT.similarity, _JOINED)
        if one is not None:
            found[length] = one
    gaps = {length: find_gap(one) for length, one in found.items()}
    above = {n: (gap, len(found[n].at(gap))) for n, gap in gaps.items() if gap is not None}
    criteria = wanted.criteria
    usual = len(wanted.truth.at(criteria.similarity))
    better = choose_shingle(above, usual)
    by_length = {n: replace(criteria, similarity=above[n][0], shingle=Shingling(n)) for n in above}
    if better is None:
        by_length.pop(CHARACTERS_5.n, None)
        return wanted._replace(others=tuple(by_length.values()))
    chosen = by_length.pop(better)
    shingles = {"better": better, "pairs": above[better][1], "gap": chosen.similarity}
    others = {"length": CHARACTERS_5.n, "n": usual, "least": criteria.similarity}
    key = "gap" if better == CHARACTERS_5.n else "shingles"
    reason = Reason.of(key, **shingles, **others)
    return wanted._replace(
        criteria=chosen, truth=found[better], reasons=[reason], others=tuple(by_length.values())
    )


def _templated(documents: TunedDocuments, near: MeasuredPairs, corpus: Collection) -> bool:
    """Return whether pairs look as if they were made from templates, as the hint of a scan does."""
    pairs, numbers = near.take(near["similarity"] < 1), documents.texts.documents["number"]
    a, b = (numbers[pairs[name]].tolist() for name in ("a", "b"))
    return looks_templated(list(zip(a, b, strict=True)), corpus.pages)


def _judge(wanted: _Wanted, documents: TunedDocuments, asked: Criteria) -> _Wanted:
    """Add the true pairs; return the defaults if they are too few to judge by."""
    criteria = wanted.criteria
    true = wanted.truth.at(criteria.similarity).pairs
    if len(true) > MOST // 2:
        true = true.take(np.arange(0, len(true), -(-2 * len(true) // MOST)))
    if criteria.cosine is not None:
        true = true.take(documents.cosines(true) >= criteria.cosine)
    if len(true) >= FEW_PAIRS:
        return wanted._replace(true=true)
    true = true.take(true["similarity"] >= asked.similarity)
    return wanted._replace(
        criteria=asked, true=true, judged=False, reasons=[Reason.of("few", n=len(true))]
    )


def _try_settings(
    search: _Search, wanted: _Wanted, settings: Settings
) -> list[tuple[bool, Setting]]:
    """Return each setting, the default first, and whether it may be advised."""
    true = wanted.true
    places, rows = np.unique([true["a"], true["b"]], return_inverse=True)
    a, b = rows.reshape(2, -1)
    trials = Trials(
        search.sample, search.documents.take(places), true.and_columns(a=a, b=b),
        wanted.criteria, settings,
    )  # fmt: skip
    return trials.results(wanted.others)


# -- what true pairs say about settings --


@dataclass(frozen=True, slots=True)
class Truth:
    """The true pairs of a sample, or of the whole corpus."""

    pairs: MeasuredPairs  # with a similarity of at least `least`
    documents: int  # among which they were looked for
    least: float = LEAST

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)

    @property
    def similarity(self) -> NDArray[np.float64]:
        """The similarity of each pair."""
        return self.pairs["similarity"]

    def at(self, similarity: float) -> Truth:
        """Return the pairs with at least this similarity."""
        return replace(self, pairs=self.pairs.take(self.similarity >= similarity))


def histogram(truth: Truth) -> list[tuple[float, float, int]]:
    """Return (from, to, pairs) for each step of similarity, highest first, including 1."""
    steps = round((1 - LEAST) / STEP)
    step = np.minimum(((truth.similarity - LEAST) / STEP + 1e-9).astype(int), steps - 1)
    counts = np.bincount(step, minlength=steps).tolist()
    edges = [round(LEAST + k * STEP, 2) for k in range(steps + 1)]
    return [(edges[k], edges[k + 1], counts[k]) for k in reversed(range(steps))]


def looks_edited(truth: Truth, usual: float = 0.8) -> bool:
    """Return whether half of the pairs, or more, are below the usual similarity."""
    return len(truth) >= FEW_PAIRS and 2 * len(truth.at(usual)) <= len(truth)


def find_gap(truth: Truth, usual: float = 0.8) -> float | None:
    """Return the similarity in the lowest gap of the histogram, up to the usual one, if any.

    A gap is two steps with next to no pairs, below many.  Pairs that are alike by chance, or by a
    template, become more and more towards low similarities without one.  If any two documents are
    alike, all pairs are above a gap that means nothing.
    """
    all_pairs = truth.documents * (truth.documents - 1) / 2
    rising = histogram(truth)[::-1]
    counts = [pairs for _, _, pairs in rising]
    for k, (start, middle, _) in enumerate(rising[:-1]):
        above = sum(counts[k + 2 :])
        seen = start >= truth.least and middle <= usual
        some = ENOUGH_PAIRS / 2 <= above <= _RELATED * all_pairs
        if seen and some and counts[k] + counts[k + 1] <= GAP * above:
            return middle
    return None


def choose_shingle(found: dict[int, tuple[float, int]], usual: int) -> int | None:
    """Return the length of shingles that separates most pairs from the others.

    `found` has, for each length with a gap, the similarity in it and the pairs above; `usual` is
    the number of pairs without.  Among equals the longest is chosen, and none without a gain.
    """
    chosen, least = None, max(_MORE * usual, 1)
    for length in sorted(found, reverse=True):
        pairs = found[length][1]
        if pairs >= least:
            chosen, least = length, _CLEARLY * pairs
    return chosen


def advise_similarity(truth: Truth, usual: float = 0.8) -> float:
    """Return the similarity that separates near-duplicates from chance similarity.

    Near-duplicates form a peak at the top of the histogram, which falls off downwards.  Chance
    similarity forms a peak at the bottom, which falls off upwards.  As long as pairs become fewer
    below the usual threshold, they belong to the upper peak, and a lower threshold finds more of
    it.  If they become more at once, the two peaks overlap, and the usual threshold stays.  The
    bottom of the valley belongs to both, so the threshold is a step above.  A gap ends the upper
    peak: a threshold within it finds nothing more.
    """
    counts = {start: pairs for start, _, pairs in histogram(truth) if start >= truth.least}
    edges = sorted((edge for edge in counts if edge <= usual), reverse=True)
    # Two steps together, because a single step with few pairs depends on chance.
    heap = [counts[edge] + counts.get(round(edge + STEP, 2), 0) for edge in edges]
    advised = usual
    for above, below, edge in zip(heap, heap[1:], edges[1:], strict=False):
        if below > above:
            advised = min(round(advised + STEP, 2), usual)
        if below > above or not below:
            break
        if counts[edge]:
            advised = edge
    else:
        # A valley or a gap may begin where pairs are no longer known.
        advised = max(advised, min(round(truth.least + STEP, 2), usual))
    return advised if sum(counts[edge] for edge in counts if edge >= advised) else usual


def explain_similarity(truth: Truth, advised: float, usual: float = 0.8) -> Reason:
    """Return why `advise_similarity` advises this."""
    if advised < usual:
        return Reason.of("falls", usual=usual, advised=advised)
    if truth.least >= usual:
        return Reason.of("unknown", usual=usual)
    below = truth.similarity[truth.similarity < usual]
    if not len(below):
        return Reason.of("none_between", least=truth.least, usual=usual)
    if below.max() < usual - 2 * STEP:
        following = math.floor(below.max() * 100) / 100
        return Reason.of("none_below", usual=usual, following=following)
    return Reason.of("rises", usual=usual)


def explain_setting(best: Setting, default: Setting) -> list[Reason]:
    """Return what `advise_setting` finds more than the default; empty for nothing."""
    if best.recall <= default.recall:
        return []
    shares = {"default": default.recall, "best": best.recall}
    return [Reason.of("better", options=best.options, **shares)]


def advise_setting(settings: Sequence[Setting]) -> Setting:
    """Return the first setting with enough recall that scales, or the one with the highest recall.

    Large distances do not scale: each further bit needs more tables with shorter keys, whereas the
    bands of minhash stay the same.
    """
    good = [s for s in settings if s.recall >= ENOUGH and s.distance not in _LARGE_DISTANCES]
    return good[0] if good else max(settings, key=lambda setting: setting.recall)
