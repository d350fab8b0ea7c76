"""Find true pairs of the sources, and measure what each setting finds of them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import by_edit, formed
from simdup.errors import WHOLE, check_type, invalid
from simdup.evaluation import tuning
from simdup.evaluation.templates import looks_templated
from simdup.evaluation.tuning import LEAST, Truth
from simdup.features.counts import select
from simdup.features.shingles import Sets
from simdup.features.text import DIGEST_BYTES
from simdup.features.weights import Weighting
from simdup.fingerprints.fingerprinter import Fingerprinter, Fingerprints, fingerprint
from simdup.ingest.collection import Collection, ingest
from simdup.ingest.counting import Maker, contents, forms, titles
from simdup.ingest.sources import Data, Input, open_input
from simdup.model.criteria import CHARACTERS_5, FEW_TERMS, SHORT, Criteria, CriteriaFields
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, Settings
from simdup.model.shingling import Shingling
from simdup.model.table import Side
from simdup.model.tuning import FEW_PAIRS, Reason, Setting, Tuning
from simdup.output.tuning import reasons_words
from simdup.search.duplicates import collapse
from simdup.verify.document_texts import Texts
from simdup.verify.join import NO_PAIRS, Similar, edited_pairs, joined, similar_pairs
from simdup.verify.trials import KnownPairs, Material, Trials, written
from simdup.verify.verifier import cosine, vector
from simdup.verify.wide import MOST, jaccard, wide_edited, wide_pairs

_DEFAULT = Criteria()
# Lengths of shingles that are tried where texts are short or heavily edited.
LENGTHS = (4, 3, 2)
# The most documents among which a corpus is searched for true pairs: of 30,000 English titles 20
# million pairs share a key, which is within the budget of `wide`.
WIDEST = 30_000
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
        texts = _CorpusTexts.of(corpus)
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
        true=len(wanted.true),
        recall=best.recall,
        settings=[one for _, one in measured],
        bins=tuning.histogram(wanted.truth),
        same=same,
        advice=(wanted.judged and best.options) or same,
        reason=reasons_words(reasons),
        reasons=reasons,
        skipped=corpus.report.skipped,
        notes=corpus.report.notes,
        recipe=texts.fields,
    )


def _columns(criteria: Criteria) -> list[Maker]:
    """Return what to make of documents: forms for the lowest similarity, without band keys."""
    if not criteria.edits_decide:
        return [titles, contents]
    lowest = replace(criteria, similarity=LEAST, method="simhash")
    return [titles, contents, partial(forms, criteria=lowest)]


@dataclass(frozen=True, slots=True)
class _CorpusTexts:
    """The documents of a corpus, by number: their texts, fingerprints and weights."""

    corpus: Collection
    fields: dict[str, Any]  # of the resolved recipe
    weighting: Weighting
    fingerprints: Fingerprints
    texts: Texts
    distinct: RowIds  # the first of each text that can be in a pair, ascending

    @classmethod
    def of(cls, corpus: Collection) -> _CorpusTexts:
        fingerprinter = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
        weighting = fingerprinter.weigh(corpus.counts)
        found = fingerprint(weighting)
        texts = Texts(corpus.of_texts, corpus.analyzer, CHARACTERS_5, corpus.spool.read)
        enough = np.flatnonzero((found.terms >= FEW_TERMS) | formed(texts.documents))
        digests = corpus["digest"][enough].view(np.uint64).reshape(-1, DIGEST_BYTES // 8)
        groups = collapse(digests)
        distinct = enough if groups.distinct is None else enough[groups.distinct]
        return cls(corpus, fingerprinter.fields, weighting, found, texts, distinct)

    def sets(self, documents: RowIds, shingling: Shingling) -> Sets:
        """Return the distinct shingles of documents."""
        return self.texts.by(shingling).sets(documents)

    def material(self, documents: RowIds) -> Material:
        """Return what searches need of documents."""
        found = self.fingerprints
        return Material(
            replace(found, values=found.values[documents], terms=found.terms[documents]),
            replace(self.weighting, counts=select(self.corpus.counts, documents.tolist())),
            self.texts.take(documents),
        )

    def similar(self, documents: RowIds, shingling: Shingling, most: float) -> Similar | None:
        """Return all similar pairs of documents; None if these share too many shingles."""
        starts, hashes = self.sets(documents, shingling)
        times = np.unique(hashes, return_counts=True)[1]
        if int((times * times).sum()) > most:
            return None
        sets = [hashes[a:b] for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
        return similar_pairs(sets, LEAST).of(documents)

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


@dataclass(frozen=True, slots=True)
class _Search:
    """Finds the pairs of a corpus as a scan measures them, by any shingles."""

    texts: _CorpusTexts
    documents: RowIds
    exact: bool  # whether all documents are compared with each other
    edited: Similar  # the pairs that are measured by edit similarity
    least: float  # from this similarity on

    @classmethod
    def of(cls, texts: _CorpusTexts, drawn: RowIds, criteria: Criteria) -> _Search:
        exact = len(drawn) == len(texts.distinct)
        documents = drawn if exact else _spread(texts.distinct, WIDEST)
        if "letters" not in texts.texts.documents:
            return cls(texts, documents, exact, NO_PAIRS, LEAST)
        edited, least = edited_pairs(texts.texts.take(drawn), LEAST), LEAST
        if not exact:
            sampled = edited.similarity
            edited, least = wide_edited(texts.texts.take(documents), criteria)
            # The sample tells whether hardly any texts are less alike, yet not different.
            below = np.count_nonzero(sampled < least) * (len(documents) / len(drawn)) ** 2
            if below <= tuning.GAP * len(edited.i):
                least = LEAST
        return cls(texts, documents, exact, edited.of(documents), least)

    def by(self, shingling: Shingling, highest: float, most: float = inf) -> Truth | None:
        """Return the similar pairs; None if more than `most` elements are in common."""
        texts, documents, least = self.texts, self.documents, LEAST
        if self.exact:
            found = texts.similar(documents, shingling, most)
            if found is None:
                return None
        else:
            sets_of = partial(texts.sets, shingling=shingling)
            found, least = wide_pairs(sets_of, documents, highest)
        a, b = (Side(texts.texts.documents, rows) for rows in (found.i, found.j))
        counted = ~by_edit(a, b)
        found = joined([found.where(counted), self.edited])
        if len(self.edited.i):
            least = max(least, self.least)
        return Truth(*found, len(documents), least)


class _Wanted(NamedTuple):
    """What should be found, and why."""

    criteria: Criteria  # the similarity, shingles and cosine of true pairs
    truth: Truth  # the similar pairs, below that similarity too
    true: Truth
    exact: bool  # whether all documents were compared with each other
    judged: bool  # whether the true pairs are enough to judge by
    reasons: list[Reason]
    others: tuple[
        Criteria, ...
    ] = ()  # other lengths of shingles with a gap, and the similarity in it


def _want(texts: _CorpusTexts, drawn: RowIds, asked: Criteria, fixed: frozenset[str]) -> _Wanted:
    """Find true pairs, and what tells them from others."""
    asked = replace(asked, similarity=max(asked.similarity, LEAST), method="auto")
    search = _Search.of(texts, drawn, asked)
    truth = search.by(asked.shingle, asked.similarity)
    assert truth is not None
    similarity, reasons = _similarity(truth, asked, fixed)
    wanted = _Wanted(
        replace(asked, similarity=similarity), truth, truth, search.exact, True, reasons
    )
    tunable = not fixed & {"similarity", "shingle"} and asked.shingle == CHARACTERS_5
    if tunable and _shorter_may_help(texts, drawn, wanted):
        wanted = _try_lengths(search, wanted)
    if "similarity" not in fixed and _templated(texts, truth.at(asked.similarity)):
        # What looks alike may share no more than a form: even less below.
        wanted = wanted._replace(criteria=asked, truth=truth, reasons=[Reason.of("templated")])
    return _judge(wanted, texts, asked)


def _similarity(truth: Truth, asked: Criteria, fixed: frozenset[str]) -> tuple[float, list[Reason]]:
    """Return the similarity to advise, and why."""
    usual = asked.similarity
    if "similarity" in fixed:
        return usual, [Reason.of("set")]
    advised = tuning.advise_similarity(truth, usual)
    more = len(truth.at(advised)) - len(truth.at(usual))
    if advised < usual and more < FEW_PAIRS:
        return usual, [Reason.of("slight", n=more, advised=advised)]
    return advised, [tuning.explain_similarity(truth, advised, usual)]


def _shorter_may_help(texts: _CorpusTexts, drawn: RowIds, wanted: _Wanted) -> bool:
    """Return whether texts are short, pairs heavily edited, or pairs missing."""
    lengths = texts.corpus["length"][drawn]
    if not len(lengths) or (wanted.criteria.edits_decide and np.quantile(lengths, 0.75) < SHORT):
        return False  # few pairs are measured by shingles
    short = np.median(lengths) < tuning.BRIEF
    few = len(wanted.truth.at(wanted.criteria.similarity)) < FEW_PAIRS
    return bool(short) or few or tuning.looks_edited(wanted.truth, _DEFAULT.similarity)


def _try_lengths(search: _Search, wanted: _Wanted) -> _Wanted:
    """Return what the length of shingles finds that separates most pairs from the others."""
    found = {CHARACTERS_5.n: wanted.truth}
    for length in LENGTHS:
        one = search.by(Shingling(length), _DEFAULT.similarity, _JOINED)
        if one is not None:
            found[length] = one
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
    key = "gap" if better == CHARACTERS_5.n else "shingles"
    reason = Reason.of(key, **shingles, **others)
    return wanted._replace(
        criteria=chosen, truth=found[better], reasons=[reason], others=tuple(by_length.values())
    )


def _templated(texts: _CorpusTexts, near: Truth) -> bool:
    """Return whether pairs look as if they were made from templates, as the hint of a scan does."""
    near = near.where(near.similarity < 1)
    pairs = list(zip(near.i.tolist(), near.j.tolist(), strict=True))
    return looks_templated(pairs, texts.corpus.pages)


def _judge(wanted: _Wanted, texts: _CorpusTexts, asked: Criteria) -> _Wanted:
    """Add the true pairs; return the defaults if they are too few to judge by."""
    criteria = wanted.criteria
    true = wanted.truth.at(criteria.similarity)
    if len(true) > MOST // 2:
        true = true.where(np.arange(len(true)) % -(-2 * len(true) // MOST) == 0)
    if criteria.cosine is not None:
        true = true.where(texts.cosines(true) >= criteria.cosine)
    if len(true) >= FEW_PAIRS:
        return wanted._replace(true=true)
    true = true.where(true.similarity >= asked.similarity)
    return wanted._replace(
        criteria=asked, true=true, judged=False, reasons=[Reason.of("few", n=len(true))]
    )


def _try_settings(
    texts: _CorpusTexts, drawn: RowIds, wanted: _Wanted, settings: Settings
) -> list[tuple[bool, Setting]]:
    """Return each setting, the default first, and whether it may be advised."""
    true = wanted.true
    documents = np.unique(np.concatenate([true.i, true.j]))
    i, j = np.searchsorted(documents, true.i), np.searchsorted(documents, true.j)
    check = _check_seconds(texts, drawn, wanted.criteria.shingle)
    pairs = KnownPairs(texts.material(documents), i, j, true.similarity, wanted.criteria)
    return Trials(texts.material(drawn), pairs, settings, check).results(wanted.others)


def _check_seconds(texts: _CorpusTexts, drawn: RowIds, shingling: Shingling) -> float:
    """Return how long it takes to check a pair: to read a text, and to compare two."""
    some = _spread(drawn, _TIMED)
    if not len(some):
        return 0.0
    started = time.process_time()
    sets = texts.sets(some, shingling)
    places = np.arange(len(some))
    jaccard(sets, places, np.roll(places, 1))
    return (time.process_time() - started) / len(some)
