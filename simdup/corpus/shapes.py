"""Shapes of records: which fields have the text, in data as people have it.

Records without a field ``text`` are known by their other fields, in the order of one table.  For
those of no known shape, messages list the fields there are, each with an example.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from simdup.base.system import quoted
from simdup.base.when_used import pattern
from simdup.corpus.record_fields import MISSING, find_field, is_list, pieces_of
from simdup.corpus.records import as_text
from simdup.model.settings import DEFAULT_FIELDS

_LETTERS = "ABCDEFGH"


def fields_of_shape(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields that are the text of a record without a field ``text``; none if unknown.

    It is unknown if another field holds content: what differs there only would be removed.
    """
    fields = next(filter(None, (shape(values, *names) for shape, *names in SHAPES)), ())
    heads = {name.partition(".")[0].removesuffix("[]") for name in fields}
    passed = _BESIDE | _ANSWERS if fields and fields[0] in ("question", "Question") else _BESIDE
    rest = ((name.casefold(), value) for name, value in values.items() if name not in heads)
    more = any(name in _CONTENT or (name not in passed and _holds(value)) for name, value in rest)
    return () if more else fields


# Fields of content, whatever they hold.
_CONTENT = frozenset(
    {"chosen", "rejected", "history", "article", "passage", "context", "image", "images", "video"}
)
# Fields that may hold sentences, lists or objects beside the text, and beside a question.
_BESIDE = {
    "title", "标题", "system", "tools", "meta", "metadata", "html", "tags", "keywords", "authors",
    "categories", "url", "urls", "source", "sources", "label", "labels", "token_count",
}  # fmt: skip
_ANSWERS = {"answer", "answers", "explanation", "analysis", "rationale", "solution", "hint"}
# Fields that answer another one, however short that is: alone they are never the text.
_REPLIES = {"output", "response", "completion", "answer"}


def _holds(value: Any) -> bool:
    """Return whether a value is sentences, a list or an object."""
    if isinstance(value, str):
        return is_prose(value[:_EXAMPLE])
    return bool(value) and (is_list(value) or isinstance(value, dict))


def _listed(values: Mapping[str, Any], name: str, *keys: str) -> tuple[str, ...]:
    """Return the field of the first key that objects of a list have."""
    objects: Any = values.get(name)
    if not is_list(objects) or not all(isinstance(element, dict) for element in objects):
        return ()
    if any(map(_pictured, objects)):
        return ()
    # An empty list is one of messages, too.
    there = [key for key in keys if not len(objects) or any(key in each for each in objects)][:1]
    called = there and any(map(_called, objects))
    return tuple(f"{name}[].{key}" for key in [*there, *(_CALLS if called else ())])


# What a message says by calling tools, in the form of OpenAI.
_CALLS = ("tool_calls[].function.name", "tool_calls[].function.arguments")


def _called(message: Mapping[str, Any]) -> bool:
    calls = message.get("tool_calls")
    return is_list(calls) and pieces_of(find_field(message, _CALLS[1])) is not None


def _pictured(message: Mapping[str, Any]) -> bool:
    """Return whether a message holds what is not read, such as a picture."""
    parts: Any = message.get("content")
    return is_list(parts) and any(
        isinstance(part, dict) and part.get("type") not in ("text", "", None) for part in parts
    )


def _plain(values: Mapping[str, Any], *names: str) -> tuple[str, ...]:
    """Return the fields of these names, all texts; one with ``?`` may be missing."""
    keys = [key for name in names if (key := name.removesuffix("?")) == name or key in values]
    texts = (pieces_of(values.get(key, MISSING)) for key in keys)
    return () if any(text is None for text in texts) else tuple(keys)


def _question(values: Mapping[str, Any], question: str, *names: str) -> tuple[str, ...]:
    """Return the fields of a question and of its options, which may be a field each."""
    if not isinstance(values.get(question), str):
        return ()
    letters = [letter for letter in _LETTERS if letter in values]
    options = [*(_options(name, values.get(name)) for name in names), letters[1:] and letters]
    return next(((question, *fields) for fields in options if fields), ())


def _options(name: str, value: Any) -> list[str]:
    """Return the fields of options in a list, or in an object: of texts, or with a list of them."""
    if is_list(value):
        return [name] if pieces_of(value) is not None else [*_listed({name: value}, name, "text")]
    if not isinstance(value, dict):
        return []
    if is_list(value.get("text")):
        return [f"{name}.text"]
    return [f"{name}.{key}" for key in value] if pieces_of(list(value.values())) is not None else []


# How a shape is known, and the names that it has; the first that fits decides.
SHAPES: tuple[tuple[Any, ...], ...] = (
    (_listed, "messages", "content"),
    (_listed, "conversations", "value", "content"),
    (_plain, "instruction", "input?", "output"),
    (_plain, "prompt", "completion"),
    (_plain, "prompt", "response"),
    (_question, "question", "options", "choices"),
    (_question, "Question", "Options", "Choices"),
    (_plain, "content"),
    (_plain, "Content"),
    (_plain, "body"),
    (_plain, "Body"),
    (_plain, "Text"),
    (_plain, "正文"),
    (_plain, "内容"),
)


