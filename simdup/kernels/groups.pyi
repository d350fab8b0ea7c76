import numpy as np
from numpy.typing import NDArray

ALL: int
JOIN: int
STAR: int
FIRST: int

def odd_sketches(
    starts: NDArray[np.int64], hashes: NDArray[np.uint64], words: int
) -> NDArray[np.uint64]: ...

class PairBounds:
    rows: int
    sets: bool
    forms: bool
    def __init__(self, rows: int, similarity: float, covering: float) -> None: ...
    def by_sets(
        self,
        sketches: NDArray[np.uint64],
        sizes: NDArray[np.int64],
        starts: NDArray[np.int64],
        hashes: NDArray[np.uint64],
    ) -> None: ...
    def by_forms(
        self,
        letters: NDArray[np.int64],
        numbers: NDArray[np.uint64],
        shortest: int,
        singles: NDArray[np.uint64],
        doubles: NDArray[np.uint64],
    ) -> None: ...
    def possible(
        self, i: NDArray[np.int64], j: NDArray[np.int64], directed: bool = ...
    ) -> NDArray[np.bool_]: ...

class Walk:
    visits: int
    left: int
    done: bool
    roots: NDArray[np.int64]
    found: NDArray[np.int64]
    def __init__(
        self,
        way: int,
        lists: NDArray[np.int64],
        rows: NDArray[np.int64],
        bounds: PairBounds,
        asking: NDArray[np.int64],
        *,
        ranks: NDArray[np.int64] | None = ...,
        rest: NDArray[np.int64] | None = ...,
        kinds: NDArray[np.int64] | None = ...,
        takeable: NDArray[np.bool_] | None = ...,
        parts: NDArray[np.int64] | None = ...,
        roots: NDArray[np.int64] | None = ...,
        directed: bool = ...,
    ) -> None: ...
    def questions(self, visits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
    def answer(self, good: NDArray[np.bool_]) -> None: ...
