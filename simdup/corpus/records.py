"""Turn batches of records into documents: JSON lines and arrays, CSV, TSV and Parquet."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from simdup.base.errors import counted
from simdup.base.when_used import pattern
from simdup.corpus.decoding import Decoded, without_nuls
from simdup.corpus.files import File
from simdup.corpus.json_text import Elements, parse_json
from simdup.corpus.record_batches import (
    PackedTexts,
    ParquetBatch,
    RawBatch,
    RecordBatch,
    is_blank,
)
from simdup.corpus.record_fields import (
    MISSING,
    examples,
    find_field,
    pieces_of,
    shapes,
    text_fields,
)
from simdup.model.documents import Document, NoField, Skipped
from simdup.model.fields import TITLE
from simdup.model.settings import DEFAULT_FIELDS, Reading

if TYPE_CHECKING:
    from simdup.corpus.delimited import Dialect

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A date with the year first, as people write it: 2024/5/1, 2024.05.01, 2024年5月1日 8:30.
_DATE = pattern(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[T\s]*(\d{1,2})(:.+))?", re.ASCII)

# The texts of a record's fields; None is a field without one.
Texts: TypeAlias = Sequence[str | None]


def read_records(batch: RecordBatch, reading: Reading) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch, and the records that cannot be read."""
    if isinstance(batch, ParquetBatch):
        return _read_parquet(batch, reading)
    if batch.dialect:
        return _read_csv(batch, batch.dialect, reading)
    return _read_json(batch, reading)


def _read_json(batch: RawBatch, reading: Reading) -> Iterator[Document | Skipped]:
    objects = _elements(batch) if batch.ends else _lines(batch)
    for record, (number, raw) in enumerate(objects, batch.record):
        if len(raw) > batch.file.max_size:
            values: dict[str, Any] | str = batch.file.too_large
        else:
            values = _json_values(raw, reading)
        if isinstance(values, dict):
            document = _document(batch.file, record, f"line {number}: ", values, reading)
            yield _with_note(document, raw, reading.encoding or "utf-8")
        else:
            yield _broken(batch.file, record, f"line {number}: {values}")


