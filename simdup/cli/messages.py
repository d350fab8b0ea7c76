"""What goes to standard error: errors, skipped documents, notes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from simdup.cli.outcome import as_typed
from simdup.cli.process import give_up
from simdup.model.documents import Skipped

# Lines of one kind; people read no more, and JSONL has them all.
_MOST = 20


def say(text: str) -> None:
    """Write a line to standard error, whatever its characters."""
    encoding = sys.stderr.encoding or "utf-8"
    try:
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stderr.flush()
    except OSError:
        # A full disk or a closed pipe: what is left to do is not the worse for it.
        give_up(sys.stderr)


def say_error(where: str, what: str, hint: str = "") -> None:
    """Write an error as one line, and its hint as another."""
    from simdup.output.escaping import shown

    say(f"simdup: {shown(where)}: {shown(as_typed(what))}")
    if hint := as_typed(hint):
        say(f"hint: {shown(hint)}")


def say_skipped(skipped: Sequence[Skipped], notes: Sequence[tuple[str, str]], quiet: bool) -> None:
    """Write which documents could not be read, and how others were; quietly the first only."""
    errors = [(one.document, one.reason) for one in skipped if one.error]
    for kind, lines in (("errors", errors), ("notes", [] if quiet else notes)):
        for name, what in lines[:_MOST]:
            say_error(name, what)
        if len(lines) > _MOST:
            say(f"simdup: and {len(lines) - _MOST:,} more {kind}")
