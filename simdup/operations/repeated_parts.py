"""Cut repeated lines, sentences or paragraphs out of documents, so that copies of each stay."""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import counted
from simdup.corpus.changes import Change, joined, why_whole
from simdup.corpus.files import File
from simdup.corpus.record_fields import Spans
from simdup.corpus.rows import cut_rows
from simdup.model.cleaned import Outcome, PartCriteria
from simdup.model.documents import Skipped
from simdup.near.collection import collected
from simdup.near.field_groups import Groups, group_by
from simdup.near.inputs import Input
from simdup.near.part_search import PartWork, RepeatedParts, cut_out, find_repeated
from simdup.show.cleaned_corpus import Cuts
from simdup.show.removed import Cleaned, RemovedParts, group_parts


@dataclass(kw_only=True)
class _Repeated(Cuts[Cleaned]):
    """The parts of documents that are cut, by the rows of these."""

    unit: str
    characters: NDArray[np.int64]
    sizes: NDArray[np.int64]  # of the texts in UTF-8
    parts: RepeatedParts
    content: bytes | mmap.mmap  # the texts of these
    groups: Groups | None  # None if nobody asks for an account by group

    def changes(self, files: Sequence[File]) -> Mapping[str, Change]:
        """Return what is cut from each file, by its path."""
        parts = self.parts
        owners = np.unique(parts.documents)

        def lost(rows: Sequence[int]) -> str:
            return f"{counted(int(np.isin(parts.documents, rows).sum()), self.unit)} repeated"

        gone = np.ones(len(self.names), np.bool_)
        for path, rows in self.by_file(owners.tolist(), lost).items():
            change = self.changed[path] = Change(self.files[path], self.reading)
            gone[rows] = False
            if why := why_whole(change.file, self.reading):
                change.whole = dict.fromkeys(self.records[rows].tolist(), why)
            else:
                rows_of = dict(zip(self.records[rows].tolist(), rows, strict=True))
                change.spans_of = partial(_spans_of, parts, rows_of)
        self.parts = parts.take(~gone[parts.documents])
        return self.changed

    def rows(self, data: Any) -> Any:
        """Return data with shortened texts."""
        parts, records = self.parts, self.records.tolist()
        spans = {records[row] - 1: parts.spans(row) for row in np.unique(parts.documents).tolist()}
        return cut_rows(data, self.reading, spans)

    def result(self, outcome: Outcome) -> Cleaned:
        """Return the result; from documents that were kept whole nothing was cut."""
        parts, skipped = self.parts, list(self.skipped)
        kept = np.zeros(len(self.names), np.bool_)
        for row in np.unique(parts.documents).tolist():
            change = self.changed.get(self.paths[row])
            if change is not None and (why := change.whole.get(int(self.records[row]))):
                kept[row] = True
                skipped.append(Skipped(self.names[row], why, error=True))
        parts = parts.take(~kept[parts.documents])
        lost, sizes = np.zeros((2, len(self.names)), np.int64)
        np.add.at(lost, parts.documents, parts.ends - parts.starts)
        np.add.at(sizes, parts.documents, parts.text_ends - parts.text_starts)
        columns = np.ones(len(lost)), lost > 0, self.sizes, sizes
        before = int(self.characters.sum())
        return outcome.of_kind(
            Cleaned,
            notes=(*self.notes, *outcome.notes),
            unit=self.unit,
            removed=RemovedParts(self.names, parts, self.content),
            documents=len(self.names),
            changed=int(np.count_nonzero(lost)),
            emptied=int(np.count_nonzero(lost == self.characters)),
            characters_before=before,
            characters_after=before - int(lost.sum()),
            skipped=outcome.not_copied(skipped),
            parts=() if self.groups is None else tuple(group_parts(self.groups, columns)),
            data=self.names if outcome.data is None else outcome.data,
        )


def _spans_of(parts: RepeatedParts, rows: Mapping[int, int], record: int) -> Spans:
    """Return what is cut from a record, given the row of each document of its file."""
    return joined(parts.spans(rows[record])) if record in rows else ()


def find_parts(
    opened: Input, sources: Sequence[str], criteria: PartCriteria, by: str | None
) -> _Repeated:
    """Read all documents, and find what is cut from them.

    Every document stays; one that has lost all its text is empty.  Documents that cannot be cut are
    kept whole and listed as skipped, with the reason.
    """
    with collected(opened, opened.analyzer(), PartWork(criteria)) as collection:
        repeated = find_repeated(collection, criteria.copies)
        parts, content = cut_out(collection, repeated, criteria, opened.settings.run)
        documents, report = collection.documents, collection.report
        return _Repeated(
            names=documents["name"].tolist(),
            paths=documents["path"].tolist(),
            records=documents["record"],
            skipped=report.skipped,
            notes=report.notes,
            files={file.path: file for file in opened.files},
            reading=opened.settings.reading,
            unit=criteria.unit,
            characters=collection["characters"],
            sizes=collection["original"][:, 1],
            parts=parts,
            content=content,
            groups=None if by is None else group_by("by", by, collection),
        )
