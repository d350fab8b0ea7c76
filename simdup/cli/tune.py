"""`simdup tune`."""

from __future__ import annotations

from simdup.base.system import quoted
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
    from simdup.show.evaluation import tuning_jsonl, tuning_text

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
            stream.writelines(tuning_text(tuning, _again(call), paint, screen.verbose))
        else:
            stream.writelines(tuning_jsonl(tuning))
    return call.finish(tuning.skipped)


# What a command reads and compares, not where its output goes: panels, and single options.
_PANELS, _OPTIONS = ("Input", "Search", "Recipe"), ("shingle", "config", "isolated")


def _again(call: Call) -> str:
    """Return what was typed or configured of the sources and of how to read and compare them.

    To be pasted after another command.  What is configured may hold for this command only, so it is
    repeated.
    """
    words = []
    for row in call.rows:
        name = row.parameter
        if call.set(name) and (row.panel in _PANELS or name in _OPTIONS):
            on, _, off = row.opts[-1].partition("/")
            if row.metavar is None:
                words.append(on if call[name] or not off else off)
            else:
                values = call[name] if row.multiple else (call[name],)
                words += [word for one in values for word in (on, str(one))]
    sources = list(call["sources"])
    if any(source.startswith("-") and source != "-" for source in sources):
        words.append("--")
    return quoted([*words, *sources])
