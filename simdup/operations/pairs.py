"""Pairs: the fingerprint lines within a distance of each other."""

from __future__ import annotations

from collections.abc import Iterator

from simdup.corpus.fingerprint_lines import FingerprintLines
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.fingerprints.near import near_pairs
from simdup.model.clusters import Pair
from simdup.model.settings import RunOptions


def pairs(lines: FingerprintLines, distance: int, run: RunOptions) -> Iterator[Pair]:
    """Return the pairs of lines whose fingerprints are within a distance, in input order.

    Equal fingerprints pair with the first of them only.
    """
    found = near_pairs(Fingerprints.of_lines(lines), distance, run, copies="first")
    columns = (found.i.tolist(), found.j.tolist(), found.distance.tolist())
    names = lines.names
    return (Pair(names[i], names[j], d, None) for i, j, d in zip(*columns, strict=True))
