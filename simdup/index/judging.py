"""Decide which hits of a search match, by sketch and length: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup import search
from simdup.index.candidates import CandidateCounts, Searches
from simdup.index.sections import U64, RowIds, sketched
from simdup.lsh.bbit import estimate
from simdup.lsh.sketch_bands import all_keys
from simdup.model.criteria import FEW_TERMS, Criteria
from simdup.model.matches import Match
from simdup.model.table import Documents
from simdup.search import Hits
from simdup.search.arrays import hamming_distances
from simdup.search.banding import neighbours

# Returns some documents, given by number.
Held: TypeAlias = Callable[[RowIds], Documents]

# Hits whose sketches are compared at a time: 1 MB per side.
_CHUNK = 1 << 13
# If documents have more neighbours than this, finding all of them costs more than it saves.
_FEW = 4


class Rule(NamedTuple):
    """Which candidates match."""

    criteria: Criteria  # its method, distance, similarity and verify are used
    exclude_self: bool = False  # whether documents of the same name never match


class ScoredMatches(NamedTuple):
    """Matches in columns.

    They become objects only when needed: a hundred thousand at once would keep the garbage
    collector busy for longer than the search takes.
    """

    query: RowIds  # int64[m]: the number of the document that was queried
    row: RowIds  # int64[m]: the row of the document in the index
    distance: NDArray[np.int16]
    similarity: NDArray[np.float64]  # NaN if one of the documents has no text

    @classmethod
    def concat(cls, several: Sequence[ScoredMatches]) -> ScoredMatches:
        """Concatenate matches."""
        nothing = np.zeros(0, np.int64)
        none = cls(nothing, nothing, nothing.astype(np.int16), np.zeros(0))
        query, row, distance, similarity = zip(none, *several, strict=True)
        return cls(
            np.concatenate(query),
            np.concatenate(row),
            np.concatenate(distance),
            np.concatenate(similarity),
        )

    def take(self, which: RowIds | slice) -> ScoredMatches:
        """Return some of the matches."""
        query, row, distance, similarity = self
        return ScoredMatches(query[which], row[which], distance[which], similarity[which])

    def best(self, limit: int | None) -> ScoredMatches:
        """Return the best matches of each document, by document, the best first.

        Equally good matches keep their order.
        """
        # One sort of integers: a million matches take 20 ms; by four columns, 115 ms. A sketch has
        # 128 bytes, so at most this many of them differ.
        differing = np.rint((1 - np.nan_to_num(self.similarity)) * 127.5).astype(np.int64)
        worth = (self.query << 8 | differing) << 9 | self.distance
        found = self.take(stable_order(worth))
        if limit is None:
            return found
        firsts = np.flatnonzero(np.diff(found.query, prepend=-1))
        sizes = np.diff(firsts, append=len(found.query))
        rank = np.arange(len(found.query)) - np.repeat(firsts, sizes)
        return found.take(np.flatnonzero(rank < limit))

    def otherwise(self, others: ScoredMatches) -> ScoredMatches:
        """Return the matches, and those of `others` for documents that have none, by document."""
        missing = np.flatnonzero(~np.isin(others.query, self.query))
        if not len(missing):
            return self
        return ScoredMatches.concat([self, others.take(missing)]).best(None)

    def to_matches(self, names: Sequence[str]) -> list[Match]:
        """Return the matches as objects, given the names of their rows."""
        given = np.isnan(self.similarity).tolist()
        shares = zip(given, self.similarity.tolist(), strict=True)
        similarities = [None if none else share for none, share in shares]
        return list(map(Match, names, self.distance.tolist(), similarities))


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of some documents, by number."""

    found: ScoredMatches  # ordered by document
    # For each document with a text that was removed, what it was removed for; of those that nothing
    # else is near, `found` has these matches too.
    removed: ScoredMatches
    names: dict[int, str]  # of the rows that match
    bounds: list[int]  # where the matches of each document begin, and the last ones end
    counts: CandidateCounts  # of their candidates

    @classmethod
    def of(
        cls,
        found: ScoredMatches,
        removed: ScoredMatches,
        names: dict[int, str],
        documents: int,
        counts: CandidateCounts,
    ) -> Matches:
        """Return the matches of some documents."""
        found = found.otherwise(removed)
        bounds = np.searchsorted(found.query, np.arange(documents + 1))
        return cls(found, removed, names, bounds.tolist(), counts)

    def lists(self, first: int, stop: int) -> list[list[Match]]:
        """Return the matches of each of some documents, made together: one by one takes longer."""
        bounds = self.bounds[first : stop + 1]
        low = bounds[0]
        some = self.found.take(slice(low, bounds[-1]))
        made = some.to_matches([self.names[row] for row in some.row.tolist()])
        return [made[start - low : end - low] for start, end in pairwise(bounds)]


