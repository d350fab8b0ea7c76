"""`simdup conflicts`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status, typed
from simdup.cli.options import GITHUB, PAGE
from simdup.model.readings import ConflictCriteria, ConflictScope


@declare("conflicts", "SOURCE...")
def command(call: Call) -> Status:
    """Find copied text whose copies differ in a fact: 10 mg here, 20 mg there.

    Copies are passages of at least 40 equal units: a Chinese character is one unit, an English word
    two, as in `simdup passages`. Where they differ in a number, date, time, amount,
    percentage, version, code, address or negation, with at least --context equal units on either
    side, they are in conflict. Equal facts in other spelling are not: 二十 is 20, May 1, 2024 is
    2024-05-01. Numbers of articles, sections and lists are no facts.

    A conflict lists what each document says; what the fewest say comes first. --kinds chooses the
    facts, --terms adds words such as names of products.

    With --baseline, only conflicts that its FILE does not have are reported; --update-baseline
    writes it. A conflict is another one if a value or the text around it has changed.

    Status: 0 done; 1 with --check if there are conflicts (with --baseline, new ones); 2 if
    something could not be read or a SOURCE gave no document.

    Examples:
      simdup conflicts handbook/
      simdup conflicts docs/ -o conflicts.html
      simdup conflicts docs/ --kinds amount,percent --terms drugs.txt
      simdup conflicts website/ --reference handbook/ -o conflicts.csv
      simdup conflicts docs/ --check --baseline conflicts.baseline
    """
    from simdup.operations.baseline import conflict_baseline, keep_known, new_conflicts
    from simdup.operations.conflicts import examine, open_conflicts
    from simdup.show.conflict_output import (
        conflict_csv,
        conflict_jsonl,
        conflict_report,
        conflict_text,
    )

    sources, references, out, words = call.sources, call["references"], call.out, call.screen.words
    criteria, scope = call.value(ConflictCriteria), call.value(ConflictScope)
    known = call.baseline("conflicts", *sources, *references)
    with call.writing(*sources, *references) as stream:
        with call.watch() as settings:
            found = typed(examine(open_conflicts(sources, settings, references, scope), criteria,
                                  scope))  # fmt: skip
        call.screen.skipped(found.skipped, found.notes)
        found = found if known is None else keep_known(found, known)
        result = found if known is None else new_conflicts(found, known)
        if out.format == PAGE:
            from simdup.show.report.places_page import conflicts_page

            stream.writelines(conflicts_page(result, criteria, call.page))
        elif out.format == GITHUB:
            from simdup.show.github import advice_words, conflict_warnings, limit_words

            advice = advice_words("Correct what is wrong", known is not None)
            warnings = list(conflict_warnings(result.conflicts, advice))
            stream.writelines(warnings)
        elif out.format == "csv":
            stream.writelines(conflict_csv(result.conflicts, out.bom))
        elif out.format == "jsonl":
            stream.writelines(conflict_jsonl(result))
        else:
            stream.writelines(conflict_text(result.conflicts, out.painter(stream, words)))
    new = call["check"] and not call["update_baseline"] and len(result) > 0
    report = conflict_report(result, words)
    if out.format == GITHUB:
        report = "\n".join(filter(None, [report, limit_words(len(warnings))]))
    status = call.finish(result.skipped, report, listed=result.conflicts, no=new)
    if known is not None and call["update_baseline"]:
        written = conflict_baseline(found)
        what = words("conflicts", n=len(written.clusters))
        call.update_baseline(found.skipped, known, written, "conflicts", what)
    return status
