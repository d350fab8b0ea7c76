"""Detect the encoding of bytes.

No rule separates the encodings of Chinese text: nearly every file in GBK is also well-formed in
some other encoding.  So cheap and certain signs come first, and guesses last:

1. well-formed UTF-8, which text in another encoding never is by chance, and GB18030 with enough
   common Chinese characters (`decode_at_once`: decoding is the test, so detection costs nothing);
2. a byte order mark;
3. UTF-8 with a few bad bytes, weighed sequence by sequence;
4. UTF-16 without a byte order mark (`simdup.corpus.utf16`);
5. the encodings of East Asia and Western Europe, each tried on a sample and ranked by chardet's
   language models, by the share of everyday characters, and by the malformed sequences.

NUL bytes do not prove that a file is binary: some news and log files are padded with them.  Bytes
with NULs must be UTF-16, or well-formed text once the NULs are removed.  Bytes that are not text in
any of these encodings raise :class:`NotText`.
"""

import codecs
import math
import unicodedata
from collections.abc import Iterator
from contextlib import suppress

from simdup.corpus.charsets import (
    REPLACEMENT,
    count_beyond_ascii,
    decode_in_step,
    everyday_share,
    is_common_chinese,
    replace_undefined,
)
from simdup.corpus.utf16 import utf16_byte_order
from simdup.when_used import pattern

# The mark of UTF-32 begins with that of UTF-16, so it comes first.
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# The candidates by the names of Python's codecs, each with chardet's name of the same encoding.
# GB18030 contains GBK and GB2312; cp932 and cp949 are what Windows writes as Shift_JIS and EUC-KR.
_CANDIDATES = {
    "gb18030": "gb18030",
    "big5hkscs": "big5hkscs",
    "cp932": "cp932",
    "cp949": "cp949",
    "euc_jp": "euc_jis_2004",
    "cp1252": "cp1252",
}

# If a text has so few Chinese characters that the scores nearly tie (typographic quotes in
# English, one word among code), GBK is by far the likeliest in a Chinese collection. For 20
# characters of Traditional Chinese, Korean, Japanese in Shift_JIS, French or German, the right
# score was at least 2.1 times that of GBK, so this does not affect them.
_CHINESE_FIRST = 1.5

# In some 5,000 passages of 20 to 500 characters, wrong candidates scored at most 0.28; right ones
# of 500 characters mostly score above 0.5. Above this score, the other candidates are not tried.
_CONVINCING = 0.4

# 16 kB are some 8,000 Chinese characters; the detector was already right with 20, and takes about
# 1 ms for 16 kB.
_SAMPLE = 16_384

# The control characters that no text file uses: not tab, line ends, form feed, backspace
# (overstriking), Ctrl-Z (the end of a DOS file) and escape (terminal colours).
_CONTROLS = bytes(set(range(0x20)) - set(b"\b\t\n\v\f\r\x1a\x1b")) + b"\x7f"

_NULS = pattern(rb"\0+")

# The highest density of NUL runs per byte, for a text that proves its encoding and for one that
# does not. Of 2,800 binary files of 90 kinds that contain NULs, nearly all have more, or have other
# control characters; the rest are mostly arrays of strings.
_DENSE = 1 / 5
_SPARSE = 1 / 20


class NotText(Exception):
    """The bytes are not text; the message is the reason why a document is skipped."""


def detect_encoding(data: bytes) -> str:
    """Return the codec of bytes that are not well-formed UTF-8, or that contain NUL bytes.

    Raises
    ------
    NotText
        If the bytes are binary, or no encoding decodes them to text.
    """
    for mark, codec in _BOMS:
        if data.startswith(mark):
            head = data[: _SAMPLE - _SAMPLE % 4]
            if _looks_like_text(head.decode(codec, "replace")):
                return codec
    if b"\0" in data:
        return _detect_among_nuls(data)
    sample = _take_sample(data)
    if _is_damaged_utf8(sample):
        return "utf-8"
    return utf16_byte_order(data) or _best_candidate(sample)


def decode_at_once(data: bytes) -> tuple[str, str] | None:
    """Decode bytes whose encoding one attempt proves; return the text and its codec."""
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    return (text, "gb18030") if is_common_chinese(text) else None


def _detect_among_nuls(data: bytes) -> str:
    """Return the codec of bytes with NULs: UTF-16, or the codec of the text without the NULs.

    A text that proves another encoding comes first, because the bytes of GBK are Hangul in
    UTF-16.  Letters prove nothing: English in UTF-16 is ASCII once its NULs are removed.
    """
    density = _nul_density(data)
    rest = data.replace(b"\0", b"") if density <= _DENSE else b""
    if not rest.isascii():
        found = decode_at_once(rest)
        if found:
            return found[1]
    utf16 = utf16_byte_order(data)
    if utf16 and _is_well_formed(data, utf16):
        return utf16
    if rest and density <= _SPARSE:
        sample = _take_sample(rest)
        with suppress(NotText):
            codec = "utf-8" if _is_damaged_utf8(sample) else _best_candidate(sample)
            if _is_well_formed(rest, codec):
                return codec
    raise NotText("binary")


def _nul_density(data: bytes) -> float:
    """Return how often NULs interrupt a text, per byte; infinity for binary data.

    It does not matter how many NULs are adjacent.
    """
    if data.startswith(b"ustar", 257):  # a tar archive: its headers are text and NULs
        return math.inf
    head = data.lstrip(b"\0")[: 4 * _SAMPLE].rstrip(b"\0")
    rest = head.replace(b"\0", b"")
    controls = len(rest) - len(rest.translate(None, _CONTROLS))
    if not rest or controls > len(rest) / 1000:
        return math.inf
    # In UTF-16, a single NUL at an end is half a character, not padding.
    ends = data[:1] == b"\0" != data[1:2], data[-1:] == b"\0" != data[-2:-1]
    return (sum(ends) + sum(1 for _ in _NULS.finditer(head))) / len(rest)


