"""What passages are looked for in: all texts, or those of SOURCEs beside those of references.

Documents that are compared with references only share nothing with most of these, and most of them
share nothing at all.  So one side is read, and of the other side what has a seed in common with it:
the rest leaves nothing behind but a count.

- References in files are read first.  Then the SOURCEs pass by, in memory that depends on the
  references and on what is found.
- An index has the seeds of its documents.  The SOURCEs are read first, and of the index the texts
  that have a seed of theirs.

Both give the same, as common is what too many of the references have: how many, the references
alone decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Protocol

import numpy as np

from simdup.corpus.batches import TextBatch
from simdup.model.shared_passages import PassageCriteria
from simdup.near.collection import Collecting, Collection, collecting, spooled_numbers
from simdup.near.cutting import (
    Assembled,
    Cutting,
    assemble,
    sides_between,
)
from simdup.near.inputs import Input
from simdup.reuse.finding import Finder, Sides
from simdup.reuse.overlaps import Holders
from simdup.reuse.seeds import Place, SeedIndex, common_grams, index_known, index_seeds
from simdup.reuse.winnowing import Seeds, Template, Window
from simdup.search.arrays import I64, U64, Bools, Members, distinct


class StoredTexts(Protocol):
    """Documents of an index, whose seeds are known; see `simdup.index.passages`."""

    window: Window  # that the seeds were chosen with
    documents: int
    texts: int  # distinct ones
    common: U64  # the k-grams that too many of its texts have

    def matching(self, wanted: Callable[[U64], Bools], digests: Set[bytes]) -> Iterator[TextBatch]:
        """Yield the documents that have a wanted seed, or a text of one of these digests."""

    def every(self) -> Iterator[TextBatch]:
        """Yield all documents."""


@dataclass(frozen=True, slots=True)
class References:
    """What documents are compared with beside the references in files."""

    asked: bool = False  # whether there are any, in files or not
    stored: Sequence[StoredTexts] = ()


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

    @property
    def holders(self) -> Holders:
        """The documents of each text."""
        return Holders.of(self.text_of, len(self.starts) - 1, self.sides)


@contextmanager
def compared(
    opened: Input,
    criteria: PassageCriteria,
    across: str | None = None,
    template: Template | None = None,
    references: References = References(),
) -> Iterator[Compared]:
    """Read what is compared; what is spooled is there until the block ends.

    Parameters
    ----------
    opened : Input
        The SOURCEs, and references in files.
    criteria : PassageCriteria
    across : str, optional
        A field, or ``folder``: only documents of different values are compared.
    template : Template, optional
        Text that is ignored.
    references : References
        Whether documents are compared with references only, and those in indexes.
    """
    work = Cutting(Window.of(criteria.min_run), template)
    with collecting(opened, opened.analyzer()) as reading:
        if references.asked:
            yield _with_references(reading, criteria, across, work, references.stored)
        else:
            yield _with_each_other(reading, criteria, across, work)


def _with_each_other(
    reading: Collecting, criteria: PassageCriteria, across: str | None, work: Cutting
) -> Compared:
    """Read all documents; each may share something with any other."""
    reading.read(reading.opened, work)
    cut = reading.finish()
    everyone = np.ones(len(cut), np.bool_)
    sides = sides_between(cut, everyone, everyone, across)
    texts = assemble(cut)
    place = Place.of(texts.symbols, criteria, len(texts.starts) - 1)
    index = index_seeds(texts.seeds, texts.starts, place)
    units = index.crowded.by_text(texts.starts)[texts.text_of]
    return _compared(cut, sides, texts, index, criteria, (len(cut), place.most, units))


def _with_references(
    reading: Collecting,
    criteria: PassageCriteria,
    across: str | None,
    work: Cutting,
    stored: Sequence[StoredTexts],
) -> Compared:
    """Read references and the SOURCEs that share seeds with them, or the other way round."""
    opened = reading.opened
    files = [file for file in opened.files if file.path in opened.references]
    known = len(stored) == 1 and not files and criteria.common is None and work.template is None
    if known and stored[0].window == work.window:
        (index,) = stored
        common = Members(index.common)
        reading.read(opened, replace(work, common=common))
        read = reading.collector.so_far()
        wanted = _wanted(read, common)
        digests = frozenset(read["folded"].view("S16").tolist())
        reading.read(replace(opened, batches=index.matching(wanted, digests), size=None), work)
        cut = reading.finish()
        is_reference = np.arange(len(cut)) >= len(read)
        documents, most = len(read) + index.documents, criteria.most_documents(index.texts)
    else:
        first = chain(opened.reference_batches, *(one.every() for one in stored))
        reading.read(replace(opened, batches=first), work)
        read = reading.collector.so_far()
        grams, most = _common(read, criteria)
        common = Members(grams)
        work = replace(work, wanted=_wanted(read, common), common=common)
        reading.read(opened, work)
        cut = reading.finish()
        is_reference = np.arange(len(cut)) < len(read)
        documents = len(cut)
    sides = sides_between(cut, ~is_reference, is_reference, across)
    units = cut.texts["common_units"][cut.text_of]
    # References first: Finder.ranges ends behind the last one.
    rows = np.argsort(~is_reference, kind="stable")
    rows = rows[_may_share(cut, is_reference)[rows]]
    cut = replace(cut, documents=cut.documents.take(rows))
    sides = sides.take(rows)
    texts = assemble(cut)
    texts = texts._replace(seeds=_of_both(texts, sides))
    place = Place.of(texts.symbols, criteria, len(texts.starts) - 1)
    found = index_known(texts.seeds, texts.starts, place, common)
    # A text that references have, too, was counted as theirs.
    units[rows] = found.crowded.by_text(texts.starts)[texts.text_of]
    counts = documents, most, units[~is_reference]
    return _compared(cut, sides, texts, found, criteria, counts)


def _compared(
    cut: Collection,
    sides: Sides,
    texts: Assembled,
    index: SeedIndex,
    criteria: PassageCriteria,
    counts: tuple[int, int, I64],
) -> Compared:
    """Return what was read; `counts` are the last fields."""
    text_sides = Holders.of(texts.text_of, len(texts.starts) - 1, sides).text_sides
    finder = Finder.indexed(texts.starts, texts.symbols, index, criteria, text_sides)
    return Compared(cut, sides, texts.text_of, texts.starts, finder, *counts)


def _common(references: Collection, criteria: PassageCriteria) -> tuple[U64, int]:
    """Return the k-grams that too many references have, and how many these are at most."""
    texts = assemble(references)
    place = Place.of(texts.symbols, criteria, len(texts.starts) - 1)
    return common_grams(texts.seeds, texts.starts, place), place.most


def _wanted(read: Collection, common: Members) -> Members:
    """Return the seeds of what was read that are not common."""
    hashes = distinct(spooled_numbers(read.spool, read.texts["seeds"], np.uint64)[1])
    return Members(hashes[~common(hashes)])


def _may_share(cut: Collection, is_reference: Bools) -> Bools:
    """Return which documents are references, have a wanted seed, or the text of one of these."""
    kept = is_reference | (cut.texts["seeds"][cut.text_of, 1] > 0)
    digests = cut["folded"].view("S16")
    same: Bools = np.isin(digests, digests[kept])
    return same


def _of_both(texts: Assembled, sides: Sides) -> Seeds:
    """Return the seeds that SOURCEs have, those of references included."""
    is_source = np.zeros(len(texts.starts) - 1, np.bool_)
    is_source[texts.text_of[sides.sources]] = True
    owners = np.searchsorted(texts.starts, texts.seeds.positions, "right") - 1
    hashes, positions = texts.seeds
    rows = Members(distinct(hashes[is_source[owners]]))(hashes)
    return Seeds(hashes[rows], positions[rows])
