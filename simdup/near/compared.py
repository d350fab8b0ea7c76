"""What passages are looked for in: all texts, or those of SOURCEs beside those of references.

Documents that are compared with references only share nothing with most of these, and most of them
share nothing at all.  So one side is read, and of the other side what has a seed in common with it:
the rest leaves nothing behind but a count.

- References in files are read first.  Then the SOURCEs pass by, in memory that depends on the
  references and on what is found.
- An index has the seeds of its documents.  The SOURCEs are read first, and of the index the texts
  that have a seed of theirs.

Both give the same, as common is what too many of the references have: how many, the references
alone decide.  What too many SOURCEs have starts no passage either: it was given to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np

from simdup.base.mix64 import mix64
from simdup.corpus.batches import Batch
from simdup.model.shared_passages import PassageCriteria, PassageScope
from simdup.model.table import Documents
from simdup.near.collection import Collecting, Collection, collecting, spooled_numbers
from simdup.near.cutting import (
    NONE,
    Assembled,
    Cutting,
    assemble,
    sides_between,
)
from simdup.near.inputs import Input
from simdup.reuse.finding import Finder, Sides
from simdup.reuse.overlaps import Holders
from simdup.reuse.seeds import Place, Stretches, common_grams, index_known, index_seeds
from simdup.reuse.sought import SoughtSeeds, least_seeds
from simdup.reuse.symbols import SymbolTexts
from simdup.reuse.winnowing import Seeds, Template, Window, positions_of, row_symbols
from simdup.search.arrays import I64, U64, Bools, Members, distinct, run_starts


class StoredTexts(Protocol):
    """Documents of an index, whose seeds are known; see `simdup.index.passages`."""

    window: Window  # that the seeds were chosen with
    documents: int
    texts: int  # distinct ones
    common: U64  # the k-grams that too many of its texts have

    def matching(self, sought: SoughtSeeds, digests: Set[bytes]) -> Iterator[Batch]:
        """Yield the documents that have enough sought seeds, or a text of one of these digests."""

    def every(self) -> Iterator[Batch]:
        """Yield all documents."""


@dataclass(frozen=True, slots=True)
class References:
    """What documents are compared with beside the references in files."""

    asked: bool = False  # whether there are any, in files or not
    stored: Sequence[StoredTexts] = ()
    others: Sequence[Batch] = ()  # those that are read as files are
    share: float = 0  # of its units, that a SOURCE must have of one to matter
    shared: Members = NONE  # their runs that start no passage


@dataclass(frozen=True)
class Compared:
    """Documents that may share something, and their texts."""

    cut: Collection
    sides: Sides  # of the documents
    text_of: I64  # int64[documents]
    starts: I64  # int64[texts + 1]
    finder: Finder
    documents: int  # that were read, or that an index has
    most: int  # texts that may have text that is not common
    units: I64  # of each SOURCE that was read: how many of its units are common
    silent: Documents  # SOURCEs that share nothing, and were left out
    places: I64  # in the input, of documents and then of these
    sizes: Mapping[str, I64]  # units of each document, by the side that it is of
    given: Stretches | None = None  # text that too many have for it to be anybody's

    def too_short(self, least: int) -> list[tuple[str, str]]:
        """Return the note that no text of a side has so many units, if that is so."""
        longest = {side: max(sizes.tolist(), default=0) for side, sizes in self.sizes.items()}
        what = f"are shorter than a passage, which has {least:,} units or more; the longest has"
        return [
            ("`min_length`", f"all {side} {what} {most:,}")
            for side, most in longest.items()
            if 0 < most < least
        ]

    @property
    def silent_names(self) -> list[Any]:
        """The names of the SOURCEs that were left out."""
        return self.silent["name"].tolist() if len(self.silent) else []

    def text(self, document: int) -> str:
        """Return a document's text, as it was decoded."""
        return self.cut.spool.text(self.cut.documents["original"], document)

    @cached_property
    def holders(self) -> Holders:
        """The documents of each text."""
        return Holders.of(self.text_of, len(self.starts) - 1, self.sides)


