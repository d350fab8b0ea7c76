"""Decode the bytes of one file.

A bad byte never decides: a malformed sequence becomes U+FFFD and is counted.  NULs are padding and
are dropped.  How the encoding is detected is described in `simdup.corpus.encoding_detection`.
"""

import codecs
from typing import NamedTuple

from simdup.corpus.charsets import (
    REPLACEMENT,
    TWO_BYTE_CODECS,
    decode_in_step,
    is_wide,
    replace_undefined,
)
from simdup.corpus.encoding_detection import decode_at_once, detect_encoding
from simdup.errors import SimdupError

# Files say "gb2312" and hold characters of GBK; the superset reads both.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}

# Python lists these among its text encodings, but no file is stored in them.
_NOT_FOR_FILES = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"}


class Decoded(NamedTuple):
    """A text and how it was decoded."""

    text: str  # without byte order mark, with LF at the end of every line
    encoding: str  # the Python codec that was used
    replaced: int = 0  # how many malformed sequences became U+FFFD; 0 for a clean file
    dropped: int = 0  # how many NULs were left out

    @property
    def note(self) -> str:
        """What a person should know about the reading; empty for a clean file."""
        marred = [
            f"{count:,} {what}{'s' * (count > 1)} {done}"
            for count, what, done in (
                (self.replaced, "bad character", "replaced"),
                (self.dropped, "NUL byte", "dropped"),
            )
            if count
        ]
        return f"read as {self.encoding} with {' and '.join(marred)}" if marred else ""


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Decode the bytes of one file.

    Parameters
    ----------
    data : bytes
        The whole file.
    encoding : str, optional
        The encoding, if known.  Without it the encoding is detected.

    Raises
    ------
    NotText
        If the bytes are binary, or no encoding decodes them to text.
    SimdupError
        If `encoding` is not a text encoding.
    """
    if encoding is not None:
        return _decode_with(known_encoding(encoding), data)
    # Only the mark itself is certain: some programs put it before text of another encoding.
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" not in data:
        found = decode_at_once(data)
        if found:
            return Decoded(_normalize_newlines(found[0]), found[1])
    return _decode_with(detect_encoding(data), data)


def known_encoding(name: str) -> str:
    """Return the codec for the name of an encoding, such as ``"GBK"``, ``"utf8"`` or ``"big5"``.

    It is that of the superset where files are known to use more than the name says.

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
        raise SimdupError(
            "encoding",
            f"unknown encoding {name!r}",
            "use a name such as utf-8, gb18030, big5, utf-16, shift_jis or cp1252",
            field="encoding",
        ) from None
    return _SUPERSETS.get(codec, codec)


def without_nuls(data: bytes, codec: str) -> bytes:
    """Return bytes without NULs, which are padding, unless characters of the codec have them."""
    return data if b"\0" not in data or is_wide(codec) else data.replace(b"\0", b"")


def _decode_with(codec: str, data: bytes) -> Decoded:
    """Decode all of `data`; drop NULs, replace malformed sequences, and count both."""
    size = len(data)
    data = without_nuls(data, codec)
    nuls = size - len(data)
    try:
        text = data.decode(codec)
        genuine = text.count(REPLACEMENT)
    except UnicodeError:
        codec, text = _repair(data, codec)
        # A file may hold U+FFFD of its own: those that remain without the malformed sequences.
        genuine = data.decode(codec, "ignore").count(REPLACEMENT)
    text = replace_undefined(text, codec)
    replaced = max(0, text.count(REPLACEMENT) - genuine)
    if "\0" in text:
        nuls += text.count("\0")
        text = text.replace("\0", "")
    return Decoded(_normalize_newlines(text.removeprefix("\ufeff")), codec, replaced, nuls)


def _repair(data: bytes, codec: str) -> tuple[str, str]:
    """Decode damaged bytes; of the two variants of Big5, take the one that reads more."""
    text = data.decode(codec, "replace")
    # Resuming in step costs some 15 microseconds a time. It helps a text with a bad byte here and
    # there, not bytes malformed throughout (decoded with a wrong encoding that was asked for).
    if codec not in TWO_BYTE_CODECS or text.count(REPLACEMENT) > max(10, len(text) / 20):
        return codec, text
    text = decode_in_step(data, codec)
    if codec == "big5hkscs":
        windows = decode_in_step(data, "cp950")
        if len(windows.replace(REPLACEMENT, "")) > len(text.replace(REPLACEMENT, "")):
            return "cp950", windows
    return codec, text


def _normalize_newlines(text: str) -> str:
    """End every line with LF.

    U+0085 and U+2028 remain: they are rare, and later steps treat them as white space.
    """
    if "\r" in text:
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text
