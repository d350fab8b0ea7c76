"""Leave out redundant documents: rows of data, or documents of files, which are written again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Container, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from simdup.base.atomic import reserve
from simdup.base.errors import SimdupError
from simdup.corpus.files import STDIN, File, split_indexes
from simdup.corpus.rewriting import (
    UNREAD,
    Annotations,
    CleanedFolder,
    Note,
    annotations_of,
    check_unchanged,
    fill,
    list_missing,
    list_others,
    open_folder,
    records_by_file,
    require_records,
)
from simdup.corpus.rows import Paths, as_optional_path, as_paths, keep_rows, recognise, select
from simdup.corpus.sources import list_files
from simdup.corpus.spool import spool_folder
from simdup.index.ingest import remember
from simdup.index.matching import Added
from simdup.index.references import IndexMatches
from simdup.model.cleaned import DedupeOptions, PartCriteria, Removed, RemovedDocument
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.documents import Skipped
from simdup.model.fields import parse_fields
from simdup.model.formats import rounded
from simdup.model.frames import measure_of
from simdup.model.recipe import Recipe
from simdup.model.settings import Progress, Reading, RunOptions, Settings
from simdup.near.field_groups import Groups, group_by
from simdup.near.inputs import (
    Data,
    Input,
    check_references,
    open_files,
    open_input,
    require_existing,
    with_fields,
)
from simdup.operations.scan import examine
from simdup.show.cleaned_corpus import (
    folder_sizes,
    not_copied,
    on_disk,
    open_single,
    rereadable,
    root_of,
)
from simdup.show.removed import Cleaned, account, by_source
from simdup.show.removed_parts import Shortened
from simdup.show.result import Result
from simdup.show.targets import check_name, check_places, places, single_file


@overload
def dedupe(
    data: Data, *, unit: str, copies: int = 1, min_length: int = 20,
    output: str | os.PathLike[str] | None = None, force: bool = False, by: str | None = None,
    reading: Reading | None = None, run: RunOptions | None = None, jobs: int | None = None,
    text: str | tuple[str, ...] | None = None, id: str | None = None,
) -> Shortened: ...  # fmt: skip
@overload
def dedupe(
    data: Data, recipe: Recipe | str = "default", criteria: Criteria | None = None, *,
    output: str | os.PathLike[str] | None = None, references: Paths = (),
    force: bool = False, by: str | None = None, max_removed: float | None = None,
    annotate: bool = False, index: str | os.PathLike[str] | None = None, add: bool = False,
    reading: Reading | None = None, run: RunOptions | None = None, jobs: int | None = None,
    text: str | tuple[str, ...] | None = None, id: str | None = None,
    **fields: Unpack[CriteriaFields],
) -> Cleaned: ...  # fmt: skip
def dedupe(
    data: Data,
    recipe: Recipe | str = "default",
    criteria: Criteria | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    references: Paths = (),
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
    unit: str | None = None,
    copies: int = 1,
    min_length: int = 20,
    **fields: Unpack[CriteriaFields],
) -> Cleaned | Shortened:
    """Return data without its redundant documents, or write files without them.

    What a scan calls redundant is left out: each is near a document that stays.  What was skipped
    stays.

    Parameters
    ----------
    data, recipe, criteria, reading, run, jobs, text, id, **fields
        As in `scan`.
    output : path, optional
        Where to write files without their redundant documents: one file of records becomes a file,
        everything else a folder.  Data that is not in files cannot be written.
    references : path or iterable of path
        Files, folders and indexes whose documents are never redundant, and not part of the result.
    force : bool
        Whether files of the folder may be replaced; it matters with `output` only.
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

    unit : str, optional
        ``line``, ``sentence`` or ``paragraph``: no document is redundant, but those of its parts
        are cut that other documents have, or that directly repeat what comes before them.  Only
        how data is read, `output`, `force` and `by` go with it.
    copies : int
        In how many documents a part stays: the first ones that have it.
    min_length : int
        The least letters and digits of a part that is cut.

    Returns
    -------
    Cleaned
        ``data``: what stays, of the same kind as was given (a list for an iterator); of paths the
        names of the documents that stay.  ``removed``: what does not, and why.  ``result``: what
        `scan` returns.
    Shortened
        With `unit`.  ``data``: the same rows with shortened texts; of paths the names of their
        documents.  ``removed``: the parts that were cut, and where each stays.

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
    >>> dedupe([("a", text), ("b", f"He wrote: so. {text}")], unit="sentence").data[1]
    ('b', 'He wrote: so. ')
    """
    settings = Settings.of(
        recipe, criteria, reading=reading, run=run, jobs=jobs, text=text, id=id, **fields,
    )  # fmt: skip
    target = as_optional_path(output, "output")
    if unit is not None:
        from simdup.operations.repeated_parts import shorten

        given = {
            "recipe": recipe != "default", "criteria": criteria is not None, "add": add,
            "references": references != (), "max_removed": max_removed is not None,
            "annotate": annotate, "index": index is not None, **dict.fromkeys(fields, True),
        }  # fmt: skip
        for name in (name for name, value in given.items() if value):
            what = "has no effect with `unit`: equal parts are cut, and every document stays"
            raise SimdupError(name, what, "leave it out", name)
        parts = PartCriteria(unit, copies, min_length)
        return shorten(data, DedupeOptions(target, force=force, by=by), parts, settings)
    for name, changed in (("copies", copies != 1), ("min_length", min_length != 20)):
        if changed:
            raise SimdupError(name, "has no effect without `unit`", "leave it out", name)
    rows, named = keep_rows(data), as_paths(references, "references")
    options = DedupeOptions(
        target, named, force, by=by, max_removed=max_removed, annotate=annotate,
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
    opened = open_input(rows, _completed(settings, options), others)
    with _reserved(options):
        cleaned = _write_nothing(_Task(_with_indexes(opened, indexes, options), options))
    if len(rows) != len(cleaned.result.inputs):
        raise RuntimeError(f"{len(rows)} rows gave {len(cleaned.result.inputs)} documents")
    return cleaned._replace(data=select(rows, _staying(cleaned)))


def _staying(cleaned: Cleaned) -> NDArray[np.int64]:
    """Return the positions of the documents that were not removed."""
    gone: Any = () if cleaned.annotated else cleaned.positions
    return np.delete(np.arange(len(cleaned.result.inputs)), gone)


def _completed(settings: Settings, options: DedupeOptions) -> Settings:
    """Return settings with the field by which an account is wanted."""
    by = None if options.by is None else parse_fields("by", options.by)[0]
    return with_fields(settings, by)


def _with_indexes(opened: Input, indexes: Sequence[str], options: DedupeOptions) -> Input:
    """Return an input with indexes as references, and that of documents seen before."""
    seen = options.index
    if seen is not None and (not options.add or os.path.lexists(seen)):
        indexes = [*indexes, seen]
    return replace(opened, indexes=indexes, seen=seen, required=options.references)


def _reserved(options: DedupeOptions) -> AbstractContextManager[None]:
    """Keep other runs from adding to the index meanwhile: none would know of the other's texts."""
    return reserve(options.index) if options.add and options.index else nullcontext()


