"""The exact measures of pairs: how much two texts, which are read by number, have in common.

A text is represented by the set of its shingles (`simdup.text.shingles`).  Resemblance is the
Jaccard similarity of two sets: the share of their union that both have.  Containment is the share
of the smaller set that occurs in the larger one, so an excerpt is contained in a source of any
length.  Both ignore the meaning of words, so they work for every script, and moving paragraphs
changes them little.

Resemblance does not recognize templates: two pages made from one template share most of their
characters, whatever they say.  The cosine of their TF-IDF vectors gives more weight to rare terms
that they do not share.

Short texts have an edit similarity instead: how much of the longer of two stays if one becomes the
other.  The distance is the least number of characters inserted, deleted or replaced; the similarity
is 1 - distance / length of the longer text.

A *crew* is processes that fingerprint and measure the documents of a counted corpus.  Each document
is a small task, but together they are most of the work of a scan after counting.  If it pays off,
processes are forked once the counts are complete, so that they share them.  The result does not
depend on the number of processes.

References
----------
A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997, section 2.
V. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", Soviet
Physics Doklady 10 (1966).
G. Salton, A. Wong, C. Yang, "A vector space model for automatic indexing", CACM 18 (1975).
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdup.base.workers import Workers
from simdup.corpus.spool import Slot, slot_at
from simdup.kernels.sets import common, distinct
from simdup.model.criteria import LOSSLESS, Criteria, Shingling
from simdup.model.measures import LARGEST, MeasuredPairs
from simdup.model.settings import RunOptions
from simdup.model.table import Documents, Side
from simdup.near.clustering import unmeasured
from simdup.near.rules import by_edit, same_keys
from simdup.search.arrays import RowIds
from simdup.text.analyzer import Analyzer
from simdup.text.characters import DIGEST_TYPE, PreparedText, text_digest
from simdup.text.counts import CsrRows
from simdup.text.differing_facts import KINDS, differences_of
from simdup.text.facts import Said, facts_of, lost_facts
from simdup.text.fingerprinter import (
    Fingerprints,
    fingerprint,
    fingerprint_rows,
    of_documents,
)
from simdup.text.shingles import Sets, Shingler, Shingles
from simdup.text.short_texts import form_sets, forms_of, run_lengths
from simdup.text.weights import Weighting

# Texts whose forms are made together: most are short, and take 2 MB.
_FORMED = 1 << 10
# Texts whose facts are remembered: some 10 MB of pages.
_REMEMBERED = 1 << 10
# Forms that are remembered: 8 to 20 MB.
FORMS = 1 << 16
# More than the letters of the longest run.
_RUNS = 16

# The digest of a text without characters, which equals no other.
_EMPTY = np.frombuffer(text_digest(""), DIGEST_TYPE)[0]

# Returns the distinct shingles of documents, by number.
SetsOf: TypeAlias = Callable[[RowIds], Sets]


@dataclass(frozen=True)
class Texts:
    """Texts by document number; can be pickled.

    Attributes
    ----------
    documents : Documents
        ``content``, the slots of their folded texts, ``digest``, and what `simdup.near.rules`
        needs.
    analyzer : Analyzer
    shingling : Shingling
        What shingles are.
    read : callable
        Returns the bytes of a slot.
    """

    documents: Documents
    analyzer: Analyzer
    shingling: Shingling
    read: Callable[[Slot], bytes]
    _forms: dict[int, str] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the segmenter, and what is remembered."""
        return type(self), (self.documents, self.analyzer, self.shingling, self.read)

    def take(self, documents: RowIds) -> Texts:
        """Return some of the texts, whose numbers are the places of their documents here."""
        return replace(self, documents=self.documents.take(documents), _forms={})

    def text(self, number: int) -> PreparedText:
        """Return a text."""
        content = self.read(slot_at(self.documents["content"], number))
        return PreparedText(content.decode("utf-8", "surrogatepass"))

    def lost_facts(self, removed: int, kept: int) -> list[str]:
        """Return the facts of a text that another one lacks."""
        return lost_facts(self._facts(removed), self._facts(kept))

    def edit_similarities(self, a: RowIds, b: RowIds) -> NDArray[np.float64]:
        """Return the edit similarity of each pair (a[k], b[k])."""
        forms = self.forms([*a.tolist(), *b.tolist()])
        return edit_similarities(forms[: len(a)], forms[len(a) :])

    def differing(self, a: RowIds, b: RowIds) -> NDArray[np.int8]:
        """Return the kind of fact in which short texts (a[k], b[k]) differ: see `DocumentPair`."""
        numbers = np.unique([a, b]).tolist()
        texts = {number: self.text(number).folded for number in numbers}
        found = differences_of([(texts[i], texts[j]) for i, j in _each(a, b)])
        kinds = (KINDS.index(some[0].kind) + 1 if some else 0 for some in found)
        return np.fromiter(kinds, np.int8, len(a))

    def forms(self, numbers: Sequence[int]) -> list[str]:
        """Return the forms of texts, whether they are short or not."""
        known = self._forms
        if len(known) > FORMS:
            known.clear()
        missing = list(dict.fromkeys(one for one in numbers if one not in known))
        for first in range(0, len(missing), _FORMED):
            some = missing[first : first + _FORMED]
            known.update(zip(some, forms_of(list(map(self.text, some))).texts, strict=True))
        return [known[one] for one in numbers]

    def runs(self, keys: Sequence[int]) -> list[Shingles]:
        """Return the distinct runs of forms.

        Keys are ``_RUNS`` times the number of a text, plus the letters of a run.
        """
        numbers, lengths = np.divmod(np.array(keys, np.int64), _RUNS)
        forms = self.forms(numbers.tolist())
        found = [np.zeros(0, np.uint64)] * len(keys)
        for length in np.unique(lengths).tolist():
            some = np.flatnonzero(lengths == length).tolist()
            starts, hashes = distinct(*form_sets([forms[one] for one in some], length))
            for one, (first, last) in zip(some, pairwise(starts.tolist()), strict=True):
                found[one] = hashes[first:last].copy()
        return found

    def run_lengths(self, a: RowIds, b: RowIds) -> RowIds:
        """Return the letters of the runs of pairs (a[k], b[k]): see `short_texts.run_lengths`."""
        sizes = map(len, self.forms([*a.tolist(), *b.tolist()]))
        return run_lengths(np.fromiter(sizes, np.int64, 2 * len(a)).reshape(2, -1).max(axis=0))

    @property
    def sizes(self) -> RowIds:
        """The bytes of each text (int64[n])."""
        sizes: RowIds = self.documents["content"][:, 1]
        return sizes

    def shingles(self, numbers: Sequence[int]) -> Iterator[Shingles]:
        """Yield the distinct shingles of each of some texts."""
        starts, hashes = self.sets(np.array(numbers, np.int64))
        return (hashes[first:last].copy() for first, last in pairwise(starts.tolist()))

    def sets(self, numbers: RowIds) -> Sets:
        """Return the distinct shingles of texts."""
        texts = map(self.text, numbers.tolist())
        return self._shingler.distinct_sets(map(self._shingler.text_of, texts))

    @cached_property
    def _facts(self) -> Callable[[int], Said]:
        return lru_cache(_REMEMBERED)(lambda number: facts_of(self.text(number).folded))

    @cached_property
    def _shingler(self) -> Shingler:
        return self.analyzer.shingler(self.shingling)


