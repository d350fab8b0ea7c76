"""Write near-duplicates and conflicts as workflow commands of GitHub: it shows them beside files.

A command is a line, ``::warning file=FILE,line=N,title=TITLE::MESSAGE``.  A name could end one and
begin another: so line ends, ``%``, and in properties ``:`` and ``,`` are escaped as GitHub's own
toolkit does.  See https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from math import isnan
from typing import NamedTuple

from simdup.base.system import relative
from simdup.corpus.files import STDIN
from simdup.corpus.names import to_bytes
from simdup.corpus.record_batches import record_lines
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import SHARES
from simdup.model.formats import digits
from simdup.model.readings import Conflict
from simdup.near.findings import Findings, Origins
from simdup.show.conflict_output import value_words
from simdup.show.escaping import shown
from simdup.show.words import ENGLISH

# GitHub shows this many warnings of a step beside the files; the log has all.
SHOWN = 10

_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = _ESCAPES | {":": "%3A", ",": "%2C"}


class _Finding(NamedTuple):
    """A document to look at, and what it is near to."""

    member: Member
    other: Member
    figures: Member | Pair  # how near they are
    exact: bool


def warning_lines(result: Findings, advice: str) -> Iterator[bytes]:
    """Yield a warning for each document that should be looked at.

    These are the redundant ones or, if a baseline was given, those that it lacks.
    `advice` ends each message: what to do.
    """
    origins = result.origins
    found = [one for cluster in result.clusters for one in _findings(cluster, result)]
    lines = _lines(origins, [one.member.number for one in found])
    for one in found:
        number = one.member.number
        title = "Same text" if one.exact else "Near-duplicate"
        path = origins.documents["path"][number]
        yield _warning(path, lines.get(number), title, f"{_words(one)} {advice}")


def conflict_warnings(conflicts: Iterable[Conflict], advice: str) -> Iterator[bytes]:
    """Yield a warning for each document that does not say what most say, the rarest first."""
    for one in conflicts:
        *others, most = one.readings
        # Of as many documents for each, nobody knows which are right.
        tied = len(others[-1].documents) == len(most.documents)
        for reading in one.readings if tied else others:
            against = most if reading is not most else others[-1]
            n, value = len(against.documents), value_words(against.value, ENGLISH, one.values)
            say = ENGLISH("conflicts.say", n=n, value=value)
            for place in reading.documents:
                name = shown(str(place.document))
                says = value_words(reading.value, ENGLISH, one.values)
                words = f"{name} says {says} where {say}. {advice}"
                # Only of a file it is known when it was modified.
                path, line = ("", None) if isnan(place.modified) else (place.document, place.line)
                yield _warning(path, line, "Conflict", words)


def _warning(path: str, line: int | None, title: str, message: str) -> bytes:
    """Return the command of a warning; what is in no file has no place."""
    properties = {"title": title}
    if path not in ("", STDIN):
        place = {"file": _in_repository(path)}
        properties = place | ({} if line is None else {"line": str(line)}) | properties
    listed = ",".join(f"{key}={_escaped(v, _IN_PROPERTIES)}" for key, v in properties.items())
    return to_bytes(f"::warning {listed}::{_escaped(message, _ESCAPES)}\n")


def advice_words(advice: str, baseline: bool) -> str:
    """Return what to do; with a baseline, it may be updated instead."""
    if not baseline:
        return f"{advice}."
    return f"{advice}; if both should stay, update the baseline with --update-baseline."


def limit_words(warnings: int) -> str:
    """Return how many warnings GitHub leaves out; empty if it shows all."""
    if warnings <= SHOWN:
        return ""
    return f"GitHub shows {SHOWN} of the {warnings:,} warnings beside the files; the log has all."


def _findings(cluster: Cluster, result: Findings) -> list[_Finding]:
    members, beside = cluster.members, _beside(cluster)
    found = []
    for i, pairs in sorted(beside.items()):
        member = members[i]
        # Which one of two new ones was added is not known, and GitHub shows beside a change only
        # what is about that file: so both are findings, even the kept one.
        wanted = member.new or (member.role != "kept" and not any(members[j].new for j in pairs))
        if wanted and member.number >= result.references:
            found.append(_finding(i, cluster, pairs, result.origins))
    return found


def _beside(cluster: Cluster) -> dict[int, dict[int, Pair]]:
    """Return the pairs of each member that count: the new ones, if some are, else all."""
    some = any(pair.new for pair in cluster.pairs)
    found: dict[int, dict[int, Pair]] = {}
    for (a, b), pair in zip(cluster.places(), cluster.pairs, strict=True):
        if pair.new or not some:
            found.setdefault(a, {})[b] = pair
            found.setdefault(b, {})[a] = pair
    return found


def _finding(i: int, cluster: Cluster, pairs: Mapping[int, Pair], origins: Origins) -> _Finding:
    """Return a member with the document it is to be compared with: the kept one, if it is near."""
    member = cluster.members[i]
    if member.role == "redundant":
        kept = cluster.member(member.beside)
        digests = origins.documents["digest"]
        exact = kept.number >= 0 and bool(digests[member.number] == digests[kept.number])
        return _Finding(member, kept, member, exact)
    best = max(pairs, key=lambda j: (pairs[j].similarity or 0, -(pairs[j].distance or 0), -j))
    return _Finding(member, cluster.members[best], pairs[best], pairs[best].exact)


def _words(one: _Finding) -> str:
    name, other = shown(str(one.member.name)), shown(str(one.other.name))
    if one.exact:
        return f"{name} has the same text as {other}."
    figures = one.figures
    known = {measure: getattr(figures, measure) for measure in SHARES}
    parts = [f"{measure} {digits(value)}" for measure, value in known.items() if value is not None]
    return f"{name} is a near-duplicate of {other} ({', '.join(parts) or _bits(figures)})."


def _bits(figures: Member | Pair) -> str:
    return f"distance {figures.distance}"


def _lines(origins: Origins, numbers: list[int]) -> dict[int, int]:
    """Return the lines of documents: a file begins at its first; a JSON line has its own.

    Of other records the line is not known.
    """
    paths, places = (origins.documents[name] for name in ("path", "record"))
    lines = {number: 1 for number in numbers if not places[number]}
    plain = {f.path for f in origins.files if f.format == "jsonl" and not f.compression}
    records: dict[str, dict[int, int]] = {}
    for number in numbers:
        if places[number] and paths[number] in plain:
            records.setdefault(paths[number], {})[int(places[number])] = number
    for path, wanted in records.items():
        with suppress(OSError):
            lines |= {wanted[record]: line for record, line in record_lines(path, wanted)}
    return lines


def _in_repository(path: str) -> str:
    """Return a path as GitHub knows it: from the root of the repository, with slashes."""
    for root in (os.environ.get("GITHUB_WORKSPACE"), os.curdir):
        if root and (below := relative(path, root)):
            return below
    return os.path.normpath(path)


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
