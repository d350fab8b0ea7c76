"""Find the pairs of fingerprint lines within a distance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from simdup.base.system import free_memory
from simdup.corpus.fingerprint_lines import FingerprintLines
from simdup.corpus.spool import spool_folder
from simdup.model.clusters import Pair
from simdup.model.settings import PAIR_MEMORY, RunOptions
from simdup.search.arrays import U64, combine_rows, hamming_distances, split_rows
from simdup.search.plans import HammingBall
from simdup.search.threads import sort_chunks
from simdup.text.fingerprinter import near_pairs

# Bytes of a pair in memory: one value contains both rows.
_PAIR_BYTES = 8
# A file pays off only for more pairs than a search yields at a time.
_LEAST = 1 << 18


@contextmanager
def pairs(lines: FingerprintLines, distance: int, run: RunOptions) -> Iterator[Iterator[Pair]]:
    """Find the pairs of lines whose fingerprints are within a distance, in input order.

    Equal fingerprints are paired with the first of them only.  The search is complete when the
    iterator is yielded.  Pairs that do not fit in memory are in temporary files until the context
    ends.
    """
    memory = PAIR_MEMORY if run.search.memory is None else run.search.memory
    found = near_pairs(lines.values, HammingBall(lines.bits, min(distance, lines.bits)), run)
    keys = (combine_rows(pairs.i, pairs.j) for pairs in found)
    room = max(min(memory, free_memory()) // _PAIR_BYTES, _LEAST)
    with sort_chunks(keys, room, partial(spool_folder, "the pairs")) as ordered:
        yield _iter_pairs(lines, ordered)


def _iter_pairs(lines: FingerprintLines, ordered: Iterator[U64]) -> Iterator[Pair]:
    names, values = lines.names, lines.values
    for keys in ordered:
        i, j = split_rows(keys)
        columns = (i.tolist(), j.tolist(), hamming_distances(values, i, values, j).tolist())
        for a, b, d in zip(*columns, strict=True):
            yield Pair(names[a], names[b], d, None)
