import numpy as np
from numpy.typing import NDArray

def distinct(
    starts: NDArray[np.int64], hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]: ...
def common(
    starts: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    i: NDArray[np.int64],
    j: NDArray[np.int64],
) -> NDArray[np.int64]: ...
