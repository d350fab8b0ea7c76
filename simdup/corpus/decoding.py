"""Decode the bytes of one file.

A single bad byte does not make a file unreadable: a malformed sequence becomes U+FFFD and is
counted.  NULs are padding and are dropped.  `simdup.corpus.encoding_detection` describes how the
encoding is detected.
"""

import codecs
from typing import NamedTuple

from simdup.base.errors import SimdupError
from simdup.base.when_used import pattern
from simdup.corpus.encoding_detection import (
    REPLACEMENT,
    TWO_BYTE_CODECS,
    decode_at_once,
    decode_in_step,
    detect_encoding,
)

# Files labelled "gb2312" contain characters of GBK; the superset reads both.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}

# Python lists these as text encodings, but no file uses them.
_NOT_FOR_FILES = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"}


# Python's cp932 decodes these five single bytes (80, A0, FD, FE, FF), which are undefined.
_UNDEFINED_IN_CP932 = pattern("[\x80\xa0\uf8f0-\uf8f3]")


class Decoded(NamedTuple):
    """A text and how it was decoded."""

    text: str  # without byte order mark; its lines end as they do in the file
    encoding: str  # the Python codec that was used
    replaced: int = 0  # how many malformed sequences became U+FFFD; 0 for a clean file
    dropped: int = 0  # how many NULs were dropped

    @property
    def note(self) -> str:
        """A note on how the file was read; empty for a clean file."""
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
    if b"\0" not in data:
        found = decode_at_once(data)
        if found:
            return Decoded(*found)
    return _decode_with(detect_encoding(data), data)


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
        raise SimdupError(
            "encoding",
            f"unknown encoding {name!r}",
            "use a name such as utf-8, gb18030, big5, utf-16, shift_jis or cp1252",
            field="encoding",
        ) from None
    return _SUPERSETS.get(codec, codec)


def without_nuls(data: bytes, codec: str) -> bytes:
    """Return bytes without NULs, which are padding, unless the codec uses them in characters."""
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
        # A file may contain U+FFFD itself; these remain when malformed sequences are ignored.
        genuine = data.decode(codec, "ignore").count(REPLACEMENT)
    text = _replace_undefined(text, codec)
    replaced = max(0, text.count(REPLACEMENT) - genuine)
    if "\0" in text:
        nuls += text.count("\0")
        text = text.replace("\0", "")
    return Decoded(text.removeprefix("\ufeff"), codec, replaced, nuls)


def _repair(data: bytes, codec: str) -> tuple[str, str]:
    """Decode damaged bytes; of the two variants of Big5, choose the one that decodes more."""
    text = data.decode(codec, "replace")
    # Resuming in step costs about 15 microseconds each time. It helps with a few bad bytes, but not
    # with bytes that are malformed throughout, because the user gave a wrong encoding.
    if codec not in TWO_BYTE_CODECS or text.count(REPLACEMENT) > max(10, len(text) / 20):
        return codec, text
    text = decode_in_step(data, codec)
    if codec == "big5hkscs":
        windows = decode_in_step(data, "cp950")
        if len(windows.replace(REPLACEMENT, "")) > len(text.replace(REPLACEMENT, "")):
            return "cp950", windows
    return codec, text


def _replace_undefined(text: str, codec: str) -> str:
    """Replace characters that a codec decodes although the encoding does not define them."""
    if codec == "utf-7":
        # Of all codecs for files this one alone decodes halves of surrogate pairs.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _UNDEFINED_IN_CP932.sub(REPLACEMENT, text) if codec == "cp932" else text


def is_wide(codec: str) -> bool:
    """Return whether a codec is UTF-16 or UTF-32, where ASCII characters are not single bytes."""
    return codec.replace("_", "-").startswith(("utf-16", "utf-32"))


def unify_line_ends(text: str) -> str:
    """Return a text with LF at the end of every line.

    U+0085 and U+2028 remain: they are rare, and later steps treat them as white space.
    """
    if "\r" in text:
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text
