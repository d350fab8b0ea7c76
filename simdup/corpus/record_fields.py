"""The fields of a record: how they are named, and the pieces of text that they hold.

Dots in a name reach into objects, brackets into lists: ``body.content``, ``messages[].content``.
The pieces of a text are strings, a line apart: a string is one piece, a list of strings is several.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, TypeAlias

from simdup.model.settings import DEFAULT_FIELDS, Reading

MISSING: Final = object()
# Starts and ends of what is cut from a text, ascending; no two overlap.
Spans: TypeAlias = Sequence[tuple[int, int]]


# Why a record that is not read as others are keeps its text.
UNREADABLE = "what is left would not be read as the same text"


class Unchanged(Exception):
    """A record cannot be changed; the message is the reason."""


def text_fields(values: Mapping[str, Any], reading: Reading) -> tuple[str, ...]:
    """Return the fields of a record that are its text: those asked for, or those of its shape."""
    if reading.field is not None:
        return reading.text_fields
    if DEFAULT_FIELDS[0] in values:
        return DEFAULT_FIELDS
    fields: tuple[str, ...] = shapes().fields_of_shape(values)
    return fields or DEFAULT_FIELDS


def shapes() -> Any:
    """Return `simdup.corpus.shapes`, which records with a field ``text`` do not need."""
    return import_module("simdup.corpus.shapes")


def has_texts(values: Mapping[str, Any], reading: Reading) -> bool:
    """Return whether a record has the fields of its text, as far as its own names tell."""
    return all(
        name in values or name.partition(".")[0].removesuffix("[]") in values
        for name in text_fields(values, reading)
    )


def is_text(values: Mapping[str, Any], reading: Reading) -> bool:
    """Return whether an object is one text, whatever arrays it holds beside it."""
    alone = {name: value for name, value in values.items() if not is_list(value)}
    return has_texts(values, reading) or has_texts(alone, reading)


def find_field(values: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field, or `MISSING`; of a field within a list, the list of its values.

    A field whose own name contains the dots or brackets takes precedence.
    """
    if name in values:
        return values[name]
    head, dot, rest = name.partition(".")
    inner = values.get(head) if dot else None
    if isinstance(inner, dict):
        return find_field(inner, rest)
    if not head.endswith("[]"):
        return MISSING
    inner = values.get(head.rstrip("[]"), MISSING)
    if inner is None:
        return None
    return _find_each(inner, rest) if is_list(inner) else MISSING


def _find_each(value: Any, rest: str) -> Any:
    """Return the values of a field in the objects of a list; null objects have none."""
    if is_list(value):
        if not rest:
            return list(value)
        values = [_find_each(element, rest) for element in value if element is not None]
        present = [element for element in values if element is not MISSING]
        # Null or an empty list shows no field.
        shown = (element is not None and pieces_of(element) != [] for element in present)
        return MISSING if len(present) < len(values) and not any(shown) else present
    return find_field(value, rest) if isinstance(value, dict) else MISSING


def examples(*records: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of records, each with an example of its values."""
    fields: dict[str, str] = shapes().list_fields(*records)
    return fields


def is_list(value: Any) -> bool:
    """Return whether a value holds several; pandas has arrays."""
    return isinstance(value, list | tuple) or type(value).__name__ == "ndarray"


def pieces_of(value: Any) -> list[str] | None:
    """Return the pieces of text of a field's value, none for null; None if it is not text.

    A part of a message, such as ``{"type": "text", "text": "Hello"}``, is a text, too; in a list,
    parts without one, such as images, are left out.
    """
    if isinstance(value, str):
        return [value]
    if value is None:
        return []
    if isinstance(value, dict):
        return [value["text"]] if _is_part(value) and isinstance(value.get("text"), str) else None
    if not is_list(value):
        return None
    pieces = list[str]()
    for element in value:
        inner = pieces_of(element)
        if inner is None and not _is_part(element):
            return None
        pieces += inner or ()
    return pieces


def _is_part(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def all_pieces(values: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return the pieces of several fields."""
    return [piece for name in names for piece in pieces_of(find_field(values, name)) or ()]


def with_pieces(
    values: Mapping[str, Any], names: Sequence[str], pieces: Iterable[str]
) -> Mapping[str, Any]:
    """Return a record with other pieces in its fields, as many as `all_pieces` returns."""
    new = iter(pieces)
    for name in names:
        values = _with_field(values, name, new)
    return values


def _with_field(values: Mapping[str, Any], name: str, new: Iterator[str]) -> Mapping[str, Any]:
    if name in values:
        return {**values, name: _with_texts(values[name], new)}
    head, dot, rest = name.partition(".")
    if dot and isinstance(values.get(head), dict):
        return {**values, head: _with_field(values[head], rest, new)}
    key = head.rstrip("[]")
    if head.endswith("[]") and key in values:
        return {**values, key: _with_each(values[key], rest, new)}
    return values


def _with_each(value: Any, rest: str, new: Iterator[str]) -> Any:
    if is_list(value):
        return [_with_each(element, rest, new) for element in value]
    if not rest:
        return _with_texts(value, new)
    return _with_field(value, rest, new) if isinstance(value, dict) else value


def _with_texts(value: Any, new: Iterator[str]) -> Any:
    """Return a value with other strings in place of those that `pieces_of` returns."""
    if is_list(value):
        return [_with_texts(element, new) for element in value]
    if not pieces_of(value):
        return value
    return {**value, "text": next(new)} if isinstance(value, dict) else next(new)


# -- what is cut -----------------------------------------------------------------------------------


def cut_record(values: Mapping[str, Any], fields: Sequence[str], spans: Spans) -> Mapping[str, Any]:
    """Return a record without spans of its text, which is the pieces of these fields."""
    return with_pieces(values, fields, cut_pieces(all_pieces(values, fields), spans))


def cut_pieces(pieces: Iterable[str], spans: Spans) -> Iterator[str]:
    """Yield pieces without spans of the text that they are; line breaks between them stay."""
    at = 0
    for piece in pieces:
        size = len(piece)
        within = ((max(start - at, 0), min(end - at, size)) for start, end in spans)
        yield without_spans(piece, [(start, end) for start, end in within if start < end])
        at += size + 1


def without_spans(text: str, spans: Spans) -> str:
    """Return a text without some of its characters."""
    if not spans:
        return text
    parts, done = list[str](), 0
    for start, end in spans:
        parts.append(text[done:start])
        done = end
    return "".join([*parts, text[done:]])
