"""One table of documents: columns of equal length, by name.

A column that a run does not need is not there: whoever needs it asks for it where documents are
read.  Texts do not lie in the table but in the spool, and a column has their slots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
AnyTable = TypeVar("AnyTable", bound="Table")

# The columns that there may be, and their types.  Those with a second axis have one of any length.
SCHEMA: Mapping[str, Any] = {
    # Of documents, as `simdup.model.documents.Document` describes them.
    "name": object,  # or its id, if it was passed from Python
    "path": object,
    "record": np.int64,
    "modified": np.float64,
    "size": np.int64,  # bytes of its text in UTF-8
    "value": object,  # a number, exactly; NaN where it is missing or none
    "valued": np.bool_,  # whether it is there
    "fields": object,  # the names of the fields of a record that lacks one of these
    "groups": object,  # of the fields that tell its groups; empty for a text that is no record
    "lacking": np.bool_,
    "pieced": np.bool_,  # whether its text is of several fields, or of a list
    "folded": "V16",  # a digest of the folded text
    "first": np.bool_,  # whether it is the first with its text, which then has a row
    "text": np.int64,  # the row of its text
    "original": np.int64,  # [2]: the slot of the text as it was decoded
    "title": np.int64,  # [2]: the slot of its title
    "title_key": np.uint64,
    "named": np.bool_,  # whether the title does not come from the text
    # Of documents that are compared.
    "number": np.int64,  # its place in the input, where a table has only some documents
    "reference": np.bool_,  # whether it is never redundant
    "skipped": np.bool_,  # whether it was named, and took no part
    "indexed": np.bool_,  # whether it is a document of an index
    "equal": np.uint64,  # only documents with the same one are compared
    "different": np.int64,  # [fields]: documents of one group are no pair; -1 for none
    "content_number": np.int64,  # equal for identical documents
    "summary": np.uint8,  # [145]: what an index keeps of the text
    "fingerprint": np.uint64,  # [words]
    "terms": np.uint8,  # how many terms it has, at most 255; 0 for one without a text
    "vector_keys": np.uint64,  # [bands]: of its TF-IDF vector
    "vector_sketch": np.uint8,  # [cells]
    "name_key": np.uint64,  # a hash of the name
    "content_key": np.uint64,  # a hash of the name and the content together
    "compact_key": np.uint64,  # a hash of the compact text; 0 for one without a text
    # Of documents in which passages are found, as `simdup.index.passages` makes them.
    "symbols_digest": "V16",  # of the text as symbols
    "packed": np.int64,  # [2]: the slot of the text, compressed
    "grams": np.int64,  # [2]: the slot of the hashes of its chosen k-grams
    "packed_text": object,  # the bytes of these, read from their slots
    "gram_hashes": object,
    # Of distinct texts.
    "digest": "V16",  # of the compact text
    "length": np.int64,  # characters of the compact text
    "keys": np.uint32,  # [bands]
    "sketch": np.uint8,  # [hashes]
    "seeds": np.int64,  # [2]: the slot of its seeds of passages
    "runs": np.int64,  # [2]: the slot of the runs of a short text that another may contain
    "positions": np.int64,  # [2]: the slot of the places of these
    "left_seeds": np.int64,  # [2]: the slot of the seeds of a text that has too few of them
    "lines": np.int64,  # [2]: the slot of the places where its lines begin
    "symbols": np.int64,  # [2]: the slot of the text as symbols
    "units": np.int64,  # symbols of it
    "common_units": np.int64,  # of it, that too many references have
    "parts": np.int64,  # [2]: the slot of its lines, sentences or paragraphs
    "repeats": np.uint8,  # 1 if one of these is there twice, 2 if it repeats what is before it
    "rest": "V16",  # a digest of the others
    "characters": np.int64,  # of the text as it was decoded
    "form": np.int64,  # its row in the table of forms, -1 for none
    # Of the forms of short texts, and of documents, as in `simdup.near.rules`.
    "letters": np.int64,
    "facts": np.uint64,
    # Of the forms of short texts: see `simdup.text.short_texts.Forms`.
    "frame": np.uint64,
    "kind": np.int8,
    # Of the forms of short texts: as in `simdup.near.methods.short_texts`.
    "form_keys": np.uint32,
    "sketch_1": np.uint64,
    "sketch_2": np.uint64,
}


class Table:
    """Columns of equal length.

    Parameters
    ----------
    columns : mapping
        Arrays with a row for each thing that the table is of, by the names in `SCHEMA`.

    Raises
    ------
    ValueError
        If their lengths or their types differ from what they should be.
    KeyError
        If one is not in the schema.
    """

    __slots__ = ("_columns",)
    # The columns that there may be, and their types; some have a second axis, of any length.
    SCHEMA: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, columns: Mapping[str, NDArray[Any]] | None = None) -> None:
        self._columns = dict(columns or {})
        if len({len(column) for column in self._columns.values()}) > 1:
            sizes = {name: len(column) for name, column in self._columns.items()}
            raise ValueError(f"columns of different lengths: {sizes}")
        for name, column in self._columns.items():
            if column.dtype != (wanted := np.dtype(self.SCHEMA[name])):
                raise ValueError(f"column {name} has {column.dtype}, not {wanted}")

    def __len__(self) -> int:
        """Return the number of rows."""
        return next(map(len, self._columns.values()), 0)

    def __contains__(self, name: str) -> bool:
        """Return whether there is a column."""
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the columns."""
        return iter(self._columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column."""
        return self._columns[name]

    def take(self, rows: I64 | NDArray[np.bool_]) -> Self:
        """Return some of the rows, by number or by a mask."""
        return type(self)({name: column[rows] for name, column in self._columns.items()})

    def without(self, *names: str) -> Self:
        """Return the table without some columns, if they are there."""
        return type(self)({name: self[name] for name in self if name not in names})

    def and_columns(self, **columns: NDArray[Any]) -> Self:
        """Return the table with more columns, or others of the same names."""
        return type(self)(self._columns | columns)

    @classmethod
    def concat(cls, parts: Sequence[Table]) -> Self:
        """Return the rows of all parts, which have the same columns.

        Raises
        ------
        ValueError
            If a part has other columns.
        """
        growing = Growing()
        for part in parts:
            growing.add(part)
        return growing.take(cls)


class Growing:
    """Rows that are added part by part, to columns that grow in place.

    Parts that wait to be joined leave holes of their size behind: the allocator keeps what is
    small.  A million records had 330 MB of them.
    """

    def __init__(self) -> None:
        self._columns: dict[str, NDArray[Any]] = {}
        self._size = 0

    def add(self, part: Table) -> None:
        """Add the rows of a part.

        Raises
        ------
        ValueError
            If it has other columns than those before it.
        """
        if self._columns and set(part) != set(self._columns):
            raise ValueError("parts with different columns")
        first, self._size = self._size, self._size + len(part)
        for name in part:
            rows = part[name]
            column = self._columns.setdefault(name, np.empty((0, *rows.shape[1:]), rows.dtype))
            if self._size > len(column):
                # An eighth more: what grows row by row is copied as often as it doubles, or less.
                column.resize((self._size + len(column) // 8, *column.shape[1:]), refcheck=False)
            column[first : self._size] = rows

    def add_empty(self) -> None:
        """Add a row of zeros."""
        columns = self._columns.items()
        rows = {name: np.zeros((1, *rows.shape[1:]), rows.dtype) for name, rows in columns}
        self.add(Documents(rows))

    def copy(self, of: type[AnyTable]) -> AnyTable:
        """Return the rows so far as a table of its own."""
        return of({name: column[: self._size].copy() for name, column in self._columns.items()})

    def take(self, of: type[AnyTable]) -> AnyTable:
        """Return the rows as a table; there are none afterwards."""
        columns, size = self._columns, self._size
        self._columns, self._size = {}, 0
        for column in columns.values():
            column.resize((size, *column.shape[1:]), refcheck=False)
        return of(columns)


class Documents(Table):
    """A table of documents, of the distinct texts that they have, or of the forms of these."""

    __slots__ = ()
    SCHEMA = SCHEMA


@dataclass(frozen=True, slots=True)
class Side:
    """One side of pairs: rows of a table, whose columns are cut when they are asked for."""

    table: Table
    rows: I64

    def __contains__(self, name: str) -> bool:
        """Return whether there is a column."""
        return name in self.table

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column of these rows."""
        return self.table[name][self.rows]

    def take(self, which: I64) -> Side:
        """Return some of these rows."""
        return Side(self.table, self.rows[which])


def objects(values: Iterable[Any]) -> NDArray[np.object_]:
    """Return values of any kind as a column."""
    return np.fromiter(values, np.object_)
