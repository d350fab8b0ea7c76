"""The join of two tables of documents: pairs that a search proposes and all rules allow.

Simhash proposes documents whose fingerprints are within the distance.  Band keys propose documents
that share one, unless their sketches show that they are far below the similarity.  Pairs that share
passages are listed beforehand.  Each search is first prepared for the documents of a run.  Then it
answers questions about any of them, in rows of a table.  `simdup.index.row_searches` has those
between documents and an index.

`candidates` is the only join.  Its two tables are one and the same in a scan, or the documents that
an index is asked about and those that it has.  `Candidates` has what a scan knows of one table, and
answers which pairs are candidates without listing all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64, mix_columns
from simdup.kernels.leaders import LISTED, PRINTED, SKETCHED
from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.model.table import Documents, Side
from simdup.near.clustering import Measure, Priority, first_come, unmeasured
from simdup.near.collection import Collection
from simdup.near.rules import allowed, formed, short
from simdup.near.verifier import SetsOf, no_forms, no_texts
from simdup.reuse.sharing import SHARED, TextSeeds, least_share, sharing_pairs
from simdup.search import all_pairs, equal_keys, iter_pairs
from simdup.search.arrays import U64, Bools, RowIds, RowPairs, hamming_distances
from simdup.search.grouping import Lists
from simdup.search.plans import HammingBall, cut
from simdup.search.tables import block_keys
from simdup.text.bands import EditSignatures, Keys, Signatures, pstable_signatures
from simdup.text.simhash import to_hex
from simdup.text.weights import Weighting

# -- searches --------------------------------------------------------------------------------------


def distances(a: Side, b: Side) -> NDArray[np.int16]:
    """Return the Hamming distance of the fingerprints of each pair (a[k], b[k])."""
    return hamming_distances(a.table["fingerprint"], a.rows, b.table["fingerprint"], b.rows)


class Search:
    """Proposes pairs of documents, once it is prepared."""

    name: str  # of the method, as `Criteria.searches` has it

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

    kind: int = LISTED  # of its lists, for `simdup.kernels.leaders`

    def lists(self, documents: Documents, by_facts: bool) -> Iterator[tuple[Lists, bool]]:
        """Yield lists of rows; each proposed pair shares one.

        Beside them comes whether each has a short text, whose facts decide if `by_facts`.
        """
        return ((Lists.of_pairs(i, j), True) for i, j in self.pairs(documents))

    def equal_bands(self, documents: Documents, i: int, j: int) -> list[bool]:
        """Return which bands of a pair are equal; without bands, whether it proposes the pair."""
        a, b = (Side(documents, np.array([row])) for row in (i, j))
        found: list[bool] = self.propose(a, b).tolist()
        return found


@dataclass(frozen=True)
class NearFingerprints(Search):
    """Proposes documents whose fingerprints are within the distance of the criteria.

    Blocking keys need no preparation: they are mixed into the fingerprints.
    """

    settings: Settings
    name: str = "simhash"
    kind: int = PRINTED

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""
        near: Bools = distances(a, b) <= self.settings.criteria.distance
        return near

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        values, ball, threads = documents["fingerprint"], self._ball, self.settings.run.processes
        found = all_pairs(values, ball.distance, ball.bits, threads=threads)
        yield found.i, found.j

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield pairs that connect what it proposes, and perhaps more."""
        values, ball, threads = documents["fingerprint"], self._ball, self.settings.run.processes
        # Identical fingerprints are paired with the first of them only.
        for found in iter_pairs(values, ball.distance, ball.bits, "first", threads=threads):
            yield found.i, found.j

    def lists(self, documents: Documents, by_facts: bool) -> Iterator[tuple[Lists, bool]]:
        """Yield lists of rows; each proposed pair shares one."""
        rows = np.arange(len(documents))
        for block in self.blocks(documents):
            yield from _lists_of(block, rows, documents, by_facts)

    def equal_bands(self, documents: Documents, i: int, j: int) -> list[bool]:
        """Return which bands of a pair are equal."""
        # Of distance + 1 blocks at least one is equal, if so few bits differ.
        bits = self.settings.recipe.bits
        a, b = to_hex(documents["fingerprint"][[i, j]], bits)
        different = format(int(a, 16) ^ int(b, 16), f"0{bits}b")
        count = min(self.settings.criteria.distance + 1, bits)
        return ["1" not in different[start : start + size] for start, size in cut(bits, count)]

    def blocks(self, documents: Documents) -> list[U64]:
        """Return the blocks of fingerprints of which near documents share one."""
        return block_keys(documents["fingerprint"], self._ball)

    @property
    def _ball(self) -> HammingBall:
        bits = self.settings.recipe.bits
        return HammingBall(bits, min(self.settings.criteria.distance, bits))


