"""The table of inverse document frequencies that jieba ships: 270,000 lines ``word value``."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from simdup.errors import SimdupError, unreadable
from simdup.kernels.tables import Values


class IdfTable(NamedTuple):
    """Words with values; the median of all is that of other words."""

    values: Values
    digest: bytes  # 16 bytes that stand for the whole file

    @classmethod
    def parse(cls, content: bytes) -> IdfTable:
        """Return the table of a file: lines of a word, a space and a number."""
        try:
            values = Values(content)
        except ValueError:
            damaged = "jieba's table is damaged"
            raise SimdupError("idf", damaged, "install jieba again", field="idf") from None
        return cls(values, hashlib.blake2b(content, digest_size=16).digest())


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
        return IdfTable.parse(path.read_bytes())
    except OSError as error:
        raise unreadable(str(path), error, "install jieba again") from None
