"""The join of what is asked with an index: matches, and documents that are added without one.

Rows are proposed by fingerprint, and by bands of sketches.  A match is a candidate that the rules
allow (`simdup.near.rules`), whose facts do not differ if it is short, and that the criteria accept,
by the similarity that sketches estimate.  A document from a fingerprint line has no sketch, and so
no bands.  How many documents are asked about at a time makes no difference.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.index.file import Patience
from simdup.index.segments import (
    PASSAGE_COLUMNS,
    Segments,
    removed_keys,
    sketched,
    text_hashes,
)
from simdup.model.criteria import LEAST_SIMILARITY, Criteria
from simdup.model.documents import Skipped
from simdup.model.formats import Share
from simdup.model.measures import LARGEST, MeasuredPairs
from simdup.model.settings import RunOptions
from simdup.model.table import Documents, Side
from simdup.near.candidates import distances
from simdup.near.rules import allowed
from simdup.near.short import by_edit, same_keys
from simdup.search.allpairs import iter_pairs
from simdup.search.arrays import Bools, RowIds, RowPairs, distinct
from simdup.search.equal_keys import neighbours
from simdup.search.plans import HammingBall
from simdup.search.queries import Searcher, SearchSetup
from simdup.text.families import bbit_estimate
from simdup.text.sketch_bands import (
    AskedBands,
    BandSearcher,
    RowSketches,
    Sketches,
    SketchSource,
    agree,
    all_keys,
    sketch_banding,
)  # fmt: skip

if TYPE_CHECKING:
    from simdup.index.opened import Opened

# The most documents tried at a time: their look-ups take 16 MB, and their band keys 50 MB.
_QUERIES = 1 << 17
# The most pairs at a time: 16 bytes each, and about 100 if they become matches.
MOST = 1 << 20
# Documents that are queried and added at a time if earlier ones may match later ones: few at
# first, because many equal documents would all be compared with each other.
ADDING_CHUNKS = (64, 512, 4096)
# Rows whose names and sketches are looked up at a time: 128 bytes each, and as much for a name.
_ROWS = 1 << 16
# Results that are returned at a time: a hundred thousand objects would keep the garbage collector
# busy for longer than the search takes.
_RESULTS = 4096
# Candidates whose sketches are compared at a time: 1 MB per side.
_CHUNK = 1 << 13
# If documents have more neighbours than this, finding all of them costs more than it saves.
_FEW = 4

# Matches are pairs of an asked document, by number, and a row of the index.
_NONE = np.zeros(0, np.int64)
NO_MATCHES = MeasuredPairs(
    dict.fromkeys(("a", "b", "distance"), _NONE) | {"similarity": np.zeros(0)}
)


class Match(NamedTuple):
    """A document of an index that is near another.

    Attributes
    ----------
    document : str
        The name of the document.
    distance : int
        Hamming distance of the fingerprints.
    similarity : float or None
        Estimated Jaccard similarity of the texts, 0 to 1; None if one of them has no text.  If
        `dedupe` removed the same text because of this document, the similarity of then.
    """

    document: str
    distance: int
    similarity: Share | None = None


class QueryResult(NamedTuple):
    """The near-duplicates of a document in an index.

    Attributes
    ----------
    document : str
        The name of the document.
    matches : tuple of Match
        The matches, best first.
    added : bool
        Whether it was added to the index because it had no match.
    """

    document: str
    matches: tuple[Match, ...] = ()
    added: bool = False

    @property
    def new(self) -> bool:
        """Whether there is no match."""
        return not self.matches


@dataclass(slots=True)
class QueryResults:
    """The results of queries as they arrive; can be iterated over once.

    Attributes
    ----------
    chunks : iterator of list of QueryResult
        Results in groups, as they become available.
    skipped, notes : list
        As in `Result`; complete once the results have ended.
    """

    chunks: Iterator[list[QueryResult]]
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def __iter__(self) -> Iterator[QueryResult]:
        """Yield the results, one for each document, in the order of the documents."""
        return chain.from_iterable(self.chunks)


@dataclass(slots=True)
class Added:
    """What happened to the documents given to an index.

    Attributes
    ----------
    added, replaced, unchanged : int
        How many names were new, how many had new content, and how many documents were present.
    skipped, notes : list
        As in `Result`.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """How an index is queried."""

    criteria: Criteria  # its method, distance, similarity and verify are used
    exclude_self: bool = False  # whether documents of the same name never match
    limit: int | None = None  # the most matches per document
    compress: bool = False  # whether search tables are kept compressed
    run: RunOptions = field(default_factory=RunOptions)

    def setup(self, bits: int) -> SearchSetup:
        """Return how to search fingerprints of `bits` bits."""
        ball = HammingBall(bits, min(self.criteria.distance, bits))
        return SearchSetup(ball, self.run.processes, self.compress)


