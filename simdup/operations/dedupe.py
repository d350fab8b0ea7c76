"""Leave out redundant documents: rows of data, or documents of files, which are written again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.corpus.changes import NO_DOCUMENT, UNIQUE, Change, Note
from simdup.corpus.delimited import DELIMITERS
from simdup.corpus.files import File, split_indexes
from simdup.corpus.record_batches import keeps_ascii
from simdup.corpus.rewriting import UNREAD
from simdup.corpus.rows import Paths, as_optional_path, as_paths, select
from simdup.index.index import remember
from simdup.index.references import IndexMatches
from simdup.model.cleaned import DedupeOptions, Outcome, PartCriteria, Removed, RemovedDocument
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.documents import Skipped
from simdup.model.formats import rounded
from simdup.model.frames import measure_of
from simdup.model.recipe import Recipe
from simdup.model.settings import Progress, Reading, RunOptions, Settings
from simdup.near.field_groups import Groups, group_by
from simdup.near.inputs import Data, Input
from simdup.operations.scan import examine
from simdup.show.cleaned_corpus import (
    Changes,
    Find,
    rewrite_corpus,
    rewrite_data,
)
from simdup.show.removed import Cleaned, account, by_source
from simdup.show.result import Result


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
) -> Cleaned:
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
        `scan` returns.  With `unit` ``data`` is the same rows with shortened texts, of paths the
        names of their documents, and ``removed`` the parts that were cut, and where each stays.

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
    options = DedupeOptions(
        as_optional_path(output, "output"), as_paths(references, "references"), force, by=by,
        max_removed=max_removed, annotate=annotate, index=as_optional_path(index, "index"), add=add,
    )  # fmt: skip
    # Without a unit it has no effect; what is wrong is wrong all the same.
    parts: PartCriteria | None = PartCriteria("line" if unit is None else unit, copies, min_length)
    if unit is None:
        parts = None
    else:
        given = {
            "recipe": recipe != "default", "criteria": criteria is not None, "add": add,
            "references": references != (), "max_removed": max_removed is not None,
            "annotate": annotate, "index": index is not None, **dict.fromkeys(fields, True),
        }  # fmt: skip
        for name in (name for name, value in given.items() if value):
            what = "has no effect with `unit`: equal parts are cut, and every document stays"
            raise SimdupError(name, what, "leave it out", name)
    how = _how(options, parts, settings.run.progress)
    cleaned = rewrite_data(data, options, settings, *how)
    if cleaned.data is not None:
        return cleaned
    return replace(cleaned, data=select(cleaned.result.documents, _staying(cleaned)))


def _staying(cleaned: Cleaned) -> NDArray[np.int64]:
    """Return the positions of the documents that were not removed."""
    gone: Any = () if cleaned.annotated else cleaned.positions
    return np.delete(np.arange(len(cleaned.result.inputs)), gone)


def rewrite(
    sources: Sequence[str],
    options: DedupeOptions,
    settings: Settings,
    finish: Callable[[Cleaned], None],
    parts: PartCriteria | None = None,
) -> Cleaned:
    """Write a corpus without its redundant documents, or `parts` of documents.

    What a scan calls redundant is left out: each is near a document that stays.  Files that could
    not be read as documents are copied as they are; those that cannot be opened are missing, and
    are listed as skipped.  `finish` is called before the corpus appears at its target.

    Raises
    ------
    SimdupError
        As in `rewrite_corpus`, or if a reference gives no document, or more than `max_removed` of
        the documents would be removed.
    """
    how = _how(options, parts, settings.run.progress, finish)
    return rewrite_corpus(sources, options, settings, *how)


def _how(
    options: DedupeOptions,
    parts: PartCriteria | None,
    progress: Progress,
    finish: Callable[[Cleaned], None] = lambda cleaned: None,
) -> tuple[Find[Cleaned], Callable[[Cleaned], None], Sequence[str]]:
    """Return what finds what is removed, what lists it, and the references that it needs."""

    def listed(cleaned: Cleaned) -> None:
        # Texts are read again.
        progress("listing", 0, len(cleaned.removed))
        finish(cleaned)
        progress("listing", len(cleaned.removed), len(cleaned.removed))

    if parts is not None:
        from simdup.operations.repeated_parts import find_parts

        return partial(find_parts, criteria=parts, by=options.by), finish, ()
    indexes, references = split_indexes(options.references)
    return partial(_find, indexes=indexes, options=options), listed, references


# -- what is removed --


@dataclass(slots=True)
class _Losses(Changes[Cleaned]):
    """The documents of a scan that are left out, and the groups that all documents belong to."""

    options: DedupeOptions
    sources: Sequence[str]
    scan: Result
    cuts: Sequence[RemovedDocument]
    groups: Groups | None  # None if nobody asks for an account by group
    matches: IndexMatches | None  # see `Examined`
    progress: Progress
    files: Mapping[str, File] = field(default_factory=dict)  # those that are written, by path

    def check(self) -> None:
        """Raise if the corpus, a source or a group loses too large a share.

        Raises
        ------
        SimdupError
            Names the one that would lose the largest share.
        """
        most = self.options.max_removed
        if most is None:
            return
        result, sources = self.scan, self.sources
        checked = [("the corpus", Groups([""], np.zeros(len(result.inputs.names), np.int64)))]
        if len(sources) > 1:
            checked.append(("source", by_source(sources, result.origins)))
        if self.groups is not None:
            checked.append((self.options.by or "", self.groups))
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

    def changes(self, files: Sequence[File]) -> Mapping[str, Change]:
        """Return which records each file loses, or what is added to them."""
        self.files = {file.path: file for file in files}
        return self._annotations() if self.options.annotate else self._removals()

    def without(self, lost: Mapping[str, str]) -> Mapping[str, Change | None]:
        """Keep the documents of lost files, and what is redundant because of one."""
        if self.options.annotate:
            return {}
        more = {cut.path for cut in self.cuts if cut.kept_path in lost} - lost.keys()
        self.cuts = [c for c in self.cuts if c.path not in lost and c.kept_path not in lost]
        changes = self._removals()
        return {path: changes.get(path) for path in more}

    def _removals(self) -> dict[str, Change]:
        """Return which records each file loses."""
        records: dict[str, set[int]] = {}
        for cut in self.cuts:
            records.setdefault(cut.path, set()).add(cut.record)
        reading = self.scan.origins.reading
        return {path: Change(self.files[path], reading, gone) for path, gone in records.items()}

    def rows(self, data: Any) -> Any:
        """Return data without the redundant rows."""
        inputs = self.scan.inputs
        if len(data) != len(inputs):
            raise RuntimeError(f"{len(data)} rows gave {len(inputs)} documents")
        return select(data, np.delete(np.arange(len(data)), inputs.positions(self._numbers)))

    def result(self, outcome: Outcome) -> Cleaned:
        """Return what is left out, and what each group loses by it."""
        skipped = outcome.not_copied(self.scan.skipped)
        told = {one.document for one in skipped}
        kept = "documents that are redundant because of it are kept"
        lost = [
            Skipped(path, f"{why}; {kept}", error=True)
            for path, why in outcome.lost.items()
            if path not in told
        ]
        notes = (*self.scan.notes, *outcome.notes)
        self.scan = replace(self.scan, skipped=(*skipped, *lost), notes=notes)
        numbers, groups = self._numbers, self.groups
        return outcome.of_kind(
            Cleaned,
            documents=self.scan.inputs.taking_part,
            skipped=self.scan.skipped,
            result=self.scan,
            removed=[cut.entry for cut in self.cuts],
            notes=notes,
            numbers=numbers,
            parts=() if groups is None else tuple(account(self.scan, numbers, groups)),
            annotated=self.options.annotate and outcome.written is not None,
        )

    def remember(self, said: Cleaned, lost: Mapping[str, str]) -> Cleaned:
        """Add the documents that stay to the index, if asked for, without those of lost files.

        The index also takes the texts of those that are left out.

        Raises
        ------
        SimdupError
            If the index cannot be written; what was written elsewhere stays.
        """
        options, matches = self.options, self.matches
        origins, known = self.scan.origins, self.scan.inputs.took_part
        if not options.add or options.index is None or matches is None or not origins.fingerprinter:
            return said
        columns = matches.asked
        if not columns:
            return said
        stays = known.copy()
        stays[self._numbers] = False
        if lost:
            on_disk = {file.path: file.on_disk.path for file in origins.files}
            gone = [on_disk.get(path, path) in lost for path in origins.documents["path"]]
            stays &= ~np.array(gone, np.bool_)
        removed = matches.removed(self.cuts, known, columns, origins.criteria)
        columns = columns.take(np.flatnonzero(stays[known]))
        try:
            added = remember(
                options.index, columns, removed, origins.fingerprinter,
                origins.criteria.method, options.waiting, self.progress,
            )  # fmt: skip
        except SimdupError as error:
            what = f"{error.what}; the corpus was written, but is not in the index"
            raise SimdupError(error.where, what, "run it again with `force`") from None
        return replace(said, added=added)

    def _annotations(self) -> dict[str, Change]:
        """Return what is added to the records of each file, by path.

        Raises
        ------
        SimdupError
            If one was not read to its end, or cannot be annotated.
        """
        unread = {one.document for one in self.scan.skipped if one.error}
        origins, notes, reading = self.scan.origins, self._notes(), self.scan.origins.reading
        rows = np.flatnonzero(self.scan.inputs.took_part)
        paths, records = (origins.documents[name][rows].tolist() for name in ("path", "record"))
        for path, number in zip(paths, records, strict=True):
            notes.setdefault(path, {}).setdefault(number, UNIQUE)
        changes = {}
        for path, file in self.files.items():
            if path in unread:
                raise SimdupError(path, "was not read to its end, and cannot be annotated")
            if file.format not in DELIMITERS and not keeps_ascii(reading.encoding or "utf-8"):
                raise SimdupError(path, f"records in {reading.encoding} cannot be annotated")
            note_of = partial(_note_of, notes.get(path, {}))
            changes[path] = Change(file, reading, note_of=note_of)
        return changes

    def _notes(self) -> dict[str, dict[int, Note]]:
        """Return the notes on the documents of clusters, by path and number of record."""
        paths, records = (self.scan.origins.documents[name] for name in ("path", "record"))
        notes = dict[str, dict[int, Note]]()
        for cluster in self.scan.clusters:
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


def _note_of(notes: Mapping[int, Note], number: int) -> Note:
    return notes.get(number, NO_DOCUMENT)


def _find(
    opened: Input, sources: Sequence[str], indexes: Sequence[str], options: DedupeOptions
) -> _Losses:
    """Find what is redundant; raise if a reference gave no document."""
    seen = options.index
    if seen is not None and (not options.add or os.path.lexists(seen)):
        indexes = [*indexes, seen]
    opened = replace(opened, indexes=indexes, seen=seen, required=options.references)
    scan, collection, matches = examine(opened, ["facts"])
    groups = None if options.by is None else group_by("by", options.by, collection)
    cuts, notes = _list_cuts(scan)
    scan = replace(scan, notes=(*scan.notes, *notes))
    progress = opened.settings.run.progress
    return _Losses(options, sources, scan, cuts, groups, matches, progress)


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
