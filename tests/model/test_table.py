"""The table of documents, beside a list of rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup.model.table import SCHEMA, Documents, objects

Row = tuple[Any, int, bytes, tuple[int, int]]

ROWS = st.lists(
    st.tuples(
        st.text() | st.integers() | st.tuples(st.integers(), st.integers()),
        st.integers(0, 2**40),
        st.binary(min_size=16, max_size=16),
        st.tuples(st.integers(0, 2**60), st.integers(0, 9)),
    ),
    max_size=6,
)


def table(rows: list[Row]) -> Documents:
    names, records, digests, slots = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Documents(
        {
            "name": objects(names),
            "record": np.array(records, np.int64),
            "digest": np.array(digests, "V16"),
            "original": np.array(slots, np.int64).reshape(-1, 2),
        }
    )


def rows_of(documents: Documents) -> list[Row]:
    slots = [tuple(slot) for slot in documents["original"].tolist()]
    columns = [documents[name].tolist() for name in ("name", "record", "digest")]
    return list(zip(*columns, slots, strict=True))


@given(ROWS, st.data())
def test_rows_are_taken_as_from_a_list(rows: list[Row], data: st.DataObject) -> None:
    documents = table(rows)
    assert len(documents) == len(rows)
    assert rows_of(documents) == rows
    some = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9) if rows else st.just([]))
    assert rows_of(documents.take(np.array(some, np.int64))) == [rows[i] for i in some]
    mask = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    kept = [row for row, keep in zip(rows, mask, strict=True) if keep]
    assert rows_of(documents.take(np.array(mask, np.bool_))) == kept


@given(st.lists(ROWS, min_size=1, max_size=40))
def test_tables_are_joined_as_lists_are(several: list[list[Row]]) -> None:
    parts = [table(rows) for rows in several]
    joined = Documents.concat(parts)
    assert rows_of(joined) == [row for rows in several for row in rows]
    assert list(map(rows_of, parts)) == several


def test_a_column_is_there_or_it_is_not() -> None:
    documents = Documents({"record": np.zeros(2, np.int64)})
    assert "record" in documents
    assert "groups" not in documents
    more = documents.and_columns(groups=objects(["a", None]))
    assert list(more) == ["record", "groups"]
    assert "groups" not in documents, "the table itself does not change"
    with pytest.raises(ValueError, match="different columns"):
        Documents.concat([documents, more])
    with pytest.raises(ValueError, match="different columns"):
        Documents.concat([more, documents])
    assert list(more.without("record", "path")) == ["groups"]
    assert len(Documents()) == len(Documents.concat([])) == 0


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ({"record": np.zeros(2, np.int64), "size": np.zeros(3, np.int64)}, "different lengths"),
        ({"record": np.zeros(2, np.int32)}, "record has int32, not int64"),
        ({"length": np.zeros(2)}, "length has float64, not int64"),
    ],
    ids=["lengths", "integers", "floats"],
)
def test_columns_that_do_not_fit_are_refused(columns: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        Documents(columns)


def test_a_column_that_nobody_knows_is_refused() -> None:
    with pytest.raises(KeyError):
        Documents({"colour": np.zeros(1)})
    assert "colour" not in SCHEMA
