"""Cuts: how fingerprints are cut into blocks, and which blocks the tables are keyed on.

The idea (Manku, Jain, Das Sarma, WWW 2007, section 3.1): cut the bits into b blocks. Two
fingerprints within distance k differ in at most k blocks, because each differing bit affects one
block. So they agree on at least b - k blocks. Build one table for each choice of b - k blocks,
C(b, k) in all, and key it on these blocks: in at least one table the two have equal keys. This
is the pigeonhole principle, and it misses no pair.

More blocks mean more tables to sort, and longer keys. Of n**2 / 2 pairs of random fingerprints,
n**2 / 2**(p + 1) have equal keys of p bits: the expected candidates. For 64 bits and distance 3:

====== ====== ========= ==========================================
tables blocks key bits  the idea
====== ====== ========= ==========================================
4      4      16        k + 1 blocks, one of them equal
10     5      25 or 26  k + 2 blocks, two of them equal
20     6      31 to 33  k + 3 blocks, three of them equal
16     4 x 4  28        nested: one block of four equal, and of the
                        remaining 48 bits, cut in four, one again
====== ====== ========= ==========================================

For other distances, the same four numbers name the same four shapes.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from simdup.search.ball import HammingBall
from simdup.search.pieces import Pieces, cut, locate, merge_pieces, subtract, width


@dataclass(frozen=True, slots=True)
class Cut:
    """One way to cut fingerprints, complete for a Hamming ball."""

    ball: HammingBall
    # More than the distance, at most the number of bits; for a nested cut, the distance + 1.
    blocks: int
    nested: bool = False  # whether the bits outside each block are cut again

    @property
    def sizes(self) -> tuple[int, ...]:
        """The blocks' sizes in bits."""
        return tuple(size for _, size in cut(self.ball.bits, self.blocks))

    @property
    def tables(self) -> int:
        """The number of tables."""
        return self.blocks**2 if self.nested else math.comb(self.blocks, self.ball.distance)

    @property
    def keys(self) -> tuple[Pieces, ...]:
        """The bits of every table's key."""
        if self.nested:
            return tuple(self._nested_keys())
        chosen = combinations(cut(self.ball.bits, self.blocks), self.blocks - self.ball.distance)
        return tuple(merge_pieces(some) for some in chosen)

    def _nested_keys(self) -> Iterator[Pieces]:
        """Yield the keys of the nested cut: each of k + 1 blocks, with each of k + 1 of the rest.

        It is complete because it applies the first cut twice. Two fingerprints agree on one of
        k + 1 blocks, so all their differences, at most k, are in the rest, where they again agree
        on one of k + 1 blocks.
        """
        for outer in cut(self.ball.bits, self.blocks):
            rest = subtract([(0, self.ball.bits)], [outer])
            for start, length in cut(width(rest), self.blocks):
                yield merge_pieces([outer, *locate(rest, start, length)])

    def key_sizes(self) -> Iterator[tuple[int, int]]:
        """Yield the sizes of the keys with their counts, without making the keys."""
        sizes = self.sizes
        if self.nested:
            for outer in sizes:
                for _, inner in cut(self.ball.bits - outer, self.blocks):
                    yield outer + inner, 1
            return
        chosen, small = self.blocks - self.ball.distance, min(sizes)
        larger = sum(size > small for size in sizes)
        for large in range(min(chosen, larger) + 1):
            keys = math.comb(larger, large) * math.comb(self.blocks - larger, chosen - large)
            yield chosen * small + large, keys
