"""The writer of JSONL and CSV: what is written of a field, and what is absent."""

import csv
import io
import json
import math
from fractions import Fraction
from typing import Annotated, Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdup.model.formats import Counted, Hidden, Share, Written, digits, nearest, rounded
from simdup.show.lines import csv_lines, json_line, record, typed


class Inner(NamedTuple):
    """A value within another one."""

    name: Annotated[Any, Written(key="document")]
    share: Share | None = None


class Outer(NamedTuple):
    """A value with a field of each kind."""

    name: str
    unknown: int | None  # without a default: always there
    place: Hidden[int]
    parts: Counted[list[int]]
    first: Inner
    inner: tuple[Inner, ...]
    zero: int = 0
    note: str = ""
    mark: bool = False
    share: Share | None = None
    facts: tuple[str, ...] = ()

    @property
    def half(self) -> Share:
        """A share that is written after the fields."""
        return 0.50009

    @property
    def silent(self) -> float:
        """One that is not."""
        return 0.5


def outer(**fields: Any) -> Outer:
    inner = (Inner("b"), Inner("c", 0.99999))
    return Outer("a", None, 3, [7, 8], Inner("a", 0.12345), inner)._replace(**fields)


def test_what_is_not_set_is_absent_and_zero_is_not() -> None:
    assert record(outer()) == {
        "name": "a", "unknown": None, "parts": 2, "first": {"document": "a", "share": 0.1234},
        "inner": [{"document": "b"}, {"document": "c", "share": 0.9999}], "zero": 0, "note": "",
        "half": 0.5,
    }  # fmt: skip


def test_what_is_set_is_written_in_the_order_of_the_fields() -> None:
    values = record(outer(mark=True, share=0.0, facts=("x",)))
    assert list(values)[-4:] == ["mark", "share", "facts", "half"]
    assert (values["mark"], values["share"], values["facts"]) == (True, 0.0, ("x",))


def test_a_line_is_typed_and_escapes_bytes_that_are_not_utf_8() -> None:
    (line,) = typed("outer", [Inner('a"\udcff\n文')])
    assert line == '{"type": "outer", "document": "a\\"\\udcff\\n文"}\n'.encode()
    assert json.loads(line)["document"] == 'a"\udcff\n文'
    assert json_line({"a": 1}) == b'{"a": 1}\n'


@given(st.one_of(st.floats(0, 1), st.integers(0, 10_000).map(lambda n: n / 10_000)))
@example(0.57)
@example(0.99999999999)
@example(1.0)
def test_shares_are_rounded_down_and_never_overstated(share: float) -> None:
    """But for what is missing only because a binary fraction cannot be the share."""
    found = rounded(share)
    assert found is not None
    whole = Fraction(share) * 10_000
    assert found == math.floor(whole + Fraction(1, 2_000_000)) / 1e4
    assert digits(share) == f"{found:.4f}"
    assert nearest(share) == round(share, 4)


def test_no_share_is_no_digits() -> None:
    assert (rounded(None), digits(None)) == (None, "")


ROWS = [("a,b", 1, None), ('c"d', 2, "e\rf"), ("\udce9\n", 3, "g\r\n"), ("plain", 4, "=1+1")]


@pytest.mark.parametrize("bom", [False, True])
def test_tables_read_back_the_same(bom: bool) -> None:
    """Only spreadsheets get a mark before what they would run."""
    content = b"".join(csv_lines(("name", "n", "note"), ROWS, bom))
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    assert content.startswith(b"\xef\xbb\xbf") == bom
    assert text.startswith("name,n,note\n")
    assert text.endswith(",4,'=1+1\n" if bom else ",4,=1+1\n")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]
    assert rows[:3] == [[name, str(n), note or ""] for name, n, note in ROWS[:3]]


def test_a_row_is_written_when_it_arrives() -> None:
    asked: list[int] = []
    lines = csv_lines(("n",), ((asked.append(n) or n,) for n in range(9)))  # type: ignore[func-returns-value]
    assert (next(lines), asked) == (b"n\n", [])
    assert (next(lines), asked) == (b"0\n", [0])
