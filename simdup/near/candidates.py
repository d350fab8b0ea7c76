"""The join of two tables of documents: pairs that a search proposes and all rules allow.

A method proposes (`simdup.near.methods`).  Its search is first prepared for the documents of a run.
Then it answers questions about any of them, in rows of a table.  `simdup.index.match` has
those between documents and an index.

`candidates` is the only join.  Its two tables are one and the same in a scan, or the documents that
an index is asked about and those that it has.  `Candidates` has what a scan knows of one table, and
answers which pairs are candidates without listing all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64
from simdup.kernels.leaders import LISTED, SKETCHED
from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.settings import Settings
from simdup.model.table import Documents, Side
from simdup.near.collection import Collection
from simdup.near.measures import Measure, unmeasured
from simdup.near.methods import methods_of
from simdup.near.rules import allowed
from simdup.near.short import formed, short
from simdup.search import equal_keys
from simdup.search.arrays import I64, U64, Bools, RowIds, RowPairs, hamming_distances
from simdup.search.grouping import Lists
from simdup.text.bands import Banded, Keys, Signatures
from simdup.text.shingles import Sets
from simdup.text.weights import Weighting

# -- searches --------------------------------------------------------------------------------------


def distances(a: Side, b: Side) -> NDArray[np.int16]:
    """Return the Hamming distance of the fingerprints of each pair (a[k], b[k])."""
    return hamming_distances(a.table["fingerprint"], a.rows, b.table["fingerprint"], b.rows)


def with_distances(pairs: MeasuredPairs, documents: Documents) -> MeasuredPairs:
    """Return pairs with the Hamming distances of their documents."""
    a, b = (Side(documents, pairs[side]) for side in ("a", "b"))
    return pairs.and_columns(distance=distances(a, b).astype(np.int64))


class Search:
    """Proposes pairs of documents, once it is prepared."""

    name: str  # of the method, as `Criteria.searches` has it
    kind: int = LISTED  # of its lists, for `simdup.kernels.leaders`

    def prepared(self, documents: Documents, numbers: RowIds) -> Search:
        """Return what proposes pairs among some of all documents, given by their numbers."""
        return self

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""
        raise NotImplementedError

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        raise NotImplementedError

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield pairs that connect what it proposes, and perhaps more."""
        return self.pairs(documents)

    def lists(self, documents: Documents, by_facts: bool) -> Iterator[tuple[Lists, bool]]:
        """Yield lists of rows; each proposed pair shares one.

        Beside them comes whether each has a short text, whose facts decide if `by_facts`.
        """
        return ((Lists.of_pairs(i, j), True) for i, j in self.pairs(documents))

    def narrowed(self, documents: Documents, most: int) -> list[Lists]:
        """Return lists of short texts that have at most so many pairs, if that can be."""
        listed = self.lists(documents, True) if self.kind == LISTED else ()
        return [lists for lists, _ in listed]

    def sketches(self, documents: Documents) -> tuple[int, NDArray[np.uint8]] | None:
        """Return how many bytes of two sketches must be equal, and one for each; None without."""
        return None

    def form_sketches(self, documents: Documents) -> tuple[U64, ...]:
        """Return odd sketches of the characters of short texts, and of their runs, if there are."""
        return ()

    def equal_bands(self, documents: Documents, i: int, j: int) -> list[bool]:
        """Return which bands of a pair are equal; without bands, whether it proposes the pair."""
        a, b = (Side(documents, np.array([row])) for row in (i, j))
        found: list[bool] = self.propose(a, b).tolist()
        return found


