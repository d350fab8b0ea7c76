"""Names and texts are hostile data: how they are shown on a terminal."""

import re
import unicodedata

# Characters that move the cursor, hide or reorder what stands beside them.
_HOSTILE = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"})
_PLAIN = re.compile(r"[\x20-\x7e\u4e00-\u9fff\uac00-\ud7a3]*")


def shown(text: str) -> str:
    """Return a name or term without anything that could drive a terminal.

    Control, bidirectional and other invisible characters, and bytes that are not UTF-8, stand as
    escapes.
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
