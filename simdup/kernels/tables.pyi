from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class Values:
    median: float
    def __init__(self, content: bytes) -> None: ...
    def of(self, words: Sequence[bytes]) -> NDArray[np.float64]: ...
