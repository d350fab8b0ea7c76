"""`simdup pairs`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.outcome import Status


@declare("pairs", "[FILE...]")
def command(call: Call) -> Status:
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

    files, settings, out = call["files"], call.settings, call.out
    lines = read_lines(files or ["-"])
    with (
        pairs(lines, settings.criteria.distance, settings.run) as found,
        out.open(files) as stream,
    ):
        if out.format == "csv":
            stream.writelines(pair_csv(found, bom=out.bom))
        else:
            stream.writelines((pair_jsonl if out.format == "jsonl" else pair_lines)(found))
    call.screen.wrote(out.path)
    return Status.DONE