# -- files --


def rewrite(
    sources: Sequence[str],
    options: DedupeOptions,
    settings: Settings,
    finish: Callable[[Cleaned], None] = lambda cleaned: None,
) -> Cleaned:
    """Write a corpus without its redundant documents.

    What a scan calls redundant is left out: each is near a document that stays.  Files that could
    not be read as documents are copied as they are; those that cannot be opened are missing, and
    are listed as skipped.

    Parameters
    ----------
    sources : sequence of str
        Files and folders; a single file of records becomes a file, everything else a folder.
    options : DedupeOptions
        Where and how to write the corpus.
    settings : Settings
        As in `scan`.
    finish : callable
        Called with what was cleaned, before the corpus appears at its target.

    Returns
    -------
    Cleaned
        ``result``, ``removed``, and what was ``written``.

    Raises
    ------
    SimdupError
        If the target must not or cannot be written, a reference gives no document, or more than
        `max_removed` of the documents would be removed.
    """
    settings = _completed(settings, options)
    check_places(sources, options, settings.recipe)
    indexes, others = split_indexes(options.references)
    listing = list_files(sources, settings.reading, others)
    check_references(options.references, listing.skipped)
    with _reserved(options), spool_folder() as folder:
        files = [rereadable(file, sources, folder) for file in listing.files]
        opened = open_files(listing._replace(files=files), settings)
        references, given = on_disk(files, listing)
        if options.annotate:
            require_records(given)
        task = _Task(_with_indexes(opened, indexes, options), options, sources, finish)
        # A mistyped name should produce nothing, not even an empty folder.
        if options.target is None or (listing.skipped and not given):
            return _write_nothing(task)
        single = single_file(sources, given, options.target)
        if single is not None:
            return _write_file(task, options.target, single, references)
        if options.target == STDIN:
            raise SimdupError("output", "only a single file of records can go to standard output",
                              "name a folder", field="output")  # fmt: skip
        check_name(options.target)
        return _write_folder(task, options.target, places(sources, given), references)