EVERYTHING = PassageScope()


@contextmanager
def compared(
    opened: Input,
    criteria: PassageCriteria,
    scope: PassageScope = EVERYTHING,
    template: Template | None = None,
    references: References = References(),
) -> Iterator[Compared]:
    """Read what is compared; what is spooled is there until the block ends.

    Parameters
    ----------
    opened : Input
        The SOURCEs, and references in files.
    criteria : PassageCriteria
    scope : PassageScope
        Which documents are compared; its templates have become `template`.
    template : Template, optional
        Text that is ignored.
    references : References
        Whether documents are compared with references only, and those in indexes.
    """
    work = Cutting(Window.of(criteria.min_run), template)
    with collecting(opened, opened.analyzer()) as reading:
        if references.asked:
            found = _with_references(reading, criteria, scope, work, references)
        else:
            found = _with_each_other(reading, criteria, scope, work)
        yield found


def _with_each_other(
    reading: Collecting, criteria: PassageCriteria, scope: PassageScope, work: Cutting
) -> Compared:
    """Read all documents; each may share something with any other."""
    reading.read(reading.opened, work)
    cut = reading.finish()
    everyone = np.ones(len(cut), np.bool_)
    sides = sides_between(cut, everyone, everyone, scope)
    texts = assemble(cut, sides)
    of_texts = _text_sides(texts, sides)
    place = Place.of(texts.symbols, criteria, of_texts.keys)
    index = index_seeds(texts.seeds, texts.starts, place)
    finder = Finder.indexed(texts.starts, texts.symbols, index, criteria, of_texts)
    units = index.crowded.by_text(texts.starts)[texts.text_of]
    given = index.crowded if criteria.is_given(place.most, len(texts.starts) - 1) else None
    return Compared(
        cut, sides, texts.text_of, texts.starts, finder,
        len(cut), place.most, units, Documents(), np.arange(len(cut)),
        {"texts": cut["units"]}, given,
    )  # fmt: skip


def _with_references(
    reading: Collecting,
    criteria: PassageCriteria,
    scope: PassageScope,
    work: Cutting,
    references: References,
) -> Compared:
    """Read references and the SOURCEs that share seeds with them, or the other way round."""
    stored, some = references.stored, bool(reading.opened.references or references.others)
    known = len(stored) == 1 and not some and criteria.common is None and work.template is None
    if known and stored[0].window == work.window:
        read = _index_last(reading, criteria, work, stored[0])
    else:
        read = _references_first(reading, criteria, scope, work, references)
    cut, is_reference, common, most = read.cut, read.is_reference, read.common, read.most
    sizes = {"SOURCEs": cut["units"][~is_reference]}
    if not stored:
        sizes["references"] = cut["units"][is_reference]
    sides = sides_between(cut, ~is_reference, is_reference, scope)
    if not scope.across:
        sides = sides._replace(groups=_itself(cut, is_reference, read.in_index))
    units = cut.texts["common_units"][cut.text_of]
    # A leak is one in however many documents, and groups are counted one by one.
    counts = not (references.share or scope.same)
    given = _given(cut, is_reference, criteria) if counts else NONE
    # References first: Finder.ranges ends behind the last one.
    order, sharing = np.argsort(~is_reference, kind="stable"), _may_share(cut, is_reference)
    if scope.leave_out or scope.by is not None:
        # What is left out is looked for in the texts, whatever they share; and each is of a group.
        sharing |= True
    rows, silent = order[sharing[order]], np.flatnonzero(~sharing & ~is_reference)
    left = cut.documents.take(silent)
    cut, sides = replace(cut, documents=cut.documents.take(rows)), sides.take(rows)
    texts = assemble(cut, sides)
    if scope.same:
        common, most = _common(texts, sides, criteria)
    texts = texts._replace(seeds=_of_both(texts, sides, given))
    of_texts = _text_sides(texts, sides)
    place = Place.of(texts.symbols, criteria, of_texts.keys)
    index = index_known(texts.seeds, texts.starts, place, common, of_texts.sources)
    stretches = _stretches(given, texts, of_texts, work.window) if len(given) else None
    start = index if stretches is None else index._replace(crowded=stretches | index.crowded)
    finder = Finder.indexed(texts.starts, texts.symbols, start, criteria, of_texts)
    # A text that references have, too, was counted as theirs.
    units[rows] = index.crowded.by_text(texts.starts)[texts.text_of]
    return Compared(
        cut, sides, texts.text_of, texts.starts, finder,
        read.documents, most, units[~is_reference], left, np.append(rows, silent), sizes,
        stretches,
    )  # fmt: skip


