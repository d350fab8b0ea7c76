"""Where results and reports of a command go."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from simdup.cli.messages import say, say_error, say_skipped
from simdup.cli.outcome import as_typed
from simdup.errors import SimdupError
from simdup.model.documents import Skipped
from simdup.model.reading import Reading
from simdup.model.settings import Progress, Settings, no_progress

if TYPE_CHECKING:
    from simdup.model.baseline import Baseline
    from simdup.output.text import Painter
    from simdup.output.words import Words

COLORS = ("auto", "always", "never")
LANGUAGES = ("en", "zh")

# The suffixes of each format.
_SUFFIXES = {"text": (".txt",), "csv": (".csv",), "jsonl": (".jsonl", ".ndjson"),
             "html": (".html", ".htm"), "github": ()}  # fmt: skip


def format_by_suffix(path: str | None, formats: Sequence[str], hint: str = "") -> str:
    """Return the format for the suffix of a file; without a suffix, the first format.

    Raises
    ------
    SimdupError
        If no format has this suffix: nobody wants text in a file called ``.xls``.
    """
    suffix = os.path.splitext(path or "")[1].lower()
    known = {suffix: one for one in formats for suffix in _SUFFIXES[one]}
    if suffix.strip(".") and suffix not in known:
        what = f"unknown suffix {suffix!r} (expected one of {', '.join(known)})"
        raise SimdupError(path or "", what, hint)
    return known.get(suffix, formats[0])


@dataclass(frozen=True, slots=True)
class Output:
    """Where results go."""

    path: str | None = None  # a file; None or ``-`` for standard output
    format: str = ""
    color: str = ""  # empty for formats without colors
    bom: bool = False  # whether CSV is for spreadsheets

    @contextmanager
    def open(
        self, sources: Iterable[str] = (), reading: Reading | None = None
    ) -> Iterator[BinaryIO]:
        """Open standard output, or the file, which appears only if the block succeeds.

        Raise if the file is one of the sources, or in one of them.  Output to a terminal is
        escaped, because it may contain hostile names.  Colored text passes unchanged; its names
        are escaped when it is made.
        """
        from simdup.output.escaping import TerminalStream, shown, shown_in_json
        from simdup.output.streams import open_output
        from simdup.output.targets import check_output

        check_output(self.path, sources, reading)
        painted = self.format == "text" and self.color
        with open_output(self.path) as stream:
            if painted or not stream.isatty():
                yield stream
            else:
                spell = shown_in_json if self.format == "jsonl" else shown
                yield cast(BinaryIO, TerminalStream(stream, spell))

    def painter(self, stream: BinaryIO, words: Words) -> Painter:
        """Return an object that colors words of a language, if the stream shows colors."""
        from simdup.output.text import Painter

        return Painter(stream, self.color, words)


@dataclass(frozen=True, slots=True)
class Screen:
    """Reports, notes and progress on standard error."""

    quiet: bool = False  # whether reports and notes are suppressed
    verbose: bool = False  # whether reports include the recipe
    progress: bool | None = None  # None shows bars on a terminal
    lang: str | None = None  # None is the language of the environment

    @property
    def words(self) -> Words:
        """The words of the language of reports."""
        from simdup.output.words import language_of, words_of

        return words_of(self.lang or language_of(os.environ))

    @property
    def painter(self) -> Painter:
        """An object that colors words, if standard error shows colors."""
        from simdup.output.text import Painter

        return Painter(sys.stderr, words=self.words)

    @contextmanager
    def watch(self, settings: Settings) -> Iterator[Settings]:
        """Yield settings that show the stages of a run, with the rate and the time left."""
        with self._bars() as show:
            yield replace(settings, run=replace(settings.run, progress=show))

    @contextmanager
    def _bars(self) -> Iterator[Progress]:
        on_terminal = sys.stderr.isatty() and not self.quiet
        if not (on_terminal if self.progress is None else self.progress):
            yield no_progress
            return
        from simdup.progress import progress_bars

        with progress_bars(terminal=True) as show:
            yield show

    def skipped(self, skipped: Sequence[Skipped], notes: Sequence[tuple[str, str]] = ()) -> None:
        """Print which documents could not be read, and the notes on others."""
        from simdup.cli.configured import of_typed

        say_skipped(skipped, of_typed(notes), self.quiet)

    def report(self, text: str, recipe: dict[str, Any] | None = None) -> None:
        """Write the closing report of a run and, with --verbose, the resolved recipe.

        On a terminal, lines break between words.
        """
        from simdup.output.summary import recipe_words

        texts = [text, recipe_words(recipe, self.words) if recipe and self.verbose else ""]
        if not self.quiet and any(texts):
            # Wrapped last: names as people type them may be longer.
            lines = as_typed("\n".join(filter(None, texts))).split("\n")
            say("\n".join(map(self.painter.wrapped, lines)))

    def table(self, lines: Iterable[str]) -> None:
        """Print the lines of a table, which have their width."""
        if not self.quiet:
            say("\n".join(lines))

    def wrote(self, path: str | None, what: str = "") -> None:
        """Print which file or folder was written, unless it is standard output."""
        from simdup.output.escaping import shown

        if not self.quiet and path not in (None, "-"):
            key = "wrote.what" if what else "wrote"
            say(self.words(key, path=shown(str(path)), what=what))


@dataclass(frozen=True, slots=True)
class BaselineCheck:
    """What a scan is checked for."""

    status: bool = False  # whether near-duplicates make the status 1
    baseline: str | None = None  # a file of known ones
    update_baseline: bool = False  # whether that file is written

    def read(self, sources: Sequence[str], reading: Reading) -> Baseline | None:
        """Return the near-duplicates that are known; None if no file names them."""
        if self.baseline is None:
            return None
        from simdup.corpus.baseline import read_baseline
        from simdup.output.targets import check_output

        known = read_baseline(self.baseline, replace=self.update_baseline)
        if self.update_baseline:
            check_output(self.baseline, sources, reading)
        return known

    def write(self, found: Baseline, skipped: Iterable[Skipped], screen: Screen) -> None:
        """Write the file and say so, unless a document is missing because of an error."""
        if any(one.error for one in skipped):
            say_error(str(self.baseline), "was not updated: some documents could not be read")
            return
        from simdup.output.baseline import baseline_lines
        from simdup.output.streams import open_output

        with open_output(self.baseline) as stream:
            stream.writelines(baseline_lines(found))
        words = screen.words
        documents = words("documents", n=sum(map(len, found.clusters)))
        clusters = words("clusters", n=len(found.clusters))
        screen.wrote(self.baseline, words("baseline", documents=documents, clusters=clusters))
