"""The rows of the options for when two documents are near-duplicates, and which one is kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from simdup.cli.options.input_rows import LINES
from simdup.cli.options.parameter_types import OpenChoice
from simdup.cli.options.row import Clash, Idle, Row, Yields
from simdup.model.cleaned import DedupeOptions
from simdup.model.criteria import (
    INDEX_METHODS,
    KEEP,
    LINKAGES,
    LOSSLESS,
    METHODS,
    SHORT,
    SIMILARITY,
    Criteria,
)
from simdup.model.passages import PassageCriteria, PassageScope
from simdup.model.recipe import Recipe

if TYPE_CHECKING:
    from simdup.model.decisions import Decisions

_SHARE = click.FloatRange(0, 1)
_INNER_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_COUNT = click.IntRange(1)

_SCANS = "scan, dedupe"
_MATCHES = f"{_SCANS}, compare"
_TEXTS = f"{_MATCHES}, cluster"

_UNVERIFIED = "with --no-verify, texts are not compared"
NO_PRINTS = Idle(lambda o: o["method"] in ("minhash", "pstable"),
                  "this --method does not use fingerprints")  # fmt: skip
_MEASURES = (Yields(lambda o: o.typed("verify") and not o["verify"]),)

_criteria = partial(Row, of=Criteria)
_passages = partial(Row, of=PassageCriteria, commands="passages")


def _decisions(path: str | None) -> Decisions:
    from simdup.corpus.decisions import read_decisions
    from simdup.model.decisions import UNDECIDED

    return UNDECIDED if path is None else read_decisions(path)


# fmt: off
ROWS = (
    Row("--sample N", "tune", "Number of documents to sample.", click.IntRange(2), common=True,
        default=2000, trial="||--sample 2"),
    _criteria("--method METHOD", f"{_MATCHES}, query",
              "Candidate search: simhash (near fingerprints), minhash (shared text), auto (both, "
              "and shared passages with --containment), or pstable (near TF-IDF vectors).",
              METHODS, common=True, rules=LINES,
              per={"query": {"kind": INDEX_METHODS,
                             "text": "Candidate search: simhash (near fingerprints), minhash "
                                     "(shared text), or auto (both)."}},
              trial={"query": "e|-d 0|--method simhash", "*": "||--method simhash"}),
    _criteria("--recall R", _MATCHES,
              "Expected share of pairs that minhash (by --similarity) and pstable (by --cosine) "
              "find.", _INNER_SHARE,
              rules=(Idle(lambda o: o["method"] == "simhash", "simhash finds all pairs"),
                     Idle(lambda o: o["method"] == "auto" and o["verify"] is False,
                          "with --no-verify, fingerprints alone decide")),
              trial="|--method minhash|--recall 0.3"),
    _criteria("-d, --distance K", f"{_MATCHES}, query, cluster, pairs",
              "Maximum distance that simhash proposes; with auto, pairs may be further apart.",
              click.IntRange(0, 256), common=True, rules=(NO_PRINTS,),
              per={"cluster, pairs": {"text": "Maximum fingerprint distance, in bits."}},
              trial={"query": "|-s 0|-d 64", "*": "|--method simhash|-d 20"}),
    _criteria("-s, --similarity S", f"{_TEXTS}, query, tune",
              "Minimum similarity of a pair, 0 to 1.", _SHARE, common=True,
              shown=f"{SIMILARITY}; 0 with --containment",
              rules=(Idle(lambda o: o.unverified, _UNVERIFIED), *LINES),
              per={"query": {"shown": f"{SIMILARITY}"},
                   "cluster": {"shown": f"{SIMILARITY}",
                               "text": "Minimum similarity of a pair; needs --verify-from."},
                   "tune": {"shown": "recommended from the sample"}}, trial="|-d 20|-s 0.99"),
    _criteria("--shingle SIZE", f"{_TEXTS}, tune",
              "Compare texts by runs of N characters, or of N words with words:N.",
              default=str(Criteria().shingle),
              rules=(Idle(lambda o: o.unverified and o.command != "compare", _UNVERIFIED), *LINES),
              trial={"tune": "||--shingle 2", "*": "||--shingle 20"}),
    _criteria("--short-texts/--no-short-texts", _TEXTS,
              f"Measure pairs with a text of fewer than {SHORT} letters by edit similarity.",
              rules=(*LINES, Idle(lambda o: o["verify"] is False and o.command != "compare",
                                  _UNVERIFIED)),
              trial="s.jsonl||--no-short-texts"),
    _criteria("--numbers/--no-numbers", _TEXTS,
              "Short texts with different numbers are different.",
              rules=(*LINES, Idle(lambda o: o["verify"] is False, _UNVERIFIED),
                     Idle(lambda o: not o.by_similarity, "no similarity is asked for"),
                     Idle(lambda o: o["short_texts"] is False,
                          "numbers matter for short texts only")),
              trial={"compare": "s.jsonl#3 s.jsonl#4||--no-numbers", "*": "s.jsonl||--no-numbers"}),
    _criteria("--verify/--no-verify", f"{_MATCHES}, query",
              "Compare the texts of each candidate pair.",
              rules=(Yields(lambda o: o.typed("containment", "cosine")),),
              per={"query": {"text": "Compare the sketches of each candidate pair."}},
              trial="|-d 20|--no-verify"),
    _criteria("--containment C", _MATCHES,
              "Minimum share of the shorter text that the longer one contains; finds excerpts in "
              "texts of any length.", _SHARE, shown="off", rules=_MEASURES,
              trial="||--containment 0.5"),
    _criteria("--cosine C", _MATCHES, "Minimum cosine of the TF-IDF vectors.", _SHARE, shown="off",
              rules=_MEASURES, trial="||--cosine 0.5"),
    _criteria("--same-title", _MATCHES,
              "Require equal titles too, as for pages of one template.",
              common=True, trial="||--same-title"),
    _criteria("--across FIELD", _SCANS,
              "Pair only documents that differ in this record field; folder: in their folder.",
              shown="off", trial="r.jsonl||--across id"),
    _criteria("-k, --keep WHICH", _SCANS,
              "Document to keep: first, longest, shortest, newest, oldest, max:FIELD or min:FIELD.",
              OpenChoice(*(one for one in KEEP if ":" not in one)), common=True,
              shown="first; longest with --containment", trial="||-k longest"),
    _criteria("--prefer PATTERN...", _SCANS, "Prefer to keep documents that match. Repeatable.",
              trial="||--prefer b*"),
    _criteria("--decisions FILE", _SCANS,
              "Follow what people decided in a report page: what is distinct, what to keep.",
              default=None, take=_decisions, file="read", trial="||--decisions decided.json"),
    _criteria("--linkage WHICH", f"{_SCANS}, cluster",
              "Cluster documents by any chain of pairs (single), or only with the kept one (star).",
              LINKAGES, shown="single", per={"dedupe": {"shown": "star"}},
              trial={"dedupe": "chain||--linkage single", "*": "chain||--linkage star"}),
    _criteria("--lossless", "dedupe",
              f"Remove only what the kept document contains: {LOSSLESS:.0%} of its text, and every "
              "number, date and code.", common=True, trial="||--lossless"),
    _criteria("--all-pairs", f"{_SCANS}, cluster",
              "Verify and list every pair, even where candidates connect many documents; of fewer "
              "than 5,000 documents also what no search proposes.",
              trial="many|-f jsonl --removed out.html|--all-pairs"),
    _passages("--min-run N", kind=_COUNT, common=True,
              text="Find every equal run of N units (Chinese characters; a word is 2).",
              trial="||--min-run 100"),
    _passages("--gap N", text="Join runs with up to N units between.", kind=click.IntRange(0),
              common=True, trial="||--gap 0"),
    _passages("--min-length N", text="Report passages of at least N equal units.", kind=_COUNT,
              common=True, trial="||--min-length 1000"),
    _passages("--common N", text="Text in more than N documents does not start a passage.",
              kind=click.IntRange(2), shown="50 or 5 %, the larger; at most 4/5",
              trial="many||--common 2"),
    Row("--reference SOURCE...", f"{_SCANS}, passages",
        "Also compare with these documents, or with an index; they are never redundant.",
        of=DedupeOptions, name="references", common=True,
        per={"passages": {"text": "Compare the SOURCEs with these documents only."}},
        trial="||--reference k"),
    Row("--across FIELD", "passages",
        "Compare only documents that differ in this record field; folder: in their folder.",
        of=PassageScope, shown="off", trial="r.jsonl||--across id"),
    Row("--template FILE...", "passages", "Ignore text that is also in this file.",
        of=PassageScope, name="templates", trial="||--template c/a.txt"),
    Row("--index INDEX", "dedupe", "Remove what is near a document of INDEX.",
        of=DedupeOptions, common=True, trial="e|--dry-run|--index i"),
    Row("-n, --limit N", "query", "Print at most N matches per document.", _COUNT, common=True,
        shown="all", rules=(Idle(lambda o: o["new"], "--new prints no matches"),),
        trial="twice|-d 20 -s 0.5|--limit 1"),
    Row("--exclude-self", "query", "Ignore the stored document of the same name.",
        trial="twice||--exclude-self"),
    Row("--idf-from SOURCE", "compare",
        "Use the term weights of a scan of SOURCE.", common=True,
        rules=(Yields(lambda o: o.typed("idf") and o["idf"] not in ("auto", "corpus")),
               Clash(lambda o: o.recipe and o.recipe.idf not in ("auto", "corpus"),
                     "--idf-from needs --idf auto or corpus")),
        trial="||--idf-from c"),
    Row("--fold/--no-fold", "cluster", "Compare folded texts.", of=Recipe, rules=LINES,
        trial="f||--no-fold"),
    Row("--strip REGEX...", "cluster", "Compare texts without what matches. Repeatable.",
        of=Recipe, rules=LINES, trial="||--strip 。"),
)
