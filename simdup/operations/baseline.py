"""What a scan found that a baseline does not have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from simdup.model.clusters import Cluster, Member, Summary
from simdup.model.decisions import Baseline, Entry
from simdup.model.readings import Conflict, ConflictResult
from simdup.near.leading import confirmed
from simdup.near.source_documents import SourceDocuments
from simdup.search.arrays import components
from simdup.show.escaping import shown
from simdup.show.result import Result
from simdup.text.characters import fold, text_digest

# Characters on either side of a conflict by which it is known again: so few are equal in all of
# its documents, and it does not matter from which one the text around is.
_BESIDE = 7
# The figures of a run that do not depend on which clusters are listed.
_OF_THE_RUN = (
    "documents", "skipped", "checked", "unchecked", "seconds", "recipe", "indexed", "all_pairs",
)  # fmt: skip


def baseline_of(result: Result) -> Baseline:
    """Return the baseline that has everything a scan found."""
    return Baseline(tuple(tuple(_entries(one, result.origins)) for one in result.clusters))


def new_since(result: Result, baseline: Baseline) -> Result:
    """Return a result with those clusters only that have pairs or documents that a baseline lacks.

    A baseline has a pair if it has both texts in one cluster, or if people decided that the two
    documents are duplicates.  Of identical texts it has as many as it lists: a further copy makes
    one new pair.  The names of documents and their order do not matter, but for which one of
    several copies is the new one.

    Clusters are numbered anew.  New pairs are marked (`Pair.new`), and those documents that the
    baseline lacks (`Member.new`): of such pairs, or of no listed one, as those of a large cluster
    that are kept and took none.
    """
    known = _Known(result, baseline)
    compared = [_compare(cluster, known) for cluster in result.clusters]
    listed = [one for one in compared if _has_new(one)]
    clusters = tuple(replace(one, number=number) for number, one in enumerate(listed, 1))
    summary = _summary(result.summary, clusters, known.stale)
    if result.facts is not None:
        numbers = (one.number for cluster in clusters for one in cluster.members)
        differ = sum(number in result.facts for number in numbers)
        summary = replace(summary, facts_differ=differ)
    notes = result.notes
    if summary.known:
        pairs = "known pair" if summary.known == 1 else "known pairs"
        notes += (("baseline", f"{summary.known:,} {pairs} not listed"),)
    return replace(
        result,
        clusters=clusters,
        notes=notes,
        known=tuple(one for one in compared if not _has_new(one)),
        summary=summary,
    )


def _has_new(cluster: Cluster) -> bool:
    return any(pair.new for pair in cluster.pairs) or any(one.new for one in cluster.members)


def _summary(whole: Summary, clusters: Sequence[Cluster], stale: int) -> Summary:
    """Return the figures of what is listed, and of the comparison."""
    new = sum(pair.new for cluster in clusters for pair in cluster.pairs)
    figures = {name: getattr(whole, name) for name in _OF_THE_RUN}
    return Summary.of(clusters, **figures, new=new, known=whole.pairs - new, stale=stale)


def conflict_baseline(result: ConflictResult) -> Baseline:
    """Return the baseline that has all conflicts of a result, and the forms that it would keep."""
    known = set[str]()
    while more := {entry.digest for one in result.conflicts for entry in _values(one)} - known:
        known |= more
        result = _keep(result, known)
    each = result.conflicts
    return Baseline(tuple(tuple(_values(one)) for one in each), tuple(map(_place, each)))


def _place(one: Conflict) -> str:
    """Return where a conflict is, for a reader: a document of the rarest reading, and the text."""
    before, after = (" ".join(part.split()) for part in (one.before, one.after))
    return shown(f"{one.readings[0].documents[0].document}: {before} ... {after}")


def keep_known(result: ConflictResult, baseline: Baseline) -> ConflictResult:
    """Return a result in which no form is a place where a baseline has a conflict.

    One value more could make a form of it, and the conflict would be lost.
    """
    return _keep(result, baseline.digests.keys())


def _keep(result: ConflictResult, known: Collection[str]) -> ConflictResult:
    """Return a result in which no form has one of some values."""
    kept, forms = list[Conflict](), list[Conflict]()
    for one in result.forms:
        (kept if any(entry.digest in known for entry in _values(one)) else forms).append(one)
    return result.listing([*result.conflicts, *kept], forms)


def new_conflicts(result: ConflictResult, baseline: Baseline) -> ConflictResult:
    """Return a result with the conflicts that a baseline lacks.

    It has one if it has all values in one conflict, with the same text around.
    """
    having = dict[str, set[int]]()
    for number, entries in enumerate(baseline.clusters):
        for entry in entries:
            having.setdefault(entry.digest, set()).add(number)
    listed = [
        one
        for one in result.conflicts
        if not set.intersection(*(having.get(entry.digest, set()) for entry in _values(one)))
    ]
    return result.listing(listed, result.forms, known=len(result) - len(listed))


def _values(one: Conflict) -> Iterator[Entry]:
    """Yield the values of a conflict, by their digests with the text around."""
    before, after = ("".join(fold(part).split()) for part in (one.before, one.after))
    for reading in one.readings:
        fact = "".join(fold(reading.fact).split())
        parts = (one.kind, before[-_BESIDE:], fact, after[:_BESIDE])
        digest = text_digest("\0".join(parts))
        yield Entry(digest.hex(), f"{one.kind}: {shown(reading.value)}")


class _Known:
    """What is known about the texts and documents of a result."""

    def __init__(self, result: Result, baseline: Baseline) -> None:
        self._origins = result.origins
        self._cluster_of = _clusters_of_texts(baseline)
        members = [member for cluster in result.clusters for member in cluster.members]
        entries = [
            entry for cluster in result.clusters for entry in _entries(cluster, self._origins)
        ]
        listed = Counter(chain.from_iterable(baseline.clusters))
        counts = baseline.digests
        # Documents by their text: those that the baseline names come first, then in input order.
        of_text: dict[str, list[tuple[bool, int]]] = {}
        for member, entry in zip(members, entries, strict=True):
            of_text.setdefault(entry.digest, []).append((entry not in listed, member.number))
        # Numbers of the documents that the baseline lacks.
        self.new = {
            number
            for digest, some in of_text.items()
            for _, number in sorted(some)[counts[digest] :]
        }
        # Entries of the baseline that are no longer found.
        self.stale = (counts - Counter(entry.digest for entry in entries)).total()
        names = {str(member.name) for member in members}
        self._confirmed = confirmed(self._origins.criteria.decisions, names)

    def texts(self, cluster: Cluster) -> list[int | None]:
        """Return which known cluster has the text of each member; None if none has it."""
        entries = _entries(cluster, self._origins)
        return [self._cluster_of.get(int(entry.digest, 16)) for entry in entries]

    def confirmed(self, a: Member, b: Member) -> bool:
        """Tell whether people decided that two documents are duplicates."""
        return self._confirmed(str(a.name), str(b.name))


def _clusters_of_texts(baseline: Baseline) -> dict[int, int]:
    """Return the cluster of each text, by its digest; clusters that share a text are one."""
    joined = components(
        (int(cluster[0].digest, 16), int(entry.digest, 16))
        for cluster in baseline.clusters
        for entry in cluster
    )
    return {digest: number for number, group in enumerate(joined) for digest in group}


def _compare(cluster: Cluster, known: _Known) -> Cluster:
    """Return a cluster in which new pairs and documents are marked."""
    members, texts, places = cluster.members, known.texts(cluster), cluster.places()
    undecided = [not known.confirmed(members[a], members[b]) for a, b in places]
    new = {
        p
        for p, (a, b) in enumerate(places)
        if undecided[p] and (texts[a] is None or texts[a] != texts[b])
    }
    copies = {
        i for i, one in enumerate(members) if one.number in known.new and texts[i] is not None
    }
    # For each further copy of a known text, the pairs that may tell of it.
    options: dict[int, list[int]] = {}
    for p, (a, b) in enumerate(places):
        for copy in (a, b) if undecided[p] else ():
            if copy in copies:
                options.setdefault(copy, []).append(p)
    # A copy with few pairs chooses before one with many.
    for some in sorted(options.values(), key=len):
        left = [p for p in some if p not in new]
        new.update(sorted(left, key=lambda p: not cluster.pairs[p].exact)[:1])
    beside = {i for p in new for i in places[p]}
    beside |= set(range(len(members))).difference(*places)
    return replace(
        cluster,
        members=tuple(
            one._replace(new=i in beside and one.number in known.new)
            for i, one in enumerate(members)
        ),
        pairs=tuple(pair._replace(new=p in new) for p, pair in enumerate(cluster.pairs)),
    )


def _entries(cluster: Cluster, origins: SourceDocuments) -> list[Entry]:
    return [Entry(_digest(one, origins), shown(str(one.name))) for one in cluster.members]


def _digest(member: Member, origins: SourceDocuments) -> str:
    """Return the digest of a document's text; an index has no texts, but fingerprints."""
    if member.number < 0:
        return text_digest(member.fingerprint or "").hex()
    return bytes(origins.documents["digest"][member.number]).hex()
