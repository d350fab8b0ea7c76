"""Results of simdup, which a walk leaves out: they are known by their first line."""

from __future__ import annotations

import codecs
import re

from simdup.model.documents import LeftOut
from simdup.model.formats import TABLES, TYPED_LINES

# So many bytes tell.
HEAD = 512

# Measures beside the similarity have columns of their own at the end.
_LINE = re.compile(
    "|".join([f"{','.join(columns)}(,[a-z_]+)*" for columns in TABLES])
    + r"|# simdup \d+( \w+=\S+)*"
)
_OBJECT = re.compile(
    "|".join(f'{{"type": "{kind}", "({"|".join(keys)})": ' for kind, keys in TYPED_LINES.items())
)


def is_own_result(content: bytes) -> bool:
    """Return whether a file that begins like this was written by simdup."""
    # Nearly all files end here: a regular expression would take ten times as long.
    if not content.startswith((b"cluster,", b"document,", b"a,b,", b"a,a_start,", b"# simdup ",
                               b'{"type": "', codecs.BOM_UTF8)):  # fmt: skip
        return False
    head = content[:HEAD].removeprefix(codecs.BOM_UTF8).decode("latin-1")
    line = head.partition("\n")[0].removesuffix("\r")
    return bool(_LINE.fullmatch(line) or _OBJECT.match(line))


def leave_out(path: str) -> LeftOut:
    """Return what is said of a result that a walk has found."""
    return LeftOut(path, "left out: a result of simdup; name it to read it")