@dataclass(frozen=True, slots=True)
class _Task:
    """A corpus that is to be cleaned."""

    opened: Input
    options: DedupeOptions
    sources: Sequence[str] = ()
    finish: Callable[[Cleaned], None] = lambda cleaned: None  # see `rewrite`

    @property
    def progress(self) -> Progress:
        """What is told how much is done."""
        return self.opened.settings.run.progress

    def find(self) -> _Losses:
        """Find what is redundant; raise if a reference gave no document."""
        result, collection, matches = examine(self.opened, ["facts"])
        groups, by = None, self.options.by
        if by is not None:
            groups = group_by("by", by, collection)
        cuts, notes = _list_cuts(result)
        result = replace(result, notes=(*result.notes, *notes))
        return _Losses(self, result, cuts, groups, matches)


def _write_nothing(task: _Task) -> Cleaned:
    """Find what is redundant and write no corpus; raise after the list if that is too much."""
    losses = task.find()
    cleaned = losses.listed()
    losses.check()
    return cleaned._replace(added=losses.remember())


def _write_file(task: _Task, target: str, file: File, references: Sequence[File]) -> Cleaned:
    """Write the remaining records of a file to another file."""
    with open_single(target, file, task.opened.settings.reading) as single:
        losses = task.find()
        task.opened.report.require_any(file.path)
        losses.check()
        changes = losses.annotations([file]) or records_by_file(losses.cuts)
        check_unchanged([file, *references])
        cleaned = single.write(changes.get(file.path, ()), task.progress, losses.listed)
    before, after = single.sizes
    return cleaned._replace(
        written=target, annotated=task.options.annotate, added=losses.remember(),
        bytes_before=before, bytes_after=after,
    )  # fmt: skip


def _write_folder(
    task: _Task, target: str, files: Sequence[tuple[File, str]], references: Sequence[File]
) -> Cleaned:
    """Write the remaining documents to a folder."""
    annotate = task.options.annotate
    with reserve(target, parents=True), open_folder(target, task.options.force) as folder:
        losses = task.find()
        losses.check()
        annotated = losses.annotations([file for file, _ in files])
        cuts = () if annotate else losses.cuts
        reading = task.opened.settings.reading
        filled = CleanedFolder(files, references, root_of(task.sources), cuts, annotated, reading)
        fill(folder, filled, task.progress)
        missing = list_missing(folder, filled, task.opened.skipped)
        skipped = not_copied(losses.result.skipped, missing, target)
        known = {one.document for one in skipped}
        skipped += [
            Skipped(path, f"{why}; documents that are redundant because of it are kept", error=True)
            for path, why in filled.lost.items()
            if path not in known
        ]
        others = [(name, "left in place; not part of the result") for name in
                  list_others(folder, target)]  # fmt: skip
        result = losses.result
        result = replace(result, skipped=tuple(skipped), notes=(*result.notes, *others))
        losses = replace(losses, result=result, cuts=losses.cuts if annotate else filled.cuts)
        before, after = folder_sizes(folder, files)
        cleaned = losses.listed()
    return cleaned._replace(
        written=target, bytes_before=before, bytes_after=after, missing=tuple(missing),
        annotated=annotate, added=losses.remember(filled.lost),
    )  # fmt: skip


