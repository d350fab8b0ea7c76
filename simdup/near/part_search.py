"""Parts of documents that earlier documents have: lines, sentences or paragraphs.

Each process cuts the texts of its batches into parts, and spools the digest and the place of each
part that is long enough: 24 bytes a part.  Equal digests are then sorted together, in input order:
a part stays in the first documents that have it.  Texts are cut a second time to find what goes
with a part that is left out, and which parts directly repeat what comes before them.

A document with such parts may be equal to another but for these.  Then that one is taken to come
first: a document that holds itself twice empties no clean one.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.workers import Workers
from simdup.corpus.spool import Slot, SpoolReader, slot_at
from simdup.model.cleaned import PartCriteria
from simdup.model.documents import Document
from simdup.model.settings import RunOptions
from simdup.near.batch_reader import DOCUMENTS, TEXTS, Spool, Tables
from simdup.near.collection import WORTH_WORKERS, Collection
from simdup.text.characters import DIGEST_BYTES, DIGEST_TYPE, text_digest
from simdup.text.units import Keys, cut_spans, forms_of, keys_of, lay_out, repeated

I64 = NDArray[np.int64]

# What is spooled of a part.
_PART = np.dtype([("digest", "<u8", 2), ("start", "<u4"), ("end", "<u4")])
# Texts that one process cuts at a time.
_TEXTS = 256


@dataclass(frozen=True, slots=True)
class PartWork:
    """Cuts texts into parts; can be pickled."""

    criteria: PartCriteria

    def __call__(self) -> Callable[[Sequence[Document]], PartTexts]:
        """Return what prepares the documents of each batch in one process."""
        return partial(PartTexts, self.criteria)


class PartTexts:
    """The texts of a batch, cut into parts."""

    def __init__(self, criteria: PartCriteria, documents: Sequence[Document]) -> None:
        self._criteria = criteria
        self._texts = [one.text for one in documents]
        # Of the text as it is, white space included: the places of its parts are those there.
        self.digests = [text_digest(text) for text in self._texts]

    def refuse(self, first: Sequence[int]) -> Mapping[bytes, str]:
        """Return which of these texts are empty."""
        texts = self._texts  # a large one is not copied, as `strip` does
        return {self.digests[i]: "empty" for i in first if not texts[i] or texts[i].isspace()}

    def finish(
        self, documents: Sequence[int], first: Sequence[int], spool: Spool
    ) -> tuple[Tables, None]:
        """Return the slots of the texts met first, and of their parts."""
        texts = [self._texts[place] for place in first]
        criteria = self._criteria
        keys = [keys_of(text, criteria.unit, criteria.min_length) for text in texts]
        columns = {
            "original": spool(text.encode("utf-8", "surrogatepass") for text in texts),
            "parts": spool(map(_spooled, keys)),
            "characters": np.array([len(text) for text in texts], np.int64),
            "repeats": np.array([one.repeats for one in keys], np.uint8),
            "rest": np.array([one.rest for one in keys], DIGEST_TYPE),
        }
        return {DOCUMENTS: {}, TEXTS: columns}, None


def _spooled(keys: Keys) -> bytes:
    """Return what is spooled of the parts of a text."""
    rows = np.empty(len(keys.starts), _PART)
    rows["digest"] = keys.digests.view("<u8").reshape(-1, DIGEST_BYTES // 8)
    rows["start"], rows["end"] = keys.starts, keys.ends
    return rows.tobytes()


class RepeatedParts(NamedTuple):
    """Parts that are left out, in input order, and where each stays.

    Each is an array int64[parts].
    """

    documents: I64  # rows of the documents that they are cut from
    starts: I64
    ends: I64
    kept: I64  # rows of the documents where they stay; -1, as their places, where they do not
    kept_starts: I64
    kept_ends: I64
    text_starts: I64  # where their texts begin and end among all of these, in UTF-8
    text_ends: I64

    def take(self, rows: NDArray[np.generic] | slice) -> RepeatedParts:
        """Return some of them."""
        return RepeatedParts(*(column[rows] for column in self))

    def spans(self, row: int) -> list[tuple[int, int]]:
        """Return the spans of a document, ascending."""
        low, high = np.searchsorted(self.documents, (row, row + 1)).tolist()
        return list(zip(self.starts[low:high].tolist(), self.ends[low:high].tolist(), strict=True))


def find_repeated(collection: Collection, copies: int) -> RepeatedParts:
    """Return the parts that enough documents before have; without copies, that others have.

    Parameters
    ----------
    collection : Collection
        Documents that `PartWork` prepared.
    copies : int
        In how many documents a part stays: in all places where these have it; 0 for none.
    """
    slots = collection.texts["parts"]
    sizes = slots[:, 1] // _PART.itemsize
    firsts = np.append(0, np.cumsum(sizes))
    parts = np.empty(int(firsts[-1]), _PART)
    for first, last, content in collection.spool.runs(slots):
        parts[firsts[first] : firsts[last]] = np.frombuffer(content, _PART)
    # The rows of the parts of all documents: copies have those of one text.
    turn = _in_turn(collection)
    of = collection.text_of[turn]
    counts = sizes[of]
    ends = np.cumsum(counts)
    rows = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(
        ends - counts - firsts[of], counts
    )
    documents = np.repeat(turn, counts)
    high, low = parts["digest"][:, 0][rows], parts["digest"][:, 1][rows]
    order = np.lexsort((low, high))  # stable: documents in turn
    high, low, owners = high[order], low[order], documents[order]
    new = np.append(True, (high[1:] != high[:-1]) | (low[1:] != low[:-1]))[: len(order)]
    del high, low
    begins = np.flatnonzero(new)
    # How many other documents with the same part come before.
    other = np.append(False, owners[1:] != owners[:-1])[: len(order)]
    sizes = np.diff(np.append(begins, len(order)))
    before = np.cumsum(other | new)
    before -= np.repeat(before[begins], sizes)
    kept = np.repeat(order[begins], sizes)
    # Without copies, a part goes from all documents if more than one has it.
    gone = before >= copies if copies else np.repeat(before[begins + sizes - 1] > 0, sizes)
    cut, kept = order[gone], kept[gone]
    in_order = np.lexsort((cut, documents[cut]))
    cut, kept = cut[in_order], kept[in_order]
    starts, ends = (parts[name].astype(np.int64) for name in ("start", "end"))
    nothing = np.zeros(len(cut), np.int64)
    stays = documents[kept], starts[rows[kept]], ends[rows[kept]]
    if not copies:
        stays = (np.full(len(cut), -1),) * 3
    return RepeatedParts(
        documents[cut], starts[rows[cut]], ends[rows[cut]],
        stays[0], stays[1], stays[2], nothing, nothing,
    )  # fmt: skip


def _in_turn(collection: Collection) -> I64:
    """Return the rows of all documents in the turn in which parts stay in them.

    This is input order, but of documents that are equal without direct repetitions those that have
    none come first.
    """
    rest = collection["rest"].view("<u8").reshape(-1, DIGEST_BYTES // 8)
    places = np.lexsort((rest[:, 0], rest[:, 1]))
    turn = np.empty(len(places), np.int64)
    turn[places] = np.lexsort((collection["repeats"] == 2, rest[:, 0], rest[:, 1]))
    return turn


class _CutTask(NamedTuple):
    """Texts from which parts are cut."""

    # Each with the starts of the parts that others have, and whether it repeats itself: see `Keys`.
    texts: Sequence[tuple[Slot, I64, int]]
    size: int


class _CutTexts(NamedTuple):
    """What is cut from the texts of a task."""

    counts: I64  # rows of each text
    # int64[parts, 6], a row a part: the start of the part; the span that is cut, -1 if it stays;
    # the part of the same text that it repeats, -1 if others have it; the size of its text.
    rows: I64
    content: bytes  # their texts


def cut_out(
    collection: Collection, repeats: RepeatedParts, criteria: PartCriteria, run: RunOptions
) -> tuple[RepeatedParts, mmap.mmap | bytes]:
    """Return parts with all that is cut with them, without those that must stay, and their texts.

    Parts that directly repeat what comes before them in their document are cut too.  See
    `simdup.text.units`.
    """
    owners = np.union1d(repeats.documents, np.flatnonzero(collection["repeats"] == 2))
    bounds = np.searchsorted(repeats.documents, np.append(owners, len(collection))).tolist()
    slots, text_of = collection.texts["original"], collection.text_of
    texts = [
        (slot_at(slots, int(text_of[owner])), repeats.starts[low:high], itself)
        for owner, itself, (low, high) in zip(
            owners.tolist(), collection["repeats"][owners].tolist(), pairwise(bounds), strict=True
        )
    ]
    tasks = [
        _CutTask(some, sum(slot.size for slot, _, _ in some))
        for some in (texts[low : low + _TEXTS] for low in range(0, len(texts), _TEXTS))
    ]
    rows, counts = [np.empty((0, 6), np.int64)], [np.empty(0, np.int64)]
    done, total = 0, sum(task.size for task in tasks)
    with tempfile.TemporaryFile() as file:
        for task, cut in zip(
            tasks, _worked(tasks, total, collection.spool, criteria, run), strict=True
        ):
            counts.append(cut.counts)
            rows.append(cut.rows)
            file.write(cut.content)
            done += task.size
            run.progress("cutting", done, total)
        file.flush()
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if file.tell() else b""
    documents = np.repeat(owners, np.concatenate(counts))
    return _joined(repeats, documents, np.concatenate(rows)), content


def _joined(repeats: RepeatedParts, documents: I64, rows: I64) -> RepeatedParts:
    """Return what is cut, given what others have and the rows of all parts in question."""
    of_others = rows[:, 3] < 0
    kept, kept_places = documents.copy(), rows[:, 3:5]
    kept[of_others] = repeats.kept
    kept_places[of_others] = np.stack([repeats.kept_starts, repeats.kept_ends], axis=1)
    gone = rows[:, 1] >= 0
    documents, rows, kept, kept_places = documents[gone], rows[gone], kept[gone], kept_places[gone]
    # Where a part would stay, it may be cut because it stays somewhere else.
    cut = _places(documents, rows[:, 0])
    while len(cut):
        at = np.minimum(np.searchsorted(cut, _places(kept, kept_places[:, 0])), len(cut) - 1)
        moved = np.flatnonzero(cut[at] == _places(kept, kept_places[:, 0]))
        if not len(moved):
            break
        kept[moved], kept_places[moved] = kept[at[moved]], kept_places[at[moved]]
    ends = np.cumsum(rows[:, 5])
    return RepeatedParts(
        documents, rows[:, 1], rows[:, 2], kept, kept_places[:, 0], kept_places[:, 1],
        ends - rows[:, 5], ends,
    )  # fmt: skip


def _places(documents: I64, starts: I64) -> I64:
    """Return a number for each place in all documents, in order."""
    return (documents << 32) + starts


def _worked(
    tasks: Sequence[_CutTask],
    size: int,
    spool: SpoolReader,
    criteria: PartCriteria,
    run: RunOptions,
) -> Iterator[_CutTexts]:
    """Yield what is cut from the texts of each task, in order."""
    start = partial(_cutter, spool, criteria)
    if run.processes == 1 or size < WORTH_WORKERS:
        yield from map(start(0), tasks)
        return
    workers = Workers[_CutTask, _CutTexts](run.processes, start)
    try:
        yield from workers.map(tasks)
    finally:
        workers.close()


def _cutter(
    spool: SpoolReader, criteria: PartCriteria, number: int
) -> Callable[[_CutTask], _CutTexts]:
    """Return what finds what is cut from texts, in the process of a number."""

    def work(task: _CutTask) -> _CutTexts:
        rows, contents = [np.empty((0, 6), np.int64)], list[bytes]()
        for slot, starts, itself in task.texts:
            text = spool.read(slot).decode("utf-8", "surrogatepass")
            rows.append(_cut_rows(text, criteria, starts, itself))
            spans = rows[-1][:, 1:3].tolist()
            cut = [text[start:end].encode("utf-8", "surrogatepass") for start, end in spans]
            rows[-1][:, 5] = list(map(len, cut))
            contents += cut
        counts = np.array([len(some) for some in rows[1:]], np.int64)
        return _CutTexts(counts, np.concatenate(rows), b"".join(contents))

    return work


def _cut_rows(text: str, criteria: PartCriteria, starts: I64, itself: int) -> I64:
    """Return what is cut from a text; see `_CutTask` and `_CutTexts`.  The sizes are missing."""
    unit, least = criteria.unit, criteria.min_length
    layout = lay_out(text, unit)
    begins, ends = layout.starts, layout.ends
    has = np.zeros(len(begins), np.bool_)
    has[np.searchsorted(begins, starts)] = True
    origin = np.full(len(begins), -1, np.int64)
    if itself == 2:
        origin = repeated(text, unit, begins, ends, forms_of(text, begins, ends, least), least)
    # What is side by side once the parts of others are cut may repeat itself, too.
    stays = np.flatnonzero(~has & (origin < 0))
    sizes = (ends - begins)[stays]
    # Folded, a part is hardly shorter than half of what it was, and seldom longer than twice that.
    likely = (sizes[1:] <= 2 * sizes[:-1]) & (2 * sizes[1:] >= least)
    apart = np.diff(stays) > 1
    seams = np.flatnonzero(apart & likely)
    sides = stays[np.stack([seams, seams + 1], axis=1).ravel()]
    if apart.any() and (
        itself or forms_of(text, begins[sides], ends[sides], len(text)).inside[1::2].any()
    ):
        places = begins[stays], ends[stays]
        again = repeated(text, unit, *places, forms_of(text, *places, least), least)
        origin[stays[again >= 0]] = stays[again[again >= 0]]
    gone = has | (origin >= 0)
    spans = cut_spans(text, unit, layout, gone)
    at, before = np.flatnonzero(gone), origin[gone]
    rows = np.full((len(at), 6), -1, np.int64)
    rows[:, 0], rows[:, 1:3] = begins[at], spans[at]
    own = (before >= 0) & ~has[at]
    rows[own, 3], rows[own, 4] = begins[before[own]], ends[before[own]]
    return rows
