"""What a command says on standard error, in terms of the command line, and its exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeVar

from simdup.base.progress import clear_bars
from simdup.base.when_used import pattern
from simdup.cli.process import give_up
from simdup.model.documents import Skipped

if TYPE_CHECKING:
    from simdup.show.text import Painter
    from simdup.show.words import Phrases

LANGUAGES = ("en", "zh")

# Python names that library messages have in backquotes, and what people type instead.  An empty
# string means that the command has no counterpart; that part of a hint is dropped.
_TYPED = {
    "dictionary": "--dict",
    "verify": "--no-verify",
    "ignore": "--no-ignore",
    "least_score": "--min-score",
    "id": "--id-field",
    "references": "--reference",
    "templates": "--template",
    "dedupe": "simdup dedupe",
    "decontaminate": "simdup decontaminate",
    "fit": "simdup fit SOURCE -o MODEL",
    "fingerprint": "simdup fingerprint SOURCE",
    "Index.build": "simdup index build INDEX SOURCE",
    "Index.add": "simdup index add INDEX SOURCE",
    "Index.query": "simdup query INDEX SOURCE",
    "Index.check": "simdup index check INDEX",
    "Index.export": "simdup index export INDEX",
    "iter_pairs": "",
    "copies": "",
    "memory": "",
    "bits": "",
}
_NAME = pattern(r"`([A-Za-z_][A-Za-z_.]*)`")

# A note may concern an argument instead of a document.
_ARGUMENT = pattern("`[a-z_]+`")

# The number of a record in its file.
_RECORD = pattern(r"#\d+$")

# The most lines of one kind to print: people do not read more, and JSONL has them all.
_MOST = 20


class Status(IntEnum):
    """Exit statuses."""

    DONE = 0
    NO = 1
    ERROR = 2
    INTERRUPTED = 130


def status(skipped: Iterable[Skipped] = (), no: bool = False) -> Status:
    """Return the status of a run: unreadable documents are an error, which outranks `no`."""
    if any(one.error for one in skipped):
        return Status.ERROR
    return Status.NO if no else Status.DONE


def as_option(field: str) -> str:
    """Return what people type for a Python name."""
    return _TYPED.get(field, "--" + field.replace("_", "-"))


def as_typed(text: str) -> str:
    """Return a library message with the names in backquotes replaced by what people type."""
    parts = [part for part in text.split("; ") if all(map(as_option, _NAME.findall(part)))]
    return _NAME.sub(lambda match: as_option(match[1]), "; ".join(parts))


Result = TypeVar("Result")


def typed(result: Result) -> Result:
    """Return a result whose skipped documents have reasons in terms of the command line."""
    skipped = result.skipped  # type: ignore[attr-defined]
    reasons = type(skipped)(replace(one, reason=as_typed(one.reason)) for one in skipped)
    return replace(result, skipped=reasons)  # type: ignore[type-var]


def say(text: str) -> None:
    """Write a line to standard error, whatever its characters."""
    clear_bars()
    encoding = sys.stderr.encoding or "utf-8"
    try:
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stderr.flush()
    except OSError:
        # A full disk or a closed pipe does not affect the rest of the run.
        give_up(sys.stderr)


def say_error(where: str, what: str, hint: str = "") -> None:
    """Write an error on one line, and its hint on another; `where` may be empty."""
    from simdup.show.escaping import shown

    say(": ".join(filter(None, ["simdup", shown(where), shown(as_typed(what))])))
    if hint := as_typed(hint):
        say(f"hint: {shown(hint)}")


def _errors(skipped: Iterable[Skipped]) -> list[tuple[str, ...]]:
    """Return names, reasons, hints.

    Records of a file with the same fault become one entry, and so does all that one step mends.
    """
    alike: dict[tuple[str, str, str], list[Skipped]] = {}
    for one in (one for one in skipped if one.error):
        file = _RECORD.sub("", one.document) if one.place else one.document
        alike.setdefault(("" if one.hint else file, one.cause, one.hint), []).append(one)
    return [
        (file, f"{len(records):,} records, first on {first.place}: {cause}")
        if len(records) > 1 and first.place
        else (first.document, f"{first.fault}{_beside(len(records) - 1)}", hint)
        for (file, cause, hint), records in alike.items()
        for first in records[:1]
    ]


def _beside(more: int) -> str:
    return f" ({more:,} more document{'s' * (more > 1)} like it)" if more else ""


@dataclass(frozen=True, slots=True)
class Screen:
    """Reports, notes and progress on standard error."""

    quiet: bool = False  # whether reports and notes are suppressed
    verbose: bool = False  # whether reports include the recipe, and all notes are printed
    progress: bool | None = None  # None shows bars on a terminal
    lang: str | None = None  # None is the language of the environment
    # Parameters that a configuration has for every run: notes on them would come with each one.
    configured: frozenset[str] = frozenset()

    @property
    def words(self) -> Phrases:
        """The words of the language of reports."""
        from simdup.show.words import language_of, words_of

        return words_of(self.lang or language_of(os.environ))

    @property
    def painter(self) -> Painter:
        """An object that colors words, if standard error shows colors."""
        from simdup.show.text import Painter

        return Painter(sys.stderr, words=self.words)

    def skipped(self, skipped: Sequence[Skipped], notes: Sequence[tuple[str, str]] = ()) -> None:
        """Print which documents could not be read and, unless `quiet`, the notes on others."""
        known = () if self.verbose else self.configured
        new = [note for note in notes if note[0].strip("`") not in known]
        for kind, lines in (("error", _errors(skipped)), ("note", [] if self.quiet else new)):
            for name, *what in lines[:_MOST]:
                where = {"-": "standard input", "": "''"}.get(name, name)
                say_error(as_typed(name) if _ARGUMENT.fullmatch(name) else where, *what)
            if len(lines) > _MOST:
                more = len(lines) - _MOST
                say(f"simdup: and {more:,} more {kind if more == 1 else kind + 's'}")

    def report(self, text: str, recipe: dict[str, Any] | None = None) -> None:
        """Write the closing report of a run and, with --verbose, the resolved recipe.

        On a terminal, lines break between words.
        """
        from simdup.show.summary import recipe_words

        texts = [text, recipe_words(recipe, self.words) if recipe and self.verbose else ""]
        if not self.quiet and any(texts):
            # Wrapped last: names as people type them may be longer.
            lines = as_typed("\n".join(filter(None, texts))).split("\n")
            say("\n".join(map(self.painter.wrapped, lines)))

    def wrote(self, path: str | None, what: str = "") -> None:
        """Print which file or folder was written, unless it is standard output."""
        from simdup.show.escaping import shown

        if not self.quiet and path not in (None, "-"):
            key = "wrote.what" if what else "wrote"
            say(self.painter.wrapped(self.words(key, path=shown(str(path)), what=what)))
