"""Cut repeated lines, sentences or paragraphs out of documents, so that copies of each stay."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import counted
from simdup.corpus.changes import Change, joined, why_whole
from simdup.corpus.files import File
from simdup.corpus.record_fields import Spans
from simdup.corpus.rewriting import UNREAD
from simdup.corpus.rows import cut_rows
from simdup.model.cleaned import DedupeOptions, PartCriteria
from simdup.model.documents import Skipped
from simdup.model.settings import Reading, Settings
from simdup.near.collection import collected
from simdup.near.field_groups import Groups, group_by
from simdup.near.inputs import Data, Input, open_input
from simdup.near.part_search import PartWork, RepeatedParts, cut_out, find_repeated
from simdup.show.cleaned_corpus import (
    Changes,
    Copy,
    completed,
    refuse_lost,
    rewrite_corpus,
    rows_or_sources,
)
from simdup.show.removed import RemovedParts, Shortened, group_parts


def shorten(
    data: Data, options: DedupeOptions, criteria: PartCriteria, settings: Settings
) -> Shortened:
    """Cut repeated parts out of data of any kind; see `dedupe`.

    Raises
    ------
    SimdupError
        If data that is not in files is to be written, or as in `shorten_files`.
    """
    rows, sources = rows_or_sources(data, options, settings.reading, "dedupe")
    if sources is not None:
        return shorten_files(sources, options, criteria, settings)
    found = _find(open_input(rows, completed(settings, options)), criteria, options.by)
    numbers = found.records - 1
    spans = {
        int(numbers[row]): [(start, end) for start, end in one.tolist()]
        for row, one in enumerate(found.parts.spans(len(numbers)))
        if len(one)
    }
    return found.result(Copy())._replace(data=cut_rows(rows, settings.reading, spans))


def shorten_files(
    sources: Sequence[str],
    options: DedupeOptions,
    criteria: PartCriteria,
    settings: Settings,
    finish: Callable[[Shortened], None] = lambda shortened: None,
) -> Shortened:
    """Write a corpus without the parts that enough earlier documents have.

    Every document stays; one that has lost all its text is empty.  What is left of texts has the
    bytes that it had; a record that loses a part is written anew.  Documents that cannot be cut are
    kept whole and listed as skipped, with the reason.

    Parameters
    ----------
    sources : sequence of str
        Files and folders; a single file of records becomes a file, everything else a folder.
    options : DedupeOptions
        Where and how to write the corpus.
    criteria : PartCriteria
        What is cut.
    settings : Settings
        How the sources are read, and what the run may use.
    finish : callable
        Called with the result before the corpus appears at its target.

    Raises
    ------
    SimdupError
        If the target must not or cannot be written, or a file vanished or changed meanwhile.
    """
    find = partial(_find, criteria=criteria, by=options.by)
    return rewrite_corpus(sources, options, settings, find, finish)


@dataclass(slots=True)
class _Found(Changes[Shortened]):
    """The parts of documents that are cut, by the rows of these."""

    unit: str
    names: list[Any]
    paths: list[str]
    records: NDArray[np.int64]
    characters: NDArray[np.int64]
    sizes: NDArray[np.int64]  # of the texts in UTF-8
    parts: RepeatedParts
    content: bytes | mmap.mmap  # the texts of these
    groups: Groups | None  # None if nobody asks for an account by group
    skipped: list[Skipped]
    notes: list[tuple[str, str]]
    files: Mapping[str, File]  # by their paths
    reading: Reading
    # What is cut from each file, by its path; None for data that is not in files.
    cuts: Mapping[str, Change] | None = None

    def changes(self, files: Sequence[File]) -> Mapping[str, Change]:
        """Return what is cut from each file, by its path."""
        parts = self.parts
        # A file that was not read to its end is kept as it is.
        unread = {one.document for one in self.skipped if one.error}
        rows: dict[str, list[tuple[int, int]]] = {}
        owners, firsts = np.unique(parts.documents, return_index=True)
        ends = np.append(firsts, len(parts.documents))[1:]
        for owner, *span in zip(owners.tolist(), firsts.tolist(), ends.tolist(), strict=True):
            rows.setdefault(self.paths[owner], []).append((span[0], span[1]))
        for path in sorted(unread & rows.keys()):
            count = counted(sum(high - low for low, high in rows.pop(path)), self.unit)
            self.notes.append((path, f"{count} repeated in it; {UNREAD}"))
        found: dict[str, Change] = {}
        for path, some in rows.items():
            file = found[path] = Change(self.files[path], self.reading)
            own = np.concatenate([np.arange(low, high) for low, high in some])
            records = self.records[parts.documents[own]]
            if why := why_whole(file.file, self.reading):
                file.whole = dict.fromkeys(records.tolist(), why)
            else:
                spans = np.stack([parts.starts[own], parts.ends[own]], axis=1)
                file.spans_of = partial(_spans_of, records, spans)
        self.cuts = found
        return found

    def without(self, lost: Mapping[str, str]) -> Mapping[str, Change]:
        """Raise if a file with documents is lost: parts may be cut because they stay in it."""
        refuse_lost(lost, self.paths)
        return {}

    def result(self, copy: Copy) -> Shortened:
        """Return the result; from documents that were kept whole nothing was cut."""
        parts, skipped, cuts = self.parts, list(self.skipped), self.cuts
        if cuts is not None:
            cut = np.array([
                path in cuts and int(record) not in cuts[path].whole
                for path, record in zip(self.paths, self.records.tolist(), strict=True)
            ], np.bool_)  # fmt: skip
            whole = np.unique(parts.documents[~cut[parts.documents]]).tolist()
            parts = parts.take(cut[parts.documents])
            skipped += [
                Skipped(self.names[row], cuts[path].whole[int(self.records[row])], error=True)
                for row in whole
                if (path := self.paths[row]) in cuts
            ]
        lost = np.zeros(len(self.names), np.int64)
        np.add.at(lost, parts.documents, parts.ends - parts.starts)
        before = int(self.characters.sum())
        groups, sizes = self.groups, np.zeros(len(lost), np.int64)
        np.add.at(sizes, parts.documents, parts.text_ends - parts.text_starts)
        columns = np.ones(len(lost)), lost > 0, self.sizes, sizes
        return Shortened(
            self.unit,
            RemovedParts(self.names, parts, self.content),
            documents=len(self.names),
            changed=int(np.count_nonzero(lost)),
            emptied=int(np.count_nonzero(lost == self.characters)),
            characters_before=before,
            characters_after=before - int(lost.sum()),
            skipped=copy.tell(skipped),
            notes=(*self.notes, *copy.notes),
            written=copy.written,
            bytes_before=copy.bytes_before,
            bytes_after=copy.bytes_after,
            missing=copy.missing,
            data=self.names,
            parts=() if groups is None else tuple(group_parts(groups, columns)),
        )


def _spans_of(records: NDArray[np.int64], spans: NDArray[np.int64], number: int) -> Spans:
    """Return the spans of a record, of those of a file in order."""
    low, high = np.searchsorted(records, (number, number + 1)).tolist()
    return joined(spans[low:high].tolist())


def _find(opened: Input, criteria: PartCriteria, by: str | None) -> _Found:
    """Read all documents, and find what is cut from them."""
    with collected(opened, opened.analyzer(), PartWork(criteria)) as collection:
        repeated = find_repeated(collection, criteria.copies)
        parts, content = cut_out(collection, repeated, criteria, opened.settings.run)
        documents, report = collection.documents, collection.report
        return _Found(
            criteria.unit,
            documents["name"].tolist(),
            documents["path"].tolist(),
            documents["record"],
            collection["characters"],
            collection["original"][:, 1],
            parts,
            content,
            None if by is None else group_by("by", by, collection),
            report.skipped,
            report.notes,
            {file.path: file for file in opened.files},
            opened.settings.reading,
        )
