"""Hash functions of terms.

A term has two hashes, which must not be confused.  Its *term hash* identifies the term everywhere:
64 bits of BLAKE2b, independent of the recipe.  Its *feature hash* is what simhash sums up: the
recipe's ``hash`` at the recipe's ``bits``.  With the default recipe both are the same bits.
"""

import hashlib
from collections.abc import Callable

FeatureHash = Callable[[str], bytes]

# A table of terms is emptied at this size to bound its memory: at 150 bytes each, 75 MB.
REMEMBERED_TERMS = 500_000


def term_hash(term: str) -> bytes:
    """Return the 8 bytes that identify a term, the most significant first."""
    return hashlib.blake2b(term.encode("utf-8", "surrogatepass")).digest()[:8]


def feature_hash(name: str, bits: int) -> FeatureHash:
    """Return the function from a term to its `bits` / 8 bytes, the most significant first.

    Parameters
    ----------
    name : str
        One of the values of the recipe's ``hash``.
    bits : int
        A multiple of 8 that the function supports.
    """
    size = bits // 8
    if name == "bkdr":
        return lambda term: bkdr(term, bits).to_bytes(size, "big")
    if name == "string":
        return lambda term: string_hash(term, bits).to_bytes(size, "big")
    # MD5 and SHA-1 have no security purpose here; declaring so allows them under FIPS rules.
    return lambda term: hashlib.new(
        name, term.encode("utf-8", "surrogatepass"), usedforsecurity=False
    ).digest()[:size]


def bkdr(term: str, bits: int) -> int:
    """Return the BKDR hash (seed 31) as a Java program computes it.

    It runs over UTF-16 code units in overflowing signed 64-bit arithmetic; the result is the
    absolute value modulo 2**bits.
    """
    units: bytes = term.encode("utf-16-be", "surrogatepass")
    value = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (value * 31 + (high << 8 | low)) & 0xFFFFFFFFFFFFFFFF
    if value >= 1 << 63:
        value = (1 << 64) - value
    return value & ((1 << bits) - 1)


def string_hash(term: str, bits: int) -> int:
    """Return the string hash of early CPython, widened or narrowed to `bits` bits."""
    if not term:
        return 0
    mask = (1 << bits) - 1
    value = ord(term[0]) << 7
    for character in term:
        value = value * 1000003 & mask ^ ord(character)
    return (value ^ len(term)) & mask
