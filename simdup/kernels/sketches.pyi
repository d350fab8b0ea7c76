import numpy as np
from numpy.typing import NDArray

def runs(
    starts: NDArray[np.int64], items: NDArray[np.uint32] | NDArray[np.uint64], n: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]: ...
def signatures(
    starts: NDArray[np.int64], hashes: NDArray[np.uint64], size: int
) -> NDArray[np.uint32]: ...
