"""`simdup decontaminate`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status, as_typed
from simdup.model.cleaned import DedupeOptions
from simdup.model.shared_passages import LeakCriteria
from simdup.show.streams import Output

if TYPE_CHECKING:
    from simdup.show.leak_output import Decontaminated


@declare("decontaminate", "SOURCE...")
def command(call: Call) -> Status:
    """Write a training corpus without the documents that have evaluation texts.

    A text of --against is leaked if one document has at least --share of it, in equal runs of at
    least --min-run units (Chinese characters; a word is 2), whatever the line breaks, the text
    around it or the encoding. Text that many evaluation texts of a file share, such as an
    instruction, does not count. A document with a leak is left out; with --mask it stays, and loses
    what it has of the text. All others are as they were, byte for byte. Neither the SOURCEs nor the
    evaluation texts are changed.

    The report has a rate for each file of evaluation texts. Without -o, nothing is written.

    Status: 0 done; 1 with --check, if a file of evaluation texts has a higher rate; 2 if something
    could not be read, or could not be left out or cut.

    Examples:
      simdup decontaminate train.jsonl --against evals/ -o clean.jsonl
      simdup decontaminate corpus/ --against test.jsonl -o clean/ --mask
      simdup decontaminate train.jsonl --against evals/ --evidence leaks.jsonl
      simdup decontaminate train.jsonl --against evals/ --check 0
    """
    from simdup.corpus.sources import Named
    from simdup.operations.decontaminate import find_leaking, read_evaluations
    from simdup.show.cleaned_corpus import rewrite_corpus
    from simdup.show.leak_output import evidence, leak_report
    from simdup.show.removed import missing_words

    target, listed = call["target"], call["removed"]
    if not call["against"]:
        raise click.UsageError("missing --against EVAL")
    if "-" in call["against"] and "-" in call.sources:
        raise click.UsageError("only one of SOURCE and EVAL can be standard input")
    criteria, screen = call.value(LeakCriteria), call.screen
    options = call.value(DedupeOptions, target=target, references=call["against"], report=listed)
    call.check_suffix(("jsonl",))
    listing = Output(path=listed, format="jsonl")

    def write_evidence(found: Decontaminated) -> None:
        if listed is not None:
            with listing.open() as stream:
                stream.writelines(evidence(_typed(found)))

    with call.watch() as settings:
        fields = call["against_field"], call["against_id_field"]
        texts = read_evaluations(Named(call["against"]), settings, *fields)
        find = partial(find_leaking, texts=texts, criteria=criteria, mask=call["mask"])
        found = _typed(rewrite_corpus(call.sources, options, settings, find, write_evidence))
    screen.skipped(found.skipped, found.notes)
    above = call["check"] is not None and any(one.rate > call["check"] for one in found.rates)
    report = leak_report(found, criteria, screen.words, done=found.written is not None)
    status = call.finish(found.skipped, report, no=above)
    screen.wrote(found.written)
    screen.wrote(listed, screen.words("leaks", n=len(found.leaks)))
    screen.report(missing_words(found.missing, screen.words))
    return status


def _typed(found: Decontaminated) -> Decontaminated:
    """Return the result with reasons in terms of the command line."""
    skipped = (replace(one, reason=as_typed(one.reason)) for one in found.skipped)
    return replace(found, skipped=tuple(skipped))
