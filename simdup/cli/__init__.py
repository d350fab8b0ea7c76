"""The command line: one module a command, imported when it is called."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

import click

from simdup import __version__
from simdup.cli.messages import say_error
from simdup.errors import SimdupError

# In the order in which a newcomer meets them.
COMMANDS = {
    "scan": "Find near-duplicate documents in files and folders.",
    "compare": "Tell whether two documents are near-duplicates, and why.",
    "fingerprint": "Print a fingerprint line for each document.",
    "cluster": "Group fingerprint lines into clusters.",
    "pairs": "List the pairs of fingerprint lines within a distance.",
    "fit": "Learn an IDF model from a corpus.",
    "index": "Keep documents in an index: build, add, remove, info, check, export.",
    "query": "Tell for each document what an index holds near it.",
}

_INTERRUPTED = 130


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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`simdup COMMAND --help` shows a command's options and an example.",
)
@click.version_option(__version__, prog_name="simdup", message="%(prog)s %(version)s")
def _simdup() -> None:
    """Find near-duplicate texts: which, why, how sure, and which to keep.

    \b
    simdup scan ./corpus
    simdup compare a.txt b.txt
    simdup fingerprint ./corpus | simdup cluster
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its status.

    0 done; 1 no; 2 an error, or some documents could not be read; 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Nothing here multiplies matrices, and starting threads for it costs a tenth of a second.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    debug = "--debug" in given[: given.index("--") if "--" in given else None]
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, _terminate)
    try:
        status = _run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        status = _close_quietly()
    except KeyboardInterrupt:
        if debug:
            raise
        status = _INTERRUPTED
    except SimdupError as error:
        if debug:
            raise
        say_error(error.where, error.what, error.hint)
        status = 2
    except MemoryError:
        if debug:
            raise
        say_error("memory", "there is not enough of it", "try fewer documents or --jobs 1")
        status = 2
    except Exception as error:
        if debug:
            raise
        what = f"{type(error).__name__}: {error}"
        say_error("internal error", what, "run it again with --debug and report what it prints")
        status = 2
    sys.exit(status)


def _run(arguments: list[str]) -> int:
    try:
        status = _simdup.main(arguments, prog_name="simdup", standalone_mode=False)
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "simdup"
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
