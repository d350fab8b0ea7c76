"""The persistent index: documents in, matches out, in one file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from simdup.base.errors import SimdupError, counted, invalid
from simdup.corpus.files import STDIN
from simdup.corpus.fingerprint_lines import (
    FingerprintLines,
    format_header,
    format_lines,
    read_lines,
)
from simdup.corpus.spool import SpoolReader
from simdup.index.file import (
    TIMEOUT,
    IndexFile,
    IndexInfo,
    Patience,
    create_file,
    index_info,
    keep_silent,
)
from simdup.index.match import (
    Added,
    QueryOptions,
    QueryResults,
    adding_chunks,
    query,
    query_and_add,
)
from simdup.index.opened import Opened, edited, store_recipe, write_recipe
from simdup.index.passages import (
    begin_passages,
    load_passages,
    passage_makers,
    read_common,
)
from simdup.index.segments import (
    NO_REMOVED,
    PASSAGE_COLUMNS,
    TEXT_HASH,
    Edit,
    RemovedTexts,
    Segments,
    content_hashes,
    line_documents,
    name_keys,
    text_hash,
    to_numbers,
)
from simdup.model.criteria import INDEX_METHODS, SHORT, Criteria, Shingling
from simdup.model.documents import Document, Skipped
from simdup.model.recipe import Recipe
from simdup.model.settings import Progress, Reading, RunOptions, Settings, no_progress
from simdup.model.shared_passages import PassageCriteria
from simdup.model.table import Documents, objects
from simdup.near.batch_reader import DOCUMENTS, Known
from simdup.near.collection import Collection, ingest_fingerprinted
from simdup.near.counting import Prepared
from simdup.near.inputs import Data, open_input
from simdup.search.arrays import U64, Bools, contains
from simdup.text.analyzer import Analyzer
from simdup.text.families import SKETCH_BYTES, bbit_sketch
from simdup.text.fingerprinter import Fingerprinter, Fingerprints
from simdup.text.shingles import Shingler
from simdup.text.short_texts import forms_of
from simdup.text.simhash import to_hex, to_int

# Texts as for a scan, files of fingerprint lines, or names and fingerprints.
Sources: TypeAlias = Data

_DEFAULT, _PASSAGES = Criteria(), PassageCriteria()
# Part of the format of an index: other shingles would give other sketches.
_shingler = Shingler(Shingling(5))
# Of texts with a form of so many letters, which may be near a short one, the facts are stored.
_LONGEST = SHORT * 5 // 4
# The bytes of what an index stores of a text: a hash, its facts, its letters, and its sketch.
_HASH, _FACTS, _LETTERS = slice(0, TEXT_HASH), slice(8, 16), 16
_SUMMARY = 17 + SKETCH_BYTES
_SKETCH = slice(17, _SUMMARY)
# Documents that are loaded at a time while they are added.
_STEP = 1024


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

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self.built: Added | None = None

    @classmethod
    def build(
        cls,
        path: str,
        sources: Sources = (),
        recipe: Recipe | str = "default",
        *,
        method: str = _DEFAULT.method,
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
        method : str
            How candidates are found: ``simhash`` by fingerprints, ``minhash`` by bands of sketches,
            ``auto`` by both.
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
        if method not in INDEX_METHODS:
            raise invalid("method", method, "one of " + ", ".join(INDEX_METHODS))
        settings = Settings.of(recipe, Criteria(method=method), reading=reading, run=run)
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
        return cls(Opened(path))

    def close(self) -> None:
        """Close the file."""
        self._opened.file.close()

    def __enter__(self) -> Index:
        """Return the index itself; the end of the block closes it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self.close()

    @property
    def path(self) -> str:
        """The path of its file."""
        return self._opened.file.path

    @property
    def recipe(self) -> dict[str, Any]:
        """The resolved recipe with its digest; for fingerprint lines only digest and bits."""
        return self._opened.recipe.resolved

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self._opened.segments)

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
        result, opened = Added(), self._opened
        with opened.editing(Patience(timeout, waiting)) as edit:
            if fingerprints:
                progress = (run or RunOptions()).progress
                _fill(edit, [(line_documents_of(opened, sources), None)], progress)
            else:
                settings = Settings.of(reading=reading, run=run)
                contents = np.sort(opened.segments.column("content_key"))
                known = partial(_are_present, contents=contents)
                # The stage of reading counts them.
                for documents in _text_documents(opened, sources, settings, result, known, True):
                    edit.add(documents)
        result.unchanged += edit.given - edit.new
        result.added, result.replaced = edit.new - edit.replaced, edit.replaced
        return result

    def remove(
        self,
        names: Iterable[str],
        *,
        timeout: float = TIMEOUT,
        waiting: Callable[[str], None] = keep_silent,
    ) -> list[str]:
        """Remove documents by name, and return the names that were not found."""
        asked = [names] if isinstance(names, str) else list(names)
        with self._opened.editing(Patience(timeout, waiting)) as edit:
            present = edit.remove(name_keys(asked)).tolist()
        return [name for name, there in zip(asked, present, strict=True) if not there]

    def query(
        self,
        sources: Sources,
        distance: int = _DEFAULT.distance,
        similarity: float = _DEFAULT.similarity,
        *,
        verify: bool = True,
        method: str | None = None,
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
        method : str, optional
            That of the index, which is also the default; with another one, it has no keys.
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
        opened, using = self._opened, run or RunOptions()
        results = QueryResults(iter(()))
        criteria = Criteria(distance, similarity, verify, method=method or opened.recipe.method)
        opened.recipe.require_method(criteria.method)
        if fingerprints and criteria.method == "minhash":
            what = "fingerprint lines have no texts, which minhash compares"
            raise SimdupError("method", what, field="method")
        options = QueryOptions(criteria, exclude_self, limit, compress, using)
        if fingerprints:
            asked = line_documents_of(opened, sources)
            batches = adding_chunks(asked) if add else iter([asked])
        else:
            settings = Settings.of(reading=reading, run=_stream_options(sources, using))
            batches = _text_documents(opened, sources, settings, results, adding=add)
        if add:
            patience = Patience(timeout, waiting)
            found = (query_and_add(opened, batch, options, patience) for batch in batches)
        else:
            found = (query(opened, batch, options) for batch in batches)
        results.chunks = chain.from_iterable(found)
        return results

    def export(self, skipped: list[Skipped] | None = None) -> Iterator[tuple[str, int]]:
        """Yield the name and fingerprint of all documents, oldest first.

        Parameters
        ----------
        skipped : list, optional
            Where damaged segments are noted; the others follow.  Without it, a damaged segment
            raises a SimdupError.
        """
        for names, values in self._exported(skipped):
            yield from zip(names, map(to_int, values), strict=True)

    def export_lines(self, skipped: list[Skipped] | None = None) -> Iterator[bytes]:
        """Yield the header and the fingerprint lines of all documents, in chunks; see `export`."""
        bits = self._opened.recipe.bits
        if self.recipe["digest"]:
            yield format_header(self.recipe["digest"], bits)
        for names, values in self._exported(skipped):
            yield format_lines(to_hex(values, bits), names)

    def _exported(self, skipped: list[Skipped] | None) -> Iterator[tuple[list[str], U64]]:
        """Yield the names and fingerprints of each segment; see `export`."""
        file = self._opened.file
        with file.reading():
            for segment in self._opened.segments:
                try:
                    block = segment.names(), segment.column("fingerprint")
                except SimdupError as error:
                    if skipped is None:
                        raise
                    lost = f"{counted(len(segment), 'document')} lost ({error.what})"
                    what = f"segment {segment.number}: {lost}"
                    skipped.append(Skipped(file.path, what, error=True))
                else:
                    yield block

    def info(self) -> IndexInfo:
        """Return facts about the index; this takes the same time for any size."""
        return index_info(self._opened.file)

    def check(self) -> list[str]:
        """Check every part; return one sentence per fault, or an empty list if all is well.

        SQLite checks its pages, everything is compared with its checksum, and the recipe (including
        model and dictionary) with its digest.
        """
        opened, faults = self._opened, list[str]()
        with opened.file.reading():
            with _collect(faults):
                # One by one: what comes before an error counts.
                for fault in opened.file.faults():
                    faults.append(fault)
            with _collect(faults):
                _ = opened.recipe.complete and opened.recipe.fingerprinter
            with _collect(faults):
                opened.segments.removed()
            with _collect(faults):
                _ = "passages" in opened.file.head.blobs and read_common(opened.file)
            for segment in opened.segments:
                with _collect(faults):
                    segment.documents()
        return list(dict.fromkeys(faults))

    def require_recipe(self, words: str | None, changes: dict[str, Any]) -> None:
        """Raise if the requested recipe differs from the index's."""
        self._opened.recipe.require(words, changes)


def _stream_options(sources: Sources, run: RunOptions) -> RunOptions:
    """Return the run options for a query that may have to answer line by line."""
    named = [sources] if isinstance(sources, str) else sources
    if run.jobs is None and isinstance(named, list | tuple) and STDIN in named:
        # Workers receive documents in advance, so a slow writer would wait for its answers.
        return replace(run, jobs=1)
    return run


@contextmanager
def _collect(faults: list[str]) -> Iterator[None]:
    """Record an error as a fault and continue."""
    try:
        yield
    except SimdupError as error:
        faults.append(error.what)


# -- documents of texts and of fingerprint lines ---------------------------------------------------


def summaries(batch: Prepared) -> Mapping[str, Mapping[str, Any]]:
    """Make what an index stores of texts: a hash, its facts if it is short, and a sketch."""
    forms = forms_of([text for _, text in batch.documents], _LONGEST)
    made = np.zeros((len(batch.documents), _SUMMARY), np.uint8)
    made[forms.rows, _FACTS] = forms.keys.astype("<u8").view(np.uint8).reshape(-1, 8)
    made[forms.rows, _LETTERS] = forms.lengths
    for row, (document, text) in enumerate(batch.documents):
        made[row, _HASH] = np.frombuffer(text_hash(document.text), np.uint8)
        made[row, _SKETCH] = bbit_sketch(_shingler.shingles(text.compact))
    return {DOCUMENTS: {"summary": made}}


def _are_present(documents: Sequence[Document], contents: U64) -> Bools:
    """Return which documents an index has, given the hashes of its contents, ascending."""
    keys = name_keys(document.name for document in documents)
    texts = to_numbers(b"".join(text_hash(document.text) for document in documents))
    return contains(contents, content_hashes(keys, texts[:, None]))


def indexed(collection: Collection, found: Fingerprints) -> Documents:
    """Return what an index keeps of fingerprinted documents, except those without words."""
    chosen = np.flatnonzero(found.terms)
    summary = collection["summary"][chosen]
    names = list(map(str, collection["name"][chosen]))
    keys, texts = name_keys(names), to_numbers(summary[:, _HASH].tobytes())
    kept = PASSAGE_COLUMNS if "packed" in collection.documents else ()
    return Documents(
        {
            "name": objects(names),
            **{name: collection[name][chosen] for name in kept if name in collection.documents},
            **{name: column[chosen] for name, column in found.columns.items()},
            "name_key": keys,
            "content_key": content_hashes(keys, texts[:, None]),
            "compact_key": to_numbers(collection["digest"][chosen].tobytes())[::2],
            "length": collection["length"][chosen],
            "facts": to_numbers(summary[:, _FACTS].tobytes()),
            "letters": summary[:, _LETTERS].astype(np.int64),
            "sketch": summary[:, _SKETCH],
        }
    )


def read_fingerprints(sources: Sources, bits: int, digest: str) -> FingerprintLines:
    """Read fingerprint lines from files, or convert pairs of names and fingerprints."""
    given: list[Any] = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    if not given:
        return FingerprintLines([], np.zeros((0, -(-bits // 64)), np.uint64), bits, digest)
    if isinstance(given[0], str | os.PathLike):
        return read_lines([os.fspath(one) for one in given])
    size = -(-bits // 64) * 8
    try:
        content = b"".join(value.to_bytes(size, "big") for _, value in given)
        if any(value >> bits for _, value in given):
            raise OverflowError
    except OverflowError:
        what = f"fingerprints must be numbers of {bits} bits"
        raise SimdupError("fingerprints", what, field="fingerprints") from None
    values = np.frombuffer(content, ">u8").astype(np.uint64).reshape(len(given), -1)
    return FingerprintLines([name for name, _ in given], values, bits, digest)


def line_documents_of(opened: Opened, sources: Sources) -> Documents:
    """Return the documents of fingerprint lines, which must have the recipe of the index."""
    bits, digest = opened.recipe.bits, opened.recipe.resolved["digest"]
    lines = read_fingerprints(sources, bits, digest)
    if len(lines.names) and (lines.bits, lines.recipe) != (bits, digest):
        theirs = f"{lines.bits} bits, recipe {lines.recipe or 'unknown'}"
        header = format_header(digest, bits).decode().rstrip()
        raise SimdupError(
            opened.file.path,
            f"the lines have {theirs}; the index has {bits} bits, recipe {digest or 'unknown'}",
            f"lines with its recipe begin with: {header}" if digest else "",
        )
    return line_documents(lines.names, lines.values)


def _text_documents(
    opened: Opened,
    sources: Sources,
    settings: Settings,
    result: Added | QueryResults,
    known: Known | None = None,
    adding: bool = False,
) -> Iterator[Documents]:
    """Yield documents, batch by batch, except those that are known; perhaps to be added."""
    makers = [summaries, *(passage_makers(opened.file) if adding else ())]
    asked = replace(open_input(sources, settings), fingerprinter=opened.recipe.fingerprinter)
    report, known_before = asked.report, 0
    result.skipped, result.notes = report.skipped, report.notes
    for documents, found in ingest_fingerprinted(asked, makers, known)[1]:
        if isinstance(result, Added):
            result.unchanged += report.unchanged - known_before
            known_before = report.unchanged
        if len(documents):
            yield load_passages(indexed(documents, found), documents.spool)


# -- making an index -------------------------------------------------------------------------------


def build(
    path: str, sources: Sources, settings: Settings, fingerprints: bool, min_run: int | None
) -> Added:
    """Create an index of documents with their recipe, or of fingerprints.

    `min_run` is that of the passages that it should find, if it should find any.
    """
    if min_run is not None and fingerprints:
        raise SimdupError("passages", "fingerprint lines have no texts", field="passages")
    if min_run is not None and settings.recipe.strip:
        what = "`strip` changes texts: passages would not be where their files have them"
        raise SimdupError("passages", what, "leave one of them out", "passages")
    with create_file(path) as file:
        if min_run is not None:
            begin_passages(file, PassageCriteria(min_run=min_run).min_run)
        add = _add_lines if fingerprints else _add_texts
        return add(file, sources, settings)


def _add_texts(file: IndexFile, sources: Sources, settings: Settings) -> Added:
    opened = open_input(sources, settings)
    makers = [summaries, *passage_makers(file)]
    fingerprinter, collections = ingest_fingerprinted(opened, makers)
    store_recipe(file, fingerprinter, settings.criteria.method)
    parts = ((indexed(read, found), read.spool) for read, found in collections)
    # Documents that are added while they are read are counted by the stage of reading.
    progress = settings.run.progress if settings.recipe.may_need_corpus else no_progress
    added = _made(file, settings.recipe.words, parts, progress)
    added.skipped, added.notes = opened.report.skipped, opened.report.notes
    # A mistyped name should not leave an empty index, to which more is then added.
    if not added.added and (faulty := [one for one in added.skipped if one.error]):
        raise SimdupError(str(faulty[0].document), faulty[0].fault)
    return added


def _add_lines(file: IndexFile, sources: Sources, settings: Settings) -> Added:
    """Add fingerprints; their recipe is the given one if the digests agree."""
    recipe = settings.recipe
    own = recipe if recipe.idf != "auto" or not recipe.uses_idf else replace(recipe, idf="builtin")
    fingerprinter, digest = None, ""
    if own.idf != "corpus":
        fingerprinter = Fingerprinter.alone(Analyzer.for_recipe(own))
        digest = fingerprinter.digest
    lines = read_fingerprints(sources, recipe.bits, digest)
    if fingerprinter is not None and (lines.recipe, lines.bits) == (digest, own.bits):
        store_recipe(file, fingerprinter, settings.criteria.method)
    elif recipe != Recipe():
        raise SimdupError(
            file.path,
            f"the lines have recipe {lines.recipe or 'unknown'}, but these options give "
            f"{digest or 'a recipe that depends on the texts'}",
            "remove the recipe options, or use those that the lines were made with",
        )
    else:
        resolved = {"digest": lines.recipe, "bits": lines.bits}
        write_recipe(file, settings.criteria.method, resolved)
    parts = [(line_documents(lines.names, lines.values), None)]
    return _made(file, -(-lines.bits // 64), parts, settings.run.progress)


# Documents, and the spool of the texts that are kept.
_Parts: TypeAlias = Iterable[tuple[Documents, SpoolReader | None]]


def _fill(edit: Edit, parts: _Parts, progress: Progress) -> None:
    """Add documents, some at a time, because texts are in memory then."""
    for documents, spool in parts:
        progress("adding", 0, len(documents))
        for first in range(0, len(documents), _STEP):
            last = min(first + _STEP, len(documents))
            edit.add(load_passages(documents.take(np.arange(first, last)), spool))
            progress("adding", last, len(documents))


def _made(
    file: IndexFile,
    words: int,
    parts: _Parts,
    progress: Progress,
    removed: RemovedTexts = NO_REMOVED,
) -> Added:
    """Add documents to a new index, and return how many there are."""
    with edited(Segments(file, words), removed) as edit:
        _fill(edit, parts, progress)
    return Added(edit.new - edit.replaced)


def remember(
    path: str,
    columns: Documents,
    removed: RemovedTexts,
    fingerprinter: Fingerprinter,
    method: str,
    waiting: Callable[[str], None],
    progress: Progress,
) -> Added:
    """Add documents to an index, which is created if it does not exist: all of them, or none.

    `removed` are texts that were removed because of these documents, or of those that it has.

    Raises
    ------
    SimdupError
        If it cannot be written, another writer does not finish in time, or it has another recipe
        by now.
    """
    if not os.path.lexists(path):
        with create_file(path) as file:
            store_recipe(file, fingerprinter, method)
            words = fingerprinter.recipe.words
            return _made(file, words, [(columns, None)], progress, removed)
    with Index.open(path) as index:
        if index.recipe["digest"] != fingerprinter.digest:
            raise SimdupError(path, "was replaced during the run by one with another recipe")
        with index._opened.editing(Patience(waiting=waiting), removed) as edit:
            _fill(edit, [(columns, None)], progress)
        return Added(edit.new - edit.replaced, edit.replaced, len(columns) - edit.new)
