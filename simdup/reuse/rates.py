"""Rates: how much of a document is in others, whoever they are.

The share of a document that was copied is the union of all its passages: what three sources have in
common counts once.  What others may have for a good reason is left out on both sides of the
fraction: copied units outside the parts that are left out, of all units outside them.  What a
source has is counted in the same way: whoever shares little but a list of references is none.

Documents with the same text are one source, and a text that several have was copied whole.
Passages are of pairs of texts, while rights are those of documents (a reference has no rate, and
nobody copies from their own group).  So texts are split into classes of documents that may be
compared with the same others; most have one.

*Leaks* are the other side: a reference of which one text has enough.  A passage reaches from its
first equal run to its last one, over what differs in between.  So that chance runs with gaps
between them do not add up, it counts by its equal units: what it covers of the reference, and no
earlier one of the pair does, times the share of it that is equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from simdup.model.shared_passages import Rate, TextPart
from simdup.reuse.finding import Finder, Passages, covered_anew, first_passages
from simdup.reuse.overlaps import Holders
from simdup.reuse.symbols import symbols_before
from simdup.search.arrays import I64, Bools, ranges, run_starts


class Omissions(NamedTuple):
    """What is left out of documents."""

    # From the number of a document to its parts that are left out, and its text.
    look_up: Callable[[int], tuple[Sequence[TextPart], str]]
    least: int  # units outside these that a source has, unless it has the same text


@dataclass(frozen=True, slots=True)
class Rates(Sequence[Rate]):
    """The rates of documents in arrays; each becomes an object when it is asked for.

    By what counts, falling, then by falling share, then in input order.
    """

    documents: I64
    figures: NDArray[np.float64]  # float64[documents, 3]: share, counted, largest share
    largest: I64  # the largest single source; -1 for none
    sources: I64
    parts: dict[int, tuple[TextPart, ...]]  # by document, of those that have any
    names: Sequence[Any]

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.documents)

    @overload
    def __getitem__(self, number: int) -> Rate: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Rate]: ...
    def __getitem__(self, number: int | slice) -> Rate | Sequence[Rate]:
        """Return the rate of one document, or of some."""
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        document, source = int(self.documents[number]), int(self.largest[number])
        share, counted, most = self.figures[number].tolist()
        name = self.names[source] if source >= 0 else None
        left_out = self.parts.get(document, ())
        sources = int(self.sources[number])
        return Rate(self.names[document], share, counted, name, most, sources, left_out)

    def __iter__(self) -> Iterator[Rate]:
        """Yield all rates."""
        return map(self.__getitem__, range(len(self)))


class _Spans(NamedTuple):
    """Spans of texts, each with what it is shared with; texts and classes alike own some."""

    owners: I64
    others: I64
    starts: I64
    ends: I64

    def take(self, rows: I64 | Bools) -> _Spans:
        return _Spans(*(column[rows] for column in self))


def rate_documents(
    found: Passages,
    sizes: I64,
    holders: Holders,
    shared: I64,
    names: Sequence[Any],
    left_out: Omissions | None = None,
) -> Rates:
    """Return the rates of all documents that are no references.

    Parameters
    ----------
    found : Passages
        Of pairs of texts.
    sizes : int64[texts]
        The symbols of each text.
    holders : Holders
        The documents of each text.
    shared : int64[some]
        The texts whose documents are listed as copies.
    names : sequence
        Of the documents.
    left_out : Omissions or None
        What to leave out of documents; None for nothing.
    """
    count = len(holders.order)
    text_of = np.empty(count, np.int64)
    text_of[holders.order] = np.repeat(np.arange(len(sizes)), np.diff(holders.firsts))
    rated = np.flatnonzero(holders.sides.sources)
    groups = holders.sides.groups[rated]
    keys = text_of[rated] * (int(groups.max(initial=-1)) + 2) + groups + 1
    _, firsts, class_of = np.unique(keys, return_index=True, return_inverse=True)
    texts, groups = text_of[rated[firsts]], groups[firsts]  # of the classes
    leaders = _Leaders.of(holders)
    spans = _class_spans(_text_spans(found, sizes, shared), texts, groups, leaders)
    sources = _sources(spans, leaders.lead(spans.others, groups[spans.owners]), texts)
    # The union of what a class shares with anybody.
    union = _union(spans._replace(others=np.zeros_like(spans.others)))
    copied = np.bincount(union.owners, union.ends - union.starts, minlength=len(texts))
    size = np.maximum(sizes[text_of[rated]], 1)
    number, largest, most = (column[class_of] for column in sources.best(len(texts)))
    figures = np.stack([copied[class_of] / size, copied[class_of] / size, most / size], 1)
    parts = dict[int, tuple[TextPart, ...]]()
    classes = np.arange(len(texts) + 1)
    bounds = np.stack([np.searchsorted(one.owners, classes) for one in (spans, union)])
    look_up, least = left_out or (None, 0)
    for row, document in enumerate(rated.tolist() if look_up else ()):
        listed, text = look_up(document)  # type: ignore[misc]
        if listed:
            parts[document] = tuple(listed)
            rest = _Rest.of(text, int(size[row]), listed)
            own, every = bounds[:, class_of[row] : class_of[row] + 2].tolist()
            figures[row, 1] = rest.share(rest.units(union, every).sum())
            counted = sources.recount(rest.units(spans, own), own)
            counted = counted.take((counted.covered >= least) | counted.same)
            number[row], largest[row], units = (column[0] for column in counted.best(1))
            figures[row, 2] = rest.share(units)
    # Whoever is the first of its text has its copy from the second.
    first = largest == rated
    largest[first] = leaders.second(text_of[rated[first]])
    order = np.lexsort((rated, -figures[:, 0], -figures[:, 1]))
    return Rates(rated[order], figures[order], largest[order], number[order], parts, names)


def and_silent(rates: Rates, names: Sequence[Any], places: I64) -> Rates:
    """Return rates together with those of documents that share nothing.

    Parameters
    ----------
    rates : Rates
    names : sequence
        Of the documents that share nothing.
    places : int64[documents]
        Where all documents are in the input, those of `names` last.
    """
    if not names:
        return rates
    known, more = len(rates.names), len(names)
    documents = np.append(rates.documents, np.arange(known, known + more))
    figures = np.concatenate([rates.figures, np.zeros((more, 3))])
    largest = np.append(rates.largest, np.full(more, -1))
    sources = np.append(rates.sources, np.zeros(more, np.int64))
    order = np.lexsort((places[documents], -figures[:, 0], -figures[:, 1]))
    return Rates(
        documents[order], figures[order], largest[order], sources[order], rates.parts,
        [*rates.names, *names],
    )  # fmt: skip


class _Rest(NamedTuple):
    """What is left of a text without some parts."""

    starts: I64  # symbols of the parts
    ends: I64
    size: int  # symbols outside them

    @classmethod
    def of(cls, text: str, size: int, parts: Sequence[TextPart]) -> _Rest:
        """Return what is left of a text with so many symbols."""
        places = np.array([part[1:] for part in parts], np.int64)
        starts, ends = symbols_before(text, places.ravel()).reshape(-1, 2).T
        return cls(starts, ends, size - int((ends - starts).sum()))

    def units(self, spans: _Spans, bounds: Sequence[int]) -> I64:
        """Return how much of some spans of the text is left."""
        places = np.stack([spans.starts, spans.ends])[:, slice(*bounds)]
        part = np.searchsorted(self.starts, places, "right")
        before = np.append(0, np.cumsum(self.ends - self.starts))[part]
        before -= np.maximum(np.append(0, self.ends)[part] - places, 0)
        units: I64 = np.diff(places - before, axis=0)[0]
        return units

    def share(self, units: int) -> float:
        """Return the share of some units in what is left; 0 if nothing is."""
        return int(units) / self.size if self.size else 0.0


class _Leaders(NamedTuple):
    """The documents that others are compared with, by text; -1 for none."""

    first: I64
    other: I64  # the first of another group than that of `first`
    after: I64  # the one behind `first`
    groups: I64  # of documents

    @classmethod
    def of(cls, holders: Holders) -> _Leaders:
        """Return the first documents of each text."""
        firsts = np.full((3, len(holders.firsts) - 1), -1)
        able = holders.order[holders.sides.references[holders.order]]
        texts = np.repeat(np.arange(len(firsts[0])), np.diff(holders.firsts))
        texts = texts[holders.sides.references[holders.order]]
        groups = holders.sides.groups
        starts = run_starts(texts)
        firsts[0, texts[starts]] = able[starts]
        later = np.ones(len(able), np.bool_)
        later[starts] = False
        for row, rows in ((1, groups[able] != groups[firsts[0, texts]]), (2, later)):
            some = np.flatnonzero(rows)
            some = some[run_starts(texts[some])]
            firsts[row, texts[some]] = able[some]
        first, other, after = firsts
        return cls(first, other, after, groups)

    def lead(self, texts: I64, groups: I64) -> I64:
        """Return the first document of each text that one of a group is compared with, or -1."""
        first = self.first[texts]
        same = (groups >= 0) & (first >= 0) & (self.groups[first] == groups)
        return np.where(same, self.other[texts], first)

    def second(self, texts: I64) -> I64:
        """Return the document behind the first one of each text."""
        return self.after[texts]


def _text_spans(found: Passages, sizes: I64, shared: I64) -> _Spans:
    """Return what each text shares with others, and what copies share: all of it."""
    a, b = found.texts.T
    return _Spans(
        np.concatenate([a, b, shared]),
        np.concatenate([b, a, shared]),
        np.concatenate([found.a[:, 0], found.b[:, 0], np.zeros_like(shared)]),
        np.concatenate([found.a[:, 1], found.b[:, 1], sizes[shared]]),
    )


def _class_spans(spans: _Spans, texts: I64, groups: I64, leaders: _Leaders) -> _Spans:
    """Return what each class of documents shares with texts that it is compared with."""
    spans = _union(spans)
    bounds = np.searchsorted(spans.owners, np.stack([texts, texts + 1]))
    counts = bounds[1] - bounds[0]
    rows = ranges(bounds[0], counts)
    found = spans.take(rows)._replace(owners=np.repeat(np.arange(len(texts)), counts))
    return found.take(leaders.lead(found.others, groups[found.owners]) >= 0)


class _Sources(NamedTuple):
    """The sources of each owner: other texts that it shares spans with, in order of owners."""

    firsts: I64  # the first span that each shares with the owner
    owners: I64
    documents: I64  # that name them
    same: Bools  # whether it is the text of the owner
    covered: I64  # symbols of the owner

    def take(self, rows: I64 | Bools) -> _Sources:
        firsts, owners, documents, same, covered = self
        return _Sources(firsts[rows], owners[rows], documents[rows], same[rows], covered[rows])

    def recount(self, units: I64, bounds: Sequence[int]) -> _Sources:
        """Return the sources of one owner, from the bounds of its spans and what counts of each."""
        own = self.take(np.arange(*np.searchsorted(self.firsts, bounds).tolist()))
        covered = np.add.reduceat(units, own.firsts - bounds[0]) if len(units) else units
        return own._replace(owners=np.zeros_like(own.owners), covered=covered)

    def best(self, count: int) -> tuple[I64, I64, I64]:
        """Return how many sources each owner has, its largest, and the symbols of that.

        A copy is before all others, then the first in input order.
        """
        order = np.lexsort((self.documents, ~self.same, -self.covered, self.owners))
        best = order[run_starts(self.owners[order])]
        largest, most = np.full(count, -1), np.zeros(count, np.int64)
        largest[self.owners[best]] = self.documents[best]
        most[self.owners[best]] = self.covered[best]
        return np.bincount(self.owners, minlength=count), largest, most


def _sources(spans: _Spans, documents: I64, texts: I64) -> _Sources:
    """Return the sources of owners of texts.

    The spans are disjoint for each owner and other one, and sorted; `documents` names the others.
    """
    new = (np.diff(spans.owners, prepend=-1) != 0) | (np.diff(spans.others, prepend=-1) != 0)
    first = np.flatnonzero(new)
    lengths, owners = spans.ends - spans.starts, spans.owners[first]
    covered = np.add.reduceat(lengths, first) if len(first) else lengths
    same = spans.others[first] == texts[owners]
    return _Sources(first, owners, documents[first], same, covered)


def _union(spans: _Spans) -> _Spans:
    """Return disjoint spans that cover the same for each owner and other one, sorted."""
    spans = spans.take(_in_order(spans))
    pair = np.cumsum(
        (np.diff(spans.owners, prepend=-1) != 0) | (np.diff(spans.others, prepend=-1) != 0)
    )
    # Far apart, those of one pair do not reach those of the next.
    far = pair * (int(spans.ends.max(initial=0)) + 1)
    reach = np.maximum.accumulate(spans.ends + far)
    new = np.append(-1, reach[:-1])[: len(far)] < spans.starts + far
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(far)) - 1 if len(first) else first
    return spans.take(first)._replace(ends=(reach - far)[last])


def _in_order(spans: _Spans) -> I64:
    """Return the order of spans by owner, other one and start."""
    others, starts = (int(column.max(initial=0)) + 1 for column in (spans.others, spans.starts))
    if (int(spans.owners.max(initial=0)) + 1) * others * starts < 1 << 63:
        # One key is sorted several times faster than three.
        return np.argsort((spans.owners * others + spans.others) * starts + spans.starts)
    return np.lexsort((spans.starts, spans.others, spans.owners))


# -- leaks: a reference of which a text has enough -------------------------------------------------


class Leaks(NamedTuple):
    """Pairs of texts: a reference, and one that has enough of it."""

    texts: I64  # int64[leaks, 2]: the reference, and the other text
    shares: NDArray[np.float64]  # of the units of the reference
    firsts: I64  # int64[leaks + 1]: where the passages of each begin
    spans: I64  # int64[passages, 2]: symbols of the reference
    places: I64  # int64[passages, 2]: symbols of the other text


def find_leaks(found: Passages, finder: Finder, least: float) -> Leaks:
    """Return the references of which a text has at least a share, and where.

    Parameters
    ----------
    found : Passages
        Of pairs of texts that are compared.
    finder : Finder
        Has found them.  A text on both sides has all of itself.
    least : float
        The share.
    """
    sizes, sides = np.diff(finder.starts) - 1, finder.sides
    itself = np.flatnonzero(sides.sources & sides.references)
    spans = np.stack([np.zeros_like(itself), sizes[itself]], 1)
    a, b = found.texts.T
    ways = [
        (sides.references[a] & sides.sources[b], found.texts, found.a, found.b),
        (sides.references[b] & sides.sources[a], found.texts[:, ::-1], found.b, found.a),
    ]
    every = Passages(
        np.concatenate([np.stack([itself, itself], 1), *(texts[rows] for rows, texts, *_ in ways)]),
        np.concatenate([spans, *(one[rows] for rows, _, one, _ in ways)]),
        np.concatenate([spans, *(other[rows] for rows, _, _, other in ways)]),
        np.concatenate([sizes[itself], *(found.lengths[rows] for rows, *_ in ways)]),
        np.concatenate([np.ones(len(itself)), *(found.similarities[rows] for rows, *_ in ways)]),
    )
    every = every.take(np.lexsort((every.b[:, 0], every.a[:, 0], *every.texts.T[::-1])))
    if not len(every.texts):
        return Leaks(every.texts, np.zeros(0), np.zeros(1, np.int64), every.a, every.b)
    firsts = first_passages(every)
    pairs = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    # Lengths leave out rows, which are equal too.
    places = every.a + finder.starts[every.texts[:, :1]]
    rows = np.diff(np.searchsorted(finder.rows, places))[:, 0]
    spans = every.a[:, 1] - every.a[:, 0]
    equal = covered_anew(pairs, every.a) * np.minimum((every.lengths + rows) / spans, 1)
    shares = np.add.reduceat(equal, firsts[:-1]) / sizes[every.texts[firsts[:-1], 0]]
    rows = np.flatnonzero(shares >= least)
    run = finder.criteria.min_run
    kept = [_telling(every, firsts[row : row + 2], run) for row in rows.tolist()]
    own = np.concatenate([np.zeros(0, np.int64), *kept])
    ends = np.append(0, np.cumsum(list(map(len, kept)), dtype=np.int64))
    return Leaks(every.texts[firsts[rows]], shares[rows], ends, every.a[own], every.b[own])


def _telling(found: Passages, bounds: I64, least: int) -> I64:
    """Return the passages of a pair, by number, that cover so many symbols that no longer one does.

    A phrase of the reference that comes again anywhere in the other text does not belong to the
    leak.  They are in the order of the other text.
    """
    low, high = bounds.tolist()
    covered = np.zeros(int(found.a[low:high].max()), np.bool_)
    kept = list[int]()
    for row in (low + np.argsort(-found.lengths[low:high], kind="stable")).tolist():
        begin, end = found.a[row].tolist()
        if not kept or np.count_nonzero(~covered[begin:end]) >= least:
            covered[begin:end] = True
            kept.append(row)
    return np.array(sorted(kept, key=lambda row: tuple(found.b[row].tolist())), np.int64)
