"""Strip texts by the regular expressions of a recipe, in a process of its own.

An expression such as ``(a+)+$`` takes exponential time, and nothing interrupts it.  Engines in
linear time read other expressions: for RE2 and the module regex, ``\\w`` means 130,000 and 30,000
other characters than for Python's re, so fingerprints would change.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from simdup.base.errors import SimdupError, reason
from simdup.corpus.decoding import unify_line_ends
from simdup.text.strip_child import most_seconds

_CHILD = Path(__file__).with_name("strip_child.py")


def strip_texts(
    texts: Sequence[str],
    strip: Sequence[str],
    names: Sequence[object],
    matched: set[str] | None = None,
) -> list[str]:
    """Return texts without what the expressions of `Recipe.strip` match.

    Those that match something are added to `matched`; `names` are for messages.  They see lines
    that end with LF, so that `$` means the same in every file.

    Raises
    ------
    SimdupError
        If an expression takes too long on a text.
    """
    if not strip or not texts:
        return list(texts)
    from simdup.corpus.child import Child

    texts = list(map(unify_line_ends, texts))
    contents = [text.encode("utf-8", "surrogatepass") for text in texts]
    asked = {"strip": list(strip), "sizes": [len(content) for content in contents]}
    try:
        request = [json.dumps(asked).encode() + b"\n", *contents]
        with Child.here(_CHILD).ask(request) as answers:
            found = set[str]() if matched is None else matched
            return [
                _left(text, strip, answers, name, found)
                for text, name in zip(texts, names, strict=True)
            ]
    except OSError as error:
        what = f"its process cannot be started: {reason(error)}"
        raise SimdupError("strip", what, field="strip") from None


def _left(
    text: str, strip: Sequence[str], answers: IO[bytes], name: object, matched: set[str]
) -> str:
    """Return what is left of a text, from the answers of the child."""
    for expression in strip:
        flag = answers.read(1)
        if not flag:
            limit = f"{most_seconds(len(text))} seconds of processor time, or too much memory"
            what = f"{expression!r:.200} takes more than {limit}, on {name}"
            raise SimdupError("strip", what, "simplify it, such as (a+)+ to a+", "strip")
        if flag == b"1":
            matched.add(expression)
    size = int(answers.readline())
    return text if size < 0 else answers.read(size).decode("utf-8", "surrogatepass")
