"""The command line: one module per command, imported when the command is called."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from simdup._version import __version__
from simdup.cli import process
from simdup.cli.messages import Status, as_option, say, say_error
from simdup.cli.usage import CommandGroup, usage_error
from simdup.errors import SimdupError, explained

# In the order in which a newcomer needs them.
COMMANDS = {
    "scan": "Find near-duplicate documents in files and folders.",
    "compare": "Show whether two documents are near-duplicates, and why.",
    "passages": "Find the passages that documents share.",
    "fingerprint": "Print a fingerprint line for each document.",
    "cluster": "Group fingerprint lines into clusters.",
    "pairs": "List the pairs of fingerprint lines within a distance.",
    "dedupe": "Write a corpus without its redundant documents.",
    "fit": "Learn an IDF model from a corpus.",
    "index": "Build and update an index of the documents you already have.",
    "query": "Find the near-duplicates of each document in an index.",
    "tune": "Find out which settings suit a corpus.",
    "evaluate": "Measure how well a result agrees with known near-duplicates.",
    "completion": "Print the script with which a shell completes what you type.",
}


EXAMPLES = (
    "simdup scan ./corpus",
    "simdup compare a.txt b.txt",
    "simdup dedupe train.jsonl -o clean.jsonl",
    "simdup fingerprint ./corpus | simdup cluster",
)


class _Commands(CommandGroup):
    """A group that describes its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"simdup.cli.{cmd_name}").command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Return the commands and options that begin with what is typed, without importing any."""
        from click.shell_completion import CompletionItem

        names = [name for name in COMMANDS if name.startswith(incomplete)]
        found = [CompletionItem(name, help=COMMANDS[name]) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the options; this may print the help or the version."""
        with process.printing():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; for a closed pipe, Click itself would return status 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return _close_quietly()
        except KeyboardInterrupt:
            # For this one, Click itself would print an empty line.
            raise click.exceptions.Abort from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        with formatter.section("Examples"):
            for line in EXAMPLES:
                formatter.write(f"  {line}\n")


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="simdup", message="%(prog)s %(version)s")
def _simdup() -> None:
    """Find near-duplicate texts: which ones, why, and which one to keep.

    COMMAND -h shows the common options of a command, COMMAND --help shows all.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status.

    0 done; 1 no; 2 an error, or some documents could not be read; 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["help"]:  # an option that many type as a command
        given = ["--help"]
    debug = "--debug" in given[: given.index("--") if "--" in given else None]
    process.prepare()
    try:
        status = _run(given)
        with process.printing():
            sys.stdout.flush()
    except BrokenPipeError:
        status = _close_quietly()
    except (Exception, KeyboardInterrupt) as error:
        if "_SIMDUP_COMPLETE" in os.environ:
            # What a shell completes may be no command; nothing must appear in the line typed.
            sys.exit(Status.ERROR)
        if debug:
            from simdup.output.escaping import shown

            for line in "".join(traceback.format_exception(error)).splitlines():
                say(shown(line))
        status = _report(error)
    if process.ended_by:
        status = 128 + process.ended_by[0]
    sys.exit(status)


def _report(error: Exception | KeyboardInterrupt) -> int:
    """Print what went wrong and return the exit status."""
    try:
        sys.stdout.flush()
    except OSError:
        process.give_up(sys.stdout)
    if isinstance(error, KeyboardInterrupt) or process.ended_by:
        if process.ended_by[:1] in ([], [signal.SIGINT]):
            say_error("", process.interruption())
        return Status.INTERRUPTED
    if known := explained(error):
        where = as_option(known.field) if known.field else known.where
        say_error(where, known.what, known.hint)
    else:
        what = f"{type(error).__name__}: {error}"
        say_error("internal error", what, "run it again with --debug and report the traceback")
    return Status.ERROR


def _run(arguments: list[str]) -> int:
    try:
        status = _simdup.main(arguments, prog_name="simdup", standalone_mode=False, obj=arguments)
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.exceptions.NoArgsIsHelpError as error:
        with process.printing():
            click.echo(error.format_message())
        return 2
    except click.UsageError as error:
        # If the last option lacks its value, Click's error does not name the command.
        named = [argument for argument in arguments[:1] if argument in COMMANDS]
        path = error.ctx.command_path if error.ctx else " ".join(["simdup", *named])
        raise usage_error(error, path.removeprefix("simdup").strip(), arguments) from None
    except click.ClickException as error:
        raise SimdupError("simdup", error.format_message()) from None
    return status if isinstance(status, int) else 0


def _close_quietly() -> int:
    """Give up standard output: its reader has seen enough, and this is not an error."""
    process.give_up(sys.stdout)
    return 0
