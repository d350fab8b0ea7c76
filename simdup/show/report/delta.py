"""Long texts that are nearly equal: one whole, the others as what they copy from it.

Tridgell and Mackerras, "The rsync algorithm" (1996), without the rolling checksum: Python compares
slices faster than it rolls.  The base is cut into blocks; wherever the text has one of these blocks
the match is extended in both directions.  Time grows with the texts, not with their product.
"""

from __future__ import annotations

from typing import TypeAlias

BLOCK = 32

# A stretch of the base as [start, length], or characters that it does not have.
Delta: TypeAlias = "list[list[int] | str]"


def as_units(text: str) -> str:
    """Return a text with a character for each UTF-16 unit: a page counts in these."""
    content = text.encode("utf-16-le", "surrogatepass")
    if len(content) == 2 * len(text):
        return text
    return "".join(map(chr, memoryview(content).cast("H")))


def delta(base: str, text: str) -> Delta:
    """Return what rebuilds `text` from `base`; both hold UTF-16 units."""
    blocks: dict[str, int] = {}
    for start in range(0, len(base) - BLOCK + 1, BLOCK):
        blocks.setdefault(base[start : start + BLOCK], start)
    parts: Delta = []
    done = position = 0
    while position <= len(text) - BLOCK:
        found = blocks.get(text[position : position + BLOCK])
        if found is None:
            position += 1
            continue
        start = found
        length = _common(base, start, text, position)
        # Further back is a block that would have been found.
        near = max(start - 2 * BLOCK, 0), max(position - 2 * BLOCK, done)
        back = _common_before(base[near[0] : start], text[near[1] : position])
        if position - back > done:
            parts.append(text[done : position - back])
        parts.append([start - back, length + back])
        done = position = position + length
    if done < len(text):
        parts.append(text[done:])
    return parts


def _common_before(base: str, text: str) -> int:
    """Return how many characters at the ends of two texts are equal."""
    length, longest = 0, min(len(base), len(text))
    while length < longest and base[-length - 1] == text[-length - 1]:
        length += 1
    return length


def _common(base: str, start: int, text: str, position: int) -> int:
    """Return how many characters from these positions on are equal; by doubling steps."""
    length, step = BLOCK, BLOCK
    longest = min(len(base) - start, len(text) - position)
    while length < longest:
        step = min(step, longest - length)
        here, there = start + length, position + length
        if base[here : here + step] == text[there : there + step]:
            length += step
            step *= 2
        elif step == 1:
            break
        else:
            step //= 2
    return length
