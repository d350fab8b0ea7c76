import numpy as np
from numpy.typing import NDArray

def check_texts(codes: NDArray[np.uint32], ends: NDArray[np.int64]) -> None: ...

class Dictionary:
    nodes: int
    def __init__(
        self, lines: bytes, whole: float, emit: NDArray[np.float64], steps: NDArray[np.float64]
    ) -> None: ...

def cut(
    words: Dictionary, codes: NDArray[np.uint32], ends: NDArray[np.int64], kinds: NDArray[np.uint8]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...

class Terms:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def codes(self, first: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
    def count(
        self,
        codes: NDArray[np.uint32],
        ends: NDArray[np.int64],
        spans: NDArray[np.int32],
        sizes: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]: ...
