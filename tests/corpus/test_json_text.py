"""JSON of others: what Python reads, up to a depth that every Python reads."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup.corpus.json_text import DEEPEST, parse_json

VALUES = st.recursive(
    st.none() | st.integers() | st.text() | st.sampled_from(['"', "[", "{\\", "]]"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
# Brackets in a string are no levels.
WITHIN = json.dumps('\\" [{' * DEEPEST)


@given(VALUES, st.booleans())
def test_values_are_those_of_python(value: Any, ascii_only: bool) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only)) == value


@pytest.mark.parametrize(("first", "last"), [("[", "]"), ('{"]":', "}"), ('[3, "]", ', ", 4]")])
def test_only_the_depth_decides(first: str, last: str) -> None:
    text = first * DEEPEST + WITHIN + last * DEEPEST
    assert parse_json(text) == json.loads(text)
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(f"[{text}]")
    wide = json.dumps([[]] * 2 * DEEPEST)
    assert parse_json(wide) == json.loads(wide)


@pytest.mark.parametrize("text", ["", "[", "[" * 100_000, "{" * 501, '"' + "[" * 600, "]" * 600])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_json(text)
