"""Check every part of an index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from simdup.errors import SimdupError
from simdup.index.columns import SECTIONS, decode_names, name_keys
from simdup.index.session import Session
from simdup.index.state import find_places


def find_faults(session: Session) -> list[str]:
    """Return what is wrong with an index, one sentence per fault.

    Every section is compared with its checksum, every block with its own columns, and the recipe
    (including model and dictionary) with its digest.
    """
    storage = session.storage
    with storage.reading():
        faults = list(storage.faults())
        with _collect(faults):
            if session.recipe.complete:
                _ = session.recipe.fingerprinter
        keys, listed = [], set[int]()
        with _collect(faults):
            for number, _ in storage.blocks():
                listed.add(number)
                with _collect(faults):
                    columns = session.store.block(number)
                    keys.append(columns.keys)
                    if (name_keys(decode_names(columns.names)) != columns.keys).any():
                        faults.append(f"block {number} has names that cannot be found")
            for number in sorted(
                {n for kind, n in find_places(storage) if kind in SECTIONS} - listed
            ):
                faults.append(f"block {number} is missing from the list of blocks")
        if keys and len(np.unique(np.concatenate(keys))) < sum(map(len, keys)):
            faults.append("a name occurs twice")
    return list(dict.fromkeys(faults))


@contextmanager
def _collect(faults: list[str]) -> Iterator[None]:
    """Record an error as a fault and continue."""
    try:
        yield
    except SimdupError as error:
        faults.append(error.what)
