"""JSON in a form of its own: where its texts are, as jq names the place."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

from simdup.base.errors import SimdupError
from simdup.base.regular_files import read_up_to
from simdup.base.system import quoted
from simdup.corpus.compression import decompress, split_compression
from simdup.corpus.files import File
from simdup.corpus.json_text import parse_json
from simdup.corpus.record_fields import is_text
from simdup.corpus.shapes import SHAPES, hint_of, list_fields, shown_fields
from simdup.model.settings import Reading


def in_own_form(path: str, text: str, reading: Reading) -> tuple[str, str] | None:
    """Return why a file of JSON should not be read as one text, and the next step.

    None if it may, or is no such file: most of its text must be in an array.
    """
    if not split_compression(path)[0].endswith(".json"):
        return None
    try:
        values = parse_json(text)
    except ValueError:
        return None
    if isinstance(values, dict) and is_text(values, reading):
        return None
    shapes = [] if reading.field else [name for _, name, *_ in SHAPES]
    within = texts_within(values, shapes)
    if within is None:
        return None
    if set(shapes).isdisjoint(within[1]):
        within = texts_within(values, reading.text_fields) or within
    path_within, first, is_record = within
    if is_record and any(isinstance(value, str) for value in first.values()):
        fields = list_fields(first)
        what = f"no field {reading.text_fields[0]!r} {shown_fields(fields)}"
        return what, hint_of(fields)
    if isinstance(first, dict):
        alike = [
            other
            for other, array in _arrays(values)
            if isinstance(array[0], dict) and array[0].keys() == first.keys()
        ]
        path_within = ", ".join(alike)
    path_within += " | {text: .}" * isinstance(first, str)
    lines = f"{quoted(['jq', '-c', path_within, path])} > records.jsonl"
    what = "holds many texts in a form of its own, and would be read as a single one"
    return what, f"make JSON lines of it first, such as with {lines}"


def file_in_own_form(file: File, reading: Reading) -> tuple[str, str] | None:
    """Return what `in_own_form` does of a file that can be read more than once."""
    if not split_compression(file.path)[0].endswith(".json"):
        return None
    with suppress(OSError, SimdupError, UnicodeDecodeError):
        with open(file.path, "rb") as raw, decompress(raw, file.compression) as stream:
            content = read_up_to(stream, file.max_size)
        return in_own_form(file.path, content.decode(reading.encoding or "utf-8-sig"), reading)
    return None


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
