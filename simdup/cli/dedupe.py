"""`simdup dedupe`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import click

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import say_error
from simdup.cli.options.output_rows import PAGE
from simdup.cli.outcome import Status, status
from simdup.cli.outputs import Output, Screen, format_by_suffix
from simdup.model.page import PageOptions

if TYPE_CHECKING:
    from simdup.model.cleaned import Cleaned, DedupeOptions


class _Writing(NamedTuple):
    """What is to be written: the corpus, and the list of what was removed."""

    corpus: DedupeOptions
    listing: Output
    page: PageOptions
    dry_run: bool

    @property
    def listed(self) -> bool:
        """Whether what was removed is to be listed."""
        return self.listing.path is not None

    def list_removed(self, cleaned: Cleaned) -> None:
        """Write the list of what was removed, if it is asked for."""
        if self.listed:
            with self.listing.open() as stream:
                stream.writelines(self._lines(cleaned))

    def _lines(self, cleaned: Cleaned) -> Iterable[bytes]:
        from simdup.output.removed import removed_csv, removed_jsonl

        if self.listing.format == PAGE:
            from simdup.report.scan import scan_page

            names = frozenset(one.document for one in cleaned.removed)
            return scan_page(cleaned.result, replace(self.page, kind="dedupe"), names)
        if self.listing.format == "jsonl":
            return removed_jsonl(cleaned)
        return removed_csv(cleaned, self.listing.bom)


def _writing(call: Call) -> _Writing:
    """Return what is to be written; refuse what contradicts itself."""
    from simdup.model.cleaned import DedupeOptions

    target, removed, dry_run = call["target"], call["removed"], call["dry_run"]
    if target is None and not dry_run:
        raise click.UsageError("missing -o OUT (only --dry-run works without it)")
    if target == removed == "-":
        raise click.UsageError("-o and --removed cannot both be standard output")
    listing = removed or ("-" if dry_run else None)
    form = format_by_suffix(listing, ("csv", "jsonl", PAGE))
    corpus = call.value(
        DedupeOptions,
        target=None if dry_run else target,
        report=removed,
        waiting=lambda what: say_error(call["index"] or "", what),
    )
    return _Writing(corpus, call.value(Output, path=listing, format=form), call.page, dry_run)


@declare("dedupe", "SOURCE...")
def command(call: Call) -> Status:
    """Write a corpus without its redundant documents.

    Every removed document is a near-duplicate of a document that stays. A file of records becomes
    a file of the remaining records, byte for byte; OUT may be - for standard output. A folder, or
    several files, become a folder. OUT appears only when it is complete. Binary, empty and
    undecodable files are copied as they are; a file that cannot be opened is named, and is missing
    from OUT. SOURCEs are never changed.

    A --reference may be an index: see simdup scan --help. With --lossless the kept document has at
    least 98 % of the shingles of each removed one, and all of its numbers, dates and codes.

    Status: 0 done; 2 if something could not be read, vanished or changed during the run, or if more
    would be removed than --max-removed.

    Examples:
      simdup dedupe train.jsonl.zst -o clean.jsonl.zst --removed removed.csv
      simdup dedupe ./corpus -o ./clean --link hard --keep longest
      simdup dedupe today.jsonl --id-field url --index seen.index --add -o new.jsonl
      simdup dedupe train.jsonl -o clean.jsonl --by source --max-removed 0.5
      simdup dedupe ./corpus -o ./clean --lossless --keep longest
      simdup dedupe train.jsonl -o annotated.jsonl --annotate
      simdup dedupe ./corpus --dry-run
    """
    from simdup.operations.rewrite import rewrite, with_linkage
    from simdup.output.summary import report

    sources, settings, writing, screen = call.sources, call.settings, _writing(call), call.screen
    with screen.watch(settings) as watched:
        cleaned = rewrite(sources, writing.corpus, watched, writing.list_removed)
    result = cleaned.result
    screen.skipped(result.skipped, result.notes)
    words = report(result, with_linkage(settings).criteria, words=screen.words)
    screen.report(words, result.summary.recipe)
    _say_written(cleaned, writing, screen)
    return status(result.skipped)


def _say_written(cleaned: Cleaned, writing: _Writing, screen: Screen) -> None:
    """Print where the corpus was written, how much of it stays, what it lacks and lost."""
    from simdup.operations.losses import find_lost, given_up
    from simdup.output.account import account_text, lost_text
    from simdup.output.escaping import shown
    from simdup.output.summary import added_words, cleaned_words, missing_words

    words, result = screen.words, cleaned.result
    what = cleaned_words(cleaned, words)
    if cleaned.written == "-":
        screen.report(words("wrote.stdout", what=what))
    elif cleaned.written is not None:
        screen.wrote(cleaned.written, what)
    elif writing.dry_run:
        screen.report(words("wrote.nothing", what=what))
    entries = "removed" if cleaned.written else "to_remove"
    entries = "redundant" if cleaned.annotated else entries
    screen.wrote(writing.corpus.report, words(entries, n=len(cleaned.removed)))
    if cleaned.added is not None:
        index = shown(str(writing.corpus.index))
        screen.report(words("added", index=index, added=added_words(cleaned.added, words)))
    screen.report(missing_words(cleaned, words))
    if result.spared and not screen.quiet:
        screen.report(words("spared.lost"))
        screen.table(lost_text(find_lost(result, result.spared), screen.painter))
    if (lost := given_up(result)) and not screen.quiet:
        most = 1 - min(one.covered for one in lost)
        screen.report(words("given_up", n=len(lost), most=most))
        screen.table(lost_text(find_lost(result, lost), screen.painter))
    if writing.corpus.by is not None:
        screen.table(account_text(cleaned.parts, writing.corpus.by, screen.painter))