def stable_order(values: RowIds) -> RowIds:
    """Return the order that sorts small numbers; equal ones keep their order."""
    bits = len(values).bit_length()
    places = np.sort(values << bits | np.arange(len(values)))
    order: RowIds = places & ((1 << bits) - 1)
    return order


def distinct(rows: RowIds) -> RowIds:
    """Return the distinct rows, ascending, in a third of the time of `np.unique`."""
    ordered = np.sort(rows)
    return ordered[np.flatnonzero(np.diff(ordered, prepend=-1))]


def judge(hits: Hits, asked: Held, held: Held, rule: Rule) -> ScoredMatches:
    """Return the hits that match, with their similarities.

    Documents with few terms match only identical ones, which have equal length and sketch.
    """
    parts = []
    for low in range(0, len(hits.query), _CHUNK):
        some = hits.take(slice(low, low + _CHUNK))
        similarity, good = _compare(asked(some.query), held(some.row), some.distance, rule)
        parts.append(ScoredMatches(*some, similarity).take(np.flatnonzero(good)))
    return ScoredMatches.concat(parts)


def _compare(
    a: Documents, b: Documents, distance: NDArray[np.int16], rule: Rule
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the similarity of each pair of documents, and which pairs match."""
    similarity = np.full(len(a), np.nan)
    good = ~_same_document(a, b, distance, rule.exclude_self)
    texts = (a["terms"] > 0) & (b["terms"] > 0)
    which = np.flatnonzero(texts)
    if len(which):
        if len(which) < len(texts):
            a, b = a.take(which), b.take(which)
        estimated = estimate(a["sketch"], b["sketch"])
        same = (a["length"] == b["length"]) & (estimated == 1)
        good[which] &= (np.minimum(a["terms"], b["terms"]) >= FEW_TERMS) | same
        if rule.criteria.verify:
            good[which] &= estimated >= rule.criteria.similarity
        similarity[which] = estimated
    return similarity, good


def _same_document(
    a: Documents, b: Documents, distance: NDArray[np.int16], always: bool
) -> NDArray[np.bool_]:
    """Return which pairs are two versions of one document, or, with `always`, one document.

    A version has the same name and another content.  If only one of the two has a text, their
    fingerprints tell.
    """
    same: NDArray[np.bool_] = a["name_key"] == b["name_key"]
    if always or not same.any():
        return same
    comparable = (a["terms"] > 0) == (b["terms"] > 0)
    other = a["content_key"] != b["content_key"]
    changed: NDArray[np.bool_] = np.where(comparable, other, distance > 0)
    same &= changed
    return same


def choose_new(documents: Documents, searches: Searches, rule: Rule) -> RowIds:
    """Return the documents, by number, that match none of those returned before them.

    Only these are compared with others, so a family of m documents costs m comparisons.
    """
    near = _may_match(documents, searches)
    keys, texts = _band_keys(documents, searches), documents["terms"] > 0
    free, values = np.ones(len(documents), np.bool_), documents["fingerprint"]
    rows = np.flatnonzero(near)
    for first, number in enumerate(rows.tolist(), 1):
        if not free[number]:
            continue
        later = rows[first:][free[rows[first:]]]
        one = np.full(len(later), number)
        distances = hamming_distances(values, later, values, one)
        close = np.zeros(len(later), np.bool_)
        if searches.near:
            close |= distances <= searches.setup.ball.distance
        if texts[number]:
            close |= texts[later] & (keys[later] == keys[number]).any(axis=1)
        hits = Hits(later, one, distances).take(np.flatnonzero(close))
        free[judge(hits, documents.take, documents.take, rule).query] = False
    return np.flatnonzero(free)


def _may_match(documents: Documents, searches: Searches) -> NDArray[np.bool_]:
    """Return which documents may be candidates of others: exactly, or all if there are many."""
    near = np.zeros(len(documents), np.bool_)
    if searches.near:
        ball, seen, values = searches.setup.ball, 0, documents["fingerprint"]
        for pairs in search.iter_pairs(values, ball.distance, ball.bits, threads=1):
            near[pairs.i] = near[pairs.j] = True
            seen += len(pairs.i)
            if seen > _FEW * len(documents):
                near[:] = True
                return near
    texts = np.flatnonzero(documents["terms"])
    keys = _band_keys(documents, searches)[texts]
    for i, j in neighbours(keys.T):
        near[texts[i]] = near[texts[j]] = True
    return near


def _band_keys(documents: Documents, searches: Searches) -> U64:
    """Return the band keys of documents (uint64[n, bands]), 0 for those without a text."""
    if searches.banding is None:
        return np.zeros((len(documents), 0), np.uint64)
    keys = np.zeros((len(documents), searches.banding.bands), np.uint64)
    keys[documents["terms"] > 0] = all_keys(sketched(documents)[1], searches.banding)
    return keys
