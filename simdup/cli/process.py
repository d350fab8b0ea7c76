"""The process around a command: its signals, its standard streams, its limits."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, Any, NoReturn

from simdup.base.atomic import clean_up
from simdup.base.errors import SimdupError, reason
from simdup.base.system import END_SIGNALS, is_closed_pipe, low_limit, slow_features

# Signals that asked this process to end.  The exception that they raise may arrive as another one:
# an extension that is being imported turns it into an ImportError.
ended_by: list[int] = []
# Not empty once the interruption was said, once the command has ended in any way, and once nothing
# is left but to clean up.
_said: list[bool] = []
over: list[bool] = []
_ending: list[bool] = []

# The file or folder that the command writes, and that a message about an interruption names.
output: list[str] = []


def prepare() -> None:
    """Prepare streams, signals and numpy before a command runs."""
    _prepare_numpy()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed before the start
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for notes in (ended_by, output, _said, over, _ending):
        notes.clear()
    for number in END_SIGNALS:
        # Signals that are ignored, as under nohup, stay ignored.
        if signal.getsignal(number) != signal.SIG_IGN:
            with suppress(ValueError):  # not the main thread
                signal.signal(number, _end)


def _end(signum: int, frame: FrameType | None) -> None:
    """Unwind the command; a second signal, or one at the end, does not wait for that."""
    ended_by.append(signum)
    if _ending:
        return
    if len(ended_by) > 1 or over:
        _end_at_once()
    sys.unraisablehook = _end_all_the_same
    if signum == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + signum)


def _end_all_the_same(what: sys.UnraisableHookArgs) -> None:
    """End the process where a callback, as of an import, swallows the exception of a signal."""
    if isinstance(what.exc_value, SystemExit | KeyboardInterrupt):
        _end_at_once()
    sys.__unraisablehook__(what)


def _end_at_once() -> NoReturn:
    """Clean up and end the process; other signals meanwhile change nothing."""
    _ending.append(True)
    clean_up()
    if ended_by[0] == signal.SIGINT and not _said:
        os.write(2, b"simdup: interrupted\n")
    os._exit(128 + ended_by[0])


def leave() -> None:
    """Clean up what is left of a command that is over: of an interrupted one, this may be all."""
    over.append(True)
    clean_up()
    _said.append(True)


def _prepare_numpy() -> None:
    """Set the environment variables that numpy reads when it is imported."""
    # Nothing here multiplies matrices, and starting threads for that takes a tenth of a second.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if features := slow_features():
        os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", features)


def prepare_memory() -> None:
    """Prepare the memory of this process; raise if its limits leave too little for imports.

    Raises
    ------
    SimdupError
        If a limit is too low; the error names it.
    """
    from simdup.kernels.memory import return_freed

    return_freed()
    if low := low_limit():
        what, limit, least = low
        has = f"this process is limited to {limit // 10**6} MB of {what}"
        hint = "raise the limit with ulimit or prlimit"
        raise SimdupError("memory", f"{has}; simdup needs {least // 10**6} MB", hint)


@contextmanager
def printing() -> Iterator[None]:
    """Turn errors while printing into errors of standard output."""
    try:
        yield
    except OSError as error:
        if is_closed_pipe(error):
            raise BrokenPipeError from None
        raise SimdupError("standard output", reason(error, "cannot be written")) from None


def interruption() -> str:
    """Return what to say of an interruption: only what is certain of the output."""
    _said.append(True)
    missing = [path for path in output if not os.path.lexists(path)]
    return "; ".join(["interrupted", *(f"{path} was not written" for path in missing)])


def give_up(stream: IO[Any]) -> None:
    """Give up a standard stream: discard what is buffered, and whatever is written to it."""
    with suppress(OSError, ValueError):  # not a stream of the system
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
