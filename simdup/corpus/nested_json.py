"""JSON in a form of its own: where its texts are, as jq names the place."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any


def texts_within(values: Any, wanted: Collection[str]) -> tuple[str, Any, bool] | None:
    """Return the path of the array that has the texts of a value, and its first element.

    Last is whether that is a record: of the only array of objects that is in no other one.  It is
    the largest array whose element has a wanted field, or else most of its text in its own fields.
    None if most of the text is in no array: then the value is a text.

    >>> texts_within({"version": "2", "data": [{"title": "a", "parts": [{"q": "Why?"}]}]}, ["q"])
    ('.data[].parts[]', {'q': 'Why?'}, False)
    """
    arrays = dict(_arrays(values))
    outer = {path: _characters(array) for path, array in arrays.items() if path.count("[]") == 1}
    if 2 * sum(outer.values()) <= _characters(values):
        return None
    # The largest array comes first, with those within it.
    paths = sorted(arrays, key=lambda path: -outer[path.partition("[]")[0] + "[]"])
    first = {path: arrays[path][0] for path in paths}
    having = (path for path in paths if not set(wanted).isdisjoint(first[path]))
    plain = (path for path in paths if 2 * _own_characters(first[path]) > _characters(first[path]))
    path = next(having, next(plain, paths[0]))
    records = [place for place in outer if isinstance(first[place], dict)]
    return path, first[path], records == [path]


def _arrays(values: Any, path: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Yield the arrays of objects or texts within a value, each behind its path."""
    if isinstance(values, dict):
        for key, value in values.items():
            plain = key.isidentifier() and key.isascii()
            step = f"{path}.{key}" if plain else f"{path or '.'}[{json.dumps(key)}]"
            yield from _arrays(value, step)
    elif isinstance(values, list) and values and isinstance(values[0], dict | str):
        yield f"{path or '.'}[]", values
        yield from _arrays(values[0], f"{path or '.'}[]")


def _own_characters(element: Any) -> int:
    fields = element.values() if isinstance(element, dict) else [element]
    return sum(len(text) for text in fields if isinstance(text, str))


def _characters(values: Any) -> int:
    """Return how many characters the texts within a value have."""
    if isinstance(values, str):
        return len(values)
    inner = values.values() if isinstance(values, dict) else values
    return sum(map(_characters, inner)) if isinstance(values, dict | list) else 0
