"""Turns of phrase that were replaced by contemporary English do not come back."""

import re
from collections.abc import Iterator

import pytest
from support import PAGES, ROOT

# What readers stumbled over, as it once was, and a pattern that finds its like; the comments say
# what to write instead.
REFUSED = {
    # treats simplified and traditional characters as equal
    "takes simplified and traditional characters for the same": r"characters\s+for\s+the\s+same",
    # invalid value; is not a file
    "'foo' is no value for it": r"(?<!there )\bis\s+no\s+(value|text|pair|folder|file|index)\b",
    # binary, empty and unreadable files are kept as they are
    "what is no text, empty or broken stays": r"\bwhat\s+is\s+no\b",
    # ignore ground-truth pairs scored below this
    "truth pairs of a lower score are none": r"\bscore\s+are\s+none\b",
    # the index is locked by another process
    "another process is at work on it": r"\bat\s+work\s+on\b",
    # one per line
    "print such names, one a line": r"\bone\s+a\s+line\b",
    "a line a document": r"\ba\s+(line|row)\s+an?\s+(document|match|pair|cluster)\b",
    # minhash (every pair above the similarity)
    "nearly identical texts, or all at a similarity": r"\ball\s+at\s+a\s+similarity\b",
    # redundancy is never transitive
    "nothing is redundant by hearsay": r"\bby\s+hearsay\b",
    # the documents you already have
    "an index keeps what one has": r"\bwhat\s+one\s+has\b",
    # compare with
    "hold a recipe that was asked for against": r"\b(hold|holds|held)\b(\s+\w+){0,7}\s+against\b",
    # the name of a document
    "of a document the name": r"\bof\s+an?\s+\w+\s+the\s+(name|path|text)\b",
    # is, comes, is written
    "names stand last": r"\b(stand|stands|stood)\b(?!\s+(for|in\s+for)\b)",
    # drawn
    "one permutation, thrown again": r"\bthrown?\b",
}


def texts() -> Iterator[tuple[str, str]]:
    """Yield the pages, among them the help of every command, and the source of the package."""
    for path in [*PAGES, *sorted((ROOT / "simdup").rglob("*.py"))]:
        yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


@pytest.mark.parametrize("phrase", REFUSED)
def test_nobody_writes(phrase: str) -> None:
    pattern = re.compile(REFUSED[phrase], re.IGNORECASE)
    assert pattern.search(phrase)
    found = [
        (name, text[max(0, match.start() - 40) : match.end() + 20])
        for name, text in texts()
        for match in pattern.finditer(text)
    ]
    assert found == []
