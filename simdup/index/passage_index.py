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

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.corpus.batches import PackedBatch, PackedText, pack_text, unpack_text
from simdup.corpus.spool import SpoolReader
from simdup.index.opening import open_storage, read_min_run
from simdup.index.sections import Extents, read_extents, read_names, to_numbers
from simdup.index.storage import Storage
from simdup.index.store import Store
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

# What is wanted of an array of hashes.
Wanted = Callable[[U64], Bools]

# Bytes of the texts that are yielded at a time.
_BATCH_BYTES = 1 << 20
# Hashes are counted by their first bits, about so many in a cell; those in full cells one by one.
_IN_A_CELL = 16
_FEWEST_BITS, _MOST_BITS = 10, 24


# -- making columns --------------------------------------------------------------------------------


def passage_makers(storage: Storage) -> list[Maker]:
    """Return what makes the columns that an index needs for passages; nothing if it needs none."""
    if not storage.has("passages"):
        return []
    return [partial(passage_columns, window=read_common(storage).window)]


def passage_columns(batch: Prepared, window: Window) -> Mapping[str, Mapping[str, Any]]:
    """Spool texts, compressed, and the hashes of their chosen k-grams; make their digests."""
    texts = [document.text for document, _ in batch.documents]
    folded = [text.folded for _, text in batch.documents]
    recipe = batch.analyzer.recipe
    plain = recipe.fold and not recipe.phrases
    digests, grams = _searched(folded if plain else fold_all(texts), window)
    columns = {
        "symbols_digest": np.array(digests, DIGEST_TYPE),
        "packed": batch.spool(map(pack_text, texts)),
        "grams": batch.spool(grams),
    }
    return {DOCUMENTS: columns}


def _searched(folded: Sequence[str], window: Window) -> tuple[list[bytes], list[bytes]]:
    """Return the digest of each text's symbols, and the hashes of its chosen k-grams."""
    texts = cut(folded)
    seeds = winnow(texts, window)
    bounds = np.searchsorted(seeds.positions, texts.starts).tolist()
    digests = [digest_bytes(texts.symbols[a:b].data) for a, b in pairwise(texts.starts.tolist())]
    chosen = (distinct(seeds.hashes[first:last]) for first, last in pairwise(bounds))
    return digests, [hashes.astype("<u8").tobytes() for hashes in chosen]


def load_passages(documents: Documents, spool: SpoolReader) -> Documents:
    """Return documents with the bytes of their texts and hashes, instead of slots of a spool."""
    if "packed" not in documents:
        return documents
    loaded = {
        name: objects(spool.row(documents[slots], row) for row in range(len(documents)))
        for name, slots in (("packed_text", "packed"), ("gram_hashes", "grams"))
    }
    return documents.without("packed", "grams").and_columns(**loaded)


# -- what is common --------------------------------------------------------------------------------


class CommonGrams(NamedTuple):
    """The section of an index that belongs to no block."""

    min_run: int  # of the passages that its hashes find
    texts: int  # distinct ones
    hashes: U64  # ascending: of the k-grams that too many of them have

    @property
    def window(self) -> Window:
        """What the k-grams were chosen from."""
        return Window.of(self.min_run)

    def equals(self, other: CommonGrams) -> bool:
        """Return whether the other one has the same numbers."""
        return self.write() == other.write()

    def write(self) -> bytes:
        """Return the section."""
        head = np.array([self.min_run, self.texts], "<u8")
        return head.tobytes() + self.hashes.astype("<u8").tobytes()


