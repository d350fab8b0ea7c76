"""Messages on standard error: errors, skipped documents, notes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence

from simdup.cli.outcome import as_typed
from simdup.cli.process import give_up
from simdup.model.documents import Skipped

# A note may concern an argument instead of a document.
_ARGUMENT = re.compile("`[a-z_]+`")

# The position of a record in its file.
_PLACE = re.compile(r"((?:line|row) \d+): ")
_RECORD = re.compile(r"#\d+$")

# The most lines of one kind to print: people do not read more, and JSONL has them all.
_MOST = 20


def say(text: str) -> None:
    """Write a line to standard error, whatever its characters."""
    encoding = sys.stderr.encoding or "utf-8"
    try:
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stderr.flush()
    except OSError:
        # A full disk or a closed pipe does not affect the rest of the run.
        give_up(sys.stderr)


def say_error(where: str, what: str, hint: str = "") -> None:
    """Write an error on one line, and its hint on another; `where` may be empty."""
    from simdup.output.escaping import shown

    say(": ".join(filter(None, ["simdup", shown(where), shown(as_typed(what))])))
    if hint := as_typed(hint):
        say(f"hint: {shown(hint)}")


def say_skipped(skipped: Sequence[Skipped], notes: Sequence[tuple[str, str]], quiet: bool) -> None:
    """Write which documents could not be read and, unless `quiet`, the notes."""
    for kind, lines in (("error", _errors(skipped)), ("note", [] if quiet else notes)):
        for name, what in lines[:_MOST]:
            where = {"-": "standard input", "": "''"}.get(name, name)
            say_error(as_typed(name) if _ARGUMENT.fullmatch(name) else where, what)
        if len(lines) > _MOST:
            more = len(lines) - _MOST
            say(f"simdup: and {more:,} more {kind if more == 1 else kind + 's'}")


def _errors(skipped: Iterable[Skipped]) -> list[tuple[str, str]]:
    """Return names and reasons; records of a file with the same fault become one entry."""
    alike: dict[tuple[str, str], list[Skipped]] = {}
    for one in skipped:
        if one.error:
            place = _PLACE.match(one.reason)
            file = _RECORD.sub("", one.document) if place else one.document
            fault = one.reason[place.end() :] if place else one.reason
            alike.setdefault((file, fault), []).append(one)
    return [_error(file, fault, some) for (file, fault), some in alike.items()]


def _error(file: str, fault: str, some: Sequence[Skipped]) -> tuple[str, str]:
    place = _PLACE.match(some[0].reason)
    if len(some) == 1 or place is None:
        return some[0].document, some[0].fault
    return file, f"{len(some):,} records, first on {place[1]}: {fault}"
