"""The persistent index: documents in, matches out, one file that lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup._version import __version__
from simdup.corpus.fingerprint_lines import format_header, format_lines
from simdup.corpus.sources import STDIN
from simdup.errors import SimdupError
from simdup.features.counts import join
from simdup.fingerprints.fingerprinter import resolve_idf, resolved
from simdup.index.columns import (
    Looks,
    Rows,
    line_rows,
    looks_of,
    name_keys,
    shown_names,
    taken,
)
from simdup.index.info import IndexInfo, index_info
from simdup.index.ingest import Sources, corpora, read_fingerprints, stand_in, to_rows
from simdup.index.searcher import Searcher
from simdup.index.storage import File, created, opened
from simdup.index.store import Store, Writer, in_chunks
from simdup.index.stored_recipe import Frozen, freeze, freeze_digest
from simdup.ingest.counting import Effort, Wanted, gathered, open_sources
from simdup.lsh.bbit import estimate
from simdup.lsh.simhash import to_hex, to_int
from simdup.model.criteria import FEW_TERMS, Criteria
from simdup.model.documents import Skipped
from simdup.model.matches import Answer, Match
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe, named_recipe
from simdup.operations.searching import near_fingerprints

# Seconds that a writer waits for another.
TIMEOUT = 60.0

# Documents that are asked and added at a time where those before may match those after: few at
# first, since of many equal ones each would be compared with each.
_CHUNKS = (64, 512, 4096)
# Matches whose names and sketches are looked at a time: 128 bytes each, and as much for a name.
_MATCHES = 1 << 16
# Answers that are handed on at a time.
_ANSWERS = 4096


@dataclass(slots=True)
class Added:
    """What became of the documents that were to be added.

    Attributes
    ----------
    added, replaced, unchanged : int
        New names; names whose content had changed; documents that were there already.
    skipped, notes : list
        As in `Result`.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Answers:
    """The answers to queries, as they come; to be iterated over once.

    Attributes
    ----------
    blocks : iterator of list of Answer
        Those that come together.
    skipped, notes : list
        As in `Result`; complete when the answers have ended.
    """

    blocks: Iterator[list[Answer]]
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def __iter__(self) -> Iterator[Answer]:
        """Yield the answers, a document each, in the order of the documents."""
        return chain.from_iterable(self.blocks)


