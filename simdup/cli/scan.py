"""`simdup scan`."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status, typed
from simdup.cli.process import rewindable_stdin
from simdup.cli.results import FORMATS, PAGE, name_lines, write_page, write_result
from simdup.model.page import PageOptions
from simdup.model.settings import Settings
from simdup.output.selection import EVERYTHING, Selection

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
@options.option("--check", "Exit with status 1 if there are near-duplicates.", panel="Output")
@options.selection
@options.output(*FORMATS, PAGE)
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
    check: bool,
) -> Status:
    """Find near-duplicate documents in files and folders.

    Candidate pairs are found by fingerprint and by shared text, then verified on the full texts.
    Documents connected by pairs form a cluster. One is kept; those similar enough to it are
    redundant; those connected only through others are linked.

    A SOURCE may also be one record of a file: train.jsonl#5, or its name with --id-field. If a
    --reference is an index, its recipe is used. It stores sketches instead of texts, so
    similarities to its documents are estimates (~), and a changed document does not match its own
    earlier version there.

    Status: 0 done; 1 with --check if near-duplicates were found; 2 if something could not be read
    or a SOURCE gave no document.

    Examples:
      simdup scan ./corpus
      simdup scan news/ archive.jsonl -o report.html
      simdup scan -d 6 -s 0.9 --keep longest --glob '*.md' docs/
      simdup scan ./corpus --list redundant -0 | xargs -0 -r ls -l
      find . -name '*.txt' -print0 | simdup scan --files-from - -0
    """
    if listed and context.params["format_"]:
        raise click.UsageError("--list prints names only; remove --format")

    from simdup.operations.scan import examine, open_scan

    criteria, reading = settings.criteria, settings.reading
    with out.open([*sources, *references], reading) as stream:
        if "-" in sources and (out.format == PAGE or selection.reads_again):
            rewindable_stdin()
        with screen.watch(settings) as watched:
            result, _ = examine(open_scan(sources, watched, references))
        result = replace(result, skipped=typed(result.skipped))
        screen.skipped(result.skipped, result.notes)
        if listed:
            names = getattr(result, listed)
            stream.writelines(name_lines(stream, names, context.params["null"]))
        elif out.format == PAGE:
            write_page(stream, result, page)
        else:
            write_result(stream, result, out, selection, criteria.columns)
    if not screen.quiet:
        from simdup.output.summary import report

        between = out.format == "text" and result.clusters and sys.stdout.isatty()
        words = report(result, criteria, EVERYTHING if listed or out.format == PAGE else selection)
        screen.report(("\n" if between else "") + words, result.summary.recipe)
        screen.wrote(out.path)
    return status(result.skipped, no=check and bool(result.clusters))
