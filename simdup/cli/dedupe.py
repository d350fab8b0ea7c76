"""`simdup dedupe`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    from simdup.show.removed import Cleaned, Shortened


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
    from simdup.show.summary import report

    def list_removed(cleaned: Cleaned | Shortened) -> None:
        if listing.path is not None:
            with listing.open() as stream:
                stream.writelines(_removed_lines(cleaned, listing, call))

    waiting = partial(say_error, call["index"] or "")
    options = call.value(DedupeOptions, target=target, report=removed, waiting=waiting)
    if call["unit"]:
        return _cut_parts(call, options, list_removed)
    with call.watch() as settings:
        cleaned = rewrite(sources, options, settings, list_removed)
    result = cleaned.result
    call.screen.skipped(result.skipped, result.notes)
    gone = None if cleaned.annotated or cleaned.written is None else cleaned.removed
    staying = 0 if cleaned.annotated else result.summary.redundant - len(cleaned.removed)
    words, criteria = call.screen.words, result.origins.criteria
    text = report(result, criteria, words=words, removed=gone, staying=staying)
    status = call.finish(result.skipped, text, result.summary.recipe)
    _say_written(cleaned, options, call)
    return status


def _cut_parts(
    call: Call, options: DedupeOptions, list_removed: Callable[[Shortened], None]
) -> Status:
    """Cut repeated parts out of the documents of a corpus."""
    from simdup.operations.repeated_parts import shorten_files
    from simdup.show.removed import account_text, missing_words, shortened_words

    # What is configured for whole documents does not matter here.
    options = replace(options, references=(), max_removed=None, index=None)
    criteria = call.value(PartCriteria, unit=call["unit"])
    with call.watch() as settings:
        settings = replace(settings, recipe=Recipe(), criteria=Criteria())
        shortened = shorten_files(call.sources, options, criteria, settings, list_removed)
    screen, words = call.screen, call.screen.words
    screen.skipped(shortened.skipped, shortened.notes)
    status = call.finish(shortened.skipped, shortened_words(shortened, words))
    screen.wrote(shortened.written)
    screen.wrote(options.report, words(f"parts.{shortened.unit}", n=len(shortened.removed)))
    screen.report(missing_words(shortened.missing, words))
    if options.by is not None and not screen.quiet:
        say("\n".join(account_text(shortened.parts, options.by, screen.painter, "changed")))
    return status


def _removed_lines(cleaned: Cleaned | Shortened, listing: Output, call: Call) -> Iterable[bytes]:
    """Return the list of what was removed, in its format."""
    from simdup.show.removed import Shortened, removed_csv, removed_jsonl, removed_part_lines

    jsonl = listing.format == "jsonl"
    if isinstance(cleaned, Shortened):
        return removed_part_lines(cleaned, jsonl, listing.bom)
    if listing.format == PAGE:
        from simdup.show.report.pairs_page import scan_page

        names = [one.document for one in cleaned.removed]
        return scan_page(cleaned.result, replace(call.page, kind="dedupe"), names)
    return removed_jsonl(cleaned) if jsonl else removed_csv(cleaned, listing.bom)


def _say_written(cleaned: Cleaned, options: DedupeOptions, call: Call) -> None:
    """Print where the corpus was written, how much of it stays, what it lacks and lost."""
    from simdup.show.escaping import shown
    from simdup.show.removed import account_text, cleaned_words, given_up, lost_text, missing_words
    from simdup.show.summary import added_words

    screen, words, result = call.screen, call.screen.words, cleaned.result
    what = cleaned_words(cleaned, words)
    if cleaned.written == "-":
        screen.report(words("wrote.stdout", what=what))
    elif cleaned.written is None and call["dry_run"]:
        screen.report(words("wrote.nothing", what=what))
    screen.wrote(cleaned.written, what)
    entries = "redundant" if cleaned.annotated else "removed" if cleaned.written else "to_remove"
    screen.wrote(options.report, words(entries, n=len(cleaned.removed)))
    if cleaned.added is not None:
        added = added_words(cleaned.added, words)
        screen.report(words("added", index=shown(str(options.index)), added=added))
    screen.report(missing_words(cleaned.missing, words))
    if screen.quiet:
        return
    lost = given_up(result)
    most = 1 - min((one.covered for one in lost), default=1)
    titles = words("spared.lost"), words("given_up", n=len(lost), most=most)
    for title, documents in zip(titles, (result.spared, lost), strict=True):
        if documents:
            screen.report(title)
            say("\n".join(lost_text(result, documents, screen.painter)))
    if options.by is not None:
        say("\n".join(account_text(cleaned.parts, options.by, screen.painter)))
