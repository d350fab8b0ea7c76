"""A call of a command: what was typed and configured, as the values that the command works with."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, BinaryIO, TypeVar

import click
from click.core import ParameterSource

from simdup.base.errors import SimdupError
from simdup.base.system import END_OF_INPUT, quoted
from simdup.cli.configuration import CONFIGURED
from simdup.cli.messages import Screen, Status, as_option, say, say_error, status
from simdup.cli.options import rows_of
from simdup.cli.row import INFILE, OUTFILE, SUFFIXES, Options, Row
from simdup.model.criteria import Criteria
from simdup.model.decisions import Baseline
from simdup.model.documents import Skipped
from simdup.model.formats import PageOptions
from simdup.model.recipe import Recipe, files_of
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.show.streams import Output

Value = TypeVar("Value")

_MISSING = {
    "sources": "SOURCE: name a folder, files, or - for standard input",
    "names": "NAME: name documents as the index does",
}


class Call(Options):
    """The options of a call, and the values that they become."""

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the command in the table of options."""
        return list(rows_of(self.command))

    def value(self, kind: type[Value], **more: Any) -> Value:
        """Return a value whose fields are options; others have their defaults, or `more`."""
        fields = {}
        for row in (row for row in self.rows if row.of is kind):
            value = self[row.parameter]
            fields[row.parameter] = value if row.take is None else row.take(value)
        return kind(**fields | more)

    def files(self, *names: str) -> tuple[str, ...]:
        """Return the files that some parameters name, without standard streams."""
        return tuple(self[name] for name in names if self[name] not in (None, "-"))

    @cached_property
    def settings(self) -> Settings:
        """The settings of the run."""
        outputs = self.files("path", "removed")
        earlier = self.files("baseline", "decisions") + self._recipe_files
        return Settings(
            reading=self.value(Reading, outputs=outputs, told=earlier),
            criteria=self.value(Criteria),
            run=self.value(RunOptions),
            recipe=self._recipe,
        )

    @property
    def _recipe(self) -> Recipe:
        """The recipe; the default one, if an index decides, once it has what was asked for."""
        if self.recipe is None:
            return Recipe()
        if not self.index_decides:
            return self.recipe
        from simdup.corpus.files import split_indexes
        from simdup.index.index import Index

        for path in split_indexes(self["references"])[0]:
            with Index.open(path) as index:
                index.require_recipe(*self.asked_recipe)
        return Recipe()

    @property
    def _recipe_files(self) -> tuple[str, ...]:
        return files_of(self["recipe"]) if self["recipe"] else ()

    @cached_property
    def out(self) -> Output:
        """Where the result goes, and its format: by suffix, else the first that the command has."""
        return self.value(Output, format=self.format)

    def check_suffix(self, formats: Iterable[str], hint: str = "") -> None:
        """Raise for a file whose suffix is that of no format.

        Raises
        ------
        SimdupError
            Names those that are: nobody wants text in a file called ``.xls``.
        """
        known = [f".{suffix}" for one in formats for suffix in SUFFIXES[one]]
        suffix = f".{self.suffix}"
        if self.suffix and suffix not in known:
            what = f"unknown suffix {suffix!r} (expected one of {', '.join(known)})"
            raise SimdupError(self["path"] or self["removed"], what, hint)

    @cached_property
    def page(self) -> PageOptions:
        """What a report page carries."""
        typed = self._context.find_root().obj
        return self.value(PageOptions, command=quoted(["simdup", *(typed or ())]))

    @cached_property
    def screen(self) -> Screen:
        """Where reports and progress go."""
        # What a file names that the configuration names should be there in each run.
        rows = (row for row in self._from_file if row.kind is not INFILE)
        return self.value(Screen, configured=frozenset(row.parameter for row in rows))

    @cached_property
    def sources(self) -> list[str]:
        """The SOURCEs or NAMEs, those of --files-from too."""
        from simdup.corpus.sources import Named, read_list

        argument = next(one for one in self._context.command.params if one.name in _MISSING)
        name, listed = str(argument.name), self["files_from"]
        if listed is not None:
            return Named([*self[name], *read_list(listed, self["null"])])
        if not self[name] and not str(argument.metavar).startswith("["):
            raise click.UsageError(f"missing {_MISSING[name]}")
        return Named(self[name])

    def pair(self, one: str, other: str) -> tuple[str, str]:
        """Return two files that are read; raise if both are standard input."""
        if self[one] == self[other] == "-":
            names = f"{one.upper()} and {other.upper()}"
            raise click.UsageError(f"only one of {names} can be standard input")
        return self[one], self[other]

    def writing(self, *read: str) -> AbstractContextManager[BinaryIO]:
        """Open where the result goes; a file appears only if the block succeeds.

        Raise if it would overwrite what is read.
        """
        return self.out.open(read, self.settings.reading)

    def baseline(self, kind: str, *read: str) -> Baseline | None:
        """Return what is known, of a kind; None without --baseline.

        Raise if it is to be written over what is read.
        """
        if self["baseline"] is None:
            return None
        from simdup.corpus.decision_files import read_baseline
        from simdup.show.targets import check_output

        known = read_baseline(self["baseline"], kind, replace=self["update_baseline"])
        if self["update_baseline"]:
            check_output(self["baseline"], read, self.settings.reading)
        return known

    def update_baseline(
        self, skipped: Iterable[Skipped], known: Baseline, baseline: Baseline, kind: str, what: str
    ) -> None:
        """Write a baseline, and say what it has and how much of what is known it has no more.

        It is not written if a document is missing for an error.
        """
        path = self["baseline"]
        if any(one.error for one in skipped):
            say_error(path, "was not updated: some documents could not be read")
            return
        from simdup.show.lines import baseline_lines
        from simdup.show.streams import open_output

        with open_output(path) as stream:
            stream.writelines(baseline_lines(baseline, kind))
        removed = (known.digests - baseline.digests).total()
        words = self.screen.words
        self.screen.wrote(path, words("baseline.less", what=what, n=removed) if removed else what)

    @contextmanager
    def watch(self) -> Iterator[Settings]:
        """Yield settings that show the stages of the run, with the rate and the time left."""
        settings, shown = self.settings, self.screen.progress
        if not (sys.stderr.isatty() and not self.screen.quiet if shown is None else shown):
            yield settings
            return
        from simdup.base.progress import progress_bars

        with progress_bars(terminal=True) as show:
            yield replace(settings, run=replace(settings.run, progress=show))

    def finish(
        self,
        skipped: Iterable[Skipped] = (),
        report: str = "",
        recipe: dict[str, Any] | None = None,
        *,
        listed: Collection[Any] = (),
        no: bool = False,
    ) -> Status:
        """Print the closing report and where the result is; return the exit status.

        On a terminal, a blank line is between text that was `listed` and the report.
        """
        between = self.out.format == "text" and len(listed) and sys.stdout.isatty()
        self.screen.report(("\n" if between else "") + report, recipe)
        self.screen.wrote(self.out.path)
        return status(skipped, no)

    def say_waiting(self) -> None:
        """Tell a person at a terminal that the command waits for what is typed."""
        typed = self._context.command.params
        arguments = [self[str(one.name)] for one in typed if isinstance(one, click.Argument)]
        waits = "-" in (self["files_from"], *arguments) or self["files"] == ()
        waits = waits or any("-" in one for one in arguments if isinstance(one, tuple))
        if waits and sys.stdin.isatty() and not self["quiet"]:
            say(f"Reading standard input; {END_OF_INPUT} it.")

    def refuse(self) -> None:
        """Raise for options that contradict each other, or overwrite what is read.

        Raises
        ------
        SimdupError
            If an output is a file that an option names, or its suffix is that of no format.
        UsageError
            If one contradicts others, or lacks what it needs.
        """
        for path in self._files(OUTFILE):
            if path != "-" and os.path.exists(path):
                from simdup.show.targets import check_read

                configured = self._context.meta.get(CONFIGURED)
                read = [*self._files(INFILE), *self._recipe_files, *filter(None, [configured])]
                check_read(path, read)
        formats = next((row.kind for row in self.rows if row.parameter == "format"), ())
        if formats and not self["format"] and not self["list"]:
            self.check_suffix(formats, "set `format`")
        for rule in (rule for row in self.rows for rule in row.broken(self)):
            raise click.UsageError(rule.why, self._context)

    def _files(self, kind: click.Path) -> Iterator[str]:
        """Return the files of a kind that options name."""
        rows = (row for row in self.rows if row.kind is kind)
        return (one for row in rows if (one := self[row.parameter]) and one not in row.words)

    @property
    def _from_file(self) -> list[Row]:
        """The rows of the options whose values a configuration has set."""
        source = self._context.get_parameter_source
        return [row for row in self.rows if source(row.parameter) is ParameterSource.DEFAULT_MAP]

    def say_configured(self) -> None:
        """Say which options came from which file, unless --quiet is set."""
        keys = [row.keys[0] for row in self._from_file]
        if keys and not self.screen.quiet:
            from simdup.show.escaping import shown

            words, path = self.screen.words, shown(self._context.meta[CONFIGURED])
            text = words("configured", path=path, keys=words.listed(keys))
            say(self.screen.painter.wrapped(text))

    def blamed(self, error: SimdupError) -> SimdupError:
        """Return the error with the place in the configuration, if an option of it is at fault."""
        key = as_option(error.field).lstrip("-")
        if key not in [row.keys[0] for row in self._from_file]:
            return error
        return SimdupError(f"{self._context.meta[CONFIGURED]}: {key}", error.what, error.hint)
