"""Regular expressions that are made when they are first used.

A start that makes all eighty of them takes a tenth longer.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Pattern:
    def __init__(self, *made_of: Any) -> None:
        self._made_of = made_of

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._made_of), name)
        setattr(self, name, found)
        return found


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression, which is compiled when its first method is called."""
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))
