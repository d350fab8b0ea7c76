"""Mix titles into fingerprints and band keys, so that a search meets documents of one title only.

Ten thousand pages of one template are fifty million candidates, nearly all of them of different
titles.  With a mask that depends on the title, the fingerprints of equal titles differ in the same
bits as before, and those of different titles in half of all bits.  Chance may bring some of these
together, so whoever uses the candidates compares the titles too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simdup.fingerprints.bands import Keys, Signatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.mix64 import mix64, stream

U64 = NDArray[np.uint64]


def mask_fingerprints(prints: Fingerprints, titles: U64) -> Fingerprints:
    """Return fingerprints with a mask for the title of each (uint64[n])."""
    keys = mix64(titles)
    masks = np.stack([stream(keys, word) for word in range(prints.values.shape[1])], axis=1)
    if unused := -prints.bits % 64:
        masks[:, 0] >>= np.uint64(unused)
    return replace(prints, values=prints.values ^ masks)


def mask_signatures(signatures: Signatures, titles: U64) -> Signatures:
    """Return signatures of documents with a mask for the title of each (uint64[documents])."""
    rows = signatures.rows(np.arange(len(titles)))
    known, sketches = signatures.keys[rows], signatures.sketches
    masks = mix64(titles).astype(known.dtype)
    keys: Keys = np.bitwise_xor(known, masks[:, np.newaxis])
    return Signatures(keys, None if sketches is None else sketches[rows], signatures.fewest)