# -- what is removed --


@dataclass(frozen=True, slots=True)
class _Losses:
    """The documents of a scan that are left out, and the groups that all documents belong to."""

    task: _Task
    result: Result
    cuts: Sequence[RemovedDocument]
    groups: Groups | None  # None if nobody asks for an account by group
    matches: IndexMatches | None  # see `Examined`

    def listed(self) -> Cleaned:
        """Let the caller list what is left out, and say so: texts are read again."""
        entries, numbers = [cut.entry for cut in self.cuts], self._numbers
        parts = () if self.groups is None else tuple(account(self.result, numbers, self.groups))
        cleaned = Cleaned(self.result, entries, numbers=numbers, parts=parts)
        self.task.progress("listing", 0, len(entries))
        self.task.finish(cleaned)
        self.task.progress("listing", len(entries), len(entries))
        return cleaned

    def check(self) -> None:
        """Raise if the corpus, a source or a group loses too large a share.

        Raises
        ------
        SimdupError
            Names the one that would lose the largest share.
        """
        most = self.task.options.max_removed
        if most is None:
            return
        result, sources = self.result, self.task.sources
        checked = [("the corpus", Groups([""], np.zeros(len(result.inputs.names), np.int64)))]
        if len(sources) > 1:
            checked.append(("source", by_source(sources, result.origins)))
        if self.groups is not None:
            checked.append((self.task.options.by or "", self.groups))
        # A group of one document has no share worth a name.
        lost = [
            (kind, part)
            for kind, groups in checked
            for part in account(result, self._numbers, groups)
            if part.share > most and part.documents > 1
        ]
        if lost:
            kind, worst = max(lost, key=lambda one: one[1].share)
            named = f" {worst.name!r}" if worst.name else ""
            more = f" (and {len(lost) - 1:,} more)" if len(lost) > 1 else ""
            what = (
                f"{kind}{named} would lose {worst.removed:,} of {worst.documents:,} documents, "
                f"more than {most:.4g} of them{more}"
            )
            hint = "look at what would be removed before you allow more"
            raise SimdupError("max_removed", what, hint, "max_removed")

    def remember(self, lost: Container[str] = ()) -> Added | None:
        """Add the documents that stay to the index, without those of lost files.

        Return what happened to them; None if none are to be added.  The index also takes the texts
        of those that are left out.

        Raises
        ------
        SimdupError
            If the index cannot be written; what was written elsewhere stays.
        """
        options, matches = self.task.options, self.matches
        origins, known = self.result.origins, self.result.inputs.took_part
        if not options.add or options.index is None or matches is None or not origins.fingerprinter:
            return None
        columns = matches.asked
        if not columns:
            return None
        stays = known.copy()
        stays[self._numbers] = False
        if lost:
            on_disk = {file.path: file.on_disk.path for file in origins.files}
            gone = [on_disk.get(path, path) in lost for path in origins.documents["path"]]
            stays &= ~np.array(gone, np.bool_)
        removed = matches.removed(self.cuts, known, columns, origins.criteria)
        columns = columns.take(np.flatnonzero(stays[known]))
        try:
            return remember(
                options.index, columns, removed, origins.fingerprinter, options.waiting,
                self.task.progress,
            )  # fmt: skip
        except SimdupError as error:
            what = f"{error.what}; the corpus was written, but is not in the index"
            raise SimdupError(error.where, what, "run it again with `force`") from None

    def annotations(self, files: Sequence[File]) -> dict[str, Annotations]:
        """Return what is added to the records of each file, by path; nothing if none is wanted.

        Raises
        ------
        SimdupError
            If one was not read to its end, or cannot be annotated.
        """
        if not self.task.options.annotate:
            return {}
        unread = {one.document for one in self.result.skipped if one.error}
        origins, notes = self.result.origins, self._notes()
        rows = np.flatnonzero(self.result.inputs.took_part)
        paths, numbers = (origins.documents[name][rows].tolist() for name in ("path", "record"))
        records: dict[str, list[int]] = {}
        for path, number in zip(paths, numbers, strict=True):
            records.setdefault(path, []).append(number)
        found = {}
        for file in files:
            if file.path in unread:
                raise SimdupError(file.path, "was not read to its end, and cannot be annotated")
            own = np.array(records.get(file.path, ()), np.int64)
            found[file.path] = annotations_of(file, notes.get(file.path, {}), own, origins.reading)
        return found

    def _notes(self) -> dict[str, dict[int, Note]]:
        """Return the notes on the documents of clusters, by path and number of record."""
        paths, records = (self.result.origins.documents[name] for name in ("path", "record"))
        notes = dict[str, dict[int, Note]]()
        for cluster in self.result.clusters:
            for one in cluster.members:
                note = Note(cluster.number, one.role)
                if one.role == "redundant":
                    figures = rounded(one.similarity), measure_of(one)
                    note = Note(cluster.number, one.role, str(one.kept), *figures)
                if one.number >= 0:
                    notes.setdefault(paths[one.number], {})[int(records[one.number])] = note
        return notes

    @property
    def _numbers(self) -> NDArray[np.int64]:
        return np.array([cut.number for cut in self.cuts], np.int64)


