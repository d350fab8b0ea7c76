"""The rows of the options for what is read, and how."""

from __future__ import annotations

from functools import partial
from typing import Any

from simdup.cli.options.parameter_types import Size
from simdup.cli.options.row import READS, Clash, Idle, Row
from simdup.model.reading import EXTRACTS, INPUT_FORMATS, Reading

_SOURCES = "scan, passages, fingerprint, dedupe, fit, index build, index add, query, tune"
_WALKS = f"{_SOURCES}, cluster"
_READS = f"{_WALKS}, compare"

LINES = (
    Idle(lambda o: o.command == "cluster" and not o["verify_from"],
         "only --verify-from reads texts"),
    Idle(lambda o: o["fingerprints"], "fingerprint lines have no texts"),
)  # fmt: skip
_RECORDS = (
    *LINES,
    Idle(lambda o: o.command == "compare" and "#" not in f"{o['a']}{o['b']}",
         "neither A nor B is a record, such as file.jsonl#5"),
)  # fmt: skip
_TITLES = (
    Idle(lambda o: o.command == "compare" and not o["same_title"],
         "only --same-title compares titles"),
    *_RECORDS,
)  # fmt: skip

_reading = partial(Row, of=Reading, rules=LINES)


def _encoding(name: str | None) -> str | None:
    from simdup.corpus.decoding import known_encoding

    if name in (None, "auto"):
        return None
    known_encoding(name)
    return name


def _field(names: tuple[str, ...]) -> Any:
    return names[0] if len(names) == 1 else names


def _null(commands: str, more: str, trial: str = "| --files-from list0 | -0") -> Row:
    """Return the row for commands that print names with another option."""
    missing = f"--null needs --files-from{more and f' or {more}'}"
    rule = Clash(lambda o: not (o["files_from"] or o["list"] or o["new"]), missing)
    text = f"Names in --files-from{more and f' and {more}'} end with NUL, not newline."
    return Row("-0, --null", commands, text, rules=(rule,), typed=READS, trial=trial)


# fmt: off
ROWS = (
    Row("--files-from FILE", f"{_SOURCES}, index remove",
        "Read more SOURCEs from FILE, one per line.", typed=READS, file="read",
        per={"index remove": {"text": "Read more NAMEs from FILE, one per line."}},
        trial={"index remove": "|| --files-from gone", "*": "|| --files-from list"}),
    _null("scan", "--list"),
    _null("query", "--new"),
    _null("passages, fingerprint, dedupe, fit, index build, index add, tune", ""),
    _null("index remove", "", "| --files-from gone0 | -0"),
    Row("--verify-from SOURCE...", "cluster",
        "Read the documents from SOURCE, and compare the texts of each pair.",
        common=True, trial="||--verify-from c"),
    Row("--fingerprints", "index build, index add, query",
        "Read SOURCEs as fingerprint lines, not texts.", typed=READS, trial="pc||--fingerprints"),
    _reading("--glob PATTERN...", _WALKS, "Take only matching files.", common=True,
             trial="||--glob *.md"),
    _reading("--exclude PATTERN...", _WALKS, "Leave out matching files and folders. Repeatable.",
             common=True, trial="||--exclude *.md"),
    _reading("--ignore/--no-ignore", _WALKS, "Follow the .simdupignore files in folders.",
             trial="ig||--no-ignore"),
    _reading("--encoding NAME", _READS, "Text encoding of the files.", take=_encoding,
             shown="detected", trial="||--encoding ascii"),
    _reading("--input-format FORMAT", _READS, "File format; auto uses the suffix", INPUT_FORMATS,
             rules=_RECORDS, trial="lines||--input-format jsonl"),
    _reading("--field NAME...", _READS,
             "Record field with the text, such as body.content; several are one text.",
             take=_field, default=Reading().text_fields, shown="text", common=True, rules=_RECORDS,
             trial="r.jsonl|-f jsonl|--field body"),
    _reading("--id-field NAME", _READS, "Record field with the name.", shown="record number",
             rules=_RECORDS,
             trial={**dict.fromkeys(("fit", "tune"), "r.jsonl||--id-field none"),
                    "*": "r.jsonl|--removed removed.csv|--id-field id"}),
    _reading("--html", _READS, "Treat every text as HTML, in records too.",
             trial="w|-f jsonl|--html"),
    _reading("--extract PART", _READS, "Part of an HTML page to read; none keeps the markup",
             EXTRACTS, trial="h|-f jsonl|--extract none"),
    _reading("--max-size SIZE", _READS, "Skip larger documents.", Size(),
             default=f"{Reading().max_size >> 20}M", trial="||--max-size 500"),
    _reading("--title-field NAME", "scan, dedupe, compare", "Record field with the title.",
             shown="first heading or line of the text", rules=_TITLES,
             trial="r.jsonl|--same-title --columns title|--title-field none"),
    Row("--min-score S", "evaluate", "Count only pairs of TRUTH scored S or more as true.", float,
        common=True, trial="||--min-score 0.9"),
)
