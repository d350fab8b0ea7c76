"""Options that mean the same in every command, and the values that commands get of them."""

from simdup.cli.options.help import Command, Group, Option
from simdup.cli.options.input import optional_sources, reading, reading_of_files, sources
from simdup.cli.options.matching import criteria, references
from simdup.cli.options.output import (
    Output,
    Screen,
    debug,
    output,
    output_lines,
    screen,
    screen_without_progress,
)
from simdup.cli.options.recipe import AskedRecipe, asked_recipe, recipe
from simdup.cli.options.running import run, run_with_search, search_only
from simdup.cli.options.values import option, value

__all__ = [
    "AskedRecipe",
    "Command",
    "Group",
    "Option",
    "Output",
    "Screen",
    "asked_recipe",
    "criteria",
    "debug",
    "option",
    "optional_sources",
    "output",
    "output_lines",
    "reading",
    "reading_of_files",
    "recipe",
    "references",
    "run",
    "run_with_search",
    "screen",
    "screen_without_progress",
    "search_only",
    "sources",
    "value",
]
