"""The process around a command: its signals, its standard streams, its limits."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, Any

from simdup.errors import SimdupError, reason

# What imports and a small corpus take.  Of address space numpy, scipy and scikit-learn alone take
# 285 MB: with less, imports fail in the middle, or OpenBLAS tries again for ten minutes.  With 60
# MB of data the segmenter hangs, with 100 a run ends with an error.
_LEAST = {"RLIMIT_AS": ("address space", 350_000_000), "RLIMIT_DATA": ("data", 100_000_000)}

# Signals that asked this process to end.  What they raise may arrive as something else: an
# extension that is being imported turns it into an ImportError.
ended_by: list[int] = []


def prepare() -> None:
    """Set up what has to be there before a command runs."""
    _prepare_numpy()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed before the start
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    ended_by.clear()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        # Under nohup a signal is ignored, and has to stay so.
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            with suppress(ValueError):  # not the main thread
                signal.signal(number, _end)


def _end(signum: int, frame: FrameType | None) -> None:
    ended_by.append(signum)
    if signum == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + signum)


def _prepare_numpy() -> None:
    """Set what numpy reads when it is imported."""
    # Nothing here multiplies matrices, and starting threads for it costs a tenth of a second.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # On AMD's processors the instruction that numpy's AVX-512 sort rests on is slow: a million
    # numbers sort in 127 ms with it, in 20 with AVX2.
    with suppress(OSError), open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        processor = file.read(4096)
        if "AuthenticAMD" in processor and "avx512f" in processor:
            os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL")


def require_memory() -> None:
    """Raise if this process may not have the memory that imports take.

    Raises
    ------
    SimdupError
        Names the limit.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, (what, least) in _LEAST.items():
        limit = resource.getrlimit(getattr(resource, name))[0]
        if limit != resource.RLIM_INFINITY and limit < least:
            has = f"this process may have {limit // 10**6} MB of {what}"
            hint = "raise the limit with ulimit or prlimit"
            raise SimdupError("memory", f"{has}, simdup needs {least // 10**6} MB", hint)


@contextmanager
def printing() -> Iterator[None]:
    """Say of what fails when text is printed that standard output is at fault."""
    try:
        yield
    except BrokenPipeError:
        # The reader has seen enough.  Click itself would make status 1 of it.
        give_up(sys.stdout)
        sys.exit(0)
    except OSError as error:
        raise SimdupError("standard output", reason(error, "cannot be written")) from None


def rewindable_stdin() -> None:
    """Let standard input be read twice: unless it is a file, it is copied to one first."""
    given = sys.stdin.fileno()
    with suppress(OSError):
        os.lseek(given, 0, os.SEEK_CUR)
        return
    with tempfile.TemporaryFile() as copy, open(given, "rb", closefd=False) as stream:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        os.dup2(copy.fileno(), given)


def give_up(stream: IO[Any]) -> None:
    """Give up a standard stream: what is written to it, or still buffered, goes nowhere."""
    with suppress(OSError, ValueError):  # not a stream of the system
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
