"""The English of the code: turns of phrase that were removed do not come back."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import ROOT

# Archaic verbs, inversions and turns that read as translated.
_ODD = re.compile(
    r"""
    (?<! there \s) \b (is|are|was|be) \s no \s (value|text|error|document|pair|folder|index) \b
    | (?<! there \s) \b (is|are|was|be) \s no \s (record|file|part|reference|answer|number) \b
    | \b so \s many \s (bytes|characters|documents|lines|pairs|bits|rows|of) \b
    | \b (told|tells?|tell) \s .{0,30} \b apart \b
    | \b take[ns]? \s .{0,60} \s for \s the \s same \b
    | \b gives? \s back \b  |  \b at \s hand \b  |  \b at \s work \s on \b  |  \b by \s hearsay \b
    | \b in \s no \s order \b  |  \b what \s (is|are) \s no \b  |  \b what \s one \s has \b
    | \b stays? \s as \s (it|they) \s (is|are) \b
    | \b (hold|holds|held) \s (.{0,40} \s)? against \b  |  (?<! there \s) \b are \s none \b
    | \b one \s a \s line \b  |  \b (a|an) \s (line|row) \s (a|an|each) \s \w+ \b
    | \b goes? \s by \s the \b  |  \b where \s none \b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def words_of(path: Path) -> Iterator[tuple[int, str]]:
    """The strings and comments of a file, with their line numbers."""
    content = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT) or token.type == _F_STRING:
            yield token.start[0], re.sub(r"\s+#?\s*", " ", token.string)


# Part of the tokenizer from Python 3.12 on.
_F_STRING = getattr(tokenize, "FSTRING_MIDDLE", -1)


# The tests that name the phrases.
_LISTS = ("test_english.py", "test_language.py")


@pytest.mark.parametrize("folder", ["simdup", "tests", "lab", "examples"])
def test_removed_phrases_stay_removed(folder: str) -> None:
    files = [path for path in (ROOT / folder).rglob("*.py") if path.name not in _LISTS]
    assert files
    found = [
        f"{path.relative_to(ROOT)}:{line}: {odd[0]}"
        for path in files
        for line, words in words_of(path)
        if (odd := _ODD.search(words))
    ]
    assert found == []
