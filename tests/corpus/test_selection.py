"""Rows of data that stay are of the same kind as the data."""

from collections.abc import Callable
from typing import Any

import narwhals
import narwhals.stable.v1
import numpy as np
import pytest

from simdup.corpus.rows import Rows, keep_rows, recognise, select
from simdup.model.settings import Reading

ROWS = [{"id": number, "text": text} for number, text in enumerate("abcd")]
STAY = [0, 2, 3]


class HuggingFace:
    """What a dataset of Hugging Face does here."""

    column_names = ("id", "text")

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def select_columns(self, names: list[str]) -> "HuggingFace":
        raise AssertionError("nothing is read")

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, positions: Any) -> "HuggingFace":
        return HuggingFace([self.rows[i] for i in positions])


def pandas_frame() -> Any:
    # Labels of rows need not be their positions.
    return pytest.importorskip("pandas").DataFrame(ROWS, index=[7, 7, 5, 3])


def polars_frame() -> Any:
    return pytest.importorskip("polars").DataFrame(ROWS)


def pandas_columns_of_one_name() -> Any:
    frame = pandas_frame()
    return pytest.importorskip("pandas").concat(
        [frame, frame[[]].assign(x=1), frame[[]].assign(x=2)], axis=1
    )


def pandas_like() -> Any:
    pandas = pytest.importorskip("pandas")

    class Frame(pandas.DataFrame):  # type: ignore[misc]
        @property
        def _constructor(self) -> Any:
            return Frame

    return Frame(ROWS)


def narwhals_frame() -> Any:
    return narwhals.from_native(polars_frame())


def stable_narwhals_frame() -> Any:
    return narwhals.stable.v1.from_native(pandas_frame())


def arrow_table() -> Any:
    return pytest.importorskip("pyarrow").Table.from_pylist(ROWS)


def arrow_batch() -> Any:
    return pytest.importorskip("pyarrow").RecordBatch.from_pylist(ROWS)


KINDS: dict[Callable[[], Any], Callable[[Any], Any]] = {
    lambda: [(row["id"], row["text"]) for row in ROWS]: lambda data: [id_ for id_, _ in data],
    lambda: tuple((row["id"], row["text"]) for row in ROWS): lambda data: [one[0] for one in data],
    lambda: {row["id"]: row["text"] for row in ROWS}: list,
    lambda: ROWS: lambda data: [row["id"] for row in data],
    pandas_frame: lambda data: data["id"].tolist(),
    pandas_columns_of_one_name: lambda data: data["id"].tolist(),
    pandas_like: lambda data: data["id"].tolist(),
    polars_frame: lambda data: data["id"].to_list(),
    narwhals_frame: lambda data: data["id"].to_list(),
    stable_narwhals_frame: lambda data: data["id"].to_list(),
    arrow_table: lambda data: data["id"].to_pylist(),
    arrow_batch: lambda data: data["id"].to_pylist(),
    lambda: HuggingFace(ROWS): lambda data: [row["id"] for row in data.rows],
}


@pytest.mark.parametrize(("make", "ids"), list(KINDS.items()))
def test_rows_that_stay_are_of_the_same_kind(
    make: Callable[[], Any], ids: Callable[[Any], Any]
) -> None:
    data = make()
    assert keep_rows(data) is data
    assert isinstance(recognise(data, Reading()), Rows)
    for stay in (STAY, [], range(4)):
        kept = select(data, np.array(stay, np.int64))
        assert type(kept) is type(data)
        assert len(kept) == len(stay)
        assert ids(kept) == list(stay)
        assert len(getattr(kept, "columns", ())) == len(getattr(data, "columns", ()))
    assert len(data) == len(ROWS), "the data itself does not change"


def test_an_iterator_becomes_a_list() -> None:
    assert keep_rows(iter([("a", "b")])) == [("a", "b")]
    assert keep_rows({"a": "b"}.items()) == [("a", "b")]


def test_a_stream_becomes_a_table() -> None:
    table = arrow_table()
    assert keep_rows(table.to_reader()) == table


def test_paths(tmp_path: Any) -> None:
    for data in ("a", tmp_path, ["a"], (tmp_path,)):
        assert keep_rows(data) is data
        assert recognise(data, Reading()) in (["a"], [str(tmp_path)])
