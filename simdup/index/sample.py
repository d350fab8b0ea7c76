"""A sample of the blocks of an index: a share of them, or one of several parts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from simdup.errors import invalid
from simdup.when_used import pattern

# What people and programs type.
FORMS = "a share such as 5%, or a part such as 3/20"
_FORM = pattern(r"(\d{1,3}(?:\.\d{1,9})?)%|(\d{1,9})/(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sample:
    """Blocks in an order that only their numbers decide, from one share of them to another.

    So 1/20 to 20/20 together are all blocks, and the same index has the same sample everywhere.
    """

    start: Fraction
    stop: Fraction

    @classmethod
    def parse(cls, text: str) -> Sample:
        """Return the sample that a text such as ``5%`` or ``3/20`` describes.

        Raises
        ------
        SimdupError
            If it describes none.
        """
        match = _FORM.fullmatch(text)
        if match and match[1]:
            made = cls(Fraction(0), Fraction(match[1]) / 100)
        elif match and int(match[3]):
            made = cls(Fraction(int(match[2]) - 1, int(match[3])), Fraction(match[0]))
        else:
            raise invalid("sample", text, FORMS)
        if not 0 <= made.start < made.stop <= 1:
            raise invalid("sample", text, FORMS)
        return made

    def choose(self, numbers: Iterable[int]) -> set[int]:
        """Return the numbers of the sample, at least one if there are any."""
        ordered = sorted(numbers, key=_mixed)
        first = int(self.start * len(ordered))
        return set(ordered[first : max(first + 1, int(self.stop * len(ordered)))])


def _mixed(number: int) -> bytes:
    return hashlib.blake2b(str(number).encode(), digest_size=8).digest()
