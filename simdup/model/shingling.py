"""How a text is cut into shingles."""

from __future__ import annotations

from dataclasses import dataclass

from simdup.errors import invalid
from simdup.when_used import pattern

_WRITTEN = pattern(r"(words:)?([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Shingling:
    """How texts are cut into shingles: runs of `n` characters, or of `n` words.

    Examples
    --------
    >>> Shingling.parse("words:3")
    Shingling(n=3, unit='words')
    >>> str(Shingling(5))
    '5'
    """

    n: int = 5  # 1 to 9999
    unit: str = "characters"  # or ``words``

    @classmethod
    def parse(cls, shingle: int | str | Shingling) -> Shingling:
        """Parse a shingle such as ``5`` or ``words:3``.

        Raises
        ------
        SimdupError
            If it is neither.
        """
        if isinstance(shingle, Shingling):
            return shingle
        found = _WRITTEN.fullmatch(str(shingle))
        if found is None:
            raise invalid("shingle", shingle, "N characters, or words:N")
        return cls(int(found[2]), "words" if found[1] else "characters")

    @property
    def by_words(self) -> bool:
        """Whether the items are words."""
        return self.unit == "words"

    def __str__(self) -> str:
        return f"words:{self.n}" if self.by_words else str(self.n)