@dataclass(frozen=True)
class EqualKeys(Search):
    """Proposes documents that share a band key."""

    name: str
    signatures: Banded  # of documents by number
    kind: int = SKETCHED

    def prepared(self, documents: Documents, numbers: RowIds) -> EqualKeys:
        """Return the search as these documents need it."""
        # What must be equal is mixed into band keys.
        if "equal" not in documents:
            return self
        return replace(self, signatures=self.signatures.masked(documents["equal"]))

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""
        return self.signatures.propose(a["number"], b["number"])

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        places, rows = self.keyed(documents)
        for a, b in equal_keys.candidates(self.signatures.keys[rows]):
            # They share a key, so only their sketches are asked.
            good = np.flatnonzero(self.signatures.may_reach(rows[a], rows[b]))
            yield places[a[good]], places[b[good]]

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield pairs that connect what it proposes, and perhaps more."""
        places, rows = self.keyed(documents)
        for a, b in equal_keys.neighbours(self.columns(rows)):
            yield places[a], places[b]

    def lists(self, documents: Documents, by_facts: bool) -> Iterator[tuple[Lists, bool]]:
        """Yield lists of rows; each proposed pair shares one."""
        places, rows = self.keyed(documents)
        for column in self.columns(rows):
            yield from lists_of(column, places, documents, by_facts)

    def sketches(self, documents: Documents) -> tuple[int, NDArray[np.uint8]] | None:
        """Return how many bytes of two sketches must be equal, and one for each; None without.

        They have whole blocks of bytes: what is added is equal in all of them.
        """
        if not isinstance(self.signatures, Signatures):
            return None
        sketches = self.signatures.sketches[self.signatures.row_of[documents["number"]]]
        more = -sketches.shape[1] % 16
        return self.signatures.fewest + more, np.pad(sketches, ((0, 0), (0, more)))

    def equal_bands(self, documents: Documents, i: int, j: int) -> list[bool]:
        """Return which bands of a pair are equal."""
        a, b = documents["number"][[i, j]].tolist()
        return self.signatures.equal_bands(a, b)

    def keyed(self, documents: Documents) -> tuple[RowIds, RowIds]:
        """Return the rows of documents with keys, and the rows of their keys."""
        rows = self.signatures.row_of[documents["number"]]
        places = np.flatnonzero(rows >= 0)
        return places, rows[places]

    def columns(self, rows: RowIds) -> Iterator[Keys]:
        """Yield the keys of rows, one band at a time."""
        keys = self.signatures.keys
        return (keys[rows, band] for band in range(keys.shape[1]))


@dataclass(frozen=True)
class EqualTexts(Search):
    """Proposes documents with the same text, which rules or a reference keep from being copies."""

    name: str = "copies"

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""
        same: Bools = a["content_number"] == b["content_number"]
        return same

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        return equal_keys.candidates(documents["content_number"][:, np.newaxis].astype(np.uint64))

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield pairs that connect what it proposes, and perhaps more."""
        return equal_keys.neighbours([documents["content_number"].astype(np.uint64)])

    def lists(self, documents: Documents, by_facts: bool) -> Iterator[tuple[Lists, bool]]:
        """Yield lists of rows; each proposed pair shares one."""
        yield Lists.of_key(documents["content_number"].astype(np.uint64)), True


def searches_of(corpus: Collection, weighting: Weighting, settings: Settings) -> list[Search]:
    """Return the searches that the criteria ask for, if documents have what they need."""
    methods = methods_of(settings.criteria)
    searches = (method.search(corpus, weighting, settings) for method in methods)
    return [search for search in searches if search is not None]


# -- the join --------------------------------------------------------------------------------------


def candidates(left: Documents, right: Documents, searches: Sequence[Search]) -> Iterator[RowPairs]:
    """Yield the candidates, each once, in chunks, in undefined order.

    Parameters
    ----------
    left, right : Documents
        Their columns are the rules.  A column that is known only of what is proposed, as with the
        documents of an index, is not there yet: `simdup.near.rules.allowed` sees to it later.
    searches : sequence
        What they propose are rows of these tables.

    Yields
    ------
    i, j : int64[m]
        Rows of `left` and of `right`.
    """
    for k, search in enumerate(searches):
        for i, j in search.pairs(left):
            a, b = Side(left, i), Side(right, j)
            # What earlier searches propose has already been yielded.
            new = allowed(a, b) & ~proposed(searches[:k], a, b)
            yield i[new], j[new]