# -- candidates ------------------------------------------------------------------------------------


class IndexRows:
    """The rows of an index, and how the criteria propose them."""

    def __init__(self, documents: Segments, setup: SearchSetup, criteria: Criteria) -> None:
        self._ball, self._criteria = setup.ball, criteria
        self._near = Searcher(documents.column("fingerprint"), setup)
        self._banding = sketch_banding(max(criteria.similarity, LEAST_SIMILARITY))
        self._least = criteria.similarity if criteria.verify else 0.0
        source = SketchSource(documents.sketches, lambda rows: documents.look_up(rows)["sketch"])
        self._bands = BandSearcher(source, self._banding, setup.threads)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._near.values)

    def append(self, rows: Documents) -> None:
        """Append rows, which are in the file by now."""
        places, sketches = sketched(rows)
        self._bands.append(len(self) + places, sketches)
        self._near.append(rows["fingerprint"])

    def find(self, asked: Documents) -> RowPairs | None:
        """Return the candidates of documents, by document and by row; None if they are too many."""
        parts, total = [np.zeros(0, np.int64)], 0
        with closing(self._pairs(asked)) as pairs:
            for i, j in pairs:
                parts.append(i << 32 | j)
                total += len(i)
                if total > MOST and len(asked) > 1:
                    return None
        both = distinct(np.concatenate(parts))
        return both >> 32, both & 0xFFFFFFFF

    def _pairs(self, asked: Documents) -> Generator[RowPairs, None, None]:
        if "simhash" in self._criteria.searches:
            yield from self._near.find(asked["fingerprint"])
        places, sketches = sketched(asked)
        if "minhash" in self._criteria.searches and len(places):
            for i, j in self._bands.join(sketches, partial(self._agreeing, sketches)):
                yield places[i], j

    def _agreeing(self, asked: Sketches, bands: AskedBands, chunk: RowSketches) -> RowPairs:
        """Return which rows of a chunk agree with asked sketches in a band, and may match."""
        rows, sketches = chunk
        parts, total = [(rows[:0], rows[:0])], 0
        for i, j in bands.join(sketches):
            likely = np.flatnonzero(self._likely(asked[i], sketches[j]))
            parts.append((i[likely], rows[j[likely]]))
            total += len(likely)
            # Then fewer documents are tried.
            if total > MOST:
                break
        i, j = map(np.concatenate, zip(*parts, strict=True))
        return i, j

    def _likely(self, a: Sketches, b: Sketches) -> Bools:
        if not self._least:
            return np.ones(len(a), np.bool_)
        likely: Bools = bbit_estimate(a, b) >= self._least
        return likely

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) are candidates."""
        good = np.zeros(len(a.rows), np.bool_)
        if "simhash" in self._criteria.searches:
            good = distances(a, b) <= self._ball.distance
        if "minhash" in self._criteria.searches:
            rows = np.flatnonzero(~good & (a["terms"] > 0) & (b["terms"] > 0))
            sketches = a.take(rows)["sketch"], b.take(rows)["sketch"]
            good[rows] = agree(*sketches, self._banding) & self._likely(*sketches)
        return good

    def linked(self, documents: Documents) -> Bools:
        """Return which documents may be candidates of others, or all if there are many pairs."""
        near, pairs, ball = np.zeros(len(documents), np.bool_), 0, self._ball
        places, sketches = sketched(documents)
        links = list[Iterator[RowPairs]]()
        if "simhash" in self._criteria.searches:
            found = iter_pairs(documents["fingerprint"], ball.distance, ball.bits, threads=1)
            links.append((each.i, each.j) for each in found)
        if "minhash" in self._criteria.searches:
            agreeing = neighbours(all_keys(sketches, self._banding).T)
            links.append((places[i], places[j]) for i, j in agreeing)
        for i, j in chain.from_iterable(links):
            near[i] = near[j] = True
            pairs += len(i)
            if pairs > _FEW * len(documents):
                return np.ones(len(documents), np.bool_)
        return near


# -- matches ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of some documents."""

    found: MeasuredPairs  # ordered by document
    # For each document with a text that was removed, what it was removed for; of those that nothing
    # else is near, `found` has these matches too.
    removed: MeasuredPairs
    held: Documents  # the documents of the index that match, by row: their ``number``

    @classmethod
    def concat(cls, several: Sequence[Matches]) -> Matches:
        """Return all matches, by document and by row, of which each is there once."""
        found = MeasuredPairs.concat([one.found for one in several])
        removed = MeasuredPairs.concat([one.removed for one in several])
        return cls(found, removed, _by_number([one.held for one in several]))

    def shifted(self, documents: int, rows: int = 0) -> Matches:
        """Return the same matches with larger numbers of documents and rows."""
        found, removed = (
            pairs.and_columns(a=pairs["a"] + documents, b=pairs["b"] + rows)
            for pairs in (self.found, self.removed)
        )
        held = self.held.and_columns(number=self.held["number"] + rows)
        return Matches(found, removed, held)

    def results(self, documents: Documents, added: RowIds = _NONE) -> Iterator[list[QueryResult]]:
        """Yield what the documents are told, of which some were added."""
        bounds = np.searchsorted(self.found["a"], np.arange(len(documents) + 1)).tolist()
        names, fresh = documents["name"].tolist(), set(added.tolist())
        for first in range(0, len(documents), _RESULTS):
            ends = bounds[first : first + _RESULTS + 1]
            some = self.found.take(np.arange(ends[0], ends[-1]))
            shares = (None if share != share else share for share in some["similarity"].tolist())
            held = self.held["name"][self.held["number"].searchsorted(some["b"])].tolist()
            made = list(map(Match, held, some["distance"].tolist(), shares))
            yield [
                QueryResult(names[i], tuple(made[low - ends[0] : high - ends[0]]), i in fresh)
                for i, (low, high) in enumerate(pairwise(ends), first)
            ]


