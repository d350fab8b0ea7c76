"""`simdup dedupe`."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli import options
from simdup.cli.messages import say, say_skipped
from simdup.cli.progress import progress

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
@click.option("-o", "--output", metavar="OUT", help="The file or folder to write.")
@click.option("--removed", metavar="FILE", help="List what was removed, why, and for which.")
@click.option("--dry-run", is_flag=True, help="Write no corpus; list what it would be without.")
@click.option("--force", is_flag=True, help="Replace files of OUT.")
@click.option("--link", type=click.Choice(LINKS), default="copy", help="How files get to OUT.")
@options.method
@options.distance
@options.verification
@options.measures
@options.keep
@options.linkage
@options.reading
@options.effort
@options.quiet
@options.debug
@options.search
@options.recipe
def command(**given: Any) -> int:
    """Write a corpus without its redundant documents.

    A file of records becomes a file with the records that stay, byte for byte; - as OUT is standard
    output. Folders and several files become a folder. OUT appears when all is done, and whole; what
    cannot be read as a text stays. No SOURCE is ever changed.

    Status: 0 done, 2 where something could not be read.
    """
    named = options.make_sources(given)
    recipe = options.make_recipe(given)
    criteria = options.make_criteria(given)
    reading = options.make_reading(given)
    target = given["output"]
    if target is None and not given["dry_run"]:
        raise click.UsageError("Missing -o OUT; --dry-run does without")
    if target == given["removed"] == "-":
        raise click.UsageError("-o and --removed cannot both be standard output")

    from simdup.model.clusters import Removed, Result
    from simdup.operations.dedupe import dedupe
    from simdup.output.records import removed_csv, removed_jsonl
    from simdup.output.streams import open_output
    from simdup.output.text import report

    listing = given["removed"] or ("-" if given["dry_run"] else None)

    def finish(result: Result, removed: list[Removed]) -> None:
        if listing is not None:
            as_jsonl = listing.lower().endswith((".jsonl", ".ndjson"))
            with open_output(listing) as stream:
                stream.writelines((removed_jsonl if as_jsonl else removed_csv)(removed))

    with progress(given["progress"], given["quiet"]) as show:
        result, _ = dedupe(
            named,
            None if given["dry_run"] else target,
            recipe,
            criteria,
            reading,
            options.make_effort(given, show),
            references=given["references"],
            link=given["link"],
            force=given["force"],
            report=given["removed"],
            finish=finish,
        )
    say_skipped(result.skipped, result.notes, given["quiet"])
    if not given["quiet"]:
        say(report(result, criteria))
    return 2 if any(skipped.error for skipped in result.skipped) else 0
