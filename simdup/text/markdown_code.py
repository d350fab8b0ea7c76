"""Code in Markdown: terminal output, listings and examples, which say nothing about the world.

Code is between fences, or is indented as far as the text around it needs.  Any text may have
fences; only in Markdown do four spaces mean code, and tildes a fence.

References
----------
J. MacFarlane, "CommonMark Spec", version 0.31.2, 2024: sections 4.4, 4.5 and 5.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from simdup.base.when_used import pattern
from simdup.text.stripping import blank

# Columns of indented code.
_DEEP = 4
_MARKDOWN = pattern(r"\.(?:md|markdown|mdown|mkd|mdx|rmd|qmd)(?:#\d+)?\Z", re.IGNORECASE)
# Behind the marks of quotations and of an item.
_FENCE = pattern(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}(?=[^`]*\Z)|~{3,})")
_ITEM = pattern(r"(?P<lead>[ \t]*)(?P<mark>(?:[-*+]|\d{1,9}[.)])[ \t]+)")


def without_code(text: str, name: str) -> str:
    """Return a text with spaces in place of its code.

    Parameters
    ----------
    text : str
        With any ends of lines; places in it stay what they are.
    name : str
        What the document is called: only in Markdown does indented text count as code.

    Examples
    --------
    >>> without_code("Run it:\\n```\\nport 80\\n```\\nDone.", "a.md").split()
    ['Run', 'it:', 'Done.']
    """
    markdown = _MARKDOWN.search(name) is not None
    if not markdown and "```" not in text:
        return text
    lines = text.splitlines(keepends=True)
    for first, end in (*_fenced(lines, markdown), *(_indented(lines) if markdown else ())):
        lines[first:end] = map(blank, lines[first:end])
    return "".join(lines)


def _fenced(lines: list[str], markdown: bool) -> Iterator[tuple[int, int]]:
    """Yield the lines of each block between fences; one that nothing ends is no block."""
    opened, first = "", 0
    for number, line in enumerate(lines):
        found = _FENCE.match(line.rstrip())
        fence = found["fence"] if found else ""
        if not opened:
            if fence and (markdown or fence[0] == "`"):
                opened, first = fence, number
        elif fence.startswith(opened) and line.strip(" \t>\r\n") == fence:
            yield first, number + 1
            opened = ""


def _indented(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the lines of indented code: behind an empty line, and deeper than the item around."""
    free, within = True, 0
    for number, line in enumerate(lines):
        content = line.expandtabs(_DEEP).rstrip()
        depth = len(content) - len(content.lstrip())
        if not content:
            free = True
        elif free and depth >= within + _DEEP:
            yield number, number + 1
        else:
            free = False
            if item := _ITEM.match(content):
                within = item.end()
            elif depth < within:
                within = 0
