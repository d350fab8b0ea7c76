import numpy as np
from numpy.typing import NDArray

def cut(
    codes: NDArray[np.uint32], ends: NDArray[np.int64], kinds: NDArray[np.uint8], longest: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]: ...
def equal_runs(
    symbols: NDArray[np.uint32], seeds: NDArray[np.uint64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def chains(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    lengths: NDArray[np.int64],
    pairs: NDArray[np.int64],
    gap: int,
    least: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def in_step_again(
    symbols: NDArray[np.uint32],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    most_a: NDArray[np.int64],
    most_b: NDArray[np.int64],
    least: int,
    step: int,
) -> NDArray[np.int64]: ...
def common_lengths(
    symbols: NDArray[np.uint32], a: NDArray[np.int64], b: NDArray[np.int64]
) -> NDArray[np.int64]: ...
