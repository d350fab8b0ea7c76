"""What a corpus loses: the redundant documents of a scan, and an account of them by group."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.corpus.batches import open_content
from simdup.corpus.files import File
from simdup.corpus.names import is_archive, without_address
from simdup.corpus.rewriting import Annotations, Note, head_of
from simdup.index.ingest import remember
from simdup.index.references import IndexMatches
from simdup.index.sections import REMOVED, RemovedTexts, name_keys, removed_keys, text_hashes
from simdup.model.cleaned import DedupeOptions, Part, Removed, RemovedDocument
from simdup.model.documents import Skipped
from simdup.model.frames import measure_of
from simdup.model.matches import Added
from simdup.model.settings import Progress
from simdup.model.table import Documents
from simdup.near.inputs import GroupBy, Groups, Input
from simdup.near.source_documents import SourceDocuments
from simdup.operations.scan import examine
from simdup.show.csv_jsonl import rounded
from simdup.show.result import Cleaned, Result


@dataclass(frozen=True, slots=True)
class Losses:
    """The documents of a scan that are left out, and the groups that all documents belong to."""

    result: Result
    cuts: Sequence[RemovedDocument]
    groups: Groups | None  # None if nobody asks for an account by group
    matches: IndexMatches  # see `Examined`
    options: DedupeOptions
    progress: Progress

    def cleaned(self) -> Cleaned:
        """Return what is left without these documents."""
        entries = [cut.entry for cut in self.cuts]
        parts = () if self.groups is None else tuple(self._parts(self.groups))
        return Cleaned(self.result, entries, numbers=self._numbers, parts=parts)

    def checked(self, sources: Sequence[str] = ()) -> Losses:
        """Return these; raise if the corpus, a source or a group loses too large a share.

        Raises
        ------
        SimdupError
            Names the one that would lose the largest share.
        """
        most = self.options.max_removed
        if most is None:
            return self
        known = len(self.result.inputs.names)
        checked = [("the corpus", Groups([""], np.zeros(known, np.int64)))]
        if len(sources) > 1:
            checked.append(("source", _by_source(sources, self.result.origins)))
        if self.groups is not None:
            checked.append((self.options.by or "", self.groups))
        parts = [(kind, part) for kind, groups in checked for part in self._parts(groups)]
        # A group of one document has no share worth a name.
        lost = [(kind, part) for kind, part in parts if part.share > most and part.documents > 1]
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
        return self

    def remember(self, lost: Container[str] = ()) -> Added | None:
        """Add the documents that stay to the index, without those of lost files.

        Return what happened to them; None if none are to be added.  The index also takes the texts
        of those that are left out.

        Raises
        ------
        SimdupError
            If the index cannot be written; what was written elsewhere stays.
        """
        options, columns = self.options, self.matches.asked
        origins, inputs = self.result.origins, self.result.inputs
        if not options.add or options.index is None or not columns or not origins.fingerprinter:
            return None
        known = np.ones(len(inputs.names), np.bool_)
        known[: inputs.references] = known[list(inputs.skipped)] = False
        stays = known.copy()
        stays[self._numbers] = False
        if lost:
            archives = {one.path: one.on_disk.path for one in origins.files if one.member}
            gone = [archives.get(path, path) in lost for path in origins.documents["path"]]
            stays &= ~np.array(gone, np.bool_)
        removed = self._removed(columns, known)
        columns = columns.take(np.flatnonzero(stays[known]))
        try:
            return remember(
                options.index, columns, removed, origins.fingerprinter, options.waiting,
                self.progress,
            )  # fmt: skip
        except SimdupError as error:
            what = f"{error.what}; the corpus was written, but is not in the index"
            raise SimdupError(error.where, what, "run it again with `force`") from None

    def _removed(self, columns: Documents, known: NDArray[np.bool_]) -> RemovedTexts:
        """Return the texts that are left out, of which an index would not know it otherwise.

        It finds again what it has found, and copies of what it has.  A pair that was not measured
        is one by its fingerprints, which it has.  `columns` are those of the known documents.
        """
        rows = np.cumsum(known) - 1
        found = set(self.matches.matched.tolist())
        cuts = [
            cut for cut in self.cuts
            if cut.entry.similarity is not None and rows[cut.number] not in found
        ]  # fmt: skip
        contents = np.zeros(len(known), np.uint64)
        contents[known] = columns["content_key"]
        # Those of documents of indexes are found from the end, by their numbers below 0.
        contents = np.concatenate([contents, self.matches.contents])
        removed = np.zeros(len(cuts), REMOVED)
        texts = text_hashes(columns["name_key"], columns["content_key"])
        texts = texts[rows[[cut.number for cut in cuts]]]
        removed["text"] = removed_keys(texts, self.result.origins.criteria)
        removed["kept"] = contents[[cut.kept for cut in cuts]]
        removed["similarity"] = [cut.entry.similarity for cut in cuts]
        removed["distance"] = [cut.entry.distance for cut in cuts]
        names = name_keys(str(cut.entry.kept) for cut in cuts)
        return removed.compress(texts != text_hashes(names, removed["kept"]))

    def annotations(self, files: Iterable[File]) -> dict[str, Annotations]:
        """Return what is added to the records of each file, by path.

        Raises
        ------
        SimdupError
            If one was not read to its end, or cannot be annotated.
        """
        unread = {one.document for one in self.result.skipped if one.error}
        origins, notes = self.result.origins, self._notes()
        by_path: dict[str, list[int]] = {}
        skipped = set(self.result.inputs.skipped)
        paths, records = (origins.documents[name].tolist() for name in ("path", "record"))
        for number in range(self.result.inputs.references, len(paths)):
            if number not in skipped:
                by_path.setdefault(paths[number], []).append(records[number])
        found = {}
        for file in files:
            if file.path in unread:
                raise SimdupError(file.path, "was not read to its end, and cannot be annotated")
            with open_content(file) as (stream, _):
                head = head_of(file, stream, origins.reading)
            records = np.array(by_path.get(file.path, ()), np.int64)
            found[file.path] = Annotations(file, notes.get(file.path, {}), records, *head)
        return found

    def _notes(self) -> dict[str, dict[int, Note]]:
        """Return the notes on the documents of clusters, by path and number of record."""
        paths, records = (self.result.origins.documents[name] for name in ("path", "record"))
        notes = dict[str, dict[int, Note]]()
        for cluster in self.result.clusters:
            names = {member.number: str(member.name) for member in cluster.members}
            for one in cluster.members:
                note = Note(cluster.number, one.role)
                if one.role == "redundant":
                    figures = rounded(one.similarity), measure_of(one)
                    note = Note(cluster.number, one.role, names[one.beside], *figures)
                if one.number >= 0:
                    path, record = paths[one.number], records[one.number]
                    notes.setdefault(path, {})[int(record)] = note
        return notes

    @property
    def _numbers(self) -> NDArray[np.int64]:
        return np.array([cut.number for cut in self.cuts], np.int64)

    def _parts(self, groups: Groups) -> Iterator[Part]:
        """Yield what each group lost, the largest numbers of documents first."""
        inputs = self.result.inputs
        sizes = self.result.origins.documents["size"].astype(np.float64)
        counted = np.arange(len(sizes)) >= inputs.references
        counted[list(inputs.skipped)] = False
        gone = np.zeros(len(sizes), np.bool_)
        gone[self._numbers] = True
        # The last one has the documents without a value.
        of = np.where(groups.of < 0, len(groups.names), groups.of)
        columns = [
            np.bincount(of[some], weights, len(groups.names) + 1).astype(np.int64)
            for some in (counted, gone)
            for weights in (None, sizes[some])
        ]
        documents, size, removed, removed_size = columns
        for i in np.lexsort((-documents, -removed)).tolist():
            if documents[i]:
                name = groups.names[i] if i < len(groups.names) else None
                figures = documents[i], removed[i], size[i], removed_size[i]
                yield Part(name, *map(int, figures))


def _by_source(sources: Sequence[str], origins: SourceDocuments) -> Groups:
    """Return the source that each document is from; none for one that is a document itself.

    A document stays or is removed, so its share says nothing.
    """
    inside = [
        (i, os.path.join(one, ""))
        for i, one in enumerate(sources)
        if os.path.isdir(one) or is_archive(one)
    ]
    files = {one: i for i, one in enumerate(sources)}
    paths, records = (origins.documents[name].tolist() for name in ("path", "record"))
    source_of = {
        path: next((i for i, folder in inside if path.startswith(folder)), files.get(path, -1))
        for path in dict.fromkeys(paths)
    }
    of = np.array([source_of[path] for path in paths], np.int64)
    alone = [not record and path in files for record, path in zip(records, paths, strict=True)]
    return Groups(sources, np.where(alone, -1, of))


def find_losses(opened: Input, options: DedupeOptions) -> Losses:
    """Find what is redundant; raise if a reference gave no document."""
    result, collection, places, matches = examine(opened)
    check_references(options.references, result.skipped)
    groups = None
    if options.by is not None:
        by = GroupBy("by", options.by)
        groups = by.group(collection.documents)
        groups = replace(groups, of=places.spread(groups.of, -1))
    cuts, notes = list_cuts(result, opened.files)
    result = replace(result, notes=(*result.notes, *notes))
    return Losses(result, cuts, groups, matches, options, opened.settings.run.progress)


def list_cuts(
    result: Result, files: Sequence[File]
) -> tuple[list[RemovedDocument], list[tuple[str, str]]]:
    """Return the documents to leave out, in input order, and notes on those that stay after all.

    Files in archives are never left out: an archive that is written again may lack what only the
    program that packed it knows.
    """
    archives = {file.path: file.member.archive for file in files if file.member}
    origins = result.origins
    # A file that was not read completely is kept whole.
    unread = {one.document for one in result.skipped if one.error}
    found: list[RemovedDocument] = []
    paths, records, digests = (origins.documents[name] for name in ("path", "record", "digest"))
    for cluster in result.clusters:
        by_number = {member.number: member for member in cluster.members}
        for one in cluster.members:
            number, kept = one.number, by_number[one.beside]
            if one.role == "redundant" and paths[number] not in unread:
                read = kept.number >= 0  # not in an index, of which neither text nor file is known
                same = read and digests[number] == digests[kept.number]
                reason = "exact copy" if same else "near-duplicate"
                entry = Removed(
                    one.name, reason, one.distance or 0, one.similarity, kept.name, one.estimated,
                    one.measure, one.containment, one.cosine, one.covered,
                )  # fmt: skip
                beside = paths[kept.number] if read else ""
                place = paths[number], int(records[number]), archives.get(beside, beside)
                found.append(RemovedDocument(entry, *place, number, kept.number))
    found.sort(key=lambda cut: cut.number)
    staying = Counter(archives[cut.path] for cut in found if cut.path in archives)
    notes = [
        (path, f"{count:,} redundant in it; archives are kept whole")
        for path, count in staying.items()
    ]
    return [cut for cut in found if cut.path not in archives], notes


def check_references(references: Sequence[str], skipped: Sequence[Skipped]) -> None:
    """Raise if a reference gave no document: with a mistyped name, everything would stay."""
    named = {*references, *map(without_address, references)}
    for one in skipped:
        if one.error and one.document in named:
            raise SimdupError(one.document, f"{one.reason}, but is a reference")