def proposed(searches: Iterable[Search], a: Side, b: Side) -> Bools:
    """Return which pairs (a[k], b[k]) some search proposes."""
    found = np.zeros(len(a.rows), np.bool_)
    for search in searches:
        found |= search.propose(a, b)
    return found


def _no_texts(documents: RowIds) -> Any:
    """Raise: fingerprints alone decide."""
    raise ValueError("texts are not known")


@dataclass(frozen=True, slots=True)
class Candidates:
    """Documents that may be near-duplicates, what proposes pairs of them, and what measures these.

    Attributes
    ----------
    documents : Documents
        Known by their rows; some of them have their ``number`` among all, ascending.
    searches : sequence of Search
    settings : Settings
    measure : callable
        Measures pairs, given by the numbers of documents.
    sets_of, forms_of : callable
        Return the shingles of documents, and the forms of short texts, by number; asked only if
        these decide.
    order : int64[documents], optional
        The place of each number in the order of keeping; without it, that of input.
    size : number
        How many documents the run has, for `Criteria.all_pairs`; without it, too many.
    """

    documents: Documents
    searches: Sequence[Search]
    settings: Settings
    measure: Measure = unmeasured
    sets_of: Callable[[RowIds], Sets] = _no_texts
    forms_of: Callable[[RowIds], list[str]] = _no_texts
    order: I64 | None = None
    size: float = math.inf

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.documents)

    @property
    def criteria(self) -> Criteria:
        """When two documents are near-duplicates."""
        return self.settings.criteria

    @property
    def every(self) -> bool:
        """Whether all pairs are compared."""
        return self.criteria.compares_all(self.size)

    @property
    def numbers(self) -> RowIds:
        """The numbers of the documents (int64[n])."""
        return self.documents["number"]

    def take(self, rows: RowIds) -> Candidates:
        """Return some of the documents, by their ascending rows here."""
        if len(rows) == len(self):
            return self
        return replace(self, documents=self.documents.take(rows))

    def sides(self, i: RowIds, j: RowIds) -> tuple[Side, Side]:
        """Return both sides of the pairs (i[k], j[k])."""
        return Side(self.documents, i), Side(self.documents, j)

    def allow(self, i: RowIds, j: RowIds) -> Bools:
        """Return which pairs all rules allow."""
        return allowed(*self.sides(i, j))

    def test(self, i: RowIds, j: RowIds) -> Bools:
        """Return which pairs are candidates."""
        a, b = self.sides(i, j)
        return allowed(a, b) & proposed(self.searches, a, b)

    def pairs(self) -> Iterator[RowPairs]:
        """Yield all candidates, i < j; see `candidates`."""
        return candidates(self.documents, self.documents, self.searches)


def lists_of(
    keys: Keys, rows: RowIds, documents: Documents, by_facts: bool
) -> Iterator[tuple[Lists, bool]]:
    """Yield lists of the rows with an equal key, and whether each has a short text.

    A pair with a short text needs equal facts, so among those that may be in one, facts belong to
    the keys.
    """
    long = ~short(documents)[rows] if by_facts else np.ones(len(rows), np.bool_)
    yield Lists.of_key(keys[long]).of_rows(rows[long]), False
    if not long.all():
        some = formed(documents)[rows]
        rows = rows[some]
        mixed = mix64(keys[some].astype(np.uint64)) ^ documents["facts"][rows]
        _, lists = Lists.of_key(mixed).of_rows(rows).parted(short(documents))
        yield lists


def groups_of(roots: RowIds, chosen: Bools) -> list[RowIds]:
    """Return the chosen rows of each root."""
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(roots[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(roots[rows])) + 1) if len(rows) else []
