"""Bytes of one file in, text out.

The encodings of Chinese text cannot be told apart by rule: nearly every file in GBK is also a
well-formed file in some other encoding. So the cheap and certain signs come first, and guesses
last:

1. a byte order mark;
2. UTF-8 that is well-formed from the first byte to the last, which no other encoding is by chance;
3. UTF-8 but for a few bad bytes, weighed sequence by sequence;
4. UTF-16 without a byte order mark, known by how many of its units are everyday characters;
5. the encodings of East Asia and Western Europe, read one by one on a sample and ranked by
   chardet's language models, by the share of everyday characters, and by what is malformed.

A bad byte never decides: what is malformed becomes U+FFFD and is counted. What is no text in any
of these readings is refused with :class:`NotText`.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from simdup.errors import SimdupError

REPLACEMENT = "\ufffd"

# The readings that are tried, as Python's codecs are named; beside each the name under which
# chardet knows the same encoding. GB18030 contains GBK and GB2312; cp932 and cp949 are what
# Windows writes as Shift_JIS and EUC-KR.
_CANDIDATES = {
    "gb18030": "gb18030",
    "big5hkscs": "big5hkscs",
    "cp932": "cp932",
    "cp949": "cp949",
    "euc_jp": "euc_jis_2004",
    "cp1252": "cp1252",
}

# Files say "gb2312" and hold characters of GBK; the superset reads both.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}

# Python calls these text encodings too, but they are ways of spelling, not of storing files.
_SPELLINGS = frozenset(
    {
        "idna",
        "punycode",
        "unicode_escape",
        "unicode-escape",
        "raw_unicode_escape",
        "raw-unicode-escape",
        "undefined",
    }
)

# The mark of UTF-32 begins with that of UTF-16 and has to be looked for first.
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Where a text has so few Chinese characters that the scores nearly tie (typographic quotes in
# English, one word among code), GBK is by far the likeliest in a Chinese collection. In 20
# characters of Traditional Chinese, Korean, Japanese in Shift_JIS, French or German, the right
# score was 2.1 times that of GBK at the least, so this does them no harm.
_CHINESE_FIRST = 1.5

# Of wrong readings of some 5,000 passages of 20 to 500 characters the highest score was 0.28; of
# right ones of 500 characters most are above 0.5. Beyond this the other readings are not tried.
_CONVINCING = 0.4

# 16 kB are some 8,000 Chinese characters; the detector's answer was already right at 20, and
# 16 kB cost it about 1 ms.
_SAMPLE = 16_384


class Decoded(NamedTuple):
    """A text and how it was read.

    Attributes
    ----------
    text : str
        Without byte order mark, with LF at the end of every line.
    encoding : str
        The Python codec that was used.
    replaced : int
        How many malformed sequences became U+FFFD; 0 for a clean file.
    """

    text: str
    encoding: str
    replaced: int


class NotText(Exception):
    """The bytes are no text.

    Parameters
    ----------
    reason : str
        In a word or two, as it is reported of a skipped document.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Read the bytes of one file as text.

    Parameters
    ----------
    data : bytes
        The whole file.
    encoding : str, optional
        The encoding, where it is known: used as it is, bad bytes replaced. Without it the
        encoding is recognised.

    Returns
    -------
    Decoded
        The text, the encoding and the number of replacements.

    Raises
    ------
    NotText
        Where the bytes are binary, or no encoding reads them as text.
    SimdupError
        Where `encoding` names no text encoding.
    """
    if encoding is not None:
        return _read(data, known_encoding(encoding))
    if data.startswith(codecs.BOM_UTF8):
        # Only the mark is certain: some programs put it before text of another encoding.
        data = data[len(codecs.BOM_UTF8) :]
    for mark, codec in _BOMS:
        if data.startswith(mark):
            head = data[: _SAMPLE - _SAMPLE % 4]
            if _looks_like_text(head.decode(codec, "replace")):
                return _read(data, codec)
    if b"\0" in data:
        # Only UTF-16 has NUL bytes in a text.
        wide = _wide_encoding(data)
        if wide is None:
            raise NotText("binary")
        return _read(data, wide)
    try:
        return Decoded(_lines(data.decode("utf-8")), "utf-8", 0)
    except UnicodeDecodeError:
        return _read(data, _recognise(_sample(data), data))


def known_encoding(name: str) -> str:
    """Look up the codec for the name of an encoding.

    Parameters
    ----------
    name : str
        As a person writes it: ``"GBK"``, ``"utf8"``, ``"big5"``.

    Returns
    -------
    str
        The Python codec, the superset where files are known to use more than the name says.

    Raises
    ------
    SimdupError
        Where Python has no such text encoding.
    """
    try:
        codec = codecs.lookup(name).name
        "".encode(codec)  # "hex" and "rot13" are codecs too, but none of text
        if codec in _SPELLINGS:
            raise LookupError
    except (LookupError, ValueError, UnicodeError):
        raise SimdupError(
            "--encoding",
            f"unknown encoding {name!r}",
            "use a name such as utf-8, gb18030, big5, utf-16, shift_jis or cp1252",
        ) from None
    return _SUPERSETS.get(codec, codec)


def _read(data: bytes, codec: str) -> Decoded:
    """Decode all of `data`, replacing and counting what is malformed."""
    try:
        text = data.decode(codec)
        genuine = text.count(REPLACEMENT)
    except UnicodeError:
        codec, text = _repaired(data, codec)
        # A file may hold U+FFFD of its own; what is left without the malformed parts is that.
        genuine = data.decode(codec, "ignore").count(REPLACEMENT)
    if codec == "cp932":
        text = _UNDEFINED_IN_CP932.sub(REPLACEMENT, text)
    replaced = max(0, text.count(REPLACEMENT) - genuine)
    return Decoded(_lines(text.removeprefix("\ufeff")), codec, replaced)


def _repaired(data: bytes, codec: str) -> tuple[str, str]:
    """Decode damaged bytes; of the two Big5 that differ, take the one that reads more."""
    text = data.decode(codec, "replace")
    # Looking for the step costs some 15 microseconds a time and helps a text with a bad byte here
    # and there, not what is malformed throughout (bytes read in an encoding that was given wrong).
    if codec not in _HANDLER or text.count(REPLACEMENT) > max(10, len(text) / 20):
        return codec, text
    text = data.decode(codec, _HANDLER[codec])
    if codec == "big5hkscs":
        windows = data.decode("cp950", _HANDLER[codec])
        if len(windows.replace(REPLACEMENT, "")) > len(text.replace(REPLACEMENT, "")):
            return "cp950", windows
    return codec, text


def _lines(text: str) -> str:
    """End every line with LF.

    U+0085 and U+2028 stay: they are rare, and white space to whatever comes later.
    """
    if "\r" in text:
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


# -- where the next character begins ---------------------------------------------------------------

# Python's cp932 passes these five single bytes (80, A0, FD, FE, FF) on, though no character has
# them.
_UNDEFINED_IN_CP932 = re.compile("[\x80\xa0\uf8f0-\uf8f3]")

# How many bytes after an error are looked at: 16 characters, of which far more are everyday
# characters in step (about 95 %) than out of step (about 40 %).
_LOOKAHEAD = 32


def _resume_in_step(error: UnicodeError) -> tuple[str, int]:
    """Replace a malformed sequence and go on where the next character most likely begins.

    After a bad byte among two-byte characters it is open whether the next byte is the first or
    the second of a pair, and the wrong choice spoils the rest of the line. So each of the next
    three places is tried, and the first of those with the most everyday characters is taken.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, codec, begin = error.object, error.encoding, error.start
    everyday = _everyday(codec)

    def value(resume: int) -> int:
        ahead = data[resume : begin + 1 + _LOOKAHEAD].decode(codec, "replace")
        common = sum(c in everyday or c.isascii() for c in ahead)
        return common - ahead.count(REPLACEMENT)

    places = range(begin + 1, min(begin + 4, len(data) + 1))
    return REPLACEMENT, max(places, key=value, default=len(data))