def _by_number(several: Sequence[Documents]) -> Documents:
    """Return documents by their ``number``, each once."""
    every = Documents.concat([one.without("sketch", *PASSAGE_COLUMNS) for one in several])
    return every.take(np.unique(every["number"], return_index=True)[1])


def query(opened: Opened, asked: Documents, options: QueryOptions) -> Iterator[list[QueryResult]]:
    """Yield the results of a batch, some documents at a time."""
    for some, matches in _matches(opened, asked, options):
        yield from matches.results(some)


def find_nearest(opened: Opened, asked: Documents, options: QueryOptions) -> Matches:
    """Return the matches of documents, all with the index as it is at the beginning."""
    parts, first = list[Matches](), 0
    with opened.file.reading():
        for some, matches in _matches(opened, asked, options):
            parts.append(matches.shifted(first))
            first += len(some)
    # It has a copy of all fingerprints.
    opened.forget_rows()
    return Matches.concat(parts)


def adding_chunks(documents: Documents) -> Iterator[Documents]:
    """Cut documents into chunks of `ADDING_CHUNKS`; the last size repeats."""
    first, sizes = 0, chain(ADDING_CHUNKS, repeat(ADDING_CHUNKS[-1]))
    while first < len(documents):
        last = min(first + next(sizes), len(documents))
        yield documents.take(np.arange(first, last))
        first = last


