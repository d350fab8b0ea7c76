"""Rows as files of records, in each format."""

import csv
import io
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Row = dict[str, Any]


def as_jsonl(rows: Iterable[Row]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def as_array(rows: Iterable[Row], indent: int | None = 2) -> bytes:
    return json.dumps(list(rows), ensure_ascii=False, indent=indent).encode()


def as_table(rows: Iterable[Row], delimiter: str = ",", end: str = "\r\n") -> bytes:
    rows = list(rows)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_tsv(rows: Iterable[Row]) -> bytes:
    return as_table(rows, "\t", "\n")


def as_parquet(rows: Iterable[Row], **how: Any) -> bytes:
    pa = pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
    import pyarrow.parquet as pq

    content = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), content, **how)
    return content.getvalue()


FORMS: dict[str, Callable[[Iterable[Row]], bytes]] = {
    "jsonl": as_jsonl,
    "ndjson": as_jsonl,
    "json": as_array,
    "csv": as_table,
    "tsv": as_tsv,
    "parquet": as_parquet,
}
