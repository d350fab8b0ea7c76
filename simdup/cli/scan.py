"""`simdup scan`."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from simdup.cli import options
from simdup.cli.outcome import Status, status, typed
from simdup.cli.results import FORMATS, name_lines, write_result
from simdup.model.settings import Settings

LISTS = ("redundant", "kept", "unique")


@click.command("scan", cls=options.Command)
@options.sources_with_list
@options.settings(options.reading, options.criteria(), options.run_with_search, options.recipe)
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
@options.output(*FORMATS)
@options.screen
@click.pass_context
def command(
    context: click.Context,
    *,
    sources: list[str],
    settings: Settings,
    references: tuple[str, ...],
    out: options.Output,
    screen: options.Screen,
    listed: str | None,
    check: bool,
) -> Status:
    """Find near-duplicate documents in files and folders.

    A SOURCE is a folder, a file, a file of records, one record of it (train.jsonl#5, or its name
    with --id-field), or - for standard input. Pairs are found by their fingerprints and by the text
    they share, and checked on their texts. Documents that pairs connect form a cluster: one is
    kept, those that meet the criteria with it are redundant, and those that are connected through
    others only are linked.

    A --reference may be an index: it decides the recipe, and is searched by fingerprint alone. It
    has sketches instead of texts, so similarities to its documents are estimates (~).

    Status: 0 done; 1 with --check if near-duplicates were found; 2 if something could not be read
    or a SOURCE gave no document.

    Examples:
      simdup scan ./corpus
      simdup scan news/ archive.jsonl -o duplicates.csv
      simdup scan -d 6 -s 0.9 --keep longest --glob '*.md' docs/
      simdup scan ./corpus --list redundant -0 | xargs -0 -r ls -l
      find . -name '*.txt' -print0 | simdup scan --files-from - -0
    """
    if listed and context.params["format_"]:
        raise click.UsageError("--list prints names only; remove --format")

    from simdup.operations.scan import scan

    recipe, criteria, reading = settings.recipe, settings.criteria, settings.reading
    with out.open([*sources, *references], reading) as stream:
        with screen.watch(settings) as watched:
            result = scan(
                sources, recipe, criteria, references=references, reading=reading, run=watched.run
            )
        result = replace(result, skipped=typed(result.skipped))
        screen.skipped(result.skipped, result.notes)
        if listed:
            names = result.names(listed)
            stream.writelines(name_lines(stream, names, context.params["null"]))
        else:
            write_result(stream, result, out, criteria.columns)
    if not screen.quiet:
        from simdup.output.summary import report

        between = out.format == "text" and result.clusters and sys.stdout.isatty()
        screen.report(("\n" if between else "") + report(result, criteria), result.summary.recipe)
        screen.wrote(out.path)
    return status(result.skipped, no=check and bool(result.clusters))
