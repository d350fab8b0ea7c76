from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", np.uint8, np.uint32)

def look_up(
    table: NDArray[Value], codes: NDArray[np.uint32], unknown: int, find: Callable[[str], int]
) -> NDArray[Value]: ...
def fold(
    marks: NDArray[np.uint32],
    ends: NDArray[np.int64],
    several: NDArray[np.uint32],
    several_ends: NDArray[np.int64],
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.bool_]]: ...
def letters(
    codes: NDArray[np.uint32], ends: NDArray[np.int64], kinds: NDArray[np.uint8]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
def begins(
    codes: NDArray[np.uint32],
    kinds: NDArray[np.uint8],
    joining: NDArray[np.uint8],
    words: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]: ...
