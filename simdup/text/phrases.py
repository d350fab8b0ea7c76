"""Words of Taiwan as the mainland has them: 软体 (軟體) becomes 软件, 滑鼠 becomes 鼠标.

The table is of folded words, and is applied to folded texts.  It is no translation: 程序 means 进程
in Taiwan and 程式 on the mainland, so all three become one.  Both sides of a pair are read alike,
so what it gets wrong it gets wrong on both.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("taiwan.txt")


def with_mainland_words(texts: Sequence[str]) -> list[str]:
    """Return folded texts with words of the mainland in place of those of Taiwan.

    Of several words that begin at a place, the longest one counts.

    >>> with_mainland_words(["用滑鼠点选软体"])
    ['用鼠标点击软件']
    """
    words, matcher = _words(), _matcher()
    return [matcher.sub(lambda found: words[found[0]], text) for text in texts]


@cache
def table_digest() -> bytes:
    """Return a digest of the table, which is part of that of terms."""
    return hashlib.blake2b(_TABLE.read_bytes(), digest_size=6).digest()


@cache
def _words() -> dict[str, str]:
    lines = _TABLE.read_text("utf-8").splitlines()
    return dict(line.split(" ") for line in lines if not line.startswith("#"))


@cache
def _matcher() -> re.Pattern[str]:
    """Return an expression that matches the words, the longest first.

    It looks at two characters before it tries words by their first one: a quarter of the time.
    """
    rest = dict[str, list[str]]()
    for word in sorted(_words(), key=len, reverse=True):
        rest.setdefault(word[0], []).append(word[1:])
    seconds = {ends[:1] for endings in rest.values() for ends in endings} - {""}
    single = [word for word, endings in rest.items() if "" in endings]
    begins = f"[{_members(rest)}][{_members(seconds)}]|[{_members(single)}]"
    words = (
        f"{re.escape(word)}(?:{'|'.join(map(re.escape, ends))})" for word, ends in rest.items()
    )
    return re.compile(f"(?={begins})(?:{'|'.join(words)})")


def _members(characters: Iterable[str]) -> str:
    return "".join(map(re.escape, characters))
