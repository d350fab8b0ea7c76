"""`simdup dedupe`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status
from simdup.model.criteria import Criteria
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, Settings

if TYPE_CHECKING:
    from simdup.model.clusters import Removed, Result

LINKS = ("copy", "hard", "symbolic")


@click.command(
    "dedupe",
    cls=options.Command,
    examples="""
    simdup dedupe train.jsonl.zst -o clean.jsonl.zst --removed removed.csv
    simdup dedupe ./corpus -o ./clean --link hard --keep longest
    simdup dedupe delivery/ --reference archive/ -o new/
    simdup dedupe ./corpus --dry-run
    """,
)
@options.sources
@options.reading
@options.criteria()
@options.references
@options.option(
    "-o",
    "--output",
    "target",
    panel="Output",
    common=True,
    metavar="OUT",
    help="The file or folder to write.",
)
@options.option(
    "--removed",
    panel="Output",
    common=True,
    metavar="FILE",
    help="List what was removed, why, and which document was kept for it.",
)
@options.option(
    "--dry-run",
    panel="Output",
    common=True,
    is_flag=True,
    help="Write no corpus; list what would be removed.",
)
@options.option("--force", panel="Output", is_flag=True, help="Replace files of OUT.")
@options.option(
    "--link",
    panel="Output",
    type=click.Choice(LINKS),
    default="copy",
    help="How unchanged files get to OUT.",
)
@options.screen
@options.run_with_search
@options.recipe
@options.debug
def command(
    *,
    sources: list[str],
    recipe: Recipe,
    criteria: Criteria,
    reading: Reading,
    run: RunOptions,
    references: tuple[str, ...],
    target: str | None,
    removed: str | None,
    dry_run: bool,
    force: bool,
    link: str,
    screen: options.Screen,
) -> Status:
    """Write a corpus without its redundant documents.

    A file of records becomes a file with the records that stay, byte for byte; - as OUT is standard
    output. Folders and several files become a folder. OUT appears when everything is done, and
    whole. Binary, empty and unreadable files are kept as they are. No SOURCE is ever changed.

    Status: 0 done, 2 if something could not be read.
    """
    if target is None and not dry_run:
        raise click.UsageError("Missing -o OUT; with --dry-run it is not needed")
    if target == removed == "-":
        raise click.UsageError("-o and --removed cannot both be standard output")

    from simdup.operations.dedupe import DedupeOptions, dedupe
    from simdup.output.records import removed_csv, removed_jsonl
    from simdup.output.text import report

    listing = removed or ("-" if dry_run else None)

    def finish(result: Result, entries: list[Removed]) -> None:
        if listing is not None:
            as_jsonl = listing.lower().endswith((".jsonl", ".ndjson"))
            with options.Output(listing).open() as stream:
                stream.writelines((removed_jsonl if as_jsonl else removed_csv)(entries))

    written = DedupeOptions(None if dry_run else target, references, link, force, removed)
    with screen.watch(run) as watched:
        result, _ = dedupe(sources, written, Settings(recipe, criteria, reading, watched), finish)
    screen.skipped(result.skipped, result.notes)
    screen.report(report(result, criteria))
    return status(result.skipped)
