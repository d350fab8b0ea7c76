"""`docs/cli.md`: what `--help` prints, for every command."""

from collections.abc import Iterator

import click

# What Click takes where there is no terminal: 80 columns, and a margin of two.
WIDTH = 78

HEAD = """# The command line

Made from `--help` by `python -m docs.make`. `simdup COMMAND -h` shows only the most common options.
What the options mean is told in the [guides](README.md); what is printed and the exit statuses are
in [formats.md](formats.md).
"""


def page() -> str:
    """Return the page."""
    from simdup.cli import _simdup

    return "\n".join([HEAD, *sections(_simdup, None)])


def sections(command: click.Command, parent: click.Context | None) -> Iterator[str]:
    """Yield a section for a command and each of its commands."""
    name = "simdup" if parent is None else command.name
    settings = {**command.context_settings, "terminal_width": WIDTH}
    with click.Context(command, parent, name, **settings) as context:
        yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
        if isinstance(command, click.Group):
            for one in command.list_commands(context):
                found = command.resolve_command(context, [one])[1]
                if found is not None:
                    yield from sections(found, context)