@dataclass(frozen=True)
class EqualKeys(Search):
    """Proposes documents that share a band key."""

    name: str
    signatures: Signatures | EditSignatures  # of documents by number
    kind: int = SKETCHED

    def prepared(self, documents: Documents, numbers: RowIds) -> EqualKeys:
        """Return the search as these documents need it."""
        # Blocking keys are mixed into band keys, if there are any.
        if "blocking_key" not in documents:
            return self
        return replace(self, signatures=self.signatures.masked(documents["blocking_key"]))

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""
        return self.signatures.propose(a["number"], b["number"])

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        places, rows = self._rows(documents)
        for a, b in equal_keys.candidates(self.signatures.keys[rows]):
            # They share a key, so only their sketches are asked.
            good = np.flatnonzero(self.signatures.may_reach(rows[a], rows[b]))
            yield places[a[good]], places[b[good]]

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield pairs that connect what it proposes, and perhaps more."""
        places, rows = self._rows(documents)
        for a, b in equal_keys.neighbours(self._columns(rows)):
            yield places[a], places[b]

    def lists(self, documents: Documents, by_facts: bool) -> Iterator[tuple[Lists, bool]]:
        """Yield lists of rows; each proposed pair shares one."""
        places, rows = self._rows(documents)
        for column in self._columns(rows):
            if isinstance(self.signatures, Signatures):
                yield from _lists_of(column, places, documents, by_facts)
            else:  # keys of short texts have their facts in them
                lists = Lists.of_key(column).of_rows(places)
                yield from lists.parted(short(documents))

    def lists_of_rows(self, documents: Documents, width: int) -> Lists:
        """Return lists of short texts that share so many bands in a row, or all but a character."""
        assert isinstance(self.signatures, EditSignatures)
        places, rows = self._rows(documents)
        columns = list(self._columns(rows))
        bands, exact = columns[: self.signatures.bands], columns[self.signatures.bands :]
        starts = range(max(len(bands) - width, 0) + 1)
        keys = (mix_columns([k.astype(np.uint64) for k in bands[i : i + width]]) for i in starts)
        return Lists.concat(Lists.of_key(key).of_rows(places) for key in chain(keys, exact))

    def equal_bands(self, documents: Documents, i: int, j: int) -> list[bool]:
        """Return which bands of a pair are equal."""
        a, b = documents["number"][[i, j]].tolist()
        return self.signatures.equal_bands(a, b)

    def _rows(self, documents: Documents) -> tuple[RowIds, RowIds]:
        """Return the rows of documents with keys, and the rows of their keys."""
        rows = self.signatures.row_of[documents["number"]]
        places = np.flatnonzero(rows >= 0)
        return places, rows[places]

    def _columns(self, rows: RowIds) -> Iterator[Keys]:
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


@dataclass(frozen=True)
class ListedPairs(Search):
    """Proposes pairs that are known, by number, in order; the smaller number first."""

    a: RowIds
    b: RowIds
    name: str = "passages"

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""
        if not len(self.a):
            return np.zeros(len(a.rows), np.bool_)
        one, other = a["number"], b["number"]
        keys = self.a << 32 | self.b
        asked = np.minimum(one, other) << 32 | np.maximum(one, other)
        places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        listed: Bools = keys[places] == asked
        return listed

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        numbers = documents["number"]
        here = np.flatnonzero(np.isin(self.a, numbers) & np.isin(self.b, numbers))
        order = np.argsort(numbers)
        sides = (column[here] for column in (self.a, self.b))
        i, j = (order[np.searchsorted(numbers, side, sorter=order)] for side in sides)
        yield np.minimum(i, j), np.maximum(i, j)


@dataclass(frozen=True)
class SharedPassages(Search):
    """Proposes documents that share enough passages."""

    seeds: Mapping[str, TextSeeds]  # of texts, by the column that they are from
    text_of: RowIds  # the text of each document
    containment: float

    def prepared(self, documents: Documents, numbers: RowIds) -> ListedPairs:
        """Return the search as these documents need it."""
        found, rows = [], self.text_of[numbers]
        for name, seeds in self.seeds.items():
            least = least_share(name, self.containment)
            found.append(np.stack(sharing_pairs(seeds, rows, least)))
        i, j = np.unique(np.concatenate(found, axis=1), axis=1)
        return ListedPairs(numbers[i], numbers[j])


def chosen_searches(
    settings: Settings,
    of_vectors: Signatures | None,
    of_texts: Signatures | None,
    of_forms: EditSignatures | None,
) -> list[Search]:
    """Return the searches of the criteria, given the signatures that documents have.

    `of_forms` are those of short texts.  What proposes shared passages is up to the caller.
    """
    keys = (
        ("pstable", of_vectors, SKETCHED),
        ("minhash", of_texts, SKETCHED),
        ("minhash", of_forms, LISTED),
    )
    searches: list[Search] = [
        EqualKeys(name, one, kind) for name, one, kind in keys if one is not None
    ]
    if "simhash" in settings.criteria.searches:
        searches.append(NearFingerprints(settings))
    return searches


def searches_of(corpus: Collection, weighting: Weighting, settings: Settings) -> list[Search]:
    """Return the searches that the criteria ask for, if documents have what they need."""
    criteria, texts, forms = settings.criteria, corpus.texts, corpus.forms
    searches = chosen_searches(
        settings,
        pstable_signatures(weighting, criteria) if criteria.method == "pstable" else None,
        Signatures.of(texts, criteria, corpus.text_of) if "keys" in texts else None,
        EditSignatures.of(forms, criteria, corpus["form"])
        if "form_keys" in forms and len(forms)
        else None,
    )
    if "seeds" in texts:
        seeds = {name: corpus.seeds(name) for name in SHARED if name in texts}
        searches.append(SharedPassages(seeds, corpus.text_of, criteria.containment or 0))
    return searches


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
    priority : callable
        Orders numbers: the document with the smallest is kept.
    every : bool
        Whether all pairs are compared; see `Criteria.compares_all`.
    """

    documents: Documents
    searches: Sequence[Search]
    settings: Settings
    measure: Measure = unmeasured
    sets_of: SetsOf = no_texts
    forms_of: Callable[[RowIds], list[str]] = no_forms
    priority: Callable[[int], Priority] = first_come
    every: bool = False

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.documents)

    @property
    def criteria(self) -> Criteria:
        """When two documents are near-duplicates."""
        return self.settings.criteria

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


def _lists_of(
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
