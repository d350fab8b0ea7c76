"""What a row of the table of options says, and the rules that options have with each other."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from simdup.model.recipe import Recipe, named_recipe

# Commands whose recipe is that of an index.
INDEXED = ("index add", "query")

# The suffixes of each format.
SUFFIXES = {"text": ("txt",), "csv": ("csv",), "jsonl": ("jsonl", "ndjson"),
            "html": ("html", "htm"), "github": ()}  # fmt: skip


class Options:
    """The options of a call, as rules look at them.

    Parameters
    ----------
    context : click.Context
        Has parsed what was typed.
    configured : mapping
        What a configuration says, before it is known which of it gives way.
    """

    def __init__(self, context: click.Context, configured: Mapping[str, Any] | None = None) -> None:
        self.command = context.command_path.partition(" ")[2]
        self._context = context
        self._configured = configured or {}

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter; None if the command has no such parameter."""
        if name in self._configured and not self.typed(name):
            return self._configured[name]
        return self._context.params.get(name)

    def typed(self, *names: str) -> bool:
        """Return whether one of the parameters was typed."""
        source = self._context.get_parameter_source
        return any(source(name) is ParameterSource.COMMANDLINE for name in names)

    def set(self, name: str) -> bool:
        """Return whether a parameter was typed or configured."""
        source = self._context.get_parameter_source(name)
        return source not in (None, ParameterSource.DEFAULT)

    @property
    def suffix(self) -> str:
        """The suffix of the file to write."""
        return os.path.splitext(self["path"] or self["removed"] or "")[1].lower().strip(".")

    @property
    def format(self) -> str:
        """The output format, as far as the options determine it."""
        if self["list"]:  # names have no format
            return "text"
        gives_way = not self.typed("format") and self.decides_format
        plain = "csv" if self.command == "dedupe" and not self.suffix else "text"
        by_suffix = (one for one, suffixes in SUFFIXES.items() if self.suffix in suffixes)
        chosen: str | None = None if gives_way else self["format"]
        return chosen or next(by_suffix, plain)

    @property
    def decides_format(self) -> bool:
        """Whether something other than ``--format`` decides the format, such as the suffix."""
        if self.command == "cluster" and self["format"] == "html" and not self["verify_from"]:
            return True
        return bool(self["list"] or (self.typed("path") and self.suffix))

    @property
    def writes_csv(self) -> bool:
        """Whether the result, or the list of what `dedupe` removes, is CSV."""
        lists = self.command != "dedupe" or self["removed"] or self["dry_run"]
        return bool(lists) and self.format == "csv"

    @property
    def unverified(self) -> bool:
        """Whether fingerprints alone decide which documents are pairs."""
        return self["verify"] is False and self["method"] in (None, "auto", "simhash")

    @property
    def by_similarity(self) -> bool:
        """Whether a similarity is asked for; with a containment, none is by default."""
        similarity = self["similarity"]
        return self["containment"] is None if similarity is None else similarity > 0

    @property
    def index_decides(self) -> bool:
        """Whether the recipe is that of an index."""
        if self.command in INDEXED:
            return True
        if not self["references"]:
            return False
        from simdup.index.opening import split_indexes

        return bool(split_indexes(self["references"])[0])

    @property
    def recipe(self) -> Recipe | None:
        """The recipe; None if the command has none, or takes it from an index."""
        if "recipe" not in self._context.params or self.command in INDEXED:
            return None
        return named_recipe(self["recipe"] or "default", **self.recipe_fields)

    @property
    def recipe_fields(self) -> dict[str, Any]:
        """The fields of the recipe that were typed or configured."""
        return {name: self[name] for name in Recipe.__dataclass_fields__ if self.set(name)}


Condition = Callable[[Options], Any]


class Idle(NamedTuple):
    """Where the option has no effect, so that typing it is an error: it was expected to have one.

    These rules need nothing but the options.  Whether an option suits the files is another matter:
    a script may get files of records today and others tomorrow.  So that is noted, where files are
    listed (`simdup.corpus.sources`, `simdup.ingest.sources`).
    """

    when: Condition
    why: str


