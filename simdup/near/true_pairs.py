"""The true pairs of a corpus, and which of them each setting finds.

A sample affords to compare all with all.  Of very many texts, MinHash bands propose pairs as in a
scan, with a recall of 0.999, and these are measured.  The cost is bounded twice: the lowest
similarity rises until few enough pairs share a band key, and of more than `MOST` candidates that
are measured by shingles, those with the smallest hash are: a random sample, the same in every run.

*How many elements sets share*, exactly, for all pairs of them, is an entry of the product of the
matrix "which set has which element" and its transpose.  The product of a sparse matrix costs, for
each element, the square of the number of sets that have it; so elements that many sets have are in
a dense one, and those of one set only are left out.

References
----------
J. Leskovec, A. Rajaraman, J. Ullman, "Mining of massive datasets", section 3.4.2.
Every pair is counted, by the definition in A. Broder, "On the resemblance and containment of
documents", SEQUENCES 1997; nothing is filtered or sampled.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64
from simdup.kernels.sketches import signatures
from simdup.model.criteria import Criteria, Shingling
from simdup.model.measures import MeasuredPairs
from simdup.model.settings import Settings
from simdup.model.table import Side
from simdup.model.tuning import Setting
from simdup.near.candidates import Candidates, EqualKeys, chosen_searches
from simdup.near.rules import by_edit, formed, longest_form, may_reach, short
from simdup.near.verifier import Texts, Verifier, vector
from simdup.search.arrays import U64, RowIds, RowPairs
from simdup.text.bands import (
    EditSignatures,
    Signatures,
    edit_signatures,
    minhash_signatures,
    pstable_signatures,
)
from simdup.text.counts import select
from simdup.text.families import MINHASH, bands, choose, fewest_agreeing
from simdup.text.shingles import Sets
from simdup.text.weights import Weighting

# Sets compared with all others at a time: 10 MB of counts for 10,000.
ROWS = 256
# Elements that at least this share of the sets have are in the dense matrix.  5,000 texts of 360
# shingles, half of them common: 1.0 s with 1/32 to 1/64, 1.2 s with 1/128, 9 s without.
_FREQUENT = 1 / 64
# Numbers in a dense matrix: 64 MB.
_DENSE = 1 << 24
# Elements that are numbered at a time: 80 MB.
_PART = 1 << 21

NO_PAIRS = MeasuredPairs(
    {"a": np.zeros(0, np.int64), "b": np.zeros(0, np.int64), "similarity": np.zeros(0)}
)


class SharedElements:
    """Counts the elements that each two of some sets share."""

    def __init__(self, sets: Sets) -> None:
        self.sizes: RowIds = np.diff(sets.starts)
        parts = -(-len(sets.hashes) // _PART)
        rows = np.repeat(np.arange(len(self.sizes)), self.sizes)
        own = [sets.hashes % np.uint64(max(parts, 1)) == part for part in range(parts)]
        self._parts = [_ReducedSets(len(self.sizes), rows[some], sets.hashes[some]) for some in own]

    def count(self, first: int, last: int) -> NDArray[np.float32]:
        """Return what the sets from `first` to `last` share with each set from `first` on."""
        # Whole numbers are exact up to 2**24.
        counts = np.zeros((last - first, len(self.sizes) - first), np.float32)
        for part in self._parts:
            part.add(first, last, counts)
        return counts

    def similar(self, least: float) -> MeasuredPairs:
        """Return all pairs of sets with at least this Jaccard similarity, ordered.

        The sets, known by their places, have no repetitions; `least` is above 0.
        """
        sizes, found = self.sizes, [NO_PAIRS]
        for first in range(0, len(sizes), ROWS):
            counts = self.count(first, min(first + ROWS, len(sizes)))
            i, j = np.nonzero(np.triu(counts, 1))
            common = counts[i, j].astype(np.int64)
            i, j = i + first, j + first
            share = common / (sizes[i] + sizes[j] - common)
            pairs = MeasuredPairs({"a": i, "b": j, "similarity": share})
            found.append(pairs.take(share >= least))
        return MeasuredPairs.concat(found)


class _ReducedSets:
    """Sets reduced to some of all elements."""

    def __init__(self, n: int, rows: RowIds, hashes: U64) -> None:
        from scipy.sparse import csr_matrix

        _, columns, times = np.unique(hashes, return_inverse=True, return_counts=True)
        frequent = times > max(n * _FREQUENT, 1)
        self._n = n

        def matrix(chosen: NDArray[np.bool_]) -> Any:
            numbers = np.cumsum(chosen) - 1
            some = chosen[columns]
            ones = np.ones(int(np.count_nonzero(some)), np.float32)
            shape = n, int(np.count_nonzero(chosen))
            return csr_matrix((ones, (rows[some], numbers[columns[some]])), shape=shape)

        self._rare = matrix((times > 1) & ~frequent)
        self._frequent = matrix(frequent).tocsc()

    def add(self, first: int, last: int, counts: NDArray[np.float32]) -> None:
        """Add what some sets share to the counts; see `SharedElements.count`."""
        if self._rare.nnz:
            counts += (self._rare[first:last] @ self._rare[first:].T).toarray()
        for dense in self._dense():
            counts += dense[first:last] @ dense[first:].T

    def _dense(self) -> Iterator[NDArray[np.float32]]:
        columns, step = self._frequent.shape[1], max(_DENSE // max(self._n, 1), 1)
        if 0 < columns <= step:
            yield self._whole
            return
        for low in range(0, columns, step):
            yield self._frequent[:, low : low + step].toarray()

    @cached_property
    def _whole(self) -> NDArray[np.float32]:
        whole: NDArray[np.float32] = np.ascontiguousarray(self._frequent.toarray())
        return whole


# -- all pairs of a sample, nearly all of a corpus --

# Hashes of a signature: at 0.5, 52 bands of 3 rows, which propose 0.006 of the pairs at 0.05.  512
# take twice as long for texts of 200 characters.
_SIZE = 256
_RECALL = 0.999
_LOSS = 1e-3
# Similarities to begin from; the lowest one that the visits allow is taken.
_STEPS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
# The lowest edit similarity to begin from: bands of short texts find few pairs below.
_EDITED = 0.5
# Pairs that may share band keys: 16 s.
VISITS = 1 << 25
# Pairs that are compared: a share of 20,000 is known to 0.004.
MOST = 20_000
# Documents at a time: their signatures take 4 MB while they are made.
_CHUNK = 1 << 11
# Similarities of 32 bits are lower by up to so much.
_ROUNDED = 1e-6

_DEFAULT = Criteria()
Signed: TypeAlias = Signatures | EditSignatures


def counted_pairs(texts: Texts, sets: Sets, least: float) -> MeasuredPairs:
    """Return all pairs of texts with at least a Jaccard similarity, if that is their measure.

    `sets` are the distinct shingles of all texts.
    """
    pairs = SharedElements(sets).similar(least)
    a, b = Side(texts.documents, pairs["a"]), Side(texts.documents, pairs["b"])
    return pairs.take(~by_edit(a, b))


def edited_pairs(texts: Texts, least: float) -> MeasuredPairs:
    """Return all pairs of texts with at least an edit similarity, if that is their measure."""
    return _measured(texts, _similar_forms(texts, least), least, edited=True)


def wide_edited(texts: Texts, criteria: Criteria) -> tuple[MeasuredPairs, float]:
    """Return nearly all pairs with at least an edit similarity, if that is their measure.

    The similarity, which is returned too, is at most that of the criteria.
    """

    def signed(least: float) -> EditSignatures:
        return form_signatures(texts, replace(criteria, similarity=least, recall=_RECALL))

    pairs, least = _affordable(texts, signed, _EDITED, criteria.similarity)
    return _measured(texts, pairs, least, edited=True), least


def wide_counted(texts: Texts, highest: float) -> tuple[MeasuredPairs, float]:
    """Return pairs with at least a Jaccard similarity, if that is their measure.

    The similarity, which is returned too, is at most `highest`.
    """
    rows = np.arange(len(texts.documents))
    hashes = np.empty((len(rows), _SIZE), np.uint32)
    for first in range(0, len(rows), _CHUNK):
        sets = texts.sets(rows[first : first + _CHUNK])
        hashes[first : first + _CHUNK] = signatures(*sets, _SIZE)
    sketches = hashes.astype(np.uint8)

    def signed(least: float) -> Signatures:
        keys = bands(hashes, choose(MINHASH, 1 - least, _RECALL, _SIZE)).astype(np.uint32)
        return Signatures(keys, sketches, fewest_agreeing(least, _SIZE, _LOSS), rows)

    pairs, least = _affordable(texts, signed, 0.0, highest)
    return _measured(texts, [_sampled(pairs)], least, edited=False), least


def joined(parts: Sequence[MeasuredPairs]) -> MeasuredPairs:
    """Return the pairs of all parts, ordered."""
    pairs = MeasuredPairs.concat(parts)
    return pairs.take(np.lexsort((pairs["b"], pairs["a"])))


def form_signatures(texts: Texts, criteria: Criteria) -> EditSignatures:
    """Return what proposes pairs of the texts that may be similar to a short one."""
    documents = texts.documents
    has = formed(documents) & (documents["letters"] <= longest_form(criteria))
    forms, numbers = texts.forms(np.flatnonzero(has).tolist()), documents["numbers"][has]
    row_of = np.where(has, np.cumsum(has) - 1, -1)
    return edit_signatures(forms, numbers, criteria)._replace(row_of=row_of)


def _affordable(
    texts: Texts, signed: Callable[[float], Signed], lowest: float, highest: float
) -> tuple[Iterator[RowPairs], float]:
    """Return what signatures propose for the lowest similarity that visits allow, and that."""
    documents = texts.documents.and_columns(number=np.arange(len(texts.documents)))
    for least in [*(step for step in _STEPS if lowest <= step < highest), highest]:
        search = EqualKeys("minhash", signed(least))
        if sum(lists.count_pairs() for lists in search.lists(documents)) <= VISITS:
            break
    return search.pairs(documents), least


def _similar_forms(texts: Texts, least: float) -> Iterator[RowPairs]:
    """Yield all pairs with a short text whose forms have the edit similarity, or nearly so."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    has, few = formed(texts.documents), short(texts.documents)
    rows = np.concatenate([np.flatnonzero(few), np.flatnonzero(has & ~few)])
    forms, shorts = texts.forms(rows.tolist()), int(np.count_nonzero(few))
    for first in range(0, shorts, ROWS):
        share = cdist(
            forms[first : min(first + ROWS, shorts)],
            forms[first:],
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=least - _ROUNDED,
            dtype=np.float32,
        )
        i, j = np.nonzero(np.triu(share, 1))
        i, j = rows[i + first], rows[j + first]
        yield np.minimum(i, j), np.maximum(i, j)


