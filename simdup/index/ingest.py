"""What an index gets: documents to add or to ask about, from texts or fingerprint lines.

With them it is created, by `build`, or by `remember` if it is to know what `dedupe` keeps.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from simdup.base.errors import SimdupError
from simdup.corpus.fingerprint_lines import FingerprintLines, format_header, read_lines
from simdup.index.matching import Added, QueryResults
from simdup.index.opening import create_storage, open_storage
from simdup.index.passage_index import begin_passages, load_passages, passage_makers, seal
from simdup.index.sections import (
    NO_REMOVED,
    PASSAGE_COLUMNS,
    TEXT_HASH,
    RemovedTexts,
    content_hashes,
    line_documents,
    name_keys,
    text_hash,
    to_numbers,
)
from simdup.index.session import (
    TIMEOUT,
    Patience,
    Session,
    keep_silent,
    record_creation,
    store_digest,
    store_recipe,
)
from simdup.index.storage import Storage
from simdup.index.store import KeySet, Load, Store, Writer, as_they_are
from simdup.model.criteria import Shingling
from simdup.model.documents import Document
from simdup.model.recipe import Recipe
from simdup.model.settings import Progress, Settings, no_progress
from simdup.model.shared_passages import PassageCriteria
from simdup.model.table import Documents, objects
from simdup.near.batch_reader import DOCUMENTS, Known
from simdup.near.collection import Collection, ingest_fingerprinted
from simdup.near.counting import Prepared
from simdup.near.inputs import Data, open_input
from simdup.search.arrays import Bools
from simdup.text.analyzer import Analyzer
from simdup.text.families import SKETCH_BYTES, bbit_sketch
from simdup.text.fingerprinter import Fingerprinter, Fingerprints
from simdup.text.shingles import Shingler

# Texts as for a scan, files of fingerprint lines, or names and fingerprints.
Sources: TypeAlias = Data

# Part of the format of an index: other shingles would give other sketches.
_shingler = Shingler(Shingling(5))


def summaries(batch: Prepared) -> Mapping[str, Mapping[str, Any]]:
    """Make what an index stores of texts: a hash of the text, and a sketch of its shingles."""
    each = (
        text_hash(document.text) + bbit_sketch(_shingler.shingles(text.compact)).tobytes()
        for document, text in batch.documents
    )
    found = np.frombuffer(b"".join(each), np.uint8)
    return {DOCUMENTS: {"summary": found.reshape(len(batch.documents), TEXT_HASH + SKETCH_BYTES)}}


def are_present(documents: Sequence[Document], contents: KeySet) -> Bools:
    """Return which documents an index has, given the hashes of its contents."""
    keys = name_keys(document.name for document in documents)
    texts = to_numbers(b"".join(text_hash(document.text) for document in documents))
    return contents.contain(content_hashes(keys, texts[:, None]))


def indexed(collection: Collection, found: Fingerprints) -> Documents:
    """Return what an index keeps of fingerprinted documents, except those without words."""
    chosen = np.flatnonzero(found.terms)
    summaries = collection["summary"][chosen]
    names = list(map(str, collection["name"][chosen]))
    keys = name_keys(names)
    texts = to_numbers(summaries[:, :TEXT_HASH].tobytes())
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
            "sketch": summaries[:, TEXT_HASH:],
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


def line_documents_of(session: Session, sources: Sources) -> Documents:
    """Return the documents of fingerprint lines, which must have the recipe of the index."""
    bits, digest = session.recipe.bits, session.recipe.resolved["digest"]
    lines = read_fingerprints(sources, bits, digest)
    if len(lines.names) and (lines.bits, lines.recipe) != (bits, digest):
        theirs = f"{lines.bits} bits, recipe {lines.recipe or 'unknown'}"
        header = format_header(digest, bits).decode().rstrip()
        raise SimdupError(
            session.storage.path,
            f"the lines have {theirs}; the index has {bits} bits, recipe {digest or 'unknown'}",
            f"lines with its recipe begin with: {header}" if digest else "",
        )
    return line_documents(lines.names, lines.values)


def text_documents(
    session: Session,
    sources: Sources,
    settings: Settings,
    result: Added | QueryResults,
    known: Known | None = None,
    adding: bool = False,
) -> Iterator[Documents]:
    """Yield documents, batch by batch, except those that are known; perhaps to be added."""
    makers = [summaries, *(passage_makers(session.storage) if adding else ())]
    opened = replace(open_input(sources, settings), fingerprinter=session.recipe.fingerprinter)
    report, known_before = opened.report, 0
    result.skipped, result.notes = report.skipped, report.notes
    for documents, found in ingest_fingerprinted(opened, makers, known)[1]:
        if isinstance(result, Added):
            result.unchanged += report.unchanged - known_before
            known_before = report.unchanged
        if len(documents):
            yield load_passages(indexed(documents, found), documents.spool)


def build(
    path: str, sources: Sources, settings: Settings, fingerprints: bool, min_run: int | None
) -> Added:
    """Create an index of documents with their recipe, or of fingerprints.

    `min_run` is that of the passages that it should find, if it should find any.
    """
    _check_passages(settings.recipe, fingerprints, min_run)
    with create_storage(path) as storage:
        if min_run is not None:
            begin_passages(storage, PassageCriteria(min_run=min_run).min_run)
        add = _add_lines if fingerprints else _add_texts
        added = add(storage, sources, settings)
        record_creation(storage)
    return added


def _check_passages(recipe: Recipe, fingerprints: bool, min_run: int | None) -> None:
    """Raise if passages cannot be found in what an index is built from."""
    if min_run is None:
        return
    if fingerprints:
        raise SimdupError("passages", "fingerprint lines have no texts", field="passages")
    if recipe.strip:
        what = "`strip` changes texts: passages would not be where their files have them"
        raise SimdupError("passages", what, "leave one of them out", "passages")


def _add_texts(storage: Storage, sources: Sources, settings: Settings) -> Added:
    opened = open_input(sources, settings)
    makers = [summaries, *passage_makers(storage)]
    fingerprinter, collections = ingest_fingerprinted(opened, makers)
    store_recipe(storage, fingerprinter)
    # Documents that are added while they are read are counted by the stage of reading.
    progress = settings.run.progress if settings.recipe.may_need_corpus else no_progress
    parts = (
        (indexed(collection, found), partial(load_passages, spool=collection.spool))
        for collection, found in collections
    )
    added = _fill(storage, settings.recipe.words, parts, progress)
    skipped = opened.report.skipped
    # A mistyped name should not leave an empty index, to which more is then added.
    if not added and (faulty := [one for one in skipped if one.error]):
        raise SimdupError(str(faulty[0].document), faulty[0].fault)
    return Added(added, skipped=skipped, notes=opened.report.notes)


def _add_lines(storage: Storage, sources: Sources, settings: Settings) -> Added:
    """Add fingerprints; their recipe is the given one if the digests agree."""
    recipe = settings.recipe
    own = recipe if recipe.idf != "auto" or not recipe.uses_idf else replace(recipe, idf="builtin")
    fingerprinter, digest = None, ""
    if own.idf != "corpus":
        fingerprinter = Fingerprinter.alone(Analyzer.for_recipe(own))
        digest = fingerprinter.digest
    lines = read_fingerprints(sources, recipe.bits, digest)
    if fingerprinter is not None and (lines.recipe, lines.bits) == (digest, own.bits):
        store_recipe(storage, fingerprinter)
    elif recipe != Recipe():
        raise SimdupError(
            storage.path,
            f"the lines have recipe {lines.recipe or 'unknown'}, but these options give "
            f"{digest or 'a recipe that depends on the texts'}",
            "remove the recipe options, or use those that the lines were made with",
        )
    else:
        store_digest(storage, lines.recipe, lines.bits)
    columns = line_documents(lines.names, lines.values)
    parts = [(columns, as_they_are)]
    return Added(_fill(storage, -(-lines.bits // 64), parts, settings.run.progress))


def _fill(
    storage: Storage,
    words: int,
    parts: Iterable[tuple[Documents, Load]],
    progress: Progress,
    removed: RemovedTexts = NO_REMOVED,
) -> int:
    """Add documents, which come in parts, to a new index, and return how many there are."""
    store = Store(storage, words)
    writer = Writer(store)
    added = sum(writer.add_all(part, progress, load)[0] for part, load in parts)
    writer.flush()
    if len(removed):
        writer.put_removed(removed)
    seal(store)
    return added


def remember(
    path: str,
    columns: Documents,
    removed: RemovedTexts,
    fingerprinter: Fingerprinter,
    waiting: Callable[[str], None] = keep_silent,
    progress: Progress = no_progress,
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
        with create_storage(path) as storage:
            store_recipe(storage, fingerprinter)
            words = fingerprinter.recipe.words
            added = Added(_fill(storage, words, [(columns, as_they_are)], progress, removed))
            record_creation(storage)
        return added
    storage = open_storage(path)
    try:
        session = Session(storage)
        if session.recipe.resolved["digest"] != fingerprinter.digest:
            raise SimdupError(path, "was replaced during the run by one with another recipe")
        with session.editing(Patience(TIMEOUT, waiting)) as edit:
            new, replaced = edit().add_all(columns, progress)
            edit().flush()
            edit().put_removed(removed)
            session.touch()
        return Added(new - replaced, replaced, len(columns) - new)
    finally:
        storage.close()
