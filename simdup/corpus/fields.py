"""Fields of records: find them by name, list them for users, read them as numbers or dates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

MISSING: Final = object()

# A record may have any number of fields, at any depth; a message lists a few.
_MOST_FIELDS = 50
_MOST_DEPTH = 4
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def find_field(values: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field, or `MISSING`; dots in its name reach into objects.

    A field whose own name contains the dots takes precedence.
    """
    if name in values:
        return values[name]
    head, dot, rest = name.partition(".")
    inner = values.get(head) if dot else None
    return find_field(inner, rest) if isinstance(inner, dict) else MISSING


def list_fields(values: Mapping[str, Any]) -> dict[str, int]:
    """Return the names of a record's fields, each with its number of characters of text."""
    found: dict[str, int] = {}
    _list_fields(values, "", found)
    return found


def _list_fields(values: Mapping[str, Any], above: str, found: dict[str, int]) -> None:
    for key, value in values.items():
        if len(found) == _MOST_FIELDS:
            return
        if isinstance(value, dict) and value and above.count(".") < _MOST_DEPTH:
            _list_fields(value, f"{above}{key}.", found)
        else:
            found[above + key] = len(value) if isinstance(value, str) else 0


def as_number(value: object) -> float:
    """Return a number or a date as a number, and NaN for anything else.

    A date or time, also in ISO 8601, becomes its seconds since 1970; without a time zone it is UTC.
    """
    if isinstance(value, date):
        value = value.isoformat()
    if isinstance(value, str):
        text = value.strip()
        try:
            number = float(text)
        except ValueError:
            number = _seconds(text)
    elif isinstance(value, bool) or value is None:
        return math.nan
    else:
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            return math.nan
    return number if math.isfinite(number) else math.nan


def _seconds(text: str) -> float:
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is None:
            time = time.replace(tzinfo=UTC)
        return (time - _EPOCH).total_seconds()
    except (ValueError, OverflowError):
        return math.nan