def _sampled(chunks: Iterable[RowPairs]) -> RowPairs:
    """Return at most `MOST` of the pairs: those with the smallest hash."""
    found = [np.zeros(0, np.int64)]
    for i, j in chunks:
        found.append(i << 32 | j)
        if sum(map(len, found)) > 8 * MOST:
            found = [_fewer(np.concatenate(found))]
    pairs = np.sort(_fewer(np.concatenate(found)))
    return pairs >> 32, pairs & 0xFFFFFFFF


def _fewer(pairs: RowIds) -> RowIds:
    if len(pairs) <= MOST:
        return pairs
    return pairs[np.argpartition(mix64(pairs.astype(np.uint64)), MOST)[:MOST]]


def _measured(
    texts: Texts, chunks: Iterable[RowPairs], least: float, edited: bool
) -> MeasuredPairs:
    """Return the pairs with at least the similarity, if edits are, or are not, their measure."""
    measure, found = Verifier(texts, _DEFAULT).measure, [NO_PAIRS]
    for i, j in chunks:
        a, b = Side(texts.documents, i), Side(texts.documents, j)
        some = by_edit(a, b) & may_reach(a, b) if edited else ~by_edit(a, b)
        pairs = measure(i[some], j[some]).without("same_numbers")
        found.append(pairs.take(pairs["similarity"] >= least))
    return joined(found)


