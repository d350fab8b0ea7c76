"""What a row of the table of options says, and rules between options: they look at `Options`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from simdup.base.errors import SimdupError
from simdup.cli.usage import near_choice
from simdup.model.recipe import Recipe, as_recipe

# Commands whose recipe is that of an index.
INDEXED = ("index add", "query")

SUFFIXES = {"text": ("txt",), "csv": ("csv",), "jsonl": ("jsonl", "ndjson"),
            "html": ("html", "htm"), "github": ()}  # fmt: skip

Condition = Callable[["Options"], Any]


class Options:
    """The options of a call as rules look at them.

    Parameters
    ----------
    context : click.Context
        Has parsed what was typed, and what a configuration adds.
    configured : mapping
        What a configuration says, before it is known what contradicts something typed.
    """

    def __init__(self, context: click.Context, configured: Mapping[str, Any] | None = None) -> None:
        self.command: str = context.command_path.partition(" ")[2]
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
        if self["format"] and (self.typed("format") or not self.decides_format):
            return str(self["format"])
        plain = "csv" if self.command == "dedupe" and not self.suffix else "text"
        by_suffix = (one for one, suffixes in SUFFIXES.items() if self.suffix in suffixes)
        return next(by_suffix, plain)

    @property
    def decides_format(self) -> bool:
        """Whether something other than ``--format`` decides the format, such as the suffix."""
        return bool(self["list"] or (self.typed("path") and self.suffix))

    @property
    def writes_csv(self) -> bool:
        """Whether the result, or the list of what `dedupe` removes, is CSV."""
        lists = self.command != "dedupe" or self["removed"] or self["dry_run"]
        return bool(lists) and self.format == "csv"

    @property
    def index_decides(self) -> bool:
        """Whether the recipe is that of an index."""
        if self.command in INDEXED:
            return True
        if not self["references"]:
            return False
        from simdup.corpus.files import split_indexes

        return bool(split_indexes(self["references"])[0])

    @property
    def recipe(self) -> Recipe | None:
        """The recipe; None if the command has none, or takes it from an index."""
        if "recipe" not in self._context.params or self.command in INDEXED:
            return None
        words, changes = self.asked_recipe
        return as_recipe("default" if words is None else words, **changes)

    @property
    def asked_recipe(self) -> tuple[str | None, dict[str, Any]]:
        """The requested recipe in words, if any, and the fields that have options of their own.

        What a configuration says is not asked of an index, which has a recipe.
        """
        asked = self.typed if self.index_decides else self.set
        changes = {name: self[name] for name in ("strip", "dictionary") if asked(name)}
        return self["recipe"] if asked("recipe") else None, changes


class Clash(NamedTuple):
    """Where the option contradicts others, or lacks what it needs."""

    when: Condition
    why: str


# In place of a default.
NO_DEFAULT: Any = object()

# Why a configuration must not set an option.  A file may lie in any folder above: whoever writes it
# should not be able to make a command overwrite something.
WRITES = "it decides what is written, so it must be typed"
READS = "it belongs to the SOURCEs, so it must be typed"
ABOUT = "it only makes sense where it is typed"


class WrongText(click.BadParameter):
    """A text that means nothing, with a hint."""

    def __init__(self, *arguments: Any, hint: str) -> None:
        super().__init__(*arguments)
        self.hint = hint


class Text(click.ParamType):  # type: ignore[type-arg]  # generic since Click 8.5
    """A text that means something else, such as 500M.

    With commas between its parts (`listed`), it may be a list of them in a configuration.
    """

    name = "text"

    def __init__(self, read: Callable[[str], Any], listed: bool = False) -> None:
        self._read, self.listed = read, listed

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return what the text means; fail if it means nothing."""
        try:
            return self._read(str(value))
        except SimdupError as error:
            raise WrongText(error.what, ctx, param, hint=error.hint) from error


def names_of(known: Sequence[str]) -> Text:
    """Return the type of some names that there are, with commas between, Chinese ones too."""

    def read(text: str) -> tuple[str, ...]:
        names = [name.strip() for name in re.split("[,，、]", text)] if text else []
        if unknown := [name for name in names if name not in known]:
            what = f"{unknown[0]!r} is not one of {', '.join(known)}"
            raise SimdupError("", what, near_choice(unknown[0], known))
        return tuple(dict.fromkeys(names))

    return Text(read, listed=True)