class Clash(NamedTuple):
    """Where the option contradicts others, or lacks what it needs."""

    when: Condition
    why: str


class Yields(NamedTuple):
    """Where the option gives way if it is configured: what was typed wins."""

    when: Condition


# In place of a default.
NO_DEFAULT: Any = object()

# Why a configuration must not set an option.  A file may lie in any folder above: whoever writes it
# should not be able to make a command overwrite something.
WRITES = "it decides what is written, so it must be typed"
READS = "it belongs to the SOURCEs, so it must be typed"
ABOUT = "it only makes sense where it is typed"


@dataclass(frozen=True, slots=True)
class Row:
    """One option: all that help, parsing, configuration, completion and tests know of it."""

    # As the help shows it, such as ``-d, --distance K``; ``PATTERN...`` is repeatable.  Without a
    # metavar and a kind, the option is a flag.
    spelling: str
    commands: str  # those that have it, separated by commas
    text: str  # of the help
    kind: Any = None  # a Click type, or a tuple of choices, which the help lists
    of: Any = None  # the value that the option is a field of; the default is that of the field
    name: str = ""  # the field, or the parameter, if it is not the option's name
    take: Callable[[Any], Any] | None = None  # makes the field of what was typed
    default: Any = NO_DEFAULT  # where no field has it; ``...`` if the option is required
    shown: str = ""  # the default as the help shows it, if the value itself is not informative
    common: bool = False  # whether `-h` shows it too, because most people need it
    rules: tuple[Idle | Clash | Yields, ...] = ()
    typed: str = ""  # why a configuration must not set it
    file: str = ""  # ``read`` or ``written`` if it names such a file beside the SOURCEs
    # Other values of these attributes for some commands.
    per: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # Two calls that the option makes different, or these by command: see `tests/option_trials.py`.
    trial: str | Mapping[str, str] = ""
    panel: str = ""  # of the help

    @property
    def opts(self) -> list[str]:
        """The spellings: ``-d`` and ``--distance``, ``--fold/--no-fold``."""
        words = self.spelling.replace(",", "").split()
        return [one for one in words if one.startswith("-")]

    @property
    def flag(self) -> bool:
        """Whether it takes no value."""
        return self.spelling.split()[-1].startswith("-")

    @property
    def multiple(self) -> bool:
        """Whether it may be repeated."""
        return self.spelling.endswith("...")

    @property
    def metavar(self) -> str | None:
        """What stands for the value."""
        return None if self.flag else self.spelling.split()[-1].removesuffix("...")

    @property
    def keys(self) -> list[str]:
        """The long names without dashes; the second means the opposite."""
        return [one.lstrip("-") for one in self.opts[-1].split("/")]

    @property
    def parameter(self) -> str:
        """The name of the parameter, and of the field if there is one."""
        return self.name or self.keys[0].replace("-", "_")

    @property
    def initial(self) -> Any:
        """The default: that of the row, or else of the field; `NO_DEFAULT` if there is none."""
        if self.default is not NO_DEFAULT or self.of is None:
            return self.default
        if hasattr(self.of, "_field_defaults"):  # a named tuple
            return self.of._field_defaults[self.parameter]
        default = self.of.__dataclass_fields__[self.parameter].default
        return NO_DEFAULT if default is dataclasses.MISSING else default

    def fits(self, command: str) -> bool:
        """Return whether a command has the option."""
        return command in self.commands.split(", ")

    def in_command(self, command: str, panel: str) -> Row:
        """Return the row as one command has it, in a panel of its help."""
        changes = (one for names, one in self.per.items() if command in names.split(", "))
        return dataclasses.replace(self, panel=panel, **next(changes, {}))

    def broken(self, kind: type, options: Options) -> Iterator[Any]:
        """Yield the rules of a kind whose condition holds."""
        return (one for one in self.rules if isinstance(one, kind) and one.when(options))
