"""The table of the locality-sensitive families in `docs/methods.md`."""

import math
from collections.abc import Iterator

from docs.make.curves import BALL, euclidean
from simdup.model.criteria import Criteria
from simdup.near.methods.pstable import BUDGET, UNRELATED, choose_pstable, pstable_family
from simdup.text.bands import RECALL
from simdup.text.families import MINHASH, Family


def table() -> str:
    """Return the families with what makes them sensitive, as Markdown."""
    lines = ["| family | near, r1 | far, r2 | p1 | p2 | rho |", "|---|---|---|---|---|---|"]
    for family, near, far in rows():
        (r1, near_words), (r2, far_words) = near, far
        p1, p2 = family.collision(r1), family.collision(r2)
        rho = math.log(1 / p1) / math.log(1 / p2)
        cells = (
            f"`{family.name}`", f"{r1:.3f} ({near_words})", f"{r2:.3f} ({far_words})",
            f"{p1:.3f}", f"{p2:.3f}", f"{rho:.3f}",
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def rows() -> Iterator[tuple[Family, tuple[float, str], tuple[float, str]]]:
    """Yield each family with a near and a far distance, in numbers and in words."""
    similarity, cosine = Criteria().similarity, 0.9
    simhash = Family("simhash", lambda distance: 1 - distance)
    near_bits = f"{BALL.distance} of {BALL.bits} bits"
    yield simhash, (BALL.distance / BALL.bits, near_bits), (0.5, "no shared term")
    far = 0.2
    yield MINHASH, (1 - similarity, f"similarity {similarity:g}"), (1 - far, f"similarity {far:g}")
    width, _ = choose_pstable(euclidean(cosine), RECALL, BUDGET)
    near_cosine = (euclidean(cosine), f"cosine {cosine:g}")
    yield pstable_family(width), near_cosine, (UNRELATED, "no shared term")