class Index:
    """Documents that one already has, in one file, to be asked for near-duplicates.

    `Index.build` makes one, `Index.open` opens it.  It keeps of each document its name, its
    fingerprint, its length and a sketch of 128 bytes; and the recipe with its IDF model and user
    dictionary, so that it answers alike wherever it is taken.  Several processes may read it while
    one writes: each sees all of what another has added at a time, or nothing of it.

    Use it in one thread at a time, and close it, or use it as a context manager.

    Attributes
    ----------
    built : Added or None
        What became of the documents that `build` was given; None where the index was opened.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "seen.index")
    >>> text = "The quick brown fox jumps over the lazy dog near the old river bank."
    >>> with Index.build(path, [("a", text)]) as index:
    ...     [answer.matches[0].document for answer in index.query([("b", text.upper())])]
    ['a']
    """

    def __init__(self, file: File) -> None:
        self._file = file
        self._frozen = Frozen(file)
        self.built: Added | None = None
        self._searcher: tuple[tuple[object, ...], Searcher] | None = None
        self._writer: tuple[int, Writer] | None = None

    # Making, opening, closing.

    @classmethod
    def build(
        cls,
        path: str,
        sources: Sources = (),
        recipe: Recipe | str = "default",
        *,
        fingerprints: bool = False,
        reading: Reading | None = None,
        effort: Effort | None = None,
    ) -> Index:
        """Make an index and open it; its `built` tells what became of the documents.

        Parameters
        ----------
        path : str
            Its file, which must not be there.
        sources : str, iterable of str, or iterable of (str, str)
            Files and folders, or names and texts.
        recipe : Recipe or str
            How documents are fingerprinted.  With a corpus's own IDF that of these documents is
            kept for all that come later.
        fingerprints : bool
            Whether the sources hold fingerprint lines, or are (name, fingerprint), not texts.
        reading, effort : optional
            How files are read; what may be used for it.

        Raises
        ------
        SimdupError
            If there is a file already, or it cannot be written.
        """
        wanted = named_recipe(recipe) if isinstance(recipe, str) else recipe
        using = effort or Effort()
        with created(path) as file:
            if fingerprints:
                added = _build_lines(file, sources, wanted)
            else:
                added = _build_texts(file, _listed(sources), wanted, reading or Reading(), using)
            now = _now()
            for name, value in (("created", now), ("changed", now), ("simdup", __version__)):
                file.tell(name, value)
        index = cls.open(path)
        index.built = added
        return index

    @classmethod
    def open(cls, path: str) -> Index:
        """Open an index.

        Raises
        ------
        SimdupError
            If there is none, it is damaged, or it comes from a newer version.
        """
        file = opened(path)
        try:
            return cls(file)
        except BaseException:
            file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._frozen.close()

    def __enter__(self) -> Index:
        """Return the index itself; the end of the block closes it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()

    @property
    def path(self) -> str:
        """Where its file lies."""
        return self._file.path

    @property
    def recipe(self) -> dict[str, Any]:
        """The resolved recipe with its digest; of fingerprint lines digest and bits only."""
        return self._frozen.resolved

    def __len__(self) -> int:
        """Return the number of documents."""
        return sum(documents for _, documents in self._file.blocks())

    # Changing.

    def add(
        self,
        sources: Sources,
        *,
        fingerprints: bool = False,
        reading: Reading | None = None,
        effort: Effort | None = None,
        timeout: float = TIMEOUT,
        waiting: Callable[[str], None] = lambda what: None,
    ) -> Added:
        """Add documents, all or, if it is interrupted, none.

        A name that is there is replaced where its content has changed, and left alone where not.

        Parameters
        ----------
        sources, fingerprints, reading, effort
            As for `build`.
        timeout : float
            Seconds to wait for another writer.
        waiting : callable
            Called with a sentence before it waits.

        Raises
        ------
        SimdupError
            If another writer is not done in time, there is no space, or fingerprints are of
            another recipe.
        """
        result = Added()
        with self._file.writing(timeout, waiting):
            writer = self._current_writer()
            self._writer = None
            if fingerprints:
                blocks = iter([self._line_rows(sources)])
            else:
                blocks = self._text_rows(
                    _listed(sources), reading or Reading(), effort or Effort(), result, writer
                )
            for rows in blocks:
                there = len(rows)
                rows, replaced = writer.add(rows)
                result.unchanged += there - len(rows)
                result.replaced += replaced
                result.added += len(rows) - replaced
            writer.settle()
            if result.added or result.replaced:
                self._file.tell("changed", _now())
            version = self._file.version()
        self._writer, self._searcher = (version, writer), None
        return result

    def remove(
        self,
        names: Iterable[str],
        *,
        timeout: float = TIMEOUT,
        waiting: Callable[[str], None] = lambda what: None,
    ) -> list[str]:
        """Remove documents by name, and return the names that there were none of."""
        wanted = [names] if isinstance(names, str) else list(names)
        with self._file.writing(timeout, waiting):
            writer = self._current_writer()
            self._writer = None
            there = writer.remove(name_keys(wanted))
            if writer.settle():
                self._file.tell("changed", _now())
        self._searcher = None
        return [name for name, found in zip(wanted, there.tolist(), strict=True) if not found]

    # Asking.

    def query(
        self,
        sources: Sources,
        distance: int = 3,
        similarity: float = 0.8,
        *,
        verify: bool = True,
        limit: int | None = None,
        add: bool = False,
        fingerprints: bool = False,
        compress: bool = False,
        reading: Reading | None = None,
        effort: Effort | None = None,
        timeout: float = TIMEOUT,
        waiting: Callable[[str], None] = lambda what: None,
    ) -> Answers:
        """Tell for each document what the index holds near it.

        Parameters
        ----------
        sources, fingerprints, reading, effort
            As for `build`.
        distance : int
            The largest Hamming distance of the fingerprints.
        similarity : float
            The least similarity, where there are texts on both sides: an estimate from sketches
            with a standard error of 0.035 at 0.8 (`simdup.lsh.bbit`).
        verify : bool
            Whether similarity matters.
        limit : int, optional
            Most matches of a document.
        add : bool
            Whether documents without a match are added as they are met: the first of its like
            stays.  Each batch is written before its answers are given.
        compress : bool
            Whether search tables, if so many documents are asked that they are built, are kept in
            two thirds of the memory.
        timeout, waiting
            As for `add`.

        Returns
        -------
        Answers
            To be iterated over.  Each batch sees the index as it stands by then.
        """
        criteria = Criteria(distance, similarity, verify)
        using = effort or Effort()
        answers = Answers(iter(()))
        if fingerprints:
            asked = self._line_rows(sources, keyed=add)
            blocks = in_chunks(asked, _CHUNKS) if add else iter([asked])
        else:
            blocks = self._text_rows(_listed(sources), reading or Reading(), using, answers)
        asking = _Asking(criteria, limit, compress, using)
        if add:
            answers.blocks = (
                self._answered_and_added(rows, asking, timeout, waiting) for rows in blocks
            )
        else:
            answers.blocks = chain.from_iterable(self._answered(rows, asking) for rows in blocks)
        return answers

    def export(self) -> Iterator[tuple[str, int]]:
        """Yield name and fingerprint of all documents, in the order they were added."""
        for names, values in self._exported():
            yield from zip(names, map(to_int, values), strict=True)

    def export_lines(self) -> Iterator[bytes]:
        """Yield the fingerprint lines of all documents, in blocks, the header first."""
        bits = self.recipe["bits"]
        if self.recipe["digest"]:
            yield format_header(self.recipe["digest"], bits)
        for names, values in self._exported():
            yield format_lines(to_hex(values, bits), names)

    def _exported(self) -> Iterator[tuple[list[str], NDArray[np.uint64]]]:
        with self._file.reading():
            for rows in Store(self._file, self._words).blocks():
                yield shown_names(rows.names), rows.values

    def info(self) -> IndexInfo:
        """Return what is known of the index; it does not depend on its size how fast."""
        return index_info(self._file)

    def check(self) -> list[str]:
        """Look at every part, and return what is wrong, a sentence each: nothing, if all is well.

        Every part is held against its checksum, every block against its own columns, and the
        recipe with its model and dictionary against its digest.
        """
        with self._file.reading():
            faults = list(self._file.faults())
            with _told_as(faults):
                if self._frozen.whole:
                    self._frozen.thaw()
            keys = []
            with _told_as(faults):
                store = Store(self._file, self._words)
                for number, documents in self._file.blocks():
                    with _told_as(faults):
                        rows = store.block(number)
                        keys.append(rows.keys)
                        if len(rows) != documents:
                            faults.append(f"block {number} should have {documents} documents")
                        if (name_keys(shown_names(rows.names)) != rows.keys).any():
                            faults.append(f"block {number} has names that would not be found")
            if keys and len(np.unique(np.concatenate(keys))) < sum(map(len, keys)):
                faults.append("a name stands there twice")
        return list(dict.fromkeys(faults))

    def insist(self, name: str | None, options: dict[str, Any]) -> None:
        """Hold a recipe that was asked for against that of the index.

        Parameters
        ----------
        name : str or None
            A named recipe; None for that of the index.
        options : dict
            Fields of `Recipe` and their wanted values.

        Raises
        ------
        SimdupError
            If they differ; it names both.
        """
        self._frozen.insist(name, options)

    # How it is done.

    @property
    def _words(self) -> int:
        return -(-int(self.recipe["bits"]) // 64)

    def _line_rows(self, sources: Sources, keyed: bool = True) -> Rows:
        bits, known = self.recipe["bits"], self.recipe["digest"]
        given = read_fingerprints(sources, bits, known)
        if len(given.names) and (given.bits, given.recipe) != (bits, known):
            theirs = f"{given.bits} bits, recipe {given.recipe or 'not said'}"
            raise SimdupError(
                self.path,
                f"the lines are of {theirs}; the index of {bits} bits, "
                f"recipe {known or 'not said'}",
                f"lines of its recipe say: # simdup 1 recipe={known} bits={bits}" if known else "",
            )
        return line_rows(list(given.names), given.values, keyed)

    def _text_rows(
        self,
        sources: Iterable[Any],
        reading: Reading,
        effort: Effort,
        result: Added | Answers,
        writer: Writer | None = None,
    ) -> Iterator[Rows]:
        """Yield the rows of documents, batch by batch; a writer knows which to leave out."""
        recipe, idf = self._frozen.thaw()
        streaming = isinstance(result, Answers) and isinstance(sources, list | tuple)
        if effort.jobs is None and streaming and STDIN in sources:
            # Workers are handed documents ahead; a slow writer would wait for its answers.
            effort = replace(effort, jobs=1)
        intake = open_sources(sources, reading, effort)
        result.skipped += intake.skipped
        # As it stands now: what is added meanwhile would be known to some processes only.
        known = None if writer is None else writer.contents.copy()
        for corpus, unchanged in corpora(intake, recipe, reading, known):
            if isinstance(result, Added):
                result.unchanged += unchanged
            rows, skipped = to_rows(corpus, corpus.counts(recipe), idf, recipe)
            result.skipped += skipped
            result.notes += corpus.notes
            yield rows

    def _current_writer(self) -> Writer:
        """Return a writer, one that knows the names already if nobody else has written since."""
        version = self._file.version()
        if self._writer is None or self._writer[0] != version:
            self._writer = version, Writer(Store(self._file, self._words))
        return self._writer[1]

    def _current_searcher(self, asking: _Asking) -> Searcher:
        """Return a searcher of the documents as they stand."""
        distance, compress = asking.criteria.distance, asking.compress
        key = (self._file.version(), distance, compress, asking.effort.processes)
        if self._searcher is None or self._searcher[0] != key:
            values = Store(self._file, self._words).fingerprints()
            bits = self.recipe["bits"]
            self._searcher = (
                key,
                Searcher(values, bits, distance, asking.effort.processes, compress),
            )
        return self._searcher[1]

    def _answered(self, rows: Rows, asking: _Asking) -> Iterator[list[Answer]]:
        """Answer a batch, a few documents at a time."""
        with self._file.reading():
            found = self._matches(rows, asking)
        bounds = np.searchsorted(found.query, np.arange(len(rows) + 1)).tolist()
        for first in range(0, len(rows), _ANSWERS):
            last = min(first + _ANSWERS, len(rows))
            names = shown_names(rows.names[first:last])
            yield [
                asking.answer(name, found.matches(bounds[i], bounds[i + 1]))
                for i, name in enumerate(names, first)
            ]

    def _answered_and_added(
        self, rows: Rows, asking: _Asking, timeout: float, waiting: Callable[[str], None]
    ) -> list[Answer]:
        """Answer a batch and add what is new of it, where one of it may match one before."""
        names = shown_names(rows.names)
        with self._file.writing(timeout, waiting):
            found = self._matches(rows, asking)
            matches: dict[int, list[Match]] = {}
            for at, document in enumerate(found.query.tolist()):
                matches.setdefault(document, []).extend(found.matches(at, at + 1))
            new = np.array([i for i in range(len(rows)) if not matches.get(i)], np.int64)
            added = _greedy(rows, new, asking)
            for document, match in _matches_among(rows, added, names, asking):
                matches.setdefault(document, []).append(match)
            if len(added):
                writer, searcher = self._current_writer(), self._current_searcher(asking)
                self._writer = None
                kept, replaced = writer.add(taken(rows, added))
                moved = writer.settle()
                self._file.tell("changed", _now())
                version = self._file.version()
        if len(added):
            self._writer = version, writer
            if moved or replaced:
                self._searcher = None
            else:
                searcher.append(kept.values)
        fresh = set(added.tolist())
        return [asking.answer(name, matches.get(i, []), i in fresh) for i, name in enumerate(names)]

    def _matches(self, rows: Rows, asking: _Asking) -> _Found:
        """Return what the index holds near some documents."""
        found = self._current_searcher(asking).near(rows.values)
        store = Store(self._file, self._words)
        judged = _Found(np.zeros(0, np.int64), [], [], [])
        queries = [judged.query]
        for first in range(0, len(found.query), _MATCHES):
            part = slice(first, first + _MATCHES)
            query, apart = found.query[part], found.distance[part]
            names, there = store.looked_at(found.row[part])
            similarity, good = _judged(looks_of(rows, query), there, asking.criteria)
            queries.append(query[good])
            judged.distances.extend(apart[good].tolist())
            at = np.flatnonzero(good).tolist()
            judged.names.extend([names[i] for i in at])
            judged.similarities.extend([similarity[i] for i in at])
        return judged._replace(query=np.concatenate(queries))


class _Found(NamedTuple):
    """Matches in columns, ordered by the number of the document that was asked about.

    They become objects when they are wanted: a hundred thousand at once would keep the garbage
    collector busy for longer than the search takes.
    """

    query: NDArray[np.int64]
    names: list[str]
    distances: list[int]
    similarities: list[float | None]

    def matches(self, start: int, stop: int) -> list[Match]:
        """Return some of them."""
        part = slice(start, stop)
        columns = (self.names[part], self.distances[part], self.similarities[part])
        return list(map(Match, *columns)) if start < stop else []


@dataclass(frozen=True, slots=True)
class _Asking:
    """How an index is asked."""

    criteria: Criteria
    limit: int | None
    compress: bool
    effort: Effort

    def answer(self, document: str, matches: list[Match], added: bool = False) -> Answer:
        """Return an answer with the best matches first."""
        if len(matches) > 1:
            matches = sorted(matches, key=lambda m: (-(m.similarity or 0.0), m.distance))
            matches = matches[: self.limit]
        return Answer(document, tuple(matches), added)


def _judged(a: Looks, b: Looks, criteria: Criteria) -> tuple[list[float | None], NDArray[np.bool_]]:
    """Return the estimated similarity of documents side by side, and which of them match.

    Documents of few terms match only those that are the same: whose length and sketch are equal.
    """
    texts = (a.terms > 0) & (b.terms > 0)
    similarity: list[float | None] = [None] * len(texts)
    good = np.ones(len(texts), np.bool_)
    at = np.flatnonzero(texts)
    if len(at):
        sketch_a, sketch_b = a.sketches[at], b.sketches[at]
        estimated = estimate(sketch_a, sketch_b)
        same = (a.lengths[at] == b.lengths[at]) & (sketch_a == sketch_b).all(axis=1)
        good[at] = (np.minimum(a.terms[at], b.terms[at]) >= FEW_TERMS) | same
        if criteria.verify:
            good[at] &= estimated >= criteria.similarity
        for i, share in zip(at.tolist(), estimated.tolist(), strict=True):
            similarity[i] = share
    return similarity, good


def _greedy(rows: Rows, new: NDArray[np.int64], asking: _Asking) -> NDArray[np.int64]:
    """Return those of the new documents of a batch that match none returned before them."""
    some = taken(rows, new)
    bits = rows.values.shape[1] * 64
    found = near_fingerprints(some.values, asking.criteria.distance, bits, asking.effort)
    earlier: dict[int, list[int]] = {}
    for first in range(0, len(found.i), _MATCHES):
        part = slice(first, first + _MATCHES)
        i, j = found.i[part], found.j[part]
        _, good = _judged(looks_of(some, j), looks_of(some, i), asking.criteria)
        for a, b in zip(i[good].tolist(), j[good].tolist(), strict=True):
            earlier.setdefault(b, []).append(a)
    added: set[int] = set()
    for at in range(len(some)):
        if added.isdisjoint(earlier.get(at, ())):
            added.add(at)
    return new[sorted(added)]


def _matches_among(
    rows: Rows, added: NDArray[np.int64], names: list[str], asking: _Asking
) -> Iterator[tuple[int, Match]]:
    """Yield what the documents of a batch match of those added of it before them."""
    if not len(added):
        return
    bits = rows.values.shape[1] * 64
    searcher = Searcher(rows.values[added], bits, asking.criteria.distance)
    found = searcher.near(rows.values)
    later = found.query > added[found.row]
    query, row, apart = found.query[later], added[found.row[later]], found.distance[later]
    for first in range(0, len(query), _MATCHES):
        part = slice(first, first + _MATCHES)
        similarity, good = _judged(
            looks_of(rows, query[part]), looks_of(rows, row[part]), asking.criteria
        )
        for at in np.flatnonzero(good).tolist():
            match = Match(names[row[first + at]], int(apart[first + at]), similarity[at])
            yield int(query[first + at]), match


def _listed(sources: Sources) -> Iterable[Any]:
    return [sources] if isinstance(sources, str) else sources


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def _told_as(faults: list[str]) -> Iterator[None]:
    """Write an error down as a fault and go on."""
    try:
        yield
    except SimdupError as error:
        faults.append(error.what)


def _build_texts(
    file: File, sources: Iterable[Any], recipe: Recipe, reading: Reading, effort: Effort
) -> Added:
    """Fill a new index with documents, and freeze the frequencies that weigh them."""
    intake = open_sources(sources, reading, effort)
    added = Added(skipped=list(intake.skipped))
    if recipe.idf == "corpus" or (recipe.idf == "auto" and recipe.uses_idf):
        with gathered(intake, recipe, reading, Wanted(also=stand_in)) as (whole, counts, _):
            idf = resolve_idf(recipe, counts)
            made = iter([(whole, to_rows(whole, counts, idf, recipe))])
            added.skipped.clear()  # the whole has them
    else:
        idf = resolve_idf(recipe, join([], recipe.bits // 8))
        made = (
            (corpus, to_rows(corpus, corpus.counts(recipe), idf, recipe))
            for corpus, _ in corpora(intake, recipe, reading)
        )
    freeze(file, recipe, idf)
    writer = Writer(Store(file, -(-recipe.bits // 64)))
    for corpus, (rows, skipped) in made:
        added.added += len(writer.add(rows)[0])
        added.skipped += skipped
        added.notes += corpus.notes
    writer.settle()
    return added


def _build_lines(file: File, sources: Sources, recipe: Recipe) -> Added:
    """Fill a new index with fingerprints; their recipe is the one given, if the digests agree."""
    own = recipe if recipe.idf != "auto" or not recipe.uses_idf else replace(recipe, idf="builtin")
    idf, digest = None, ""
    if own.idf != "corpus":
        idf = resolve_idf(own, join([], own.bits // 8))
        digest = resolved(own, idf)["digest"]
    read = read_fingerprints(sources, recipe.bits, digest)
    if idf is not None and read.recipe == digest and read.bits == own.bits:
        freeze(file, own, idf)
    elif recipe != Recipe():
        raise SimdupError(
            file.path,
            f"the lines are of recipe {read.recipe or 'not said'}, "
            f"these options make {digest or 'one that takes texts to know'}",
            "leave the recipe's options out, or give those the lines were made with",
        )
    else:
        freeze_digest(file, read.recipe, read.bits)
    writer = Writer(Store(file, -(-read.bits // 64)))
    rows, _ = writer.add(line_rows(list(read.names), read.values))
    writer.settle()
    return Added(len(rows))
