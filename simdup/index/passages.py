"""Passages of an index: texts that were read once, to be searched for what others share with them.

An index of passages keeps each text, compressed; the hashes of its chosen k-grams
(`simdup.reuse.winnowing`), each once and ascending; and the digest of its symbols, which copies
share.  Two texts that share a long run have a chosen k-gram in common.  So all hashes are read, and
only the texts that have a wanted one.

K-grams that too many texts have start no passages.  Which ones these are depends on all documents,
so every transaction ends with `seal`, which finds them: `passages` must give the same rows whether
it reads the documents or their index.  It counts the texts that have each hash.  If there are too
many of any, it cuts those texts into symbols again, because the k-grams beside these may be common
without being chosen (`simdup.reuse.seeds`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.corpus.batches import PackedBatch, PackedText, pack_text
from simdup.corpus.spool import SpoolReader
from simdup.index.file import IndexFile, open_file, read_min_run
from simdup.index.segments import Segment, Segments, to_numbers
from simdup.model.settings import RunOptions, Settings
from simdup.model.shared_passages import PassageCriteria
from simdup.model.table import Documents, objects
from simdup.near.batch_reader import DOCUMENTS
from simdup.near.collection import collected
from simdup.near.counting import Maker, Prepared
from simdup.near.cutting import Cutting, assemble
from simdup.near.inputs import Input
from simdup.reuse.finding import Sides
from simdup.reuse.seeds import Place, common_grams
from simdup.reuse.sought import SoughtSeeds
from simdup.reuse.symbols import cut
from simdup.reuse.winnowing import Seeds, Window, winnow
from simdup.search.arrays import I64, U64, Bools, Members, distinct, run_starts
from simdup.text.characters import DIGEST_BYTES, DIGEST_TYPE, digest_bytes, fold_all

# Bytes of the texts that are yielded at a time.
_BATCH_BYTES = 1 << 20
# Hashes are counted by their first bits, about so many in a cell; those in full cells one by one.
_IN_A_CELL = 16
_FEWEST_BITS, _MOST_BITS = 10, 24


# -- making columns --------------------------------------------------------------------------------


def passage_makers(file: IndexFile) -> list[Maker]:
    """Return what makes the columns that an index needs for passages; nothing if it needs none."""
    run = read_min_run(file)
    return [] if run is None else [partial(passage_columns, window=Window.of(run))]


def passage_columns(batch: Prepared, window: Window) -> Mapping[str, Mapping[str, Any]]:
    """Spool texts, compressed, and the hashes of their chosen k-grams; make their digests."""
    texts = [document.text for document, _ in batch.documents]
    folded = [text.folded for _, text in batch.documents]
    recipe = batch.analyzer.recipe
    plain = recipe.fold and not recipe.phrases
    symbols = cut(folded if plain else fold_all(texts))
    seeds, starts = winnow(symbols, window), symbols.starts
    bounds = np.searchsorted(seeds.positions, starts).tolist()
    digests = [digest_bytes(symbols.symbols[a:b].data) for a, b in pairwise(starts.tolist())]
    grams = (distinct(seeds.hashes[first:last]) for first, last in pairwise(bounds))
    columns = {
        "symbols_digest": np.array(digests, DIGEST_TYPE),
        "packed": batch.spool(map(pack_text, texts)),
        "grams": batch.spool(hashes.astype("<u8").tobytes() for hashes in grams),
    }
    return {DOCUMENTS: columns}


def load_passages(documents: Documents, spool: SpoolReader | None) -> Documents:
    """Return documents with the bytes of their texts and hashes, instead of slots of a spool."""
    if spool is None or "packed" not in documents:
        return documents
    loaded = {
        name: objects(spool.row(documents[slots], row) for row in range(len(documents)))
        for name, slots in (("packed_text", "packed"), ("gram_hashes", "grams"))
    }
    return documents.without("packed", "grams").and_columns(**loaded)


# -- what is common --------------------------------------------------------------------------------


class CommonGrams(NamedTuple):
    """The blob of an index that says what is common."""

    min_run: int  # of the passages that its hashes find
    texts: int  # distinct ones
    hashes: U64  # ascending: of the k-grams that too many of them have

    def write(self) -> bytes:
        """Return the blob."""
        head = np.array([self.min_run, self.texts], "<u8")
        return head.tobytes() + self.hashes.astype("<u8").tobytes()


def read_common(file: IndexFile) -> CommonGrams:
    """Return what `begin_passages` and `seal` wrote."""
    content, run = file.named("passages"), read_min_run(file)
    numbers = to_numbers(content[: len(content) // 8 * 8])
    ordered = (numbers[3:] > numbers[2:-1]).all()
    if run is None or len(numbers) * 8 != len(content) or len(numbers) < 2 or not ordered:
        raise file.damaged("part passages is damaged")
    return CommonGrams(run, int(numbers[1]), numbers[2:])


def begin_passages(file: IndexFile, min_run: int) -> None:
    """Make a new index one of passages, with the runs that these should find."""
    file.set("passages", CommonGrams(min_run, 0, np.zeros(0, np.uint64)).write())


def seal(segments: Segments) -> None:
    """Write what is common by now; call it after all changes of a transaction."""
    file = segments.file
    if file.dirty and "passages" in file.head.blobs:
        common = find_common(segments, read_common(file).min_run).write()
        if common != file.named("passages"):
            file.set("passages", common)


def find_common(segments: Segments, min_run: int) -> CommonGrams:
    """Return what is common among all documents, as if they were compared with each other."""
    window = Window.of(min_run)
    parts = [one.column("symbols_digest") for one in segments]
    digests = _digests(np.concatenate([np.zeros(0, DIGEST_TYPE), *parts]))
    first = np.zeros(len(digests), np.bool_)
    first[np.unique(digests, return_index=True)[1]] = True
    texts = int(np.count_nonzero(first))
    most = PassageCriteria().most_documents(texts)
    hashes = _crowded(segments, first, most)
    if len(hashes):
        crowd = Members(hashes)

        def choose(one: Segment, known: Bools) -> Bools:
            seeds, ends = seeds_of(one)
            having = np.zeros(len(one), np.bool_)
            having[np.searchsorted(ends, np.flatnonzero(crowd(seeds)), "right")] = True
            return having & known

        opened = Input(
            _batches(segments, choose, first), Settings(run=RunOptions(jobs=1)), None, []
        )
        with collected(opened, opened.analyzer(), Cutting(window)) as read:
            found = assemble(read, Sides.every(len(read)))
            keys = np.zeros(len(found.starts) - 1, np.uint64)
            place = Place(found.symbols, window.k, most, keys)
            # The others are known to be rare.
            rows = np.flatnonzero(crowd(found.seeds.hashes))
            seeds = Seeds(found.seeds.hashes[rows], found.seeds.positions[rows])
            hashes = common_grams(seeds, found.starts, place)
    return CommonGrams(min_run, texts, hashes)


def _crowded(segments: Segments, first: Bools, most: int) -> U64:
    """Return the hashes, ascending, that more texts than `most` have chosen.

    `first` says which documents are the first with their text.
    """
    total = sum(int(one.bounds("gram_hashes")[-1]) // 8 for one in segments)
    bits = min(max((total // _IN_A_CELL).bit_length(), _FEWEST_BITS), _MOST_BITS)
    shift = np.uint64(64 - bits)
    counts = np.zeros(1 << bits, np.int64)
    for hashes in _hashes(segments, first):
        counts += np.bincount((hashes >> shift).astype(np.int64), minlength=len(counts))
    full = counts > most
    parts = [np.zeros(0, np.uint64)]
    if full.any():
        parts += [hashes[full[hashes >> shift]] for hashes in _hashes(segments, first)]
    hashes = np.sort(np.concatenate(parts))
    starts = run_starts(hashes)
    return hashes[starts[np.diff(starts, append=len(hashes)) > most]]


def _hashes(segments: Segments, chosen: Bools) -> Iterator[U64]:
    """Yield the hashes of the documents that are chosen, segment by segment."""
    before = 0
    for one in segments:
        (hashes, ends), here = seeds_of(one), chosen[before : before + len(one)]
        yield hashes if here.all() else hashes[np.repeat(here, np.diff(ends, prepend=0))]
        before += len(one)


# -- searching -------------------------------------------------------------------------------------


def seeds_of(one: Segment) -> tuple[U64, I64]:
    """Return the hashes of the documents of a segment, and where those of each end."""
    with one.shaped():
        hashes, sizes = to_numbers(one.read("gram_hashes")), np.diff(one.bounds("gram_hashes"))
        if (sizes % 8).any():
            raise ValueError("wrong sizes of gram_hashes")
        if one.entry.gone:
            kept = np.zeros(len(sizes), np.bool_)
            kept[one.live] = True
            hashes, sizes = hashes[np.repeat(kept, sizes // 8)], sizes[kept]
        return hashes, np.cumsum(sizes // 8)


def _digests(column: NDArray[np.void]) -> NDArray[np.bytes_]:
    """Return digests; all have the same length, so those that differ do so without final zeros."""
    return column.view(f"S{DIGEST_BYTES}")


def _batches(
    segments: Segments, choose: Callable[[Segment, Bools], Bools], among: Bools | None = None
) -> Iterator[PackedBatch]:
    """Yield the documents of each segment that are chosen, among some of all."""
    waiting, size, before, path = list[PackedText](), 0, 0, segments.file.path
    for one in segments:
        known = np.ones(len(one), np.bool_) if among is None else among[before : before + len(one)]
        rows, before = np.flatnonzero(choose(one, known)), before + len(one)
        texts: Iterator[bytes] = one.items("packed_text", rows) if len(rows) else iter(())
        for name, text, bytes_of in zip(
            one.names(rows) if len(rows) else (), texts, one.column("size")[rows].tolist(),
            strict=True,
        ):  # fmt: skip
            waiting.append(PackedText(name, text, bytes_of))
            size += bytes_of
            if size >= _BATCH_BYTES:
                yield PackedBatch(tuple(waiting), size, path)
                waiting, size = [], 0
    if waiting:
        yield PackedBatch(tuple(waiting), size, path)


@dataclass(slots=True)
class PassageIndex:
    """The passages of an open index, which is read in one state.

    Attributes
    ----------
    path : str
        Its file.
    window : Window
        What the k-grams were chosen from.
    documents, texts : int
        How many documents there are, and how many distinct texts: copies differ in form alone.
    common : uint64[n]
        The hashes, ascending, of the k-grams that more texts have than
        `PassageCriteria.most_documents`, unless `common` is set.
    """

    path: str
    window: Window
    documents: int
    texts: int
    common: U64
    _segments: Segments

    def matching(self, sought: SoughtSeeds, digests: Collection[bytes]) -> Iterator[PackedBatch]:
        """Yield the documents, in the order of the index, that may share a passage.

        Parameters
        ----------
        sought : SoughtSeeds
            Those with enough of these seeds.
        digests : collection of bytes
            Those whose symbols have one of these digests, too.
        """
        # Without the zeros at their ends, too.
        asked = np.array(sorted(digests), f"S{DIGEST_BYTES}")

        def choose(one: Segment, known: Bools) -> Bools:
            chosen = sought.enough(*seeds_of(one))
            if len(asked):
                chosen |= np.isin(_digests(one.column("symbols_digest")), asked)
            return chosen & known

        return _batches(self._segments, choose)

    def every(self) -> Iterator[PackedBatch]:
        """Yield all documents, in the order of the index."""
        return _batches(self._segments, lambda _, known: known)


@contextmanager
def open_passages(path: str) -> Iterator[PassageIndex]:
    """Open an index to find passages in its texts.

    Raises
    ------
    SimdupError
        If it does not exist, is not an index, is damaged, or was built without passages.
    """
    with closing(open_file(path)) as file, file.reading():
        if "passages" not in file.head.blobs:
            raise SimdupError(
                path,
                "is an index that was built without `passages`: it has no texts",
                "build it again with `passages`, or name the documents themselves",
            )
        # The width of fingerprints does not matter.
        run, texts, common = read_common(file)
        segments = Segments(file, 1)
        yield PassageIndex(path, Window.of(run), len(segments), texts, common, segments)
