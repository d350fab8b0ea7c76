"""Turn fingerprinted documents into groups of near-duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.clusters import DocumentPair, Group, ScannedDocuments
from simdup.clustering.linkage import Priority, components, stars
from simdup.fingerprints.bands import Signatures
from simdup.fingerprints.edit_bands import EditSignatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.fingerprints.titled import mask_fingerprints, mask_signatures
from simdup.model.criteria import FEW_TERMS, Criteria
from simdup.model.settings import Settings
from simdup.reuse.sharing import TextSeeds, least_share, sharing_pairs
from simdup.search.arrays import RowIds, RowPairs
from simdup.verify.bounds import Bounds, Texts
from simdup.verify.copies import Copies, find_copies
from simdup.verify.families import LargeGroup
from simdup.verify.listed import ListedPairs
from simdup.verify.listing import BareGroup, ShownPairs
from simdup.verify.proposals import LARGE, Proposals, groups_of

# Pairs measured at a time.
_CHUNK = 1 << 12
# Candidates that are counted before they are measured: 256 MB.
_AHEAD = 1 << 24


@dataclass(frozen=True, slots=True)
class Grouping:
    """Documents to be grouped, with their data and the criteria."""

    documents: ScannedDocuments
    signatures: Signatures | None  # None if only fingerprints propose pairs
    texts: Texts
    priority: Callable[[int], Priority]  # the document with the smallest is kept
    settings: Settings
    # The seeds of texts, and the text of each document; None if passages propose no pairs.
    seeds: tuple[TextSeeds, RowIds] | None = None
    edited: EditSignatures | None = None  # of short texts
    # The pairs that share passages, if they are known already.
    listed: ListedPairs | None = None
    every: bool = False  # whether all pairs are compared, see `Criteria.compares_all`

    @property
    def star(self) -> bool:
        """Whether documents are joined only with the kept one."""
        return self.settings.criteria.linkage == "star"

    @property
    def directed(self) -> bool:
        """Whether stars have only what the kept document contains."""
        return self.settings.criteria.directed


@dataclass(slots=True)
class FoundGroups:
    """The groups of a corpus, and the figures of the search."""

    groups: list[Group] = field(default_factory=list)
    candidates: int = 0  # distinct pairs that were checked
    candidates_by: dict[str, int] = field(default_factory=dict)  # for each search
    unchecked: int = 0  # pairs that would have cost too much
    star_redundant: int = 0  # documents that would be redundant with star linkage
    # Documents that stay because the kept one near them, which follows, does not contain them.
    spared: list[tuple[int, int]] = field(default_factory=list)

    def figures(self, criteria: Criteria) -> dict[str, Any]:
        """Return the figures for a summary."""
        # What stars would make of clusters that people divided is not known.
        known = criteria.linkage != "star" and not criteria.decisions.divide
        return {
            "candidates": self.candidates,
            "candidates_by": self.candidates_by,
            "unchecked": self.unchecked,
            "star_redundant": self.star_redundant if known else None,
        }

    def count(self, pairs: int, *by: int) -> None:
        """Count checked pairs, in total and for each search."""
        self.candidates += pairs
        for search, number in zip(self.candidates_by, by, strict=True):
            self.candidates_by[search] += number


class _Parts(NamedTuple):
    """The documents of a run, parted so that candidates connect none of different parts."""

    copies: Copies
    proposals: Proposals  # of the distinct documents, which the other fields know by their places
    small: NDArray[np.bool_]  # bool[n]: those that are not in a family
    searched: RowIds  # those of them that may be in a candidate
    families: list[RowIds]


def find_groups(given: Grouping) -> FoundGroups:
    """Find the groups of documents connected by pairs.

    Only the first of several identical documents is compared with others.  References are not
    compared with each other.
    """
    given.settings.run.progress("searching", 0, None)
    parts = _part(given)
    found = FoundGroups(candidates_by=dict.fromkeys(given.settings.criteria.searches, 0))
    pairs = _find_pairs(parts, given, found)
    _form_groups(parts, pairs, given, found)
    if given.star and given.directed:
        found.spared = _find_spared(parts, pairs, given, found.groups)
    return found


def _part(given: Grouping) -> _Parts:
    criteria = given.settings.criteria
    copies = find_copies(given.documents)
    proposals, searched = propose(given, copies)
    roots = np.arange(len(proposals))
    large = np.zeros(len(proposals), np.bool_)
    several = np.ones(len(searched), np.bool_)  # documents that may be in a candidate
    if not criteria.all_pairs:
        weights = copies.sizes[copies.distinct]
        roots[searched] = searched[proposals.take(searched).components(weights[searched])]
        large = np.bincount(roots, weights, len(roots))[roots] > LARGE
        several = np.bincount(roots, minlength=len(roots))[roots[searched]] > 1
    small = searched[several & ~large[searched]]
    return _Parts(copies, proposals, ~large, small, list(groups_of(roots, large)))


def _find_pairs(parts: _Parts, given: Grouping, found: FoundGroups) -> list[DocumentPair]:
    """Return the pairs of the documents that are not in a family."""
    copies, criteria = parts.copies, given.settings.criteria
    pairs = copies.pairs(criteria.identical, copies.distinct[parts.small])
    found.count(len(pairs), *[len(pairs)] * len(criteria.searches))
    pairs += _verify(parts.proposals.take(parts.searched), copies, given, found)
    return sorted(pairs)


def _form_groups(
    parts: _Parts, pairs: list[DocumentPair], given: Grouping, found: FoundGroups
) -> None:
    run, total = given.settings.run, len(parts.proposals)
    done = total - sum(map(len, parts.families))
    run.progress("grouping", 0, total)
    _group(pairs, parts.copies, given, found)
    run.progress("grouping", done, total)
    for members in parts.families:
        _group_family(parts.proposals.take(members), parts.copies, given, found)
        done += len(members)
        run.progress("grouping", done, total)


def _find_spared(
    parts: _Parts, pairs: list[DocumentPair], given: Grouping, groups: Sequence[Group]
) -> list[tuple[int, int]]:
    """Return (document, kept) of what stays near a kept one that does not contain it.

    These are the stars of what stays, if the kept document need not contain the others.
    """
    copies = parts.copies
    gone = {one for group in groups for one in group.members if one != group.kept}

    def left(document: int) -> bool:
        return not gone.issuperset(copies.of(copies.first_of.get(document, document)))

    both = [(pair.a, pair.b) for pair in pairs if left(pair.a) and left(pair.b)]
    alike = _stars([*both, *((b, a) for a, b in both)], copies, given)
    for rows in parts.families:
        proposals = parts.proposals.take(rows)
        places = _places(proposals, copies, given)
        family = LargeGroup(proposals, given.documents, given.texts, places)
        among = np.array([left(one) for one in proposals.rows.tolist()], np.bool_)
        roots = family.stars(among)
        alike += [
            copies.star(int(proposals.rows[_centre(members, places)]),
                        proposals.rows[members].tolist(), given.priority)
            for members in groups_of(roots, among)
        ]  # fmt: skip
    spared = []
    for group in alike:
        kept = min(group, key=given.priority)
        spared += [(one, kept) for one in group if one != kept and one not in gone]
    return sorted(spared)


def _places(proposals: Proposals, copies: Copies, given: Grouping) -> RowIds:
    """Return the place of each document, or its best copy, in the order of keeping."""
    first = [min(map(given.priority, copies.of(number))) for number in proposals.rows.tolist()]
    places = np.empty(len(first), np.int64)
    places[sorted(range(len(first)), key=first.__getitem__)] = np.arange(len(first))
    return places


def propose(given: Grouping, copies: Copies) -> tuple[Proposals, RowIds]:
    """Return the distinct documents, and those that may be compared with others."""
    distinct = copies.distinct
    prints, titles, groups = (
        given.documents.fingerprints, given.documents.titles, given.documents.groups
    )  # fmt: skip
    known = Fingerprints(prints.values[distinct], prints.bits, prints.terms[distinct])
    signatures, edited = given.signatures, given.edited
    if titles is not None:
        known = mask_fingerprints(known, titles[distinct])
        signatures = None if signatures is None else mask_signatures(signatures, titles)
        edited = None if edited is None else edited.masked(titles)
    proposals = Proposals(
        distinct,
        known,
        signatures,
        distinct < len(given.documents.references),
        given.settings,
        short=given.texts.short,
        edited=edited,
        titles=None if titles is None else titles[distinct],
        groups=None if groups is None else groups[distinct],
        contents=None if copies.contents is None else copies.contents[distinct],
    )
    comparable = proposals.fingerprints.terms >= FEW_TERMS
    if proposals.contents is not None:
        comparable |= np.bincount(proposals.contents)[proposals.contents] > 1
    if given.texts.short is not None:
        comparable |= given.texts.short.has(distinct)
    searched = np.flatnonzero(comparable)
    return replace(proposals, listed=_listed(given, distinct[searched])), searched


def _listed(given: Grouping, documents: RowIds) -> ListedPairs | None:
    """Return the pairs of documents that share enough passages."""
    if given.seeds is None:
        return given.listed
    seeds, text_of = given.seeds
    least = least_share(given.settings.criteria.containment or 0)
    i, j = sharing_pairs(seeds, text_of[documents], least)
    return ListedPairs(documents[i], documents[j])


def _verify(
    proposals: Proposals, copies: Copies, given: Grouping, found: FoundGroups
) -> list[DocumentPair]:
    """Return the candidates that meet the criteria."""
    documents, run = given.documents, given.settings.run
    pairs: list[DocumentPair] = []
    done = 0
    candidates, total = _read_ahead(_candidates(proposals, given, found))
    for i, j in candidates:
        a, b = proposals.rows[i], proposals.rows[j]
        for first in range(0, len(a), _CHUNK):
            some = np.arange(first, min(first + _CHUNK, len(a)))
            measured = documents.measure(a[some], b[some])
            good = np.flatnonzero(measured.accepted(given.settings.criteria, len(some)))
            which, one, other = copies.spread(a[some[good]], b[some[good]], given.priority)
            pairs += documents.pairs(one, other, measured.take(good[which]))
            # Pairs of twins need no check, as those of copies.
            twins = np.bincount(which, minlength=len(good)) - 1
            if twins.any():
                by = proposals.proposed_by(i[some[good]], j[some[good]])
                found.count(int(twins.sum()), *(by @ twins).tolist())
            run.progress("verifying", done + int(some[-1]) + 1, total)
        done += len(i)
    return pairs


def _read_ahead(chunks: Iterator[RowPairs]) -> tuple[Iterator[RowPairs], int | None]:
    """Return candidates and their number; None if they would take too much memory."""
    found, total = list[RowPairs](), 0
    for i, j in chunks:
        found.append((i, j))
        total += len(i)
        if total > _AHEAD:
            return chain(found, chunks), None
    return iter(found), total


def _candidates(proposals: Proposals, given: Grouping, found: FoundGroups) -> Iterator[RowPairs]:
    """Yield the pairs to be compared that may meet the criteria, each once, in chunks.

    All of them are counted, also what is ruled out without being measured.
    """
    if not given.every:
        for i, j in proposals.pairs():
            found.count(len(i), *np.count_nonzero(proposals.proposed_by(i, j), axis=1).tolist())
            yield i, j
        return
    for i, j, possible in Bounds(proposals, given.texts).every():
        useful = proposals.useful(i, j)
        by = proposals.proposed_by(i, j)
        found.count(int(np.count_nonzero(useful)), *np.count_nonzero(by, axis=1).tolist())
        some = np.flatnonzero(useful & possible)
        yield i[some], j[some]


def _group(pairs: list[DocumentPair], copies: Copies, given: Grouping, found: FoundGroups) -> None:
    """Add the groups connected by verified pairs."""
    numbers = [(pair.a, pair.b) for pair in pairs]
    star = given.star
    members = _stars(_takes(pairs, given), copies, given) if star else components(numbers)
    group_of = {document: number for number, group in enumerate(members) for document in group}
    pairs_of: list[list[DocumentPair]] = [[] for _ in members]
    for pair in pairs:
        # Star linkage can put the two documents of a pair into different groups.
        if (number := group_of.get(pair.a, -1)) == group_of.get(pair.b):
            pairs_of[number].append(pair)
    groups = [
        Group(min(group, key=given.priority), group, listed)
        for group, listed in zip(members, pairs_of, strict=True)
    ]
    found.groups += groups
    if not star and any(_is_chain(group, given) for group in groups):
        members = _stars(_takes(pairs, given), copies, given)
    found.star_redundant += _count_redundant(members, given)


def _stars(pairs: Iterable[tuple[int, int]], copies: Copies, given: Grouping) -> list[list[int]]:
    return stars(pairs, copies.first_of, given.priority, copies.twins)


def _takes(pairs: Iterable[DocumentPair], given: Grouping) -> Iterator[tuple[int, int]]:
    """Yield (a, b) for each document b that may be removed if a is kept."""
    criteria = given.settings.criteria
    for pair in pairs:
        for kept, other in ((pair.a, pair.b), (pair.b, pair.a)):
            if pair.taken_by(kept, criteria):
                yield kept, other


def _count_redundant(groups: Iterable[Sequence[int]], given: Grouping) -> int:
    """Count the documents of groups that are neither kept nor references."""
    new = len(given.documents.references)
    return sum(
        sum(one >= new for one in group) - (min(group, key=given.priority) >= new)
        for group in groups
    )


def _is_chain(group: Group, given: Grouping) -> bool:
    """Return whether the kept document of a group may not stand for all others."""
    criteria = given.settings.criteria
    beside = sum(
        group.kept in (pair.a, pair.b) and pair.taken_by(group.kept, criteria)
        for pair in group.pairs
    )
    return beside < len(group.members) - 1


def _centre(members: RowIds, places: RowIds) -> int:
    """Return the member of a family's group that is kept, or whose copy is."""
    return int(members[places[members].argmin()])