class _Read(NamedTuple):
    """Documents that were read: SOURCEs, and references."""

    cut: Collection
    is_reference: Bools
    in_index: Bools
    common: Members
    most: int  # references that may have what is not common
    documents: int  # that were read, or that an index has


def _index_last(
    reading: Collecting, criteria: PassageCriteria, work: Cutting, index: StoredTexts
) -> _Read:
    """Read the SOURCEs, then what an index has in common with them."""
    opened, common = reading.opened, Members(index.common)
    reading.read(opened, replace(work, common=common))
    sources = reading.collector.so_far()
    sought = SoughtSeeds.of(*_seeds(sources), common, _needs(sources, criteria))
    digests = frozenset(sources["folded"].view("S16").tolist())
    matching = replace(opened, batches=index.matching(sought, digests), size=None)
    reading.read(matching, work, named=False)
    cut = reading.finish()
    in_index = np.arange(len(cut)) >= len(sources)
    most, documents = criteria.most_documents(index.texts), len(sources) + index.documents
    return _Read(cut, in_index, in_index, common, most, documents)


def _references_first(
    reading: Collecting,
    criteria: PassageCriteria,
    scope: PassageScope,
    work: Cutting,
    references: References,
) -> _Read:
    """Read all references, then the SOURCEs that may share a passage with one."""
    opened, stored = reading.opened, references.stored
    known = replace(work, shared=references.shared)
    reading.read(replace(opened, batches=opened.reference_batches), known)
    first = reading.collector.size
    others = chain(references.others, *(one.every() for one in stored))
    reading.read(replace(opened, batches=others), known, named=False)
    read = reading.collector.so_far()
    common, most = NONE, 0
    if not scope.same:
        # Else it is known only once all are read what is of one group.
        own = Sides.every(len(read))
        common, most = _common(assemble(read, own), own, criteria)
    if not scope.leave_out:
        needs = _needs(read, criteria, references.share)
        # A share of a reference has what this repeats as often as this does.
        sought = SoughtSeeds.of(*_seeds(read), common, needs, once=not references.share)
        work = replace(work, sought=sought)
    reading.read(opened, replace(work, common=common))
    cut = reading.finish()
    numbers = np.arange(len(cut))
    is_reference = numbers < len(read)
    in_index = is_reference & (numbers >= first) & bool(stored)
    return _Read(cut, is_reference, in_index, common, most, len(cut))


def _text_sides(texts: Assembled, sides: Sides) -> Sides:
    """Return what is compared with what, among the texts of documents."""
    return Holders.of(texts.text_of, len(texts.starts) - 1, sides).text_sides


def _common(texts: Assembled, sides: Sides, criteria: PassageCriteria) -> tuple[Members, int]:
    """Return the k-grams that too many references have, and how many these are at most."""
    of_texts, (hashes, positions) = _text_sides(texts, sides), texts.seeds
    owners = np.searchsorted(texts.starts, positions, "right") - 1
    rows = of_texts.references[owners]
    place = Place.of(texts.symbols, criteria, of_texts.keys[of_texts.references])
    place = place._replace(keys=mix64(of_texts.keys))
    return Members(
        common_grams(Seeds(hashes[rows], positions[rows]), texts.starts, place)
    ), place.most