# What the help calls files and folders: shells complete them, and a configuration's start from it.
_PATHS = ("FILE", "SOURCE")
# Kinds of files beside the SOURCEs: those that are read must not be those that are written.
INFILE, OUTFILE = click.Path(readable=False), click.Path(readable=False)
# A recipe in words, which may name files.
RECIPE = Text(str)


@dataclass(frozen=True, slots=True)
class Row:
    """One option: all that help, parsing, configuration, completion and tests know of it."""

    # As the help shows it, such as ``-d, --distance K``; ``PATTERN...`` is repeatable.  Without a
    # metavar and a kind, the option is a flag.
    spelling: str
    commands: str  # those that have it, separated by commas
    text: str  # of the help
    kind: Any = None  # a Click type, or a tuple of choices, which the help lists
    words: Sequence[str] = ()  # that mean something of their own, and that shells complete
    of: Any = None  # the value that the option is a field of; the default is that of the field
    name: str = ""  # the field, or the parameter, if it is not the option's name
    take: Callable[[Any], Any] | None = None  # makes the field of what was typed
    default: Any = NO_DEFAULT  # where no field has it; ``...`` if the option is required
    shown: str = ""  # the default as the help shows it, if the value itself is not informative
    common: bool = False  # whether `-h` shows it too, because most people need it
    rules: tuple[Clash, ...] = ()
    typed: str = ""  # why a configuration must not set it
    # Other values of these attributes for some commands.
    per: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    panel: str = ""  # of the help

    @property
    def opts(self) -> list[str]:
        """The spellings: ``-d`` and ``--distance``, ``--verify/--no-verify``."""
        words = self.spelling.replace(",", "").split()
        return [one for one in words if one.startswith("-")]

    @property
    def option(self) -> str:
        """The long name with its dashes."""
        return f"--{self.keys[0]}"

    @property
    def multiple(self) -> bool:
        """Whether it may be repeated."""
        return self.spelling.endswith("...")

    @property
    def metavar(self) -> str | None:
        """What stands for the value; a flag takes none."""
        last = self.spelling.split()[-1]
        return None if last.startswith("-") else last.removesuffix("...")

    @property
    def keys(self) -> list[str]:
        """The long names without dashes; the second means the opposite."""
        return [one.lstrip("-") for one in self.opts[-1].split("/")]

    @property
    def click_type(self) -> Any:
        """What Click converts the value with."""
        if isinstance(self.kind, tuple):
            return click.Choice(self.kind)
        if self.kind is None and self.metavar in _PATHS:
            return click.Path(readable=False)
        return self.kind

    @property
    def parameter(self) -> str:
        """The name of the parameter, and of the field if there is one."""
        return self.name or self.keys[0].replace("-", "_")

    @property
    def initial(self) -> Any:
        """The default: that of the row, or else of the field; `NO_DEFAULT` if there is none."""
        if self.default is not NO_DEFAULT or self.of is None:
            return self.default
        return self.of.__dataclass_fields__[self.parameter].default

    def broken(self, options: Options) -> Iterator[Clash]:
        """Yield the rules that an option breaks which is set."""
        if options[self.parameter] not in (None, False, ()):
            yield from (rule for rule in self.rules if rule.when(options))


# -- what is typed --


def encoding_of(name: str | None) -> str | None:
    """Return the name of an encoding that is known; None detects it."""
    from simdup.corpus.decoding import known_encoding

    if name in (None, "auto"):
        return None
    known_encoding(name)
    return name


def decisions_in(path: str | None) -> Any:
    """Return the decisions of a file."""
    from simdup.corpus.decision_files import read_decisions
    from simdup.model.decisions import UNDECIDED

    return UNDECIDED if path is None else read_decisions(path)


def size_of(text: str) -> int:
    """Return the bytes of a size such as 500M."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)([KMGT]?)(?:I?B)?", text.upper())
    if match is None:
        raise SimdupError("size", f"{text!r} is not a size (expected a number such as 500M or 2G)")
    size = float(match[1]) * 1024 ** " KMGT".index(match[2] or " ")
    return int(min(size, sys.maxsize))


def text_bytes_of(text: str) -> int | None:
    """Return the bytes of a size, or of ``all`` or ``none``."""
    return {"all": None, "none": 0}[text] if text in ("all", "none") else size_of(text)
