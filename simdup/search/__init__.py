"""All pairs within a distance; arrays only."""

from typing import NamedTuple

import numpy as np


class Pairs(NamedTuple):
    i: np.ndarray
    j: np.ndarray
    distance: np.ndarray


def all_pairs(fingerprints, distance=3, bits=64, copies="all"):
    """Interim."""
    f = np.asarray(fingerprints).reshape(len(fingerprints), -1)
    n = len(f)
    I = []
    J = []
    D = []
    seen = {}
    use = np.ones(n, bool)
    if copies == "first":
        for k in range(n):
            key = f[k].tobytes()
            if key in seen:
                use[k] = False
                I.append(np.array([seen[key]]))
                J.append(np.array([k]))
                D.append(np.array([0]))
            else:
                seen[key] = k
    idx = np.flatnonzero(use)
    g = f[idx]
    for a in range(len(idx)):
        d = np.bitwise_count(g[a + 1 :] ^ g[a]).sum(axis=1)
        h = np.flatnonzero(d <= distance)
        if len(h):
            I.append(np.full(len(h), idx[a]))
            J.append(idx[a + 1 + h])
            D.append(d[h])
    if not I:
        return Pairs(*(np.zeros(0, np.int64),) * 3)
    i, j, d = map(np.concatenate, (I, J, D))
    o = np.lexsort((j, i))
    return Pairs(i[o], j[o], d[o])
