"""What passages are found in: texts cut into symbols, and the seeds that these have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.base.mix64 import mix64
from simdup.base.workers import Workers
from simdup.model.documents import Document
from simdup.model.readings import ConflictScope
from simdup.model.settings import RunOptions
from simdup.model.shared_passages import PassageScope, TextPart
from simdup.model.table import I64, Documents
from simdup.near.batch_reader import DOCUMENTS, TEXTS, Spool, Tables
from simdup.near.collection import Collection, mapped, spooled_numbers
from simdup.near.field_groups import rule_columns
from simdup.near.inputs import Input
from simdup.reuse.finding import Sides
from simdup.reuse.seeds import MARGIN, Stretches
from simdup.reuse.sought import SoughtSeeds
from simdup.reuse.symbols import HOLE, Symbols, SymbolTexts, cut, cut_lines, end_marks, hole_marks
from simdup.reuse.winnowing import Seeds, Template, Window, positions_of, winnow
from simdup.search.arrays import U64, Bools, Members, combine_rows
from simdup.text.characters import digest_bytes, fold_all
from simdup.text.titles import name_of

Found = TypeVar("Found")
Found_co = TypeVar("Found_co", covariant=True)

# Two positions are sorted as one number: some 13 GB of Chinese.
MOST_UNITS = 1 << 32
# Texts whose seeds get their positions among all at a time.
_TEXTS = 1 << 10


# No k-grams.
NONE = Members(np.zeros(0, np.uint64))


@dataclass(frozen=True, slots=True)
class Cutting:
    """Cuts texts into symbols, and finds their seeds.

    Where seeds are sought, a text without enough of them leaves nothing behind but what is counted
    of it.
    """

    window: Window
    template: Template | None = None
    lines: bool = False  # whether it is asked where lines begin, and what pages are called
    sought: SoughtSeeds | None = None
    common: Members = NONE  # k-grams whose units are counted
    clean: Callable[[str, str], str] | None = None  # takes a text and its name; places stay
    # Runs of the least length that start no passage; their units are counted instead.
    shared: Members = NONE

    def __call__(self) -> Callable[[Sequence[Document]], CutTexts]:
        """Return what prepares the documents of each batch in one process."""
        return lambda documents: CutTexts(self, documents)


class CutTexts:
    """The texts of a batch, cut into symbols."""

    def __init__(self, work: Cutting, documents: Sequence[Document]) -> None:
        if clean := work.clean:
            documents = [one._replace(text=clean(one.text, str(one.name))) for one in documents]
        self._work, self._documents = work, documents
        folded = fold_all([one.text for one in documents])
        (starts, symbols), lines = (
            cut_lines(folded) if work.lines else (cut(folded), np.zeros(0, np.int64))
        )
        self._texts = [symbols[start:end] for start, end in pairwise(starts.tolist())]
        bounds = np.searchsorted(lines, starts)
        self._lines = [
            lines[low:high] - start
            for start, (low, high) in zip(starts.tolist(), pairwise(bounds.tolist()), strict=False)
        ]
        self.digests = [digest_bytes(text.data) for text in self._texts]

    def refuse(self, first: Sequence[int]) -> Mapping[bytes, str]:
        """Return which of these texts are empty."""
        return {self.digests[place]: "empty" for place in first if not len(self._texts[place])}

    def finish(
        self, documents: Sequence[int], first: Sequence[int], spool: Spool
    ) -> tuple[Tables, None]:
        """Return the slots of decoded texts, and of the symbols and seeds of those met first."""
        work = self._work
        texts = _joined([self._texts[place] for place in first])
        if work.template is not None:
            texts = work.template.cover(texts)
        seeds = winnow(texts, work.window)
        common_units = units_of(work.common, texts, work.window.k)
        if len(work.shared):
            k, run = work.window.k, sum(work.window) - 1
            found = positions_of(work.shared, texts, run)
            stretches = Stretches.of(found, run, len(texts.symbols))
            common_units = stretches.by_text(texts.starts)
            starting = stretches.within(seeds.positions, np.full_like(seeds.positions, k)) < k
            seeds = Seeds(seeds.hashes[starting], seeds.positions[starting])
        left, left_seeds = np.zeros(len(first), np.bool_), np.zeros(0, np.uint64)
        left_bounds = np.zeros(len(first) + 1, np.int64)
        if work.sought is not None:
            bounds = np.searchsorted(seeds.positions, texts.starts)
            left = ~work.sought.enough(seeds.hashes, bounds[1:])
            wanted, out = work.sought.hashes(seeds.hashes), np.repeat(left, np.diff(bounds))
            left_bounds = np.searchsorted(np.flatnonzero(wanted & out), bounds)
            left_seeds = seeds.hashes[wanted & out]
            seeds = Seeds(seeds.hashes[wanted & ~out], seeds.positions[wanted & ~out])
        bounds = np.searchsorted(seeds.positions, texts.starts)
        own = seeds.positions - np.repeat(texts.starts[:-1], np.diff(bounds))
        columns: dict[str, Any] = {
            name: spool(values[low:high].tobytes() for low, high in pairwise(ends.tolist()))
            for name, values, ends in (
                ("seeds", seeds.hashes, bounds),
                ("positions", own, bounds),
                ("left_seeds", left_seeds, left_bounds),
            )
        }
        ends = np.where(left, texts.starts[:-1], texts.starts[1:])
        columns["symbols"] = spool(
            texts.symbols[low:high].tobytes()
            for low, high in zip(texts.starts[:-1].tolist(), ends.tolist(), strict=True)
        )
        columns["lines"] = spool(self._lines[place].tobytes() for place in first)
        columns["common_units"] = common_units
        columns["units"] = np.diff(texts.starts)
        gone = {place for place, left in zip(first, left.tolist(), strict=True) if left}
        originals = spool(
            b"" if place in gone else self._documents[place].text.encode("utf-8", "surrogatepass")
            for place in documents
        )
        of_documents: dict[str, Any] = {"original": originals}
        if work.lines:
            titles = (name_of(self._documents[place]) for place in documents)
            of_documents["title"] = spool(one.encode("utf-8", "surrogatepass") for one in titles)
        return {DOCUMENTS: of_documents, TEXTS: columns}, None


def units_of(common: Members, texts: SymbolTexts, k: int) -> I64:
    """Return how many units of each text common k-grams cover."""
    if not len(common):
        return np.zeros(len(texts.starts) - 1, np.int64)
    found = positions_of(common, texts, k)
    return Stretches.of(found, k, len(texts.symbols)).by_text(texts.starts)


def _joined(texts: Sequence[Symbols]) -> SymbolTexts:
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return SymbolTexts(starts, np.concatenate([np.zeros(0, np.uint32), *texts]))


class Assembled(NamedTuple):
    """The distinct texts of all documents, one after the other."""

    text_of: I64  # int64[documents]: texts are numbered as documents have them
    starts: I64  # int64[texts + 1]: where each begins
    symbols: Symbols  # surrounded by a margin, and with a mark behind each text
    seeds: Seeds  # in order
    lines: I64  # the symbols that lines begin with, but for the first of each text; if asked for


def assemble(cut: Collection, sides: Sides, by_size: bool = False) -> Assembled:
    """Return the texts of a collection that was cut, the longest first if `by_size`.

    Only texts of the same key are compared: so equal texts of documents of several keys are several
    texts, and seeds of texts of other keys are other ones.

    Raises
    ------
    SimdupError
        If there are more units than positions have numbers.
    """
    text_of, firsts = _distinct(cut["folded"], sides.keys)
    # Until then texts are in the order of their digests, whatever order documents are in.
    sizes = cut.texts["symbols"][cut.text_of[firsts], 1]
    order = np.argsort(-sizes if by_size else firsts, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    text_of, firsts = rank[text_of], firsts[order]
    rows = cut.text_of[firsts]
    slots = {name: cut.texts[name][rows] for name in ("symbols", "seeds", "positions", "lines")}
    sizes = slots["symbols"][:, 1] // 4
    starts = np.append(0, np.cumsum(sizes + 1)) + MARGIN
    size = int(starts[-1]) + MARGIN
    if size > MOST_UNITS:
        what = f"{int(sizes.sum()):,} units are more than {MOST_UNITS:,}"
        raise SimdupError("passages", what, "compare it in parts")
    spool = cut.spool
    symbols = mapped(spool.folder, np.uint32, size).view(np.uint32)
    symbols[:MARGIN] = symbols[size - MARGIN :] = HOLE
    symbols[starts[1:] - 1] = end_marks(np.arange(len(sizes)))
    marks = hole_marks(np.arange(len(sizes)))
    for first, last, content in spool.runs(slots["symbols"]):
        found, done = np.frombuffer(content, np.uint32), 0
        for text in range(first, last):
            part = found[done : done + sizes[text]]
            symbols[starts[text] : starts[text + 1] - 1] = np.where(part == HOLE, marks[text], part)
            done += len(part)
    begins, hashes = spooled_numbers(spool, slots["seeds"], np.uint64)
    if sides.keys.any():
        hashes ^= np.repeat(mix64(sides.keys[firsts]), np.diff(begins))
    positions, lines = (
        _placed(*spooled_numbers(spool, slots[name], np.int64), starts)
        for name in ("positions", "lines")
    )
    return Assembled(text_of, starts, symbols, Seeds(hashes, positions), lines)


def _placed(begins: I64, positions: I64, starts: I64) -> I64:
    """Return positions in each text, which begin at `begins`, as those among all texts."""
    for first in range(0, len(starts) - 1, _TEXTS):
        some = begins[first : first + _TEXTS + 1]
        positions[some[0] : some[-1]] += np.repeat(
            starts[first : first + len(some) - 1], np.diff(some)
        )
    return positions


def _distinct(digests: NDArray[np.void], keys: U64) -> tuple[I64, I64]:
    """Return the text of each document, numbered by key and digest, and the first of each.

    Two processes may have met a text first, which then has two rows.
    """
    of_digests = np.unique(digests.view("S16"), return_inverse=True)[1]
    of_keys = np.unique(keys, return_inverse=True)[1]
    texts = combine_rows(of_keys, of_digests)
    _, first, same = np.unique(texts, return_index=True, return_inverse=True)
    return same, first


@dataclass(frozen=True, slots=True)
class PairTexts:
    """The texts of pairs of documents: call it with the number of a pair and a side, 0 or 1."""

    documents: Documents
    pairs: I64  # int64[pairs, 2]: rows of the documents
    text: Callable[[int], str]
    parts: Mapping[int, Sequence[TextPart]]  # what is left out of documents that have such
    counted: NDArray[np.float64]  # float64[pairs, 2]: what counts, see `counted_shares`

    def __call__(self, pair: int, side: int = 0) -> str:
        """Return a text as it was decoded."""
        return self.text(int(self.pairs[pair, side]))


def sides_of(cut: Collection, opened: Input, scope: PassageScope | ConflictScope) -> Sides:
    """Return what is compared with what: all with each other, or SOURCEs with references."""
    paths = cut.documents["path"].tolist()
    references = np.array([path in opened.references for path in paths], np.bool_)
    if not opened.references:
        return sides_between(cut, ~references, ~references, scope)
    return sides_between(cut, ~references, references, scope)


def sides_between(
    cut: Collection, sources: Bools, references: Bools, scope: PassageScope | ConflictScope
) -> Sides:
    """Return that some documents are compared with others, as the fields of a scope allow."""
    groups, keys = np.full(len(references), -1), np.zeros(len(references), np.uint64)
    columns = rule_columns(cut, {"same": scope.same, "across": scope.across})
    if scope.across:
        groups = columns["different"][:, 0]
    return Sides(sources, references, groups, columns.get("equal", keys))


class RangeFinder(Protocol[Found_co]):
    """Finds something in ranges of texts."""

    def ranges(self) -> list[tuple[int, int]]:
        """Return ranges of texts that are about the same work."""

    def find(self, low: int, high: int) -> Found_co:
        """Return what one range has."""


def find_in_ranges(finder: RangeFinder[Found], run: RunOptions) -> Iterator[Found]:
    """Yield what all texts have, range by range, found in processes if these are worth it."""
    ranges = finder.ranges()
    processes = min(run.processes, len(ranges))
    if processes <= 1:
        yield from _watch((finder.find(*one) for one in ranges), ranges, run)
        return
    workers = Workers[tuple[int, int], Found](processes, partial(_start, finder))
    try:
        yield from _watch(workers.map(ranges), ranges, run)
    finally:
        workers.close()


def _watch(
    parts: Iterable[Found], ranges: list[tuple[int, int]], run: RunOptions
) -> Iterator[Found]:
    """Yield what ranges of texts have, and say how many of these are done."""
    for (_, done), part in zip(ranges, parts, strict=True):
        run.progress("comparing", done, ranges[-1][1])
        yield part


def _start(finder: RangeFinder[Found], number: int) -> Callable[[tuple[int, int]], Found]:
    """Return what a process does with a range of texts."""
    return lambda texts: finder.find(*texts)
