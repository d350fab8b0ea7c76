"""The persistent index: documents in, matches out, in one file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from simdup.corpus.fingerprint_lines import format_header, format_lines
from simdup.corpus.sources import STDIN
from simdup.errors import SimdupError
from simdup.index.build import build
from simdup.index.check import find_faults
from simdup.index.columns import Columns, decode_names, line_columns, name_keys
from simdup.index.info import IndexInfo, index_info
from simdup.index.ingest import Sources, read_documents, read_fingerprints, to_columns
from simdup.index.keyset import KeySet
from simdup.index.matching import ADDING_CHUNKS, QueryOptions, query, query_and_add
from simdup.index.opening import open_storage
from simdup.index.repair import Repaired, repair
from simdup.index.session import TIMEOUT, Patience, Session, keep_silent
from simdup.ingest.sources import open_input
from simdup.lsh.simhash import to_hex, to_int
from simdup.model.criteria import Criteria
from simdup.model.matches import Added, QueryResults
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, Settings

_DEFAULT = Criteria()


class Index:
    """Documents that you already have, in one file, ready to be asked for near-duplicates.

    `Index.build` creates an index, `Index.open` opens it.  It keeps each document's name, its
    fingerprint, its length and a sketch of 128 bytes; and the recipe with its IDF model and user
    dictionary, so that it gives the same answers wherever it is taken.  Several processes may read
    it while one writes: each sees all of what another adds at a time, or nothing of it.

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
    ...     [found.matches[0].document for found in index.query([("b", text.upper())])]
    ['a']
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.built: Added | None = None

    @classmethod
    def build(
        cls,
        path: str,
        sources: Sources = (),
        recipe: Recipe | str = "default",
        *,
        fingerprints: bool = False,
        reading: Reading | None = None,
        run: RunOptions | None = None,
    ) -> Index:
        """Create an index and open it; its `built` tells what became of the documents.

        Parameters
        ----------
        path : str
            Its file, which must not exist.
        sources : str, iterable of str, or iterable of (str, str)
            Files and folders, or names and texts.
        recipe : Recipe or str
            How documents are fingerprinted.  The IDF learned from these documents, if any, is kept
            for all that come later.
        fingerprints : bool
            Whether the sources hold fingerprint lines, or are (name, fingerprint), not texts.
        reading, run : optional
            How files are read; what the run may use.

        Raises
        ------
        SimdupError
            If the file exists already, or cannot be written.
        """
        added = build(path, sources, Settings.of(recipe, reading=reading, run=run), fingerprints)
        index = cls.open(path)
        index.built = added
        return index

    @classmethod
    def open(cls, path: str) -> Index:
        """Open an index.

        Raises
        ------
        SimdupError
            If it does not exist, is damaged, or comes from a newer version.
        """
        storage = open_storage(path)
        try:
            return cls(Session(storage))
        except BaseException:
            storage.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._session.storage.close()

    def __enter__(self) -> Index:
        """Return the index itself; the end of the block closes it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self.close()

    @property
    def path(self) -> str:
        """The path of its file."""
        return self._session.storage.path

    @property
    def recipe(self) -> dict[str, Any]:
        """The resolved recipe with its digest; for fingerprint lines only digest and bits."""
        return self._session.recipe.resolved

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._session.store)

    def add(
        self,
        sources: Sources,
        *,
        fingerprints: bool = False,
        reading: Reading | None = None,
        run: RunOptions | None = None,
        timeout: float = TIMEOUT,
        waiting: Callable[[str], None] = keep_silent,
    ) -> Added:
        """Add documents: all of them or, if it is interrupted, none.

        A document whose name is present is replaced where its content has changed, and left alone
        where it has not.

        Parameters
        ----------
        sources, fingerprints, reading, run
            As for `build`.
        timeout : float
            Seconds to wait for another writer.
        waiting : callable
            Called with a sentence before the waiting begins.

        Raises
        ------
        SimdupError
            If another writer does not finish in time, no space is left, or fingerprints have
            another recipe.
        """
        result = Added()
        with self._session.editing(Patience(timeout, waiting)) as writer:
            if fingerprints:
                batches = iter([_line_columns(self._session, sources)])
            else:
                settings = Settings.of(reading=reading, run=run)
                # Known as of now: what is added meanwhile would be known to some processes only.
                known = writer().contents.copy()
                batches = _text_columns(self._session, sources, settings, result, known)
            for columns in batches:
                present = len(columns)
                columns, replaced = writer().add(columns)
                result.unchanged += present - len(columns)
                result.replaced += replaced
                result.added += len(columns) - replaced
            writer().flush()
            if result.added or result.replaced:
                self._session.touch()
        self._session.forget_searcher()
        return result

    def remove(
        self,
        names: Iterable[str],
        *,
        timeout: float = TIMEOUT,
        waiting: Callable[[str], None] = keep_silent,
    ) -> list[str]:
        """Remove documents by name, and return the names that were not found."""
        wanted = [names] if isinstance(names, str) else list(names)
        with self._session.editing(Patience(timeout, waiting)) as writer:
            present = writer().remove(name_keys(wanted))
            if writer().flush():
                self._session.touch()
        self._session.forget_searcher()
        return [name for name, found in zip(wanted, present.tolist(), strict=True) if not found]

    def query(
        self,
        sources: Sources,
        distance: int = _DEFAULT.distance,
        similarity: float = _DEFAULT.similarity,
        *,
        verify: bool = True,
        limit: int | None = None,
        add: bool = False,
        fingerprints: bool = False,
        compress: bool = False,
        reading: Reading | None = None,
        run: RunOptions | None = None,
        timeout: float = TIMEOUT,
        waiting: Callable[[str], None] = keep_silent,
    ) -> QueryResults:
        """Tell for each document what the index holds near it.

        Parameters
        ----------
        sources, fingerprints, reading, run
            As for `build`.
        distance : int
            The largest Hamming distance of the fingerprints.
        similarity : float
            The least similarity, where both sides have texts: an estimate from sketches with a
            standard error of 0.035 at 0.8 (`simdup.lsh.bbit`).
        verify : bool
            Whether similarity matters.
        limit : int, optional
            Most matches of a document.
        add : bool
            Whether documents without a match are added as they come, so that of similar ones the
            first is kept.  Each batch is written before its results are returned.
        compress : bool
            Whether search tables, if there are so many queries that they are built, take two
            thirds of the memory.
        timeout, waiting
            As for `add`.

        Returns
        -------
        QueryResults
            To be iterated over.  Each batch sees the index as it is by then.
        """
        session, using = self._session, run or RunOptions()
        results = QueryResults(iter(()))
        options = QueryOptions(Criteria(distance, similarity, verify), limit, compress, using)
        if fingerprints:
            asked = _line_columns(session, sources, keyed=add)
            batches = asked.chunks(ADDING_CHUNKS) if add else iter([asked])
        else:
            settings = Settings.of(reading=reading, run=_stream(sources, using))
            batches = _text_columns(session, sources, settings, results)
        if add:
            patience = Patience(timeout, waiting)
            found = (query_and_add(session, one, options, patience) for one in batches)
        else:
            found = (query(session, one, options) for one in batches)
        results.chunks = chain.from_iterable(found)
        return results

    def export(self) -> Iterator[tuple[str, int]]:
        """Yield name and fingerprint of all documents, in the order they were added."""
        for columns in self._columns():
            yield from zip(decode_names(columns.names), map(to_int, columns.values), strict=True)

    def export_lines(self) -> Iterator[bytes]:
        """Yield the fingerprint lines of all documents, in chunks, the header first."""
        bits = self._session.recipe.bits
        if self.recipe["digest"]:
            yield format_header(self.recipe["digest"], bits)
        for columns in self._columns():
            yield format_lines(to_hex(columns.values, bits), decode_names(columns.names))

    def _columns(self) -> Iterator[Columns]:
        with self._session.storage.reading():
            yield from self._session.store.blocks()

    def info(self) -> IndexInfo:
        """Return what the index says about itself; this takes no longer for a large index."""
        return index_info(self._session.storage)

    def check(self) -> list[str]:
        """Check every part, and return what is wrong, a sentence each: nothing if all is well."""
        return find_faults(self._session)

    @staticmethod
    def repair(path: str, target: str) -> Repaired:
        """Write what is intact of a damaged index to a new one; see `simdup.index.repair`."""
        return repair(path, target)

    def require_recipe(self, name: str | None, options: dict[str, Any]) -> None:
        """Raise if the requested recipe differs from the index's; see `StoredRecipe.require`."""
        self._session.recipe.require(name, options)


