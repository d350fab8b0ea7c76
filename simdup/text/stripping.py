r"""What expressions of users match is removed from texts, with a time limit for each text.

An expression such as ``(a|aa)+$`` takes exponential time, and nothing interrupts Python's `re`.
So `re` says which expressions are valid (`Recipe`), and the library `regex`, which can be
interrupted, applies them.  `as_regex` spells out where the two differ: for `re`, marks are no
letters, ``\x1c`` to ``\x1f`` are spaces, and ``{e}`` and ``[:alpha:]`` are no syntax.  Which
characters Unicode knows, and which letters are the same in any case, `regex` says, in every Python
alike.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from functools import lru_cache
from time import process_time
from typing import Any

from simdup.base.errors import SimdupError
from simdup.base.when_used import pattern
from simdup.corpus.decoding import unify_line_ends

# Seconds of processor time for one text: a thousand times what usual expressions take.
MOST_SECONDS = 5
_PER_CHARACTER = 1e-6
_NO_END, _END = pattern("[^\r\n]"), pattern("\r\n|\r|\n")
# The last of many expressions has at least so many.
_LEAST_SECONDS = 0.01


def strip_texts(
    texts: Sequence[str],
    strip: Sequence[str],
    names: Sequence[object],
    matched: set[str] | None = None,
    in_place: bool = False,
) -> list[str]:
    """Return texts without what the expressions of `Recipe.strip` match.

    Those that match something are added to `matched`; `names` are for messages.  They see lines
    that end with LF, so that `$` means the same in every file.  If texts are to stay `in_place`,
    what is stripped leaves spaces, and lines end as they did.

    Raises
    ------
    SimdupError
        If an expression takes too long on a text.
    """
    if not strip:
        return list(texts)
    compiled = [(expression, _compiled(expression)) for expression in strip]
    found = set[str]() if matched is None else matched
    left = (
        _strip(unify_line_ends(text), compiled, name, found, in_place)
        for text, name in zip(texts, names, strict=True)
    )
    if not in_place:
        return list(left)
    return list(map(_with_ends, left, texts))


def blank(text: str) -> str:
    """Return a text with spaces in place of all but the ends of its lines."""
    return _NO_END.sub(" ", text)


def _with_ends(text: str, original: str) -> str:
    """Return a text whose lines end as those of the original do."""
    if len(text) == len(original):
        return text
    ends = [*_END.findall(original), ""]
    return "".join(line + end for line, end in zip(text.split("\n"), ends, strict=True))


def _strip(
    text: str, compiled: Sequence[tuple[str, Any]], name: object, matched: set[str], in_place: bool
) -> str:
    seconds = MOST_SECONDS + int(len(text) * _PER_CHARACTER)
    end = process_time() + seconds
    replacement = (lambda match: blank(match[0])) if in_place else ""
    for expression, matcher in compiled:
        rest = max(end - process_time(), _LEAST_SECONDS)
        try:
            text, count = matcher.subn(replacement, text, timeout=rest)
        except (TimeoutError, MemoryError):
            limit = f"{seconds} seconds of processor time, or too much memory"
            what = f"{expression!r:.200} takes more than {limit}, on {name}"
            hint = "simplify it, such as (a|aa)+ to a+"
            raise SimdupError("strip", what, hint, "strip") from None
        if count:
            matched.add(expression)
    return text


@lru_cache
def _compiled(expression: str) -> Any:
    import regex

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as in `Recipe`
            return regex.compile(as_regex(expression), regex.MULTILINE | regex.VERSION0)
    except (regex.error, OverflowError, RecursionError) as error:
        what = f"invalid expression {expression!r:.200}: {error}"
        raise SimdupError("strip", what, field="strip") from None


# Classes as `re` has them, in sets of `regex`.
_WORD = r"_\p{L}\p{N}"
_NO_WORD = (
    r"\p{M}\p{S}\p{Z}\p{C}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}"
    r"\u203f\u2040\u2054\ufe33\ufe34\ufe4d-\ufe4f\uff3f"  # all of \p{Pc} but _
)
_SPACE = r"\s\x1c-\x1f"
_NO_SPACE = r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Cs}\p{Co}\p{Cn}\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_WITHIN = {r"\w": _WORD, r"\W": _NO_WORD, r"\s": _SPACE, r"\S": _NO_SPACE}
_BEFORE, _BEHIND = f"(?<=[{_WORD}])", f"(?=[{_WORD}])"
_NOT_BEFORE, _NOT_BEHIND = f"(?<![{_WORD}])", f"(?![{_WORD}])"
_OUTSIDE = {name: f"[{members}]" for name, members in _WITHIN.items()} | {
    r"\b": f"(?:{_BEFORE}{_NOT_BEHIND}|{_NOT_BEFORE}{_BEHIND})",
    r"\B": f"(?:{_BEFORE}{_BEHIND}|{_NOT_BEFORE}{_NOT_BEHIND})",
}
# Escapes, sets, comments, and a brace that begins no number of times.
_TOKEN = (
    r"\\N\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?#[^)]*\)"
    r"|\{(?![0-9]+,?[0-9]*\}|,[0-9]*\})"
)
_MEMBER = pattern(r"\\.|\[", re.DOTALL)
_ASCII, _VERBOSE = pattern(r"\(\?[a-z]*a"), pattern(r"\(\?[a-z]*x")


def as_regex(expression: str) -> str:
    """Return a valid expression of `re` in the words of `regex`.

    With the flag ``a``, classes have the same meaning for both.
    """
    ascii_only = _ASCII.search(expression)
    outside, within = ({}, {}) if ascii_only else (_OUTSIDE, _WITHIN)

    def spell(found: re.Match[str]) -> str:
        token = found[0]
        if token[0] == "[":
            head = 2 if token[1] == "^" else 1
            return token[:head] + _MEMBER.sub(spell_member, token[head:])
        return r"\{" if token == "{" else outside.get(token, token)

    def spell_member(found: re.Match[str]) -> str:
        return r"\[" if found[0] == "[" else within.get(found[0], found[0])

    comment = "|#[^\n]*" if _VERBOSE.search(expression) else ""
    return re.sub(_TOKEN + comment, spell, expression, flags=re.DOTALL)