@lru_cache
def shape_name(fields: tuple[str, ...]) -> str:
    """Return the fields of a shape as notes name them: an object of options by its own name."""
    heads = [name.partition(".")[0] for name in fields]
    names = (
        head if heads.count(head) > 1 and "[" not in head else name
        for head, name in zip(heads, fields, strict=True)
    )
    return ", ".join(dict.fromkeys(names))


def shape_notes(counts: Mapping[str, int], argument: str) -> list[tuple[str, str]]:
    """Return the notes on records of known shapes, given how many have which fields."""
    missing = f"no field {DEFAULT_FIELDS[0]!r}"
    return [
        (
            f"`{argument}`",
            f"{count:,} records have {missing}: their text is {name}"
            if count > 1
            else f"1 record has {missing}: its text is {name}",
        )
        for name, count in sorted(counts.items())
    ]


# -- messages --------------------------------------------------------------------------------------

# A record may have any number of fields, at any depth, and elements; a message lists a few.
_MOST_FIELDS, _MOST_DEPTH, _MOST_ELEMENTS = 50, 4, 20
_MOST_NAMED, _LONGEST_NAME, _EXAMPLE = 12, 60, 100
# The columns of names and examples together: two lines, if names are short.
_ROOM = 150
# Characters of scripts without spaces between words.
_WIDE = pattern(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_MARKS = "\"'“”‘’()[].,;:!?…"
# Words of what may be a text, unlike an id, a label, an address or a date; and of what must be one.
_FEW_WORDS, _PROSE = 2, 5


def list_fields(*records: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the fields that records have, each with its longest example."""
    fields = dict[str, str]()
    for values in records:
        _list_fields(values, "", fields)
    return fields


def _list_fields(values: Mapping[str, Any], above: str, fields: dict[str, str]) -> None:
    for key, value in values.items():
        name = f"{above}{key}"
        inner, end = [value] if isinstance(value, dict) else [], "."
        if is_list(value) and pieces_of(value) is None:
            inner, end = [each for each in value[:_MOST_ELEMENTS] if isinstance(each, dict)], "[]."
        if any(inner) and above.count(".") < _MOST_DEPTH:
            for element in inner:
                _list_fields(element, name + end, fields)
        else:
            add_examples(fields, {name: _example(value)})


def add_examples(fields: dict[str, str], more: Mapping[str, str]) -> None:
    """Add fields to others, and longer examples of those that are there."""
    for name, example in more.items():
        if len(fields) < _MOST_FIELDS or name in fields:
            fields[name] = max(fields.get(name, ""), example, key=len)


def _example(value: Any) -> str:
    """Return the beginning of a value, on one line."""
    if is_list(value):
        value = list(value[:_MOST_ELEMENTS])
    pieces = pieces_of(value)
    text = as_text(value) if pieces is None else " ".join(piece[:_EXAMPLE] for piece in pieces)
    return " ".join(text.split())[:_EXAMPLE]


def shown_fields(fields: Mapping[Any, str], kind: str = "fields") -> str:
    """Return fields as messages list them, with their examples, in brackets."""
    named = [(repr(_cut(str(name), _LONGEST_NAME)), fields[name]) for name in fields][:_MOST_NAMED]
    # Long examples share what short ones leave.
    room = _ROOM - sum(len(name) + len(" = '', ") for name, _ in named)
    widths = [len(example) + len(_WIDE.findall(example)) for _, example in named]
    fits = (n for n in range(40, 12, -1) if sum(min(n, width) for width in widths) <= room)
    most = next(fits, 12)
    listed = (f"{name} = {_cut(example, most)!r}" if example else name for name, example in named)
    more = f" and {len(fields) - _MOST_NAMED:,} more" if len(fields) > _MOST_NAMED else ""
    return f"({kind}: {', '.join(listed) or 'none'}{more})"


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text if it takes more than so many columns."""
    most = most * 2 // 3 if _WIDE.search(text) else most
    return text if len(text) <= most else text[: most - 3] + "..."


def is_prose(text: str) -> bool:
    """Return whether a text reads like one, not like a name or a label."""
    return _words(text) >= _PROSE


def able_fields(fields: Mapping[Any, str]) -> list[Any]:
    """Return the fields that can be a text."""
    return [name for name, example in fields.items() if _words(example) >= _FEW_WORDS]


def only_prose(fields: Mapping[Any, str]) -> Any:
    """Return the only field that can be a text, if it reads like one; None where several can."""
    able = able_fields(fields)
    return able[0] if len(able) == 1 and _words(fields[able[0]]) >= _PROSE else None


def hint_of(fields: Mapping[Any, str]) -> str:
    """Return the hint for records without the wanted field, which have these."""
    name = only_prose(fields)
    ends = {end.casefold() for field in fields for end in re.split(r"\[\]|\.", str(field))}
    if name is not None and ends.isdisjoint(_CONTENT) and name not in _REPLIES:
        return f"`field` {quoted([name])}"
    return "name the text with `field`, which may be repeated" if fields else ""


def _words(example: str) -> float:
    """Return how many words a text has, as far as they are letters only."""
    words = (word.strip(_MARKS).replace("'", "") for word in _WIDE.sub(" ", example).split())
    return sum(map(str.isalpha, words)) + len(_WIDE.findall(example)) / 2
