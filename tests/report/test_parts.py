"""The parts of a page on their own: columns, deltas, the choice of texts."""

import base64
import json
import re
import struct
import zlib

import numpy as np
import pytest
from chromium import ASSETS
from hypothesis import given
from hypothesis import strategies as st

from lab.corpora.made import edited, prose
from simdup.model.formats import KINDS
from simdup.show.report.chunks import (
    as_units,
    deflate,
    delta,
    pieces,
    script_json,
)
from simdup.show.report.columns import pack
from simdup.show.report.page import SCRIPTS, joined_script

TEXTS = st.text(alphabet="abcd天地\U00020000", max_size=300)


def rebuilt(base, parts):
    return "".join(
        part if isinstance(part, str) else base[part[0] : part[0] + part[1]] for part in parts
    )


@given(TEXTS, TEXTS, st.integers(0, 300))
def test_a_delta_rebuilds_the_text(a, b, cut):
    base = as_units(a * 3 + b)
    text = as_units(b + a * 2 + b[:cut])
    assert rebuilt(base, delta(base, text)) == text


def test_a_delta_of_nearly_equal_texts_is_small():
    base = prose(1, 4000)
    text = edited(base, 2, 5)
    parts = delta(base, text)
    assert rebuilt(base, parts) == text
    assert sum(len(part) for part in parts if isinstance(part, str)) < 5 * 2 * 32


@given(TEXTS, TEXTS)
def test_pieces_differ_where_the_texts_do(a, b):
    base, text = as_units(a * 2 + b), as_units(a + b + a)
    one, other = pieces(base, text)
    assert one != other or one == ""
    assert pieces(base, base) == ("", "")


def test_pieces_of_nearly_equal_texts_are_short():
    base = prose(1, 4000)
    text = base[:3000] + "天地" + base[3000:9000] + base[9100:]
    one, other = pieces(base, text)
    assert "天地" in other
    assert base[9000:9100] in one
    assert max(len(one), len(other)) < 500


def test_units_are_those_of_utf_16():
    assert len(as_units("a\U00020000")) == 3
    assert as_units("天") == "天"


def test_columns_are_aligned_and_described():
    content = pack(
        {"a": np.array([1, 2, 3], np.uint8), "b": np.array([-1], np.int32), "c": np.zeros(0)}
    )
    (length,) = struct.unpack("<I", content[:4])
    described = json.loads(content[4 : 4 + length])
    assert (4 + length) % 8 == 0
    assert all(offset % 8 == 0 for _, offset, _ in described.values())
    kind, offset, count = described["b"]
    assert (kind, count) == ("i32", 1)
    assert np.frombuffer(content, "<i4", 1, 4 + length + offset).tolist() == [-1]


def test_blocks_are_raw_deflate_in_base64():
    assert zlib.decompress(base64.b64decode(deflate(b"x" * 100)), -15) == b"x" * 100


@pytest.mark.parametrize("text", ["</script>", "<!--", "\u2028", "\udc80", "天"])
def test_json_does_not_end_its_element_and_is_utf_8(text):
    written = script_json([text])
    assert "<" not in written
    assert "\u2028" not in written
    assert json.loads(written.encode()) == [text]


def test_no_line_of_a_script_or_style_is_longer_than_120_characters():
    assets = [path for path in ASSETS.iterdir() if path.suffix in (".css", ".js")]
    assert {path.suffix for path in assets} == {".css", ".js"}
    lines = [(path.name, line) for path in assets for line in path.read_text("utf-8").splitlines()]
    assert [where for where in lines if len(where[1]) > 120] == []


def test_a_page_has_the_code_of_its_modules_and_no_comment():
    script = joined_script(SCRIPTS)
    assert [line for line in script.splitlines() if re.match(r" *(/\*|\*|//)", line)] == []
    for name in SCRIPTS:
        lines = (ASSETS / name).read_text("utf-8").splitlines()
        code = [line for line in lines if not re.match(r" *(/\*\*|\*|//)", line)]
        assert "\n".join(code).strip() in script, name


def test_what_differs_by_kind_is_said_of_kinds_that_there_are():
    """A kind that the table does not know would be shown as a scan."""
    table = (ASSETS / "kinds.js").read_text("utf-8").partition("const kinds = {")[2]
    assert set(re.findall(r"^    (\w+)(?:,|: \{)", table, re.M)) == set(KINDS)
    words = json.loads((ASSETS.parents[1] / "words.json").read_text("utf-8"))
    assert set(words["page"]) <= set(KINDS)
