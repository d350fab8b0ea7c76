"""`simdup cluster`."""

from __future__ import annotations

from dataclasses import replace

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status
from simdup.cli.results import FORMATS, PAGE, write_page, write_result
from simdup.model.page import PageOptions
from simdup.model.recipe import Recipe
from simdup.model.settings import Settings
from simdup.output.selection import EVERYTHING, Selection


@click.command("cluster", cls=options.Command)
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(readable=False))
@options.option(
    "--verify-from SOURCE",
    "Read the documents from SOURCE, and compare the texts of each pair.",
    panel="Input",
    common=True,
    multiple=True,
)
@options.settings(
    options.reading,
    options.criteria(
        "distance",
        "similarity",
        "short_texts",
        "numbers",
        "shingle",
        "linkage",
        "all_pairs",
        similarity={"text": "Minimum similarity of a pair; needs --verify-from."},
    ),
    options.search_only,
)
@options.option("--fold/--no-fold", "Compare folded texts.", panel="Matching", defaults=Recipe())
@options.option(
    "--strip REGEX",
    "Compare texts without what matches. Repeatable.",
    panel="Matching",
    multiple=True,
    defaults=Recipe(),
)
@options.selection_of_lines
@options.output(*FORMATS, PAGE)
@options.page
@options.screen_with("quiet", "verbose")
def command(
    *,
    files: tuple[str, ...],
    verify_from: tuple[str, ...],
    settings: Settings,
    fold: bool,
    strip: tuple[str, ...],
    out: options.Output,
    page: PageOptions,
    selection: Selection,
    screen: options.Screen,
) -> Status:
    """Group fingerprint lines into clusters.

    FILEs, or standard input, hold the lines that `simdup fingerprint` prints, all made with the
    same recipe. By default only the fingerprint distance decides. With --verify-from, simdup reads
    the named documents again and compares the texts of each pair.

    Status: 0 done; 2 if a document was not found or could not be read.

    Examples:
      simdup fingerprint ./corpus | simdup cluster
      simdup cluster --verify-from ./corpus prints.txt
      cat monday.txt tuesday.txt | simdup cluster -d 5 -f csv
    """
    if out.format == PAGE and not verify_from:
        raise click.UsageError("a report page needs --verify-from: lines have no texts")

    from simdup.corpus.fingerprint_lines import read_lines
    from simdup.operations.cluster import cluster
    from simdup.output.summary import report

    criteria = replace(settings.criteria, verify=bool(verify_from), method="simhash")
    settings = replace(settings, recipe=Recipe(fold=fold, strip=strip), criteria=criteria)
    result = cluster(read_lines(files or ["-"]), settings, verify_from)
    screen.skipped(result.skipped, result.notes)
    with out.open([*files, *verify_from], settings.reading) as stream:
        if out.format == PAGE:
            write_page(stream, result, replace(page, kind="cluster"))
        else:
            write_result(stream, result, out, selection, screen.words)
    chosen = EVERYTHING if out.format == PAGE else selection
    screen.report(report(result, criteria, chosen, screen.words), result.summary.recipe)
    screen.wrote(out.path)
    return status(result.skipped)
