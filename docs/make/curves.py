"""The curves of the searches, drawn from the functions and plans that the code uses."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from docs.make.svg import Axis, Plot
from simdup.model.criteria import Criteria
from simdup.near.methods.pstable import BUDGET, choose_pstable, pstable_family
from simdup.search.plans import Cut, HammingBall
from simdup.text.bands import RECALL, minhash_banding
from simdup.text.families import MINHASH, proposed

BALL = HammingBall(64, Criteria().distance)
# Tables and the cut that has them at distance 3.
PLANS = {4: Cut(BALL, 4), 10: Cut(BALL, 5), 16: Cut(BALL, 4, nested=True), 20: Cut(BALL, 6)}


def minhash() -> str:
    """Draw how likely MinHash bands propose a pair, for three values of the similarity."""
    axis = Axis("similarity of two texts", 0, 1, [n / 10 for n in range(11)])
    plot = Plot("MinHash: which pairs become candidates", axis, "probability")
    for similarity in (0.5, Criteria().similarity, 0.9):
        banding = minhash_banding(Criteria(similarity=similarity))
        label = f"-s {similarity:g}: {banding.bands} bands of {banding.rows}"
        points = sampled(lambda x, cut=banding: proposed(MINHASH, 1 - x, cut), 0, 1)
        plot.curve(label, points)
        plot.dot(similarity, proposed(MINHASH, 1 - similarity, banding))
    return plot.render()


def pstable() -> str:
    """Draw how likely p-stable bands propose a pair, for three values of the cosine."""
    axis = Axis("cosine of two TF-IDF vectors", 0, 1, [n / 10 for n in range(11)])
    plot = Plot("p-stable projections: which pairs become candidates", axis, "probability")
    for cosine in (0.8, 0.9, 0.95):
        width, banding = choose_pstable(euclidean(cosine), RECALL, BUDGET)
        family = pstable_family(width)
        label = f"cosine {cosine:g}: {banding.bands} bands of {banding.rows}"
        points = sampled(lambda x, f=family, cut=banding: proposed(f, euclidean(x), cut), 0, 1)
        plot.curve(label, points)
        plot.dot(cosine, proposed(family, euclidean(cosine), banding))
    return plot.render()


def simhash() -> str:
    """Draw how likely two fingerprints share a key of some table, by their distance."""
    last = 16
    axis = Axis("Hamming distance of two fingerprints", 0, last, range(0, last + 1, 2))
    plot = Plot("Simhash: which fingerprints are compared (64 bits, -d 3)", axis, "probability")
    plot.band(0, BALL.distance, "all found")
    for tables, cut in PLANS.items():
        plot.curve(f"{tables} tables", list(enumerate(sharing(cut, last))))
    return plot.render()


def euclidean(cosine: float) -> float:
    """Return the distance of two vectors of length 1."""
    return math.sqrt(max(0.0, 2 - 2 * cosine))


def sampled(
    function: Callable[[float], float], first: float, last: float
) -> list[tuple[float, float]]:
    """Return points of a function, close enough to look smooth."""
    steps = 140
    places = (first + (last - first) * step / steps for step in range(steps + 1))
    return [(x, function(x)) for x in places]


def sharing(cut: Cut, last: int) -> list[float]:
    """Return for each distance the probability that two fingerprints share a key of some table.

    A table is keyed on some bits, and two fingerprints share its key if none of these differs.
    Inclusion and exclusion over all sets of tables: those of a set share their keys if no bit of
    the union of these keys differs, which holds for C(64 - |union|, d) of the C(64, d) ways to
    choose d bits that differ.
    """
    bits = cut.ball.bits
    unions, signs = np.zeros(1, np.uint64), np.ones(1, np.int64)
    for key in cut.keys:
        mask = np.uint64(sum((1 << length) - 1 << start for start, length in key))
        unions, signs = np.concatenate([unions, unions | mask]), np.concatenate([signs, -signs])
    sizes = np.bitwise_count(unions).astype(np.int64)
    weights = np.bincount(sizes, signs, minlength=bits + 1).astype(int).tolist()
    return [1 - none_shared(weights, bits, distance) for distance in range(last + 1)]


def none_shared(weights: Sequence[int], bits: int, distance: int) -> float:
    """Return the probability that two fingerprints at a distance share no key."""
    ways = sum(weight * math.comb(bits - size, distance) for size, weight in enumerate(weights))
    return ways / math.comb(bits, distance)
