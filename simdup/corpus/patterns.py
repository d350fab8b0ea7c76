"""What walks leave out: by patterns, by ignore files, and results of simdup by their first line.

Shell patterns for file names are made of `*`, `?`, `[...]` and `{a,b}`; one that ends with a slash
means folders.

`.simdupignore` files say what a walk leaves out, in the syntax of `.gitignore`.  Each entry of a
walk is compared as git compares it: by itself, never by the folders above it, which have been let
in already.  The library pathspec decides on whole paths; for the usual lines ``*``, ``!*/`` and
``!*.md`` it answers that every folder is to be left out.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

from simdup.base.errors import LONGEST_PATTERN, SimdupError
from simdup.base.regular_files import read_named
from simdup.base.system import composed, without_dot
from simdup.base.when_used import pattern
from simdup.model.documents import LeftOut
from simdup.model.formats import DECISION_LINES, PAGE_LINE, TABLES, TYPED_LINES

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
        """Return whether a pattern matches; paths of folders end with a slash.  See `matches`."""
        folder, path = path.endswith("/"), path.removesuffix("/")
        found = False
        for one in self._patterns:
            # After a match, the other unmatched patterns are tried too, so that `unused` is right.
            if (not found or one not in self._used) and matches(path, [one], folder):
                found = True
                self._used.add(one)
        return found

    @property
    def unused(self) -> list[str]:
        """The patterns that have not matched anything."""
        return [pattern for pattern in dict.fromkeys(self._patterns) if pattern not in self._used]


def matches(path: str, patterns: Iterable[str], folder: bool = False) -> bool:
    """Return whether a pattern matches a path, or its last part if the pattern has no slash.

    As in a `.gitignore`, a slash at the end does not count, and only a folder matches.
    """
    path, end = composed(without_dot(path)), "/" if folder else ""
    name = path.rpartition("/")[2]
    return any(
        fnmatchcase(path if "/" in plain else name, without_dot(plain).removeprefix("/"))
        for pattern in patterns
        for plain in (one.removesuffix(end) for one in expand(pattern))
    )


@lru_cache(maxsize=256)
def expand(pattern: str) -> tuple[str, ...]:
    """Expand the braces of a pattern.

    As in a shell, braces without a comma are ordinary characters.  So are braces that would expand
    to too many patterns.
    """
    done: list[str] = []
    pending = [composed(pattern)]
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


# -- ignore files ----------------------------------------------------------------------------------

IGNORE_FILE = ".simdupignore"

_HINT = "correct it, or read all files: see `ignore`"

# An escaped character, stars, `?`, a class such as `[!a-z]`, or any other character.
_TOKEN = pattern(r"\\(.)|(\*+)|(\?)|\[([!^]?)(\]?(?:\\.|[^]\\])*)\]|(.)", re.DOTALL)
_RANGE = pattern(r"\\?(.)(?:-\\?(.))?", re.DOTALL)
# Spaces at the end do not count, unless the last one is escaped.
_END = pattern(r"(?<![\\ ]) +$")


class _Line(NamedTuple):
    """One line of a file."""

    pattern: re.Pattern[str]
    ignores: bool  # False takes back what an earlier line, or a file further out, ignores
    folders: bool  # whether it is about folders only


class IgnoreFile(NamedTuple):
    """What one file says of the entries below its folder."""

    start: int  # where their paths below its folder begin in their paths below the source
    lines: Sequence[_Line]  # the last one first


def ignored(path: str, files: Sequence[IgnoreFile]) -> bool:
    """Return whether these files, the outermost first, leave an entry out.

    Paths of folders end with a slash.  The innermost file with a matching line decides, and in it
    the last such line.
    """
    folder, path = path.endswith("/"), path.removesuffix("/")
    for file in reversed(files):
        below = composed(path[file.start :])
        for line in file.lines:
            if (folder or not line.folders) and line.pattern.fullmatch(below):
                return line.ignores
    return False


def read_ignore_file(path: str, start: int) -> IgnoreFile:
    """Return what a file says.

    Raises
    ------
    SimdupError
        If it cannot be read, or a line of it is no pattern.  To go on would mean to read what was
        to be left out.
    """
    content = read_named(path, _HINT).removeprefix(codecs.BOM_UTF8)
    lines = []
    for number, line in enumerate(content.split(b"\n"), 1):
        try:
            text = composed(line.removesuffix(b"\r").decode())
            if text.strip() and not text.startswith("#"):
                lines.append(_parse(text))
        except UnicodeDecodeError:
            raise SimdupError(path, f"line {number}: not UTF-8", _HINT) from None
        except (ValueError, re.error):
            what = f"line {number}: not a pattern: {text!r:.80}"
            raise SimdupError(path, what, _HINT) from None
    return IgnoreFile(start, lines[::-1])


def _parse(text: str) -> _Line:
    """Return what a line says; raise a ValueError if it is no pattern."""
    if len(text) > LONGEST_PATTERN:
        raise ValueError
    rest = _END.sub("", text).removeprefix("!")
    path = rest.removesuffix("/")
    if not path.strip("/") or "\0" in path:
        raise ValueError
    # With a slash before its end, it is a path below the folder, otherwise a name at any depth.
    segments = path.removeprefix("/").split("/") if "/" in path else ["**", path]
    whole = re.compile(_path(segments), re.DOTALL)
    return _Line(whole, not text.startswith("!"), rest != path)


def _path(segments: Sequence[str]) -> str:
    """Return the regular expression of a path: runs of segments with any folders between them.

    A run between two ``**`` is matched where it comes first and nowhere else, hence ``(?>...)``: if
    the rest does not fit behind that place, it does not fit behind a later one.  The same goes for
    stars in a segment.  Each further star multiplied the time; with seven it was hours.
    """
    *folders, last = segments
    runs = [""]
    for segment in folders:
        if segment == "**":
            runs.append("")
        else:
            runs[-1] += f"{_expression(segment)}/"
    end = ".+" if last == "**" and folders else _expression(last)
    first, *others = runs
    if not others:
        return first + end
    *middle, tail = others
    found = "".join(f"(?>(?:[^/]*/)*?{run})" for run in middle if run)
    return f"{first}{found}(?:.*/)?{tail}{end}"


def _expression(segment: str) -> str:
    """Return the regular expression of what lies between two slashes."""
    parts = [""]  # what lies between two stars
    # One after another: behind the first fault, nothing is looked for.
    for token in _TOKEN.finditer(segment):
        escaped, stars, one, negated, members, other = token.groups("")
        if stars:
            parts.append("")
        elif members:
            if "[:" in members:
                raise ValueError
            ranges = _RANGE.findall(members)
            chosen = [re.escape(a) + (b and f"-{re.escape(b)}") for a, b in ranges]
            parts[-1] += f"(?!/)[{'^' if negated else ''}{''.join(chosen)}]"
        elif other in ("\\", "["):
            raise ValueError
        else:
            parts[-1] += "[^/]" if one else re.escape(escaped or other)
    first, *others = parts
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>[^/]*?{part})" for part in middle) + f"[^/]*{last}"


# -- results of simdup -----------------------------------------------------------------------------

# This many bytes are enough to decide.
OWN_HEAD = 512

# Further measures have their own columns at the end.
_OWN_LINE = pattern(
    "|".join([f"{','.join(columns)}(,[a-z_]+)*" for columns in TABLES])
    + rf"|# simdup \d+( \w+=\S+)*|# simdup-baseline \d+( \w+)?|{re.escape(PAGE_LINE)}"
)
_OWN_OBJECT = pattern(
    "|".join(
        f'{{"type": "{kind}", "({"|".join(keys)})": '
        for kind, keys in {**TYPED_LINES, **DECISION_LINES}.items()
    )
)


def is_own_result(content: bytes) -> bool:
    """Return whether simdup wrote a file that begins with `content`."""
    # Most files are rejected here: a regular expression would take ten times as long.
    if not content.startswith((b"cluster,", b"document,", b"a,b,", b"a,a_start,",
                               b"conflict,", b"group,document,", b"# simdup ",
                               b"# simdup-baseline ", b'{"type": "', PAGE_LINE.encode(),
                               codecs.BOM_UTF8)):  # fmt: skip
        return False
    head = content[:OWN_HEAD].removeprefix(codecs.BOM_UTF8).decode("latin-1")
    line = head.partition("\n")[0].removesuffix("\r")
    return bool(_OWN_LINE.fullmatch(line) or _OWN_OBJECT.match(line))


def leave_out(path: str) -> LeftOut:
    """Return the note on a result that a walk has found."""
    return LeftOut(path, "left out: a result of simdup; name the file to read it")
