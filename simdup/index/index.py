"""The persistent index: documents in, matches out, in one file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from simdup.corpus.fingerprint_lines import format_header, format_lines
from simdup.index.build import build
from simdup.index.check import find_faults
from simdup.index.info import IndexInfo, index_info
from simdup.index.ingest import (
    Sources,
    line_documents_of,
    require_method,
    stream_options,
    text_documents,
)
from simdup.index.matching import QueryOptions, adding_chunks, query, query_and_add
from simdup.index.opening import open_storage
from simdup.index.repair import Repaired, repair
from simdup.index.sections import name_keys
from simdup.index.session import TIMEOUT, Patience, Session, keep_silent
from simdup.lsh.simhash import to_hex, to_int
from simdup.model.criteria import Criteria
from simdup.model.matches import Added, QueryResults
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading, RunOptions, Settings, no_progress
from simdup.model.table import Documents

_DEFAULT = Criteria()


class Index:
    """The documents that you already have, in one file, ready to be searched for near-duplicates.

    `Index.build` creates an index, `Index.open` opens it.  It stores the name, the fingerprint, the
    length and a sketch of 128 bytes of each document, hashes of the texts that `dedupe` removed
    because of them, and the recipe with its IDF model and user dictionary.  So it gives the same
    answers on every machine.  Several processes may read it while one writes: each sees all
    documents of another's transaction, or none.

    Use it in one thread at a time, and close it, or use it as a context manager.

    Attributes
    ----------
    built : Added or None
        What happened to the documents given to `build`; None if the index was opened.

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
        """Create an index and open it; `built` says what happened to the documents.

        Parameters
        ----------
        path : str
            The file, which must not exist.
        sources
            As for `scan`; fields of records are named in `reading`.  Ids become text.
        recipe : Recipe or str
            How documents are fingerprinted.  The IDF learned from these documents, if any, also
            applies to all later ones.
        fingerprints : bool
            Whether the sources are fingerprint lines, or (name, fingerprint) pairs, not texts.
        reading, run : optional
            How files are read, and what the run may use.

        Raises
        ------
        SimdupError
            If the file already exists, or cannot be written.
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
            If it does not exist, is damaged, or was made by a newer version.
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
        """Add documents: all of them or, if interrupted, none.

        If the index already has a document of the same name, it is replaced if its content has
        changed, and left alone otherwise.

        Parameters
        ----------
        sources, fingerprints, reading, run
            As for `build`.
        timeout : float
            Seconds to wait for another writer.
        waiting : callable
            Called with a sentence before a wait begins.

        Raises
        ------
        SimdupError
            If another writer does not finish in time, no space is left, or fingerprints have
            another recipe.
        """
        result, progress = Added(), (run or RunOptions()).progress
        with self._session.editing(Patience(timeout, waiting)) as writer:
            if fingerprints:
                batches = iter([line_documents_of(self._session, sources)])
            else:
                settings = Settings.of(reading=reading, run=run)
                # A snapshot: what is added meanwhile would be known to some processes only.
                known = writer().contents.copy()
                batches = text_documents(self._session, sources, settings, result, known)
                progress = no_progress  # the stage of reading counts them
            for columns in batches:
                new, replaced = writer().add_all(columns, progress)
                result.unchanged += len(columns) - new
                result.replaced += replaced
                result.added += new - replaced
            writer().flush()
            if result.added or result.replaced:
                self._session.touch()
        self._session.forget_rows()
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
        self._session.forget_rows()
        return [name for name, found in zip(wanted, present.tolist(), strict=True) if not found]

    def query(
        self,
        sources: Sources,
        distance: int = _DEFAULT.distance,
        similarity: float = _DEFAULT.similarity,
        *,
        verify: bool = True,
        method: str = _DEFAULT.method,
        limit: int | None = None,
        exclude_self: bool = False,
        add: bool = False,
        fingerprints: bool = False,
        compress: bool = False,
        reading: Reading | None = None,
        run: RunOptions | None = None,
        timeout: float = TIMEOUT,
        waiting: Callable[[str], None] = keep_silent,
    ) -> QueryResults:
        """Find the near-duplicates of each document in the index.

        A document does not match an earlier version of itself: one of the same name with another
        content.

        Parameters
        ----------
        sources, fingerprints, reading, run
            As for `build`.
        distance : int
            The Hamming distance up to which simhash proposes pairs.
        similarity : float
            The lowest similarity, if both documents have texts.  It is estimated from sketches,
            with a standard error of 0.035 at 0.8 (`simdup.lsh.bbit`).
        verify : bool
            Whether similarity matters.
        method : str
            How candidates are found: ``simhash`` by fingerprints, ``minhash`` by bands of the
            sketches, ``auto`` by both.
        limit : int, optional
            The most matches per document.
        exclude_self : bool
            Whether documents of the same name never match.
        add : bool
            Whether to add documents without a match at once, so that only the first of several
            similar ones is new.  Each batch is written before its results are returned.
        compress : bool
            Whether to compress search tables, which many queries need, to two thirds of their
            size.
        timeout, waiting
            As for `add`.

        Returns
        -------
        QueryResults
            An iterable.  Each batch sees the index as it is at that time.
        """
        session, using = self._session, run or RunOptions()
        results = QueryResults(iter(()))
        criteria = Criteria(distance, similarity, verify, method=method)
        require_method(criteria, fingerprints)
        options = QueryOptions(criteria, exclude_self, limit, compress, using)
        if fingerprints:
            asked = line_documents_of(session, sources)
            batches = adding_chunks(asked) if add else iter([asked])
        else:
            settings = Settings.of(reading=reading, run=stream_options(sources, using))
            batches = text_documents(session, sources, settings, results)
        if add:
            patience = Patience(timeout, waiting)
            found = (query_and_add(session, one, options, patience) for one in batches)
        else:
            found = (query(session, one, options) for one in batches)
        results.chunks = chain.from_iterable(found)
        return results

    def export(self) -> Iterator[tuple[str, int]]:
        """Yield the name and fingerprint of all documents, oldest first."""
        for some in self._documents():
            yield from zip(some["name"].tolist(), map(to_int, some["fingerprint"]), strict=True)

    def export_lines(self) -> Iterator[bytes]:
        """Yield the header and the fingerprint lines of all documents, in chunks."""
        bits = self._session.recipe.bits
        if self.recipe["digest"]:
            yield format_header(self.recipe["digest"], bits)
        for some in self._documents():
            yield format_lines(to_hex(some["fingerprint"], bits), some["name"].tolist())

    def _documents(self) -> Iterator[Documents]:
        with self._session.storage.reading():
            yield from self._session.store.blocks()

    def info(self) -> IndexInfo:
        """Return facts about the index; this takes the same time for any size."""
        return index_info(self._session.storage)

    def check(self, sample: str | None = None) -> list[str]:
        """Check every part; return one sentence per fault, or an empty list if all is well.

        Parameters
        ----------
        sample : str, optional
            The share of the blocks whose contents are read, such as ``5%``; or ``3/20``, the third
            of twenty parts.  Lists, dates and the recipe are checked anyway.
        """
        return find_faults(self._session, sample)

    @staticmethod
    def repair(path: str, target: str) -> Repaired:
        """Write the intact part of a damaged index to a new one; see `simdup.index.repair`."""
        return repair(path, target)

    def require_recipe(self, name: str | None, options: dict[str, Any]) -> None:
        """Raise if the requested recipe differs from the index's; see `StoredRecipe.require`."""
        self._session.recipe.require(name, options)
