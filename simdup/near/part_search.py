"""Parts of documents that earlier documents have: lines, sentences or paragraphs.

Each process cuts the texts of its batches into parts, and spools the digest and the place of each
part that is long enough: 24 bytes a part.  Equal digests are then sorted together, in input order:
a part stays in the first documents that have it.  Texts are cut a second time to find what goes
with a part that is left out.
"""

from __future__ import annotations

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
from simdup.text.characters import DIGEST_BYTES, text_digest
from simdup.text.units import Keys, cut_spans, keys_of, lay_out

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
        return {self.digests[i]: "empty" for i in first if not self._texts[i].strip()}

    def finish(
        self, documents: Sequence[int], first: Sequence[int], spool: Spool
    ) -> tuple[Tables, None]:
        """Return the slots of the texts met first, and of their parts."""
        texts = [self._texts[place] for place in first]
        columns = {
            "content": spool(text.encode("utf-8", "surrogatepass") for text in texts),
            "parts": spool(map(self._parts, texts)),
            "characters": np.array([len(text) for text in texts], np.int64),
        }
        return {DOCUMENTS: {}, TEXTS: columns}, None

    def _parts(self, text: str) -> bytes:
        keys: Keys = keys_of(text, self._criteria.unit, self._criteria.min_length)
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
    kept: I64  # rows of the first documents that have them
    kept_starts: I64
    kept_ends: I64

    def take(self, rows: NDArray[np.generic]) -> RepeatedParts:
        """Return some of them."""
        return RepeatedParts(*(column[rows] for column in self))

    def spans(self, documents: int) -> list[I64]:
        """Return the spans of each document, given their number: int64[parts, 2] each."""
        bounds = np.searchsorted(self.documents, np.arange(documents + 1))
        columns = np.stack([self.starts, self.ends], axis=1)
        return [columns[low:high] for low, high in pairwise(bounds.tolist())]


def find_repeated(collection: Collection, copies: int) -> RepeatedParts:
    """Return the parts that enough documents before have.

    Parameters
    ----------
    collection : Collection
        Documents that `PartWork` prepared.
    copies : int
        In how many documents a part stays: in all places where these have it.
    """
    slots = collection.texts["parts"]
    sizes = slots[:, 1] // _PART.itemsize
    firsts = np.append(0, np.cumsum(sizes))
    parts = np.empty(int(firsts[-1]), _PART)
    for first, last, content in collection.spool.runs(slots):
        parts[firsts[first] : firsts[last]] = np.frombuffer(content, _PART)
    # The rows of the parts of all documents: copies have those of one text.
    of = collection.text_of
    counts = sizes[of]
    ends = np.cumsum(counts)
    rows = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(
        ends - counts - firsts[of], counts
    )
    documents = np.repeat(np.arange(len(of)), counts)
    high, low = parts["digest"][:, 0][rows], parts["digest"][:, 1][rows]
    order = np.lexsort((low, high))  # stable: in input order
    high, low, owners = high[order], low[order], documents[order]
    new = np.append(True, (high[1:] != high[:-1]) | (low[1:] != low[:-1]))[: len(order)]
    del high, low
    begins = np.flatnonzero(new)
    # How many other documents with the same part come before.
    other = np.append(False, owners[1:] != owners[:-1])[: len(order)]
    before = np.cumsum(other | new)
    before -= np.repeat(before[begins], np.diff(np.append(begins, len(order))))
    kept = np.repeat(order[begins], np.diff(np.append(begins, len(order))))
    gone = before >= copies
    cut, kept = order[gone], kept[gone]
    sorted_cut = np.argsort(cut, kind="stable")
    cut, kept = cut[sorted_cut], kept[sorted_cut]
    starts, ends = (parts[name].astype(np.int64) for name in ("start", "end"))
    return RepeatedParts(
        documents[cut], starts[rows[cut]], ends[rows[cut]],
        documents[kept], starts[rows[kept]], ends[rows[kept]],
    )  # fmt: skip


class _CutTask(NamedTuple):
    """Texts from which parts are cut."""

    texts: Sequence[tuple[Slot, I64]]  # each with the starts of its parts
    size: int


def cut_out(
    collection: Collection, repeated: RepeatedParts, criteria: PartCriteria, run: RunOptions
) -> RepeatedParts:
    """Return parts with all that is cut with them, without those that must stay.

    See `simdup.text.units.cut_spans`.
    """
    owners, firsts = np.unique(repeated.documents, return_index=True)
    bounds = np.append(firsts, len(repeated.documents)).tolist()
    slots, text_of = collection.texts["content"], collection.text_of
    texts = [slot_at(slots, int(text_of[owner])) for owner in owners.tolist()]
    starts = [repeated.starts[low:high] for low, high in pairwise(bounds)]
    tasks = [
        _CutTask(list(zip(texts[low : low + _TEXTS], starts[low : low + _TEXTS], strict=True)),
              sum(one.size for one in texts[low : low + _TEXTS]))
        for low in range(0, len(texts), _TEXTS)
    ]  # fmt: skip
    found: list[I64] = []
    done, total = 0, sum(task.size for task in tasks)
    for task, spans in zip(
        tasks, _worked(tasks, total, collection.spool, criteria, run), strict=True
    ):
        found.append(spans)
        done += task.size
        run.progress("cutting", done, total)
    spans = np.concatenate([np.empty((0, 2), np.int64), *found])
    left = repeated._replace(starts=spans[:, 0].copy(), ends=spans[:, 1].copy())
    return left.take(spans[:, 0] >= 0)


def _worked(
    tasks: Sequence[_CutTask],
    size: int,
    spool: SpoolReader,
    criteria: PartCriteria,
    run: RunOptions,
) -> Iterator[I64]:
    """Yield the spans of each task, in order."""
    start = partial(_cutter, spool, criteria.unit)
    if run.processes == 1 or size < WORTH_WORKERS:
        yield from map(start(0), tasks)
        return
    workers = Workers[_CutTask, I64](run.processes, start)
    try:
        yield from workers.map(tasks)
    finally:
        workers.close()


def _cutter(spool: SpoolReader, unit: str, number: int) -> Callable[[_CutTask], I64]:
    """Return what finds the spans of texts, -1 for what stays, in the process of a number."""

    def cut(task: _CutTask) -> I64:
        found: list[tuple[int, int]] = []
        for slot, starts in task.texts:
            text = spool.read(slot).decode("utf-8", "surrogatepass")
            layout = lay_out(text, unit)
            wanted = set(starts.tolist())
            gone = [one.start in wanted for one in layout.parts]
            spans = cut_spans(text, unit, layout, gone)
            found += [span or (-1, -1) for span, left in zip(spans, gone, strict=True) if left]
        return np.array(found, np.int64).reshape(-1, 2)

    return cut
