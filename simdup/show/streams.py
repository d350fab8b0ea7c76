"""Where a result goes: standard output, or a file that is written atomically."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast

from simdup.base.errors import NO_ROOM, unwritable
from simdup.base.system import is_closed_pipe
from simdup.model.settings import Reading

if TYPE_CHECKING:
    from simdup.show.text import Painter
    from simdup.show.words import Phrases

COLORS = ("auto", "always", "never")


@dataclass(frozen=True, slots=True)
class Output:
    """Where a result goes, and how it is written."""

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
        from simdup.show.escaping import TerminalStream, shown, shown_in_json
        from simdup.show.targets import check_output

        check_output(self.path, sources, reading)
        painted = self.format == "text" and self.color
        with open_output(self.path) as stream:
            if painted or not stream.isatty():
                yield stream
            else:
                spell = shown_in_json if self.format == "jsonl" else shown
                yield cast(BinaryIO, TerminalStream(stream, spell))

    def painter(self, stream: BinaryIO, words: Phrases) -> Painter:
        """Return an object that colors words of a language, if the stream shows colors."""
        from simdup.show.text import Painter

        return Painter(stream, self.color, words)


@contextmanager
def open_output(path: str | None, like: str = "") -> Iterator[BinaryIO]:
    """Open a file for writing, or standard output for None and ``-``.

    A file is written beside its target and published only on success: a reader never sees half of
    it, and an interrupted run leaves the old file.  It keeps the mode of the file that it replaces,
    or gets the mode and times of the file `like`.  Devices and pipes are written directly.

    Raises
    ------
    SimdupError
        If the file cannot be written.
    """
    if path is None or path == "-":
        try:
            with _check_room("standard output"):
                yield sys.stdout.buffer
                sys.stdout.buffer.flush()
        except OSError as error:
            if is_closed_pipe(error):
                raise BrokenPipeError from None
            raise
        return
    with _explain(path):
        mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        # The target of /dev/stdout may have no name.
        with _open(path, path, "wb") as stream:
            yield stream
        return
    # Help needs `Output` only, not what its files are written with.
    from simdup.base.atomic import beside

    with beside(os.path.realpath(path), path) as place:
        with _open(path, place, "xb") as stream:
            yield stream
        with _explain(path):
            if like:
                shutil.copystat(like, place)
            elif mode is not None:
                os.chmod(place, stat.S_IMODE(mode))


@contextmanager
def _open(path: str, place: str, how: str) -> Iterator[BinaryIO]:
    with _explain(path):
        stream: BinaryIO = open(place, how)  # type: ignore[assignment]  # noqa: SIM115
    with _check_room(path), stream:
        yield stream


@contextmanager
def _explain(path: str) -> Iterator[None]:
    """Raise errors that name the file as the user does."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from None


@contextmanager
def _check_room(path: str) -> Iterator[None]:
    """Turn errors about full disks and file size limits into SimdupErrors."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno not in NO_ROOM:
            raise
        raise unwritable(path, error) from None


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