def _is_well_formed(data: bytes, codec: str) -> bool:
    """Return whether a codec decodes all bytes, except perhaps a truncated last character."""
    try:
        codecs.getincrementaldecoder(codec)().decode(data)
    except UnicodeDecodeError:
        return False
    return True


def _best_candidate(sample: bytes) -> str:
    """Return the candidate with the highest score."""
    # A twentieth of the bytes: random bytes have 9 % control characters, a text almost none.
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > 1 + len(sample) / 20:
        raise NotText("binary")
    best, highest = "", 0.0
    for codec in _CANDIDATES:
        score = _score(sample, codec, highest)
        if score > _CONVINCING:
            return codec
        if codec == "gb18030":
            score *= _CHINESE_FIRST
        if score > highest:
            best, highest = codec, score
    if best:
        return best
    # No candidate fits. Plain ASCII with a few stray bytes is still worth reading.
    stray = len(sample) - len(sample.decode("ascii", "ignore"))
    if stray > max(1, len(sample) / 10):
        raise NotText("undecodable")
    return "utf-8"


def _score(sample: bytes, codec: str, beat: float) -> float:
    """Return how well a codec fits; 0 if it does not fit or cannot exceed the score `beat`.

    chardet rejects an encoding at its first bad byte, so it sees the sample without the malformed
    sequences, and considers only this encoding.  Its confidence is then a similarity to texts of
    the language, which is comparable between encodings.
    """
    import chardet

    text = sample.decode(codec, "replace")
    bad = text.count(REPLACEMENT)
    # Wrong candidates fail here, at little cost. The right one may get out of step after a bad
    # byte, but still finds a well-formed pair in most places.
    if bad > max(3, count_beyond_ascii(text) / 5):
        return 0.0
    if bad:
        text = decode_in_step(sample, codec)
    text = replace_undefined(text, codec)
    bad = text.count(REPLACEMENT)
    clean = text.replace(REPLACEMENT, "")
    beyond = count_beyond_ascii(clean)
    # One bad byte, which may spoil its neighbour too, is always allowed; beyond that, a tenth of
    # the bytes, because a text with more is lost anyway.
    if beyond == 0 or bad > max(2, beyond / 10):
        return 0.0
    # chardet returns 0 for kana alone, and almost 0 for a few Chinese words among code. Then the
    # shares decide, weighted by 0.03; right answers on 20 characters of prose are above 0.1.
    share = everyday_share(clean, codec) * (beyond / (beyond + bad)) ** 2
    # No confidence exceeds 1, and chardet takes most of the time.
    if (1 + 0.03) * share <= beat:
        return 0.0
    answers = chardet.detect_all(
        clean.encode(codec, "ignore"),
        ignore_threshold=True,
        compat_names=False,
        include_encodings=[_CANDIDATES[codec], "ascii", "utf-8"],
        no_match_encoding="ascii",
    )
    confidence = sum(a["confidence"] for a in answers if a["encoding"] == _CANDIDATES[codec])
    return (confidence + 0.03) * share


def _is_damaged_utf8(sample: bytes) -> bool:
    """Return whether malformed UTF-8 is still UTF-8.

    This is a weight of evidence.  In text of another encoding, a sequence of three bytes is
    well-formed by chance in about 1 of 20 places, one of two bytes in 1 of 5.  In UTF-8 hardly 1
    character in 100 is bad, in other encodings 7 of 10.  The log odds, 3.0, 1.6 and -4.2, are
    roughly 2 to 1 to -3.
    """
    text = sample.decode("utf-8", "replace")
    bad = text.count(REPLACEMENT) - sample.count(REPLACEMENT.encode())
    beyond = [c for c in text if not c.isascii() and c != REPLACEMENT]
    short = sum(c < "\u0800" for c in beyond)
    return 2 * (len(beyond) - short) + short > 3 * bad


def _looks_like_text(text: str) -> bool:
    """Return whether the characters are assigned; those of random bytes after a mark are not."""
    head = text[:1000]
    odd = sum(unicodedata.category(c) in ("Cn", "Co", "Cs") or c == REPLACEMENT for c in head)
    # In random UTF-16, 18 % of units are private, unassigned or lone surrogates; in text, 1 %.
    return odd <= max(1, len(head) / 10)


# -- the sample ------------------------------------------------------------------------------------

_BEYOND_ASCII = pattern(rb"[\x80-\xff]")
_ALONE = pattern(rb"[\x00-\x2f]")


def _take_sample(data: bytes) -> bytes:
    """Cut three pieces from a long file, none of which begins inside a character.

    The first begins at the first byte beyond ASCII, which begins a character in every encoding;
    the others, at a half and at three quarters, after a byte below 0x30, which is never part of
    a longer character, or are left out if there is none.
    """
    if len(data) <= _SAMPLE:
        return data
    return b"".join(_pieces(data, _SAMPLE // 3))


def _pieces(data: bytes, length: int) -> Iterator[bytes]:
    """Yield the pieces of a sample, each of about `length` bytes."""
    first = _BEYOND_ASCII.search(data)
    begin = first.start() if first else 0
    yield _trim_end(data[begin : begin + length])
    for place in (len(data) // 2, len(data) * 3 // 4):
        alone = _ALONE.search(data, place, place + length)
        if alone:
            yield _trim_end(data[alone.end() : alone.end() + length])


def _trim_end(piece: bytes) -> bytes:
    """Cut the end off if it may be inside a character."""
    end = max(map(piece.rfind, (b"\n", b" ", b",", b".")))
    return piece[: end + 1] if end > 0 else piece
