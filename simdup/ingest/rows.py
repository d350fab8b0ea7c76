"""Texts that are passed from Python: pairs, mappings, records and tables, cut into batches.

Workers get texts and ids as text; the ids themselves stay here, and come back by number.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, NamedTuple

from simdup.corpus.batches import RowBatch
from simdup.corpus.fields import MISSING, as_number, find_field, list_fields
from simdup.corpus.lines import BATCH_BYTES
from simdup.corpus.records import Texts, without_surrogates
from simdup.errors import SimdupError
from simdup.ingest.paths import as_path, kind_of
from simdup.ingest.tables import Column, Table, as_table, hint, listed, wanted_columns
from simdup.model.documents import Skipped
from simdup.model.reading import Reading

# Items taken from an iterable at a time, and rows of the first batch.
_ROWS = 64
# Rows of a batch, however short they are.
_MOST_ROWS = 1024
# The classes of texts that can be sent to other processes as they are.
_PLAIN = {str}

_ACCEPTED = (
    "a path or paths, an iterable of (id, text) or of mappings, a mapping from id to text, "
    "or a pandas, Polars or Arrow table or a Hugging Face dataset"
)


class Chunk(NamedTuple):
    """A few rows, column by column; `MISSING` where a row lacks a field."""

    texts: Sequence[Column]  # a column for each field of the text
    ids: Column | None = None  # None for positions
    values: Column | None = None  # as in `Document`, before they become numbers
    groups: Column | None = None
    titles: Column | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Texts that were passed from Python."""

    chunks: Callable[[], Iterator[Chunk]]  # reads them from the beginning
    again: bool = True  # whether that works more than once
    fields: tuple[str, ...] = ()  # of the texts; pairs and mappings have none

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what is known of them: the texts stay where they are."""
        return Rows, (_no_chunks, False, self.fields)


def _no_chunks() -> Iterator[Chunk]:
    return iter(())


def recognise(data: Any, reading: Reading) -> Rows | list[str]:
    """Return the rows or the paths that some data is.

    Raises
    ------
    TypeError
        If it is neither.
    SimdupError
        If a column is missing.
    """
    if isinstance(data, str | os.PathLike):
        return [as_path(data, "data")]
    table = as_table(data)
    if table is not None:
        return _table_rows(table, reading)
    if isinstance(data, Mapping):
        return _mapping_rows(data)
    if isinstance(data, bytes | bytearray | memoryview) or not isinstance(data, Iterable):
        raise TypeError(f"data: expected {_ACCEPTED}, not {kind_of(data)}")
    items = iter(data)
    first = next(items, MISSING)
    if first is MISSING:
        return []
    if isinstance(first, str | os.PathLike):
        return [as_path(one, "data", i) for i, one in enumerate(chain([first], items))]
    again = items is not data

    def read() -> Iterator[Any]:
        return iter(data) if again else chain([first], items)

    if _is_record(first):
        return Rows(lambda: _records(read(), reading), again, reading.text_fields)
    if _is_pair(first):
        return Rows(lambda: _pairs(read()), again)
    raise TypeError(f"data: expected {_ACCEPTED}, not {kind_of(data)} of {kind_of(first)}")


def row_batches(rows: Rows, ids: list[Any]) -> Iterator[RowBatch]:
    """Cut rows into batches, in order, and append their ids to `ids`.

    The first batches are small, so that streamed results begin at once.
    """
    pending = list[_CheckedRows]()
    size = count = 0
    most, seen = _ROWS, set[str]()
    for chunk in rows.chunks():
        for part in _cut(_part(chunk, len(ids), rows.fields)):
            ids += part.ids
            pending.append(part)
            size += sum(part.sizes)
            count += len(part.ids)
            if size >= BATCH_BYTES or count >= most:
                yield _batch(pending, len(ids) - count + 1, size, seen)
                pending, size, count = [], 0, 0
                most = min(2 * most, _MOST_ROWS)
    if pending:
        yield _batch(pending, len(ids) - count + 1, size, seen)


class _CheckedRows(NamedTuple):
    """Rows that were checked, column by column."""

    ids: Sequence[Any]
    texts: Sequence[Texts | Skipped]
    sizes: Sequence[int]  # bytes of the texts, about
    values: Sequence[float | None] | None
    groups: Sequence[str | None] | None
    titles: Sequence[str] | None


def _part(chunk: Chunk, done: int, fields: Sequence[str]) -> _CheckedRows:
    """Return a chunk with all ids, and reasons for missing texts; `done` rows come before."""
    rows = list(zip(*chunk.texts, strict=True))
    positions = range(done, done + len(rows))
    ids = positions if chunk.ids is None else _hashable(chunk.ids, done)
    texts: Sequence[Texts | Skipped] = rows
    if any(set(map(type, column)) != _PLAIN for column in chunk.texts):
        named = enumerate(zip(ids, rows, strict=True), done + 1)
        texts = [_texts(parts, fields, name, number) for number, (name, parts) in named]
    sizes = list(map(sum, zip(*map(_sizes, chunk.texts), strict=True)))
    values, groups, titles = chunk.values, chunk.groups, chunk.titles
    return _CheckedRows(
        ids, texts, sizes,
        None if values is None else [_number(value) for value in values],
        None if groups is None else [_group(group) for group in groups],
        None if titles is None else [_group(title) or "" for title in titles],
    )  # fmt: skip


def _cut(part: _CheckedRows) -> Iterator[_CheckedRows]:
    """Yield rows together, or one by one if that would be too much for a batch."""
    if sum(part.sizes) <= BATCH_BYTES:
        yield part
        return
    for i in range(len(part.ids)):
        one: list[Any] = [None if column is None else column[i : i + 1] for column in part]
        yield _CheckedRows(*one)


def _batch(parts: Sequence[_CheckedRows], first: int, size: int, seen: set[str]) -> RowBatch:
    """Return parts as one batch; add its names to those `seen` before."""
    columns: list[Any] = [
        None if column[0] is None else list(chain.from_iterable(column))
        for column in zip(*parts, strict=True)
    ]
    ids, texts, _, values, groups, titles = columns
    names = [str(one) for one in ids]
    repeated = set[str]()
    # Positions repeat nothing, and the names of millions take memory.
    for name in names if not all(isinstance(part.ids, range) for part in parts) else ():
        (repeated if name in seen else seen).add(name)
    again = frozenset(repeated)
    return RowBatch(first, names, texts, size, values, groups, titles, again)


def _texts(parts: Sequence[Any], fields: Sequence[str], name: Any, number: int) -> Texts | Skipped:
    """Return the texts of a row's fields, or why it has none, as for records of files."""
    what = [f"field {field!r}" for field in fields] or ["the text"]
    # The class of a text may not be known where it is sent to.
    texts = tuple(str.__str__(one) if isinstance(one, str) else None for one in parts)
    for one, field in zip(parts, what, strict=True):
        if one is MISSING or not (isinstance(one, str) or _is_null(one)):
            reason = f"no {field}" if one is MISSING else f"{field} is not a string"
            return Skipped(str(name), reason, error=True, number=number)
    if any(one is not None for one in texts):
        return texts
    return Skipped(str(name), f"{what[0]} is null", error=True, number=number)


