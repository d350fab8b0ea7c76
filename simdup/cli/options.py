"""The table of options: each is one row, which says all that there is to know of it.

Help, parsing, configuration, refusals, completion, `docs/cli.md` and the tests read the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from os.path import realpath

import click

from simdup.cli.messages import LANGUAGES, Screen
from simdup.cli.row import (
    ABOUT,
    INFILE,
    OUTFILE,
    READS,
    WRITES,
    Clash,
    Idle,
    Row,
    Text,
    Yields,
    decisions_in,
    encoding_of,
    names_of,
    size_of,
    text_bytes_of,
)
from simdup.model import criteria, readings, settings
from simdup.model.audited import SAMPLE, SEED
from simdup.model.cleaned import UNITS, DedupeOptions, PartCriteria
from simdup.model.criteria import Criteria
from simdup.model.decontaminated import LeakCriteria
from simdup.model.formats import PageOptions
from simdup.model.readings import ConflictCriteria, ConflictScope
from simdup.model.recipe import CHOICES, IDF_WORDS, RECIPES, Recipe
from simdup.model.settings import EXTRACTS, INPUT_FORMATS, Reading, RunOptions
from simdup.model.shared_passages import PARTS, PassageCriteria, PassageScope
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

# Values of --idf that count no documents if the weight needs no IDF.
_NO_COUNTS = ("auto", "builtin")

# Rules of several options.
# fmt: off
_LINES = (Idle(lambda o: o["fingerprints"], "fingerprint lines have no texts"),)
_RECORDS = (
    *_LINES,
    Idle(lambda o: o.command == "compare" and "#" not in f"{o['a']}{o['b']}",
         "neither A nor B is a record, such as file.jsonl#5"),
)
_UNVERIFIED = "with --no-verify, texts are not compared"
_NO_PRINTS = Idle(lambda o: o["method"] in ("minhash", "pstable"),
                  "this --method does not use fingerprints")
_MEASURES = (Yields(lambda o: o.typed("verify") and not o["verify"]),)
_LISTING = (
    Idle(lambda o: o["list"], "--list prints names of documents"),
    Idle(lambda o: o.format == PAGE, "a report page has a list of its own"),
    Idle(lambda o: o.format == GITHUB, "there is a warning for each document"),
)
_UNIT_ONLY = (Idle(lambda o: not o["unit"], "only --unit cuts parts out of documents"),)
# What decides which documents are near-duplicates, and which of them stays.
_WHOLE_ONLY = Idle(lambda o: o["unit"], "--unit cuts parts that an earlier document has")
_DRY = "--{} writes what --dry-run does not; remove one of them"
_NAMED = Yields(lambda o: o.typed("recipe") or o.index_decides)
# fmt: on

_reading = partial(Row, of=Reading, rules=_LINES)
_criteria = partial(Row, of=Criteria)
_passages = partial(Row, of=PassageCriteria, commands="passages")
_of_leaks = {"decontaminate": {"of": LeakCriteria}}
_runs = partial(_passages, commands="passages, decontaminate", per=_of_leaks)
_selection = partial(Row, of=Selection, rules=_LISTING)
_dedupe = partial(Row, of=DedupeOptions, commands="dedupe")
_leaks = partial(Row, commands="decontaminate")
_repeated = partial(Row, commands="dedupe")
_conflicts = partial(Row, commands="conflicts")
_recipe = partial(Row, of=Recipe, rules=(_NAMED,))


# fmt: off
_INPUT = (
    Row("--files-from FILE", f"{_SOURCES}, audit, index remove",
        "Read more SOURCEs from FILE, one per line.", INFILE, typed=READS,
        per={"index remove": {"text": "Read more NAMEs from FILE, one per line."}},
        trial={"index remove": "gone", "*": "list"}),
    Row("-0, --null", f"{_SOURCES}, audit, index remove",
        "Names in --files-from end with NUL, not newline.", typed=READS,
        per={"scan": {"text": "Names in --files-from and --list end with NUL, not newline."},
             "query": {"text": "Names in --files-from and --new end with NUL, not newline."}},
        rules=(Clash(lambda o: o.command == "scan" and not (o["files_from"] or o["list"]),
                     "--null needs --files-from or --list"),
               Clash(lambda o: o.command == "query" and not (o["files_from"] or o["new"]),
                     "--null needs --files-from or --new"),
               Clash(lambda o: not (o["files_from"] or o["list"] or o["new"]),
                     "--null needs --files-from")),
        trial={"index remove": "|--files-from gone0|", "*": "|--files-from list0|"}),
    Row("--fingerprints", "index build, index add, query",
        "Read SOURCEs as fingerprint lines, not texts.", typed=READS, trial="pc||"),
    Row("--passages", "index build",
        "Keep the texts, compressed, so that passages can be found in them.", common=True,
        rules=(Clash(lambda o: o["fingerprints"],
                     "fingerprint lines have no texts: remove --passages or --fingerprints"),)),
    _reading("--glob PATTERN...", _WALKS, "Take only matching files.", common=True, trial="*.md"),
    _reading("--exclude PATTERN...", _WALKS, "Leave out matching files and folders. Repeatable.",
        common=True, trial="*.md"),
    _reading("--ignore/--no-ignore", _WALKS, "Follow the .simdupignore files in folders.",
        trial="ig||"),
    _reading("--encoding NAME", _READS, "Text encoding of the files.", take=encoding_of,
        shown="detected", trial="ascii"),
    _reading("--input-format FORMAT", _READS, "File format; auto uses the suffix", INPUT_FORMATS,
        rules=_RECORDS, trial="lines||jsonl"),
    _reading("--field NAME...", _READS,
        "Record field with the text, such as body.content; several are one text.",
        take=lambda names: names[0] if len(names) == 1 else names,
        default=Reading().text_fields, shown="text", common=True, rules=_RECORDS,
        trial="r.jsonl|-f jsonl|body"),
    _reading("--id-field NAME", _READS, "Record field with the name.", shown="record number",
        rules=_RECORDS, trial={"fit": "r.jsonl||none", "*": "r.jsonl|--removed removed.csv|id"}),
    _reading("--html", _READS, "Treat every text as HTML, in records too.",
        trial={"conflicts": "v|-f jsonl|", "*": "w|-f jsonl|"}),
    _reading("--extract PART", _READS, "Part of an HTML page to read; none keeps the markup",
        EXTRACTS, trial={"conflicts": "u|-f jsonl|none", "*": "h|-f jsonl|none"}),
    _reading("--max-size SIZE", _READS, "Skip larger documents.", Text(size_of),
        default=f"{Reading().max_size >> 20}M", trial={"conflicts": "200", "*": "500"}),
    _reading("--title-field NAME", "scan, dedupe, compare", "Record field with the title.",
        shown="first heading or line of the text",
        rules=(Idle(lambda o: o.command == "compare" and not o["same_title"],
                    "only --same-title compares titles"), *_RECORDS),
        trial="r.jsonl|--same-title|none"),
    Row("--min-score S", "evaluate", "Count only pairs of TRUTH scored S or more as true.", float,
        common=True, rules=(Idle(lambda o: o["judged"], "judgements have no scores"),),
        trial="0.9"),
    Row("--judged FILE", "evaluate",
        "Decisions of an audit, in place of TRUTH: how many of all pairs are right.", INFILE,
        common=True, typed=READS, trial="found.jsonl||judged.jsonl",
        rules=(Clash(lambda o: o["truth"] is not None,
                     "--judged takes the place of TRUTH: remove one of them"),)),
)
_MATCHING = (
    Row("--sample N", "audit", "Number of pairs to draw.", _COUNT, common=True, default=SAMPLE,
        trial="1"),
    Row("--seed N", "audit", "Draw other pairs: the same seed draws the same ones.", _NUMBER,
        default=SEED, trial="|--sample 1|2"),
    _criteria("--method METHOD", f"{_MATCHES}, query",
        "Candidate search: simhash (near fingerprints), minhash (shared text), auto (both, and "
        "shared passages with --containment), or pstable (near TF-IDF vectors).",
        criteria.METHODS, common=True, rules=_LINES,
        per={"query": {"kind": criteria.INDEX_METHODS,
                       "text": "Candidate search: simhash (near fingerprints), minhash (shared "
                               "text), or auto (both)."}},
        trial={"query": "e|-d 0|simhash", "*": "simhash"}),
    _criteria("-d, --distance K", f"{_MATCHES}, query, cluster, pairs",
        "Maximum distance that simhash proposes; with auto, pairs may be further apart.",
        click.IntRange(0, 256), common=True, rules=(_NO_PRINTS,),
        per={"cluster, pairs": {"text": "Maximum fingerprint distance, in bits."}},
        trial={"query": "|-s 0|64", "*": "|--method simhash|20"}),
    _criteria("-s, --similarity S", f"{_MATCHES}, query",
        "Minimum similarity of a pair, 0 to 1.", _SHARE, common=True,
        shown=f"{criteria.SIMILARITY}; 0 with --containment",
        rules=(Idle(lambda o: o.unverified, _UNVERIFIED), *_LINES),
        per={"query": {"shown": f"{criteria.SIMILARITY}"}}, trial="|-d 20|0.99"),
    _criteria("--shingle SIZE", _MATCHES,
        "Compare texts by runs of N characters, or of N words with words:N.",
        shown=f"{Criteria().shingle}; shorter ones for --containment of short texts",
        rules=(Idle(lambda o: o.unverified and o.command != "compare", _UNVERIFIED), *_LINES),
        trial="20"),
    _criteria("--short-texts/--no-short-texts", _MATCHES,
        f"Measure pairs with a text of fewer than {criteria.SHORT} letters by edit similarity.",
        rules=(*_LINES,
               Idle(lambda o: o["verify"] is False and o.command != "compare", _UNVERIFIED)),
        trial="s.jsonl||"),
    _criteria("--numbers/--no-numbers", _MATCHES,
        "Short texts with different numbers are different.",
        rules=(*_LINES, Idle(lambda o: o["verify"] is False, _UNVERIFIED),
               Idle(lambda o: not o.by_similarity, "no similarity is asked for"),
               Idle(lambda o: o["short_texts"] is False, "numbers matter for short texts only")),
        trial={"compare": "s.jsonl#3 s.jsonl#4||", "*": "s.jsonl||"}),
    _criteria("--verify/--no-verify", f"{_MATCHES}, query",
        "Compare the texts of each candidate pair.",
        rules=(Yields(lambda o: o.typed("containment", "cosine")),),
        per={"query": {"text": "Compare the sketches of each candidate pair."}}, trial="|-d 20|"),
    _criteria("--containment C", _MATCHES,
        "Minimum share of the shorter text that the longer one contains; finds excerpts in texts "
        "of any length.", _SHARE, shown="off", rules=_MEASURES, trial="0.5"),
    _criteria("--cosine C", _MATCHES, "Minimum cosine of the TF-IDF vectors.", _SHARE, shown="off",
        rules=_MEASURES, trial="0.5"),
    _criteria("--same-title", _MATCHES, "Require equal titles too, as for pages of one template.",
        common=True),
    _criteria("--across FIELD", _SCANS, "Pair only documents that differ in this record field; "
        "folder: in their folder.", shown="off", trial="r.jsonl||id"),
    _criteria("--within FIELD", _SCANS, "Pair only documents that agree in this record field; "
        "folder: in their folder.", shown="off", trial="r.jsonl||id"),
    _criteria("-k, --keep WHICH", _SCANS,
        "Document to keep: first, longest, shortest, newest, oldest, max:FIELD or min:FIELD.",
        words=[one for one in criteria.KEEP if ":" not in one], common=True,
        shown="first; longest with --containment", trial="longest"),
    _criteria("--prefer PATTERN...", _SCANS, "Prefer to keep documents that match. Repeatable.",
        trial="b*"),
    _criteria("--decisions FILE", _SCANS,
        "Follow what people decided in a report page: what is distinct, what to keep.",
        INFILE, default=None, take=decisions_in, trial="decided.json"),
    _criteria("--linkage WHICH", f"{_SCANS}, cluster",
        "Cluster documents by any chain of pairs (single), or only with the kept one (star).",
        criteria.LINKAGES, shown="single", per={"dedupe": {"shown": "star"}},
        trial={"dedupe": "chain||single", "*": "chain||star"}),
    _criteria("--lossless", "dedupe",
        f"Remove only what the kept document contains: {criteria.LOSSLESS:.0%} of its text, and "
        "every number, date and code.", common=True),
    _criteria("--all-pairs", f"{_SCANS}, cluster",
        "Verify and list every pair, even where candidates connect many documents; of fewer than "
        "5,000 documents also what no search proposes.",
        per={"cluster": {"text": "List every pair, even where they connect many documents."}},
        trial="many|-f jsonl --removed out.html|"),
    _leaks("--against EVAL...", common=True, trial="k", of=None,
        text="Evaluation texts: files, folders and records. Repeatable."),
    _leaks("--against-field NAME...", trial="r.jsonl||body", of=None,
        text="Field with the text of EVAL records; several are one text.", shown="that of --field"),
    _leaks("--share S", of=LeakCriteria, kind=click.FloatRange(0, 1, min_open=True), common=True,
        text="Share of an evaluation text that one document has, at least.", trial="1"),
    _runs("--min-run N", commands="passages, decontaminate, index build", kind=_SEVERAL,
        common=True, text="Find every equal run of N units (Chinese characters; a word is 2).",
        rules=(Idle(lambda o: o.command == "index build" and not o["passages"],
                    "only an index with --passages finds runs"),),
        trial={"index build": "|--passages|100", "*": "100"}),
    _runs("--gap N", text="Join runs with up to N units between.", kind=_NUMBER, common=True,
        trial="0"),
    _passages("--min-length N", text="Report passages of at least N equal units.", kind=_COUNT,
        common=True, trial="1000"),
    _runs("--common N", text="Text in more than N documents does not start a passage.",
        kind=_SEVERAL, shown="50 or 5 %, the larger; at most 4/5",
        per={"decontaminate": {"text": "Text in more than N evaluation texts starts no run.",
                               "shown": "1000", "of": LeakCriteria}},
        trial={"decontaminate": "c|--against many|2", "*": "many||2"}),
    _repeated("--unit UNIT", kind=UNITS, common=True, shown="off", trial="sentence",
        text="Cut repeated parts out of documents"),
    _repeated("--copies N", of=PartCriteria, kind=_COUNT, rules=_UNIT_ONLY,
        trial="n|--unit line --min-length 1|2",
        text="With --unit, leave each part in the first N documents that have it."),
    _repeated("--min-length N", of=PartCriteria, kind=_COUNT, rules=_UNIT_ONLY,
        trial="n|--unit line|1000",
        text="With --unit, cut parts of at least N letters and digits only."),
    _conflicts("--context N", of=ConflictCriteria, kind=_NUMBER, common=True, trial="100",
        text="Equal units on either side of a difference, at least."),
    _conflicts("--kinds NAMES", of=ConflictCriteria, kind=names_of(readings.KINDS),
        words=readings.KINDS, default=",".join(readings.FACT_KINDS), shown="all but wording",
        common=True,
        rules=(Clash(lambda o: o["kinds"] == ("term",) and o["terms"] is None,
                     "--kinds term needs --terms FILE"),),
        text="Kinds of facts, separated by commas; wording is any other difference.",
        trial="wording"),
    _conflicts("--terms FILE", of=ConflictScope, kind=INFILE, common=True, shown="none",
        text="Words that are facts too, a word per line: names, drugs, products.", trial="terms"),
    Row("--reference SOURCE...", f"{_SCANS}, passages, conflicts",
        "Also compare with these documents, or with an index; they are never redundant.",
        of=DedupeOptions, name="references", common=True, trial="k",
        per={"conflicts": {"text": "Compare the SOURCEs with these documents only."},
             "passages": {"text": "Compare the SOURCEs with these documents only, or with an index "
                                  "that was built with --passages."}}),
    Row("--across FIELD", "passages", "Compare only documents that differ in this record field; "
        "folder: in their folder.", of=PassageScope, shown="off", trial="r.jsonl||id"),
    Row("--within FIELD", "passages", "Compare only documents that agree in this record field; "
        "folder: in their folder.", of=PassageScope, shown="off", trial="r.jsonl||id"),
    _conflicts("--across FIELD", of=ConflictScope, shown="off", trial="r.jsonl||id",
        text="Compare only documents that differ in this record field; folder: in their folder."),
    _conflicts("--within FIELD", of=ConflictScope, shown="off", trial="r.jsonl||id",
        text="Compare only documents that agree in this record field; folder: in their folder."),
    Row("--template FILE...", "passages", "Ignore text that is also in this file.",
        of=PassageScope, name="templates", trial="c/a.txt"),
    Row("--leave-out NAMES", "passages", "Parts that do not count in --rates, separated by commas: "
        "references, quotes (that name a source).",
        kind=names_of(PARTS), of=PassageScope, words=PARTS, default="", shown="none", common=True,
        rules=(Idle(lambda o: not o["rates"] and o.format != PAGE,
                    "only --rates and a page leave something out"),),
        trial="o|--rates -f jsonl|references"),
    Row("--index INDEX", "dedupe", "Remove what is near a document of INDEX.",
        of=DedupeOptions, common=True, trial="e|--dry-run|i"),
    Row("-n, --limit N", "query", "Print at most N matches per document.", _COUNT, common=True,
        shown="all", rules=(Idle(lambda o: o["new"], "--new prints no matches"),),
        trial="twice|-d 20 -s 0.5|1"),
    Row("--exclude-self", "query", "Ignore the stored document of the same name.", trial="twice||"),
    Row("--idf-from SOURCE", "compare", "Use the term weights of a scan of SOURCE.", common=True,
        rules=(Yields(lambda o: o.typed("idf") and o["idf"] not in ("auto", "corpus")),
               Clash(lambda o: o.recipe and o.recipe.idf not in ("auto", "corpus"),
                     "--idf-from needs --idf auto or corpus")), trial="c"),
)
_OUTPUT = (
    Row("--text", "passages", "Add the text of each passage to CSV or JSONL.",
        rules=(Yields(lambda o: o.format not in ("csv", "jsonl") or o.typed("rates")),
               Clash(lambda o: o["rates"], "--rates lists no passages: remove --text or --rates"),
               Clash(lambda o: o.format not in ("csv", "jsonl"),
                     "--text needs --format csv or jsonl")), trial="many|-f csv|"),
    Row("--list WHICH", "scan", "Print only the names of these documents",
        ("redundant", "kept", "unique"), common=True,
        rules=(Yields(lambda o: o.typed("format")),
               Clash(lambda o: o["format"], "--list prints names only; remove --format")),
        trial="unique"),
    Row("--rates", "passages", "Print how much of each document others have, instead of what.",
        common=True, rules=(Yields(lambda o: o.typed("text")),)),
    Row("--check", "scan",
        "Exit with status 1 if there are near-duplicates; with --baseline, new ones."),
    _conflicts("--check", common=True,
        text="Exit with status 1 if there are conflicts; with --baseline, new ones."),
    Row("--baseline FILE", "scan, conflicts", "Report only pairs that FILE does not have.", INFILE,
        per={"conflicts": {"text": "Report only conflicts that FILE does not have."}},
        rules=(Clash(lambda o: o["baseline"] == "-",
                     "--baseline needs a file, not standard input"),), trial="checked"),
    Row("--update-baseline", "scan, conflicts", "Write all that is found to the --baseline FILE.",
        typed=WRITES,
        rules=(Clash(lambda o: o["baseline"] is None, "--update-baseline needs --baseline FILE"),
               Clash(lambda o: o["path"] and realpath(o["path"]) == realpath(o["baseline"]),
                     "--output and --baseline name the same file")),
        trial="|--baseline unwritten|"),
    _selection("--pairs", _RESULTS, "List pairs instead of clusters, most similar first.",
        common=True),
    _selection("-n, --limit N", _RESULTS, "List at most N clusters or pairs.", _COUNT,
        common=True, shown="all", trial="both||1"),
    _selection("--sort KEY", _RESULTS, "Order of clusters or pairs", SORTS,
        shown="size; similarity with --pairs", trial="both||name"),
    Row("--new", "query", "Print only the names of documents without a match.", common=True,
        rules=(Clash(lambda o: o.format == PAGE,
                     "--new prints no matches, which a report page is made of"),)),
    Row("--check", "query", "Exit with status 1 if any document has a match.", trial="twice||"),
    Row("--add", "query", "Add documents without a match to the index.", common=True, typed=WRITES),
    Row("--diff", "compare", "Show the texts and what differs.", common=True),
    Row("-f, --format FORMAT", _WRITTEN, "Output format", (*FORMATS, PAGE), of=Output, default=None,
        common=True, shown="by suffix, else text", rules=(Yields(lambda o: o.decides_format),),
        per={"scan, conflicts": {"kind": (*FORMATS, PAGE, GITHUB)},
             "cluster, pairs": {"kind": FORMATS},
             "compare": {"kind": ("text", "jsonl", PAGE)},
             "index info, evaluate": {"kind": ("text", "jsonl")}}, trial="|-d 20|jsonl"),
    Row("-o, --output FILE", f"{_WRITTEN}, {_PRINTED}", "Write the result to FILE.", OUTFILE,
        of=Output, name="path", common=True, typed=WRITES, per={_PRINTED: {"common": False}},
        trial="out"),
    Row("-o, --output MODEL", "fit", "Write the model to MODEL.", OUTFILE, of=Output, name="path",
        default=..., common=True, typed=WRITES, trial="other"),
    Row("-o, --output PAGE", "audit", "Write the page to PAGE.", OUTFILE, of=Output, name="path",
        default=..., common=True, typed=WRITES, trial="other.html"),
    _dedupe("-o, --output OUT", text="Write the clean corpus to OUT.", kind=OUTFILE, name="target",
        default=None, common=True, typed=WRITES, trial="out"),
    _leaks("-o, --output OUT", of=DedupeOptions, text="Write the clean corpus to OUT.",
        kind=OUTFILE, name="target", default=None, common=True, typed=WRITES, trial="out"),
    _leaks("--mask", of=None, common=True,
        text="Keep all documents; cut what they have of evaluation texts."),
    _leaks("--evidence FILE", of=None, kind=OUTFILE, common=True, name="removed", typed=WRITES,
        text="List leaks as JSON lines: document, evaluation text, share, places.",
        trial="leaks.jsonl",
        rules=(Clash(lambda o: o["target"] == o["removed"] == "-",
                     "-o and --evidence cannot both be standard output"),)),
    _leaks("--check RATE", of=None, kind=_SHARE, common=True, trial="0",
        text="Exit with status 1 if a file of EVAL has a higher rate of leaked texts."),
    _dedupe("--removed FILE", of=None, text="List removed documents: why, and what stays instead.",
        kind=OUTFILE, common=True, typed=WRITES, trial="removed.csv",
        rules=(Clash(lambda o: o["target"] == o["removed"] == "-",
                     "-o and --removed cannot both be standard output"),)),
    Row("--bom", "scan, passages, conflicts, cluster, pairs, query, dedupe",
        "Make CSV safe for spreadsheets: byte order mark, no formulas.", of=Output,
        rules=(Yields(lambda o: not o.writes_csv),
               Clash(lambda o: o.command != "dedupe" and not o.writes_csv,
                     "--bom needs --format csv"),
               Clash(lambda o: not o.writes_csv, "--bom needs --removed FILE.csv or --dry-run")),
        trial={"dedupe": "c --dry-run||", "*": "|-f csv|"}),
    Row("--color WHEN", f"{_PAGES}, cluster, query", "Color the text", COLORS, of=Output,
        rules=(Idle(lambda o: o.format != "text" or o["list"], "only text has colors"),),
        default=COLORS[0], trial="always"),
    Row("--report-texts SIZE", "scan, compare, passages, dedupe, audit",
        "Most bytes of text in a report page; all or none.", Text(text_bytes_of), of=PageOptions,
        name="texts", default="16M", trial="|-f html --removed out.html|none",
        rules=(Idle(lambda o: o.format != PAGE and o.command != "audit",
                    "only a report page (--format html) has texts"),)),
    _dedupe("--dry-run", of=None, text="Write no corpus; list what would be removed.", common=True,
        typed=WRITES),
    _dedupe("--by FIELD", trial="folder",
        text="Count what each value of a record field lost, or, with folder, each folder."),
    _dedupe("--max-removed SHARE", kind=_SHARE, trial="0",
        text="Write nothing if the corpus, a SOURCE or a group of --by would lose more."),
    _dedupe("--add", text="Add documents that stay to INDEX, which may be missing.", common=True,
        typed=WRITES, rules=(Clash(lambda o: o["dry_run"], _DRY.format("add")),),
        trial="|--index i|"),
    _dedupe("--annotate", typed=WRITES,
        text="Keep all records; add cluster, role, kept, similarity and measure to each.",
        rules=(Clash(lambda o: o["dry_run"], _DRY.format("annotate")),),
        trial="r.jsonl|--field body|"),
    _dedupe("--force", commands="dedupe, decontaminate", typed=WRITES,
        text="Replace existing files in OUT; never delete any.",
        rules=(Idle(lambda o: o["target"] == "-", "standard output is not a file"),),
        trial="|-o full|"),
    Row("-q, --quiet", _ALL, "Print no report and no notes.", of=Screen, common=True,
        rules=(Yields(lambda o: o.typed("verbose")),
               Clash(lambda o: o["verbose"], "--quiet and --verbose exclude each other")),
        trial="|-o out|"),
    Row("-v, --verbose", f"{_PRINTS}, cluster", "Print the recipe and all notes.", of=Screen,
        rules=(Yields(lambda o: o.typed("quiet") or o["quiet"]),)),
    Row("--progress/--no-progress", _BARS, "Show progress bars.", of=Screen, default=None,
        shown="on a terminal", trial="|--idf-from c|"),
    Row("--lang LANG", _ALL, "Language of reports", LANGUAGES, of=Screen,
        shown="by LC_ALL, LC_MESSAGES, LANG", trial="|-o out|zh"),
)
_SEARCH = (
    Row("-j, --jobs N", f"{_TERMS}, passages, conflicts, decontaminate, cluster, pairs",
        "Number of processes or threads.", click.IntRange(1, settings.MOST_JOBS), of=RunOptions,
        common=True, shown="one per core",
        rules=(Idle(lambda o: o.command == "compare" and not o["idf_from"],
                    "two texts are read by one process"),), trial="|--idf-from c|3"),
    Row("--tables N", "pairs", "Number of search tables; auto uses the cheapest plan",
        ("auto", "4", "10", "16", "20"), default="auto", trial="4",
        rules=(Idle(lambda o: o["search"] != "tables", "this --search uses no tables"),)),
    Row("--search NAME", "pairs", "Search algorithm; the pairs are the same",
        ("tables", "exhaustive", "probe", "neighbours"), default="tables", trial="|-d 2|probe"),
    Row("--compress", "query", "Compress search tables to two thirds of their size."),
)
_RECIPE = (
    Row("--recipe NAME", _TERMS, "Named recipe; the options below change single fields of it",
        tuple(RECIPES), shown="default", rules=(Yields(lambda o: o.index_decides),),
        trial="|-v|bkdr32"),
    _recipe("--strip REGEX...", _TERMS,
        "Remove what matches from texts before anything else; ^ and $ match at each line. "
        "Repeatable.", trial="|-v|[a-z]+"),
    _recipe("--tokens KIND", _TERMS, "How to cut texts: words, split, tagged, chars:N or ngrams:N.",
        words=("words", "split", "tagged"), trial="|-v|chars:2"),
    _recipe("--fold/--no-fold", _TERMS,
        "Ignore case and width, and treat traditional characters as simplified.", trial="f|-v|"),
    _recipe("--weight NAME", _PRINTS, "Term weight", CHOICES["weight"], trial="|-v|tf"),
    _recipe("--idf IDF", _PRINTS, "Source of the IDF: auto, corpus, builtin, or a model FILE.",
        INFILE, IDF_WORDS, trial="|-v|model",
        rules=(_NAMED,
               Yields(lambda o: o.typed("idf_from") and o["idf"] not in ("auto", "corpus")),
               Yields(lambda o: o.command == "compare" and o["idf"] == "corpus"
                      and not o["idf_from"]),
               Idle(lambda o: o.recipe and not o.recipe.uses_idf
                    and (o.recipe.min_df < 2 or o.recipe.idf in _NO_COUNTS),
                    "this --weight uses no IDF"))),
    _recipe("--min-df N", _PRINTS, "Leave out terms that fewer than N documents have.", _NUMBER,
        trial="|-v --idf corpus --idf-from c|3",
        rules=(_NAMED,
               Idle(lambda o: o.recipe and o.recipe.idf == "builtin",
                    "the built-in IDF has no document counts"),
               Idle(lambda o: o.recipe and not o.recipe.uses_idf and o.recipe.idf in _NO_COUNTS,
                    "only the IDF of a corpus has document counts"))),
    _recipe("--top N", _PRINTS, "Keep the N heaviest terms of a document; 0 keeps all.", _NUMBER,
        trial="|-v|5"),
    _recipe("--cap SHARE", _PRINTS, "Largest share of the weight for one term; 0 is off.", _SHARE,
        trial="|-v|0.5"),
    _recipe("--hash NAME", _PRINTS, "Hash function for terms", CHOICES["hash"], trial="|-v|md5"),
    _recipe("--bits N", _PRINTS, "Bits in a fingerprint.", int, trial="|-v|128"),
    _recipe("--ties BIT", _PRINTS, "Value of a bit if its votes tie", CHOICES["ties"],
        trial="|-v|zero"),
    _recipe("--dict FILE", _TERMS, "User dictionary in jieba's format.", INFILE, name="dictionary",
        rules=(_NAMED, Idle(lambda o: o.recipe and not o.recipe.cuts_words,
                            "these --tokens need no dictionary")), trial="|-v|words"),
)
_OTHER = (
    Row("--timeout SECONDS", "index add, index remove, query",
        "Time to wait for another writer.", click.FloatRange(0), default=60.0,
        rules=(Idle(lambda o: o.command == "query" and not o["add"], "only --add writes"),),
        trial="|--add --timeout 0|0.1"),
    Row("--config FILE", _ALL, "Take default options from FILE.", typed=ABOUT,
        shown="the nearest simdup.toml or pyproject.toml", trial="|-o out|quiet.toml"),
    Row("--isolated", _ALL, "Ignore configuration files.", typed=ABOUT),
    Row("--debug", _ALL, "Show tracebacks.", typed=ABOUT, trial="|--config lost.toml|"),
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


# What `dedupe --unit` uses beside the panels that say how files are read.
_WITH_UNIT = (
    "unit", "copies", "min_length", "target", "removed", "bom", "dry_run", "force", "quiet",
    "progress", "lang", "jobs", "verbose",
)  # fmt: skip


def _for_documents(row: Row) -> Row:
    """Return a row of `dedupe` that has no effect where parts are cut, if it has none."""
    read = row.panel in ("Input", "Other") and row.parameter != "title_field"
    if read or row.parameter in _WITH_UNIT:
        return row
    return replace(row, rules=(_WHOLE_ONLY, *row.rules))