def _group_family(
    proposals: Proposals, copies: Copies, given: Grouping, found: FoundGroups
) -> None:
    """Add the groups of a family, which has too many candidates to verify all."""
    places = _places(proposals, copies, given)
    family = LargeGroup(proposals, given.documents, given.texts, places, given.directed)
    roots = family.stars() if given.star else family.components()
    several = np.array([one not in copies.twins for one in proposals.rows.tolist()], np.bool_)
    several &= copies.sizes[proposals.rows] > 1
    several |= (np.bincount(roots, minlength=len(roots)) > 1)[roots]
    bare = []
    for members in groups_of(roots, several):
        # The first document in the order is kept, or a copy of it.
        centre = _centre(members, places)
        kept = min(copies.of(int(proposals.rows[centre])), key=given.priority)
        bare.append(BareGroup(members, centre, kept))
    groups = ShownPairs(family, copies, given.documents.references, given.star).groups(bare)
    found.groups += groups
    if not given.star:
        # Other groups would be the same with stars: every document is near the kept one, or alone.
        chains = np.zeros(len(roots), np.bool_)
        for one, group in zip(bare, groups, strict=True):
            chains[one.members] = _is_chain(group, given)
        if chains.any():
            roots = np.where(chains, family.stars(chains), roots)
    numbers = proposals.rows
    joined = (
        copies.star(int(numbers[_centre(rows, places)]), numbers[rows].tolist(), given.priority)
        for rows in groups_of(roots, roots >= 0)
    )
    found.star_redundant += _count_redundant(joined, given)
    found.count(*family.checked)
    found.unchecked += family.unchecked
