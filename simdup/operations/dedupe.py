"""Leave out redundant documents: rows of data, or documents of files."""

from __future__ import annotations

import os
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.corpus.rows import Paths, as_optional_path, as_paths, keep_rows, recognise, select
from simdup.index.opening import split_indexes
from simdup.model.cleaned import Cleaned, DedupeOptions
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.near.sources import Data, open_input, require_existing
from simdup.operations.losses import find_losses, reserved, with_groups, with_indexes
from simdup.operations.rewrite import rewrite, with_linkage


def dedupe(
    data: Data,
    recipe: Recipe | str = "default",
    criteria: Criteria | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    references: Paths = (),
    link: str = "copy",
    force: bool = False,
    by: str | None = None,
    max_removed: float | None = None,
    annotate: bool = False,
    index: str | os.PathLike[str] | None = None,
    add: bool = False,
    reading: Reading | None = None,
    run: RunOptions | None = None,
    jobs: int | None = None,
    text: str | tuple[str, ...] | None = None,
    id: str | None = None,  # noqa: A002
    title: str | None = None,
    **fields: Unpack[CriteriaFields],
) -> Cleaned:
    """Return data without its redundant documents, or write files without them.

    Only documents that meet the criteria with a document that stays are redundant: the default
    linkage is ``star``.  What was skipped stays.

    Parameters
    ----------
    data, recipe, criteria, reading, run, jobs, text, id, title, **fields
        As in `scan`.
    output : path, optional
        Where to write files without their redundant documents: one file of records becomes a file,
        everything else a folder.  Data that is not in files cannot be written.
    references : path or iterable of path
        Files, folders and indexes whose documents are never redundant, and not part of the result.
    link : str
        How unchanged files come into a folder: ``copy``, ``hard`` or ``symbolic``.
    force : bool
        Whether files of the folder may be replaced.  Like `link` it matters with `output` only.
    by : str, optional
        A field or column, or ``folder``: `Cleaned.parts` tells what each of its values lost.
    max_removed : float, optional
        The largest share of documents that all of them, each of several paths, and each group of
        `by` may lose; if one would lose more, it is an error, and nothing is written.

    annotate : bool
        Whether files of records are written with all records, and each with fields that tell what
        was found of it: ``cluster``, ``role``, ``kept``, ``similarity`` and ``measure``.

    index : path, optional
        An index of documents that were seen before: what is near one of them is redundant, by an
        estimate.  One of the same name is an earlier version, and does not count.
    add : bool
        Whether documents that stay are added to the index, which is created if it does not exist.
        What was removed because of one is removed again when the same text comes again.

    Returns
    -------
    Cleaned
        ``data``: what stays, of the same kind as was given (a list for an iterator); of paths the
        names of the documents that stay.  ``removed``: what does not, and why.  ``result``: what
        `scan` returns with this linkage.

    Raises
    ------
    SimdupError
        If an argument is invalid, `output` must not or cannot be written, a reference gives no
        document, or more would be removed than `max_removed`.

    Examples
    --------
    >>> text = "The quick brown fox jumps over the lazy dog near the old river bank."
    >>> cleaned = dedupe([("a", text), ("b", text.upper()), ("c", "Nothing like the others.")])
    >>> [name for name, _ in cleaned.data], [one.document for one in cleaned.removed]
    (['a', 'c'], ['b'])
    """
    settings = with_linkage(Settings.of(
        recipe, criteria, reading=reading, run=run, jobs=jobs, text=text, id=id, title=title,
        **fields,
    ))  # fmt: skip
    rows, named = keep_rows(data), as_paths(references, "references")
    target = as_optional_path(output, "output")
    options = DedupeOptions(
        target, named, link, force, by=by, max_removed=max_removed, annotate=annotate,
        index=as_optional_path(index, "index"), add=add,
    )  # fmt: skip
    paths = recognise(rows, settings.reading)
    if isinstance(paths, list) and paths:
        require_existing(paths)
        cleaned = rewrite(paths, options, settings)
        return cleaned._replace(data=select(cleaned.result.documents, _staying(cleaned)))
    return _dedupe_rows(rows, options, settings)


def _dedupe_rows(rows: Any, options: DedupeOptions, settings: Settings) -> Cleaned:
    """Return rows that were passed from Python without the redundant ones."""
    if options.target is not None:
        what = "data that is not in files cannot be written"
        raise SimdupError("output", what, "take the data that `dedupe` returns", "output")
    if options.annotate:
        what = "data that is not in files cannot be annotated"
        raise SimdupError("annotate", what, "join it with the table of the result", "annotate")
    indexes, others = split_indexes(options.references)
    opened = open_input(rows, with_groups(settings, options.by), others)
    with reserved(options):
        losses = find_losses(with_indexes(opened, indexes, options), options).checked(options)
        cleaned = losses.cleaned()._replace(added=losses.remember(options))
    if len(rows) != len(cleaned.result.inputs):
        raise RuntimeError(f"{len(rows)} rows gave {len(cleaned.result.inputs)} documents")
    return cleaned._replace(data=select(rows, _staying(cleaned)))


def _staying(cleaned: Cleaned) -> NDArray[np.int64]:
    """Return the positions of the documents that were not removed."""
    stays = np.ones(len(cleaned.result.inputs), np.bool_)
    if not cleaned.annotated:
        stays[cleaned.positions] = False
    return np.flatnonzero(stays)
