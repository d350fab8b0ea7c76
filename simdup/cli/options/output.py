"""Where results go, and what people see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from simdup.cli.messages import say, say_skipped
from simdup.cli.options.values import Decorator, option, value
from simdup.cli.outcome import as_typed
from simdup.cli.progress import progress
from simdup.model.documents import Skipped
from simdup.model.reading import Reading
from simdup.model.settings import Settings

if TYPE_CHECKING:
    from simdup.output.text import Painter

COLORS = ("auto", "always", "never")


@dataclass(frozen=True, slots=True)
class Output:
    """Where results go."""

    path: str | None  # a file; None or ``-`` for standard output
    format: str = ""
    color: str = COLORS[0]

    def open(
        self, sources: Iterable[str] = (), reading: Reading | None = None
    ) -> AbstractContextManager[BinaryIO]:
        """Open the file, which appears when all went well, or standard output.

        It raises if the file is one of the sources, or in one of them.
        """
        from simdup.output.streams import open_output
        from simdup.output.targets import check_output

        check_output(self.path, sources, reading)
        return open_output(self.path)

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
_FILE = partial(_output, "-o, --output FILE", "Write to FILE.", name="path")


def output(*formats: str, colors: bool = True) -> Decorator:
    """Return the options for where results go and in which format, by default the first."""

    def make(path: str | None, format_: str | None, color: str = COLORS[0]) -> Output:
        suffix = (path or "").lower().rpartition(".")[2].replace("ndjson", "jsonl")
        return Output(path, format_ or (suffix if suffix in formats else formats[0]), color)

    shown = f"{formats[0]} or by suffix"
    format_ = _output(
        "-f, --format TYPE", "Format", formats, name="format_", common=True, shown=shown
    )
    return value("out", make, format_, _FILE(common=True), *([_COLOR] if colors else []))


# For results that have one format only.
output_lines = value("out", Output, _FILE())

_QUIET = _output("-q, --quiet", "No report and no notes.", common=True)
_PROGRESS = _output(
    "--progress/--no-progress", "Progress bars.", default=None, shown="on a terminal"
)

screen = value("screen", Screen, _QUIET, _PROGRESS)
screen_without_progress = value("screen", Screen, _QUIET)
