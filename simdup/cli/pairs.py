"""`simdup pairs`."""

from __future__ import annotations

import click

from simdup.cli import options
from simdup.cli.outcome import Status
from simdup.model.settings import Settings

FORMATS = ("text", "csv", "jsonl")


@click.command("pairs", cls=options.Command)
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(readable=False))
@options.settings(options.criteria("distance"), options.search_for_pairs)
@options.output(*FORMATS, colors=False)
@options.screen_with("quiet")
def command(
    *, files: tuple[str, ...], settings: Settings, out: options.Output, screen: options.Screen
) -> Status:
    """List the pairs of fingerprint lines within a distance.

    Each line of output is the distance and both names, separated by tabs, in input order. Equal
    fingerprints are paired with the first of them only.

    Examples:
      simdup fingerprint ./corpus | simdup pairs
      simdup pairs -d 5 prints.txt | sort -n | head
    """
    from simdup.corpus.fingerprint_lines import read_lines
    from simdup.operations.pairs import pairs
    from simdup.output.records import pair_csv, pair_jsonl, pair_lines

    lines = read_lines(files or ["-"])
    with (
        pairs(lines, settings.criteria.distance, settings.run) as found,
        out.open(files) as stream,
    ):
        if out.format == "csv":
            stream.writelines(pair_csv(found, bom=out.bom))
        else:
            stream.writelines((pair_jsonl if out.format == "jsonl" else pair_lines)(found))
    screen.wrote(out.path)
    return Status.DONE
