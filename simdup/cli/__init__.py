"""The command line: one module per command, imported when the command is called."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence

import click

from simdup._version import __version__
from simdup.base.errors import SimdupError, explained
from simdup.cli import process
from simdup.cli.messages import Status, as_option, say, say_error
from simdup.cli.usage import CommandGroup, usage_error

# What a shell sets that completes what is typed.
_COMPLETE = "_SIMDUP_COMPLETE"

# In the order in which a newcomer needs them.
COMMANDS = {
    "scan": "Find near-duplicate documents in files and folders.",
    "compare": "Show whether two documents are near-duplicates, and why.",
    "passages": "Find the passages that documents share.",
    "conflicts": "Find copied text whose copies differ in a fact.",
    "fingerprint": "Print a fingerprint line for each document.",
    "cluster": "Group fingerprint lines into clusters.",
    "pairs": "List the pairs of fingerprint lines within a distance.",
    "dedupe": "Write a corpus without its redundant documents.",
    "decontaminate": "Write a corpus without evaluation texts.",
    "fit": "Learn an IDF model from a corpus.",
    "index": "Build and update an index of the documents you already have.",
    "query": "Find the near-duplicates of each document in an index.",
    "evaluate": "Measure how well a result agrees with known near-duplicates.",
    "audit": "Draw pairs from a result, and make a page to judge them.",
    "completion": "Print the script with which a shell completes what you type.",
}


@click.group(
    cls=CommandGroup,
    # Only described: each is imported when it is typed.
    commands=[click.Command(name, short_help=text) for name, text in COMMANDS.items()],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="simdup", message="%(prog)s %(version)s")
def _simdup() -> None:
    """Find near-duplicate texts: which ones, why, and which one to keep.

    COMMAND -h shows the common options of a command, COMMAND --help shows all.

    Examples:
      simdup scan ./corpus
      simdup compare a.txt b.txt
      simdup dedupe train.jsonl -o clean.jsonl
      simdup fingerprint ./corpus | simdup cluster
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status.

    0 done; 1 no; 2 an error, or some documents could not be read; 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["help"]:  # an option that many type as a command
        given = ["--help"]
    debug = "--debug" in given[: given.index("--") if "--" in given else None]
    try:
        process.prepare()
        status = _run(given)
        with process.printing():
            sys.stdout.flush()
        process.leave()
    except BrokenPipeError:
        process.over.append(True)
        # The reader of standard output has seen enough, and this is not an error.
        process.give_up(sys.stdout)
        status = Status.DONE
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        process.over.append(True)
        if isinstance(error, SystemExit) and not process.ended_by:
            raise
        if _COMPLETE in os.environ:
            # What a shell completes may be no command; nothing must appear in the line typed.
            sys.exit(Status.ERROR)
        if debug:
            from simdup.show.escaping import shown

            for line in "".join(traceback.format_exception(error)).splitlines():
                say(shown(line))
        status = _report(error)
    process.leave()
    if process.ended_by:
        status = 128 + process.ended_by[0]
    sys.exit(status)


def _report(error: Exception | KeyboardInterrupt | SystemExit) -> int:
    """Print what went wrong and return the exit status."""
    try:
        sys.stdout.flush()
    except OSError:
        process.give_up(sys.stdout)
    if isinstance(error, KeyboardInterrupt | SystemExit) or process.ended_by:
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
    if instruction := os.environ.get(_COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(_simdup, {}, "simdup", _COMPLETE, instruction)
    try:
        # `click.Command.main` does the same, but exits with status 1 if a pipe is closed.
        with _simdup.make_context("simdup", list(arguments), obj=arguments) as context:
            status: int = _simdup.invoke(context)
            return status
    except click.exceptions.Exit as left:
        return left.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        with process.printing():
            click.echo(error.format_message())
        return Status.ERROR
    except click.UsageError as error:
        # If the last option lacks its value, Click's error does not name the command.
        named = [argument for argument in arguments[:1] if argument in COMMANDS]
        path = error.ctx.command_path if error.ctx else " ".join(["simdup", *named])
        raise usage_error(error, path.removeprefix("simdup").strip(), arguments) from None
    except click.ClickException as error:
        raise SimdupError("simdup", error.format_message()) from None
