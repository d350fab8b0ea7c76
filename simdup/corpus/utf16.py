"""Recognize UTF-16 without a byte order mark.

Both byte orders are tried, and the share of units that are everyday characters decides.  NUL bytes
are further evidence: in UTF-16 they are the upper halves of ASCII characters, or the lower halves
of a few everyday characters (U+4E00); padding has them anywhere.
"""

from functools import cache

from simdup.corpus.charsets import everyday_characters, everyday_han

_SAMPLE = 16_384

# In real UTF-16 text, at least 0.88 of the units were everyday characters; in other text read as
# UTF-16, at most 0.70 (except English of 20 characters and Shift_JIS, see below).
_EVERYDAY_SHARE = 0.75

# The share of units with a NUL byte that may be neither ASCII nor an everyday character.
_STRAY_SHARE = 0.05

# A text in an alphabet has a space, a line end or ASCII punctuation at least once in this many
# characters. The bytes of most GBK characters are Hangul in UTF-16; a NUL byte or two in such a
# file are not spaces.
_SPACED = 50

_LETTERS = [bytes((c,)) for c in b" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]


def utf16_byte_order(data: bytes) -> str | None:
    """Return the codec of UTF-16 without a mark, or None if the bytes are not UTF-16."""
    sample = data[:_SAMPLE]
    if _is_mostly_letters(sample):
        return None
    shares = {codec: _everyday_share(sample, codec) for codec in ("utf-16-le", "utf-16-be")}
    best = max(shares, key=lambda codec: shares[codec])
    return best if shares[best] >= _EVERYDAY_SHARE else None


def _is_mostly_letters(sample: bytes) -> bool:
    """Return whether the bytes are English, whose pairs of letters are Han characters in UTF-16.

    About a third of the bytes of Chinese in UTF-16 happen to be a letter or a space, half of those
    of English in UTF-16, and nine tenths of those of Western text.  The limit is between these,
    and higher if NUL bytes suggest UTF-16.
    """
    limit = 4 / 5 if b"\0" in sample else 2 / 3
    return sum(map(sample.count, _LETTERS)) > len(sample.strip(b"\0")) * limit


def _everyday_share(sample: bytes, codec: str) -> float:
    """Return the share of UTF-16 units that are everyday characters, 0..1."""
    import numpy as np

    odd = len(sample) % 2
    units = np.frombuffer(sample[: len(sample) - odd], "<u2" if codec == "utf-16-le" else ">u2")
    # UTF-16 may be padded at its ends too; U+0000 says nothing about the byte order.
    filled = np.flatnonzero(units)
    if not filled.size:
        return 0.0
    units = units[filled[0] : filled[-1] + 1]
    zeros = int((units == 0).sum())
    ascii_units = int((units < 0x100).sum()) - zeros
    spaced = ascii_units * _SPACED >= len(units)
    everyday = np.frombuffer(_everyday_units(spaced), bool)[units]
    stray = int(((units & 0xFF == 0) & ~everyday).sum()) - zeros
    if stray > (ascii_units + stray) * _STRAY_SHARE:
        return 0.0
    # The last byte of an odd number counts as a unit that is not an everyday character.
    return int(everyday.sum()) / (len(units) + odd)


@cache
def _everyday_units(spaced: bool) -> bytes:
    """Return a table of the 65,536 units: 1 for the everyday ones.

    A text in an alphabet has spaces.  Without spaces, only Chinese and Japanese characters count,
    except those whose bytes would be kana in Shift_JIS: a text in kana would look like UTF-16.
    """
    table = bytearray(0x10000)

    def mark(first: int, last: int, value: bytes = b"\1") -> None:
        table[first : last + 1] = value * (last + 1 - first)

    if spaced:
        mark(0x20, 0x7E)
        mark(0xA0, 0x24F)  # Latin
        mark(0x370, 0x6FF)  # Greek, Cyrillic, Armenian, Hebrew, Arabic
        mark(0xE00, 0xE7F)  # Thai
        mark(0x2010, 0x2027)  # dashes and quotes
        mark(0xAC00, 0xD7A3)  # Hangul
        # Characters whose lower byte is NUL: only everyday ones distinguish UTF-16 from padding.
        table[::0x100] = bytes(0x100)
    for c in everyday_han() | everyday_characters("euc_jp") | everyday_characters("cp949"):
        if spaced or not "\uac00" <= c <= "\ud7a3":
            table[ord(c)] = 1
    for control in b"\t\n\r":
        table[control] = 1
    mark(0xFF01, 0xFF5E)  # full-width forms
    mark(0x2500, 0x2500)  # rulers between paragraphs
    if not spaced:
        mark(0x829F, 0x82F1, b"\0")
        mark(0x8340, 0x8396, b"\0")
    return bytes(table)
