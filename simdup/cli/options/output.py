"""Where results go, and what people see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from simdup.cli.messages import say, say_skipped
from simdup.cli.options.values import Decorator, option, value
from simdup.cli.outcome import as_typed
from simdup.cli.progress import progress
from simdup.model.documents import Skipped
from simdup.model.settings import RunOptions

if TYPE_CHECKING:
    from simdup.output.text import Painter


def _output(*names: str, **settings: Any) -> Decorator:
    return option(*names, panel="Output", **settings)


@dataclass(frozen=True, slots=True)
class Output:
    """Where results go.

    Attributes
    ----------
    path : str or None
        A file; None or ``-`` for standard output.
    format : str
        The format.
    color : str
        ``auto``, ``always`` or ``never``.
    """

    path: str | None
    format: str = ""
    color: str = "auto"

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Open the file, which appears when all went well, or standard output."""
        from simdup.output.streams import open_output

        return open_output(self.path)

    def painter(self, stream: BinaryIO) -> Painter:
        """Return what colours words, if the stream shows colours."""
        from simdup.output.text import Painter

        return Painter(stream, self.color)


@dataclass(frozen=True, slots=True)
class Screen:
    """What people see on standard error.

    Attributes
    ----------
    quiet : bool
        Whether there are neither reports nor notes.
    progress : bool or None
        Whether there are progress bars; None for bars on a terminal.
    """

    quiet: bool
    progress: bool | None = None

    @contextmanager
    def watch(self, run: RunOptions) -> Iterator[RunOptions]:
        """Show the progress of a run."""
        with progress(self.progress, self.quiet) as show:
            yield replace(run, progress=show)

    def skipped(self, skipped: Sequence[Skipped], notes: Sequence[tuple[str, str]] = ()) -> None:
        """Say which documents could not be read, and how others were."""
        say_skipped(skipped, notes, self.quiet)

    def report(self, text: str) -> None:
        """Write lines that end a run."""
        if not self.quiet:
            say(as_typed(text))


COLORS = ("auto", "always", "never")
_COLOR = _output(
    "--color", type=click.Choice(COLORS), default=COLORS[0], help="Colors on a terminal."
)


def output(*formats: str, colors: bool = True) -> Decorator:
    """Return the options for where results go and in which format, by default the first."""

    def make(path: str | None, format_: str | None, color: str = COLORS[0]) -> Output:
        suffix = (path or "").lower().rpartition(".")[2].replace("ndjson", "jsonl")
        return Output(path, format_ or (suffix if suffix in formats else formats[0]), color)

    return value(
        "out",
        make,
        _output(
            "-f",
            "--format",
            "format_",
            type=click.Choice(formats),
            common=True,
            help="Output format.",
            shown=f"{formats[0]}, or by the suffix",
        ),
        _output("-o", "--output", "path", metavar="FILE", common=True, help="Write to FILE."),
        *([_COLOR] if colors else []),
    )


def _lines(path: str | None) -> Output:
    return Output(path)


# For results that have one format only.
output_lines = value(
    "out", _lines, _output("-o", "--output", "path", metavar="FILE", help="Write to FILE.")
)

_QUIET = _output("-q", "--quiet", is_flag=True, common=True, help="No report and no notes.")
_PROGRESS = _output(
    "--progress/--no-progress", default=None, help="Progress bars.", shown="on a terminal"
)

screen = value("screen", Screen, _QUIET, _PROGRESS)
screen_without_progress = value("screen", Screen, _QUIET)

# Read by `main`, which has to know before options are parsed.
debug = option("--debug", panel="Other", is_flag=True, expose_value=False, help="Show tracebacks.")