def query_and_add(
    opened: Opened, asked: Documents, options: QueryOptions, patience: Patience
) -> Iterator[list[QueryResult]]:
    """Yield the results of a batch and add its new documents, which later ones may match.

    If there are too many candidates, or a name occurs again, the batch is split.
    """
    with opened.editing(patience) as edit:
        results = list[list[QueryResult]]()
        for part in _once_named(asked):
            for some, matches in _matches(opened, part, options):
                rows = opened.rows(options)
                free = np.setdiff1d(np.arange(len(some)), matches.found["a"])
                new, among = choose_new(some, free, rows, options)
                # They match each other by the numbers that come after all rows.
                among = among.and_columns(b=among["b"] + len(rows))
                held = some.and_columns(number=np.arange(len(some)) + len(rows))
                found = MeasuredPairs.concat([matches.found, among])
                held = _by_number([matches.held, held])
                answers = Matches(best(found, options.limit), matches.removed, held)
                results += answers.results(some, new)
                if edit.add_now(some.take(new)):
                    rows.append(some.take(new))
                else:
                    opened.forget_rows()
    yield from results


def _once_named(documents: Documents) -> Iterator[Documents]:
    """Cut documents so that no part has a name twice."""
    first, keys = 0, documents["name_key"]
    while first < len(documents):
        firsts = np.sort(np.unique(keys[first:], return_index=True)[1])
        again = np.flatnonzero(firsts != np.arange(len(firsts)))
        last = first + (int(again[0]) if len(again) else len(firsts))
        yield documents.take(np.arange(first, last))
        first = last


