"""Bytes in, text out: the right text from every encoding, and an error for binary data."""

import codecs
import csv
import hashlib
import io
import marshal
import random
import sqlite3
import struct
import tarfile
import zlib
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.corpora.languages import FRENCH, GERMAN, JAPANESE, KOREAN, SIMPLIFIED, TRADITIONAL
from simdup.base.errors import SimdupError
from simdup.corpus.decoding import NotText, decode, known_encoding, unify_line_ends

QUOTED = "“We open at nine,” she said, “and we don’t close before six – it’s the town’s rule…”\n"

LEGACY = [
    (SIMPLIFIED, "gb18030"),
    (SIMPLIFIED, "gbk"),
    (SIMPLIFIED, "gb2312"),
    (TRADITIONAL, "gb18030"),
    (TRADITIONAL, "big5"),
    (TRADITIONAL, "big5hkscs"),
    (JAPANESE, "cp932"),
    (JAPANESE, "euc_jp"),
    (KOREAN, "cp949"),
    (FRENCH, "cp1252"),
    (GERMAN, "cp1252"),
    (QUOTED, "cp1252"),
]
UNMARKED = ["utf-16-le", "utf-16-be"]


@pytest.mark.parametrize(("text", "codec"), LEGACY)
def test_legacy_encodings_are_distinguished(text: str, codec: str) -> None:
    assert decode(text.encode(codec))[::2] == (text, 0)


@pytest.mark.parametrize(("text", "codec"), LEGACY)
def test_twenty_characters_are_enough(text: str, codec: str) -> None:
    assert decode(text[:20].encode(codec)).text == text[:20]


@pytest.mark.parametrize(("text", "codec"), LEGACY[:9])
def test_a_bad_byte_costs_a_character_and_not_the_file(text: str, codec: str) -> None:
    whole = text * 5
    data = whole.encode(codec)
    for place in range(len(data) // 2, len(data) // 2 + 4):
        found = decode(data[:place] + b"\xff" + data[place:])
        assert found.replaced > 0
        kept = len(found.text) - found.replaced
        assert kept >= len(whole) - 3
        assert found.text.endswith(text)


def test_bad_bytes_do_not_hide_shift_jis() -> None:
    """Python's codec reads some of them as characters that the encoding does not define."""
    data = JAPANESE[:20].encode("cp932")
    for place in (4, 10, 16):
        data = data[:place] + b"\xff" + data[place:]
    assert decode(data).encoding == "cp932"


def test_a_long_file_is_read_whole_and_right() -> None:
    text = "plain words first\n" * 2000 + SIMPLIFIED * 2000
    data = text.encode("gbk")
    assert decode(data) == (text, "gb18030", 0, 0)
    assert decode(data[:-20_000] + b"\xff" + data[-20_000:]).replaced > 0


def test_one_long_line_is_sampled_too() -> None:
    text = SIMPLIFIED.replace("\n", "").replace("，", "、") * 500
    assert decode(text.encode("gbk")) == (text, "gb18030", 0, 0)


def test_a_file_cut_inside_a_character_keeps_its_encoding() -> None:
    for codec, name in [("utf-8", "utf-8"), ("gbk", "gb18030"), ("utf-16-le", "utf-16-le")]:
        found = decode(SIMPLIFIED.rstrip().encode(codec)[:-1])
        assert (found.encoding, found.replaced) == (name, 1)
        assert found.text[:-1] == SIMPLIFIED.rstrip()[:-1]


def test_damaged_utf8_stays_utf8() -> None:
    data = SIMPLIFIED.encode()
    found = decode(data[:30] + b"\xff\xfe\x80" + data[30:])
    assert (found.encoding, found.replaced) == ("utf-8", 3)
    assert found.text.replace("\ufffd", "") == SIMPLIFIED


def test_ascii_with_a_stray_byte_is_read() -> None:
    found = decode(b"one line of plain text\n\xff\xfe\nand another line\n")
    assert (found.encoding, found.replaced) == ("utf-8", 2)


@pytest.mark.parametrize("codec", UNMARKED)
@pytest.mark.parametrize(
    "text",
    [
        SIMPLIFIED,
        TRADITIONAL,
        JAPANESE,
        KOREAN,
        FRENCH,
        "Only plain letters here.\n",
        SIMPLIFIED.replace("\n", ""),
        "白日落山前河水向東流",
        "石阶上坐着老人",
        "日" * 1000,
    ],
)
def test_utf16_without_a_mark(text: str, codec: str) -> None:
    assert decode(text.encode(codec)) == (text, codec, 0, 0)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [SIMPLIFIED, "plain", ""])
def test_a_byte_order_mark_decides_and_is_removed(text: str, codec: str) -> None:
    found = decode(("\ufeff" + text).encode(codec))
    assert (found.text, found.replaced) == (text, 0)


def test_gbk_behind_the_mark_of_utf8() -> None:
    assert decode(codecs.BOM_UTF8 + SIMPLIFIED.encode("gbk")).text == SIMPLIFIED


def test_lines_end_as_in_the_file() -> None:
    assert decode(b"a\r\nb\rc\n\r\nd").text == "a\r\nb\rc\n\r\nd"
    windows = SIMPLIFIED.replace("\n", "\r\n")
    assert decode(windows.encode("gbk")).text == windows
    assert unify_line_ends(windows) == SIMPLIFIED
    assert unify_line_ends("a\r\nb\rc\n\r\nd") == "a\nb\nc\n\nd"
    assert unify_line_ends("一\u2028二\u0085三") == "一\u2028二\u0085三"


