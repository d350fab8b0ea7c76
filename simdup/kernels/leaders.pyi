import numpy as np
from numpy.typing import NDArray

SKETCHED: int
PRINTED: int
LISTED: int

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
        starts: NDArray[np.int64],
        elements: NDArray[np.uint32],
        rare: NDArray[np.uint32],
    ) -> None: ...
    def by_forms(
        self,
        letters: NDArray[np.int64],
        numbers: NDArray[np.uint64],
        shortest: int,
        singles: NDArray[np.uint64],
        doubles: NDArray[np.uint64],
    ) -> None: ...
    def by_letters(self, starts: NDArray[np.int64], codes: NDArray[np.uint32]) -> None: ...
    def possible(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.bool_]: ...

class Leaders:
    at: int
    visits: int
    checked: int
    joining: bool
    done: bool
    coming: int
    keeper: NDArray[np.int32]
    spared: NDArray[np.int32]
    roots: NDArray[np.int64]
    def __init__(
        self,
        bounds: PairBounds,
        apart: NDArray[np.int64],
        sketches: NDArray[np.uint8],
        fewest: int,
        prints: NDArray[np.uint64],
        distance: int,
        held: NDArray[np.bool_],
    ) -> None: ...
    def use(
        self,
        lists: NDArray[np.int32],
        rows: NDArray[np.int32],
        kinds: NDArray[np.uint8],
        rest: NDArray[np.int64] | None = ...,
    ) -> None: ...
    def questions(self, visits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
    def answer(self, answers: NDArray[np.uint8]) -> None: ...
    def stop(self) -> int: ...
