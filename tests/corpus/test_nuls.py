"""NULs in a text are padding: they are dropped in every encoding, with a note."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.corpora.languages import FRENCH, JAPANESE, KOREAN, SIMPLIFIED, TRADITIONAL
from simdup.corpus.decoding import NotText, decode

PLAIN = "The library opens at nine, and old men sit on the stairs, waiting.\n" * 3
BYTEWISE = [
    (SIMPLIFIED, "gb18030"),
    (TRADITIONAL, "gb18030"),
    (TRADITIONAL, "big5"),
    (JAPANESE, "cp932"),
    (JAPANESE, "euc_jp"),
    (KOREAN, "cp949"),
    (FRENCH, "cp1252"),
    (SIMPLIFIED, "utf-8"),
    (KOREAN, "utf-8"),
    (PLAIN, "ascii"),
]

# Where NULs may come from: a file cut to a size and a buffer written whole, a hole that a crash or
# a rotated log left, single ones by a faulty program.
PADDINGS: dict[str, Callable[[bytes], bytes]] = {
    "one": lambda data: data[:41] + b"\0" + data[41:],
    "one in a character": lambda data: data[:40] + b"\0" + data[40:],
    "the same parity": lambda data: b"\0".join(data[i : i + 25] for i in range(0, len(data), 25)),
    "both parities": lambda data: b"\0".join(data[i : i + 30] for i in range(0, len(data), 30)),
    "a hole": lambda data: data[:60] + bytes(500) + data[60:],
    "one at the end": lambda data: data + b"\0",
    "at the end": lambda data: data + bytes(4096 - len(data)),
    "at the beginning": lambda data: bytes(20_000) + data,
    "all around": lambda data: bytes(3) + data[:50] + b"\0" + data[50:] + bytes(99),
}


@pytest.mark.parametrize("padding", PADDINGS.values(), ids=PADDINGS)
@pytest.mark.parametrize(("text", "codec"), BYTEWISE)
def test_nuls_are_dropped_and_counted(
    text: str, codec: str, padding: Callable[[bytes], bytes]
) -> None:
    data = padding(text.encode(codec))
    found = decode(data)
    assert (found.text, found.replaced, found.dropped) == (text, 0, data.count(b"\0"))
    assert found.encoding == decode(text.encode(codec)).encoding
    assert decode(data, codec)[::2] == (text, 0)
    assert decode(data, codec).dropped == data.count(b"\0")


def test_a_note_describes_how_a_name_was_changed() -> None:
    data = SIMPLIFIED.encode("gbk")
    assert decode(data).note == ""
    assert decode(data + bytes(1200)).note == "read as gb18030 with 1,200 NUL bytes dropped"
    assert decode(data + b"\0\xff", "gbk").note == (
        "read as gb18030 with 1 bad character replaced and 1 NUL byte dropped"
    )


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-16"])
@pytest.mark.parametrize("text", [SIMPLIFIED, TRADITIONAL, JAPANESE, KOREAN, FRENCH, PLAIN])
def test_utf16_may_be_padded_too(text: str, codec: str) -> None:
    for padded in (text + "\0" * 1000, text[:30] + "\0" + text[30:]):
        found = decode(padded.encode(codec))
        assert (found.text, found.replaced) == (text, 0)
        assert found.dropped == padded.count("\0")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_characters_with_a_nul_inside_are_utf16(codec: str) -> None:
    text = "一开始，最后一刀\u3000一一开最刀一" * 4 + "\n"  # U+4E00, U+5F00, U+6700, U+5200
    assert decode(text.encode(codec)) == (text, codec, 0, 0)
    assert decode("一\n".encode(codec)).text == "一\n"


def test_damage_and_many_nuls_are_binary() -> None:
    for data in (
        SIMPLIFIED.encode()[:-40] + b"\xff\xfe\x80\0" + SIMPLIFIED.encode(),
        b"\0".join(SIMPLIFIED.encode("gbk")[i : i + 3] for i in range(0, 200, 3)),
    ):
        with pytest.raises(NotText):
            decode(data)


CLAUSES = SIMPLIFIED.replace("。\n", "，").rstrip("，").split("，")


@given(
    st.lists(st.sampled_from(CLAUSES), min_size=10, max_size=60).map("，".join),
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 40)), min_size=1, max_size=8),
)
def test_nuls_anywhere_in_gbk_cost_nothing(text: str, nuls: list[tuple[float, int]]) -> None:
    data = text.encode("gbk")
    for place, count in nuls:
        at = round(place * len(data))
        data = data[:at] + bytes(count) + data[at:]
    assert decode(data) == (text, "gb18030", 0, data.count(b"\0"))
