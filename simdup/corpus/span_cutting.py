"""Cut spans out of documents while their files are written again.

A span is characters of a document's text as simdup names them: of the decoded text, line ends
included, end exclusive.  What is outside of the spans keeps the bytes that it has in the file:
each piece between two spans is cut from the bytes of the file, and is decoded again to see that it
is that piece.  A record that loses a span is written anew, with all of its fields in their order;
all other records keep their bytes.

A document whose characters have no bytes of their own is kept whole, with the reason: a page is
parsed, an office file is packed, a damaged text has characters that replace bytes.
"""

from __future__ import annotations

import codecs
import csv
import json
import sys
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.corpus.decoding import NotText, decode
from simdup.corpus.delimited import DELIMITERS, Dialect, dialect_of
from simdup.corpus.files import ARCHIVE, File
from simdup.corpus.formats import TEXT, format_within
from simdup.corpus.json_text import parse_json
from simdup.corpus.lines import Row
from simdup.corpus.parquet import change_texts
from simdup.corpus.record_fields import all_pieces, text_fields, with_pieces
from simdup.corpus.rows import DataTable, as_table, is_pair, kind_of
from simdup.model.settings import Reading

# Starts and ends, ascending; no two overlap.
Spans: TypeAlias = Sequence[tuple[int, int]]

# Bytes of a table that are in no encoding come back as they were.
_ESCAPED = "surrogateescape"


class Uncut(Exception):
    """A document is kept whole; the message is the reason."""


def cut_text(content: bytes, spans: Spans, encoding: str | None = None) -> bytes:
    """Return the bytes of a text without some of its characters.

    Parameters
    ----------
    content : bytes
        The whole file.
    spans : sequence of (int, int)
        Starts and ends in the decoded text, ascending, none within another.
    encoding : str, optional
        The encoding, if known; otherwise it is detected, as in `decode`.

    Returns
    -------
    bytes
        All bytes outside of the spans, a byte order mark too.  `decode` reads them as the text
        without the spans.

    Raises
    ------
    Uncut
        If characters of the text have no bytes of their own, or what is left would be read as
        another text.
    """
    decoded = decode(content, encoding)
    if decoded.note:
        raise Uncut(f"{decoded.note}, so nothing can be cut from it: correct it first")
    text, codec = decoded.text, _without_mark(decoded.encoding, content)
    found = _cut_bytes(content, text, codec, spans)
    try:
        again = decode(found, encoding).text
    except NotText:
        again = None
    if again != without_spans(text, spans):
        raise Uncut(f"what is left would not be read as {codec}: set `encoding`")
    return found


def _without_mark(codec: str, content: bytes) -> str:
    """Return the codec that reads and writes the same characters without a byte order mark."""
    codec = codecs.lookup(codec).name
    if codec == "utf-8-sig":
        return "utf-8"
    if codec in ("utf-16", "utf-32"):
        mark = codecs.BOM_UTF16_BE if codec == "utf-16" else codecs.BOM_UTF32_BE
        small = sys.byteorder == "little" and not content.startswith(mark)
        return f"{codec}-{'le' if small else 'be'}"
    return codec


def without_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text without some of its characters: spans ascend, none is within another."""
    found: list[str] = []
    done = 0
    for start, end in spans:
        found.append(text[done:start])
        done = end
    return "".join([*found, text[done:]])


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, those that overlap or touch as one.

    >>> joined([(7, 9), (0, 2), (1, 4), (4, 5)])
    [(0, 5), (7, 9)]
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def spans_before(
    spans: Iterable[tuple[int, int]], cuts: Iterable[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return where spans of a text without `cuts` were before, with the cuts that they enclose.

    Neither is empty; cuts are `joined`.

    >>> spans_before([(1, 3), (3, 4)], [(2, 12)])
    [(1, 13), (13, 14)]
    """
    starts, lost = [], [0]
    for start, end in cuts:
        starts.append(start - lost[-1])
        lost.append(lost[-1] + end - start)

    def before(place: int) -> int:
        return place + lost[bisect_right(starts, place)]

    return [(before(start), before(end - 1) + 1) for start, end in spans]


def _cut_bytes(content: bytes, text: str, codec: str, spans: Spans) -> bytes:
    """Return bytes without some characters of their text, and a mark before it as it is.

    Raises
    ------
    Uncut
        If a piece of the text is not what the bytes at its place say.
    """
    places = [0, *(place for span in spans for place in span), len(text)]
    if any(one > other for one, other in pairwise(places)):
        raise Uncut("it has changed since it was read")
    pieces = [text[start:end] for start, end in pairwise(places)]
    try:
        sizes = [len(piece.encode(codec)) for piece in pieces]
        at = len(content) - sum(sizes)
        mark = content[: max(at, 0)]
        own = "\ufeff".encode(codec, "ignore")
        if mark not in (b"", codecs.BOM_UTF8, own, codecs.BOM_UTF8 + own):
            raise Uncut(_NO_PLACES.format(codec))
        found = [mark]
        for i, (piece, size) in enumerate(zip(pieces, sizes, strict=True)):
            raw, at = content[at : at + size], at + size
            if raw.decode(codec) != piece:
                raise Uncut(_NO_PLACES.format(codec))
            if i % 2 == 0:
                found.append(raw)
    except UnicodeError:
        raise Uncut(_NO_PLACES.format(codec)) from None
    return b"".join(found)


