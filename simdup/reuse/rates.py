"""Rates: how much of a document is in others, whoever they are.

The share of a document that was copied is the union of all its passages: what three sources have in
common counts once.  What others may have for a good reason is left out on both sides of the
fraction: copied units outside the parts that are left out, of all units outside them.  What a
source has is counted in the same way: whoever shares little but a list of references is none.
Text of a template is nobody's, and on neither side of any share.

Documents with the same text are one source, and a text that several have was copied whole.
Passages are of pairs of texts, while rights are those of documents (a reference has no rate, and
nobody copies from their own group).  So texts are split into classes of documents that may be
compared with the same others; most have one.

*Leaks* are the other side: a reference of which one text has enough.  What counts are the symbols
of the reference in equal runs of `min_run` symbols that count, each once: text that too many
references have is on neither side of the fraction.  Runs near each other are one passage, and of
passages those that cover the most are named first; a smaller one is named if it adds something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from simdup.kernels.passages import chains
from simdup.model.shared_passages import MANY, Rate, TextPart
from simdup.reuse.finding import Finder, Passages, covered_anew
from simdup.reuse.overlaps import Holders, Overlaps, by_units
from simdup.reuse.seeds import Stretches
from simdup.reuse.symbols import SymbolTexts, Units
from simdup.reuse.winnowing import gram_hashes, positions_of
from simdup.search.arrays import I64, U64, Bools, Members, contains, ranges, run_starts


class Omissions(NamedTuple):
    """What is left out of documents."""

    parts: Mapping[int, Sequence[TextPart]]  # by document, of those that have any
    units: Units  # of documents: those outside parts, of those outside templates
    least: int  # units outside these that a source has, unless it has the same text

    @classmethod
    def of(
        cls,
        documents: Iterable[int],
        sizes: I64,
        least: int,
        look_up: Callable[[int], tuple[Sequence[TextPart], I64]],
    ) -> Omissions:
        """Return what is left out of some documents.

        Parameters
        ----------
        documents : iterable of int
            Their numbers, rising.
        sizes : int64[all documents]
            Their units, outside templates.
        least : int
        look_up : callable
            From the number of a document to its parts, and the units that are left out with these
            (int64[n, 2]), which do not overlap, rising.
        """
        parts, spans = dict[int, Sequence[TextPart]](), [np.zeros((0, 2), np.int64)]
        firsts = np.append(0, np.cumsum(sizes + 1))
        for document in documents:
            listed, own = look_up(document)
            if listed:
                parts[document] = tuple(listed)
                spans.append(own + firsts[document])
        return cls(parts, Units(firsts, *np.concatenate(spans).T), least)


@dataclass(frozen=True, slots=True)
class Rates(Sequence[Rate]):
    """The rates of documents in arrays; each becomes an object when it is asked for.

    By what counts, falling, then by falling share, then in input order.
    """

    documents: I64
    figures: NDArray[np.float64]  # float64[documents, 3]: share, counted, largest share
    largest: I64  # the largest single source; -1 for none
    sources: I64
    parts: Mapping[int, Sequence[TextPart]]  # by document, of those that have any
    names: Sequence[Any]
    copied: int = 0  # units of all documents that others have
    of_many: int = 0  # and those that `MANY` documents have

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
        left_out = tuple(self.parts.get(document, ()))
        sources = int(self.sources[number])
        return Rate(self.names[document], share, counted, name, most, sources, left_out)

    def __iter__(self) -> Iterator[Rate]:
        """Yield all rates."""
        return map(self.__getitem__, range(len(self)))


class Spans(NamedTuple):
    """Spans of texts, each with what it is shared with; texts and classes alike own some."""

    owners: I64
    others: I64
    starts: I64
    ends: I64

    def take(self, rows: I64 | Bools | slice) -> Spans:
        """Return some of the spans."""
        return Spans(*(column[rows] for column in self))


def rate_documents(
    found: Passages,
    units: Units,
    holders: Holders,
    shared: I64,
    names: Sequence[Any],
    left_out: Omissions,
) -> Rates:
    """Return the rates of all documents that are no references.

    Parameters
    ----------
    found : Passages
        Of pairs of texts.
    units : Units
        What of each text counts.
    holders : Holders
        The documents of each text.
    shared : int64[some]
        The texts whose documents are listed as copies.
    names : sequence
        Of the documents.
    left_out : Omissions
        What to leave out of documents.
    """
    sizes, text_of = units.sizes, holders.text_of
    rated = np.flatnonzero(holders.sides.sources)
    groups = holders.sides.groups[rated]
    keys = text_of[rated] * (int(groups.max(initial=-1)) + 2) + groups + 1
    _, firsts, class_of = np.unique(keys, return_index=True, return_inverse=True)
    texts, groups = text_of[rated[firsts]], groups[firsts]  # of the classes
    leaders = Leaders.of(holders)
    spans = _class_spans(text_spans(by_units(found, units), sizes, shared), texts, groups, leaders)
    sources = sources_of(spans, leaders.lead(spans.others, groups[spans.owners]), texts)
    # The union of what a class shares with anybody.
    whole = union(spans._replace(others=np.zeros_like(spans.others)))
    copied = np.bincount(whole.owners, whole.ends - whole.starts, minlength=len(texts))
    size = np.maximum(sizes[text_of[rated]], 1)
    number, largest, most = (column[class_of] for column in sources.best(len(texts)))
    figures = np.stack([copied[class_of] / size, copied[class_of] / size, most / size], 1)
    classes, rests = np.arange(len(texts) + 1), left_out.units.sizes
    bounds = np.stack([np.searchsorted(one.owners, classes) for one in (spans, whole)])
    for row in np.flatnonzero(rests[rated] < size).tolist():
        document = int(rated[row])
        rest = max(int(rests[document]), 1)
        own, every = bounds[:, class_of[row] : class_of[row] + 2].tolist()
        left = _units_left(left_out, document, whole.take(slice(*every)))
        figures[row, 1] = left.sum() / rest
        left = _units_left(left_out, document, spans.take(slice(*own)))
        some = sources.recount(left, own)
        some = some.take((some.covered >= left_out.least) | some.same)
        number[row], largest[row], covered = (column[0] for column in some.best(1))
        figures[row, 2] = covered / rest
    # Whoever is the first of its text has its copy from the second.
    first = largest == rated
    largest[first] = leaders.second(text_of[rated[first]])
    order = np.lexsort((rated, -figures[:, 0], -figures[:, 1]))
    have = np.diff(holders.firsts)[spans.others] - (spans.others == texts[spans.owners])
    return Rates(
        rated[order], figures[order], largest[order], number[order], left_out.parts, names,
        int(copied[class_of].sum()), int(_of_many(spans, have, len(texts))[class_of].sum()),
    )  # fmt: skip


def _of_many(spans: Spans, documents: I64, count: int) -> I64:
    """Return how many units of each owner `MANY` documents have, with it.

    The spans are disjoint for each owner and other one, of which so many `documents` have each.
    """
    owners, places = np.tile(spans.owners, 2), np.concatenate([spans.starts, spans.ends])
    order = np.lexsort((places, owners))
    depths = np.cumsum(np.concatenate([documents, -documents])[order])
    lengths = np.diff(places[order], append=0) * (depths >= MANY - 1)
    return np.bincount(owners[order], lengths, count).astype(np.int64)


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


def _units_left(left_out: Omissions, document: int, spans: Spans) -> I64:
    """Return how many units of spans of a document are left."""
    starts, ends = (left_out.units.before(document, side) for side in (spans.starts, spans.ends))
    units: I64 = ends - starts
    return units


def counted_shares(
    overlaps: Overlaps, units: Units, text_of: I64, left_out: Omissions
) -> NDArray[np.float64]:
    """Return how much of what is left of either document passages cover (float64[pairs, 2]).

    It is 0 for both where that is too little of both for a source.

    Parameters
    ----------
    overlaps : Overlaps
        By symbols.
    units : Units
        What of each text counts.
    text_of : int64[documents]
    left_out : Omissions
        What is left out of documents.
    """
    counts, rests = np.diff(overlaps.firsts), left_out.units.sizes
    pairs = np.repeat(np.arange(len(counts)), counts)
    covered = np.zeros_like(overlaps.documents)
    for side, places in enumerate((overlaps.a, overlaps.b)):
        documents = np.repeat(overlaps.documents[:, side], counts)[:, None]
        own = left_out.units.before(documents, units.before(text_of[documents], places))
        np.add.at(covered[:, side], pairs, covered_anew(pairs, own))
    few = (covered.max(axis=1, initial=0) < left_out.least) & ~overlaps.identical
    covered[few] = 0
    return covered / np.maximum(rests[overlaps.documents], 1)


class Leaders(NamedTuple):
    """The documents that others are compared with, by text; -1 for none."""

    first: I64
    other: I64  # the first of another group than that of `first`
    after: I64  # the one behind `first`
    groups: I64  # of documents

    @classmethod
    def of(cls, holders: Holders) -> Leaders:
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


def text_spans(found: Passages, sizes: I64, shared: I64) -> Spans:
    """Return what each text shares with others, and what copies share: all of it."""
    a, b = found.texts.T
    return Spans(
        np.concatenate([a, b, shared]),
        np.concatenate([b, a, shared]),
        np.concatenate([found.a[:, 0], found.b[:, 0], np.zeros_like(shared)]),
        np.concatenate([found.a[:, 1], found.b[:, 1], sizes[shared]]),
    )


def _class_spans(spans: Spans, texts: I64, groups: I64, leaders: Leaders) -> Spans:
    """Return what each class of documents shares with texts that it is compared with."""
    spans = union(spans)
    bounds = np.searchsorted(spans.owners, np.stack([texts, texts + 1]))
    counts = bounds[1] - bounds[0]
    rows = ranges(bounds[0], counts)
    found = spans.take(rows)._replace(owners=np.repeat(np.arange(len(texts)), counts))
    return found.take(leaders.lead(found.others, groups[found.owners]) >= 0)


class Sources(NamedTuple):
    """The sources of each owner: other texts that it shares spans with, in order of owners."""

    firsts: I64  # the first span that each shares with the owner
    owners: I64
    documents: I64  # that name them
    same: Bools  # whether it is the text of the owner
    covered: I64  # symbols of the owner

    def take(self, rows: I64 | Bools) -> Sources:
        """Return some of the sources."""
        firsts, owners, documents, same, covered = self
        return Sources(firsts[rows], owners[rows], documents[rows], same[rows], covered[rows])

    def recount(self, units: I64, bounds: Sequence[int]) -> Sources:
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


def sources_of(spans: Spans, documents: I64, texts: I64) -> Sources:
    """Return the sources of owners of texts.

    The spans are disjoint for each owner and other one, and sorted; `documents` names the others.
    """
    new = (np.diff(spans.owners, prepend=-1) != 0) | (np.diff(spans.others, prepend=-1) != 0)
    first = np.flatnonzero(new)
    lengths, owners = spans.ends - spans.starts, spans.owners[first]
    covered = np.add.reduceat(lengths, first) if len(first) else lengths
    same = spans.others[first] == texts[owners]
    return Sources(first, owners, documents[first], same, covered)


def union(spans: Spans) -> Spans:
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


def _in_order(spans: Spans) -> I64:
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


def grams_of_many(texts: SymbolTexts, k: int, most: Callable[[int], int]) -> U64:
    """Return the hashes, ascending, of the k-grams that too many of some texts have.

    Identical texts count once; `most` returns how many of so many texts may have a k-gram.
    """
    starts, symbols = texts
    bounds = enumerate(pairwise(starts.tolist()))
    different = {symbols[start:end].tobytes(): text for text, (start, end) in bounds}
    hashes, limit = gram_hashes(symbols, k), most(len(different))
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[: len(hashes)]
    inside = np.arange(len(hashes)) + k <= starts[owners + 1]
    rows = np.flatnonzero(inside & np.isin(owners, [*different.values()]))
    hashes, owners = hashes[rows], owners[rows]
    # Only what is there often enough is sorted by text, too.
    rows = np.flatnonzero(contains(_frequent(np.sort(hashes), limit), hashes))
    hashes, owners = hashes[rows], owners[rows]
    order = np.lexsort((owners, hashes))
    hashes, owners = hashes[order], owners[order]
    return _frequent(hashes[run_starts(hashes, owners)], limit)


def _frequent(ordered: U64, most: int) -> U64:
    """Return the distinct ones of ordered numbers that are there more than so many times."""
    firsts = run_starts(ordered)
    return ordered[firsts[np.diff(firsts, append=len(ordered)) > most]]


def find_leaks(found: Passages, finder: Finder, least: float, gap: int, shared: Members) -> Leaks:
    """Return the references of which a text has at least a share, and where.

    Parameters
    ----------
    found : Passages
        The equal runs of pairs of texts that are compared.
    finder : Finder
        Has found them, without gaps.  A text on both sides has all of itself.
    least : float
        The share.
    gap : int
        Most symbols between runs that become one passage, in either text.
    shared : Members
        Runs of the least length whose symbols do not count.
    """
    sizes, sides = np.diff(finder.starts) - 1, finder.sides
    itself = np.flatnonzero(sides.sources & sides.references)
    whole = np.stack([np.zeros_like(itself), sizes[itself]], 1)
    a, b = found.texts.T
    first, second = (sides.references[x] & sides.sources[y] for x, y in ((a, b), (b, a)))
    texts = np.concatenate(
        [np.stack([itself, itself], 1), found.texts[first], found.texts[second, ::-1]]
    )
    spans = np.concatenate([whole, found.a[first], found.b[second]])
    places = np.concatenate([whole, found.b[first], found.a[second]])
    # By symbols that count of the reference, and those of these that are in no row.
    counts, begins = _counts(finder, shared), finder.starts[texts[:, :1]]
    counted, plain = (each[spans + begins] - each[begins] for each in counts)
    enough = np.diff(plain)[:, 0] >= finder.criteria.min_run
    enough |= (texts[:, 0] == texts[:, 1]) & (counted[:, 1] > 0)
    order = np.lexsort((places[:, 0], spans[:, 0], *texts.T[::-1]))
    order = order[enough[order]]
    texts, spans, places, counted = texts[order], spans[order], places[order], counted[order]
    firsts = np.append(run_starts(*texts.T), len(texts)).astype(np.int64)
    pairs = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    references = texts[firsts[:-1], 0]
    ends = counts[0][finder.starts[references] + sizes[references]]
    equal = np.bincount(pairs, covered_anew(pairs, counted), len(references))
    shares = equal / (ends - counts[0][finder.starts[references]])
    starts = np.stack([spans[:, 0], places[:, 0]]) + finder.starts[texts.T]
    lengths = spans[:, 1] - spans[:, 0]
    chain, *_ = chains(starts[0], starts[1], lengths, pairs, gap, finder.criteria.min_run)
    for side in (spans, places):
        np.maximum.at(side[:, 1], chain, side[:, 1].copy())
    leaked = np.flatnonzero(shares >= least)
    kept = [_telling(chain, counted, *firsts[row : row + 2].tolist()) for row in leaked.tolist()]
    rows = np.concatenate([np.zeros(0, np.int64), *kept])
    rows = rows[np.lexsort((spans[rows, 0], places[rows, 0], pairs[rows]))]
    bounds = np.append(0, np.cumsum(list(map(len, kept)), dtype=np.int64))
    return Leaks(texts[firsts[leaked]], shares[leaked], bounds, spans[rows], places[rows])


def _counts(finder: Finder, shared: Members) -> tuple[I64, I64]:
    """Return how many symbols of references that count are before each, rows included or not."""
    count = int(np.flatnonzero(finder.sides.references).max(initial=-1)) + 1
    texts = SymbolTexts(finder.starts[: count + 1], finder.symbols[: finder.starts[count]])
    run, size = finder.criteria.min_run, len(texts.symbols)
    bits = Stretches.of(positions_of(shared, texts, run), run, size).bits.view(np.uint8)
    counting = np.unpackbits(bits, bitorder="little")[:size] == 0
    plain = counting.copy()
    plain[finder.rows[finder.rows < size]] = False
    before, before_plain = (np.append(0, np.cumsum(side)) for side in (counting, plain))
    return before, before_plain


def _telling(chain: I64, counted: I64, low: int, high: int) -> list[int]:
    """Return the chains of a pair, by their first run, that cover what no larger one does.

    A phrase of the reference that comes again anywhere in the other text does not belong to the
    leak.
    """
    runs: dict[int, list[list[int]]] = {}
    for row in range(low, high):
        runs.setdefault(int(chain[row]), []).append(counted[row].tolist())
    covered, kept = np.zeros(int(counted[low:high].max()), np.bool_), list[int]()
    for row in sorted(runs, key=lambda row: -sum(end - start for start, end in runs[row])):
        if any(not covered[start:end].all() for start, end in runs[row]):
            kept.append(row)
        for start, end in runs[row]:
            covered[start:end] = True
    return kept