# -- what settings find, and what they cost --

DISTANCES = (0, 3, 6, 10, 16)
RECALLS = (_DEFAULT.recall, 0.95, 0.9)
# Pairs whose check is timed.
_TIMED = 200


@dataclass(frozen=True)
class TunedDocuments:
    """Documents of a corpus, which are known by their places here.

    Attributes
    ----------
    texts : Texts
        Their table has what the rules of a scan need, and the ``number`` of each in the corpus.
    weighting : Weighting
        Of the corpus.
    """

    texts: Texts
    weighting: Weighting

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.texts.documents)

    def take(self, places: RowIds) -> TunedDocuments:
        """Return some of the documents."""
        return TunedDocuments(self.texts.take(places), self.weighting)

    def spread(self, size: int) -> TunedDocuments:
        """Return at most `size` of the documents, evenly spread."""
        return self.take(np.linspace(0, len(self) - 1, min(size, len(self))).astype(np.int64))

    @cached_property
    def sets(self) -> Callable[[Shingling], Sets]:
        """Returns the distinct shingles of the documents."""
        every, usual = np.arange(len(self)), _DEFAULT.shingle

        def make(shingling: Shingling) -> Sets:
            return self.texts.by(shingling).sets(every)

        # Those of the default are wanted again after others were tried.
        default, last = cache(make), lru_cache(1)(make)
        return lambda shingling: default(shingling) if shingling == usual else last(shingling)

    @cached_property
    def own_weighting(self) -> Weighting:
        """The counts of these documents, with the weights that terms have in the corpus."""
        numbers = self.texts.documents["number"].tolist()
        return replace(self.weighting, counts=select(self.weighting.counts, numbers))

    def verifier(self, shingling: Shingling) -> Verifier:
        """Return what measures pairs of the documents."""
        numbers, weights = self.texts.documents["number"].tolist(), self.weighting.document
        return Verifier(
            self.texts.by(shingling), _DEFAULT, lambda place: vector(weights(numbers[place]))
        )

    def cosines(self, pairs: MeasuredPairs) -> NDArray[np.float64]:
        """Return the cosine of each pair (float64[pairs])."""
        cosine = self.verifier(_DEFAULT.shingle).cosine
        return np.array(list(map(cosine, pairs["a"].tolist(), pairs["b"].tolist())), np.float64)

    def compared(self, settings: Settings) -> Candidates:
        """Return what the searches of a scan propose."""
        criteria = settings.criteria
        of_vectors = of_texts = of_forms = None
        if criteria.method == "pstable":
            of_vectors = pstable_signatures(self.own_weighting, criteria)
        elif "minhash" in criteria.searches:
            of_texts = minhash_signatures(self.sets(criteria.shingle), criteria)
            if "letters" in self.texts.documents:
                of_forms = form_signatures(self.texts, criteria)
        searches = chosen_searches(settings, of_vectors, of_texts, of_forms)
        documents = self.texts.documents.and_columns(number=np.arange(len(self)))
        return Candidates(documents, searches, settings)


