"""The rows of the options for where results go, and for what is printed."""

from __future__ import annotations

from functools import partial
from os.path import realpath

import click

from simdup.cli.messages import LANGUAGES, Screen
from simdup.cli.options.parameter_types import ColumnNames, TextBytes
from simdup.cli.options.row import WRITES, Clash, Idle, Row, Yields
from simdup.model.cleaned import LINKS, DedupeOptions
from simdup.model.page import PageOptions
from simdup.output.details import COLUMNS
from simdup.output.selection import SORTS, Selection
from simdup.output.streams import COLORS, Output

FORMATS = ("text", "csv", "jsonl")
PAGE = "html"
GITHUB = "github"

_RESULTS = "scan, cluster"
_PAGES = f"{_RESULTS}, compare, passages"
_VERBOSE = f"{_RESULTS}, compare, fingerprint, dedupe, index build, index add, query, tune"
_BARS = "scan, compare, passages, fingerprint, dedupe, fit, index build, index add, query, tune"
ALL = f"""{_BARS}, cluster, pairs, evaluate, index remove, index info, index check, index repair, \
index export"""
_PRINTED = "fingerprint, index export"
_WRITTEN = f"{_PAGES}, query, pairs, index info, tune, evaluate"

_NAMES = Idle(lambda o: o["list"], "--list prints names of documents")
_LISTING = (
    _NAMES,
    Idle(lambda o: o.format == PAGE and o.command in ("scan", "cluster"),
         "a report page has a list of its own"),
    Idle(lambda o: o.format == GITHUB, "there is a warning for each document"),
)  # fmt: skip
_PAGE_ONLY = (
    Idle(lambda o: o.format != PAGE, "only a report page (--format html) has texts and links"),
)  # fmt: skip
_DRY = "--{} writes what --dry-run does not; remove one of them"

_selection = partial(Row, of=Selection, rules=_LISTING)
_dedupe = partial(Row, of=DedupeOptions, commands="dedupe")
_page = partial(Row, of=PageOptions, rules=_PAGE_ONLY)