def test_surrogates_become_replacements() -> None:
    wide = decode(codecs.BOM_UTF16_LE + SIMPLIFIED.encode("utf-16-le") + b"\x00\xd8\n\x00")
    assert (wide.text, wide.replaced) == (SIMPLIFIED + "\ufffd\n", 1)
    narrow = decode(SIMPLIFIED.encode() + b"\xed\xa0\x80\xed\xb0\x80\n")
    assert narrow.encoding == "utf-8"
    assert narrow.replaced > 0
    # Python's codec alone would yield half of a pair.
    assert decode(b"a +2AA- b", "utf-7") == ("a \ufffd b", "utf-7", 1, 0)
    assert decode(b"a +2ADcAA- b", "utf-7") == ("a \U00010000 b", "utf-7", 0, 0)


def test_replacement_characters_of_the_file_are_not_counted() -> None:
    assert decode("一\ufffd二".encode()).replaced == 0
    assert decode((SIMPLIFIED + "\ufffd").encode() + b"\xff").replaced == 1


def random_bytes(count: int) -> bytes:
    return random.Random(20).randbytes(count)


@pytest.mark.parametrize(
    "data",
    [
        b"abc\0def\0" * 50,
        b"\0" * 4096,
        random_bytes(5000),
        random_bytes(5000).replace(b"\0", b""),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + zlib.compress(SIMPLIFIED.encode()),
        SIMPLIFIED.encode() + SIMPLIFIED.encode("gbk") + "a mixed file\n".encode("utf-16-le"),
        b"\xff\xfe" + random_bytes(4000),
    ],
)
def test_binary_is_refused(data: bytes) -> None:
    with pytest.raises(NotText) as caught:
        decode(data)
    assert str(caught.value) == "binary"


def tar_of(text: str) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name in ("a.txt", "b.txt"):
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()


def database_of(text: str, path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (n INTEGER, text TEXT)")
        database.executemany("INSERT INTO t VALUES (?, ?)", [(n, text) for n in range(20)])
        database.commit()
    return path.read_bytes()


def test_binary_files_that_contain_text_are_rejected(tmp_path: Path) -> None:
    files = {
        "tar": tar_of(SIMPLIFIED * 50),
        "SQLite": database_of(SIMPLIFIED * 5, tmp_path / "t.sqlite"),
        "bytecode": marshal.dumps(
            compile("def f(a):\n    return f'{a} 小镇'\n" * 20, "f.py", "exec")
        ),
        "numbers": b"".join(struct.pack("<i", n) for n in range(32, 127)) * 9,
        "sound": b"".join(struct.pack("<h", n * 97 % 400 - 200) for n in range(4000)),
    }
    for name, data in files.items():
        with pytest.raises(NotText, match=r"\Abinary\Z"):
            pytest.fail(f"{name} was read as {decode(data).encoding}")


@pytest.mark.parametrize("text", ["", " \t\n", "\u3000\u00a0\n"])
def test_empty_and_blank_files_are_texts(text: str) -> None:
    assert decode(text.encode()) == (text, "utf-8", 0, 0)


def test_a_given_encoding_is_used_as_it_is() -> None:
    assert decode(FRENCH.encode("latin-1", "ignore"), "latin-1").encoding == "iso8859-1"
    assert decode("一\u3400".encode("gb18030"), "gb2312") == ("一\u3400", "gb18030", 0, 0)
    assert decode(b"a\xff", "utf-8") == ("a\ufffd", "utf-8", 1, 0)
    assert decode("\ufeff一".encode(), "utf-8").text == "一"
    assert decode("一".encode("utf-16"), "utf-16").text == "一"
    assert decode("\u20ac".encode("cp950") + b"\xff", "big5").text == "\u20ac\ufffd"


@pytest.mark.parametrize("name", ["GBK", "gb2312", "cp936", "GB18030"])
def test_every_name_of_the_chinese_standard_means_all_of_it(name: str) -> None:
    assert known_encoding(name) == "gb18030"


@pytest.mark.parametrize("name", ["", "klingon", "hex", "rot13", "idna", "unicode_escape", "a\0b"])
def test_an_unknown_encoding_is_an_error_with_a_hint(name: str) -> None:
    with pytest.raises(SimdupError) as caught:
        decode(b"x", name)
    assert repr(name) in str(caught.value)
    assert caught.value.hint


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_comes_back_from_utf8(text: str) -> None:
    text = text.removeprefix("\ufeff")
    assert decode(text.encode()) == (text.removeprefix("\ufeff"), "utf-8", 0, 0)


@given(st.binary(max_size=300))
def test_any_bytes_decode_or_are_rejected(data: bytes) -> None:
    with suppress(NotText):
        found = decode(data)
        found.text.encode()  # no lone surrogates


@given(
    st.sampled_from(LEGACY), st.integers(0, 400), st.binary(max_size=8), st.sampled_from([0, 1, 2])
)
def test_damage_never_raises(sample: tuple[str, str], place: int, damage: bytes, lost: int) -> None:
    data = sample[0].encode(sample[1]).replace(b"\0", b"")
    with suppress(NotText):
        decode(data[:place] + damage + data[place + lost :])


def test_real_files_in_eight_encodings(shared_data: Path) -> None:
    folder = shared_data / "encodings"
    with (folder / "truth.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))

    def digest(path: str) -> str:
        text = unify_line_ends(decode((folder / path).read_bytes()).text)
        return hashlib.sha256(text.encode()).hexdigest()

    assert len(rows) == 373
    assert [row["path"] for row in rows if digest(row["path"]) != row["sha256"]] == []