def _matches(
    opened: Opened, asked: Documents, options: QueryOptions
) -> Iterator[tuple[Documents, Matches]]:
    """Yield the matches of documents, of as many at a time as have not too many candidates."""
    with opened.file.reading():
        pairs = opened.rows(options).find(asked) if len(asked) <= _QUERIES else None
        matches = None if pairs is None else _judged(opened, asked, *pairs, options)
    if matches is not None:
        yield asked, matches
        return
    half = min(len(asked) // 2, _QUERIES)
    for first, last in ((0, half), (half, len(asked))):
        yield from _matches(opened, asked.take(np.arange(first, last)), options)


def _judged(
    opened: Opened, asked: Documents, i: RowIds, j: RowIds, options: QueryOptions
) -> Matches:
    """Return which candidates match, some rows at a time."""
    rows, parts, every = distinct(j), [NO_MATCHES], [_look_up(opened, j[:0])]
    for low in range(0, len(rows), _ROWS):
        here = rows[low : low + _ROWS]
        inside, pairs = np.flatnonzero((j >= here[0]) & (j <= here[-1])), [NO_MATCHES]
        held = _look_up(opened, here)
        for chunk in np.split(inside, range(_CHUNK, len(inside), _CHUNK)):
            b = Side(held, here.searchsorted(j[chunk]))
            pairs.append(judge(Side(asked, i[chunk]), b, options))
        parts.append(best(MeasuredPairs.concat(pairs), options.limit))
        every.append(held.take(here.searchsorted(distinct(parts[-1]["b"]))))
    removed = _recognize(opened, asked, options.criteria)
    every.append(_look_up(opened, distinct(removed["b"])))
    nearest = best(MeasuredPairs.concat(parts), options.limit)
    return Matches(otherwise(nearest, removed), removed, _by_number(every))


def _look_up(opened: Opened, rows: RowIds) -> Documents:
    """Return the documents of ascending rows."""
    return opened.segments.look_up(rows).and_columns(number=rows)


def _recognize(opened: Opened, asked: Documents, criteria: Criteria) -> MeasuredPairs:
    """Return what the documents with the text of a removed one were removed for.

    A pair must meet what is asked for now, with the figures of then.
    """
    removed = opened.segments.removed()
    if not (len(removed) and criteria.by_texts):
        return NO_MATCHES
    texts = np.flatnonzero(asked["terms"])
    hashes = text_hashes(asked["name_key"][texts], asked["content_key"][texts])
    keys = removed_keys(hashes, criteria)
    pairs = removed[np.minimum(removed["text"].searchsorted(keys), len(removed) - 1)]
    good = (pairs["text"] == keys) & (pairs["similarity"] >= criteria.similarity)
    if criteria.by_distance:
        good &= pairs["distance"] <= criteria.distance
    if not good.any():
        return NO_MATCHES
    texts, pairs = texts[good], pairs[good]
    rows = opened.segments.find(pairs["kept"])
    columns = {"a": texts, "b": rows, "distance": pairs["distance"].astype(np.int64)}
    every = MeasuredPairs(columns | {"similarity": pairs["similarity"].astype(np.float64)})
    names = opened.segments.column("name_key")[rows]
    return every.take((rows >= 0) & (names != asked["name_key"][texts]))


def judge(a: Side, b: Side, options: QueryOptions) -> MeasuredPairs:
    """Return which candidates match, with what is known of them; `b` has its rows as ``number``."""
    columns = {"a": a.rows, "b": b["number"], "distance": distances(a, b).astype(np.int64)}
    pairs = MeasuredPairs(columns | {"similarity": _estimates(a, b)})
    good = pairs.accepted(options.criteria)
    if options.criteria.edits_decide:
        good &= ~by_edit(a, b) | same_keys(a, b)
    # Whether few terms suffice is not for letters to say, which an index does not compare.
    sides = Side(a.table.without("letters"), a.rows), b
    if options.exclude_self:
        sides = Side(a.table.without("letters", "content_key"), a.rows), b
    return pairs.take(good & allowed(*sides))


def _estimates(a: Side, b: Side) -> NDArray[np.float64]:
    """Return the similarity of each pair, as sketches estimate it; NaN if one has no text.

    Only of equal texts it is 1.
    """
    shares = np.full(len(a.rows), np.nan)
    texts = np.flatnonzero((a["terms"] > 0) & (b["terms"] > 0))
    if len(texts):
        a, b = a.take(texts), b.take(texts)
        below = np.minimum(bbit_estimate(a["sketch"], b["sketch"]), LARGEST)
        shares[texts] = np.where(a["compact_key"] == b["compact_key"], 1.0, below)
    return shares


def best(matches: MeasuredPairs, limit: int | None) -> MeasuredPairs:
    """Return the best matches of each document, by document, the best first.

    Equally good matches keep their order.
    """
    similarity = np.nan_to_num(matches["similarity"])
    ordered = matches.take(np.lexsort((matches["distance"], -similarity, matches["a"])))
    if limit is None:
        return ordered
    firsts = np.flatnonzero(np.diff(ordered["a"], prepend=-1))
    sizes = np.diff(firsts, append=len(ordered))
    rank = np.arange(len(ordered)) - np.repeat(firsts, sizes)
    return ordered.take(rank < limit)


def otherwise(matches: MeasuredPairs, others: MeasuredPairs) -> MeasuredPairs:
    """Return the matches, and those of `others` for documents that have none, by document."""
    missing = others.take(~np.isin(others["a"], matches["a"]))
    return best(MeasuredPairs.concat([matches, missing]), None) if len(missing) else matches


def choose_new(
    documents: Documents, unmatched: RowIds, index: IndexRows, options: QueryOptions
) -> tuple[RowIds, MeasuredPairs]:
    """Return which of the unmatched documents match none of those returned before them.

    Also return the matches of all documents with one of these before them.  Nothing else is
    compared, so a family of m documents costs m comparisons.
    """
    free = np.zeros(len(documents), np.bool_)
    free[unmatched] = True
    documents = documents.and_columns(number=np.arange(len(documents)))
    pairs, rows = [NO_MATCHES], np.flatnonzero(index.linked(documents))
    for first, number in enumerate(rows.tolist(), 1):
        if free[number]:
            later = Side(documents, rows[first:])
            this = Side(documents, np.full(len(later.rows), number))
            close = np.flatnonzero(index.propose(later, this))
            pairs.append(judge(later.take(close), this.take(close), options))
            free[pairs[-1]["a"]] = False
    return np.flatnonzero(free), MeasuredPairs.concat(pairs)
