"""`simdup pairs`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status


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
    from simdup.operations.cluster import pairs
    from simdup.show.lines import pair_csv, pair_lines, typed

    files, distance, run = call["files"], call.settings.criteria.distance, call.settings.run
    with (
        pairs(read_lines(files or ["-"]), distance, run, call["tables"], call["search"]) as near,
        call.writing(*files) as stream,
    ):
        if call.out.format == "csv":
            stream.writelines(pair_csv(near, bom=call.out.bom))
        else:
            jsonl = call.out.format == "jsonl"
            stream.writelines(typed("pair", near) if jsonl else pair_lines(near))
    return call.finish()
