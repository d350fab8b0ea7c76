"""Turns of phrase that were replaced by contemporary English do not come back."""

import re
from collections.abc import Iterator

import pytest
from support import PAGES, ROOT

# Phrases that readers stumbled over; the comments say what to write instead.
REFUSED = {
    "characters for the same": r"characters\s+for\s+the\s+same",  # treats as equal
    # Invalid value; is not a file.
    "is no": r"(?<!there )\bis\s+no\s+(value|text|pair|folder|file|index|number)\b",
    "what is no": r"\bwhat\s+is\s+no\b",  # what is not a ...
    "are none": r"\bscore\s+are\s+none\b",  # ignore pairs scored below
    "at work on": r"\bat\s+work\s+on\b",  # is locked by, is using
    "one a line": r"\b(one|entry|name)\s+a\s+line\b|\ba\s+line\s+an?\s+(document|pair|cluster)\b",
    "by hearsay": r"\bby\s+hearsay\b",
    "what one has": r"\bwhat\s+one\s+has\b",  # the documents you already have
    "hold against": r"\b(hold|holds|held)\b(\s+\w+){0,7}\s+against\b",  # compare with
    "of a document the name": r"\bof\s+an?\s+\w+\s+the\s+(name|path|text)\b",
    "stands": r"\b(stand|stands|stood)\b(?!\s+(for|in\s+for)\b)",  # is, lies, is written
    "thrown": r"\bthrown?\b",  # drawn, round
}


def texts() -> Iterator[tuple[str, str]]:
    """Yield the pages, which hold the help of every command, and the source of the package."""
    for page in PAGES:
        yield page.relative_to(ROOT).as_posix(), page.read_text("utf-8")
    for path in sorted((ROOT / "simdup").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


@pytest.mark.parametrize("phrase", REFUSED)
def test_nobody_writes(phrase: str) -> None:
    found = [
        (name, text[max(0, match.start() - 40) : match.end() + 20])
        for name, text in texts()
        for match in re.finditer(REFUSED[phrase], text, re.IGNORECASE)
    ]
    assert found == []
