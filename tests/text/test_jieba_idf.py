"""The table that jieba ships, against a dictionary of its lines."""

from __future__ import annotations

import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup.base.errors import SimdupError
from simdup.text.weights import IdfTable, jieba_idf

words = st.text("aé中\x00", min_size=1, max_size=10).map(str.encode)
numbers = st.integers(1, 99_999).map(lambda n: f"{n / 1000}".encode()) | st.floats(0, 1e300).map(
    lambda n: repr(n).encode()
)


@given(st.dictionaries(words, numbers, min_size=1), st.lists(words), st.booleans())
def test_a_table_gives_what_a_dictionary_of_its_lines_gives(
    table: dict[bytes, bytes], asked: list[bytes], ended: bool
) -> None:
    content = b"\n".join(b"%b %b" % item for item in table.items()) + (b"\n" if ended else b"")
    parsed = IdfTable.parse(content)
    asked += [*table]
    median = float(np.median([float(value) for value in table.values()]))
    expected = [float(table.get(word, median)) for word in asked]
    assert parsed.values.of(asked).tolist() == expected
    assert parsed.values.of([]).tolist() == []


def test_every_line_of_the_installed_table_is_found() -> None:
    table = jieba_idf()
    found = find_spec("jieba")
    assert found is not None
    assert found.origin is not None
    content = Path(found.origin).with_name("analyse").joinpath("idf.txt").read_bytes()
    lines = dict(line.split() for line in content.splitlines())
    assert table.values.of([*lines]).tolist() == [float(value) for value in lines.values()]
    median = float(np.median(list(map(float, lines.values()))))
    assert table.values.of(["不在表中的词".encode()]).tolist() == [median]


@pytest.mark.parametrize("content", [b"", b"word\n", b"word 1 2\n", b"word\n1 2 3\n", b"a 1\n\n"])
def test_a_damaged_table_is_an_error(content: bytes) -> None:
    with pytest.raises(SimdupError, match="damaged"):
        IdfTable.parse(content)


def test_a_word_that_fills_a_text_takes_no_time() -> None:
    table = jieba_idf()
    begun = time.process_time()
    assert (
        table.values.of([b"a" * 4_000_000, "河岸".encode()])[0] == table.values.of([b"a" * 40])[0]
    )
    assert time.process_time() - begun < 1
