"""Write known near-duplicates; two versions of the file make a diff that is easy to read."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from simdup.corpus.baseline import HEAD
from simdup.model.decisions import Baseline, Entry

_ABOUT = """\
# Near-duplicates that are known, and that a check does not report: the digest of each text and its
# name. Blank lines divide clusters. Only digests count.
"""


def baseline_lines(baseline: Baseline) -> Iterator[bytes]:
    """Yield the lines of a file of known near-duplicates, sorted by name.

    Names are escaped already: a line is valid UTF-8, whatever a document is called.
    """
    yield f"{HEAD}\n{_ABOUT}".encode()
    by_name = attrgetter("name", "digest")
    for cluster in sorted((sorted(one, key=by_name) for one in baseline.clusters), key=_first):
        yield b"\n"
        yield from (f"{entry.digest}  {entry.name}\n".encode() for entry in cluster)


def _first(entries: list[Entry]) -> tuple[str, str]:
    return entries[0].name, entries[0].digest