def read_common(storage: Storage) -> CommonGrams:
    """Return what `begin_passages` and `seal` wrote."""
    content = storage.get("passages")
    numbers = to_numbers(content[: len(content) // 8 * 8])
    if len(numbers) * 8 == len(content) and len(numbers) >= 2:
        found = CommonGrams(read_min_run(storage) or 0, int(numbers[1]), numbers[2:])
        if (found.hashes[1:] > found.hashes[:-1]).all():
            return found
    raise storage.damaged("section passages 0 is damaged")


def begin_passages(storage: Storage, min_run: int) -> None:
    """Make a new index one of passages, with the runs that these should find."""
    storage.put("passages", CommonGrams(min_run, 0, np.zeros(0, np.uint64)).write())


def seal(store: Store) -> None:
    """Write what is common by now; call it after all changes of a transaction."""
    storage = store.storage
    if storage.has("passages") and storage.changed:
        before = read_common(storage)
        now = find_common(store, before.min_run)
        if not now.equals(before):
            storage.put("passages", now.write())


def find_common(store: Store, min_run: int) -> CommonGrams:
    """Return what is common among all documents, as if they were compared with each other."""
    window = Window.of(min_run)
    digests = _digests(b"".join(content for _, content in store.sections("digests", 16)))
    first = np.zeros(len(digests), np.bool_)
    first[np.unique(digests, return_index=True)[1]] = True
    texts = int(np.count_nonzero(first))
    most = PassageCriteria().most_documents(texts)
    hashes = _crowded(store, first, most)
    if len(hashes):
        crowd = Members(hashes)
        batches = _batches(store, lambda block: block.having(crowd), first)
        opened = Input(batches, Settings(run=RunOptions(jobs=1)), None, [])
        with collected(opened, opened.analyzer(), Cutting(window)) as read:
            found = assemble(read, Sides.every(len(read)))
            keys = np.zeros(len(found.starts) - 1, np.uint64)
            place = Place(found.symbols, window.k, most, keys)
            # The others are known to be rare.
            rows = np.flatnonzero(crowd(found.seeds.hashes))
            seeds = Seeds(found.seeds.hashes[rows], found.seeds.positions[rows])
            hashes = common_grams(seeds, found.starts, place)
    return CommonGrams(min_run, texts, hashes)


def _crowded(store: Store, first: Bools, most: int) -> U64:
    """Return the hashes, ascending, that more texts than `most` have chosen.

    `first` says which documents are the first with their text.
    """
    total = sum(int(to_numbers(content)[-2]) for _, content in store.sections("extents", 24))
    bits = min(max((total // _IN_A_CELL).bit_length(), _FEWEST_BITS), _MOST_BITS)
    shift = np.uint64(64 - bits)
    counts = np.zeros(1 << bits, np.int64)
    for one in _searched_blocks(store):
        cells = (one.of(first) >> shift).astype(np.int64)
        counts += np.bincount(cells, minlength=len(counts))
    full = counts > most
    parts = [np.zeros(0, np.uint64)]
    for one in _searched_blocks(store) if full.any() else ():
        hashes = one.of(first)
        parts.append(hashes[full[hashes >> shift]])
    hashes = np.sort(np.concatenate(parts))
    starts = run_starts(hashes)
    return hashes[starts[np.diff(starts, append=len(hashes)) > most]]


# -- searching -------------------------------------------------------------------------------------


class _SearchedBlock(NamedTuple):
    """What a block's documents are searched by."""

    number: int
    first: int  # how many documents are in blocks before it
    extents: Extents
    digests: NDArray[np.bytes_]
    grams: U64

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.digests)

    def of(self, chosen: Bools) -> U64:
        """Return the hashes of the documents, those of all blocks, that are chosen."""
        own = chosen[self.first : self.first + len(self)]
        if own.all():
            return self.grams
        return self.grams[np.repeat(own, np.diff(self.extents.grams, prepend=0))]

    def having(self, wanted: Wanted) -> I64:
        """Return the documents, by place, that have a wanted hash."""
        places = np.flatnonzero(wanted(self.grams))
        return distinct(np.searchsorted(self.extents.grams, places, "right"))


def _searched_blocks(store: Store) -> Iterator[_SearchedBlock]:
    first = 0
    kinds = store.sections("extents", 24), store.sections("digests", 16)
    grams = store.storage.sections("grams")
    for (number, content), (_, digests), hashes in zip(*kinds, grams, strict=True):
        with store.shaped(number):
            own = _digests(digests)
            extents = read_extents(content, len(own))
            if len(hashes) != extents.grams[-1] * 8:
                raise ValueError("wrong ends of hashes")
            yield _SearchedBlock(number, first, extents, own, to_numbers(hashes))
        first += len(own)


def _digests(content: bytes) -> NDArray[np.bytes_]:
    """Return digests; all have the same length, so those that differ do so without final zeros."""
    return np.frombuffer(content, DIGEST_TYPE).view(f"S{DIGEST_BYTES}")


def _batches(
    store: Store, choose: Callable[[_SearchedBlock], I64], among: Bools | None = None
) -> Iterator[PackedBatch]:
    """Yield the documents of each block that are chosen by place, if they are among some of all."""
    waiting, size = list[PackedText](), 0
    for one in _searched_blocks(store):
        rows = choose(one)
        if among is not None:
            rows = rows[among[one.first + rows]]
        for text in _texts(store, one, rows) if len(rows) else ():
            waiting.append(text)
            size += text.size
            if size >= _BATCH_BYTES:
                yield PackedBatch(tuple(waiting), size, store.storage.path)
                waiting, size = [], 0
    if waiting:
        yield PackedBatch(tuple(waiting), size, store.storage.path)


def _texts(store: Store, block: _SearchedBlock, rows: I64) -> Iterator[PackedText]:
    """Yield the texts of some documents of a block."""
    number, ends, sizes = block.number, block.extents.texts, block.extents.sizes
    starts = np.append(0, ends[:-1])
    get = store.storage.get
    with store.shaped(number):
        names = read_names(get("ends", number), get("names", number), rows)
        content = get("texts", number)
        if len(content) != ends[-1]:
            raise ValueError("wrong ends of texts")
        for name, row in zip(names, rows.tolist(), strict=True):
            yield PackedText(name, content[starts[row] : ends[row]], int(sizes[row]))


class PassageIndex:
    """The passages of an open index, which is read in one state; a context manager.

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

    def __init__(self, storage: Storage) -> None:
        with ExitStack() as stack:
            stack.callback(storage.close)
            stack.enter_context(storage.reading())
            self.path = storage.path
            if not storage.has("passages"):
                raise SimdupError(
                    storage.path,
                    "is an index that was built without `passages`: it has no texts",
                    "build it again with `passages`, or name the documents themselves",
                )
            # The width of fingerprints does not matter.
            self._store = Store(storage, 1)
            found = read_common(storage)
            self.window, self.texts, self.common = found.window, found.texts, found.hashes
            self.documents = len(self._store)
            self._held = stack.pop_all()

    def close(self) -> None:
        """Close the file."""
        self._held.close()

    def __enter__(self) -> PassageIndex:
        """Return the index itself; the end of the block closes it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self.close()

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

        def choose(block: _SearchedBlock) -> I64:
            chosen = sought.enough(block.grams, block.extents.grams)
            if len(asked):
                chosen |= np.isin(block.digests, asked)
            return np.flatnonzero(chosen)

        return _batches(self._store, choose)

    def every(self) -> Iterator[PackedBatch]:
        """Yield all documents, in the order of the index."""
        return _batches(self._store, lambda block: np.arange(len(block)))


def open_passages(path: str) -> PassageIndex:
    """Open an index to find passages in its texts.

    Raises
    ------
    SimdupError
        If it does not exist, is not an index, is damaged, or was built without passages.
    """
    return PassageIndex(open_storage(path))


# -- checking --------------------------------------------------------------------------------------


def passage_faults(number: int, documents: Documents, window: Window) -> Iterable[str]:
    """Yield what is wrong with the texts of a block, and with what they are searched by."""
    if "packed_text" not in documents:
        return
    columns = (documents[name].tolist() for name in ("packed_text", "size"))
    try:
        texts = [unpack_text(packed, size) for packed, size in zip(*columns, strict=True)]
    except ValueError:
        yield f"block {number} has damaged texts"
        return
    digests, grams = _searched(fold_all(texts), window)
    if digests != [one.tobytes() for one in documents["symbols_digest"]]:
        yield f"block {number} has digests of other texts"
    if grams != documents["gram_hashes"].tolist():
        yield f"block {number} has hashes of other texts"
