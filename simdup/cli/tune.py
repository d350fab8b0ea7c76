"""`simdup tune`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status, typed


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

    sources, criteria, out, screen = call.sources, call.settings.criteria, call.out, call.screen
    # What is not asked for is recommended.
    fields = {name: call[name] for name in ("similarity", "shingle") if call.set(name)}
    with call.writing(*sources) as stream:
        with call.watch() as settings:
            tuning = tune(
                sources, settings.recipe, criteria,
                sample=call["sample"], reading=settings.reading, run=settings.run, **fields,
            )  # fmt: skip
        tuning = typed(tuning)
        screen.skipped(tuning.skipped, tuning.notes)
        if out.format == "text":
            paint = out.painter(stream, screen.words)
            stream.writelines(tuning_text(tuning, call.again(), paint, screen.verbose))
        else:
            stream.writelines(tuning_jsonl(tuning))
    return call.finish(tuning.skipped)
