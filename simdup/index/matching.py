"""Which documents of an index match others, by fingerprint, sketch and length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.fingerprints.near import near_pairs
from simdup.index.columns import Columns, MatchColumns, RowIds, decode_names
from simdup.index.searcher import Searcher, SearchSetup
from simdup.index.session import Patience, Session
from simdup.lsh.bbit import estimate
from simdup.model.criteria import FEW_TERMS, Criteria
from simdup.model.matches import Match, QueryResult
from simdup.model.settings import RunOptions
from simdup.search import HammingBall

# Documents that are queried and added at a time where earlier ones may match later ones: few at
# first, because of many equal ones each would be compared with each.
ADDING_CHUNKS = (64, 512, 4096)
# Matches whose names and sketches are looked up at a time: 128 bytes each, and as much for a name.
_MATCHES = 1 << 16
# Results that are returned at a time.
_RESULTS = 4096


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """How an index is queried."""

    criteria: Criteria  # its distance, similarity and verify are used
    limit: int | None = None  # most matches of a document
    compress: bool = False  # whether search tables are kept compressed
    run: RunOptions = field(default_factory=RunOptions)

    def setup(self, bits: int) -> SearchSetup:
        """Return what fingerprints of so many bits are searched for."""
        ball = HammingBall(bits, min(self.criteria.distance, bits))
        return SearchSetup(ball, self.run.processes, self.compress)

    def result(self, document: str, matches: list[Match], added: bool = False) -> QueryResult:
        """Return a result with the best matches first."""
        if len(matches) > 1:
            matches = sorted(matches, key=lambda m: (-(m.similarity or 0.0), m.distance))
            matches = matches[: self.limit]
        return QueryResult(document, tuple(matches), added)


def query(session: Session, columns: Columns, options: QueryOptions) -> Iterator[list[QueryResult]]:
    """Yield the results of a batch, a few documents at a time."""
    with session.storage.reading():
        found = _match(session, columns, options)
    bounds = np.searchsorted(found.query, np.arange(len(columns) + 1)).tolist()
    for first in range(0, len(columns), _RESULTS):
        last = min(first + _RESULTS, len(columns))
        names = decode_names(columns.names[first:last])
        yield [
            options.result(name, found.matches(bounds[i], bounds[i + 1]))
            for i, name in enumerate(names, first)
        ]


def query_and_add(
    session: Session, columns: Columns, options: QueryOptions, patience: Patience
) -> list[QueryResult]:
    """Return the results of a batch and add its new documents; they match later ones too."""
    names = decode_names(columns.names)
    with session.editing(patience) as writer:
        found = _match(session, columns, options)
        matches: dict[int, list[Match]] = {}
        for i, document in enumerate(found.query.tolist()):
            matches.setdefault(document, []).extend(found.matches(i, i + 1))
        new = np.array([i for i in range(len(columns)) if not matches.get(i)], np.int64)
        added = _choose_new(columns, new, options)
        for document, match in _match_added(columns, added, names, options):
            matches.setdefault(document, []).append(match)
        if len(added):
            searcher = session.searcher(options.setup(session.recipe.bits))
            kept, replaced = writer().add(columns.take(added))
            moved = writer().flush()
            session.touch()
    if len(added):
        if moved or replaced:
            session.forget_searcher()
        else:
            searcher.append(kept.values)
    fresh = set(added.tolist())
    return [options.result(name, matches.get(i, []), i in fresh) for i, name in enumerate(names)]


class _Matches(NamedTuple):
    """Matches in columns, ordered by the number of the document that was queried.

    They become objects when they are needed: a hundred thousand at once would keep the garbage
    collector busy for longer than the search takes.
    """

    query: RowIds
    names: list[str]
    distances: list[int]
    similarities: list[float | None]

    def matches(self, start: int, stop: int) -> list[Match]:
        """Return some of them."""
        part = slice(start, stop)
        columns = (self.names[part], self.distances[part], self.similarities[part])
        return list(map(Match, *columns)) if start < stop else []


def _match(session: Session, columns: Columns, options: QueryOptions) -> _Matches:
    """Return what the index holds near some documents."""
    found = session.searcher(options.setup(session.recipe.bits)).near(columns.values)
    judged = _Matches(np.zeros(0, np.int64), [], [], [])
    queries = [judged.query]
    for first in range(0, len(found.query), _MATCHES):
        part = slice(first, first + _MATCHES)
        query, distance = found.query[part], found.distance[part]
        names, present = session.store.look_up(found.row[part])
        similarity, good = _judge(columns.match_columns(query), present, options.criteria)
        queries.append(query[good])
        judged.distances.extend(distance[good].tolist())
        kept = np.flatnonzero(good).tolist()
        judged.names.extend([names[i] for i in kept])
        judged.similarities.extend([similarity[i] for i in kept])
    return judged._replace(query=np.concatenate(queries))


def _judge(
    a: MatchColumns, b: MatchColumns, criteria: Criteria
) -> tuple[list[float | None], NDArray[np.bool_]]:
    """Return the estimated similarity of documents side by side, and which of them match.

    Documents with few terms match only identical ones: those with equal length and sketch.
    """
    texts = (a.terms > 0) & (b.terms > 0)
    similarity: list[float | None] = [None] * len(texts)
    good = np.ones(len(texts), np.bool_)
    which = np.flatnonzero(texts)
    if len(which):
        sketch_a, sketch_b = a.sketches[which], b.sketches[which]
        estimated = estimate(sketch_a, sketch_b)
        same = (a.lengths[which] == b.lengths[which]) & (sketch_a == sketch_b).all(axis=1)
        good[which] = (np.minimum(a.terms[which], b.terms[which]) >= FEW_TERMS) | same
        if criteria.verify:
            good[which] &= estimated >= criteria.similarity
        for i, share in zip(which.tolist(), estimated.tolist(), strict=True):
            similarity[i] = share
    return similarity, good


def _choose_new(columns: Columns, new: RowIds, options: QueryOptions) -> RowIds:
    """Return the new documents of a batch that match none returned before them."""
    some = columns.take(new)
    bits = some.values.shape[1] * 64
    prints = Fingerprints(some.values, bits, some.terms.astype(np.int64))
    found = near_pairs(prints, options.criteria.distance, options.run)
    earlier: dict[int, list[int]] = {}
    for first in range(0, len(found.i), _MATCHES):
        part = slice(first, first + _MATCHES)
        i, j = found.i[part], found.j[part]
        _, good = _judge(some.match_columns(j), some.match_columns(i), options.criteria)
        for a, b in zip(i[good].tolist(), j[good].tolist(), strict=True):
            earlier.setdefault(b, []).append(a)
    added: set[int] = set()
    for number in range(len(some)):
        if added.isdisjoint(earlier.get(number, ())):
            added.add(number)
    return new[sorted(added)]


def _match_added(
    columns: Columns, added: RowIds, names: list[str], options: QueryOptions
) -> Iterator[tuple[int, Match]]:
    """Yield what the documents of a batch match among those added before them."""
    if not len(added):
        return
    setup = options.setup(columns.values.shape[1] * 64)
    found = Searcher(columns.values[added], setup).near(columns.values)
    later = found.query > added[found.row]
    query, row, distance = found.query[later], added[found.row[later]], found.distance[later]
    for first in range(0, len(query), _MATCHES):
        part = slice(first, first + _MATCHES)
        a, b = columns.match_columns(query[part]), columns.match_columns(row[part])
        similarity, good = _judge(a, b, options.criteria)
        for i in np.flatnonzero(good).tolist():
            match = Match(names[row[first + i]], int(distance[first + i]), similarity[i])
            yield int(query[first + i]), match
