"""Recognize results of simdup by their first line, so that a walk can leave them out."""

from __future__ import annotations

import codecs
import re

from simdup.base.when_used import pattern
from simdup.model.documents import LeftOut
from simdup.model.formats import DECISION_LINES, PAGE_LINE, TABLES, TYPED_LINES

# This many bytes are enough to decide.
HEAD = 512

# Further measures have their own columns at the end.
_LINE = pattern(
    "|".join([f"{','.join(columns)}(,[a-z_]+)*" for columns in TABLES])
    + rf"|# simdup \d+( \w+=\S+)*|# simdup-baseline \d+|{re.escape(PAGE_LINE)}"
)
_OBJECT = pattern(
    "|".join(
        f'{{"type": "{kind}", "({"|".join(keys)})": '
        for kind, keys in {**TYPED_LINES, **DECISION_LINES}.items()
    )
)


def is_own_result(content: bytes) -> bool:
    """Return whether simdup wrote a file that begins with `content`."""
    # Most files are rejected here: a regular expression would take ten times as long.
    if not content.startswith((b"cluster,", b"document,", b"a,b,", b"a,a_start,", b"# simdup ",
                               b"# simdup-baseline ", b'{"type": "', PAGE_LINE.encode(),
                               codecs.BOM_UTF8)):  # fmt: skip
        return False
    head = content[:HEAD].removeprefix(codecs.BOM_UTF8).decode("latin-1")
    line = head.partition("\n")[0].removesuffix("\r")
    return bool(_LINE.fullmatch(line) or _OBJECT.match(line))


def leave_out(path: str) -> LeftOut:
    """Return the note on a result that a walk has found."""
    return LeftOut(path, "left out: a result of simdup; name the file to read it")
