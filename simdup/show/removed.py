"""The result of cleaning a corpus, and its lists: each removed document or part, with its reason.

The account says what each source, author or folder lost, as a table.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import counted
from simdup.base.when_used import pattern
from simdup.corpus.names import is_archive
from simdup.model.cleaned import Outcome, Part, Removed, RemovedPart
from simdup.model.clusters import Spared
from simdup.model.documents import Skipped
from simdup.model.formats import REMOVED_COLUMNS, REMOVED_PART_COLUMNS, digits
from simdup.model.frames import measure_of
from simdup.near.field_groups import Groups
from simdup.near.findings import Findings, Origins
from simdup.show.escaping import shown
from simdup.show.lines import csv_lines, json_line, record, typed
from simdup.show.summary import size_words
from simdup.show.words import ENGLISH, Phrases

if TYPE_CHECKING:
    from simdup.index.match import Added
    from simdup.near.part_search import RepeatedParts
    from simdup.show.text import Painter

# Characters of a text that tell a person which one it is: a line of a terminal, or 40 Chinese ones.
BEGINNING = 80
# In place of what one of two texts lacks.
_NOTHING = "(nothing)"
# Characters read of a text for its beginning, white space included.
_READ = 8 * BEGINNING


@dataclass(frozen=True, kw_only=True, repr=False)
class Cleaned(Outcome):
    """The result of cleaning a corpus; `data` is what stays.

    Attributes
    ----------
    unit : str
        What is removed: ``document``, or parts of documents, see `PartCriteria`.
    removed : sequence of Removed or RemovedPart
        What was removed, in input order.
    documents : int
        How many were read, not counting references.
    skipped : tuple of Skipped
        What could not be read, and documents that are kept whole though they have repeated parts.
    result : Result
        What the scan found, if documents were removed.
    numbers : array of int64
        The numbers of the removed documents in the run, references included: int64[removed].
    annotated : bool
        Whether all documents were written, with what was found of them; what would have been left
        out is in `removed` all the same.
    added : Added or None
        What happened to the documents given to the index; None if it was left as it is.
    changed, emptied : int
        How many documents lost a part, and how many all their text.
    characters_before, characters_after : int
        Characters of the texts of all documents, if parts were cut.
    """

    removed: Sequence[Any]
    documents: int
    skipped: tuple[Skipped, ...] = ()
    unit: str = "document"
    result: Any = None
    numbers: Any = ()
    annotated: bool = False
    added: Added | None = None
    changed: int = 0
    emptied: int = 0
    characters_before: int = 0
    characters_after: int = 0

    def __repr__(self) -> str:
        """Return the counts: data may be large."""
        documents = counted(self.documents, "document")
        if self.unit == "document":
            return f"Cleaned({len(self.removed):,} of {documents} removed)"
        parts = counted(len(self.removed), self.unit)
        return f"Cleaned({parts} cut from {self.changed:,} of {documents})"

    @property
    def positions(self) -> NDArray[np.int64]:
        """Where the removed documents are among those of the result: int64[removed]."""
        positions: NDArray[np.int64] = self.result.inputs.positions(np.asarray(self.numbers, int))
        return positions


class RemovedParts(Sequence[RemovedPart]):
    """The parts that were cut, in input order; each is made when it is asked for.

    Parameters
    ----------
    names : sequence
        The names of all documents.
    parts : RepeatedParts
        What was cut, by the rows of documents.
    content : bytes or mmap
        The texts of what was cut.
    """

    def __init__(
        self, names: Sequence[Any], parts: RepeatedParts, content: bytes | mmap.mmap
    ) -> None:
        self._names = names
        self._parts = parts
        self._content = content

    def __len__(self) -> int:
        """Return how many parts were cut."""
        return len(self._parts.documents)

    @overload
    def __getitem__(self, at: int) -> RemovedPart: ...
    @overload
    def __getitem__(self, at: slice) -> RemovedParts: ...
    def __getitem__(self, at: int | slice) -> RemovedPart | RemovedParts:
        """Return one part, or some of them."""
        if isinstance(at, slice):
            return RemovedParts(self._names, self._parts.take(at), self._content)
        row, start, end, *stays, first, last = (int(column[at]) for column in self._parts)
        kept, kept_start, kept_end = stays if stays[0] >= 0 else (None, None, None)
        return RemovedPart(
            self._names[row], start, end,
            None if kept is None else self._names[kept], kept_start, kept_end,
            self._content[first:last].decode("utf-8", "surrogatepass"),
        )  # fmt: skip

    def __repr__(self) -> str:
        """Return how many there are."""
        return f"<{counted(len(self), 'removed part')}>"


def cleaned_words(cleaned: Cleaned, words: Phrases = ENGLISH) -> str:
    """Return how many documents a cleaned corpus keeps, and its size."""
    documents = words("documents", n=cleaned.documents)
    redundant = len(cleaned.removed)
    if cleaned.annotated:
        return words("cleaned.annotated", documents=documents, redundant=redundant)
    stay = words("cleaned.stay", n=cleaned.documents - redundant, documents=documents)
    # They are written too, so there may be more files than documents.
    if not all(one.error for one in cleaned.skipped):
        stay = words("cleaned.skipped", stay=stay)
    before, after = cleaned.bytes_before, cleaned.bytes_after
    if before is None or after is None:
        return stay
    sizes = {"after": size_words(after, words), "before": size_words(before, words)}
    # Compressed anew, a file may become larger.
    if after < before:
        return words("cleaned.saved", stay=stay, saved=1 - after / before, **sizes)
    return words("cleaned.size", stay=stay, **sizes)


def parts_words(cleaned: Cleaned, words: Phrases = ENGLISH) -> str:
    """Return how many parts were cut, from how many documents, and what is left."""
    before, after = cleaned.characters_before, cleaned.characters_after
    said = [
        words(
            "parts.cut",
            parts=words(f"parts.{cleaned.unit}", n=len(cleaned.removed)),
            changed=cleaned.changed,
            documents=words("documents", n=cleaned.documents),
        ),
        words("parts.characters", cut=before - after, before=before,
              share=(before - after) / max(before, 1)),
    ]  # fmt: skip
    if cleaned.bytes_before is not None and cleaned.bytes_after is not None:
        sizes = [size_words(one, words) for one in (cleaned.bytes_after, cleaned.bytes_before)]
        said.append(words("parts.bytes", after=sizes[0], before=sizes[1]))
    if cleaned.emptied:
        said.append(words("parts.emptied", n=cleaned.emptied))
    return words.sentence(said)


def missing_words(missing: Sequence[str], words: Phrases = ENGLISH) -> str:
    """Return how much could not be copied to a cleaned corpus; empty for nothing."""
    if not missing:
        return ""
    folders = sum(map(os.path.isdir, missing))
    counts = (len(missing) - folders, "files"), (folders, "folders")
    what = words("and").join(words(noun, n=number) for number, noun in counts if number)
    return words("missing", what=what)


def removed_lines(cleaned: Cleaned, jsonl: bool, bom: bool = False) -> Iterator[bytes]:
    """Return the lines of what was removed; JSON has spared documents and groups, too."""
    if not jsonl:
        whole = cleaned.unit == "document"
        return (
            _csv(cleaned, bom) if whole else csv_lines(REMOVED_PART_COLUMNS, cleaned.removed, bom)
        )
    if cleaned.unit == "document":
        removed = (
            json_line({"type": "removed"} | record(one) | {"beginning": beginning})
            for one, beginning in _with_beginnings(cleaned)
        )
        return chain(removed, typed("spared", cleaned.result.spared), typed("part", cleaned.parts))
    return chain(typed("removed_part", cleaned.removed), typed("part", cleaned.parts))


def _csv(cleaned: Cleaned, bom: bool) -> Iterator[bytes]:
    criteria = cleaned.result.origins.criteria
    extras = (*criteria.extras, *(["covered"] if criteria.lossless else []))
    rows = (
        (
            one.document,
            one.reason,
            one.distance,
            digits(one.similarity),
            one.kept,
            *(digits(getattr(one, extra)) for extra in extras),
            measure_of(one),
            "; ".join(f"{fact.a or _NOTHING} -> {fact.b or _NOTHING}" for fact in one.facts or ()),
            beginning,
        )
        for one, beginning in _with_beginnings(cleaned)
    )
    return csv_lines((*REMOVED_COLUMNS, *extras, "measure", "facts", "beginning"), rows, bom)


def _with_beginnings(cleaned: Cleaned) -> Iterator[tuple[Removed, str]]:
    """Yield the removed documents and how their texts begin, in one line."""
    text_of = cleaned.result.origins.text
    for number, entry in zip(cleaned.numbers, cleaned.removed, strict=True):
        text = text_of(int(number)) or ""
        yield entry, " ".join(text[:_READ].split())[:BEGINNING]


def account(result: Findings, removed: NDArray[np.int64], groups: Groups) -> Iterator[Part]:
    """Return what each group of documents lost, given numbers: those that lost most come first."""
    sizes = result.origins.documents["size"]
    gone = np.zeros(len(sizes), np.bool_)
    gone[removed] = True
    known = result.inputs.took_part
    return group_parts(groups, (known, gone, np.where(known, sizes, 0), np.where(gone, sizes, 0)))


def group_parts(groups: Groups, columns: Sequence[NDArray[Any]]) -> Iterator[Part]:
    """Yield the sums of each group, of the columns that `Part` has: the largest losses first."""
    # The last one has the documents without a value.
    of = np.where(groups.of < 0, len(groups.names), groups.of)
    figures = np.array([
        np.bincount(of, column, len(groups.names) + 1) for column in columns
    ], np.int64)  # fmt: skip
    for i in np.lexsort((-figures[0], -figures[1])).tolist():
        if figures[0, i]:
            name = groups.names[i] if i < len(groups.names) else None
            yield Part(name, *figures[:, i].tolist())


def by_source(sources: Sequence[str], origins: Origins) -> Groups:
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


# More rows do not help a person; programs get all.
ROWS = 20
_INDENT = 10
# Documents of which is shown what would be lost, facts of each that are named, and characters
# before and after the passage, so that it makes sense.
_LOST = 3
FACTS = 5
_AROUND = 20
_SPACE = pattern(r"\s+")
# The terminal cells of the columns.
_WIDTHS = (9, 8, 7, 13)


def account_text(cleaned: Cleaned, by: str, paint: Painter) -> Iterator[str]:
    """Yield the lines of a table: the groups that lost most, and how many others there are."""
    parts, words = cleaned.parts, paint.words
    if not parts:
        return
    lost = "removed" if cleaned.unit == "document" else "changed"
    indent = sum(_WIDTHS) + 2 * len(_WIDTHS)
    by = words("account.folder") if by == "folder" else by
    yield paint(
        "dim", _row([words(f"account.{name}") for name in ("documents", lost, "share", "bytes")],
                    paint.name(by, indent)),
    )  # fmt: skip
    for part in parts[:ROWS]:
        name = part.name or words("account.empty")
        name = words("account.without", by=by) if part.name is None else name
        bytes_ = size_words(part.removed_bytes, words)
        cells = (f"{part.documents:,}", f"{part.removed:,}", f"{part.share:.1%}", bytes_)
        yield _row(cells, paint.name(name, indent))
    if len(parts) > ROWS:
        others = parts[ROWS:]
        removed = sum(part.removed for part in others)
        yield words(f"account.others.{lost}", n=len(others), removed=removed)


def _row(cells: Iterable[str], name: str) -> str:
    """Return a line of the table: figures, and a name of any width behind them."""
    from simdup.show.text import aligned

    figures = (aligned(cell, width) for cell, width in zip(cells, _WIDTHS, strict=True))
    return "  ".join([*figures, name])


def given_up(result: Findings) -> list[Spared]:
    """Return the redundant documents that have something that the kept one lacks, as if spared."""
    return [
        Spared(m.name, m.kept, m.similarity, m.covered, m.number, m.beside)
        for one in result.clusters
        for m in one.members
        if m.role == "redundant" and m.covered is not None and m.covered < 1
    ]


def lost_text(result: Findings, documents: Iterable[Spared], paint: Painter) -> Iterator[str]:
    """Yield lines that show what would be lost of those documents of which most would be."""
    from simdup.near.differences import find_differences
    from simdup.show.text import shortened

    indent = " " * _INDENT
    for one in sorted(documents, key=lambda one: (one.covered, one.number))[:_LOST]:
        kept, text = (result.origins.text(number) for number in (one.beside, one.number))
        if kept is None or text is None:
            continue
        yield f"{1 - one.covered:>{_INDENT - 2}.1%}  {paint.name(str(one.name), _INDENT)}"
        beside = paint.words("spared.beside", kept=one.kept)
        if one.facts:
            facts = paint.words.listed(one.facts[:FACTS])
            beside += paint.words("spared.facts", facts=facts, n=len(one.facts))
        yield f"{indent}{paint.name(beside, _INDENT)}"
        spans = find_differences(kept, text, result.origins.analyzer)
        added = (span.b for span in spans if span.kind == "added")
        # The longest passage that the kept one lacks.
        start, end = max(added, key=lambda span: span[1] - span[0], default=(0, 0))
        if start == end:
            continue  # what only it has are shingles across a seam
        before = _one_line(text[max(start - _AROUND, 0) : start])
        passage = _one_line(text[start:end][:BEGINNING])
        after = _one_line(text[end : end + _AROUND])
        if paint.width:
            room = max(paint.width - _INDENT, 8 * len("[++]"))
            before, after = (shortened(part, room // 4 - 2) for part in (before, after))
            passage = shortened(passage, room // 2)
        yield f"{indent}{before.lstrip()}{paint('added', f'[+{passage}+]')}{after.rstrip()}"


def _one_line(text: str) -> str:
    return shown(_SPACE.sub(" ", text))
