"""The persistent index: documents in, matches out, in one file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from simdup.base.errors import SimdupError, counted, invalid
from simdup.corpus.files import STDIN
from simdup.corpus.fingerprint_lines import format_header, format_lines
from simdup.index.ingest import Sources, are_present, build, line_documents_of, text_documents
from simdup.index.matching import (
    Added,
    QueryOptions,
    QueryResults,
    adding_chunks,
    query,
    query_and_add,
)
from simdup.index.opening import IndexInfo, index_info, open_storage
from simdup.index.passage_index import find_common, passage_faults, read_common
from simdup.index.sections import name_keys
from simdup.index.session import TIMEOUT, Patience, Session, keep_silent
from simdup.model.criteria import INDEX_METHODS, Criteria
from simdup.model.documents import Skipped
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading, RunOptions, Settings, no_progress
from simdup.model.shared_passages import PassageCriteria
from simdup.search.arrays import U64, distinct
from simdup.text.simhash import to_hex, to_int

_DEFAULT, _PASSAGES = Criteria(), PassageCriteria()


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
        passages: bool = False,
        min_run: int = _PASSAGES.min_run,
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
        passages : bool
            Whether to keep the texts, so that passages can be found in them.
        min_run : int
            The least run of these passages, as in `PassageCriteria`.
        reading, run : optional
            How files are read, and what the run may use.

        Raises
        ------
        SimdupError
            If the file already exists, or cannot be written.
        """
        settings = Settings.of(recipe, reading=reading, run=run)
        added = build(path, sources, settings, fingerprints, min_run if passages else None)
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
                known = partial(are_present, contents=writer().contents.copy())
                batches = text_documents(self._session, sources, settings, result, known, True)
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
            with a standard error of 0.035 at 0.8 (`simdup.text.families`).
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
        _require_method(criteria, fingerprints)
        options = QueryOptions(criteria, exclude_self, limit, compress, using)
        if fingerprints:
            asked = line_documents_of(session, sources)
            batches = adding_chunks(asked) if add else iter([asked])
        else:
            settings = Settings.of(reading=reading, run=_stream_options(sources, using))
            batches = text_documents(session, sources, settings, results, adding=add)
        if add:
            patience = Patience(timeout, waiting)
            found = (query_and_add(session, one, options, patience) for one in batches)
        else:
            found = (query(session, one, options) for one in batches)
        results.chunks = chain.from_iterable(found)
        return results

    def export(self, skipped: list[Skipped] | None = None) -> Iterator[tuple[str, int]]:
        """Yield the name and fingerprint of all documents, oldest first.

        Parameters
        ----------
        skipped : list, optional
            Where damaged blocks are noted, each of up to 1,024 documents; the others follow.
            Without it, a damaged block raises a SimdupError.
        """
        for names, values in _blocks(self._session, skipped):
            yield from zip(names, map(to_int, values), strict=True)

    def export_lines(self, skipped: list[Skipped] | None = None) -> Iterator[bytes]:
        """Yield the header and the fingerprint lines of all documents, in chunks; see `export`."""
        bits = self._session.recipe.bits
        if self.recipe["digest"]:
            yield format_header(self.recipe["digest"], bits)
        for names, values in _blocks(self._session, skipped):
            yield format_lines(to_hex(values, bits), names)

    def info(self) -> IndexInfo:
        """Return facts about the index; this takes the same time for any size."""
        return index_info(self._session.storage)

    def check(self) -> list[str]:
        """Check every part; return one sentence per fault, or an empty list if all is well.

        SQLite checks its pages, every section is compared with its checksum, every block with its
        own columns, and the recipe (including model and dictionary) with its digest.
        """
        return list(dict.fromkeys(_find_faults(self._session)))

    def require_recipe(self, words: str | None, changes: dict[str, Any]) -> None:
        """Raise if the requested recipe differs from the index's."""
        self._session.recipe.require(words, changes)


def _blocks(session: Session, skipped: list[Skipped] | None) -> Iterator[tuple[list[str], U64]]:
    """Yield the names and fingerprints of each block; see `Index.export`."""
    storage, store = session.storage, session.store
    with storage.reading():
        for number, documents in storage.blocks():
            try:
                block = store.read_fingerprints(number)
            except SimdupError as error:
                if skipped is None:
                    raise
                what = f"block {number}: {counted(documents, 'document')} lost ({error.what})"
                skipped.append(Skipped(storage.path, what, error=True))
            else:
                yield block


def _stream_options(sources: Sources, run: RunOptions) -> RunOptions:
    """Return the run options for a query that may have to answer line by line."""
    named = [sources] if isinstance(sources, str) else sources
    if run.jobs is None and isinstance(named, list | tuple) and STDIN in named:
        # Workers receive documents in advance, so a slow writer would wait for its answers.
        return replace(run, jobs=1)
    return run


def _require_method(criteria: Criteria, fingerprints: bool = False) -> None:
    """Raise if an index, or fingerprint lines, cannot be searched by the method."""
    if criteria.method not in INDEX_METHODS:
        raise invalid("method", criteria.method, "one of " + ", ".join(INDEX_METHODS))
    if fingerprints and criteria.method == "minhash":
        raise SimdupError(
            "method", "fingerprint lines have no texts, which minhash compares", field="method"
        )


def _find_faults(session: Session) -> list[str]:
    storage, faults = session.storage, list[str]()
    with storage.reading():
        with _collect(faults):
            # One by one: what comes before an error counts.
            for fault in storage.faults(len(session.store.kinds)):
                faults.append(fault)
        with _collect(faults):
            if session.recipe.complete:
                _ = session.recipe.fingerprinter
        with _collect(faults):
            session.store.removed()
        common = None
        with _collect(faults):
            common = read_common(storage) if storage.has("passages") else None
        keys = [np.zeros(0, np.uint64)]
        for number, _ in storage.blocks():
            with _collect(faults):
                columns = session.store.block(number)
                keys.append(columns["name_key"])
                if (name_keys(columns["name"].tolist()) != columns["name_key"]).any():
                    faults.append(f"block {number} has names that cannot be found")
                if common is not None:
                    faults += passage_faults(number, columns, common.window)
        with _collect(faults):
            if common is not None and not common.equals(find_common(session.store, common.min_run)):
                faults.append("its common passages are those of other documents")
    if len(distinct(np.concatenate(keys))) < sum(map(len, keys)):
        faults.append("a name occurs twice")
    return faults


@contextmanager
def _collect(faults: list[str]) -> Iterator[None]:
    """Record an error as a fault and continue."""
    try:
        yield
    except SimdupError as error:
        faults.append(error.what)
