"""`simdup scan`."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.options.output_rows import PAGE
from simdup.cli.outcome import Status, status, typed
from simdup.cli.outputs import BaselineCheck
from simdup.cli.process import rewindable_stdin
from simdup.cli.results import (
    closing_words,
    name_lines,
    write_page,
    write_result,
)
from simdup.model.settings import Settings
from simdup.output.selection import EVERYTHING, Selection

if TYPE_CHECKING:
    from simdup.cli.outputs import Screen
    from simdup.model.result import Result


@declare("scan", "SOURCE...")
def command(call: Call) -> Status:
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
    from simdup.operations.baseline import baseline_of, new_since

    sources, references, listed = call.sources, call["references"], call["list"]
    settings, out, screen = call.settings, call.out, call.screen
    selection, check = call.value(Selection), call.value(BaselineCheck)
    criteria, reading = settings.criteria, settings.reading
    known = check.read([*sources, *references], reading)
    with out.open([*sources, *references], reading) as stream:
        if "-" in sources and (out.format == PAGE or selection.reads_again):
            rewindable_stdin()
        found = _find(sources, references, settings, screen)
        result = found if known is None else new_since(found, known)
        if listed:
            names = getattr(result, listed)
            stream.writelines(name_lines(stream, names, call["null"]))
        elif out.format == PAGE:
            write_page(stream, result, call.page)
        else:
            write_result(stream, result, out, selection, screen.words, criteria.columns)
    if not screen.quiet:
        between = out.format == "text" and result.clusters and sys.stdout.isatty()
        shown = EVERYTHING if listed else selection
        text = closing_words(result, criteria, shown, out.format, screen.words)
        screen.report(("\n" if between else "") + text, result.summary.recipe)
        screen.wrote(out.path)
    if check.update_baseline:
        check.write(baseline_of(found), found.skipped, screen)
    new = check.status and bool(result.clusters) and not check.update_baseline
    return status(result.skipped, no=new)


def _find(
    sources: list[str], references: tuple[str, ...], settings: Settings, screen: Screen
) -> Result:
    """Return what a scan finds, and say what was skipped."""
    from simdup.operations.scan import examine, open_scan

    with screen.watch(settings) as watched:
        result = examine(open_scan(sources, watched, references)).result
    result = replace(result, skipped=typed(result.skipped))
    screen.skipped(result.skipped, result.notes)
    return result