def _list_cuts(result: Result) -> tuple[list[RemovedDocument], list[tuple[str, str]]]:
    """Return the documents to leave out, in input order, and notes on those that stay after all.

    Files in archives are never left out: an archive that is written again may lack what only the
    program that packed it knows.
    """
    origins = result.origins
    archives = {file.path: file.member.archive for file in origins.files if file.member}
    # A file that was not read completely is kept whole.
    unread = {one.document for one in result.skipped if one.error}
    found, whole = list[RemovedDocument](), Counter[str]()
    paths, records, digests = (origins.documents[name] for name in ("path", "record", "digest"))
    for cluster in result.clusters:
        by_number = {member.number: member for member in cluster.members}
        for one in cluster.members:
            number, kept = one.number, by_number[one.beside]
            if one.role == "redundant" and paths[number] in unread:
                whole[paths[number]] += 1
            elif one.role == "redundant":
                read = kept.number >= 0  # not in an index, of which neither text nor file is known
                same = read and digests[number] == digests[kept.number]
                reason = "exact copy" if same else "near-duplicate"
                agree = () if read and result.facts is not None else None
                entry = Removed(
                    one.name, reason, one.distance, one.similarity, kept.name, one.estimated,
                    one.measure, one.containment, one.cosine, one.covered,
                    (result.facts or {}).get(number, agree),
                )  # fmt: skip
                beside = paths[kept.number] if read else ""
                place = paths[number], int(records[number]), archives.get(beside, beside)
                found.append(RemovedDocument(entry, *place, number, kept.number))
    found.sort(key=lambda cut: cut.number)
    staying = Counter(archives[cut.path] for cut in found if cut.path in archives)
    notes = [
        (path, f"{count:,} redundant in it; {why}")
        for counts, why in ((staying, "archives are kept whole"), (whole, UNREAD))
        for path, count in counts.items()
    ]
    return [cut for cut in found if cut.path not in archives], notes