_OTHER_TEXT = "what is left would not be read as the same text"
_NO_PLACES = "not every character of {} has bytes of its own: write it in UTF-8 first"


# -- records --


def spans_of_pieces(texts: Sequence[Any], spans: Spans) -> list[Spans]:
    """Return the spans within each piece of a text, given those of the text of all.

    The line break between two pieces is in none of them.
    """
    found: list[Spans] = []
    at = 0
    for text in texts:
        size = len(text) if isinstance(text, str) else 0
        within = ((max(start - at, 0), min(end - at, size)) for start, end in spans)
        found.append([one for one in within if one[0] < one[1]])
        at += size + 1 if isinstance(text, str) else 0
    return found


def _cut_json(raw: bytes, spans: Spans, reading: Reading) -> bytes:
    """Return a line or an element anew, without some characters of its text."""
    encoding = _without_mark(reading.encoding or "utf-8", raw)
    source = raw.decode(encoding)
    start, end = source.index("{"), source.rindex("}") + 1
    values = parse_json(source[start:end])
    values = _cut_record(values, text_fields(values, reading), spans)
    try:
        record = json.dumps(values, ensure_ascii=False).encode(encoding)
    except UnicodeEncodeError:  # a character that the encoding does not have
        record = json.dumps(values).encode(encoding)
    return source[:start].encode(encoding) + record + source[end:].encode(encoding)


def _cut_record(values: Mapping[str, Any], fields: Sequence[str], spans: Spans) -> Any:
    """Return a record without spans of its text, which is in these fields."""
    pieces = all_pieces(values, fields)
    return with_pieces(values, fields, _without_each(pieces, spans))


def _without_each(texts: Sequence[Any], spans: Spans) -> list[Any]:
    """Return the pieces of a text without spans of the text of all."""
    return [
        without_spans(str.__str__(text), within) if within else text
        for text, within in zip(texts, spans_of_pieces(texts, spans), strict=True)
    ]


def _cut_cells(raw: bytes, spans: Spans, dialect: Dialect, reading: Reading) -> bytes:
    """Return a row of CSV anew, without some characters of its text."""
    row = dialect.cells(raw)
    # The last column of a name is the one that is read.
    places = {name: i for i, name in enumerate(dialect.columns)}
    names = text_fields(dict.fromkeys(dialect.columns, ""), reading)
    fields = [places[name] for name in names]
    for i, text in zip(fields, _without_each([row[i] for i in fields], spans), strict=True):
        row[i] = text or ""
    return dialect.record(row, _ESCAPED) + raw[len(raw.rstrip(b"\r\n")) :]


# -- files --


def why_whole(file: File, reading: Reading) -> str:
    """Return why nothing can be cut from the documents of a file; empty if it can."""
    if file.member is not None or file.format == ARCHIVE:
        return "is in an archive, which is kept whole: unpack it first"
    if file.format == "html" or reading.html:
        return "nothing can be cut from a page: set `extract` to none, or save it as text first"
    return "" if file.records or file.format == TEXT.name else _of_format(file.format)


def _of_format(name: str) -> str:
    return f"nothing can be cut from {name.upper()}: save it as text first"


@dataclass(slots=True)
class SpanCuts:
    """What is cut out of the documents of a file; `span_cuts` makes it.

    Attributes
    ----------
    file : File
        The file as it is read.
    reading : Reading
        How it is read.
    records : array of int64
        The number of the record that each span is in, ascending: int64[spans]; 0 for the file.
    starts, ends : array of int64
        Characters of its text, ascending within a record: int64[spans] each.
    whole : dict from int to str
        The documents that are kept whole, with the reason: filled while the file is written.
    """

    file: File
    reading: Reading
    records: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    whole: dict[int, str] = field(default_factory=dict)
    _dialect: Dialect | None = None  # of CSV

    def __len__(self) -> int:
        """Return how many spans there are."""
        return len(self.records)

    def of(self, number: int) -> list[tuple[int, int]]:
        """Return the spans of a record."""
        low, high = np.searchsorted(self.records, (number, number + 1)).tolist()
        return list(zip(self.starts[low:high].tolist(), self.ends[low:high].tolist(), strict=True))

    def change_text(self, content: bytes) -> bytes:
        """Return the bytes of a file of text without its spans."""
        try:
            kind = format_within(content, self.file, self.reading)
            if kind is not TEXT:
                raise Uncut(_of_format(kind.name))
            return cut_text(content, self.of(0), self.reading.encoding)
        except Uncut as error:
            self.whole[0] = str(error)
            return content

    def change(self, number: int, raw: bytes, row: Row) -> bytes:
        """Return the bytes of a line of JSON or CSV, or of an element, without its spans."""
        spans = self.of(number) if number else []
        if not spans:
            return raw
        try:
            if b"\0" in raw:
                raise Uncut("has NUL bytes, so nothing can be cut from it: correct it first")
            if self.file.format not in DELIMITERS:
                return _cut_json(raw, spans, self.reading)
            if self._dialect is None:
                self._dialect = dialect_of(self.file, self.reading)
            return _cut_cells(raw, spans, self._dialect, self.reading)
        except Uncut as error:
            self.whole[number] = str(error)
        except (ValueError, csv.Error):
            self.whole[number] = _OTHER_TEXT
        return raw

    def change_table(self, source: IO[bytes], target: IO[bytes]) -> None:
        """Write the rows of a Parquet file without their spans."""

        def cut(number: int, contents: Sequence[bytes | None]) -> list[bytes | None] | None:
            spans = self.of(number)
            if not spans:
                return None
            texts = [content if content is None else content.decode() for content in contents]
            left = _without_each(texts, spans)
            return [text if text is None else text.encode() for text in left]

        change_texts(source, target, self.reading, cut)