def _sizes(column: Column) -> list[int]:
    """Return about how many bytes each text takes: Chinese takes three a character."""
    return [len(one) * (1 if one.isascii() else 3) if isinstance(one, str) else 0 for one in column]


def _hashable(ids: Column, done: int) -> Column:
    """Return ids, with positions in place of those that are missing."""
    given = [done + i if one is MISSING else one for i, one in enumerate(ids)]
    for i, one in enumerate(given, done):
        try:
            hash(one)
        except TypeError:
            raise TypeError(f"id: that of row {i} is not hashable: {one!r:.60}") from None
    return given


def _is_null(value: Any) -> bool:
    if value is None or value is MISSING:
        return True
    if isinstance(value, float):
        return value != value
    # The missing values of pandas are equal to nothing, not even in a comparison.
    return type(value).__name__ in ("NAType", "NaTType")


def _number(value: Any) -> float | None:
    return None if value is MISSING else as_number(None if _is_null(value) else value)


def _group(value: Any) -> str | None:
    return None if _is_null(value) else without_surrogates(str(value))


def _table_rows(table: Table, reading: Reading) -> Rows:
    wanted = wanted_columns(table, reading)
    columns = list(dict.fromkeys(chain.from_iterable(wanted.values())))

    def chunks() -> Iterator[Chunk]:
        for values in table.read(columns):
            by_name = dict(zip(columns, values, strict=True))
            texts = [by_name[name] for name in wanted["text"]]
            found = {argument: by_name[names[0]] for argument, names in wanted.items()}
            ids = _known(found["id"]) if "id" in found else None
            others = map(found.get, ("keep", reading.group_argument, "title"))
            yield Chunk(texts, ids, *others)

    return Rows(chunks, table.again, reading.text_fields)


