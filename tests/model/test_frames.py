"""Results as tables: the columns of the CSV, in whichever library there is."""

import csv
import io
import math
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from lab.corpora.made import edited, near, prose, write
from simdup import Index, SimdupError, scan
from simdup.model import frames
from simdup.model.formats import digits
from simdup.show.lines import cluster_csv
from simdup.show.result import Result

TEXTS = [("a", prose(1)), ("b", prose(2)), ("c", near(prose(1))), ("d", prose(2)), ("e", prose(3))]


def rows(found: Result) -> list[dict[str, str]]:
    """The rows of the CSV, and which document each is."""
    text = b"".join(cluster_csv(found.clusters)).decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    return [line | {"row": str(found.documents.index(line["document"]))} for line in lines]


def as_csv(row: dict[str, Any]) -> dict[str, str]:
    """A row of a table as the CSV has it."""
    shares = ("similarity", "containment", "cosine")
    return {
        name: "" if value is None or value is False or value != value else
        digits(value) if name in shares else str(value)
        for name, value in row.items()
    }  # fmt: skip


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let libraries be installed, and no others."""
    monkeypatch.setattr(frames, "find_spec", lambda name: name in names and find_spec(name))


@pytest.mark.parametrize("fields", [{}, {"containment": 0.5}])
def test_arrow_tables(fields: dict[str, Any]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    found = scan(TEXTS, **fields)
    table = found.to_arrow()
    assert [as_csv(row) for row in table.to_pylist()] == rows(found)
    assert table.schema.field("cluster").type == pyarrow.int64()
    assert table.schema.field("distance").type == pyarrow.int64()
    assert table.schema.field("row").type == pyarrow.int64()
    assert table.schema.field("similarity").type == pyarrow.float64()
    assert pyarrow.table(table) == table, "other libraries take it by __arrow_c_stream__"
    nothing = scan([("a", prose(1))], **fields).to_arrow()
    assert nothing.schema == table.schema
    assert len(nothing) == 0


def test_pandas_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    only(monkeypatch, "pandas", "polars")
    found = scan(TEXTS)
    frame = found.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    plain = frame.astype(object).where(frame.notna(), None)
    assert [as_csv(row) for row in plain.to_dict("records")] == rows(found)
    assert frame["cluster"].dtype == "int64"
    assert frame["distance"].dtype == "Int64"
    assert frame["row"].dtype == "Int64"
    assert frame["similarity"].dtype == "float64"
    assert frame["new"].dtype == "bool"
    assert scan([]).to_frame().dtypes["distance"] == "Int64"


def test_polars_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    polars = pytest.importorskip("polars")
    found = scan(TEXTS)
    frame = found.to_frame("polars")
    assert isinstance(frame, polars.DataFrame)
    only(monkeypatch, "polars")
    assert frame.equals(found.to_frame())
    assert [as_csv(row) for row in frame.to_dicts()] == rows(found)
    assert scan([]).to_frame().schema == frame.schema


def test_rows_are_places_in_the_order_of_reading(tmp_path: Path) -> None:
    """References come first, what is skipped has a place, documents of an index have none."""
    pandas = pytest.importorskip("pandas")
    texts = dict(zip(("a", "b", "c", "r", "s"), map(prose, (1, 1, 1, 2, 2)), strict=True))
    write(tmp_path, texts | {"b": ""})
    a, b, c, r, s = (str(tmp_path / name) for name in texts)

    def placed(data: Any, **options: Any) -> dict[Any, Any]:
        frame = scan(data, **options).to_frame("pandas")
        return dict(zip(frame["document"], frame["row"], strict=True))

    assert placed([a, b, c]) == {a: 0, c: 2}
    assert placed([a, b, c, s], references=[r]) == {r: 0, s: 4, a: 1, c: 3}
    frame = pandas.DataFrame({"text": [prose(1), None, prose(1)]}, index=["x", "y", "z"])
    assert placed(frame) == {"x": 0, "z": 2}
    Index.build(str(tmp_path / "seen.index"), [r]).close()
    found = placed([s], references=[str(tmp_path / "seen.index")])
    assert (found[s], found[r] is pandas.NA) == (0, True)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    found = scan(TEXTS)
    with pytest.raises(SimdupError, match="invalid value 'arrow'"):
        found.to_frame("arrow")  # type: ignore[call-overload]
    for make in (found.to_frame, partial(found.to_frame, "polars"), found.to_arrow):
        with pytest.raises(SimdupError, match="installed") as raised:
            make()
        assert raised.value.hint.startswith("python -m pip install ")


def test_names_that_are_not_utf_8_are_escaped() -> None:
    pytest.importorskip("pyarrow")
    found = scan([("caf\udce9", prose(1)), ("é", prose(1))])
    assert found.to_arrow()["document"].to_pylist() == ["caf\\udce9", "é"]


def test_similarities_are_not_rounded() -> None:
    found = scan([("a", prose(1)), ("b", edited(prose(1), 5, 7))])
    shares = [share for share in frames.cluster_columns(found.clusters)["similarity"] if share]
    assert shares == [pair.similarity for pair in found.pairs]
    assert any(not math.isclose(share, round(share, 4), abs_tol=1e-9) for share in shares)
