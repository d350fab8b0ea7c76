"""What an index gets: documents to add, or to ask about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simdup.corpus.files import STDIN
from simdup.corpus.fingerprint_lines import format_header
from simdup.errors import SimdupError, invalid
from simdup.index.ingest import Sources, indexed, read_documents, read_fingerprints
from simdup.index.keyset import KeySet
from simdup.index.sections import line_documents
from simdup.index.session import Session
from simdup.ingest.sources import open_input
from simdup.model.criteria import INDEX_METHODS, Criteria
from simdup.model.matches import Added, QueryResults
from simdup.model.settings import RunOptions, Settings
from simdup.model.table import Documents


def stream_options(sources: Sources, run: RunOptions) -> RunOptions:
    """Return the run options for a query that may have to answer line by line."""
    named = [sources] if isinstance(sources, str) else sources
    if run.jobs is None and isinstance(named, list | tuple) and STDIN in named:
        # Workers receive documents in advance, so a slow writer would wait for its answers.
        return replace(run, jobs=1)
    return run


def text_documents(
    session: Session,
    sources: Sources,
    settings: Settings,
    result: Added | QueryResults,
    known: KeySet | None = None,
) -> Iterator[Documents]:
    """Yield documents, batch by batch, except those already in the index."""
    fingerprinter = session.recipe.fingerprinter
    opened = open_input(sources, settings)
    report, known_before = opened.report, 0
    result.skipped, result.notes = report.skipped, report.notes
    for documents in read_documents(opened, fingerprinter, known):
        found = documents.fingerprints(fingerprinter)
        if isinstance(result, Added):
            result.unchanged += report.unchanged - known_before
            known_before = report.unchanged
        if len(documents):
            yield indexed(documents, found)


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


def require_method(criteria: Criteria, fingerprints: bool = False) -> None:
    """Raise if an index, or fingerprint lines, cannot be searched by the method."""
    if criteria.method not in INDEX_METHODS:
        raise invalid("method", criteria.method, "one of " + ", ".join(INDEX_METHODS))
    if fingerprints and criteria.method == "minhash":
        raise SimdupError(
            "method", "fingerprint lines have no texts, which minhash compares", field="method"
        )
