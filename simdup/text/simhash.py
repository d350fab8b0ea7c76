"""Simhash: one fingerprint that keeps the cosine of two weighted sets of terms.

Every term has a hash.  For each bit, a term votes with its weight: for 1 if its hash has a 1 there,
for 0 otherwise.  The sign of the sum is the bit of the fingerprint.  So each bit says on which side
of a random hyperplane a document is, and two documents at an angle t differ in a bit with
probability t / pi.

References
----------
M. Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002, section 3.
G. Manku, A. Jain, A. Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007, section 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Documents processed at a time: their 64 sums of 8 bytes stay in the processor's cache.
_BLOCK = 1 << 11


def simhash(
    hashes: Sequence[int] | NDArray[np.uint64],
    weights: Sequence[float] | NDArray[np.generic],
    bits: int = 64,
    ties: str = "one",
) -> int:
    """Return the simhash of weighted term hashes.

    Parameters
    ----------
    hashes : sequence of int, or uint64[n]
        Term hashes; only the low `bits` bits count.
    weights : sequence of numbers, one per hash
        Integers are summed exactly; other numbers are summed without intermediate rounding
        (`math.fsum`), so the order never matters.
    bits : int
        Bits of the fingerprint, at least 1.
    ties : {"one", "zero"}
        The bit where a sum is 0.

    Raises
    ------
    ValueError
        If the lengths differ, or `bits` or `ties` has an invalid value.

    Examples
    --------
    >>> bin(simhash([0b101101, 0b110010, 0b100001], [3, 1, 5], bits=6))
    '0b100001'
    """
    if len(hashes) != len(weights):
        raise ValueError(f"not as many weights as hashes: {len(weights)} and {len(hashes)}")
    if bits < 1:
        raise ValueError(f"bits must be at least 1, not {bits}")
    pairs = [
        (int(h), w.item() if isinstance(w, np.generic) else w)
        for h, w in zip(hashes, weights, strict=True)
    ]
    add = sum if all(isinstance(w, int) for _, w in pairs) else math.fsum
    return from_sums(
        [add([w if h >> bit & 1 else -w for h, w in pairs]) for bit in reversed(range(bits))], ties
    )


def from_sums(sums: Sequence[float], ties: str = "one") -> int:
    """Return the fingerprint whose bits, the most significant first, are the signs of the sums."""
    if ties not in ("one", "zero"):
        raise ValueError(f"ties must be 'one' or 'zero', not {ties!r}")
    least = 0 if ties == "one" else math.ulp(0.0)
    return sum((value >= least) << bit for bit, value in enumerate(reversed(sums)))


def distance(a: int, b: int) -> int:
    """Return the Hamming distance of two fingerprints: the number of bits in which they differ."""
    return (a ^ b).bit_count()


def simhash_rows(
    hashes: NDArray[np.uint8],
    columns: NDArray[np.int32],
    weights: NDArray[np.int64],
    ties: str = "one",
) -> NDArray[np.uint64]:
    """Return the simhashes of many documents.

    Parameters
    ----------
    hashes : uint8[terms, bits / 8]
        Feature hashes, the most significant byte first.
    columns : int32[documents, width]
        Rows of `hashes`.
    weights : int64[documents, width]
        Weights of these terms; 0 if a document has fewer than `width`.
    ties : {"one", "zero"}
        The bit where a sum is 0.

    Returns
    -------
    uint64[documents, words]
        Word 0 is the most significant; if `bits` is not a multiple of 64, its high bits are 0.
    """
    size = hashes.shape[1]
    words = -(-size // 8)
    result = np.zeros((len(columns), words * 8), np.uint8)
    for first in range(0, len(columns), _BLOCK):
        block = slice(first, first + _BLOCK)
        weight = weights[block]
        ones = np.zeros((len(weight), size * 8), np.int64)
        for place in range(weight.shape[1]):
            bits = np.unpackbits(hashes[columns[block, place]], axis=1)
            ones += weight[:, place, None] * bits
        # Votes for 1 minus votes for 0: twice the votes for 1, minus all votes.
        sums = 2 * ones - weight.sum(axis=1)[:, None]
        signs = sums >= 0 if ties == "one" else sums > 0
        result[block, words * 8 - size :] = np.packbits(signs, axis=1)
    return result.view(">u8").astype(np.uint64)


def to_int(words: NDArray[np.uint64]) -> int:
    """Return the words of one fingerprint as an int."""
    return int.from_bytes(words.astype(">u8").tobytes(), "big")


def to_hex(fingerprints: NDArray[np.uint64], bits: int) -> list[str]:
    """Return fingerprints (uint64[n, words]) as lower-case hex of `bits` / 4 digits."""
    digits = bits // 4
    text = fingerprints.astype(">u8").tobytes().hex()
    step = fingerprints.shape[1] * 16
    return [text[end - digits : end] for end in range(step, len(text) + 1, step)]
