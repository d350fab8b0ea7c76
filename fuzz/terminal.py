"""A terminal of 80 columns."""

from __future__ import annotations

import io


class Screen(io.StringIO):
    """A stream that says it is a terminal, so that lines are wrapped and names are shortened."""

    def isatty(self) -> bool:
        """Return True."""
        return True
