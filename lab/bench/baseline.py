"""A plain pipeline to compare scans with: one core, no arrays, as in a first attempt.

jieba cuts each text, a Counter counts its words, TF-IDF weighs them, the 20 heaviest make a
simhash of MD5, and four bands of 16 bits in dictionaries propose the pairs that are compared.

Reads the names of UTF-8 files from standard input, one per line; prints one line of JSON.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import logging
import math
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache

TOP = 20
BITS = 64
BANDS = 4
DISTANCE = 3


@cache
def term_hash(term: str) -> int:
    """Return the first 64 bits of the MD5 of a term."""
    return int.from_bytes(hashlib.md5(term.encode()).digest()[:8], "big")


def simhash(weighted: Iterable[tuple[str, float]]) -> int:
    """Sum the votes of weighted terms for each bit."""
    sums = [0.0] * BITS
    for term, weight in weighted:
        value = term_hash(term)
        for bit in range(BITS):
            if value >> bit & 1:
                sums[bit] += weight
            else:
                sums[bit] -= weight
    return sum(1 << bit for bit, total in enumerate(sums) if total >= 0)


def fingerprints(counted: list[Counter[str]]) -> list[int]:
    """Weigh the words of all documents and make their simhashes."""
    frequencies: Counter[str] = Counter()
    for counts in counted:
        frequencies.update(counts.keys())
    n = len(counted)
    idf = {term: math.log((1 + n) / (1 + df)) + 1 for term, df in frequencies.items()}
    return [
        simhash(
            heapq.nlargest(
                TOP, ((t, tf * idf[t]) for t, tf in counts.items()), key=lambda item: item[1]
            )
        )
        for counts in counted
    ]


def near_pairs(values: list[int]) -> list[tuple[int, int]]:
    """Find all pairs within the distance: one of four bands must be equal."""
    width = BITS // BANDS
    tables: list[defaultdict[int, list[int]]] = [defaultdict(list) for _ in range(BANDS)]
    found = []
    for document, value in enumerate(values):
        met: set[int] = set()
        for band, table in enumerate(tables):
            bucket = table[value >> band * width & (1 << width) - 1]
            met.update(bucket)
            bucket.append(document)
        found += [
            (other, document) for other in met if (value ^ values[other]).bit_count() <= DISTANCE
        ]
    return found


def main() -> None:
    """Print the bytes of the files, and the seconds of their processing, without the dictionary."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    loaded, size, counted = time.perf_counter(), 0, []
    for name in sys.stdin.read().splitlines():
        with open(name, "rb") as file:
            content = file.read()
        size += len(content)
        # As usual, punctuation and white space do not count as words.
        words = (word for word in jieba.cut(content.decode()) if word.isalnum())
        counted.append(Counter(words))
    near_pairs(fingerprints(counted))
    print(json.dumps({"size": size, "working": time.perf_counter() - loaded}))


if __name__ == "__main__":
    main()
