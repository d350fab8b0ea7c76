"""Escape names and texts, which may be hostile, for a terminal."""

import unicodedata
from collections.abc import Callable, Iterable
from typing import BinaryIO

from simdup.base.progress import clear_bars
from simdup.base.when_used import pattern

# Characters that move the cursor, hide or reorder what is beside them.
_HOSTILE = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"})
_PLAIN = pattern(r"[\x20-\x7e\u4e00-\u9fff\uac00-\ud7a3]*")
_NOT_PLAIN = pattern(r"[^\x20-\x7e\u4e00-\u9fff\uac00-\ud7a3]")
_LINE = pattern(r"[^\0\t\n]+")


def shown(text: str) -> str:
    """Return a name or term without anything that could drive a terminal.

    Control, bidirectional and other invisible characters, and bytes that are not UTF-8, are
    escaped.
    """
    if _PLAIN.fullmatch(text):
        return text
    return "".join(_shown_character(c) for c in text)


def _shown_character(character: str) -> str:
    if unicodedata.category(character) not in _HOSTILE:
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


def shown_in_json(text: str) -> str:
    """Return JSON in which the characters that `shown` escapes are JSON escapes."""
    return _NOT_PLAIN.sub(lambda match: _json_escape(match[0]), text)


def _json_escape(character: str) -> str:
    if unicodedata.category(character) not in _HOSTILE:
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i] << 8 | units[i + 1]:04x}" for i in range(0, len(units), 2))


class TerminalStream:
    """A terminal that escapes everything written to it.

    Line ends, tabs and the NUL after names are harmless and pass unchanged.
    """

    def __init__(self, terminal: BinaryIO, spell: Callable[[str], str] = shown) -> None:
        self._terminal = terminal
        self._spell = spell

    def write(self, content: bytes) -> int:
        """Write whole lines, escaped."""
        clear_bars()
        text = content.decode("utf-8", "surrogateescape")
        self._terminal.write(_LINE.sub(lambda part: self._spell(part[0]), text).encode())
        return len(content)

    def writelines(self, lines: Iterable[bytes]) -> None:
        """Write lines, escaped, as they arrive."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Show what was written."""
        self._terminal.flush()

    def isatty(self) -> bool:
        """Return True, because it is a terminal."""
        return True
