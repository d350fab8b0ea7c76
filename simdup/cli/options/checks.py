"""Options for checks: whether a status tells of near-duplicates, and which ones are known."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from simdup.cli.messages import say_error
from simdup.cli.options.output import Screen
from simdup.cli.options.values import option, value
from simdup.model.documents import Skipped
from simdup.model.reading import Reading

if TYPE_CHECKING:
    from simdup.model.baseline import Baseline


@dataclass(frozen=True, slots=True)
class Check:
    """What a scan is checked for."""

    status: bool  # whether near-duplicates make the status 1
    path: str | None = None  # a file of known ones
    update: bool = False  # whether that file is written

    def read(self, sources: Sequence[str], reading: Reading) -> Baseline | None:
        """Return the near-duplicates that are known; None if no file names them."""
        if self.path is None:
            return None
        from simdup.corpus.baseline import read_baseline
        from simdup.output.targets import check_output

        known = read_baseline(self.path, replace=self.update)
        if self.update:
            check_output(self.path, sources, reading)
        return known

    def write(self, found: Baseline, skipped: Iterable[Skipped], screen: Screen) -> None:
        """Write the file and say so, unless a document is missing because of an error."""
        if any(one.error for one in skipped):
            say_error(str(self.path), "was not updated: some documents could not be read")
            return
        from simdup.output.baseline import baseline_lines
        from simdup.output.streams import open_output
        from simdup.output.summary import count_words

        with open_output(self.path) as stream:
            stream.writelines(baseline_lines(found))
        documents = count_words(sum(map(len, found.clusters)), "document")
        clusters = count_words(len(found.clusters), "cluster")
        screen.wrote(self.path, f"{documents} in {clusters}")


def _make_check(check: bool, baseline: str | None, update_baseline: bool) -> Check:
    if update_baseline and baseline is None:
        raise click.UsageError("--update-baseline needs --baseline FILE")
    output = click.get_current_context().params["path"]
    if update_baseline and output and os.path.realpath(output) == os.path.realpath(baseline or ""):
        raise click.UsageError("--output and --baseline name the same file")
    if baseline == "-":
        raise click.UsageError("--baseline needs a file, not standard input")
    return Check(check, baseline, update_baseline)


check = value(
    "check",
    _make_check,
    option(
        "--check",
        "Exit with status 1 if there are near-duplicates; with --baseline, new ones.",
        panel="Output",
    ),
    option("--baseline FILE", "Report only pairs that FILE does not have.", panel="Output"),
    option("--update-baseline", "Write all that is found to the --baseline FILE.", panel="Output"),
)