def _lines(batch: RawBatch) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of each line that is not blank."""
    for number, line in enumerate(batch.content.split(b"\n"), batch.line):
        if not is_blank(line, batch.file):
            yield number, line


def _elements(batch: RawBatch) -> Iterator[tuple[int, bytes]]:
    """Yield the bytes of each element, and the number of the line that it begins on."""
    number = batch.line
    for raw in Elements(batch.content, batch.ends).split():
        element = raw.removeprefix(b",").lstrip()
        yield number + raw.count(b"\n", 0, len(raw) - len(element)), element
        number += raw.count(b"\n")


def _json_values(line: bytes, reading: Reading) -> dict[str, Any] | str:
    """Return the values of a JSON object, or the fault of the line."""
    try:
        encoding = reading.encoding or "utf-8-sig"
        values = parse_json(without_nuls(line, encoding).decode(encoding))
    except UnicodeDecodeError:
        return f"not valid {reading.encoding or 'UTF-8'}: see `encoding`"
    except ValueError:
        return "not valid JSON"
    return values if isinstance(values, dict) else "not a JSON object"


def _read_csv(batch: RawBatch, dialect: Dialect, reading: Reading) -> Iterator[Document | Skipped]:
    file, record, number = batch.file, batch.record, batch.line
    encoding, columns = dialect.encoding, dialect.columns
    fields = text_fields(dict.fromkeys(columns, ""), reading)
    for raw, row in dialect.rows(batch.content):
        where = f"line {number}: "
        number += raw.count(b"\n")
        if is_blank(raw, file):
            continue
        if not isinstance(row, list):
            reason = f"{where}not valid {file.format.upper()}: misplaced quote"
            yield _broken(file, record, reason)
        elif len(row) != len(columns):
            reason = f"{counted(len(row), 'field')}, but {counted(len(columns), 'column')}"
            yield _broken(file, record, f"{where}{reason}")
        else:
            values = dict(zip(columns, row, strict=True))
            if _has_malformed(values, (*fields, reading.id_field or "")):
                yield _broken(file, record, f"{where}not valid {encoding}")
            else:
                document = _document(file, record, where, values, reading, fields)
                yield _with_note(document, raw, encoding)
        record += 1


def _has_malformed(values: Mapping[str, str], names: Sequence[str]) -> bool:
    """Return whether bytes of some fields could not be decoded."""
    try:
        # Only lone surrogates cannot be encoded.
        "".join(filter(None, map(values.get, names))).encode()
    except UnicodeEncodeError:
        return True
    return False


def _read_parquet(batch: ParquetBatch, reading: Reading) -> Iterator[Document | Skipped]:
    for i, contents in enumerate(zip(*batch.texts, strict=True)):
        record = batch.record + i
        # By their full names, dots included: the columns have already been found.
        values = {name: column[i] for name, column in batch.others.items()}
        if sum(map(_size, contents)) > batch.file.max_size:
            yield _broken(batch.file, record, f"row {record}: {batch.file.too_large}")
            continue
        try:
            for name, content in zip(batch.fields, contents, strict=True):
                values[name] = _decoded(content)
        except UnicodeDecodeError:
            yield _broken(batch.file, record, f"row {record}: not valid UTF-8")
            continue
        made = _document(batch.file, record, f"row {record}: ", values, reading, batch.fields)
        if isinstance(made, Document) and made.fields:
            made = made._replace(fields=batch.columns)
        yield made


def _size(content: PackedTexts | bytes | None) -> int:
    return sum(map(_size, content)) if isinstance(content, list) else len(content or b"")


def _decoded(content: PackedTexts | bytes | None) -> Any:
    if isinstance(content, list):
        return list(map(_decoded, content))
    return content if content is None else content.decode()


def _document(
    file: File,
    record: int,
    where: str,
    values: dict[str, Any],
    reading: Reading,
    fields: tuple[str, ...] = (),
) -> Document | Skipped:
    """Return the document of a record with these values; `fields` are its text, if known before."""
    name = f"{file.path}#{record}"
    if reading.id_field is not None:
        identity = find_field(values, reading.id_field)
        if identity is MISSING:
            return _lacking(name, where, values, "id_field", reading.id_field)
        if not isinstance(identity, str | int) or isinstance(identity, bool) or identity == "":
            return _broken(file, record, f"{where}field {reading.id_field!r} has no name")
        name = without_surrogates(str(identity))
    fields = fields or text_fields(values, reading)
    texts, shape, null = list[str | None](), "", True
    for wanted in fields:
        text = find_field(values, wanted)
        if not isinstance(text, str):
            if text is MISSING:
                return _lacking(f"{file.path}#{record}", where, values, "field", wanted)
            pieces = pieces_of(text)
            if pieces is None:
                what = f"{where}field {wanted!r} is not a string"
                there = examples(values)
                return NoField(f"{file.path}#{record}", what, True, "field", there)
            if text is not None:
                shape, null = ", ".join(fields), False
            text = "\n".join(pieces) if pieces else None
        texts.append(text)
    if null and all(text is None for text in texts):
        return _broken(file, record, f"{where}field {fields[0]!r} is null")
    if reading.field is None and fields != DEFAULT_FIELDS:
        shape = shapes().shape_name(fields)
    text, lacking = join_texts(texts)
    document = Document(
        name,
        text,
        file.modified,
        path=file.path,
        record=record,
        lacking=lacking,
        shape=shape,
    )
    if reading.group_fields:
        groups = (find_field(values, name) for _, name in reading.group_fields)
        document = document._replace(groups=tuple(map(_group, groups)))
    if reading.titled and (title := find_field(values, TITLE)) is not MISSING:
        document = document._replace(title=_group(title))
    return document if reading.value_field is None else _valued(document, values, reading)


def join_texts(texts: Texts) -> tuple[str, bool]:
    """Return the texts of fields as one, and whether one of several is empty."""
    lacking = len(texts) > 1 and not all(text and text.strip() for text in texts)
    return without_surrogates("\n".join(text for text in texts if text is not None)), lacking


def _valued(document: Document, values: dict[str, Any], reading: Reading) -> Document:
    """Return a document with the value of the field that decides which one is kept."""
    value = find_field(values, reading.value_field or "")
    if value is MISSING:
        return document._replace(fields=tuple(examples(values)))
    return document._replace(value=as_number(value))


def _group(value: Any) -> str:
    """Return the value of a field that documents are grouped by; empty for none."""
    return "" if value is MISSING or value is None else without_surrogates(as_text(value))


def _lacking(name: str, where: str, values: dict[str, Any], argument: str, wanted: str) -> NoField:
    what = f"{where}no field {wanted!r}"
    return NoField(name, what, error=True, argument=argument, fields=examples(values))


def _with_note(document: Document | Skipped, raw: bytes, encoding: str) -> Document | Skipped:
    """Return a document with a note if NULs were dropped from its record."""
    if b"\0" in raw and isinstance(document, Document):
        return document._replace(note=Decoded("", encoding, dropped=raw.count(b"\0")).note)
    return document


def _broken(file: File, record: int, reason: str) -> Skipped:
    return Skipped(f"{file.path}#{record}", reason, error=True)


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which JSON can spell but no encoding can represent."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# -- values ----------------------------------------------------------------------------------------


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
