"""Files of known near-duplicates: a digest and a name on each line, blank lines between clusters.

The name is a comment for readers of the file, and of a diff of two versions.
"""

from __future__ import annotations

import os

from simdup.base.errors import SimdupError
from simdup.base.when_used import pattern
from simdup.corpus.opening import read_named
from simdup.model.decisions import Baseline, Entry

# The first line; the number increases with incompatible changes.
HEAD = "# simdup-baseline 1"

_ANY_HEAD = pattern(r"# simdup-baseline (\d{1,9})\s*")
_LINE = pattern(r"([0-9a-f]{32})(?:  (.*))?")

_MISSING = "add `update_baseline` to write it"
_AGAIN = "add `update_baseline` to write it anew"


def read_baseline(path: str, replace: bool = False) -> Baseline:
    """Read a file of known near-duplicates.

    With `replace` it is about to be written: it may be missing or damaged, and nothing is known
    then.  A file of another kind is an error still, for nobody wants it replaced.

    Raises
    ------
    SimdupError
        If the file cannot be read, is of another kind, or has a line that is not an entry.
    """
    missing = _is_missing(path)
    if missing and replace:
        return Baseline()
    content = read_named(path, _MISSING if missing else "")
    lines = content.decode("utf-8-sig", "replace").split("\n")
    if replace and not content.strip():
        return Baseline()
    head = _ANY_HEAD.fullmatch(lines[0])
    if head is None:
        hint = _AGAIN if not content.strip() else "name another file"
        raise SimdupError(path, f"is not a baseline (its first line is not {HEAD!r})", hint)
    try:
        if head[0].strip() != HEAD:
            raise SimdupError(path, f"is a baseline of version {head[1]}, not 1", _AGAIN)
        return _baseline(path, lines)
    except SimdupError:
        if replace:
            return Baseline()
        raise


def _is_missing(path: str) -> bool:
    """Return whether there is no file, nor behind a link; other faults are those of reading it."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        pass
    return False


def _baseline(path: str, lines: list[str]) -> Baseline:
    clusters: list[list[Entry]] = [[]]
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r")
        if found := _LINE.fullmatch(text):
            clusters[-1].append(Entry(found[1], found[2] or ""))
        elif not text.strip():
            clusters.append([])
        elif not text.startswith("#"):
            raise SimdupError(path, f"line {number}: not a digest and a name", _AGAIN)
    return Baseline(tuple(map(tuple, filter(None, clusters))))
