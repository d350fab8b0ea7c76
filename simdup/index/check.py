"""Check every part of an index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from simdup.errors import SimdupError
from simdup.index.sample import Sample
from simdup.index.sections import SECTIONS, name_keys
from simdup.index.session import Session
from simdup.search.arrays import distinct


def find_faults(session: Session, sample: str | None = None) -> list[str]:
    """Return what is wrong with an index, one sentence per fault.

    Every section is compared with its checksum, every block with its own columns, and the recipe
    (including model and dictionary) with its digest.  With a sample, the contents of other blocks
    are not read, and neither is the structure of SQLite's pages as such.
    """
    storage = session.storage
    with storage.reading():
        faults, blocks = list[str](), set[int]()
        with _collect(faults):
            blocks = {number for number, _ in storage.blocks()}
        chosen = blocks if sample is None else Sample.parse(sample).choose(blocks)
        faults += storage.faults(chosen, sample is None)
        with _collect(faults):
            if session.recipe.complete:
                _ = session.recipe.fingerprinter
        faults += _block_faults(session, sorted(chosen))
        with _collect(faults):
            session.store.removed()
        with _collect(faults):
            places = storage.places(sample is None)
            for number in sorted({n for kind, n in places if kind in SECTIONS} - blocks):
                faults.append(f"block {number} is missing from the list of blocks")
    return list(dict.fromkeys(faults))


def _block_faults(session: Session, numbers: list[int]) -> list[str]:
    """Return what is wrong with the documents of some blocks."""
    faults, keys = list[str](), []
    for number in numbers:
        with _collect(faults):
            columns = session.store.block(number)
            keys.append(columns["name_key"])
            if (name_keys(columns["name"].tolist()) != columns["name_key"]).any():
                faults.append(f"block {number} has names that cannot be found")
    if keys and len(distinct(np.concatenate(keys))) < sum(map(len, keys)):
        faults.append("a name occurs twice")
    return faults


@contextmanager
def _collect(faults: list[str]) -> Iterator[None]:
    """Record an error as a fault and continue."""
    try:
        yield
    except SimdupError as error:
        faults.append(error.what)