@dataclass(frozen=True, slots=True)
class Trials:
    """Settings to be tried."""

    sample: TunedDocuments  # what they cost is measured here
    documents: TunedDocuments  # those of the true pairs
    true: MeasuredPairs  # what they find is measured here
    wanted: Criteria  # what makes pairs true
    settings: Settings  # what was asked for

    def results(self, others: Sequence[Criteria]) -> list[tuple[bool, Setting]]:
        """Return each setting, the default first, and whether it may be advised.

        `others` are criteria that make other pairs true.
        """
        asked, check = self.settings.criteria, self._check_seconds()
        same = written(asked, asked) == written(self.wanted, asked)
        found = [(same, self._try("", asked, check))]
        for options, criteria in islice(_variants(self.wanted), int(same), None):
            found.append((True, self._try(options + written(criteria, asked), criteria, check)))
        found += [(False, self._try(written(one, asked), one, check)) for one in others]
        return found

    def _try(self, options: str, criteria: Criteria, check: float) -> Setting:
        """Return the measures of a setting, of which a pair takes `check` seconds to measure."""
        settings, sample = replace(self.settings, criteria=criteria), self.sample
        hold, true = int(np.count_nonzero(self._found(settings))), len(self.true)
        # So that only the search is timed.
        _ = sample.sets(criteria.shingle), sample.own_weighting
        started = time.process_time()
        pairs = sum(len(i) for i, _ in sample.compared(settings).pairs())
        return Setting(
            options=options,
            pairs=pairs,
            hold=hold,
            recall=hold / true if true else 1.0,
            per_document=pairs / max(len(sample), 1),
            seconds=time.process_time() - started + pairs * check,
            distance=criteria.distance if criteria.method == "simhash" else 0,
        )

    def _found(self, settings: Settings) -> NDArray[np.bool_]:
        """Return which true pairs some search proposes and the similarity accepts."""
        pairs, criteria = self.true, settings.criteria
        i, j = pairs["a"], pairs["b"]
        if criteria.shingle != self.wanted.shingle:
            pairs = self.documents.verifier(criteria.shingle).measure(i, j)
        high = pairs["similarity"] >= criteria.similarity
        return self.documents.compared(settings).test(i, j) & high

    def _check_seconds(self) -> float:
        """Return how long it takes to check a pair: to read a text, and to compare two."""
        some = self.sample.spread(_TIMED)
        if not len(some):
            return 0.0
        started, places = time.process_time(), np.arange(len(some))
        some.verifier(self.wanted.shingle).measure(places, np.roll(places, 1))
        return (time.process_time() - started) / len(some)


def written(criteria: Criteria, asked: Criteria) -> str:
    """Return the options that make these criteria of those asked for, without the method."""
    shingle = "" if criteria.shingle == asked.shingle else f"--shingle {criteria.shingle} "
    cosine = "" if criteria.cosine is None else f" --cosine {criteria.cosine:g}"
    return f"{shingle}-s {criteria.similarity:g}{cosine}"


def _variants(wanted: Criteria) -> Iterator[tuple[str, Criteria]]:
    """Yield what differs in the ways to search for the same pairs: options and criteria."""
    yield "", wanted
    for distance in DISTANCES:
        found = replace(wanted, method="simhash", distance=distance)
        yield f"--method simhash -d {distance} ", found
    for recall in RECALLS:
        option = "" if recall == _DEFAULT.recall else f" --recall {recall:g}"
        yield f"--method minhash{option} ", replace(wanted, method="minhash", recall=recall)
    yield "--method pstable ", replace(wanted, method="pstable")
