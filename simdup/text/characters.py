"""Prepared texts, between a document and what is counted, stored and verified; code points."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

# Bytes of a digest: even among 10**18 texts, no two should have the same digest by chance.
DIGEST_BYTES = 16
# The type of digests in arrays.  As strings, they would lose the zeros at their ends.
DIGEST_TYPE = np.dtype(f"V{DIGEST_BYTES}")


def text_digest(text: str) -> bytes:
    """Return a digest of a text's characters."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


def digest_bytes(content: bytes | memoryview) -> bytes:
    """Return a digest of some bytes."""
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


def to_codes(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text, including lone surrogates."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def from_codes(codes: NDArray[np.uint32]) -> str:
    """Return the text of some code points."""
    return bytes(codes.astype("<u4", copy=False)).decode("utf-32-le", "surrogatepass")


def ends_of(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return where each text begins when all are joined, and the end (int64[texts + 1])."""
    return np.cumsum([0, *map(len, texts)], dtype=np.int64)


def cut_at(joined: str, ends: NDArray[np.int64]) -> list[str]:
    """Return the texts that were joined; see `ends_of`."""
    return [joined[start:end] for start, end in pairwise(ends.tolist())]


@dataclass(frozen=True)
class PreparedText:
    """A folded text, and the forms derived from it."""

    folded: str  # as it is cut into tokens

    @cached_property
    def compact(self) -> str:
        """The folded text without white space, as it is verified."""
        return "".join(self.folded.split())

    @property
    def spaced(self) -> str:
        """The folded text, with each run of white space replaced by one space."""
        return " ".join(self.folded.split())

    @property
    def digest(self) -> bytes:
        """A digest of the compact text: equal for texts that differ only in white space."""
        return text_digest(self.compact)
