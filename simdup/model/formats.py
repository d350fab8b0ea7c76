"""How results begin: columns of CSV, first keys of typed JSON lines, headings."""

from __future__ import annotations

CLUSTER_COLUMNS = ("cluster", "role", "document", "fingerprint", "distance", "similarity")
REMOVED_COLUMNS = ("document", "reason", "distance", "similarity", "kept")
QUERY_COLUMNS = ("document", "match", "distance", "similarity")
PAIR_COLUMNS = ("a", "b", "distance", "similarity")
PASSAGE_COLUMNS = ("a", "a_start", "a_end", "b", "b_start", "b_end", "length", "similarity")
TABLES = (CLUSTER_COLUMNS, REMOVED_COLUMNS, QUERY_COLUMNS, PAIR_COLUMNS, PASSAGE_COLUMNS)

# The headings of clusters and of pairs as text, before the columns of further measures.
TEXT_HEADING = "  role       bits  similar  "
PAIR_HEADING = "bits  similar  "

# The first line of a report page.
PAGE_LINE = "<!DOCTYPE html><!-- simdup report 1 -->"

# For each type, the keys that may follow it.
TYPED_LINES = {
    "cluster": ("cluster",),
    "pair": ("a",),
    "overlap": ("a",),
    "removed": ("document",),
    "spared": ("document",),
    "part": ("name",),
    "match": ("document",),
    "new": ("document",),
    "skipped": ("document",),
    "summary": ("documents", "schema"),
    "comparison": ("a",),
    "setting": ("options",),
    "bin": ("from",),
    "advice": ("options",),
    "evaluation": ("documents",),
    "index": ("path",),
}

# The same of what a report page saves.
DECISION_LINES = {"decision": ("decision",)}
