"""Decode the bytes of one file: the encoding rule that was measured best.

No rule separates the encodings of Chinese text: nearly every file in GBK is also well-formed in
some other encoding.  So cheap and certain signs come first, and guesses last:

1. well-formed UTF-8, which text in another encoding never is by chance, and GB18030 with enough
   common Chinese characters (`_decode_at_once`: decoding is the test, so detection costs nothing);
2. a byte order mark;
3. UTF-8 with a few bad bytes, weighed sequence by sequence;
4. UTF-16 without a byte order mark;
5. the encodings of East Asia and Western Europe, each tried on a sample and ranked by chardet's
   language models, by the share of everyday characters, and by the malformed sequences.

NUL bytes do not prove that a file is binary: some news and log files are padded with them.  Bytes
with NULs must be UTF-16, or well-formed text once the NULs are removed.  Bytes that are not text in
any of these encodings raise :class:`NotText`.

A single bad byte does not make a file unreadable: a malformed sequence becomes U+FFFD and is
counted.  NULs are padding and are dropped.
"""

from __future__ import annotations

import codecs
import math
import re
import unicodedata
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from simdup.base.errors import SimdupError
from simdup.base.when_used import pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REPLACEMENT = "\ufffd"

# Files labelled "gb2312" contain characters of GBK; the superset reads both.
_SUPERSETS = {
    "gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs",
    "shift_jis": "cp932", "euc_kr": "cp949",
}  # fmt: skip
# Python lists these as text encodings, but no file uses them.
_NOT_FOR_FILES = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"}
# Python's cp932 decodes these five single bytes (80, A0, FD, FE, FF), which are undefined.
_UNDEFINED_IN_CP932 = pattern("[\x80\xa0\uf8f0-\uf8f3]")


class NotReadable(Exception):
    """A document cannot be read; the message is the reason why it is skipped."""

    def __init__(self, reason: str, error: bool = True, hint: str = "") -> None:
        super().__init__(reason)
        self.error, self.hint = error, hint  # as in `Skipped`


class NotText(NotReadable):
    """The bytes are not text."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason, error=False, hint=hint)


class Decoded(NamedTuple):
    """A text and how it was decoded."""

    text: str  # without byte order mark; its lines end as they do in the file
    encoding: str  # the Python codec that was used
    replaced: int = 0  # how many malformed sequences became U+FFFD; 0 for a clean file
    dropped: int = 0  # how many NULs were dropped

    @property
    def note(self) -> str:
        """A note on how the file was read; empty for a clean file."""
        counts = (self.replaced, "bad character", "replaced"), (self.dropped, "NUL byte", "dropped")
        marred = [f"{n:,} {what}{'s' * (n > 1)} {done}" for n, what, done in counts if n]
        return f"read as {self.encoding} with {' and '.join(marred)}" if marred else ""


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Decode the bytes of one file.

    Parameters
    ----------
    data : bytes
        The whole file.
    encoding : str, optional
        The encoding, if known; otherwise it is detected.

    Raises
    ------
    NotText
        If the bytes are binary, or no encoding decodes them to text.
    SimdupError
        If `encoding` is not a text encoding.
    """
    if encoding is not None:
        return _decode_with(known_encoding(encoding), data)
    # Only the mark itself is certain: some programs write it before text in another encoding.
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" not in data and (found := _decode_at_once(data)):
        return Decoded(*found)
    return _decode_with(_detect_encoding(data), data)


def known_encoding(name: str) -> str:
    """Return the codec for the name of an encoding, such as ``"GBK"``, ``"utf8"`` or ``"big5"``.

    If files are known to use more characters than the name says, it is the codec of the superset.

    Raises
    ------
    SimdupError
        If Python has no such text encoding.
    """
    try:
        codec = codecs.lookup(name).name
        "".encode(codec)  # "hex" and "rot13" are codecs too, but not for text
        if codec.replace("-", "_") in _NOT_FOR_FILES:
            raise LookupError
    except (LookupError, ValueError, UnicodeError):
        hint = "use a name such as utf-8, gb18030, big5, utf-16, shift_jis or cp1252"
        what = f"unknown encoding {name!r}"
        raise SimdupError("encoding", what, hint, field="encoding") from None
    return _SUPERSETS.get(codec, codec)


def is_wide(codec: str) -> bool:
    """Return whether a codec is UTF-16 or UTF-32, where ASCII characters are not single bytes."""
    return codec.replace("_", "-").startswith(("utf-16", "utf-32"))