def _given(cut: Collection, is_reference: Bools, criteria: PassageCriteria) -> Members:
    """Return the seeds that too many SOURCEs have: they were given these, in references or not."""
    texts = distinct(cut.text_of[~is_reference])
    most = criteria.most_documents(len(texts))
    if most >= len(texts):
        return NONE
    kept, left = (spooled_numbers(cut.spool, cut.texts[name][texts], np.uint64)
                  for name in ("seeds", "left_seeds"))  # fmt: skip
    owners = [np.repeat(np.arange(len(texts)), np.diff(starts)) for starts, _ in (kept, left)]
    hashes, owner = np.concatenate([kept[1], left[1]]), np.concatenate(owners)
    order = np.lexsort((owner, hashes))
    each = hashes[order][run_starts(hashes[order], owner[order])]
    new = run_starts(each)
    return Members(each[new[np.diff(new, append=len(each)) > most]])


def _seeds(read: Collection) -> tuple[U64, I64]:
    """Return the hashes of the seeds of what was read, and the row of the text of each."""
    starts, hashes = spooled_numbers(read.spool, read.texts["seeds"], np.uint64)
    return hashes, np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _needs(read: Collection, criteria: PassageCriteria, share: float = 0) -> I64:
    """Return how many seeds of each text another one has that shares a passage with it.

    If that has to be a share of what counts of the text, rows count too, though they have no seeds.
    """
    counted = read.texts["symbols"][:, 1] // 4 - read.texts["common_units"]
    symbols = np.full(len(counted), criteria.min_length)
    if share:
        k = Window.of(criteria.min_run).k
        for row, size in enumerate(counted.tolist()):
            own = np.frombuffer(read.spool.row(read.texts["symbols"], row), np.uint32)
            least = int(share * size) - len(row_symbols(own, k))
            symbols[row] = max(symbols[row], least)
    return least_seeds(criteria, symbols)


def _may_share(cut: Collection, is_reference: Bools) -> Bools:
    """Return which documents are references, have a wanted seed, or the text of one of these."""
    kept = is_reference | (cut.texts["seeds"][cut.text_of, 1] > 0)
    digests = cut["folded"].view("S16")
    same: Bools = np.isin(digests, digests[kept])
    return same


def _itself(cut: Collection, is_reference: Bools, stored: Bools) -> I64:
    """Return the group of each document, so that none is compared with itself in an index.

    It is the same document if the index has its text under its name; -1 for none.
    """
    groups, rows = np.full(len(cut), -1), np.flatnonzero(stored).tolist()
    if rows:
        names, digests = cut["name"].tolist(), cut["folded"].view("S16").tolist()
        own = {
            (str(names[row]), digests[row]): row for row in np.flatnonzero(~is_reference).tolist()
        }
        for row in rows:
            if (source := own.get((str(names[row]), digests[row]), -1)) >= 0:
                groups[[row, source]] = source
    return groups


def _stretches(given: Members, texts: Assembled, sides: Sides, window: Window) -> Stretches:
    """Return where SOURCEs have what was given to them.

    At either end of it, windows may choose other seeds.
    """
    (k, w), size = window, len(texts.symbols)
    places = positions_of(given, SymbolTexts(np.array([0, size]), texts.symbols), k)
    owners = np.searchsorted(texts.starts, places, "right") - 1
    places = places[sides.sources[owners]]
    near = np.concatenate([places - (w - 1), places + (w - 1)])
    return Stretches.of(distinct(np.clip(near, 0, size - k)), k, size)


def _of_both(texts: Assembled, sides: Sides, given: Members) -> Seeds:
    """Return the seeds that SOURCEs have, those of references included, but for some."""
    is_source = np.zeros(len(texts.starts) - 1, np.bool_)
    is_source[texts.text_of[sides.sources]] = True
    owners = np.searchsorted(texts.starts, texts.seeds.positions, "right") - 1
    hashes, positions = texts.seeds
    rows = Members(distinct(hashes[is_source[owners]]))(hashes) & ~given(hashes)
    return Seeds(hashes[rows], positions[rows])
