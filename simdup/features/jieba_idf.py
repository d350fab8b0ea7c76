"""The table of inverse document frequencies that jieba ships: 270,000 lines ``word value``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError, unreadable
from simdup.kernels.tables import values_of


class IdfTable(NamedTuple):
    """Words with values, as they are written in a file."""

    content: bytes

    @property
    def digest(self) -> bytes:
        """16 bytes that stand for the whole file."""
        return hashlib.blake2b(self.content, digest_size=16).digest()

    def values(self, words: Sequence[bytes]) -> NDArray[np.float64]:
        """Return the value of each word, the median for those that the table lacks."""
        try:
            return values_of(self.content, words)
        except ValueError:
            damaged = "jieba's table is damaged"
            raise SimdupError("idf", damaged, "install jieba again", field="idf") from None


@cache
def jieba_idf() -> IdfTable:
    """Return the table of the installed jieba.

    The file is read where it lies: importing jieba for it would cost ten times as much.

    Raises
    ------
    SimdupError
        If jieba is not installed, or its table cannot be read.
    """
    found = find_spec("jieba")
    if found is None or found.origin is None:
        raise SimdupError("idf", "jieba is not installed", "pip install jieba", field="idf")
    path = Path(found.origin).with_name("analyse").joinpath("idf.txt")
    try:
        return IdfTable(path.read_bytes())
    except OSError as error:
        raise unreadable(str(path), error, "install jieba again") from None