def without_nuls(data: bytes, codec: str) -> bytes:
    """Return bytes without NULs, which are padding, unless the codec uses them in characters."""
    return data if b"\0" not in data or is_wide(codec) else data.replace(b"\0", b"")


def decode_declared(content: bytes, charset: str, encoding: str | None = None) -> Decoded:
    """Decode bytes of which something declares the charset, unless it fits less than another.

    Raises
    ------
    NotText
        If the bytes are not text.
    """
    detected = decode(content, encoding)
    if encoding is not None:
        return detected
    try:
        charset = known_encoding(charset)
    except SimdupError:
        return detected
    # These write other characters in ASCII, which is well-formed UTF-8.
    escaped = content.isascii() and charset.startswith(("hz", "iso2022"))
    if detected.encoding == "utf-8" and not (detected.replaced or escaped):
        return detected
    # Bytes of UTF-16 are recognised; where ASCII letters declare it, it is wrong.
    if is_wide(charset):
        return detected
    declared = decode(content, charset)
    return declared if declared.replaced <= detected.replaced else detected


def unify_line_ends(text: str) -> str:
    """Return a text with LF at the end of every line.

    U+0085 and U+2028 remain: they are rare, and later steps treat them as white space.
    """
    if "\r" in text:
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _decode_with(codec: str, data: bytes) -> Decoded:
    """Decode all of `data`; drop NULs, replace malformed sequences, and count both."""
    size = len(data)
    data = without_nuls(data, codec)
    nuls = size - len(data)
    try:
        text = data.decode(codec)
        genuine = text.count(_REPLACEMENT)
    except UnicodeError:
        codec, text = _repair(data, codec)
        # A file may contain U+FFFD itself; these remain when malformed sequences are ignored.
        genuine = data.decode(codec, "ignore").count(_REPLACEMENT)
    if codec == "cp932":
        text = _UNDEFINED_IN_CP932.sub(_REPLACEMENT, text)
    elif codec == "utf-7":
        # Of all codecs for files this one alone decodes halves of surrogate pairs.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    replaced = max(0, text.count(_REPLACEMENT) - genuine)
    if "\0" in text:
        nuls += text.count("\0")
        text = text.replace("\0", "")
    return Decoded(text.removeprefix("\ufeff"), codec, replaced, nuls)


# -- what decides on the encoding ------------------------------------------------------------------

# The mark of UTF-32 begins with that of UTF-16, so it comes first.
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip

_NO_TEXT = ("Cn", "Co", "Cs")  # not assigned, private, surrogates

# 16 kB are some 8,000 Chinese characters; the detector was already right with 20, and takes about
# 1 ms for 16 kB.
_SAMPLE = 16_384
_BEYOND_ASCII = pattern(rb"[\x80-\xff]")
_ALONE = pattern(rb"[\x00-\x2f]")

# The control characters that no text file uses: not tab, line ends, form feed, backspace
# (overstriking), Ctrl-Z (the end of a DOS file) and escape (terminal colours).
_CONTROLS = bytes(set(range(0x20)) - set(b"\b\t\n\v\f\r\x1a\x1b")) + b"\x7f"

# The highest density of NUL runs per byte, for a text that proves its encoding and for one that
# does not. Of 2,800 binary files of 90 kinds that contain NULs, nearly all have more, or have other
# control characters; the rest are mostly arrays of strings.
_DENSE = 1 / 5
_SPARSE = 1 / 20


def _decode_at_once(data: bytes) -> tuple[str, str] | None:
    """Decode bytes whose encoding one attempt proves; return the text and its codec."""
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    return (text, "gb18030") if _is_common_chinese(text) else None


def _detect_encoding(data: bytes) -> str:
    """Return the codec of bytes that are not well-formed UTF-8, or that contain NUL bytes."""
    for mark, codec in _BOMS:
        if data.startswith(mark):
            # In random UTF-16, 18 % of units are unassigned, private or alone; in text, 1 %.
            head = data[:4000].decode(codec, "replace")[:1000]
            unlikely = sum(unicodedata.category(c) in _NO_TEXT or c == _REPLACEMENT for c in head)
            if unlikely <= max(1, len(head) / 10):
                return codec
    if b"\0" in data:
        return _detect_among_nuls(data)
    sample = _take_sample(data)
    if _is_damaged_utf8(sample):
        return "utf-8"
    return _utf16_byte_order(data) or _best_candidate(sample)


