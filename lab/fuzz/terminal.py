"""A terminal of 80 columns, and what must not be sent to one."""

from __future__ import annotations

import io
import unicodedata

# Categories of characters that could move the cursor, or hide or reorder what is shown.
_DRIVING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def driving(text: str) -> list[str]:
    """Return the characters of a text that would drive a terminal."""
    return sorted(c for c in set(text) - {"\n", "\t"} if unicodedata.category(c) in _DRIVING)


class Screen(io.StringIO):
    """A stream that says it is a terminal, so that lines are wrapped and names are shortened."""

    def isatty(self) -> bool:
        """Return True."""
        return True
