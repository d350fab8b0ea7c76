"""Scan sources for clusters of verified near-duplicates."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from simdup.base.errors import check_type
from simdup.corpus.files import split_indexes
from simdup.corpus.rows import Paths, as_paths
from simdup.corpus.spool import SpoolReader, spool_folder
from simdup.model.clusters import Summary
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.documents import InputDocuments
from simdup.model.measures import MeasuredPairs
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.model.table import Documents
from simdup.near import methods, orders, rules
from simdup.near.collection import Collection, ingest_all
from simdup.near.counting import columns_for
from simdup.near.crew import Crew, Work
from simdup.near.features import load
from simdup.near.field_groups import deciding_columns
from simdup.near.findings import Origins
from simdup.near.inputs import Data, Input, open_input
from simdup.near.join import join
from simdup.near.rows import Rows, Scanned
from simdup.near.steps import after
from simdup.near.texts import Texts
from simdup.show.result import Result
from simdup.text.fingerprinter import Fingerprinter

if TYPE_CHECKING:
    from simdup.index.references import IndexMatches, IndexReferences


def scan(
    data: Data,
    recipe: Recipe | str = "default",
    criteria: Criteria | None = None,
    *,
    references: Paths = (),
    reading: Reading | None = None,
    run: RunOptions | None = None,
    jobs: int | None = None,
    text: str | tuple[str, ...] | None = None,
    id: str | None = None,  # noqa: A002
    facts: bool = False,
    similarities: bool = False,
    **fields: Unpack[CriteriaFields],
) -> Result:
    """Find near-duplicates among documents.

    What near pairs connect is a cluster.  In the order of keeping, a document that no other one
    took is kept, and takes every later one that is near it and free.  What is taken is redundant.

    Parameters
    ----------
    data
        A path or paths (`str` or `os.PathLike`), an iterable of (id, text), a mapping from id to
        text, an iterable of mappings with fields, or a pandas, Polars or Arrow table or a Hugging
        Face dataset.  Ids are any hashable values; results have them unchanged.
    recipe : Recipe or str
        How documents are fingerprinted; in words, a name with or without fields, such as
        ``default,bits=128``, or the path of a TOML file.
    criteria : Criteria, optional
        When two documents are near-duplicates, and which of them is kept.
    references : path or iterable of path
        Files and folders whose documents are never redundant, and indexes.  With an index the
        recipe is the index's; another `recipe` is an error.  Documents match one of an index by
        distance, and by similarity as sketches estimate it: see `Index.query`.
    reading : Reading, optional
        Encoding, patterns and formats of files.
    run : RunOptions, optional
        What the run may use.
    jobs : int, optional
        Number of processes, instead of that in `run`; by default one per core.  The result does
        not depend on it.  On macOS and Windows, which do not fork processes, a script that uses
        several needs the usual ``if __name__ == "__main__"``.
    text, id : str, optional
        The fields or columns of the texts and the ids, instead of those in `reading`; by default
        ``text`` and, if there is one, ``id``.  Without it the index of a pandas table has the ids;
        of anything else they are positions, from 0.
    facts : bool
        Whether to find in which facts redundant documents differ from the kept ones:
        `Result.facts`, and a figure in the summary.  It costs 1 us a character of these.
    similarities : bool
        Whether to say how similar candidates are, those that are no pairs too:
        `Summary.similarities`.  It measures up to 2,000 of them.
    **fields
        Fields of `Criteria`, such as ``distance=6``; they override those of `criteria`.

    Returns
    -------
    Result
        ``clusters``, ``pairs``, ``skipped``, ``notes`` and ``summary``.

    Raises
    ------
    SimdupError
        If an argument is invalid, none of the paths exists, a column is missing, or a model or
        dictionary cannot be read.  Documents that cannot be read, and rows without a text, do not
        raise; they are listed in ``skipped``.
    TypeError
        If the data is of another kind, or an id is not hashable.

    Examples
    --------
    >>> text = "The quick brown fox jumps over the lazy dog near the old river bank."
    >>> found = scan([("a", text), ("b", text.upper()), ("c", "Nothing like the others.")])
    >>> [member.name for member in found.clusters[0].members]
    ['a', 'b']
    """
    settings = Settings.of(
        recipe, criteria, reading=reading, run=run, jobs=jobs, text=text, id=id, **fields,
    )  # fmt: skip
    steps = {"facts": facts, "similarities": similarities}
    for name, value in steps.items():
        check_type(name, value, (bool, "True or False"))
    names = [name for name, value in steps.items() if value]
    return examine(open_scan(data, settings, references), names).result


def open_scan(data: Data, settings: Settings, references: Paths = ()) -> Input:
    """List what is to be read; see `scan`."""
    indexes, others = split_indexes(as_paths(references, "references"))
    return replace(open_input(data, settings, others), indexes=indexes, required=others)


class Examined(NamedTuple):
    """The result of a scan, and what is known about all documents."""

    result: Result
    corpus: Collection
    matches: IndexMatches | None  # what indexes hold near them; None without an index


def examine(opened: Input, asked: Sequence[str] = ()) -> Examined:
    """Find the near-duplicates in opened sources, and what is `asked`: see `Scanned`."""
    opened.settings.check_distance()
    started = time.monotonic()
    with _indexes(opened) as indexes, ExitStack() as stack:
        opened, figures = (indexes.prepare(opened), indexes.figures) if indexes else (opened, {})
        folder = stack.enter_context(spool_folder())
        with _read(opened, indexes, folder) as (rows, matches):
            joined = join(rows.candidates(), rows.held)
            scanned = Scanned(rows, joined, rows.clusters(joined), asked)
            result = _result(opened, scanned, after(scanned) | figures, started)
        result.origins.spool.keep(stack.pop_all())
    return Examined(result, rows.corpus, matches)


def _indexes(opened: Input) -> AbstractContextManager[IndexReferences | None]:
    """Open the indexes that documents are compared with; None without any."""
    if not opened.indexes and opened.seen is None:
        return nullcontext()
    references = load("simdup.index", "references")
    indexes: AbstractContextManager[IndexReferences] = references.open_indexes(
        opened.indexes, opened.seen
    )
    return indexes


@contextmanager
def _read(
    opened: Input, indexes: IndexReferences | None, folder: str
) -> Iterator[tuple[Rows, IndexMatches | None]]:
    """Read all documents, and find what indexes hold near them; processes end with the block.

    Texts are in `folder`.
    """
    settings, criteria = opened.settings, opened.settings.criteria
    makers = columns_for(criteria, settings.reading.titled) + (indexes.makers if indexes else [])
    with closing(SpoolReader(folder)) as spool:
        corpus = ingest_all(opened, makers, spool)
        learned = opened.fingerprinter or Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
        weighting = learned.weigh(corpus.counts)
        texts = Texts(corpus.of_texts, corpus.analyzer, criteria.shingle, spool.read)
        with Crew(Work(weighting, texts, criteria), settings.run) as crew:
            columns = deciding_columns(corpus, crew.fingerprints(), opened.references, criteria)
            documents, each = texts.documents.and_columns(**columns), np.arange(len(corpus))
            rows = Rows(
                settings, corpus, texts, learned, weighting, documents, each,
                MeasuredPairs.none(), crew.measure,
            )  # fmt: skip
            matches = indexes.match(corpus, documents, settings) if indexes else None
            yield matches.beside(rows) if matches else rows, matches


def _result(
    opened: Input,
    scanned: Scanned,
    said: dict[str, Any],
    started: float,
) -> Result:
    """Return what was found, and what steps say of it."""
    rows, joined, clusters, _ = scanned
    corpus, criteria, report = rows.corpus, scanned.criteria, rows.corpus.report
    names, taking_part = rows.documents["name"].tolist(), np.flatnonzero(~corpus.skipped)
    report.notes += orders.notes(corpus.documents.take(taking_part), criteria)
    report.notes += [*rules.notes(criteria, names), *methods.notes(criteria), *rows.notes]
    fields = {name: said.pop(name) for name in said.keys() - Summary.__dataclass_fields__.keys()}
    summary = Summary.of(
        clusters,
        documents=len(taking_part),
        skipped=len(report.skipped),
        seconds=time.monotonic() - started,
        recipe=rows.fingerprinter.fields,
        all_pairs=criteria.all_pairs,
        **joined.figures | said,
    )
    # Documents of indexes come first, and are no input.
    named = slice(len(names) - len(corpus), None)
    references = int(rows.documents["reference"][named].sum())
    skips = tuple(np.flatnonzero(corpus.skipped).tolist())
    inputs = InputDocuments(names[named], references, skips)
    rows.settings.run.progress("clustering", len(clusters), len(clusters))
    about = tuple(report.skipped), tuple(report.notes)
    return Result(
        clusters, *about, summary, inputs=inputs, sources=_origins(opened, rows), **fields
    )


def _origins(opened: Input, rows: Rows) -> Origins:
    """Return what was read, for as long as the result lives."""
    corpus, settings = rows.corpus, opened.settings
    columns = {name: corpus[name] for name in ("name", "path", "record", "digest", "original")}
    # Files that are one document each have their own sizes, other texts those of UTF-8.
    sizes = columns["size"] = corpus["size"].copy()
    whole = {file.path: file.size for file in opened.files if not file.compression}
    for row in np.flatnonzero((columns["record"] == 0) & ~corpus.skipped).tolist():
        sizes[row] = whole.get(columns["path"][row], sizes[row])
    return Origins(
        Documents(columns), opened.files, SpoolReader(corpus.spool.folder), settings.reading,
        settings.criteria, corpus.analyzer, rows.fingerprinter,
    )  # fmt: skip
