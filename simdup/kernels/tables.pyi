from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def values_of(content: bytes, words: Sequence[bytes]) -> NDArray[np.float64]: ...
