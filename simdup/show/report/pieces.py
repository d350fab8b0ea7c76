"""Where two texts differ, with what surrounds it: for clusters whose whole texts do not fit.

Both texts are cut alike: long equal stretches lose their middle on both sides, so the page compares
what is left as it compares whole texts.
"""

from __future__ import annotations

from simdup.show.report.delta import as_units, delta

# Equal characters that are kept before and after a change, and what is shown for those between.
CONTEXT = 40
GAP = "\n⋯\n"

# Characters of one change, and of all that is kept of a text.
CHANGE = 200
MOST = 1_000


def pieces(base: str, text: str) -> tuple[str, str]:
    """Return what is left of two texts where they differ; both empty if it shows no difference."""
    a, b = _left(as_units(base), as_units(text)) if base != text else ("", "")
    return (a, b) if a != b else ("", "")


def _left(base: str, text: str) -> tuple[str, str]:
    a, b = "", ""
    last = 0  # how much of the base is dealt with
    for part in delta(base, text):
        if isinstance(part, str):
            b += part[:CHANGE]
            continue
        start, length = part
        equal = base[start : start + length]
        if start < last:  # it was earlier in the base
            b += equal[:CHANGE]
            continue
        a += base[last:start][:CHANGE]
        equal = _shortened(equal, after=bool(a or b))
        a, b, last = a + equal, b + equal, start + length
        if max(len(a), len(b)) > MOST:
            return a, b
    return a + base[last:][:CHANGE], b


def _shortened(equal: str, after: bool) -> str:
    """Return an equal stretch without its middle, or without its beginning before any change."""
    if not after:
        return equal[-CONTEXT:]
    if len(equal) <= 2 * CONTEXT + len(GAP):
        return equal
    return equal[:CONTEXT] + GAP + equal[-CONTEXT:]
