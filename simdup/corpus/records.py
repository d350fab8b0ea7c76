"""Make documents of batches of records: JSON lines, CSV, TSV and Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

from simdup.corpus.lines import DELIMITERS, csv_rows
from simdup.corpus.record_batches import LineBatch, ParquetBatch, is_blank
from simdup.corpus.sources import File
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading


def read_records(batch: LineBatch | ParquetBatch, reading: Reading) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch, and the records that cannot be one."""
    if isinstance(batch, ParquetBatch):
        return _read_parquet(batch, reading)
    return _read_csv(batch, reading) if batch.columns else _read_json(batch, reading)


def _read_json(batch: LineBatch, reading: Reading) -> Iterator[Document | Skipped]:
    record = batch.record
    for number, line in enumerate(batch.content.split(b"\n"), batch.line):
        if line and not line.isspace():
            if len(line) > batch.file.max_size:
                values: dict[str, Any] | str = batch.file.too_large
            else:
                values = _json_values(line, reading)
            if isinstance(values, dict):
                yield _document(batch.file, record, f"line {number}: ", values, reading)
            else:
                yield _broken(batch.file, record, f"line {number}: {values}")
            record += 1


def _json_values(line: bytes, reading: Reading) -> dict[str, Any] | str:
    """Return the values of a JSON object, or what is wrong with it."""
    try:
        values = json.loads(line.decode(reading.encoding or "utf-8-sig"))
    except UnicodeDecodeError:
        return f"not {reading.encoding or 'UTF-8'}"
    except (ValueError, RecursionError):
        return "not JSON"
    return values if isinstance(values, dict) else "not a JSON object"


def _read_csv(batch: LineBatch, reading: Reading) -> Iterator[Document | Skipped]:
    file, record, number = batch.file, batch.record, batch.line
    encoding = batch.encoding or "utf-8"
    lines = io.BytesIO(batch.content)

    # Malformed bytes become lone surrogates, which no decoded text has.
    def decode_line(line: bytes) -> str:
        return line.decode(encoding, "surrogateescape")

    for raw, row in csv_rows(lines, DELIMITERS[file.format], decode_line):
        where = f"line {number}: "
        number += raw.count(b"\n")
        if is_blank(raw, file):
            continue
        if not isinstance(row, list):
            reason = f"{where}not {file.format.upper()}: a quote is out of place"
            yield _broken(file, record, reason)
        elif len(row) != len(batch.columns):
            reason = f"{where}{len(row)} fields where there are {len(batch.columns)} columns"
            yield _broken(file, record, reason)
        else:
            values = dict(zip(batch.columns, row, strict=True))
            wanted = (values[reading.field], values.get(reading.id_field or "", ""))
            if any(map(_has_malformed, wanted)):
                yield _broken(file, record, f"{where}not {encoding}")
            else:
                yield _document(file, record, where, values, reading)
        record += 1


def _has_malformed(text: str) -> bool:
    """Return whether bytes of a text could not be decoded."""
    return not text.isascii() and any("\udc80" <= c <= "\udcff" for c in text)


def _read_parquet(batch: ParquetBatch, reading: Reading) -> Iterator[Document | Skipped]:
    for i, content in enumerate(batch.texts):
        record = batch.record + i
        values: dict[str, Any] = {reading.field: None}
        if content is not None:
            if len(content) > batch.file.max_size:
                yield _broken(batch.file, record, f"row {record}: {batch.file.too_large}")
                continue
            try:
                values[reading.field] = content.decode()
            except UnicodeDecodeError:
                yield _broken(batch.file, record, f"row {record}: not UTF-8")
                continue
        if batch.names is not None and reading.id_field is not None:
            values[reading.id_field] = batch.names[i]
        yield _document(batch.file, record, f"row {record}: ", values, reading)


def _document(
    file: File, record: int, where: str, values: dict[str, Any], reading: Reading
) -> Document | Skipped:
    """Make a document of the values of a record."""
    name = f"{file.path}#{record}"
    if reading.id_field is not None:
        identity = values.get(reading.id_field)
        if not isinstance(identity, str | int) or isinstance(identity, bool) or identity == "":
            return _broken(file, record, f"{where}no name in field {reading.id_field!r}")
        name = without_surrogates(str(identity))
    if reading.field not in values:
        return _broken(file, record, f"{where}no field {reading.field!r}")
    text = values[reading.field]
    if text is None:
        return _broken(file, record, f"{where}field {reading.field!r} is null")
    if not isinstance(text, str):
        return _broken(file, record, f"{where}field {reading.field!r} is not a string")
    return Document(name, without_surrogates(text), file.modified, path=file.path, record=record)


def _broken(file: File, record: int, reason: str) -> Skipped:
    return Skipped(f"{file.path}#{record}", reason, error=True)


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which JSON can spell but no encoding can represent."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
