"""How results begin: columns of CSV, first keys of typed JSON lines; what a report page carries."""

from __future__ import annotations

from dataclasses import dataclass

CLUSTER_COLUMNS = ("cluster", "role", "document", "fingerprint", "distance", "similarity")
# What further columns say of clusters and of pairs whose texts were read.
MEASURE_COLUMNS = ("containment", "cosine", "measure")
REMOVED_COLUMNS = ("document", "reason", "distance", "similarity", "kept")
REMOVED_PART_COLUMNS = ("document", "start", "end", "kept", "kept_start", "kept_end", "text")
QUERY_COLUMNS = ("document", "match", "distance", "similarity")
PAIR_COLUMNS = ("a", "b", "distance", "similarity")
PASSAGE_COLUMNS = ("a", "a_start", "a_end", "b", "b_start", "b_end", "length", "similarity")
RATE_COLUMNS = ("document", "share", "counted", "largest_source", "largest_share", "sources")
CONFLICT_COLUMNS = (
    "conflict", "kind", "reading", "document", "start", "end", "line", "before", "after",
)  # fmt: skip
TABLES = (
    CLUSTER_COLUMNS, REMOVED_COLUMNS, QUERY_COLUMNS, PAIR_COLUMNS, PASSAGE_COLUMNS,
    CONFLICT_COLUMNS, REMOVED_PART_COLUMNS, RATE_COLUMNS,
)  # fmt: skip

# The first line of a baseline; the number increases with incompatible changes.
BASELINE_HEAD = "# simdup-baseline 1"
# The first line of a report page.
PAGE_LINE = "<!DOCTYPE html><!-- simdup report 1 -->"

# For each type, the keys that may follow it.
TYPED_LINES = {
    "cluster": ("cluster",),
    "pair": ("a",),
    "overlap": ("a",),
    "rate": ("document",),
    "conflict": ("kind",),
    "form": ("kind",),
    "leak": ("document",),
    "removed": ("document",),
    "removed_part": ("document",),
    "spared": ("document",),
    "part": ("name",),
    "match": ("document",),
    "new": ("document",),
    "skipped": ("document",),
    "summary": ("documents", "schema"),
    "comparison": ("a",),
    "evaluation": ("documents",),
    "band": ("low",),
    "precision": ("pairs",),
    "index": ("path",),
}

# The same of what a report page saves.
DECISION_LINES = {"decision": ("decision",)}


# The prototype carries the texts of all clusters of nearly every corpus that was tried, and a mail
# program still takes the file.
TEXT_BYTES = 16 << 20


KINDS = ("scan", "audit", "compare", "conflicts", "dedupe", "passages", "query")


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What a report page carries.

    Attributes
    ----------
    texts : int or None
        Most bytes that texts may take in the file; 0 for no texts, None for all of them.
    command : str
        The command that made the page, as it was typed.
    kind : str
        One of `KINDS`: what made the page.
    """

    texts: int | None = TEXT_BYTES
    command: str = ""
    kind: str = "scan"
