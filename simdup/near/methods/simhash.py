"""Simhash: documents whose fingerprints are within the distance are candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simdup.kernels.leaders import PRINTED
from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.model.table import Documents, Side
from simdup.near.candidates import Search, distances, lists_of
from simdup.near.collection import Collection
from simdup.near.counting import Maker
from simdup.search.allpairs import all_pairs, iter_pairs
from simdup.search.arrays import U64, Bools, RowPairs
from simdup.search.grouping import Lists
from simdup.search.plans import HammingBall, cut
from simdup.search.tables import block_keys
from simdup.text.simhash import to_hex
from simdup.text.weights import Weighting


def makers(criteria: Criteria) -> list[Maker]:
    """Return nothing: fingerprints are made of the counts, which every scan has."""
    return []


def search(corpus: Collection, weighting: Weighting, settings: Settings) -> Search:
    """Return what proposes documents with near fingerprints."""
    return NearFingerprints(settings)


@dataclass(frozen=True)
class NearFingerprints(Search):
    """Proposes documents whose fingerprints are within the distance of the criteria.

    What must be equal needs no preparation: it is mixed into the fingerprints.
    """

    settings: Settings
    name: str = "simhash"
    kind: int = PRINTED

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""
        near: Bools = distances(a, b) <= self.settings.criteria.distance
        return near

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        values, ball, threads = documents["fingerprint"], self._ball, self.settings.run.processes
        found = all_pairs(values, ball.distance, ball.bits, threads=threads)
        yield found.i, found.j

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield pairs that connect what it proposes, and perhaps more."""
        values, ball, threads = documents["fingerprint"], self._ball, self.settings.run.processes
        # Identical fingerprints are paired with the first of them only.
        for found in iter_pairs(values, ball.distance, ball.bits, "first", threads=threads):
            yield found.i, found.j

    def lists(self, documents: Documents, by_facts: bool) -> Iterator[tuple[Lists, bool]]:
        """Yield lists of rows; each proposed pair shares one."""
        rows = np.arange(len(documents))
        for block in self.blocks(documents):
            yield from lists_of(block, rows, documents, by_facts)

    def equal_bands(self, documents: Documents, i: int, j: int) -> list[bool]:
        """Return which bands of a pair are equal."""
        # Of distance + 1 blocks at least one is equal, if so few bits differ.
        bits = self.settings.recipe.bits
        a, b = to_hex(documents["fingerprint"][[i, j]], bits)
        different = format(int(a, 16) ^ int(b, 16), f"0{bits}b")
        count = min(self.settings.criteria.distance + 1, bits)
        return ["1" not in different[start : start + size] for start, size in cut(bits, count)]

    def blocks(self, documents: Documents) -> list[U64]:
        """Return the blocks of fingerprints of which near documents share one."""
        return block_keys(documents["fingerprint"], self._ball)

    @property
    def _ball(self) -> HammingBall:
        bits = self.settings.recipe.bits
        return HammingBall(bits, min(self.settings.criteria.distance, bits))
