"""Where results go, and what people see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, cast

import click

from simdup.cli.messages import say, say_skipped
from simdup.cli.options.values import Decorator, option, value
from simdup.cli.outcome import as_typed
from simdup.cli.progress import progress
from simdup.model.documents import Skipped
from simdup.model.reading import Reading
from simdup.model.settings import Settings

if TYPE_CHECKING:
    from simdup.output.text import Painter

# Options whose files a command reads besides its sources.
_READ = ("files_from", "idf", "dictionary")
COLORS = ("auto", "always", "never")


@dataclass(frozen=True, slots=True)
class Output:
    """Where results go."""

    path: str | None  # a file; None or ``-`` for standard output
    format: str = ""
    color: str = ""  # empty where nothing is painted
    bom: bool = False  # CSV is for spreadsheets

    @contextmanager
    def open(
        self, sources: Iterable[str] = (), reading: Reading | None = None
    ) -> Iterator[BinaryIO]:
        """Open the file, which appears when all went well, or standard output.

        It raises if the file is one of the sources, or in one of them.  What goes to a terminal is
        escaped: it may hold names that somebody else chose.  Painted text has to pass as it is,
        and has its names escaped.
        """
        from simdup.output.escaping import TerminalStream, shown, shown_in_json
        from simdup.output.streams import open_output
        from simdup.output.targets import check_output

        given = click.get_current_context().params
        others = [given[name] for name in _READ if given.get(name)]
        check_output(self.path, sources, reading, others)
        painted = self.format == "text" and self.color
        with open_output(self.path) as stream:
            if painted or not stream.isatty():
                yield stream
            else:
                spell = shown_in_json if self.format == "jsonl" else shown
                yield cast(BinaryIO, TerminalStream(stream, spell))

    def painter(self, stream: BinaryIO) -> Painter:
        """Return what colours words, if the stream shows colours."""
        from simdup.output.text import Painter

        return Painter(stream, self.color)


@dataclass(frozen=True, slots=True)
class Screen:
    """What people see on standard error."""

    quiet: bool  # neither reports nor notes
    progress: bool | None = None  # None shows bars on a terminal

    @contextmanager
    def watch(self, settings: Settings) -> Iterator[Settings]:
        """Show the progress of a run with the settings that are yielded."""
        with progress(self.progress, self.quiet) as show:
            yield replace(settings, run=replace(settings.run, progress=show))

    def skipped(self, skipped: Sequence[Skipped], notes: Sequence[tuple[str, str]] = ()) -> None:
        """Say which documents could not be read, and how others were."""
        say_skipped(skipped, notes, self.quiet)

    def report(self, text: str) -> None:
        """Write lines that end a run."""
        if not self.quiet:
            say(as_typed(text))


_output = partial(option, panel="Output")
_COLOR = _output("--color WHEN", "Colors on a terminal.", COLORS, default=COLORS[0])
bom = _output("--bom", "CSV for spreadsheets: with a byte order mark and no formulas.")
_FILE = partial(_output, "-o, --output FILE", "Write to FILE.", name="path")


def output(*formats: str, colors: bool = True) -> Decorator:
    """Return the options for where results go and in which format, by default the first."""

    def make(path: str | None, format_: str | None, color: str = "", bom: bool = False) -> Output:
        suffix = (path or "").lower().rpartition(".")[2].replace("ndjson", "jsonl")
        chosen = format_ or (suffix if suffix in formats else formats[0])
        if bom and chosen != "csv":
            raise click.UsageError("--bom needs --format csv")
        return Output(path, chosen, color, bom)

    shown = f"{formats[0]} or by suffix"
    format_ = _output(
        "-f, --format TYPE", "Format", formats, name="format_", common=True, shown=shown
    )
    others = [*([bom] if "csv" in formats else []), *([_COLOR] if colors else [])]
    return value("out", make, format_, _FILE(common=True), *others)


# For results that have one format only.
output_lines = value("out", Output, _FILE())

_QUIET = _output("-q, --quiet", "No report and no notes.", common=True)
_PROGRESS = _output(
    "--progress/--no-progress", "Progress bars.", default=None, shown="on a terminal"
)

screen = value("screen", Screen, _QUIET, _PROGRESS)
screen_without_progress = value("screen", Screen, _QUIET)