def _detect_among_nuls(data: bytes) -> str:
    """Return the codec of bytes with NULs: UTF-16, or the codec of the text without the NULs.

    A text that proves another encoding comes first, because the bytes of GBK are Hangul in
    UTF-16.  Letters prove nothing: English in UTF-16 is ASCII once its NULs are removed.
    """
    density = _nul_density(data)
    rest = data.replace(b"\0", b"") if density <= _DENSE else b""
    if not rest.isascii() and (found := _decode_at_once(rest)):
        return found[1]
    utf16 = _utf16_byte_order(data)
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
    if not rest or _count(rest, _CONTROLS) > len(rest) / 1000:
        return math.inf
    # In UTF-16, a single NUL at an end is half a character, not padding.
    ends = data[:1] == b"\0" != data[1:2], data[-1:] == b"\0" != data[-2:-1]
    return (sum(ends) + len(re.findall(rb"\0+", head))) / len(rest)


def _count(data: bytes, characters: bytes) -> int:
    """Return how many bytes are one of these characters."""
    return len(data) - len(data.translate(None, characters))


def _is_well_formed(data: bytes, codec: str) -> bool:
    """Return whether a codec decodes all bytes, except perhaps a truncated last character."""
    try:
        codecs.getincrementaldecoder(codec)().decode(data)
    except UnicodeDecodeError:
        return False
    return True


def _is_damaged_utf8(sample: bytes) -> bool:
    """Return whether malformed UTF-8 is still UTF-8.

    This is a weight of evidence.  In text of another encoding, a sequence of three bytes is
    well-formed by chance in about 1 of 20 places, one of two bytes in 1 of 5.  In UTF-8 hardly 1
    character in 100 is bad, in other encodings 7 of 10.  The log odds, 3.0, 1.6 and -4.2, are
    roughly 2 to 1 to -3.
    """
    text = sample.decode("utf-8", "replace")
    bad = text.count(_REPLACEMENT) - sample.count(_REPLACEMENT.encode())
    beyond = [c for c in text if not c.isascii() and c != _REPLACEMENT]
    short = sum(c < "\u0800" for c in beyond)
    return 2 * (len(beyond) - short) + short > 3 * bad


