"""The table of options: each is one row, which says all that there is to know of it.

Help, parsing, configuration, refusals, completion, `docs/cli.md` and the tests read the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from os.path import realpath
from typing import Any

import click

from simdup.cli.messages import LANGUAGES, Screen
from simdup.cli.row import (
    ABOUT,
    INFILE,
    OUTFILE,
    READS,
    RECIPE,
    WRITES,
    Clash,
    Row,
    Text,
    decisions_in,
    encoding_of,
    names_of,
    size_of,
    text_bytes_of,
)
from simdup.model import criteria, readings, settings
from simdup.model.cleaned import UNITS, DedupeOptions, PartCriteria
from simdup.model.criteria import Criteria
from simdup.model.decisions import SAMPLE, SEED
from simdup.model.formats import PageOptions
from simdup.model.readings import ConflictCriteria, ConflictScope
from simdup.model.recipe import RECIPES, Recipe
from simdup.model.settings import EXTRACTS, INPUT_FORMATS, Reading, RunOptions
from simdup.model.shared_passages import PARTS, LeakCriteria, PassageCriteria, PassageScope
from simdup.show.selection import SORTS, Selection
from simdup.show.streams import COLORS, Output

FORMATS = ("text", "csv", "jsonl")
PAGE = "html"
GITHUB = "github"

# Commands that have several options in common.
_SOURCES = (
    "scan, passages, conflicts, fingerprint, dedupe, decontaminate, fit, index build, index add, "
    "query"
)
_BARS = f"{_SOURCES}, compare"
_WALKS = f"{_SOURCES}, audit"
_READS = f"{_WALKS}, compare"
_ALL = f"{_READS}, cluster, pairs, evaluate, index remove, index info, index check, index export"
_SCANS = "scan, dedupe"
_MATCHES = f"{_SCANS}, compare"
_RESULTS = "scan, cluster"
_PAGES = "scan, compare, passages, conflicts"
_PRINTED = "fingerprint, index export"
_WRITTEN = f"{_PAGES}, cluster, query, pairs, index info, evaluate"
_PRINTS = "scan, compare, fingerprint, dedupe, index build, index add, query"
# A model of terms is the same whatever becomes of them later.
_TERMS = f"{_PRINTS}, fit"

# What people type for each command; one of them has no options.
COMMANDS = (*_ALL.split(", "), "completion")

_SHARE = click.FloatRange(0, 1)
_NUMBER, _COUNT, _SEVERAL = click.IntRange(0), click.IntRange(1), click.IntRange(2)

_UNMEASURED = (
    Clash(
        lambda o: o["verify"] is False,
        "--no-verify compares no texts: remove it, or --containment and --cosine",
    ),
)
# Passages are compared as their scope says.
_SCOPES: dict[str, dict[str, Any]] = {
    "passages": {"of": PassageScope},
    "conflicts": {"of": ConflictScope},
}
_DRY = "--{} writes what --dry-run does not; remove one of them"

_reading = partial(Row, of=Reading)
_criteria = partial(Row, of=Criteria)
_passages = partial(Row, of=PassageCriteria, commands="passages")
_of_leaks = {"decontaminate": {"of": LeakCriteria}}
_runs = partial(_passages, commands="passages, decontaminate", per=_of_leaks)
_selection = partial(Row, of=Selection)
_dedupe = partial(Row, of=DedupeOptions, commands="dedupe")
_leaks = partial(Row, commands="decontaminate")
_repeated = partial(Row, commands="dedupe")
_conflicts = partial(Row, commands="conflicts")


# fmt: off
_INPUT = (
    Row("--files-from FILE", f"{_SOURCES}, audit, index remove",
        "Read more SOURCEs from FILE, one per line.", INFILE, typed=READS,
        per={"index remove": {"text": "Read more NAMEs from FILE, one per line."}}),
    Row("-0, --null", f"{_SOURCES}, audit, index remove",
        "Names in --files-from end with NUL, not newline.", typed=READS,
        per={"scan": {"text": "Names in --files-from and --list end with NUL, not newline."},
             "query": {"text": "Names in --files-from and --new end with NUL, not newline."}},
        rules=(Clash(lambda o: o.command == "scan" and not (o["files_from"] or o["list"]),
                     "--null needs --files-from or --list"),
               Clash(lambda o: o.command == "query" and not (o["files_from"] or o["new"]),
                     "--null needs --files-from or --new"),
               Clash(lambda o: not (o["files_from"] or o["list"] or o["new"]),
                     "--null needs --files-from"))),
    Row("--fingerprints", "index build, index add, query",
        "Read SOURCEs as fingerprint lines, not texts.", typed=READS),
    Row("--passages", "index build",
        "Keep the texts, compressed, so that passages can be found in them.", common=True,
        rules=(Clash(lambda o: o["fingerprints"],
                     "fingerprint lines have no texts: remove --passages or --fingerprints"),)),
    _reading("--glob PATTERN...", _WALKS, "Take only matching files.", common=True),
    _reading("--exclude PATTERN...", _WALKS, "Leave out matching files and folders. Repeatable.",
        common=True),
    _reading("--ignore/--no-ignore", _WALKS, "Follow the .simdupignore files in folders."),
    _reading("--encoding NAME", _READS, "Text encoding of the files.", take=encoding_of,
        shown="detected"),
    _reading("--input-format FORMAT", _READS,
        "File format; html takes every text for HTML",
        INPUT_FORMATS),
    _reading("--delimiter CHAR", _READS, "CSV column separator, or tab.", shown="detected"),
    _reading("--field NAME...", _READS,
        "Record field with the text; dots reach into objects, [] into lists. Repeatable.",
        take=lambda names: names[0] if len(names) == 1 else names or None,
        default=(), shown="text", common=True),
    _reading("--id-field NAME", _READS, "Record field with the name.", shown="number"),
    _reading("--extract PART", _READS, "HTML to read",
        EXTRACTS),
    _reading("--max-size SIZE", _READS, "Skip larger documents.", Text(size_of),
        default=f"{Reading().max_size >> 20}M"),
    Row("--min-score S", "evaluate", "Count only pairs of TRUTH scored S or more as true.", float,
        common=True),
    Row("--judged FILE", "evaluate",
        "Decisions of an audit, in place of TRUTH: how many of all pairs are right.", INFILE,
        common=True, typed=READS,
        rules=(Clash(lambda o: o["truth"] is not None,
                     "--judged takes the place of TRUTH: remove one of them"),)),
)
_MATCHING = (
    Row("--sample N", "audit", "Number of pairs to draw.", _COUNT, common=True, default=SAMPLE),
    Row("--seed N", "audit", "Draw other pairs: the same seed draws the same ones.", _NUMBER,
        default=SEED),
    _criteria("--method METHOD", _MATCHES,
        "Find candidates by simhash (near fingerprints), minhash (shared text), auto (both), or "
        "pstable (near TF-IDF vectors).",
        criteria.METHODS, common=True),
    Row("--method METHOD", "index build, query",
        "Find candidates by simhash (near fingerprints), minhash (shared text), or auto (both).",
        criteria.INDEX_METHODS, common=True, default=Criteria().method,
        per={"query": {"text": "That of the index: with another one, it has no keys.",
                       "default": None, "shown": "of INDEX"}}),
    _criteria("-d, --distance K", f"{_MATCHES}, query, cluster, pairs",
        "Maximum distance that simhash proposes; with auto, pairs may be further apart.",
        click.IntRange(0, 256), common=True,
        per={"cluster, pairs": {"text": "Maximum fingerprint distance, in bits."}}),
    _criteria("-s, --similarity S", f"{_MATCHES}, query",
        "Least similarity of a pair, 0 to 1.", _SHARE, common=True,
        shown=f"{criteria.SIMILARITY}; 0 with --containment",
        per={"query": {"shown": f"{criteria.SIMILARITY}"}}),
    _criteria("--shingle SIZE", _MATCHES,
        "Compare runs of N characters, or words:N.",
        shown=str(Criteria().shingle)),
    _criteria("--verify/--no-verify", f"{_MATCHES}, query",
        "Compare the texts of each candidate pair.",
        per={"query": {"text": "Compare the sketches of each candidate pair."}}),
    _criteria("--containment C", _MATCHES,
        "Least share of the shorter text in the longer one; finds excerpts.", _SHARE, shown="off",
        rules=_UNMEASURED),
    _criteria("--cosine C", _MATCHES, "Least cosine of TF-IDF vectors.", _SHARE, shown="off",
        rules=_UNMEASURED),
    _criteria("--same FIELD...", f"{_MATCHES}, passages, conflicts",
        "Pair only what agrees in a record field, title, facts, file, folder or folder:N. "
        "Repeatable.",
        common=True, per=_SCOPES),
    _criteria("--across FIELD...", f"{_MATCHES}, passages, conflicts",
        "Pair only what differs in such a field. Repeatable.", common=True, per=_SCOPES),
    _criteria("-k, --keep WHICH", _SCANS,
        "Document to keep: first, longest, shortest, newest, oldest, max:FIELD or min:FIELD.",
        words=[one for one in criteria.KEEP if ":" not in one], common=True,
        shown="first; longest with --containment"),
    _criteria("--prefer PATTERN...", _SCANS, "Prefer to keep documents that match. Repeatable."),
    _criteria("--decisions FILE", _SCANS,
        "Follow what people decided in a report page.",
        INFILE, default=None, take=decisions_in),
    _criteria("--lossless", "dedupe",
        f"Remove only what the kept document contains: {criteria.LOSSLESS:.0%} of its text, and "
        "every number, date and code.", common=True),
    _criteria("--all-pairs", f"{_SCANS}, cluster",
        "List all near pairs, also of clusters of more than 12 documents."),
    _leaks("--against EVAL...", common=True, of=None,
        text="Evaluation texts: files, folders and records. Repeatable."),
    _leaks("--against-field NAME...", of=None,
        text="Field with the text of EVAL records; several are one text.", shown="that of --field"),
    _leaks("--against-id-field NAME", of=None, text="Field with the name of EVAL records.",
        shown="that of --id-field"),
    _leaks("--share S", of=LeakCriteria, kind=click.FloatRange(0, 1, min_open=True), common=True,
        text="Share of an evaluation text that one document has, at least."),
    _repeated("--unit UNIT", kind=UNITS, common=True,
        text="Cut out repeated parts"),
    _repeated("--copies N", of=PartCriteria, kind=_NUMBER,
        text="With --unit, leave each part N times."),
    _runs("--min-run N", commands="passages, decontaminate, index build", kind=_SEVERAL,
        common=True, text="Find every equal run of N units (Chinese characters; a word is 2)."),
    _runs("--gap N", text="Join runs with up to N units between.", kind=_NUMBER, common=True),
    _passages("--min-length N", commands="passages, dedupe", kind=_COUNT, common=True,
        text="Report passages of at least N equal units.",
        per={"dedupe": {"text": "With --unit, cut parts of N letters or more.",
                        "of": PartCriteria, "common": False}}),
    _runs("--common N", text="Text in more than N documents does not start a passage.",
        kind=_SEVERAL, shown="a tenth, from 5 to 50; 5 % if that is more",
        per={"decontaminate": {"text": "Text that more than N of a file share does not count.",
                               "shown": "5 or 5 %, the larger", "of": LeakCriteria}}),
    _conflicts("--context N", of=ConflictCriteria, kind=_NUMBER, common=True,
        text="Equal units on either side of a difference, at least."),
    _conflicts("--kinds NAMES", of=ConflictCriteria, kind=names_of(readings.KINDS),
        words=readings.KINDS, default=",".join(readings.FACT_KINDS), shown="all but wording",
        common=True,
        rules=(Clash(lambda o: o["kinds"] == ("term",) and o["terms"] is None,
                     "--kinds term needs --terms FILE"),),
        text="Kinds of facts, separated by commas; wording is any other difference."),
    _conflicts("--terms FILE", of=ConflictScope, kind=INFILE, common=True, shown="none",
        text="Words that are facts too, a word per line: names, drugs, products."),
    _conflicts("--code", of=ConflictScope,
        text="Read code of Markdown too: between fences, or indented."),
    Row("--reference SOURCE...", f"{_SCANS}, passages, conflicts",
        "Also compare with these documents, or with an index; they are never redundant.",
        of=DedupeOptions, name="references", common=True,
        per={"conflicts": {"text": "Compare the SOURCEs with these documents only."},
             "passages": {"text": "Compare the SOURCEs with these documents only, or with an index "
                                  "that was built with --passages."}}),
    Row("--template FILE...", "passages", "Ignore text that is also in this file.",
        of=PassageScope, name="templates"),
    Row("--leave-out NAMES", "passages", "Parts that do not count in --rates, separated by commas: "
        "references, quotes (that name a source).",
        kind=names_of(PARTS), of=PassageScope, words=PARTS, default="", shown="none", common=True),
    Row("--by FIELD", "passages", "With --rates, a row for all documents with one value of FIELD, "
        "such as folder:1; they are not compared with each other.", of=PassageScope,
        rules=(Clash(lambda o: not o["rates"], "--by needs --rates"),)),
    Row("--index INDEX", "dedupe", "Remove what is near a document of INDEX.",
        of=DedupeOptions, common=True),
    Row("-n, --limit N", "passages, query", "Print at most N matches per document.", _COUNT,
        common=True, shown="all",
        per={"passages": {"text": "List at most N pairs, or documents of --rates."}}),
    Row("--exclude-self", "query", "Ignore the stored document of the same name."),
    Row("--idf-from SOURCE", "compare", "Use the term weights of a scan of SOURCE.", common=True,
        rules=(Clash(lambda o: o.recipe and o.recipe.idf not in ("auto", "corpus"),
                     "--idf-from needs a recipe with idf=auto or idf=corpus"),)),
)
_OUTPUT = (
    Row("--text", "passages", "Add the text of each passage in both documents to CSV or JSONL.",
        rules=(Clash(lambda o: o["rates"], "--rates lists no passages: remove --text or --rates"),
               Clash(lambda o: o.format not in ("csv", "jsonl"),
                     "--text needs --format csv or jsonl"))),
    Row("--list WHICH", "scan", "Print only names",
        ("redundant", "kept", "unique"), common=True,
        rules=(Clash(lambda o: o["format"], "--list prints names only; remove --format"),)),
    Row("--rates", "passages", "Print how much of each document others have, instead of what.",
        common=True),
    Row("--check", "scan, conflicts, query", "Exit with 1 if there are (new) near-duplicates.",
        per={"conflicts": {"text": "Exit with status 1 if there are conflicts; with --baseline, "
                                   "new ones.", "common": True},
             "query": {"text": "Exit with status 1 if any document has a match."}}),
    Row("--baseline FILE", "scan, conflicts", "Report only pairs that FILE does not have.", INFILE,
        per={"conflicts": {"text": "Report only conflicts that FILE does not have."}},
        rules=(Clash(lambda o: o["baseline"] == "-",
                     "--baseline needs a file, not standard input"),)),
    Row("--update-baseline", "scan, conflicts", "Write all that is found to the --baseline FILE.",
        typed=WRITES,
        rules=(Clash(lambda o: o["baseline"] is None, "--update-baseline needs --baseline FILE"),
               Clash(lambda o: o["path"] and realpath(o["path"]) == realpath(o["baseline"]),
                     "--output and --baseline name the same file"))),
    _selection("--pairs", _RESULTS, "List pairs, most similar first.",
        common=True),
    _selection("-n, --limit N", _RESULTS, "List at most N of them.", _COUNT,
        common=True, shown="all"),
    _selection("--sort KEY", _RESULTS, "Order", SORTS,
        shown="size; similarity with --pairs"),
    Row("--new", "query", "Print only the names of documents without a match.", common=True,
        rules=(Clash(lambda o: o.format == PAGE,
                     "--new prints no matches, which a report page is made of"),)),
    Row("--add", "query", "Add documents without a match to the index.", common=True, typed=WRITES),
    Row("--diff", "compare", "Show the texts and what differs.", common=True),
    Row("-f, --format FORMAT", _WRITTEN, "Output format", (*FORMATS, PAGE), of=Output, default=None,
        common=True, shown="by suffix, else text",
        per={"scan, conflicts": {"kind": (*FORMATS, PAGE, GITHUB)},
             "cluster, pairs": {"kind": FORMATS},
             "compare": {"kind": ("text", "jsonl", PAGE)},
             "index info, evaluate": {"kind": ("text", "jsonl")}}),
    Row("-o, --output FILE", f"{_WRITTEN}, {_PRINTED}", "Write the result to FILE.", OUTFILE,
        of=Output, name="path", common=True, typed=WRITES, per={_PRINTED: {"common": False}}),
    Row("-o, --output MODEL", "fit", "Write the model to MODEL.", OUTFILE, of=Output, name="path",
        default=..., common=True, typed=WRITES),
    Row("-o, --output PAGE", "audit", "Write the page to PAGE.", OUTFILE, of=Output, name="path",
        default=..., common=True, typed=WRITES),
    _dedupe("-o, --output OUT", commands="dedupe, decontaminate", kind=OUTFILE, name="target",
        text="Write the clean corpus to OUT.", default=None, common=True, typed=WRITES),
    _leaks("--mask", of=None, common=True,
        text="Keep all documents; cut what they have of evaluation texts."),
    _leaks("--evidence FILE", of=None, kind=OUTFILE, common=True, name="removed", typed=WRITES,
        text="List leaks as JSON lines: document, evaluation text, share, places.",
        rules=(Clash(lambda o: o["target"] == o["removed"] == "-",
                     "-o and --evidence cannot both be standard output"),)),
    _leaks("--check RATE", of=None, kind=_SHARE, common=True,
        text="Exit with status 1 if a file of EVAL has a higher rate of leaked texts."),
    _dedupe("--removed FILE", of=None, text="List what was removed, and what stays.",
        kind=OUTFILE, common=True, typed=WRITES,
        rules=(Clash(lambda o: o["target"] == o["removed"] == "-",
                     "-o and --removed cannot both be standard output"),)),
    Row("--bom", "scan, passages, conflicts, cluster, pairs, query, dedupe",
        "Make CSV safe for spreadsheets.", of=Output,
        rules=(Clash(lambda o: o.command != "dedupe" and not o.writes_csv,
                     "--bom needs --format csv"),
               Clash(lambda o: not o.writes_csv, "--bom needs --removed FILE.csv or --dry-run"))),
    Row("--color WHEN", f"{_PAGES}, cluster, query", "Color text", COLORS, of=Output,
        default=COLORS[0]),
    Row("--report-texts SIZE", "scan, compare, passages, dedupe, audit",
        "Bytes of text in a page; all; none.", Text(text_bytes_of), of=PageOptions,
        name="texts", default="16M"),
    _dedupe("--dry-run", of=None, text="Write no corpus; list what would be removed.", common=True,
        typed=WRITES),
    _dedupe("--by FIELD",
        text="Count what each value of a FIELD lost."),
    _dedupe("--max-removed SHARE", kind=_SHARE,
        text="Write nothing if a SOURCE or a --by loses more."),
    _dedupe("--add", text="Add what stays to INDEX, old or new.", common=True,
        typed=WRITES, rules=(Clash(lambda o: o["dry_run"], _DRY.format("add")),)),
    _dedupe("--annotate", typed=WRITES,
        text="Keep all records; say of each what it is near.",
        rules=(Clash(lambda o: o["dry_run"], _DRY.format("annotate")),)),
    _dedupe("--force", commands="dedupe, decontaminate", typed=WRITES,
        text="Replace existing files in OUT; never delete any."),
    Row("-q, --quiet", _ALL, "Print no report and no notes.", of=Screen, common=True,
        rules=(Clash(lambda o: o["verbose"], "--quiet and --verbose exclude each other"),)),
    Row("-v, --verbose", f"{_PRINTS}, cluster", of=Screen,
        text="Print the recipe and all notes; scan: how similar candidates are."),
    Row("--progress/--no-progress", _BARS, "Show progress bars.", of=Screen, default=None,
        shown="on a terminal"),
    Row("--lang LANG", _ALL, "Language of reports", LANGUAGES, of=Screen,
        shown="by LC_ALL, LC_MESSAGES, LANG"),
)
_SEARCH = (
    Row("-j, --jobs N", f"{_TERMS}, passages, conflicts, decontaminate, cluster, pairs",
        "Number of processes or threads.", click.IntRange(1, settings.MOST_JOBS), of=RunOptions,
        common=True, shown="one per core"),
    Row("--tables N", "pairs", "Number of search tables; auto uses the cheapest plan",
        ("auto", "4", "10", "16", "20"), default="auto"),
    Row("--search NAME", "pairs", "Search algorithm; the pairs are the same",
        ("tables", "exhaustive", "probe", "neighbours"), default="tables"),
    Row("--compress", "query", "Compress search tables to two thirds of their size."),
)
_RECIPE = (
    Row("--recipe RECIPE", _TERMS,
        "How texts become fingerprints: a name (default, plain, string128, bkdr32), one with "
        "fields (default,bits=128,top=0), or a .toml file.", RECIPE,
        words=tuple(RECIPES), shown="default"),
    Row("--strip REGEX...", f"{_TERMS}, conflicts",
        "Remove what matches from texts before anything else. Repeatable.", of=Recipe,
        per={"conflicts": {"of": ConflictScope}}),
    Row("--dict FILE", _TERMS, "User dictionary in jieba's format.", INFILE, of=Recipe,
        name="dictionary"),
)
_OTHER = (
    Row("--timeout SECONDS", "index add, index remove, query",
        "Time to wait for another writer.", click.FloatRange(0), default=60.0),
    Row("--config FILE", _ALL, "Take default options from FILE, or none.", typed=ABOUT,
        shown="the nearest simdup.toml or pyproject.toml"),
    Row("--debug", _ALL, "Show tracebacks.", typed=ABOUT),
    Row("-h", _ALL, "Show the common options.", name="short_help", typed=ABOUT),
    Row("--help", _ALL, "Show all options.", name="full_help", typed=ABOUT, common=True),
)

# The panels of the help, in order.
TABLE = {
    "Input": _INPUT, "Matching": _MATCHING, "Output": _OUTPUT, "Search": _SEARCH,
    "Recipe": _RECIPE, "Other": _OTHER,
}
# fmt: on


def rows_of(command: str) -> Iterator[Row]:
    """Yield the rows as one command has them, such as ``index build``, with their panels."""
    for panel, rows in TABLE.items():
        for row in rows:
            if command in row.commands.split(", "):
                changes = (one for names, one in row.per.items() if command in names.split(", "))
                row = replace(row, commands=command, panel=panel, **next(changes, {}))
                yield _for_documents(row) if command == "dedupe" else row


# What goes with `dedupe --unit`, beside the panels that say how files are read.
_WITH_UNIT = (
    "unit", "copies", "min_length", "target", "removed", "bom", "dry_run", "force", "by", "quiet",
    "progress", "lang", "jobs", "verbose",
)  # fmt: skip


def _for_documents(row: Row) -> Row:
    """Return a row of `dedupe`, which contradicts --unit if it is about whole documents."""
    read = row.panel in ("Input", "Other") and row.parameter != "title_field"
    if read or row.parameter in _WITH_UNIT:
        return row
    why = f"--unit cuts parts that an earlier document has; remove --{row.keys[0]}"
    whole = Clash(lambda o: o["unit"] and o.typed(row.parameter), why)
    return replace(row, rules=(whole, *row.rules))
