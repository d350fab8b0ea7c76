"""What a scan found that a baseline does not have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from simdup.model.clusters import Cluster
from simdup.model.decisions import Baseline, Entry
from simdup.model.readings import Conflict, ConflictResult
from simdup.near.rules.decisions import confirmed
from simdup.search.arrays import components
from simdup.show.escaping import shown
from simdup.show.result import Result
from simdup.text.characters import fold, text_digest

# Characters on either side of a conflict by which it is known again: so few are equal in all of
# its documents, and it does not matter from which one the text around is.
_BESIDE = 7


def baseline_of(result: Result) -> Baseline:
    """Return the baseline that has everything a scan found."""
    return Baseline(tuple(map(tuple, _entries(result))))


def _entries(result: Result) -> Iterator[list[Entry]]:
    """Yield the entries of each cluster; an index has no texts, but fingerprints."""
    digests = result.origins.documents["digest"]
    for cluster in result.clusters:
        yield [
            Entry(
                bytes(digests[member.number]).hex()
                if member.number >= 0
                else text_digest(member.fingerprint or "").hex(),
                shown(str(member.name)),
            )
            for member in cluster.members
        ]


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
    entries, counts = list(_entries(result)), baseline.digests
    members = [member for cluster in result.clusters for member in cluster.members]
    listed = Counter(chain.from_iterable(baseline.clusters))
    # Documents by their text: those that the baseline names come first, then in input order.
    of_text: dict[str, list[tuple[bool, int]]] = {}
    for member, entry in zip(members, chain.from_iterable(entries), strict=True):
        of_text.setdefault(entry.digest, []).append((entry not in listed, member.number))
    lacking = {
        number
        for digest, copies in of_text.items()
        for _, number in sorted(copies)[counts[digest] :]
    }
    # Clusters that share a text are one.
    joined = components(
        (int(cluster[0].digest, 16), int(entry.digest, 16))
        for cluster in baseline.clusters
        for entry in cluster
    )
    cluster_of = {digest: number for number, group in enumerate(joined) for digest in group}
    decided = confirmed(result.origins.criteria.decisions, {str(member.name) for member in members})
    compared = [
        _marked(cluster, [cluster_of.get(int(entry.digest, 16)) for entry in its], lacking, decided)
        for cluster, its in zip(result.clusters, entries, strict=True)
    ]
    clusters = tuple(
        replace(cluster, number=number)
        for number, cluster in enumerate(filter(_has_new, compared), 1)
    )
    whole, new = result.summary, sum(pair.new for cluster in clusters for pair in cluster.pairs)
    members = [member for cluster in clusters for member in cluster.members]
    numbers = {member.number for member in members}
    summary = replace(
        whole,
        clusters=len(clusters),
        redundant=sum(member.role == "redundant" for member in members),
        pairs=sum(len(cluster.pairs) for cluster in clusters),
        kept_apart=None,
        facts_differ=None if result.facts is None else len(numbers & result.facts.keys()),
        new=new,
        known=whole.pairs - new,
        # Entries of the baseline that are no longer found.
        stale=sum(max(count - len(of_text.get(digest, ())), 0) for digest, count in counts.items()),
    )
    pairs = "known pair" if summary.known == 1 else "known pairs"
    note = ("baseline", f"{summary.known:,} {pairs} not listed")
    return replace(
        result,
        clusters=clusters,
        notes=(*result.notes, note) if summary.known else result.notes,
        known=tuple(cluster for cluster in compared if not _has_new(cluster)),
        summary=summary,
    )


def _has_new(cluster: Cluster) -> bool:
    return any(pair.new for pair in cluster.pairs) or any(member.new for member in cluster.members)


def _marked(
    cluster: Cluster,
    texts: Sequence[int | None],
    lacking: Collection[int],
    decided: Callable[[str, str], bool],
) -> Cluster:
    """Return a cluster in which new pairs and documents are marked.

    Parameters
    ----------
    cluster : Cluster
    texts : sequence
        Which known cluster has the text of each member; None if none has it.
    lacking : collection of int
        The numbers of the documents that the baseline lacks.
    decided : callable
        Tells whether people decided that two documents are duplicates.
    """
    members, places = cluster.members, cluster.places()
    undecided = {
        p
        for p, (a, b) in enumerate(places)
        if not decided(str(members[a].name), str(members[b].name))
    }
    new = {p for p in undecided for a, b in [places[p]] if texts[a] is None or texts[a] != texts[b]}
    # For each further copy of a known text, the pairs that may tell of it.
    options: dict[int, list[int]] = {}
    for p in sorted(undecided):
        for copy in places[p]:
            if members[copy].number in lacking and texts[copy] is not None:
                options.setdefault(copy, []).append(p)
    # A copy with few pairs chooses before one with many.
    for choice in sorted(options.values(), key=len):
        free = [p for p in choice if p not in new]
        new.update(sorted(free, key=lambda p: not cluster.pairs[p].exact)[:1])
    beside = {i for p in new for i in places[p]}
    beside |= set(range(len(members))).difference(*places)
    return replace(
        cluster,
        members=tuple(
            member._replace(new=i in beside and member.number in lacking)
            for i, member in enumerate(members)
        ),
        pairs=tuple(pair._replace(new=p in new) for p, pair in enumerate(cluster.pairs)),
    )


def conflict_baseline(result: ConflictResult) -> Baseline:
    """Return the baseline that has all conflicts of a result, and the forms that it would keep."""
    digests = set[str]()
    while (
        more := {entry.digest for conflict in result.conflicts for entry in _values(conflict)}
        - digests
    ):
        digests |= more
        result = _keep(result, digests)
    each = result.conflicts
    return Baseline(tuple(tuple(_values(conflict)) for conflict in each), tuple(map(_place, each)))


def _place(conflict: Conflict) -> str:
    """Return where a conflict is, for a reader: a document of the rarest reading, and the text."""
    before, after = (" ".join(part.split()) for part in (conflict.before, conflict.after))
    return shown(f"{conflict.readings[0].documents[0].document}: {before} ... {after}")


def keep_known(result: ConflictResult, baseline: Baseline) -> ConflictResult:
    """Return a result in which no form is a place where a baseline has a conflict.

    One value more could make a form of it, and the conflict would be lost.
    """
    return _keep(result, baseline.digests.keys())


def _keep(result: ConflictResult, digests: Collection[str]) -> ConflictResult:
    """Return a result in which no form has one of some values."""
    kept, forms = list[Conflict](), list[Conflict]()
    for form in result.forms:
        (kept if any(entry.digest in digests for entry in _values(form)) else forms).append(form)
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
        conflict
        for conflict in result.conflicts
        if not set.intersection(*(having.get(entry.digest, set()) for entry in _values(conflict)))
    ]
    return result.listing(listed, result.forms, known=len(result) - len(listed))


def _values(conflict: Conflict) -> Iterator[Entry]:
    """Yield the values of a conflict, by their digests with the text around."""
    before, after = ("".join(fold(part).split()) for part in (conflict.before, conflict.after))
    for reading in conflict.readings:
        fact = "".join(fold(reading.fact).split())
        parts = (conflict.kind, before[-_BESIDE:], fact, after[:_BESIDE])
        digest = text_digest("\0".join(parts))
        yield Entry(digest.hex(), f"{conflict.kind}: {shown(reading.value)}")
