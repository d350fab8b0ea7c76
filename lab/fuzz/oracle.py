"""What may happen to an input: a result, or a `SimdupError` that one line can show.

Targets write and read files in the working folder.
"""

from __future__ import annotations

import io
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from functools import partial
from typing import Any, NamedTuple

from lab.fuzz.terminal import driving
from simdup.base.errors import SimdupError
from simdup.cli.messages import Screen, say_error
from simdup.corpus import archives
from simdup.corpus.batches import batches, read
from simdup.corpus.sources import list_files
from simdup.model.documents import Document, Skipped
from simdup.model.settings import Reading

# Processor time of one call.  The slowest of all targets takes a tenth of a second; segmenters
# read their dictionary in the first one.
SECONDS = 5.0
# How far one call may raise the memory of the process.  An input has some kB.
MEGABYTES = 512
# Characters of a message on the terminal; a name of a file has at most 255 bytes, of which each may
# take four characters.
MESSAGE = 4000

Check = Callable[[bytes], object]


class Wrong(BaseException):
    """What went wrong with an input.

    It is no `Exception`, so that nothing that is tested takes it for one of its own.
    """


class Verdict(NamedTuple):
    """What happened to an input."""

    refused: bool  # whether it ended in a `SimdupError`, or no document of it could be read
    seconds: float  # processor time
    megabytes: float  # that the most memory the process has had grew by


def judge(check: Check, data: bytes) -> Verdict:
    """Give an input to a target, which returns False if nothing of it could be read.

    Raises
    ------
    Wrong
        For another exception than `SimdupError`, a warning, a message that is not one line or
        would drive the terminal, and too much time or memory.
    """
    memory, started = _peak(), time.process_time()
    refused = False
    try:
        with _watched():
            try:
                refused = check(data) is False
            except SimdupError as refusal:
                refused = True
                expect_line(partial(say_error, refusal.where, refusal.what, refusal.hint))
    except Exception as error:
        # The kind of the exception, and the place in simdup that raised it.
        frames = traceback.extract_tb(error.__traceback__)
        last = ([frame for frame in frames if "simdup/" in frame.filename] or frames)[-1]
        place = f"{last.filename.rpartition('simdup/')[2]}:{last.lineno}"
        raise Wrong(f"{type(error).__name__} at {place}: {error!s:.200}") from error
    seconds = time.process_time() - started
    if (grown := _peak() - memory) > MEGABYTES:
        raise Wrong(f"memory grew by {grown:,.0f} MB")
    return Verdict(refused, seconds, grown)


def expect(holds: object, what: str) -> None:
    """Raise unless something holds that must hold for every input."""
    if not holds:
        raise Wrong(what)


def expect_same(one: Any, other: Any, what: str) -> None:
    """Raise unless two ways to the same thing agree."""
    if one != other:
        raise Wrong(f"{what}: {one!r:.200} is not {other!r:.200}")


def expect_line(say: Callable[[], None]) -> None:
    """Raise unless a message is one line, and perhaps one with a hint, and harmless."""
    with redirect_stderr(io.StringIO()) as stream:
        say()
    first, *rest = stream.getvalue().removesuffix("\n").split("\n")
    expect(not rest or (len(rest) == 1 and rest[0].startswith("hint: ")), f"lines: {rest!r:.200}")
    expect_harmless(stream.getvalue())
    expect(len(first) <= MESSAGE, f"a message of {len(first):,} characters: {first:.80}")


def expect_sayable(skipped: Sequence[Skipped]) -> None:
    """Raise unless each reason for leaving a document out is one harmless line."""
    for one in skipped:
        expect_line(partial(Screen(quiet=True).skipped, [one]))


def expect_harmless(text: str) -> None:
    """Raise if a text would drive the terminal."""
    found = driving(text)
    expect(not found, f"a terminal would get {found!r:.100}")


# -- files --


def write(name: str, content: bytes) -> str:
    """Write a file, and return its name."""
    with open(name, "wb") as file:
        file.write(content)
    return name


def documents(source: str, reading: Reading) -> list[Document]:
    """Return the documents of a source; what is left out must say so in one line."""
    # It tells archives by size and time, and these are written within the same tick.
    archives.list_archive.cache_clear()
    listing = list_files([source], reading)
    found = [one for batch in batches(listing.files, reading) for one in read(batch, reading)]
    expect_sayable([*listing.skipped, *(one for one in found if isinstance(one, Skipped))])
    kept = [one for one in found if isinstance(one, Document)]
    expect_texts(kept)
    return kept


def expect_texts(found: Sequence[Document]) -> None:
    """Raise unless texts can be written as UTF-8, and documents have names of their own."""
    for one in found:
        for text in (one.text, one.title, *one.groups):
            (text or "").encode()
    places = [one.place if one.record else one.path for one in found]
    expect(len(set(places)) == len(places), "two documents with one place")


# -- watching --


def _peak() -> float:
    """Return the most memory that the process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def _watched() -> Iterator[None]:
    """Turn warnings into errors, and raise when the time is up."""

    def stop(number: int, frame: Any) -> None:
        where = "; ".join(f"{f.name}:{f.lineno}" for f in traceback.extract_stack(frame)[-3:])
        raise Wrong(f"takes more than {SECONDS:g} s of processor time, at {where}")

    unraisable: list[Any] = []
    before = signal.signal(signal.SIGPROF, stop), sys.unraisablehook
    sys.unraisablehook = unraisable.append
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before[0])
        sys.unraisablehook = before[1]
    if unraisable:
        raise Wrong(f"nobody could catch {unraisable[0].exc_value!r}")
