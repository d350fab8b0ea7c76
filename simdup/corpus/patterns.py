"""Shell patterns for file names: `*`, `?`, `[...]` and `{a,b}`."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache

# A pattern such as {a,b}{a,b}{a,b}... doubles with every pair of braces.
_MOST = 1000


class Patterns:
    """Patterns, and which of them have matched so far."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(patterns)
        self._used: set[str] = set()

    def __bool__(self) -> bool:
        """Return whether there is any pattern."""
        return bool(self._patterns)

    def match(self, path: str) -> bool:
        """Return whether a pattern matches; see `matches`."""
        found = False
        for pattern in self._patterns:
            # After a match, the other unmatched patterns are tried too, so that `unused` is right.
            if (not found or pattern not in self._used) and matches(path, [pattern]):
                found = True
                self._used.add(pattern)
        return found

    @property
    def unused(self) -> list[str]:
        """The patterns that have not matched anything."""
        return [pattern for pattern in dict.fromkeys(self._patterns) if pattern not in self._used]


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a pattern matches a path, or its last part if the pattern has no slash."""
    name = path.rpartition("/")[2]
    return any(
        fnmatchcase(path if "/" in plain else name, plain.removeprefix("/"))
        for pattern in patterns
        for plain in expand(pattern)
    )


@lru_cache(maxsize=256)
def expand(pattern: str) -> tuple[str, ...]:
    """Expand the braces of a pattern.

    As in a shell, braces without a comma are ordinary characters.  So are braces that would expand
    to too many patterns.
    """
    done: list[str] = []
    pending = [pattern]
    while pending:
        if len(done) + len(pending) > _MOST:
            return (pattern,)
        one = pending.pop()
        span = _first_braces(one)
        if span is None:
            done.append(one)
            continue
        start, *commas, end = span
        edges = zip([start, *commas], [*commas, end], strict=True)
        choices = [one[:start] + one[a + 1 : b] + one[end + 1 :] for a, b in edges]
        pending += reversed(choices)
    return tuple(done)


def _first_braces(pattern: str) -> list[int] | None:
    """Return the positions of the first braces with a comma: start, commas, end."""
    open_braces: list[list[int]] = []
    found: list[list[int]] = []
    for i, character in enumerate(pattern):
        if character == "{":
            open_braces.append([i])
        elif character == "," and open_braces:
            open_braces[-1].append(i)
        elif character == "}" and open_braces:
            span = [*open_braces.pop(), i]
            if len(span) > 2:
                found.append(span)
    return min(found, default=None)
