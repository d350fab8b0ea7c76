"""A call of a command: what was typed and configured, as the values that the command works with."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from functools import cached_property
from typing import Any, TypeVar

import click

from simdup.cli.options import rows_of
from simdup.cli.options.row import INDEXED, Clash, Idle, Options, Row
from simdup.cli.outputs import Output, Screen, format_by_suffix
from simdup.errors import SimdupError
from simdup.model.criteria import Criteria
from simdup.model.page import PageOptions
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, SearchOptions, Settings

Value = TypeVar("Value")

# Options that name a file the command writes, and those that name a result of an earlier one.
_WRITTEN, _TOLD = ("path", "removed"), ("baseline", "decisions")

# What a command reads and compares; not where its output goes.
_AGAIN = ("Input", "Search", "Recipe")


class Call:
    """The options of a call, and the values that they become.

    Parameters
    ----------
    context : click.Context
        Has parsed what was typed, and what a configuration adds.
    """

    def __init__(self, context: click.Context) -> None:
        self._context = context
        self._options = Options(context)
        self._rows = list(rows_of(self._options.command))

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter; None if the command has no such parameter."""
        return self._options[name]

    def set(self, name: str) -> bool:
        """Return whether an option was typed or configured."""
        return self._options.set(name)

    def value(self, kind: type[Value], **more: Any) -> Value:
        """Return a value whose fields are options; others have their defaults, or `more`."""
        fields = {}
        for row in (row for _, row in self._rows if row.of is kind):
            given = self[row.parameter]
            fields[row.parameter] = given if row.take is None else row.take(given)
        return kind(**fields | more)

    @cached_property
    def settings(self) -> Settings:
        """The settings of the run."""
        outputs, told = (
            tuple(self[name] for name in names if self[name] not in (None, "-"))
            for names in (_WRITTEN, _TOLD)
        )
        return Settings(
            reading=self.value(Reading, outputs=outputs, told=told),
            criteria=self.value(Criteria),
            run=self.value(RunOptions, search=self.value(SearchOptions)),
            recipe=self._recipe,
        )

    @property
    def _recipe(self) -> Recipe:
        """The recipe; the default one, if an index decides, once it has what was asked for."""
        if self._options.recipe is None:
            return Recipe() if self._options.command in INDEXED else self.value(Recipe)
        if not self["references"]:
            return self._options.recipe
        from simdup.index.index import Index
        from simdup.index.opening import split_indexes

        indexes, _ = split_indexes(self["references"])
        for path in indexes:
            with Index.open(path) as index:
                index.require_recipe(*self.asked_recipe)
        return Recipe() if indexes else self._options.recipe

    @property
    def asked_recipe(self) -> tuple[str | None, dict[str, Any]]:
        """The requested recipe: its name, if any, and the fields that were given."""
        return self["recipe"], self._options.recipe_fields

    @cached_property
    def out(self) -> Output:
        """Where the result goes, and its format: by suffix, else the first that the command has."""
        formats = next((row.kind for _, row in self._rows if row.parameter == "format"), ("",))
        format_ = self["format"] or formats[0]
        # A list of names has no format.
        if len(formats) > 1 and not self["format"] and not self["list"]:
            format_ = format_by_suffix(self["path"], formats, "set `format`")
        return self.value(Output, format=format_)

    @cached_property
    def page(self) -> PageOptions:
        """What a report page carries."""
        typed = self._context.find_root().obj
        return self.value(PageOptions, command=shlex.join(["simdup", *(typed or ())]))

    @cached_property
    def screen(self) -> Screen:
        """Where reports and progress go."""
        return self.value(Screen)

    @property
    def arguments(self) -> list[str]:
        """All arguments that are no options."""
        parameters = self._context.command.params
        given = [self[str(one.name)] for one in parameters if isinstance(one, click.Argument)]
        return [one for some in given for one in (some if isinstance(some, tuple) else (some,))]

    @cached_property
    def sources(self) -> list[str]:
        """The SOURCEs, those of --files-from too."""
        return self._named("sources", "SOURCE: name a folder, files, or - for standard input")

    @cached_property
    def names(self) -> list[str]:
        """The NAMEs, those of --files-from too."""
        return self._named("names", "NAME: name documents as the index does")

    def _named(self, name: str, missing: str) -> list[str]:
        from simdup.corpus.sources import Named, read_list

        listed = self["files_from"]
        if listed is not None:
            return Named([*self[name], *read_list(listed, self["null"])])
        optional = any(
            one.name == name and str(one.metavar).startswith("[")
            for one in self._context.command.params
        )
        if not self[name] and not optional:
            raise click.UsageError(f"missing {missing}")
        return Named(self[name])

    @property
    def outputs(self) -> list[str]:
        """What the command is to write; a message about an interruption names it."""
        return [self[name] for name in ("path", "target") if self[name] not in (None, "-")]

    def refuse(self) -> None:
        """Raise for options that contradict each other, have no effect, or overwrite what is read.

        Raises
        ------
        SimdupError
            If one was typed and has no effect, or an output is a file that an option names.
        UsageError
            If one contradicts others, or lacks what it needs.
        """
        for _, row in self._rows:
            if self._options.typed(row.parameter):
                for rule in row.broken(Idle, self._options):
                    raise SimdupError(
                        f"--{row.keys[0]}", f"has no effect: {rule.why}", "leave it out"
                    )
        for path in (self[row.parameter] for row in self._files("written")):
            if path and path != "-" and os.path.exists(path):
                from simdup.output.targets import check_read

                check_read(path, list(self._read()))
        for _, row in self._rows:
            if self[row.parameter] not in (None, False, ()):
                for rule in row.broken(Clash, self._options):
                    raise click.UsageError(rule.why, self._context)

    def _files(self, use: str) -> Iterator[Row]:
        return (row for _, row in self._rows if row.file == use)

    def _read(self) -> Iterator[str]:
        """Yield the files that options and the configuration name."""
        from simdup.cli.configured import configured_in
        from simdup.cli.options.parameter_types import words_of

        for row in self._files("read"):
            if self[row.parameter] and self[row.parameter] not in words_of(row.kind):
                yield self[row.parameter]
        if (path := configured_in(self._context)) is not None:
            yield path

    def again(self) -> str:
        """Return what was typed or configured of the sources and of how to read and compare them.

        To be pasted after another command.  What is configured may hold for this command only, so
        it is repeated.
        """
        words = [word for panel, row in self._rows for word in self._again(panel, row)]
        if config := self._context.meta.get("config"):
            words += ["--config", config]
        words += ["--isolated"] if self._context.meta.get("isolated") else []
        sources = list(self["sources"])
        if any(source.startswith("-") and source != "-" for source in sources):
            words.append("--")
        return shlex.join([*words, *sources])

    def _again(self, panel: str, row: Row) -> Iterator[str]:
        name = row.parameter
        if not self.set(name) or (panel not in _AGAIN and name != "shingle"):
            return
        on, _, off = row.opts[-1].partition("/")
        if row.flag:
            yield on if self[name] or not off else off
        else:
            for one in self[name] if isinstance(self[name], tuple) else (self[name],):
                yield from (on, str(one))