# fmt: off
ROWS = (
    Row("--list WHICH", "scan", "Print only the names of these documents",
        ("redundant", "kept", "unique"), common=True,
        rules=(Yields(lambda o: o.typed("format")),
               Clash(lambda o: o["format"], "--list prints names only; remove --format")),
        trial="||--list unique"),
    Row("--check", "scan",
        "Exit with status 1 if there are near-duplicates; with --baseline, new ones.",
        trial="||--check"),
    Row("--baseline FILE", "scan", "Report only pairs that FILE does not have.", file="read",
        rules=(Clash(lambda o: o["baseline"] == "-",
                     "--baseline needs a file, not standard input"),),
        trial="||--baseline checked"),
    Row("--update-baseline", "scan", "Write all that is found to the --baseline FILE.",
        typed=WRITES,
        rules=(Clash(lambda o: o["baseline"] is None, "--update-baseline needs --baseline FILE"),
               Clash(lambda o: o["path"] and realpath(o["path"]) == realpath(o["baseline"]),
                     "--output and --baseline name the same file")),
        trial="|--baseline unwritten|--update-baseline"),
    _selection("--pairs", _RESULTS, "List pairs instead of clusters, most similar first.",
               common=True, trial="||--pairs"),
    _selection("-n, --limit N", _RESULTS, "List at most N clusters or pairs.", click.IntRange(1),
               common=True, shown="all", trial="both||--limit 1"),
    _selection("--sort KEY", _RESULTS, "Order of clusters or pairs", SORTS,
               shown="size; similarity with --pairs", trial="both||--sort name"),
    _selection("--reverse", _RESULTS,
               "Reverse the order: smallest, least similar or farthest first.",
               trial="both||--reverse"),
    _selection("--min-size N", _RESULTS, "List only clusters of at least N documents.",
               click.IntRange(2), trial="||--min-size 3"),
    _selection("--columns NAMES", "scan",
               "Add columns, separated by commas: title (the first line), length (characters "
               "without white space), modified, folder.", ColumnNames(*COLUMNS), default="",
               shown="none",
               rules=(*_LISTING, Idle(lambda o: o["pairs"], "each pair has two documents")),
               trial="||--columns length"),
    Row("--new", "query", "Print only the names of documents without a match.", common=True,
        rules=(Clash(lambda o: o.format == PAGE,
                     "--new prints no matches, which a report page is made of"),),
        trial="||--new"),
    Row("--check", "query", "Exit with status 1 if any document has a match.",
        trial="twice||--check"),
    Row("--add", "query", "Add documents without a match to the index.", common=True, typed=WRITES,
        trial="||--add"),
    Row("--diff", "compare", "Show the texts and what differs.", common=True, trial="||--diff"),
    Row("--side-by-side", "compare", "Like --diff, in two columns.", common=True,
        rules=(Idle(lambda o: o.format == "jsonl", "JSONL has no columns"),),
        trial="|--diff|--side-by-side"),
    Row("-f, --format FORMAT", _WRITTEN, "Output format", (*FORMATS, PAGE), of=Output, default=None,
        common=True, shown="by suffix, else text", rules=(Yields(lambda o: o.decides_format),),
        per={"scan": {"kind": (*FORMATS, PAGE, GITHUB)}, "pairs": {"kind": FORMATS},
             "compare": {"kind": ("text", "jsonl", PAGE)},
             "index info, tune, evaluate": {"kind": ("text", "jsonl")}}, trial="|-d 20|-f jsonl"),
    Row("-o, --output FILE", f"{_WRITTEN}, {_PRINTED}", "Write the result to FILE.", of=Output,
        name="path", common=True, typed=WRITES, file="written",
        per={_PRINTED: {"common": False}}, trial="||-o out"),
    Row("-o, --output MODEL", "fit", "Write the model to MODEL.", of=Output, name="path",
        default=..., common=True, typed=WRITES, file="written", trial="||-o other"),
    _dedupe("-o, --output OUT", text="Write the clean corpus to OUT.", name="target", common=True,
            typed=WRITES, file="written", trial="||-o out"),
    _dedupe("--removed FILE", of=None, text="List removed documents: why, and what stays instead.",
            common=True, typed=WRITES, file="written", trial="||--removed removed.csv",
            rules=(Clash(lambda o: o["target"] == o["removed"] == "-",
                         "-o and --removed cannot both be standard output"),)),
    Row("--bom", "scan, passages, cluster, pairs, query",
        "Make CSV safe for spreadsheets: byte order mark, no formulas.", of=Output,
        rules=(Yields(lambda o: not o.writes_csv),
               Clash(lambda o: not o.writes_csv, "--bom needs --format csv")),
        trial="|-f csv|--bom"),
    Row("--bom", "dedupe", "Make CSV safe for spreadsheets: byte order mark, no formulas.",
        of=Output,
        rules=(Yields(lambda o: not o.writes_csv),
               Clash(lambda o: not o.writes_csv, "--bom needs --removed FILE.csv or --dry-run")),
        trial="c --dry-run||--bom"),
    Row("--color WHEN", f"{_PAGES}, query, tune", "Color the text", COLORS, of=Output,
        rules=(Idle(lambda o: o.format != "text" or o["list"], "only text has colors"),),
        default=COLORS[0], trial="||--color always"),
    _page("--report-texts SIZE", f"{_PAGES}, dedupe",
          "Most bytes of text in a report page; all or none.", TextBytes(), name="texts",
          default="16M", trial="|-f html --removed out.html|--report-texts none"),
    _page("--report-root PATH", f"{_PAGES}, dedupe, query",
          "Folder that a report page's links start from.", name="root",
          shown="the working folder", trial="|-f html --removed out.html|--report-root /r"),
    _dedupe("--dry-run", of=None, text="Write no corpus; list what would be removed.", common=True,
            typed=WRITES, trial="||--dry-run"),
    _dedupe("--by FIELD", trial="||--by folder",
            text="Count what each value of a record field lost, or, with folder, each folder."),
    _dedupe("--max-removed SHARE", kind=click.FloatRange(0, 1), trial="||--max-removed 0",
            text="Write nothing if the corpus, a SOURCE or a group of --by would lose more."),
    _dedupe("--add", text="Add documents that stay to INDEX, which may be missing.", common=True,
            typed=WRITES, rules=(Clash(lambda o: o["dry_run"], _DRY.format("add")),),
            trial="|--index i|--add"),
    _dedupe("--annotate", typed=WRITES,
            text="Keep all records; add cluster, role, kept, similarity and measure to each.",
            rules=(Clash(lambda o: o["dry_run"], _DRY.format("annotate")),),
            trial="r.jsonl|--field body|--annotate"),
    _dedupe("--force", text="Replace existing files in OUT; never delete any.", typed=WRITES,
            rules=(Idle(lambda o: o["target"] == "-", "standard output is not a file"),),
            trial="|-o full|--force"),
    _dedupe("--link HOW", text="How to put unchanged files in OUT", kind=LINKS,
            trial="||--link symbolic"),
    Row("-q, --quiet", ALL, "Print no report and no notes.", of=Screen, common=True,
        rules=(Yields(lambda o: o.typed("verbose")),
               Clash(lambda o: o["verbose"], "--quiet and --verbose exclude each other")),
        trial="|-o out|-q"),
    Row("-v, --verbose", _VERBOSE, "Print the recipe after the report.", of=Screen,
        rules=(Yields(lambda o: o.typed("quiet") or o["quiet"]),), trial="||-v"),
    Row("--progress/--no-progress", _BARS, "Show progress bars.", of=Screen, default=None,
        shown="on a terminal", trial="|--idf-from c|--progress"),
    Row("--lang LANG", ALL, "Language of reports", LANGUAGES, of=Screen,
        shown="by LC_ALL, LC_MESSAGES, LANG", trial="|-o out|--lang zh"),
)
