"""Options for where results go, and for what is printed."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from simdup.cli.messages import say, say_skipped
from simdup.cli.options.configured import from_file
from simdup.cli.options.running import Size
from simdup.cli.options.values import Decorator, option, value
from simdup.cli.outcome import as_typed
from simdup.cli.progress import progress
from simdup.errors import SimdupError
from simdup.model.documents import Skipped
from simdup.model.page import PageOptions
from simdup.model.reading import Reading
from simdup.model.settings import Settings

if TYPE_CHECKING:
    from simdup.output.text import Painter
    from simdup.output.words import Words

COLORS = ("auto", "always", "never")
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Output:
    """Where results go."""

    path: str | None  # a file; None or ``-`` for standard output
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

    quiet: bool  # whether reports and notes are suppressed
    verbose: bool = False  # whether reports include the recipe
    progress: bool | None = None  # None shows bars on a terminal
    lang: str | None = None  # None is the language of the environment

    @property
    def words(self) -> Words:
        """The words of the language of reports."""
        return asked_words(self.lang)

    @property
    def painter(self) -> Painter:
        """An object that colors words, if standard error shows colors."""
        from simdup.output.text import Painter

        return Painter(sys.stderr, words=self.words)

    @contextmanager
    def watch(self, settings: Settings) -> Iterator[Settings]:
        """Yield settings that show the progress of a run."""
        with progress(self.progress, self.quiet) as show:
            yield replace(settings, run=replace(settings.run, progress=show))

    def skipped(self, skipped: Sequence[Skipped], notes: Sequence[tuple[str, str]] = ()) -> None:
        """Print which documents could not be read, and the notes on others."""
        say_skipped(skipped, _of_typed(notes), self.quiet)

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


def asked_words(lang: str | None) -> Words:
    """Return the words of a language; None is that of the environment."""
    from simdup.output.words import language_of, words_of

    return words_of(lang or language_of(os.environ))


def _of_typed(notes: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the notes without those on options that a configuration has for every run."""
    source = click.get_current_context().get_parameter_source
    return [(name, what) for name, what in notes if not from_file(source(name.strip("`")))]


_output = partial(option, panel="Output")
_COLOR = _output("--color WHEN", "Color the text", COLORS, default=COLORS[0])
bom = _output("--bom", "Make CSV safe for spreadsheets: byte order mark, no formulas.")
_FILE = partial(_output, "-o, --output FILE", "Write the result to FILE.", name="path")


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


def output(*formats: str, colors: bool = True) -> Decorator:
    """Return the options for the output file and its format, by default the first one."""

    def make(path: str | None, format_: str | None, color: str = "", bom: bool = False) -> Output:
        chosen = format_ or formats[0]
        # A list of names has no format.
        if not format_ and not click.get_current_context().params.get("listed"):
            chosen = format_by_suffix(path, formats, "set `format`")
        if bom and chosen != "csv":
            raise click.UsageError("--bom needs --format csv")
        return Output(path, chosen, color, bom)

    shown = f"by suffix, else {formats[0]}"
    format_ = _output(
        "-f, --format FORMAT", "Output format", formats, name="format_", common=True, shown=shown
    )
    others = [*([bom] if "csv" in formats else []), *([_COLOR] if colors else [])]
    return value("out", make, format_, _FILE(common=True), *others)


class _TextBytes(Size):
    """Bytes of texts: a size such as 16M, ``all`` (None) or ``none`` (0)."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if value in ("all", "none"):
            return None if value == "all" else 0
        return super().convert(value, param, ctx)


def _make_page(report_texts: int | None, report_root: str | None) -> PageOptions:
    return PageOptions(report_texts, report_root, command_line())


def command_line() -> str:
    """Return the command as it was typed, for a person to run again."""
    typed = click.get_current_context().find_root().obj
    return shlex.join(["simdup", *(typed or ())])


_TEXTS = _output(
    "--report-texts SIZE", "Most bytes of text in a report page; all or none.", _TextBytes(),
    default="16M",
)  # fmt: skip
_ROOT = _output(
    "--report-root PATH", "Folder that a report page's links start from.",
    shown="the working folder",
)  # fmt: skip

# What a report page carries; a query of an index has no texts to carry.
page = value("page", _make_page, _TEXTS, _ROOT)
page_without_texts = value("page", partial(_make_page, 0), _ROOT)


# For results with a single format.
output_lines = value("out", Output, _FILE())

_SCREEN = {
    "quiet": _output("-q, --quiet", "Print no report and no notes.", common=True),
    "verbose": _output("-v, --verbose", "Print the recipe after the report."),
    "progress": _output(
        "--progress/--no-progress", "Show progress bars.", default=None, shown="on a terminal"
    ),
}
_LANG = _output(
    "--lang LANG", "Language of reports", LANGUAGES, shown="by LC_ALL, LC_MESSAGES, LANG"
)


def _make_screen(
    quiet: bool, lang: str | None, verbose: bool = False, progress: bool | None = None
) -> Screen:
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other")
    return Screen(quiet, verbose, progress, lang)


def screen_with(*fields: str) -> Decorator:
    """Return the options for some of ``quiet``, ``verbose`` and ``progress``, and the language."""
    return value("screen", _make_screen, *(_SCREEN[name] for name in fields), _LANG)


screen = screen_with(*_SCREEN)
