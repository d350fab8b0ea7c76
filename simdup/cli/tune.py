"""`simdup tune`."""

from __future__ import annotations

from dataclasses import replace

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.outcome import Status, status, typed
from simdup.model.criteria import CriteriaFields


@declare("tune", "SOURCE...")
def command(call: Call) -> Status:
    """Find out which settings suit a corpus.

    Finds the pairs of the corpus, short ones by edits and others by shingles as a scan does. For
    each setting, prints the share of these pairs that it finds and, on a sample, the cost. The
    settings are the default, simhash at some distances, the other methods, and shorter
    shingles where texts are short or heavily edited. Then prints a histogram of similarities. All
    of that comes after the advice: a command to paste, and the reason for it. Without --similarity
    and --shingle, it recommends them; where it cannot know better than the default, it advises the
    default and says why. Identical texts count once.

    Examples:
      simdup tune ./corpus
      simdup tune -s 0.9 --sample 5000 ./corpus
      simdup tune -f jsonl ./corpus | jq -r 'select(.type == "advice").options'
    """
    from simdup.operations.tune import tune
    from simdup.output.tuning import tuning_jsonl, tuning_text

    sources, settings, out, screen = call.sources, call.settings, call.out, call.screen
    fields: CriteriaFields = {}
    if call.set("similarity"):
        fields["similarity"] = settings.criteria.similarity
    if call.set("shingle"):
        fields["shingle"] = settings.criteria.shingle
    with out.open(sources, settings.reading) as stream:
        with screen.watch(settings) as watched:
            found = tune(
                sources, watched.recipe, watched.criteria,
                sample=call["sample"], reading=watched.reading, run=watched.run, **fields,
            )  # fmt: skip
        found = replace(found, skipped=typed(found.skipped))
        screen.skipped(found.skipped, found.notes)
        if out.format == "text":
            rest = call.again()
            stream.writelines(
                tuning_text(found, rest, out.painter(stream, screen.words), screen.verbose)
            )
        else:
            stream.writelines(tuning_jsonl(found))
    screen.wrote(out.path)
    return status(found.skipped)
