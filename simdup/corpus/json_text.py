"""Parse JSON that others wrote, with the same limit in every Python."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any

from simdup.base.when_used import pattern

# Arrays and objects within each other.  Python itself reads some 900 levels, from 3.14 on as many
# as the stack has room for.
DEEPEST = 500

_STRING = pattern(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKET = pattern(r"[\[\]{}]")


def parse_json(text: str) -> Any:
    """Return the value of JSON.

    Raises
    ------
    ValueError
        If it is not JSON, or is nested deeper than `DEEPEST`.
    """
    if is_too_deep(text):
        raise ValueError("nested too deeply")
    try:
        return json.loads(text)
    except RecursionError:  # called with hardly any stack left
        raise ValueError("nested too deeply") from None


def is_too_deep(text: str) -> bool:
    """Return whether brackets outside of strings are nested deeper than `DEEPEST`."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    outside = _STRING.sub("", text)
    steps = (1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(outside))
    return max(accumulate(steps), default=0) > DEEPEST
