"""The command line: one module a command, imported when it is called."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

import click

from simdup._version import __version__
from simdup.cli.messages import say_error
from simdup.cli.outcome import Status, as_option
from simdup.errors import SimdupError

# In the order in which a newcomer meets them.
COMMANDS = {
    "scan": "Find near-duplicate documents in files and folders.",
    "compare": "Tell whether two documents are near-duplicates, and why.",
    "fingerprint": "Print a fingerprint line for each document.",
    "cluster": "Group fingerprint lines into clusters.",
    "pairs": "List the pairs of fingerprint lines within a distance.",
    "dedupe": "Write a corpus without its redundant documents.",
    "fit": "Learn an IDF model from a corpus.",
    "index": "Keep documents in an index, to be searched with query.",
    "query": "Tell for each document what an index holds near it.",
    "tune": "Find out which settings suit a corpus.",
    "evaluate": "Tell how well found near-duplicates agree with known ones.",
}


class _Commands(click.Group):
    """A group that knows what its commands are for without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"simdup.cli.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; Click itself would make status 1 of a closed pipe."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return _close_quietly()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="simdup", message="%(prog)s %(version)s")
def _simdup() -> None:
    """\b
    Find near-duplicate texts: which, why, how sure, and which to keep.
      simdup scan ./corpus
      simdup fingerprint ./corpus | simdup cluster
      simdup COMMAND --help
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its status.

    0 done; 1 no; 2 an error, or some documents could not be read; 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_numpy()
    debug = "--debug" in given[: given.index("--") if "--" in given else None]
    _open_closed_streams()
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, _terminate)
        # A terminal that is closed; nohup has it ignored.
        if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, _terminate)
    try:
        status = _run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        status = _close_quietly()
    except (Exception, KeyboardInterrupt) as error:
        if debug:
            traceback.print_exception(error)
        status = _report(error)
        try:
            sys.stdout.flush()
        except OSError:
            _close_quietly()
    sys.exit(status)


def _report(error: Exception | KeyboardInterrupt) -> int:
    """Say what went wrong and return the status for it."""
    if isinstance(error, KeyboardInterrupt):
        return Status.INTERRUPTED
    if isinstance(error, SimdupError):
        where = as_option(error.field) if error.field else error.where
        say_error(where, error.what, error.hint)
    elif isinstance(error, MemoryError):
        say_error("memory", "there is not enough of it", "try fewer documents or --jobs 1")
    else:
        what = f"{type(error).__name__}: {error}"
        say_error("internal error", what, "run it again with --debug and report what it prints")
    return Status.ERROR


def _open_closed_streams() -> None:
    """Put something in the place of standard streams that were closed before the start."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115


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


def _run(arguments: list[str]) -> int:
    try:
        status = _simdup.main(arguments, prog_name="simdup", standalone_mode=False)
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.UsageError as error:
        # Of an option at the very end that lacks its value, Click has forgotten the command.
        named = [argument for argument in arguments[:1] if argument in COMMANDS]
        path = error.ctx.command_path if error.ctx else " ".join(["simdup", *named])
        where = path.removeprefix("simdup ")
        raise SimdupError(where, error.format_message().rstrip("."), f"{path} --help") from None
    except click.ClickException as error:
        raise SimdupError("simdup", error.format_message()) from None
    return status if isinstance(status, int) else 0


def _close_quietly() -> int:
    """Give up standard output: its reader has seen enough, which is no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _terminate(signum: int, frame: FrameType | None) -> None:
    sys.exit(128 + signum)
