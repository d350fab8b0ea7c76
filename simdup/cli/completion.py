"""`simdup completion`."""

from __future__ import annotations

import click

from simdup.cli.messages import Status
from simdup.cli.process import printing
from simdup.cli.usage import PlainCommand

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", cls=PlainCommand)
@click.argument("shell", type=click.Choice(SHELLS))
@click.help_option("-h", "--help", help="Show this help.")
def command(*, shell: str) -> Status:
    """Print the script with which a shell completes commands, options, values and files.

    Bash must be version 4.4 or newer.

    Examples:
      eval "$(simdup completion bash)"
      simdup completion zsh > ~/.zfunc/_simdup
      simdup completion fish > ~/.config/fish/completions/simdup.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    root = click.get_current_context().find_root().command
    with printing():
        click.echo(made(root, {}, "simdup", "_SIMDUP_COMPLETE").source())
    return Status.DONE
