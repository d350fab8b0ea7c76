"""`simdup scan`."""

from __future__ import annotations

from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status, typed
from simdup.cli.options import GITHUB, PAGE
from simdup.show.selection import EVERYTHING, Selection, result_lines


@declare("scan", "SOURCE...")
def command(call: Call) -> Status:
    """Find near-duplicate documents in files and folders.

    Pairs are found by fingerprint and by shared text, and verified on the full texts. What pairs
    connect is a cluster. Its first document (see --keep) is kept, and those near it are redundant;
    then the next one that is left, and so on. So a cluster may have several kept documents; dedupe
    removes the redundant ones. With --baseline only what FILE does not have is reported.

    A SOURCE may also be one record: train.jsonl#5, or its name with --id-field. Similarities to
    documents of an index (--reference) are estimates.

    Status: 0 done; 1 with --check if near-duplicates were found; 2 if something could not be read
    or a SOURCE gave no document.

    Examples:
      simdup scan ./corpus
      simdup scan news/ archive.jsonl -o report.html
      simdup scan -d 6 -s 0.9 --keep longest --glob '*.md' docs/
      simdup scan ./corpus --list redundant -0 | xargs -0 -r ls -l
      find . -name '*.txt' -print0 | simdup scan --files-from - -0
      simdup scan docs/ --check --baseline simdup.baseline
    """
    from simdup.operations.baseline import baseline_of, new_since
    from simdup.operations.scan import examine, open_scan
    from simdup.show.lines import name_lines
    from simdup.show.summary import report

    sources, references, listed = call.sources, call["references"], call["list"]
    out, words, criteria = call.out, call.screen.words, call.settings.criteria
    selection, known = call.value(Selection), call.baseline("", *sources, *references)
    with call.writing(*sources, *references) as stream:
        with call.watch() as settings:
            # Only the page shows facts; all else is found in half the time without them.
            asked = ["facts"] if out.format == PAGE and not listed else []
            asked += ["similarities"] if call.screen.verbose else []
            found = typed(examine(open_scan(sources, settings, references), asked).result)
        call.screen.skipped(found.skipped, found.notes)
        result = found if known is None else new_since(found, known)
        if listed:
            stream.writelines(name_lines(stream, getattr(result, listed), call["null"]))
        elif out.format == PAGE:
            from simdup.show.report.pairs_page import scan_page

            stream.writelines(scan_page(result, call.page))
        elif out.format == GITHUB:
            from simdup.show.github import advice_words, limit_words, warning_lines

            advice = "Keep one of them, or let one refer to the other"
            warnings = list(warning_lines(result, advice_words(advice, known is not None)))
            stream.writelines(warnings)
        else:
            stream.writelines(result_lines(result, selection, out, stream, words))
    shown = EVERYTHING if listed or out.format in (PAGE, GITHUB) else selection
    text = report(result, criteria, shown, words)
    if out.format == GITHUB:
        text = "\n".join(filter(None, [text, limit_words(len(warnings))]))
    new = call["check"] and not call["update_baseline"] and len(result.clusters) > 0
    status = call.finish(
        result.skipped, text, result.summary.recipe, listed=result.clusters, no=new
    )
    if known is not None and call["update_baseline"]:
        baseline = baseline_of(found)
        documents = words("documents", n=sum(map(len, baseline.clusters)))
        clusters = words("clusters", n=len(baseline.clusters))
        what = words("baseline", documents=documents, clusters=clusters)
        call.update_baseline(found.skipped, known, baseline, "", what)
    return status
