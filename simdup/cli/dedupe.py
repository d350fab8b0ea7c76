"""`simdup dedupe`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status, say, say_error
from simdup.cli.options import PAGE
from simdup.model.cleaned import DedupeOptions, PartCriteria
from simdup.model.criteria import Criteria
from simdup.model.recipe import Recipe
from simdup.show.streams import Output

if TYPE_CHECKING:
    from simdup.show.removed import Cleaned


@declare("dedupe", "SOURCE...")
def command(call: Call) -> Status:
    """Write a corpus without its redundant documents.

    What a scan calls redundant is removed: each of these is near a document that stays. A file of
    records becomes a file of the remaining ones, byte for byte; a folder, or several files, become
    a folder. OUT appears only when it is complete; it may be - for standard output. SOURCEs are
    never changed.

    Binary, empty and undecodable files are copied as they are. With --unit a document that loses
    all of its text stays, empty.

    Status: 0 done; 2 if something could not be read, vanished or changed during the run, or if more
    would be removed than --max-removed.

    Examples:
      simdup dedupe train.jsonl.zst -o clean.jsonl.zst --removed removed.csv
      simdup dedupe ./corpus -o ./clean --keep longest
      simdup dedupe today.jsonl --id-field url --index seen.index --add -o new.jsonl
      simdup dedupe train.jsonl -o clean.jsonl --by source --max-removed 0.5
      simdup dedupe ./pages --unit paragraph --dry-run
    """
    sources, removed, dry_run = call.sources, call["removed"], call["dry_run"]
    target = None if dry_run else call["target"]
    if target is None and not dry_run:
        raise click.UsageError("missing -o OUT (only --dry-run works without it)")
    listing = call.value(Output, path=removed or ("-" if dry_run else None), format=call.format)
    call.check_suffix(("csv", "jsonl") if call["unit"] else ("csv", "jsonl", PAGE))

    from simdup.operations.dedupe import rewrite
    from simdup.show.removed import parts_words
    from simdup.show.summary import report

    def list_removed(cleaned: Cleaned) -> None:
        if listing.path is not None:
            with listing.open() as stream:
                stream.writelines(_removed_lines(cleaned, listing, call))

    waiting = partial(say_error, call["index"] or "")
    options = call.value(DedupeOptions, target=target, report=removed, waiting=waiting)
    parts = call.value(PartCriteria, unit=call["unit"]) if call["unit"] else None
    if parts is not None:
        # What is configured for whole documents does not matter here.
        options = replace(options, references=(), max_removed=None, index=None)
    with call.watch() as settings:
        if parts is not None:
            settings = replace(settings, recipe=Recipe(), criteria=Criteria())
        cleaned = rewrite(sources, options, settings, list_removed, parts)
    screen, words, result = call.screen, call.screen.words, cleaned.result
    screen.skipped(cleaned.skipped, cleaned.notes)
    if parts is not None:
        status = call.finish(cleaned.skipped, parts_words(cleaned, words))
    else:
        gone = None if cleaned.annotated or cleaned.written is None else cleaned.removed
        staying = 0 if cleaned.annotated else result.summary.redundant - len(cleaned.removed)
        text = report(result, result.origins.criteria, words=words, removed=gone, staying=staying)
        status = call.finish(cleaned.skipped, text, result.summary.recipe)
    _say_written(cleaned, options, call)
    return status


def _removed_lines(cleaned: Cleaned, listing: Output, call: Call) -> Iterable[bytes]:
    """Return the list of what was removed, in its format."""
    if listing.format == PAGE:
        from simdup.show.report.pairs_page import scan_page

        names = [one.document for one in cleaned.removed]
        return scan_page(cleaned.result, replace(call.page, kind="dedupe"), names)
    from simdup.show.removed import removed_lines

    return removed_lines(cleaned, listing.format == "jsonl", listing.bom)


def _say_written(cleaned: Cleaned, options: DedupeOptions, call: Call) -> None:
    """Print where the corpus was written, how much of it stays, what it lacks and lost."""
    from simdup.show.escaping import shown
    from simdup.show.removed import account_text, cleaned_words, given_up, lost_text, missing_words
    from simdup.show.summary import added_words

    screen, words, whole = call.screen, call.screen.words, cleaned.unit == "document"
    what = cleaned_words(cleaned, words) if whole else ""
    if whole and cleaned.written == "-":
        screen.report(words("wrote.stdout", what=what))
    elif whole and cleaned.written is None and call["dry_run"]:
        screen.report(words("wrote.nothing", what=what))
    screen.wrote(cleaned.written, what)
    entries = f"parts.{cleaned.unit}"
    if whole:
        entries = (
            "redundant" if cleaned.annotated else "removed" if cleaned.written else "to_remove"
        )
    screen.wrote(options.report, words(entries, n=len(cleaned.removed)))
    if cleaned.added is not None:
        added = added_words(cleaned.added, words)
        screen.report(words("added", index=shown(str(options.index)), added=added))
    screen.report(missing_words(cleaned.missing, words))
    if screen.quiet:
        return
    lost = given_up(cleaned.result) if whole else []
    most = 1 - min((one.covered for one in lost), default=1)
    titles = words("spared.lost"), words("given_up", n=len(lost), most=most)
    spared = cleaned.result.spared if whole else ()
    for title, documents in zip(titles, (spared, lost), strict=True):
        if documents:
            screen.report(title)
            say("\n".join(lost_text(cleaned.result, documents, screen.painter)))
    if options.by is not None:
        say("\n".join(account_text(cleaned, options.by, screen.painter)))