def _take_sample(data: bytes) -> bytes:
    """Cut three pieces from a long file, none of which begins or ends inside a character.

    The first begins at the first byte beyond ASCII, which begins a character in every encoding;
    the others, at a half and at three quarters, after a byte below 0x30, which is never part of
    a longer character, or are left out if there is none.
    """
    if len(data) <= _SAMPLE:
        return data
    length = _SAMPLE // 3
    first = _BEYOND_ASCII.search(data)
    starts = [first.start() if first else 0]
    for place in (len(data) // 2, len(data) * 3 // 4):
        if alone := _ALONE.search(data, place, place + length):
            starts.append(alone.end())
    pieces = [data[start : start + length] for start in starts]
    # Without such a byte, all of it: the end of -1 is then no place.
    ends = [max(map(piece.rfind, (b"\n", b" ", b",", b"."))) for piece in pieces]
    return b"".join(piece[: end + 1 or None] for piece, end in zip(pieces, ends, strict=True))


# -- UTF-16 without a byte order mark --------------------------------------------------------------
#
# Both byte orders are tried, and the share of everyday characters decides.

# In real UTF-16 text, at least 0.88 of the units were everyday characters; in other text read as
# UTF-16, at most 0.70 (except English of 20 characters and Shift_JIS, see below).
_EVERYDAY_SHARE = 0.75

# A text in an alphabet has a space, a line end or ASCII punctuation at least once in this many
# characters. The bytes of most GBK characters are Hangul in UTF-16; a NUL byte or two in such a
# file are not spaces.
_SPACED = 50

_LETTERS = b" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _utf16_byte_order(data: bytes) -> str | None:
    """Return the codec of UTF-16 without a mark, or None if the bytes are not UTF-16."""
    import numpy as np

    sample = data[:_SAMPLE]
    # Pairs of English letters are Han characters in UTF-16. About a third of the bytes of Chinese
    # in UTF-16 happen to be a letter or a space, half of those of English in UTF-16, and nine
    # tenths of those of Western text. The limit is higher if NUL bytes suggest UTF-16.
    limit = 4 / 5 if b"\0" in sample else 2 / 3
    if _count(sample, _LETTERS) > len(sample.strip(b"\0")) * limit:
        return None
    # The last byte of an odd number counts as a unit that is not an everyday character.
    odd = len(sample) % 2
    shares = {}
    for codec, order in (("utf-16-le", "<u2"), ("utf-16-be", ">u2")):
        # UTF-16 may be padded at its ends too; U+0000 says nothing about the byte order.
        units = np.trim_zeros(np.frombuffer(sample[: len(sample) - odd], order))
        spaced = np.count_nonzero(units[units < 0x100]) * _SPACED >= len(units)
        everyday = _everyday_in_utf16(spaced)[units]
        shares[codec] = np.count_nonzero(everyday) / max(1, len(units) + odd)
    best = max(shares, key=lambda codec: shares[codec])
    return best if shares[best] >= _EVERYDAY_SHARE else None


@cache
def _everyday_in_utf16(spaced: bool) -> NDArray[np.bool_]:
    """Return of each unit whether it is an everyday character.

    A text in an alphabet has spaces.  Without spaces, only Chinese and Japanese characters count,
    except those whose bytes would be kana in Shift_JIS: a text in kana would look like UTF-16.
    """
    import numpy as np

    def span(first: int, last: int) -> set[str]:
        return set(map(chr, range(first, last + 1)))

    # Besides, full-width forms, and rulers between paragraphs.
    found = _everyday_han() | _everyday_characters("euc_jp") | span(0xFF01, 0xFF5E) | {"\u2500"}
    if spaced:
        latin, dashes = span(0x20, 0x7E) | span(0xA0, 0x24F), span(0x2010, 0x2027)
        # Greek, Cyrillic, Armenian, Hebrew, Arabic; Thai; Hangul.
        others = span(0x370, 0x6FF) | span(0xE00, 0xE7F) | span(0xAC00, 0xD7A3)
        # Characters whose lower byte is NUL: only everyday ones distinguish UTF-16 from padding.
        padding = set(map(chr, range(0, 0x10000, 0x100)))
        found |= _everyday_characters("cp949") | ((latin | dashes | others) - padding)
    else:
        found -= span(0x829F, 0x82F1) | span(0x8340, 0x8396)
    table = np.zeros(0x10000, bool)
    table[list(map(ord, found | set("\t\n\r")))] = True
    return table


# -- the candidates --------------------------------------------------------------------------------

# GB18030 contains GBK and GB2312; cp932 and cp949 are what Windows writes as Shift_JIS and EUC-KR.
_CANDIDATES = ("gb18030", "big5hkscs", "cp932", "cp949", "euc_jp", "cp1252")
# Where chardet calls a candidate by another name.
_CHARDETS = {"euc_jp": "euc_jis_2004"}

# If a text has so few Chinese characters that the scores nearly tie (typographic quotes in
# English, one word among code), GBK is by far the likeliest in a Chinese collection. For 20
# characters of Traditional Chinese, Korean, Japanese in Shift_JIS, French or German, the right
# score was at least 2.1 times that of GBK, so this does not affect them.
_CHINESE_FIRST = 1.5

# In some 5,000 passages of 20 to 500 characters, wrong candidates scored at most 0.28; right ones
# of 500 characters mostly score above 0.5. Above this score, the other candidates are not tried.
_CONVINCING = 0.4


def _best_candidate(sample: bytes) -> str:
    """Return the candidate with the highest score."""
    # A twentieth of the bytes: random bytes have 9 % control characters, a text almost none.
    if _count(sample, _CONTROLS) > 1 + len(sample) / 20:
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
        hint = "no encoding that is detected fits; name it with `encoding`"
        raise NotText("undecodable", hint)
    return "utf-8"


def _score(sample: bytes, codec: str, beat: float) -> float:
    """Return how well a codec fits; 0 if it does not fit or cannot exceed the score `beat`.

    chardet rejects an encoding at its first bad byte, so it sees the sample without the malformed
    sequences, and considers only this encoding.  Its confidence is then a similarity to texts of
    the language, which is comparable between encodings.
    """
    import chardet

    text = sample.decode(codec, "replace")
    bad = text.count(_REPLACEMENT)
    # Wrong candidates fail here, at little cost. The right one may get out of step after a bad
    # byte, but still finds a well-formed pair in most places.
    if bad > max(3, _count_beyond_ascii(text) / 5):
        return 0.0
    text = _decode_in_step(sample, codec) if bad else text
    bad = text.count(_REPLACEMENT)
    clean = text.replace(_REPLACEMENT, "")
    beyond = _count_beyond_ascii(clean)
    # One bad byte, which may spoil its neighbour too, is always allowed; beyond that, a tenth of
    # the bytes, because a text with more is lost anyway.
    if beyond == 0 or bad > max(2, beyond / 10):
        return 0.0
    # chardet returns 0 for kana alone, and almost 0 for a few Chinese words among code. Then the
    # shares decide, weighted by 0.03; right answers on 20 characters of prose are above 0.1.
    share = _everyday_share(clean, codec) * (beyond / (beyond + bad)) ** 2
    # No confidence exceeds 1, and chardet takes most of the time.
    if (1 + 0.03) * share <= beat:
        return 0.0
    name = _CHARDETS.get(codec, codec)
    answers = chardet.detect_all(
        clean.encode(codec, "ignore"),
        ignore_threshold=True,
        compat_names=False,
        include_encodings=[name, "ascii", "utf-8"],
        no_match_encoding="ascii",
    )
    confidence = sum(a["confidence"] for a in answers if a["encoding"] == name)
    return (confidence + 0.03) * share


# -- everyday characters ---------------------------------------------------------------------------
#
# If a text is read with the right encoding, nearly all characters beyond ASCII are everyday ones.
# With a wrong encoding, or out of step by a byte, far fewer are.

# Common characters of Chinese prose, documentation and verse, simplified and traditional. Left out
# are those whose bytes in GBK are common in Korean, Japanese, Traditional Chinese or Russian text
# of another encoding (each more than 0.15 % of it): 老 is 이 in EUC-KR. So of Chinese text 31 to
# 61 % are these characters (poems, laws), of others read as GBK 3 % on average.
_COMMON_CHINESE = frozenset(
    "的一是不了在人我他这个们中来上大为和国地到说时要就出会也你对生能而子那得于自之过发后"
    "作里用道行所然种事成方多经么去法学如都同当没动起看定天分还进好小部些主样理心她本前开"
    "但因只从想实日军者意无它与长十民第此已工使情明性知全三又关点正业外将两高间问很最重并"
    "物手应战向头体政美相见被什二产或新制身果加西斯月话合代表化世位次度门任常先海通教儿原"
    "东声提立及比员解水名真论处走义各入几口条平系气题活尔更别打女变四神总电数安少报结反受"
    "目太量再感建务做接必场件管期市直资命金指克许统区保至队形社便空决治展科司五基眼书非则"
    "听白却界达光放强即像难权思王象完设式色路品住告类求据程北边死该交规万取拉望觉术领共确"
    "师观清切院让识候带导争运字号请置选示证依照责组价效语值图项标参服收城包查审监议职准营"
    "检施调型器花春风云君夜江千送香流朝玉秋雨寒古居來國時會這個為說過後對發經無長見門東從"
    "開樣問關兩將現當動種還進實體與機應處員業風雲"
)

# Where Western texts have characters beyond ASCII: an accented letter is next to a plain one, or is
# a word by itself; a mark is next to something plain. Bytes of East Asian characters come in pairs
# and runs instead. The letter FF is left out: it is far rarer in French than as a bad byte.
_WESTERN = pattern(
    """
      (?<= [a-zA-Z] ) {letter}  |  {letter} (?= [a-zA-Z] )
    | (?<! [^\\x00-\\x7f] ) {letter} (?! [^\\x00-\\x7f] )
    | (?<= [\\x00-\\x7f] ) {mark}  |  {mark} (?= [\\x00-\\x7f] )
    | [¿¡] (?= \\w )
    | (?<= [\\d\\s] ) °
    """.format(letter="[À-ÖØ-öø-þŠšŽžŒœŸ]", mark="[‘’“”„…–—«»‹›€£§·•™©®\\xa0]"),
    re.VERBOSE,
)


def _count_beyond_ascii(text: str) -> int:
    """Return how many characters are beyond ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))


def _is_common_chinese(text: str) -> bool:
    """Return whether a text that was read as GB18030 is certainly Chinese.

    This is a weight of evidence.  Common characters are 31 to 61 % of Chinese text, and 3 % of
    other text read as GB18030; the log odds are about 4 to -1.  In 100,000 passages of 10 to 2,000
    characters in other encodings, the sum is at most 11.
    """
    # A sample of the characters: 64 are enough for prose, 4,096 for code with comments.
    for most in (64, 256, 4096):
        sample = text[:: len(text) // most + 1]
        common = sum(map(_COMMON_CHINESE.__contains__, sample))
        if 5 * common - _count_beyond_ascii(sample) >= 16:
            return True
    return False


def _everyday_share(text: str, codec: str) -> float:
    """Return the share of everyday ones among the characters beyond ASCII, of which it has some."""
    beyond = _count_beyond_ascii(text)
    if codec != "cp1252":
        return sum(map(_everyday_characters(codec).__contains__, text)) / beyond
    # cp1252 decodes nearly any bytes; it is wrong if most letters are in unlikely places.
    share = len(_WESTERN.findall(text)) / beyond
    return share if share > 1 / 3 else 0.0


@cache
def _everyday_characters(codec: str) -> frozenset[str]:
    """Return the characters beyond ASCII that make up nearly all of a text in an encoding."""
    marks = frozenset("　、。〈〉《》「」『』【】〔〕！（），．：；？～＂％＋－／·‘’“”…—–※○●・ー")
    kana = frozenset(map(chr, range(0x3041, 0x30FF)))
    if codec == "cp949":
        return marks | _decode_rows("euc_kr", 0xB0, 0xC8)
    if codec in ("cp932", "euc_jp"):
        return marks | kana | _decode_rows("euc_jp", 0xB0, 0xCF)
    return marks | _everyday_han()


@cache
def _everyday_han() -> frozenset[str]:
    """Return the first levels of GB2312 and Big5: the everyday Chinese characters."""
    levels = _decode_rows("gb2312", 0xB0, 0xD7) | _decode_rows("big5", 0xA4, 0xC6)
    return frozenset(c for c in levels if "\u4e00" <= c <= "\u9fff")


def _decode_rows(codec: str, first: int, last: int) -> frozenset[str]:
    """Return all characters of a two-byte code whose first byte is `first` to `last`."""
    trails = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    pairs = bytes(b for lead in range(first, last + 1) for trail in trails for b in (lead, trail))
    return frozenset(c for c in pairs.decode(codec, "ignore") if not c.isascii())


# -- damaged bytes ---------------------------------------------------------------------------------

_TWO_BYTE_CODECS = frozenset({"gb18030", "big5hkscs", "cp950", "cp932", "cp949", "euc_jp"})
# Bytes that an error handler examines after the error.  Of these 16 characters, about 95 % are
# everyday ones if decoded in step, about 40 % if out of step.
_LOOKAHEAD = 32


def _repair(data: bytes, codec: str) -> tuple[str, str]:
    """Decode damaged bytes; of the two variants of Big5, choose the one that decodes more."""
    text = data.decode(codec, "replace")
    # Resuming in step costs about 15 microseconds each time. It helps with a few bad bytes, but not
    # with bytes that are malformed throughout, because the user gave a wrong encoding.
    if codec not in _TWO_BYTE_CODECS or text.count(_REPLACEMENT) > max(10, len(text) / 20):
        return codec, text
    variants = (codec, "cp950") if codec == "big5hkscs" else (codec,)
    decoded = [(one, _decode_in_step(data, one)) for one in variants]
    return max(decoded, key=lambda one: len(one[1].replace(_REPLACEMENT, "")))


def _decode_in_step(data: bytes, codec: str) -> str:
    """Decode damaged bytes; after a bad one, resume where a character most likely begins."""
    resume = "simdup.resume_in_step" if codec in _TWO_BYTE_CODECS else "replace"
    return data.decode(codec, resume)


def _resume_in_step(error: UnicodeError) -> tuple[str, int]:
    """Replace a malformed sequence and resume where the next character most likely begins.

    After a bad byte among two-byte characters the next byte may be the first or the second of a
    pair, and the wrong choice spoils the rest of the line.  So each of the next three positions is
    tried, and the first of those followed by the most everyday characters wins.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, codec, begin = error.object, error.encoding, error.start
    everyday = _everyday_characters(codec)

    def score(resume: int) -> int:
        ahead = data[resume : begin + 1 + _LOOKAHEAD].decode(codec, "replace")
        common = sum(c in everyday or c.isascii() for c in ahead)
        return common - ahead.count(_REPLACEMENT)

    positions = range(begin + 1, min(begin + 4, len(data) + 1))
    return _REPLACEMENT, max(positions, key=score, default=len(data))


codecs.register_error("simdup.resume_in_step", _resume_in_step)