def span_cuts(
    file: File,
    reading: Reading,
    records: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> SpanCuts:
    """Return what `write_records` and `fill` need to write a file without some spans.

    Parameters
    ----------
    file : File
        The file as it is read.
    reading : Reading
        How it is read.
    records, starts, ends : array of int64
        The record that each span is in (0 for a file that is one document), and its characters:
        int64[spans] each, in any order.  Spans that overlap or touch become one.

    Returns
    -------
    SpanCuts
        Without spans if the documents of the file must be kept whole: `SpanCuts.whole` says why.
    """
    order = np.lexsort((ends, starts, records))
    records, starts, ends = (np.asarray(one, np.int64)[order] for one in (records, starts, ends))
    if why := why_whole(file, reading):
        none = np.empty(0, np.int64)
        return SpanCuts(file, reading, none, none, none, dict.fromkeys(records.tolist(), why))
    if len(records):
        # The largest end so far in a record: records are so far apart that none reaches the next.
        apart = records * (int(ends.max()) + 2)
        reach = np.maximum.accumulate(ends + apart)
        first = np.append(True, starts[1:] + apart[1:] > reach[:-1])
        last = np.append(np.flatnonzero(first)[1:] - 1, len(records) - 1)
        records, starts, ends = records[first], starts[first], (reach - apart)[last]
        some = starts < ends
        records, starts, ends = records[some], starts[some], ends[some]
    return SpanCuts(file, reading, records, starts, ends)


# -- texts passed from Python ----------------------------------------------------------------------


def cut_rows(data: Any, reading: Reading, spans: Mapping[int, Spans]) -> Any:
    """Return data of the same kind, with spans cut out of the texts of some rows.

    Parameters
    ----------
    data
        Rows that can be taken again: see `keep_rows`.
    reading : Reading
        Names the fields or columns of the texts.
    spans : mapping from int to spans
        By the positions of rows; places in their texts as these are read.

    Raises
    ------
    SimdupError
        If the data is of a kind whose texts cannot be replaced.
    """
    if table := as_table(data):
        return _cut_table(table, data, reading, spans)
    if isinstance(data, Mapping):
        rows = enumerate(data.items())
        return {key: _without_each([text], spans.get(i, ()))[0] for i, (key, text) in rows}
    cut = [_cut_row(row, reading, spans[i]) if i in spans else row for i, row in enumerate(data)]
    return tuple(cut) if isinstance(data, tuple) else cut


def _cut_row(row: Any, reading: Reading, spans: Spans) -> Any:
    if is_pair(row):
        return type(row)((row[0], *_without_each([row[1]], spans)))
    record = dict(row)
    return _cut_record(record, text_fields(record, reading), spans)


def _cut_table(table: DataTable, data: Any, reading: Reading, spans: Mapping[int, Spans]) -> Any:
    fields = table.text_fields(reading)
    names = list(dict.fromkeys(map(table.column_of, fields)))
    new: dict[str, list[Any]] = {name: [] for name in names}
    read = (row for columns in table.read(names) for row in zip(*columns, strict=True))
    for i, row in enumerate(read):
        record = dict(zip(names, row, strict=True))
        if i in spans:
            record = _cut_record(record, fields, spans[i])
        for name in names:
            new[name].append(record[name])
    arrow: Any = sys.modules.get("pyarrow")
    if arrow and isinstance(data, arrow.Table | arrow.RecordBatch):
        for name, column in new.items():
            at = data.schema.get_field_index(name)
            kind = data.schema.field(at)
            data = data.set_column(at, kind, arrow.array(column, kind.type))
        return data

    import narwhals as nw

    if not nw.dependencies.is_into_dataframe(data):
        what = f"the texts of {kind_of(data)} cannot be replaced"
        raise SimdupError("data", what, "pass a pandas, Polars or Arrow table", "data")
    frame: Any = nw.from_native(data, eager_only=True)
    backend = frame.implementation
    schema = frame.schema
    cut = [nw.new_series(name, one, schema[name], backend=backend) for name, one in new.items()]
    if (index := nw.maybe_get_index(frame)) is not None:
        cut = [nw.maybe_set_index(one, index=index) for one in cut]
    return frame.with_columns(*cut).to_native() if cut else data
