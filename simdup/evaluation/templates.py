"""Tell whether a collection looks as if it was made from templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

# Pages with the same content have at least this cosine.
COSINE = 0.9

# With at least this many pairs, and at least this share of them below `COSINE`, a collection looks
# as if it was made from templates.
_PAIRS = 20
_SHARE = 0.5

_SAMPLE = 200


def unlike_share(
    pairs: Sequence[tuple[int, int]], cosine: Callable[[int, int], float]
) -> float | None:
    """Return the share of similar pairs that differ in content; None if it is low or unknown."""
    if len(pairs) < _PAIRS:
        return None
    sample = pairs[:: -(-len(pairs) // _SAMPLE)]
    share = sum(cosine(*pair) < COSINE for pair in sample) / len(sample)
    return share if share >= _SHARE else None


def unlike_words(share: float) -> str:
    """Return what that share means."""
    return f"{share:.0%} of the pairs look alike but differ in content (cosine below {COSINE:g})"
