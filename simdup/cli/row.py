"""What a row of the table of options says, what it may take, and the rules between options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from simdup.base.errors import SimdupError

if TYPE_CHECKING:
    from simdup.cli.call import Call

Condition = Callable[["Call"], Any]


class Idle(NamedTuple):
    """Where the option has no effect, so that typing it is an error: it was expected to have one.

    These rules need nothing but the options.  Whether an option suits the files is another matter:
    a script may get files of records today and others tomorrow.  So that is noted, where files are
    listed (`simdup.corpus.sources`, `simdup.near.inputs`).
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


class Text(click.ParamType):  # type: ignore[type-arg]  # generic since Click 8.5
    """A text that means something else, such as 500M."""

    name = "text"

    def __init__(self, read: Callable[[str], Any]) -> None:
        self._read = read

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return what the text means; fail if it means nothing."""
        try:
            return self._read(str(value))
        except SimdupError as error:
            self.fail(error.what, param, ctx)


# What the help calls files and folders: shells complete them, and a configuration's start from it.
_PATHS = ("FILE", "PATH", "SOURCE")
# Kinds of files beside the SOURCEs: those that are read must not be those that are written.
INFILE, OUTFILE = click.Path(readable=False), click.Path(readable=False)


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
    rules: tuple[Idle | Clash | Yields, ...] = ()
    typed: str = ""  # why a configuration must not set it
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

    def broken(self, kind: type, call: Call) -> Iterator[Any]:
        """Yield the rules of a kind whose condition holds."""
        return (one for one in self.rules if isinstance(one, kind) and one.when(call))
