"""Fields of records: find them by name, list them for users, read them as numbers or dates."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

from simdup.base.when_used import pattern

MISSING: Final = object()

# A record may have any number of fields, at any depth; a message lists a few.
_MOST_FIELDS = 50
_MOST_DEPTH = 4
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A date with the year first, as people write it: 2024/5/1, 2024.05.01, 2024年5月1日 8:30.
_DATE = pattern(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[T\s]*(\d{1,2})(:.+))?", re.ASCII)


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


def as_text(value: Any) -> str:
    """Return a value as its file spells it: text as it is, everything else as in JSON."""
    if isinstance(value, bool | dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def as_number(value: Any) -> float:
    """Return a number or a date as a number, and NaN for anything else.

    A date or time, in ISO 8601 or with the year first, becomes its seconds since 1970; without a
    time zone it is UTC.  Whole numbers are ints: ids have more digits than a float.
    """
    if isinstance(value, date):
        value = value.isoformat()
    if isinstance(value, str):
        value = value.strip()
    if isinstance(value, bool) or value is None:
        return math.nan
    try:
        number = float(value)
    except ValueError:
        return _seconds(value) if isinstance(value, str) else math.nan
    except (TypeError, OverflowError):
        return math.nan
    if not math.isfinite(number):
        return math.nan
    try:
        whole = int(value)
    except ValueError:  # text such as 1.5
        return number
    return whole if isinstance(value, str) or whole == value else number


def _seconds(text: str) -> float:
    if found := _DATE.fullmatch(text):
        year, month, day, hour, more = found.groups()
        text = f"{year}-{month:0>2}-{day:0>2}" + (f"T{hour:0>2}{more}" if hour else "")
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is None:
            time = time.replace(tzinfo=UTC)
        return (time - _EPOCH).total_seconds()
    except (ValueError, OverflowError):
        return math.nan
