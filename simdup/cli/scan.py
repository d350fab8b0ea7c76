"""`simdup scan`."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status, typed
from simdup.cli.process import rewindable_stdin
from simdup.cli.results import (
    FORMATS,
    GITHUB,
    PAGE,
    closing_words,
    name_lines,
    write_page,
    write_result,
)
from simdup.model.page import PageOptions
from simdup.model.settings import Settings
from simdup.output.selection import EVERYTHING, Selection

if TYPE_CHECKING:
    from simdup.model.result import Result

LISTS = ("redundant", "kept", "unique")


@click.command("scan", cls=options.Command)
@options.sources_with_list
@options.settings(
    options.reading_with_titles,
    options.criteria(distance=options.SEARCHED_DISTANCE),
    options.run_with_search,
    options.recipe,
)
@options.references
@options.option(
    "--list WHICH",
    "Print only the names of these documents",
    LISTS,
    name="listed",
    panel="Output",
    common=True,
)
@options.check
@options.selection
@options.output(*FORMATS, PAGE, GITHUB)
@options.page
@options.screen
@click.pass_context
def command(
    context: click.Context,
    *,
    sources: list[str],
    settings: Settings,
    references: tuple[str, ...],
    out: options.Output,
    page: PageOptions,
    selection: Selection,
    screen: options.Screen,
    listed: str | None,
    check: options.Check,
) -> Status:
    """Find near-duplicate documents in files and folders.

    Candidate pairs are found by fingerprint and by shared text, then verified on the full texts.
    Documents connected by pairs form a cluster. One is kept; those similar enough to it are
    redundant; those connected only through others are linked.

    A SOURCE may also be one record of a file: train.jsonl#5, or its name with --id-field. If a
    --reference is an index, its recipe is used. It stores sketches instead of texts, so
    similarities to its documents are estimates (~), and a changed document does not match its own
    earlier version there.

    With --baseline, only pairs that its FILE does not have are reported, and clusters with them;
    --update-baseline writes it. Names do not matter to it, and a changed text is a new one.

    Status: 0 done; 1 with --check if near-duplicates were found (with --baseline, new ones); 2 if
    something could not be read or a SOURCE gave no document.

    Examples:
      simdup scan ./corpus
      simdup scan news/ archive.jsonl -o report.html
      simdup scan -d 6 -s 0.9 --keep longest --glob '*.md' docs/
      simdup scan ./corpus --list redundant -0 | xargs -0 -r ls -l
      find . -name '*.txt' -print0 | simdup scan --files-from - -0
      simdup scan docs/ --check --baseline simdup.baseline
    """
    if listed and context.params["format_"]:
        raise click.UsageError("--list prints names only; remove --format")

    from simdup.operations.baseline import baseline_of, new_since

    criteria, reading = settings.criteria, settings.reading
    known = check.read([*sources, *references], reading)
    with out.open([*sources, *references], reading) as stream:
        if "-" in sources and (out.format == PAGE or selection.reads_again):
            rewindable_stdin()
        found = _find(sources, references, settings, screen)
        result = found if known is None else new_since(found, known)
        if listed:
            names = getattr(result, listed)
            stream.writelines(name_lines(stream, names, context.params["null"]))
        elif out.format == PAGE:
            write_page(stream, result, page)
        else:
            write_result(stream, result, out, selection, criteria.columns)
    if not screen.quiet:
        between = out.format == "text" and result.clusters and sys.stdout.isatty()
        words = closing_words(result, criteria, EVERYTHING if listed else selection, out.format)
        screen.report(("\n" if between else "") + words, result.summary.recipe)
        screen.wrote(out.path)
    if check.update:
        check.write(baseline_of(found), found.skipped, screen)
    new = check.status and bool(result.clusters) and not check.update
    return status(result.skipped, no=new)


def _find(
    sources: list[str], references: tuple[str, ...], settings: Settings, screen: options.Screen
) -> Result:
    """Return what a scan finds, and say what was skipped."""
    from simdup.operations.scan import examine, open_scan

    with screen.watch(settings) as watched:
        result = examine(open_scan(sources, watched, references)).result
    result = replace(result, skipped=typed(result.skipped))
    screen.skipped(result.skipped, result.notes)
    return result
