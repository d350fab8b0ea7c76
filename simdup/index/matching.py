"""Find the documents of an index that match others, and add those that match none.

A match is a candidate that rules allow (`simdup.near.rules`) and the criteria accept, by the
similarity that sketches estimate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, pairwise, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.index.row_searches import MOST, IndexRows
from simdup.index.sections import removed_keys, text_hashes
from simdup.index.session import Patience, Session
from simdup.model.criteria import Criteria
from simdup.model.documents import Skipped
from simdup.model.formats import Share
from simdup.model.measures import LARGEST, MeasuredPairs
from simdup.model.settings import RunOptions
from simdup.model.table import Documents, Side, objects
from simdup.near.candidates import Search, distances, proposed
from simdup.near.rules import allowed
from simdup.search.arrays import U64, RowIds, distinct
from simdup.search.plans import HammingBall
from simdup.search.queries import SearchSetup
from simdup.text.families import bbit_estimate

# Documents that are queried and added at a time if earlier ones may match later ones: few at
# first, because many equal documents would all be compared with each other.
ADDING_CHUNKS = (64, 512, 4096)
# Rows whose names and sketches are looked up at a time: 128 bytes each, and as much for a name.
_ROWS = 1 << 16
# Results that are returned at a time.
_RESULTS = 4096
# Candidates whose sketches are compared at a time: 1 MB per side.
_CHUNK = 1 << 13
# If documents have more neighbours than this, finding all of them costs more than it saves.
_FEW = 4

# Matches are pairs of an asked document, by number, and a row of the index.
NO_MATCHES = MeasuredPairs(
    dict.fromkeys(("a", "b", "distance"), np.zeros(0, np.int64)) | {"similarity": np.zeros(0)}
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

    def result(self, document: str, matches: list[Match], added: bool = False) -> QueryResult:
        """Return a result with the best matches first."""
        if len(matches) > 1:
            matches = sorted(matches, key=lambda m: (-(m.similarity or 0.0), m.distance))
            matches = matches[: self.limit]
        return QueryResult(document, tuple(matches), added)


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
        found = MeasuredPairs.concat([NO_MATCHES, *(one.found for one in several)])
        removed = MeasuredPairs.concat([NO_MATCHES, *(one.removed for one in several)])
        held = _by_number([one.held for one in several])
        return cls(found, removed, held)

    def shifted(self, documents: int, rows: int = 0) -> Matches:
        """Return the same matches with larger numbers of documents and rows."""
        found, removed = (
            pairs.and_columns(a=pairs["a"] + documents, b=pairs["b"] + rows)
            for pairs in (self.found, self.removed)
        )
        held = self.held.and_columns(number=self.held["number"] + rows)
        return replace(self, found=found, removed=removed, held=held)

    def lists(self, documents: int) -> Iterator[list[Match]]:
        """Yield the matches of each document, made some documents at a time."""
        bounds = np.searchsorted(self.found["a"], np.arange(documents + 1)).tolist()
        for first in range(0, documents, _RESULTS):
            some = bounds[first : first + _RESULTS + 1]
            made = to_matches(self.found.take(np.arange(some[0], some[-1])), self.held)
            yield from (made[low - some[0] : high - some[0]] for low, high in pairwise(some))


def _by_number(several: Sequence[Documents]) -> Documents:
    """Return documents by their ``number``, each once."""
    parts = [one for one in several if len(one)]
    if not parts:
        return Documents({"number": np.zeros(0, np.int64), "name": objects([])})
    every = Documents.concat(parts)
    return every.take(np.unique(every["number"], return_index=True)[1])


def query(
    session: Session, documents: Documents, options: QueryOptions
) -> Iterator[list[QueryResult]]:
    """Yield the results of a batch, some documents at a time."""
    first = 0
    while first < len(documents):
        with session.storage.reading():
            some, matches = _match(session, documents, first, options)
        results = map(options.result, some["name"].tolist(), matches.lists(len(some)))
        while part := list(islice(results, _RESULTS)):
            yield part
        first += len(some)


def find_nearest(session: Session, documents: Documents, options: QueryOptions) -> Matches:
    """Return the matches of documents, all with the index as it is at the beginning."""
    parts, first = list[Matches](), 0
    with session.storage.reading():
        while first < len(documents):
            some, matches = _match(session, documents, first, options)
            parts.append(matches.shifted(first))
            first += len(some)
    # It has a copy of all fingerprints.
    session.forget_rows()
    return Matches.concat(parts)


def adding_chunks(documents: Documents) -> Iterator[Documents]:
    """Cut documents into chunks of `ADDING_CHUNKS`; the last size repeats."""
    first, sizes = 0, chain(ADDING_CHUNKS, repeat(ADDING_CHUNKS[-1]))
    while first < len(documents):
        last = min(first + next(sizes), len(documents))
        yield documents.take(np.arange(first, last))
        first = last


def query_and_add(
    session: Session, documents: Documents, options: QueryOptions, patience: Patience
) -> Iterator[list[QueryResult]]:
    """Yield the results of a batch and add its new documents, which later ones may match.

    If there are too many hits, or a name occurs again, the batch is split.
    """
    first = 0
    while first < len(documents):
        with session.editing(patience) as writer:
            most = _count_distinct(documents["name_key"][first : first + ADDING_CHUNKS[-1]])
            some, found = _match(session, documents, first, options, most)
            matches = list(found.lists(len(some)))
            new = np.array([i for i, known in enumerate(matches) if not known], np.int64)
            rows = _rows(session, options)
            added, among = choose_new(some, new, rows.searches, options)
            numbered = some.and_columns(number=np.arange(len(some)))
            for document, match in zip(among["a"], to_matches(among, numbered), strict=True):
                matches[document].append(match)
            if len(added):
                kept, replaced = writer().add(some.take(added))
                moved = writer().flush()
                session.touch()
        if len(added):
            if moved or replaced:
                session.forget_rows()
            else:
                rows.append(kept)
        fresh = set(added.tolist())
        names = enumerate(some["name"].tolist())
        yield [options.result(name, matches[i], i in fresh) for i, name in names]
        first += len(some)


def _match(
    session: Session,
    documents: Documents,
    first: int,
    options: QueryOptions,
    most: int | None = None,
) -> tuple[Documents, Matches]:
    """Return the documents of a batch that could be answered, and their matches in the index."""
    index = _rows(session, options)
    last = len(documents) if most is None else min(first + most, len(documents))
    some, (i, j) = index.find_first(documents, range(first, last), MOST)
    rows = distinct(j)
    parts, every = [NO_MATCHES], list[Documents]()
    for low in range(0, len(rows), _ROWS):
        here = rows[low : low + _ROWS]
        inside = np.flatnonzero((j >= here[0]) & (j <= here[-1]))
        held, found = _look_up(session, index, here), [NO_MATCHES]
        for chunk in np.split(inside, range(_CHUNK, len(inside), _CHUNK)):
            a, b = Side(some, i[chunk]), Side(held, _places(j[chunk], here))
            found.append(judge(a, b, options))
        parts.append(best(MeasuredPairs.concat(found), options.limit))
        every.append(held.take(_places(distinct(parts[-1]["b"]), here)).without("sketch"))
    nearest = best(MeasuredPairs.concat(parts), options.limit)
    removed = _recognize(session, some, options.criteria)
    every.append(_look_up(session, index, distinct(removed["b"])).without("sketch"))
    held = _by_number(every)
    return some, Matches(otherwise(nearest, removed), removed, held)


def _rows(session: Session, options: QueryOptions) -> IndexRows:
    return session.rows(options.setup(session.recipe.bits), options.criteria)


def _look_up(session: Session, index: IndexRows, rows: RowIds) -> Documents:
    """Return the documents of ascending rows."""
    if not len(rows):
        return Documents()
    columns = {"number": rows, "fingerprint": index.documents["fingerprint"][rows]}
    return session.store.look_up(rows).and_columns(**columns)


def _recognize(session: Session, asked: Documents, criteria: Criteria) -> MeasuredPairs:
    """Return what the documents with the text of a removed one were removed for.

    A pair must meet what is asked for now, with the figures of then.
    """
    removed = session.removed()
    if not (len(removed) and criteria.verify and criteria.similarity):
        return NO_MATCHES
    texts = np.flatnonzero(asked["terms"])
    hashes = text_hashes(asked["name_key"][texts], asked["content_key"][texts])
    wanted = removed_keys(hashes, criteria)
    pairs = removed[np.minimum(removed["text"].searchsorted(wanted), len(removed) - 1)]
    good = (pairs["text"] == wanted) & (pairs["similarity"] >= criteria.similarity)
    if criteria.by_distance:
        good &= pairs["distance"] <= criteria.distance
    texts, pairs = texts[good], pairs[good]
    places = session.store.find(pairs["kept"]) if len(pairs) else texts
    # An older simdup leaves pairs with documents that it has removed.
    present = places >= 0
    texts, pairs, places = texts[present], pairs[present], places[present]
    if not len(pairs):
        return NO_MATCHES
    kept = session.store.look_up(places)
    columns = {"a": texts, "b": places, "distance": pairs["distance"].astype(np.int64)}
    every = MeasuredPairs(columns | {"similarity": pairs["similarity"].astype(np.float64)})
    return every.take(kept["name_key"] != asked["name_key"][texts])


def _count_distinct(keys: U64) -> int:
    """Return how many keys come before the first that occurs again."""
    firsts = np.sort(np.unique(keys, return_index=True)[1])
    again = np.flatnonzero(firsts != np.arange(len(firsts)))
    return int(again[0]) if len(again) else len(firsts)


def _places(rows: RowIds, here: RowIds) -> RowIds:
    """Return the places of rows among the ascending ones of a part."""
    together = int(here[-1] - here[0]) == len(here) - 1
    return rows - here[0] if together else here.searchsorted(rows)


def judge(a: Side, b: Side, options: QueryOptions) -> MeasuredPairs:
    """Return which candidates match, with what is known of them; `b` has its rows as ``number``."""
    columns = {"a": a.rows, "b": b["number"], "distance": distances(a, b).astype(np.int64)}
    pairs = MeasuredPairs(columns | {"similarity": _estimates(a, b)})
    if options.exclude_self:
        a = Side(a.table.without("content_key"), a.rows)
    return pairs.take(allowed(a, b) & pairs.accepted(options.criteria))


def _estimates(a: Side, b: Side) -> NDArray[np.float64]:
    """Return the similarity of each pair, as sketches estimate it; NaN if one has no text.

    Only of equal texts it is 1.
    """
    similarity = np.full(len(a.rows), np.nan)
    texts = np.flatnonzero((a["terms"] > 0) & (b["terms"] > 0))
    if len(texts):
        a, b = a.take(texts), b.take(texts)
        below = np.minimum(bbit_estimate(a["sketch"], b["sketch"]), LARGEST)
        similarity[texts] = np.where(a["compact_key"] == b["compact_key"], 1.0, below)
    return similarity


def best(matches: MeasuredPairs, limit: int | None) -> MeasuredPairs:
    """Return the best matches of each document, by document, the best first.

    Equally good matches keep their order.
    """
    similarity = np.nan_to_num(matches["similarity"])
    # A sketch has 128 bytes, so at most this many of them differ; equal texts come first.
    differing = np.rint((1 - similarity) * 127.5).astype(np.int64) + (similarity < 1)
    worth = (matches["a"] << 8 | differing) << 9 | matches["distance"]
    bits = len(worth).bit_length()
    if int(worth.max(initial=0)).bit_length() + bits < 64:
        # One sort of integers: a million matches take 20 ms; by four columns, 115 ms.
        order = np.sort(worth << bits | np.arange(len(worth))) & ((1 << bits) - 1)
    else:
        order = np.argsort(worth, kind="stable")
    found = matches.take(order)
    if limit is None:
        return found
    firsts = np.flatnonzero(np.diff(found["a"], prepend=-1))
    sizes = np.diff(firsts, append=len(found))
    rank = np.arange(len(found)) - np.repeat(firsts, sizes)
    return found.take(rank < limit)


def otherwise(matches: MeasuredPairs, others: MeasuredPairs) -> MeasuredPairs:
    """Return the matches, and those of `others` for documents that have none, by document."""
    missing = others.take(~np.isin(others["a"], matches["a"]))
    return best(MeasuredPairs.concat([matches, missing]), None) if len(missing) else matches


def to_matches(matches: MeasuredPairs, held: Documents) -> list[Match]:
    """Return matches as objects; `held` have their rows as ``number``.

    They become objects only when needed: a hundred thousand at once would keep the garbage
    collector busy for longer than the search takes.
    """
    shares = (None if share != share else share for share in matches["similarity"].tolist())
    names = held["name"][held["number"].searchsorted(matches["b"])].tolist()
    return list(map(Match, names, matches["distance"].tolist(), shares))


def choose_new(
    documents: Documents, unmatched: RowIds, searches: Sequence[Search], options: QueryOptions
) -> tuple[RowIds, MeasuredPairs]:
    """Return which of the unmatched documents match none of those returned before them.

    Also return the matches of all documents with one of these before them.  Nothing else is
    compared, so a family of m documents costs m comparisons.
    """
    free = np.zeros(len(documents), np.bool_)
    free[unmatched] = True
    documents = documents.and_columns(number=np.arange(len(documents)))
    found, rows = [NO_MATCHES], np.flatnonzero(_may_match(documents, searches))
    for first, number in enumerate(rows.tolist(), 1):
        if not free[number]:
            continue
        later = Side(documents, rows[first:])
        one = Side(documents, np.full(len(later.rows), number))
        close = np.flatnonzero(proposed(searches, later, one))
        found.append(judge(later.take(close), one.take(close), options))
        free[found[-1]["a"]] = False
    return np.flatnonzero(free), MeasuredPairs.concat(found)


def _may_match(documents: Documents, searches: Sequence[Search]) -> NDArray[np.bool_]:
    """Return which documents may be candidates of others, or all if there are many pairs."""
    near, seen = np.zeros(len(documents), np.bool_), 0
    for search in searches:
        for i, j in search.links(documents):
            near[i] = near[j] = True
            seen += len(i)
            if seen > _FEW * len(documents):
                near[:] = True
                return near
    return near