def edit_similarities(a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
    """Return the edit similarity of each pair (a[k], b[k]) of texts that are not empty.

    Examples
    --------
    >>> edit_similarities(["明天下午三点开会"], ["明天下午两点开会"])
    array([0.875])
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    if not len(a):
        return np.zeros(0)
    distances = cpdist(a, b, scorer=Levenshtein.distance, dtype=np.int64)
    longer = np.maximum(list(map(len, a)), list(map(len, b)))
    similarities: NDArray[np.float64] = (longer - distances) / longer
    return similarities


def cut_slot(whole: memoryview, slot: Slot) -> bytes:
    """Return the bytes of a slot in memory."""
    return bytes(whole[slot.start : slot.start + slot.size])


def no_forms(documents: RowIds) -> list[str]:
    """Raise: fingerprints alone decide."""
    raise ValueError("texts are not known")


def no_texts(documents: RowIds) -> Sets:
    """Raise: fingerprints alone decide."""
    raise ValueError("texts are not known")


# -- measures --------------------------------------------------------------------------------------

# Bytes of the cache of shingles, and of that of vectors: some 8,000 pages of 2,000 characters.
CACHE_BYTES = 1 << 27
# Bytes of the texts whose shingles are made and compared together: 8 MB of shingles.
_TOGETHER = 1 << 21


class Vector(NamedTuple):
    """A sparse vector of length 1."""

    columns: NDArray[np.int32]  # int32[terms]: term numbers, ascending
    weights: NDArray[np.float64]  # float64[terms]: weights, whose squares sum to 1

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.columns.nbytes + self.weights.nbytes


def vector(document: CsrRows) -> Vector:
    """Return the vector of a document's term weights, scaled to length 1 (or all 0)."""
    order = np.argsort(document.columns)
    columns, weights = document.columns[order], document.values[order]
    length = float(np.sqrt(np.cumsum(weights * weights)[-1])) if len(weights) else 0.0
    return Vector(columns, weights / length if length else weights)


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of the angle between two vectors, 0 to 1 if no weight is negative.

    It is 0 if one of them has no terms.
    """
    if len(a.columns) > len(b.columns):
        a, b = b, a
    if not len(a.columns):
        return 0.0
    position = np.minimum(np.searchsorted(b.columns, a.columns), len(b.columns) - 1)
    shared = b.columns[position] == a.columns
    products = a.weights[shared] * b.weights[position[shared]]
    # Summed one by one, in order, so that the result does not depend on SIMD widths.
    return min(float(np.cumsum(products)[-1]), 1.0) if len(products) else 0.0


def no_vectors(document: int) -> Vector:
    """Raise: the criteria ask for no cosine."""
    raise ValueError("vectors are not known")


Made = TypeVar("Made", Shingles, Vector)


class _Cache(Generic[Made]):
    """Caches what `make` returns for documents, up to a size; drops the least recently used."""

    def __init__(self, make: Callable[[list[int]], Iterable[Made]], room: int) -> None:
        self._make: Callable[[list[int]], Iterable[Made]] = make
        self._room = room
        self._made: OrderedDict[int, Made] = OrderedDict()

    def of(self, documents: Sequence[int]) -> list[Made]:
        """Return what there is of distinct documents."""
        missing = [one for one in documents if one not in self._made]
        for one, made in zip(missing, self._make(missing), strict=True):
            self._made[one] = made
            self._room -= made.nbytes
        found = [self._made[one] for one in documents]
        for one in documents:
            self._made.move_to_end(one)
        while self._room < 0 and len(self._made) > 2:
            self._room += self._made.popitem(last=False)[1].nbytes
        return found


class Verifier:
    """Computes the measures of pairs that the criteria need.

    Parameters
    ----------
    texts : Texts
    criteria : Criteria
    vector_of : callable
        Returns the TF-IDF vector of a document by its number; asked for only if a cosine is needed.
    cache_bytes : int
    """

    def __init__(
        self,
        texts: Texts,
        criteria: Criteria,
        vector_of: Callable[[int], Vector] = no_vectors,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._texts = texts
        self._shingles = _Cache(texts.shingles, cache_bytes)
        self._runs = _Cache(texts.runs, cache_bytes)
        self._vectors = _Cache(partial(map, vector_of), cache_bytes)
        self._criteria = criteria

    def measure(self, a: RowIds, b: RowIds) -> MeasuredPairs:
        """Return the pairs (a[k], b[k]) with their measures.

        The similarity is 1 for equal texts only.  Containment and cosine may be 1 for others too:
        one text may be part of the other, or have the same words in another order.
        """
        pairs = self._measured(a, b)
        if not self._criteria.same_facts:
            return pairs
        from simdup.near.fact_differences import with_facts

        return with_facts(pairs, self._texts.text, self._criteria)

    def _measured(self, a: RowIds, b: RowIds) -> MeasuredPairs:
        """Return the pairs (a[k], b[k]) with what is computed of their shingles and vectors."""
        criteria, documents = self._criteria, self._texts.documents
        one_side, other_side = Side(documents, a), Side(documents, b)
        columns: dict[str, NDArray[Any]] = {"a": a, "b": b}
        edited = by_edit(one_side, other_side)
        fitted = edited & criteria.by_runs
        counted = ~fitted | criteria.lossless if criteria.directed else ~edited
        counts = np.zeros((3, len(a)), np.int64)
        sizes = self._texts.sizes[a] + self._texts.sizes[b]
        counts[:, counted] = _count(self._shingles, a[counted], b[counted], sizes[counted])
        shared, first, second = counts
        columns["similarity"] = shared / np.maximum(first + second - shared, 1)
        if "letters" in documents:
            columns["similarity"][edited] = self._texts.edit_similarities(a[edited], b[edited])
            same = ~edited | same_keys(one_side, other_side)
            columns["differing"] = np.where(same, 0, -1).astype(np.int8)
            if criteria.edits_decide:
                asked = edited & same & (columns["similarity"] >= criteria.similarity)
                columns["differing"][asked] = self._texts.differing(a[asked], b[asked])
        equal = one_side["digest"] == other_side["digest"]
        below = np.minimum(columns["similarity"], LARGEST)
        columns["similarity"] = np.where(equal & (one_side["digest"] != _EMPTY), 1.0, below)
        if criteria.cosine is not None:
            columns["cosine"] = np.array([self.cosine(*pair) for pair in _each(a, b)], np.float64)
        if not criteria.directed:
            return MeasuredPairs(columns)
        shares = _shares(counts)
        good = np.ones_like(shares, np.bool_)
        if criteria.lossless:
            columns["covered"], good = shares.T.copy(), shares >= LOSSLESS
        if fitted.any():
            lengths = self._texts.run_lengths(a[fitted], b[fitted])
            one, other = (side[fitted] * _RUNS + lengths for side in (a, b))
            shares[:, fitted] = _shares(_count(self._runs, one, other, sizes[fitted]))
        if criteria.containment is not None:
            columns["containment"] = shares.max(axis=0)
            good &= shares >= criteria.containment
        one, other = good
        if criteria.lossless:
            one[one] = self._without_loss(a[one], b[one])
            other[other] = self._without_loss(b[other], a[other])
        columns.setdefault("covered", shares.T)
        return MeasuredPairs(columns | {"contained": (one + 2 * other).astype(np.int8)})

    def _without_loss(self, removed: RowIds, kept: RowIds) -> NDArray[np.bool_]:
        """Return which of the documents have no fact that the kept one lacks."""
        lost = self._texts.lost_facts
        return np.array([not lost(*pair) for pair in _each(removed, kept)], np.bool_)

    def cosine(self, a: int, b: int) -> float:
        """Return the cosine of the vectors of `a` and `b`."""
        return cosine(*(self._vectors.of([one])[0] for one in (a, b)))


def _count(known: _Cache[Shingles], a: RowIds, b: RowIds, costs: RowIds) -> RowIds:
    """Return the elements that sets share, those of `a` and those of `b` (int64[3, pairs]).

    `known` has the sets by their keys, and `costs` (int64[pairs]) are the bytes of their texts.
    """
    parts, ends = [np.zeros((3, 0), np.int64)], np.cumsum(costs)
    for some in np.split(np.arange(len(a)), np.flatnonzero(np.diff(ends // _TOGETHER)) + 1):
        keys, places = np.unique([a[some], b[some]], return_inverse=True)
        i, j = places.reshape(2, -1)
        sets = known.of(keys.tolist())
        sizes = np.fromiter(map(len, sets), np.int64, len(sets))
        starts = np.append(0, np.cumsum(sizes))
        hashes = np.concatenate([np.zeros(0, np.uint64), *sets])
        parts.append(np.stack([common(starts, hashes, i, j), sizes[i], sizes[j]]))
    return np.concatenate(parts, axis=1)


def _shares(counts: RowIds) -> NDArray[np.float64]:
    """Return the share of each set that the other one has (float64[2, pairs]); see `_count`."""
    shares: NDArray[np.float64] = counts[0] / np.maximum(counts[1:], 1)
    return shares


def _each(a: RowIds, b: RowIds) -> list[tuple[int, int]]:
    return list(zip(a.tolist(), b.tolist(), strict=True))


# -- the crew --------------------------------------------------------------------------------------

_Rows: TypeAlias = tuple[int, int]
_Numbers: TypeAlias = tuple[RowIds, RowIds]

# With at least this many count entries (some 4 MB of text), starting processes pays off: before two
# have started, one has fingerprinted that much.
WORTH_CREW = 1 << 20
# Count entries per task: 0.1 s.
_ENTRIES = 1 << 18
# Pairs per task: 5 to 50 ms.  Fewer than twice as many are one task.
_PAIRS = 256


@dataclass(frozen=True, slots=True)
class Work:
    """The data that the processes of a crew work on."""

    weighting: Weighting
    texts: Texts
    criteria: Criteria

    def verifier(self, room: int) -> Verifier:
        """Return a verifier with a cache of `room` bytes."""
        return Verifier(self.texts, self.criteria, self._vector, room)

    def _vector(self, document: int) -> Vector:
        return vector(self.weighting.document(document))


class Crew:
    """Fingerprints and measures documents, in separate processes if these pay off."""

    def __init__(self, work: Work, run: RunOptions) -> None:
        self._work = work
        self._progress = run.progress
        self._workers: Workers[_Rows | _Numbers, Fingerprints | MeasuredPairs] | None = None
        self._process = os.getpid()
        if run.processes > 1 and work.weighting.counts.starts[-1] >= WORTH_CREW:
            self._workers = Workers(run.processes, partial(_start, work))
        # With other processes, this one measures few pairs.
        room = CACHE_BYTES if self._workers is None else CACHE_BYTES // 4
        self._verifier = work.verifier(room)

    def __enter__(self) -> Crew:
        """Return the crew."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the processes."""
        if self._workers is not None:
            self._workers.close()

    def fingerprints(self) -> Fingerprints:
        """Return the fingerprints of all documents."""
        weighting = self._work.weighting
        total = len(weighting.counts.starts) - 1
        self._progress("fingerprinting", 0, total)
        if self._workers is None:
            found = fingerprint(weighting)
            self._progress("fingerprinting", total, total)
            return found
        starts = weighting.counts.starts
        bounds = np.unique(np.searchsorted(starts, np.arange(0, starts[-1], _ENTRIES)))
        bounds = np.unique(np.append(bounds, (0, len(starts) - 1))).tolist()
        tasks = list(pairwise(bounds))
        parts, done = list[Fingerprints](), 0
        for part in self._workers.map(tasks):
            if isinstance(part, Fingerprints):
                parts.append(part)
                done += len(part.values)
                self._progress("fingerprinting", done, total)
        every = Fingerprints(
            np.concatenate([part.values for part in parts]),
            weighting.recipe.bits,
            np.concatenate([part.terms for part in parts]),
        )
        return of_documents(every, weighting)

    def measure(self, a: RowIds, b: RowIds) -> MeasuredPairs:
        """Measure each pair (a[k], b[k]) of documents."""
        if not self._work.criteria.verify:
            return unmeasured(a, b)
        # A process that was forked from this one measures alone.
        workers = self._workers if os.getpid() == self._process else None
        if workers is None or len(a) < 2 * _PAIRS:
            measured = self._verifier.measure(a, b)
        else:
            parts = (part for part in workers.map(_tasks(a, b)))
            measured = MeasuredPairs.concat([p for p in parts if isinstance(p, MeasuredPairs)])
        return measured


def _tasks(a: RowIds, b: RowIds) -> Iterator[_Numbers]:
    for first in range(0, len(a), _PAIRS):
        yield a[first : first + _PAIRS], b[first : first + _PAIRS]


def _start(work: Work, number: int) -> Callable[[_Rows | _Numbers], Fingerprints | MeasuredPairs]:
    """Return the function that does a task in a process of the crew."""
    verifier = work.verifier(CACHE_BYTES // 4)

    def do(task: _Rows | _Numbers) -> Fingerprints | MeasuredPairs:
        first, second = task
        if isinstance(first, int) and isinstance(second, int):
            return fingerprint_rows(work.weighting, first, second)
        return verifier.measure(first, second)  # type: ignore[arg-type]

    return do
