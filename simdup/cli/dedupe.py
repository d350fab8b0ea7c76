"""`simdup dedupe`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status
from simdup.cli.results import PAGE
from simdup.model.page import PageOptions
from simdup.model.settings import Settings

if TYPE_CHECKING:
    from simdup.model.cleaned import Cleaned, Removed
    from simdup.model.result import Result

_output = partial(options.option, panel="Output")


@click.command("dedupe", cls=options.Command)
@options.sources
@options.settings(
    options.reading_with_titles,
    options.criteria(linkage={"shown": "star"}, distance=options.SEARCHED_DISTANCE),
    options.run_with_search,
    options.recipe,
)
@options.references
@_output("-o, --output OUT", "Write the clean corpus to OUT.", name="target", common=True)
@_output(
    "--removed FILE", "List removed documents: the reason, and what is kept instead.", common=True
)
@options.bom
@options.page
@_output("--dry-run", "Write no corpus; list what would be removed.", common=True)
@_output("--force", "Replace existing files in OUT; never delete any.")
@_output(
    "--link HOW", "How to put unchanged files in OUT", ("copy", "hard", "symbolic"), default="copy"
)
@options.screen
def command(
    *,
    sources: list[str],
    settings: Settings,
    references: tuple[str, ...],
    target: str | None,
    removed: str | None,
    bom: bool,
    page: PageOptions,
    dry_run: bool,
    force: bool,
    link: str,
    screen: options.Screen,
) -> Status:
    """Write a corpus without its redundant documents.

    Every removed document is a near-duplicate of a document that stays. A file of records becomes
    a file of the remaining records, byte for byte; OUT may be - for standard output. A folder, or
    several files, become a folder. OUT appears only when it is complete. Binary, empty and
    undecodable files are copied as they are; a file that cannot be opened is named, and is missing
    from OUT. SOURCEs are never changed.

    A --reference may be an index: see simdup scan --help.

    Status: 0 done, 2 if something could not be read, or vanished or changed during the run.

    Examples:
      simdup dedupe train.jsonl.zst -o clean.jsonl.zst --removed removed.csv
      simdup dedupe ./corpus -o ./clean --link hard --keep longest
      simdup dedupe delivery/ --reference archive/ -o new/
      simdup dedupe delivery/ --reference seen.index -o new/
      simdup dedupe ./corpus -o ./clean --removed removed.html
      simdup dedupe ./corpus --dry-run
    """
    if target is None and not dry_run:
        raise click.UsageError("missing -o OUT (only --dry-run works without it)")
    if target == removed == "-":
        raise click.UsageError("-o and --removed cannot both be standard output")
    listing = removed or ("-" if dry_run else None)
    form = options.format_by_suffix(listing, ("csv", "jsonl", PAGE))
    if bom and (listing is None or form != "csv"):
        raise click.UsageError("--bom needs --removed FILE.csv or --dry-run")

    from simdup.operations.rewrite import DedupeOptions, rewrite, with_linkage
    from simdup.output.summary import report

    def finish(result: Result, entries: list[Removed]) -> None:
        if listing is not None:
            with options.Output(listing, form).open() as stream:
                stream.writelines(_lines(result, entries, form, page, bom))

    written = DedupeOptions(None if dry_run else target, references, link, force, removed)
    with screen.watch(settings) as watched:
        cleaned = rewrite(sources, written, watched, finish)
    result = cleaned.result
    screen.skipped(result.skipped, result.notes)
    screen.report(report(result, with_linkage(settings).criteria), result.summary.recipe)
    _say_written(cleaned, dry_run, removed, screen)
    return status(result.skipped)


def _lines(
    result: Result, entries: list[Removed], form: str, page: PageOptions, bom: bool
) -> Iterable[bytes]:
    """Return the list of what was removed in one of its formats."""
    from simdup.output.records import removed_csv, removed_jsonl

    if form == PAGE:
        from simdup.report.scan import scan_page

        names = frozenset(one.document for one in entries)
        return scan_page(result, replace(page, kind="dedupe"), names)
    if form == "jsonl":
        return removed_jsonl(entries)
    return removed_csv(entries, bom, measured=result.has_measures)


def _say_written(
    cleaned: Cleaned, dry_run: bool, removed: str | None, screen: options.Screen
) -> None:
    """Print where the corpus was written, how much of it stays, and what it lacks."""
    from simdup.output.summary import cleaned_words, count_words, missing_words

    if cleaned.written == "-":
        screen.report(f"Wrote to standard output: {cleaned_words(cleaned)}.")
    elif cleaned.written is not None:
        screen.wrote(cleaned.written, cleaned_words(cleaned))
    elif dry_run:
        screen.report(f"Wrote no corpus: {cleaned_words(cleaned)}.")
    entries = "document to remove", "documents to remove"
    if cleaned.written:
        entries = "removed document", "removed documents"
    screen.wrote(removed, count_words(len(cleaned.removed), *entries))
    screen.report(missing_words(cleaned))