def _stream(sources: Sources, run: RunOptions) -> RunOptions:
    """Return the options of a query that may have to answer line by line."""
    named = [sources] if isinstance(sources, str) else sources
    if run.jobs is None and isinstance(named, list | tuple) and STDIN in named:
        # Workers are sent documents ahead; a slow writer would wait for its answers.
        return replace(run, jobs=1)
    return run


def _text_columns(
    session: Session,
    sources: Sources,
    settings: Settings,
    result: Added | QueryResults,
    known: KeySet | None = None,
) -> Iterator[Columns]:
    """Yield the columns of documents, batch by batch, without those that are known."""
    fingerprinter = session.recipe.fingerprinter
    opened = open_input(sources, settings)  # type: ignore[arg-type]
    for corpus in read_documents(opened, fingerprinter, known):
        found = corpus.fingerprints(fingerprinter)
        if isinstance(result, Added):
            result.unchanged += corpus.unchanged
        result.skipped += corpus.skipped
        result.notes += corpus.notes
        if len(corpus):
            yield to_columns(corpus, found)


def _line_columns(session: Session, sources: Sources, keyed: bool = True) -> Columns:
    """Return the columns of fingerprint lines, which must have the recipe of the index."""
    bits, digest = session.recipe.bits, session.recipe.resolved["digest"]
    lines = read_fingerprints(sources, bits, digest)
    if len(lines.names) and (lines.bits, lines.recipe) != (bits, digest):
        theirs = f"{lines.bits} bits, recipe {lines.recipe or 'unknown'}"
        header = format_header(digest, bits).decode().rstrip()
        raise SimdupError(
            session.storage.path,
            f"the lines have {theirs}; the index has {bits} bits, recipe {digest or 'unknown'}",
            f"lines of its recipe begin with: {header}" if digest else "",
        )
    return line_columns(list(lines.names), lines.values, keyed)
