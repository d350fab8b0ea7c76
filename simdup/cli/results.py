"""Write a result in each of its formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

from simdup.cli.options.output_rows import GITHUB, PAGE
from simdup.cli.outputs import Output

if TYPE_CHECKING:
    from simdup.model.criteria import Criteria
    from simdup.model.page import PageOptions
    from simdup.model.result import Result
    from simdup.output.selection import Selection
    from simdup.output.words import Words


def name_lines(stream: BinaryIO, names: Iterable[str], null: bool) -> Iterator[bytes]:
    """Yield names, each followed by a newline or NUL; on a terminal they are escaped."""
    from simdup.corpus.names import list_entry
    from simdup.output.escaping import shown

    end = b"\0" if null else b"\n"
    spell = shown if stream.isatty() else str
    return (list_entry(spell(name)) + end for name in names)


def write_page(stream: BinaryIO, result: Result, page: PageOptions) -> None:
    """Write a result as a report page."""
    from simdup.report.scan import scan_page

    stream.writelines(scan_page(result, page))


def closing_words(
    result: Result, criteria: Criteria, selection: Selection, format_: str, words: Words
) -> str:
    """Return the closing report of a scan."""
    from simdup.output.selection import EVERYTHING
    from simdup.output.summary import report

    listed = EVERYTHING if format_ in (PAGE, GITHUB) else selection
    text = report(result, criteria, listed, words)
    if format_ != GITHUB:
        return text
    from simdup.output.github import limit_words

    return "\n".join(filter(None, [text, limit_words(result)]))


def write_result(
    stream: BinaryIO,
    result: Result,
    out: Output,
    selection: Selection,
    words: Words,
    extras: Sequence[str] = (),
) -> None:
    """Write clusters or pairs in a format, with columns for extra measures."""
    if out.format == GITHUB:
        _write_warnings(stream, result)
        return
    from simdup.output import records
    from simdup.output.details import details, new_documents

    measured = result.has_measures
    pairs = selection.chosen_pairs(result) if selection.pairs else []
    clusters = [] if selection.pairs else selection.clusters(result)
    more = details(result, clusters, selection.columns)
    if result.summary.new is not None and out.format != "jsonl":
        more = {"new": new_documents(clusters), **more}
    if out.format == "csv":
        if selection.pairs:
            lines = records.pair_csv(pairs, extras, out.bom, measured=measured)
        else:
            lines = records.cluster_csv(clusters, extras, out.bom, measured=measured, more=more)
    elif out.format == "jsonl":
        if selection.pairs:
            lines = records.pair_jsonl(pairs)
        else:
            lines = records.cluster_jsonl(clusters, more)
        lines = chain(lines, records.summary_jsonl(result))
    else:
        from simdup.model.criteria import EDIT
        from simdup.output.text import cluster_text, pair_text

        paint = out.painter(stream, words)
        if any(pair.measure == EDIT for pair in result.pairs):
            extras = (*extras, "measure")
        as_clusters = cluster_text(clusters, paint, extras, more)
        lines = pair_text(pairs, paint, extras) if selection.pairs else as_clusters
    stream.writelines(lines)


def _write_warnings(stream: BinaryIO, result: Result) -> None:
    """Write a result as warnings of a GitHub workflow."""
    from simdup.output.github import warning_lines

    advice = "Keep one of them, or let one refer to the other"
    if result.summary.new is not None:
        advice += "; if both should stay, update the baseline with --update-baseline"
    stream.writelines(warning_lines(result, f"{advice}."))
