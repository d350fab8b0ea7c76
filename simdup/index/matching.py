"""Find the documents of an index that match others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from simdup.index.candidates import CandidateCounts, CandidateSearcher, Searches
from simdup.index.judging import Matches, Rule, ScoredMatches, choose_new, distinct, judge
from simdup.index.searcher import SearchSetup
from simdup.index.sections import U64, RowIds, removed_keys, text_hashes
from simdup.index.session import Patience, Session
from simdup.model.matches import Match, QueryResult
from simdup.model.settings import RunOptions
from simdup.model.table import Documents
from simdup.search import HammingBall, Hits

# Documents that are queried and added at a time if earlier ones may match later ones: few at
# first, because many equal documents would all be compared with each other.
ADDING_CHUNKS = (64, 512, 4096)
# Hits processed at a time: 34 bytes each, and about 100 if they become matches.
_HITS = 1 << 20
# Rows whose names and sketches are looked up at a time: 128 bytes each, and as much for a name.
_ROWS = 1 << 16
# Results that are returned at a time.
_RESULTS = 4096


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """How an index is queried."""

    rule: Rule
    limit: int | None = None  # the most matches per document
    compress: bool = False  # whether search tables are kept compressed
    run: RunOptions = field(default_factory=RunOptions)

    def searches(self, bits: int) -> Searches:
        """Return how to search fingerprints of `bits` bits, and sketches."""
        criteria = self.rule.criteria
        ball = HammingBall(bits, min(criteria.distance, bits))
        return Searches.of(SearchSetup(ball, self.run.processes, self.compress), criteria)

    def result(self, document: str, matches: list[Match], added: bool = False) -> QueryResult:
        """Return a result with the best matches first."""
        if len(matches) > 1:
            matches = sorted(matches, key=lambda m: (-(m.similarity or 0.0), m.distance))
            matches = matches[: self.limit]
        return QueryResult(document, tuple(matches), added)


def query(
    session: Session, documents: Documents, options: QueryOptions
) -> Iterator[list[QueryResult]]:
    """Yield the results of a batch, some documents at a time."""
    first = 0
    while first < len(documents):
        with session.storage.reading():
            some, matches = _match(session, documents, first, options)
        for low in range(0, len(some), _RESULTS):
            names = some["name"][low : low + _RESULTS].tolist()
            yield list(map(options.result, names, matches.lists(low, low + len(names))))
        first += len(some)


class Nearest(NamedTuple):
    """The nearest documents of an index."""

    found: ScoredMatches  # `row` is the place of a document in what follows
    names: list[str]
    values: U64  # uint64[n, words]: fingerprints
    keys: U64  # uint64[n]: hashes of their names
    contents: U64  # uint64[n]: hashes of their names and texts together
    counts: CandidateCounts  # of the candidates
    removed: ScoredMatches  # as in `Matches`

    @classmethod
    def concat(cls, several: Sequence[Nearest]) -> Nearest:
        """Return those of several indexes, one after another."""
        found, removed, names = list[ScoredMatches](), list[ScoredMatches](), list[str]()
        for one in several:
            for parts, part in ((found, one.found), (removed, one.removed)):
                parts.append(part._replace(row=part.row + len(names)))
            names += one.names
        columns = [(one.values, one.keys, one.contents) for one in several]
        values, keys, contents = map(np.concatenate, zip(*columns, strict=True))
        counts = CandidateCounts.sum([one.counts for one in several])
        joined = ScoredMatches.concat(found), ScoredMatches.concat(removed)
        return cls(joined[0], names, values, keys, contents, counts, joined[1])


def find_nearest(session: Session, documents: Documents, options: QueryOptions) -> Nearest:
    """Return the document of an index that is nearest to each of some documents that match one.

    All of them see the index as it is at the beginning.
    """
    parts, again, names = list[ScoredMatches](), list[ScoredMatches](), dict[int, str]()
    first, counts = 0, list[CandidateCounts]()
    with session.storage.reading():
        while first < len(documents):
            some, matches = _match(session, documents, first, options)
            for several, one in ((parts, matches.found), (again, matches.removed)):
                several.append(one._replace(query=one.query + first))
            names |= matches.names
            counts.append(matches.counts)
            first += len(some)
        # It has a copy of all fingerprints.
        session.forget_searcher()
        found, removed = ScoredMatches.concat(parts), ScoredMatches.concat(again)
        rows = distinct(np.concatenate([found.row, removed.row]))
        values = session.store.fingerprints()[rows]
        keys, contents = (session.store.column(kind)[rows] for kind in ("keys", "contents"))
    found = found._replace(row=rows.searchsorted(found.row))
    removed = removed._replace(row=rows.searchsorted(removed.row))
    known = [names[row] for row in rows.tolist()]
    return Nearest(found, known, values, keys, contents, CandidateCounts.sum(counts), removed)


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
            matches = found.lists(0, len(some))
            new = np.array([i for i, known in enumerate(matches) if not known], np.int64)
            searches = options.searches(session.recipe.bits)
            added = new[choose_new(some.take(new), searches, options.rule)]
            for document, match in _match_added(some, added, searches, options.rule):
                matches[document].append(match)
            if len(added):
                searcher = session.searcher(searches)
                kept, replaced = writer().add(some.take(added))
                moved = writer().flush()
                session.touch()
        if len(added):
            if moved or replaced:
                session.forget_searcher()
            else:
                searcher.append(kept)
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
    searcher = session.searcher(options.searches(session.recipe.bits))
    last = len(documents) if most is None else min(first + most, len(documents))
    some, (hits, counts) = searcher.find_first(documents, range(first, last), _HITS)
    rows = distinct(hits.row)
    parts, names = list[ScoredMatches](), dict[int, str]()
    for low in range(0, len(rows), _ROWS):
        here = rows[low : low + _ROWS]
        inside = np.flatnonzero((hits.row >= here[0]) & (hits.row <= here[-1]))
        found, more = _look_up(session, some, hits.take(inside), here, options)
        parts.append(found)
        names |= more
    found = ScoredMatches.concat(parts).best(options.limit)
    removed, more = _recognize(session, some, options.rule)
    return some, Matches.of(found, removed, names | more, len(some), counts)


def _recognize(
    session: Session, asked: Documents, rule: Rule
) -> tuple[ScoredMatches, dict[int, str]]:
    """Return what the documents with the text of a removed one were removed for, and the names.

    A pair must meet what is asked for now, with the figures of then.
    """
    removed, criteria = session.removed(), rule.criteria
    if not (len(removed) and criteria.verify and criteria.similarity):
        return ScoredMatches.concat([]), {}
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
        return ScoredMatches.concat([]), {}
    kept = session.store.look_up(places)
    figures = pairs["distance"].astype(np.int16), pairs["similarity"].astype(np.float64)
    others = np.flatnonzero(kept["name_key"] != asked["name_key"][texts])
    found = ScoredMatches(texts, places, *figures).take(others)
    return found, dict(zip(places.tolist(), kept["name"].tolist(), strict=True))


def _count_distinct(keys: U64) -> int:
    """Return how many keys come before the first that occurs again."""
    firsts = np.sort(np.unique(keys, return_index=True)[1])
    again = np.flatnonzero(firsts != np.arange(len(firsts)))
    return int(again[0]) if len(again) else len(firsts)


def _look_up(
    session: Session, asked: Documents, hits: Hits, rows: RowIds, options: QueryOptions
) -> tuple[ScoredMatches, dict[int, str]]:
    """Return the best matches among hits, and the names of their rows."""
    present = session.store.look_up(rows)

    def places(some: RowIds) -> RowIds:
        together = int(rows[-1] - rows[0]) == len(rows) - 1
        return some - rows[0] if together else rows.searchsorted(some)

    found = judge(hits, asked.take, lambda some: present.take(places(some)), options.rule)
    found = found.best(options.limit)
    matched = distinct(found.row)
    places_of = zip(matched.tolist(), places(matched).tolist(), strict=True)
    return found, {row: present["name"][place] for row, place in places_of}


def _match_added(
    documents: Documents, added: RowIds, searches: Searches, rule: Rule
) -> Iterator[tuple[int, Match]]:
    """Yield the matches of a batch's documents among those added before them."""
    if not len(added):
        return
    new, first = documents.take(added), 0
    searcher = CandidateSearcher.among(new, searches)
    names = dict(zip(added.tolist(), new["name"].tolist(), strict=True))
    while first < len(documents):
        some, (hits, _) = searcher.find_first(documents, range(first, len(documents)), _HITS)
        hits = hits._replace(query=hits.query + first, row=added[hits.row])
        hits = hits.take(np.flatnonzero(hits.query > hits.row))
        found = judge(hits, documents.take, documents.take, rule)
        matches = found.to_matches([names[row] for row in found.row.tolist()])
        yield from zip(found.query.tolist(), matches, strict=True)
        first += len(some)