codecs.register_error("simdup.resume_in_step", _resume_in_step)
_HANDLER = dict.fromkeys(
    ("gb18030", "big5hkscs", "cp950", "cp932", "cp949", "euc_jp"), "simdup.resume_in_step"
)


# -- everyday characters ---------------------------------------------------------------------------


def _rows(codec: str, first: int, last: int) -> frozenset[str]:
    """All characters of a two-byte code whose first byte is `first` to `last`."""
    pairs = b"".join(
        bytes((lead, trail))
        for lead in range(first, last + 1)
        for trail in (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    )
    return frozenset(pairs.decode(codec, "ignore")) - {chr(c) for c in range(0x80)}


@cache
def _everyday_han() -> frozenset[str]:
    """The first levels of GB2312 and Big5, which hold what is written every day."""
    levels = _rows("gb2312", 0xB0, 0xD7) | _rows("big5", 0xA4, 0xC6)
    return frozenset(c for c in levels if "\u4e00" <= c <= "\u9fff")


@cache
def _everyday(codec: str) -> frozenset[str]:
    """The characters beyond ASCII that make up nearly all of a text in an encoding."""
    marks = frozenset("　、。〈〉《》「」『』【】〔〕！（），．：；？～＂％＋－／·‘’“”…—–※○●・ー")
    kana = frozenset(map(chr, range(0x3041, 0x30FF)))
    match codec:
        case "cp949":
            return marks | _rows("euc_kr", 0xB0, 0xC8)
        case "cp932" | "euc_jp":
            return marks | kana | _rows("euc_jp", 0xB0, 0xCF)
        case _:
            return marks | _everyday_han()


# What stands where in a Western text: an accented letter beside a plain one, or alone as a word;
# a mark beside something plain. Bytes of East Asian characters come in pairs and runs instead.
# The letter FF is left out: it is far rarer in French than as a bad byte.
_WESTERN = re.compile(
    """
      (?<= [a-zA-Z] ) {letter}  |  {letter} (?= [a-zA-Z] )
    | (?<! [^\\x00-\\x7f] ) {letter} (?! [^\\x00-\\x7f] )
    | (?<= [\\x00-\\x7f] ) {mark}  |  {mark} (?= [\\x00-\\x7f] )
    | [¿¡] (?= \\w )
    | (?<= [\\d\\s] ) °
    """.format(letter="[À-ÖØ-öø-þŠšŽžŒœŸ]", mark="[‘’“”„…–—«»‹›€£§·•™©®\\xa0]"),
    re.VERBOSE,
)


def _everyday_share(text: str, codec: str) -> float:
    """Share of the characters beyond ASCII that are everyday ones, 0..1."""
    beyond = [c for c in text if not c.isascii()]
    if not beyond:
        return 0.0
    if codec == "cp1252":
        # Nearly any bytes can be read so, but where most letters stand oddly it is no such text.
        share = len(_WESTERN.findall(text)) / len(beyond)
        return share if share > 1 / 3 else 0.0
    everyday = _everyday(codec)
    return sum(c in everyday for c in beyond) / len(beyond)


# -- recognition -----------------------------------------------------------------------------------


def _recognise(sample: bytes, data: bytes) -> str:
    """Name the encoding of bytes that are not UTF-8 and hold no NUL."""
    if _nearly_utf8(sample):
        return "utf-8"
    wide = _wide_encoding(data)
    if wide is not None:
        return wide
    # A twentieth of the bytes: random bytes have 9 % control characters, a text next to none.
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > 1 + len(sample) / 20:
        raise NotText("binary")
    best, highest = "", 0.0
    for codec in _CANDIDATES:
        score = _score(sample, codec)
        if score > _CONVINCING:
            return codec
        if codec == "gb18030":
            score *= _CHINESE_FIRST
        if score > highest:
            best, highest = codec, score
    if best:
        return best
    # Nothing fits. Plain ASCII with a few stray bytes is still worth reading.
    stray = len(sample) - len(sample.decode("ascii", "ignore"))
    if stray > max(1, len(sample) / 10):
        raise NotText("undecodable")
    return "utf-8"


# The control characters that no text file uses: not tab, line ends, form feed, backspace
# (overstriking), Ctrl-Z (the end of a DOS file) and escape (terminal colours).
_CONTROLS = bytes(set(range(0x20)) - set(b"\b\t\n\v\f\r\x1a\x1b")) + b"\x7f"


def _nearly_utf8(sample: bytes) -> bool:
    """Decide whether malformed UTF-8 is UTF-8 all the same.

    A weight of evidence: a sequence of three bytes is well-formed by chance in about 1 of 20
    places of a text in another encoding, one of two bytes in 1 of 5; in UTF-8 hardly 1 character
    of 100 is bad, elsewhere 7 of 10 are. The logarithms of these odds, 3.0, 1.6 and -4.2, are
    as 2 to 1 to -3.
    """
    text = sample.decode("utf-8", "replace")
    bad = text.count(REPLACEMENT) - sample.count(REPLACEMENT.encode())
    beyond = [c for c in text if not c.isascii() and c != REPLACEMENT]
    short = sum(c < "\u0800" for c in beyond)
    return 2 * (len(beyond) - short) + short > 3 * bad


def _score(sample: bytes, codec: str) -> float:
    """How well a reading fits: 0 where it does not, larger for better.

    chardet gives up on a reading at its first bad byte, so it is shown the sample without the
    malformed parts, and asked about this one encoding: its confidence is then a similarity to the
    language's texts and can be compared between readings.
    """
    import chardet

    text = sample.decode(codec, "replace")
    bad = text.count(REPLACEMENT)
    # Wrong readings fail here, at little cost. A right one may lose step after a bad byte, but
    # even so finds a well-formed pair in most places.
    if bad > max(3, sum(not c.isascii() for c in text) / 5):
        return 0.0
    if bad:
        text = sample.decode(codec, _HANDLER.get(codec, "replace"))
    if codec == "cp932":
        text = _UNDEFINED_IN_CP932.sub(REPLACEMENT, text)
    bad = text.count(REPLACEMENT)
    clean = text.replace(REPLACEMENT, "")
    beyond = sum(not c.isascii() for c in clean)
    # One bad byte, which may spoil the character around it too, is always forgiven; beyond that a
    # tenth, for a text with more is lost anyway.
    if beyond == 0 or bad > max(2, beyond / 10):
        return 0.0
    answers = chardet.detect_all(
        clean.encode(codec, "ignore"),
        ignore_threshold=True,
        compat_names=False,
        include_encodings=[_CANDIDATES[codec], "ascii", "utf-8"],
        no_match_encoding="ascii",
    )
    confidence = sum(a["confidence"] for a in answers if a["encoding"] == _CANDIDATES[codec])
    # chardet answers 0 for kana alone, and next to 0 for a few Chinese words among code: then the
    # shares decide, by 0.03, where right answers on 20 characters of prose are above 0.1.
    return (confidence + 0.03) * _everyday_share(clean, codec) * (beyond / (beyond + bad)) ** 2


def _sample(data: bytes) -> bytes:
    """Cut three pieces out of a long file, none of which begins inside a character.

    The first begins at the first byte beyond ASCII, which begins a character in every encoding;
    the others, at a half and at three quarters, after a byte below 0x30, which is never part of
    a longer character, or are left out where there is none.
    """
    if len(data) <= _SAMPLE:
        return data
    return b"".join(_pieces(data, _SAMPLE // 3))


_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_ALONE = re.compile(rb"[\x00-\x2f]")


def _pieces(data: bytes, length: int) -> Iterator[bytes]:
    """Yield the pieces of a sample, each of about `length` bytes."""
    first = _BEYOND_ASCII.search(data)
    begin = first.start() if first else 0
    yield _whole_characters(data[begin : begin + length])
    for place in (len(data) // 2, len(data) * 3 // 4):
        alone = _ALONE.search(data, place, place + length)
        if alone:
            yield _whole_characters(data[alone.end() : alone.end() + length])


def _whole_characters(piece: bytes) -> bytes:
    """Cut the end off where it may lie inside a character."""
    end = max(map(piece.rfind, (b"\n", b" ", b",", b".")))
    return piece[: end + 1] if end > 0 else piece


# -- UTF-16 without a byte order mark --------------------------------------------------------------

# Of the units of real text in UTF-16, 0.88 and more were everyday characters; of other texts
# read as UTF-16 at most 0.70 (English of 20 characters and Shift_JIS apart, see below).
_WIDE_SHARE = 0.75


def _wide_encoding(data: bytes) -> str | None:
    """Name the byte order of UTF-16 without a mark, or None where it is not UTF-16."""
    sample = data[:_SAMPLE]
    if b"\0" not in sample and _mostly_letters(sample):
        return None
    shares = {codec: _wide_share(sample, codec) for codec in ("utf-16-le", "utf-16-be")}
    best = max(shares, key=lambda codec: shares[codec])
    return best if shares[best] >= _WIDE_SHARE else None


def _mostly_letters(sample: bytes) -> bool:
    """Whether the bytes are an English text: pairs of its letters are Han characters in UTF-16.

    Of the bytes of Chinese in UTF-16, about a third happen to be a letter or a space, of a
    Western text nine tenths: the limit lies between.
    """
    return sum(map(sample.count, _LETTERS)) > len(sample) * 2 / 3


_LETTERS = [bytes((c,)) for c in b" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]


@cache
def _everyday_units(with_nul: bool) -> bytes:
    """A table of the 65,536 units: 1 for the everyday ones.

    A text in an alphabet has spaces or line ends, so NUL bytes; where there are none, only
    Chinese and Japanese characters count. Then those whose bytes would be kana in Shift_JIS
    do not: text in kana would look like UTF-16.
    """
    table = bytearray(0x10000)

    def mark(first: int, last: int) -> None:
        table[first : last + 1] = b"\1" * (last + 1 - first)

    for c in _everyday_han() | _everyday("euc_jp"):
        table[ord(c)] = 1
    mark(0xFF01, 0xFF5E)  # full-width forms
    if with_nul:
        for control in b"\t\n\r":
            table[control] = 1
        mark(0x20, 0x7E)
        mark(0xA0, 0x24F)  # Latin
        mark(0x370, 0x6FF)  # Greek, Cyrillic, Armenian, Hebrew, Arabic
        mark(0xE00, 0xE7F)  # Thai
        mark(0x2010, 0x2027)  # dashes and quotes
        mark(0xAC00, 0xD7A3)  # Hangul
    else:
        table[0x829F:0x82F2] = bytes(0x82F2 - 0x829F)
        table[0x8340:0x8397] = bytes(0x8397 - 0x8340)
    return bytes(table)


def _wide_share(sample: bytes, codec: str) -> float:
    """Share of the units of a reading as UTF-16 that are everyday characters, 0..1."""
    import numpy as np

    if len(sample) < 2:
        return 0.0
    even = len(sample) - len(sample) % 2
    units = np.frombuffer(sample[:even], "<u2" if codec == "utf-16-le" else ">u2")
    table = np.frombuffer(_everyday_units(b"\0" in sample), np.uint8)
    # The byte left over of an odd number counts as a unit that is none.
    return int(table[units].sum()) / ((len(sample) + 1) // 2)


def _looks_like_text(text: str) -> bool:
    """Whether the characters are assigned ones: random bytes after a mark are not."""
    head = text[:1000]
    odd = sum(unicodedata.category(c) in ("Cn", "Co", "Cs") or c == REPLACEMENT for c in head)
    # Of random UTF-16 units 18 % are private, unassigned or lone surrogates; of text, hardly 1 %.
    return odd <= max(1, len(head) / 10)
