"""Documents do not match their own earlier versions, of the same name and another content.

If only one of the two has a text, their fingerprints tell.  Where contents are not to be known,
documents of the same name are never a pair.
"""

from __future__ import annotations

import numpy as np

from simdup.model.table import Side
from simdup.search.arrays import Bools


def allows(a: Side, b: Side) -> Bools:
    """Return which pairs are no versions of one document."""
    other: Bools = a["name_key"] != b["name_key"]
    same = np.flatnonzero(~other)
    if len(same) and "content_key" in a:
        a, b = a.take(same), b.take(same)
        alike = (a["fingerprint"] == b["fingerprint"]).all(axis=1)
        comparable = (a["terms"] > 0) == (b["terms"] > 0)
        other[same] = np.where(comparable, a["content_key"] == b["content_key"], alike)
    return other
