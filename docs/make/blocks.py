"""The picture of the pigeonhole principle: two fingerprints in four blocks of 16 bits."""

from docs.make.svg import COLORS, INK, MONO, PALE, RULE, card, element, text
from simdup.search.plans import cut

FIRST = 0x86F7CEC8243A4400
DIFFERING = (5, 37, 58)  # bits, from the most significant one

CELL, LEFT, TOP = 11, 30, 70
SAME, OTHER = "#d9f0e6", "#fbe3d6"


def picture() -> str:
    """Draw two fingerprints at distance 3, and which of their blocks are equal."""
    second = FIRST
    for bit in DIFFERING:
        second ^= 1 << (63 - bit)
    parts = [text(LEFT, 30, "Three bits differ, so one of four blocks is equal", font_weight=600,
                  font_size=15)]  # fmt: skip
    for number, (start, length) in enumerate(cut(64, 4)):
        left = block_left(start, number)
        equal = not any(start <= bit < start + length for bit in DIFFERING)
        size = {"width": CELL * length + 8, "height": 76, "rx": 5}
        fill = SAME if equal else OTHER
        parts.append(element("rect", x=left - 4, y=TOP - 20, fill=fill, stroke=RULE, **size))
        for row, value in enumerate((FIRST, second)):
            parts += bits_of(value, start, length, (left, TOP + 4 + 34 * row))
        words, color = ("equal", COLORS[2]) if equal else ("one bit differs", COLORS[1])
        middle = left + CELL * length / 2
        parts.append(text(middle, TOP + 78, words, fill=color, text_anchor="middle",
                          font_weight=600))  # fmt: skip
    note = "A table sorted by the second block puts these two fingerprints next to each other."
    parts.append(text(LEFT, TOP + 108, note, fill=PALE))
    return card(LEFT * 2 + 64 * CELL + 3 * 18, 196, "Four blocks of 16 bits", parts)


def block_left(start: int, number: int) -> int:
    """Return where a block begins."""
    return LEFT + CELL * start + 18 * number


def bits_of(value: int, start: int, length: int, place: tuple[int, int]) -> list[str]:
    """Draw some bits of a fingerprint; those that differ are bold."""
    left, y = place
    parts = []
    for bit in range(start, start + length):
        differs = bit in DIFFERING
        look = {"fill": COLORS[1] if differs else INK, "font_weight": 700 if differs else 400}
        digit = str(value >> (63 - bit) & 1)
        x = left + CELL * (bit - start) + CELL / 2
        parts.append(text(x, y, digit, font_family=MONO, text_anchor="middle", **look))
    return parts