def _mapping_rows(data: Mapping[Any, Any]) -> Rows:
    if data and not any(isinstance(text, str) for text in data.values()):
        kind = kind_of(next(iter(data.values())))
        also = " (pass columns as a DataFrame, and rows as a list of mappings)"
        raise TypeError(f"data: expected a mapping from id to text, not to {kind}{also}")
    return Rows(lambda: _pairs(iter(data.items())))


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple | list) and len(item) == 2


def _is_record(item: Any) -> bool:
    # Rows of sqlite3 have keys too, but are no mappings.
    return hasattr(item, "keys") and hasattr(item, "__getitem__") and not isinstance(item, type)


def _pairs(items: Iterator[Any]) -> Iterator[Chunk]:
    for number, some in _some(items):
        for i, item in enumerate(some):
            if not _is_pair(item):
                what = f"expected (id, text) like those before, not {kind_of(item)}"
                raise TypeError(f"data: item {number + i}: {what}")
        yield Chunk([[text for _, text in some]], [name for name, _ in some])


def _records(items: Iterator[Any], reading: Reading) -> Iterator[Chunk]:
    """Yield records column by column; raise at the end if none had a wanted field."""
    fields = [("text", name) for name in reading.text_fields]
    asked = [*fields, ("id", reading.id_field), ("title", reading.title_field)]
    lacking = dict.fromkeys(asked)
    seen: dict[str, int] | None = None
    for number, some in _some(items):
        for i, item in enumerate(some):
            if not _is_record(item):
                what = f"expected a mapping like those before, not {kind_of(item)}"
                raise TypeError(f"data: item {number + i}: {what}")
        some = [item if isinstance(item, Mapping) else dict(item) for item in some]
        texts = [_field(some, name) for name in reading.text_fields]
        ids = _field(some, "id" if reading.id_field is None else reading.id_field)
        value, group, title = (
            None if name is None else _field(some, name)
            for name in (reading.value_field, reading.group_field, reading.title_field)
        )
        for one, column in zip(asked, [*texts, ids, title or []], strict=True):
            if one in lacking and any(content is not MISSING for content in column):
                del lacking[one]
        if seen is None:
            seen = list_fields(some[0])
        yield Chunk(texts, _known(ids), value, group, title)
    for argument, name in lacking:
        if name is not None and seen is not None:
            what = f"no record has a field {name!r} (fields: {listed(list(seen))})"
            raise SimdupError(
                argument, what, hint(argument, [n for n in seen if seen[n]]), argument
            )


def _field(records: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    return [find_field(record, name) for record in records]


def _known(ids: Column) -> Column:
    """Return ids with null as missing."""
    return [MISSING if _is_null(one) else one for one in ids]


def _some(items: Iterator[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Yield items, a few at a time, and the number of those before."""
    number = 0
    while some := list(islice(items, _ROWS)):
        yield number, some
        number += len(some)
