"""Options that mean the same in every command, and the values that commands get of them."""

from simdup.cli.options.help import Command as Command
from simdup.cli.options.help import Group as Group
from simdup.cli.options.input import optional_sources as optional_sources
from simdup.cli.options.input import reading as reading
from simdup.cli.options.input import reading_of_files as reading_of_files
from simdup.cli.options.input import sources as sources
from simdup.cli.options.input import sources_with_list as sources_with_list
from simdup.cli.options.input import sources_with_new as sources_with_new
from simdup.cli.options.matching import criteria as criteria
from simdup.cli.options.matching import references as references
from simdup.cli.options.output import Output as Output
from simdup.cli.options.output import Screen as Screen
from simdup.cli.options.output import bom as bom
from simdup.cli.options.output import output as output
from simdup.cli.options.output import output_lines as output_lines
from simdup.cli.options.output import screen as screen
from simdup.cli.options.output import screen_without_progress as screen_without_progress
from simdup.cli.options.recipe import AskedRecipe as AskedRecipe
from simdup.cli.options.recipe import asked_recipe as asked_recipe
from simdup.cli.options.recipe import recipe as recipe
from simdup.cli.options.running import run as run
from simdup.cli.options.running import run_with_search as run_with_search
from simdup.cli.options.running import search_only as search_only
from simdup.cli.options.running import settings as settings
from simdup.cli.options.values import option as option
from simdup.cli.options.values import value as value
