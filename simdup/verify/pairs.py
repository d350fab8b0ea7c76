"""Turn fingerprinted documents into groups of near-duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.clusters import Group, with_distances
from simdup.clustering.linkage import components, stars
from simdup.clustering.short_texts import formed
from simdup.fingerprints.bands import mask_fingerprints
from simdup.model.criteria import FEW_TERMS, Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.table import Documents
from simdup.search.arrays import RowIds, RowPairs
from simdup.verify.bounds import Bounds
from simdup.verify.candidates import LARGE, Candidates, groups_of
from simdup.verify.identical import Identical, find_identical
from simdup.verify.large_groups import BareGroup, LargeGroup, ShownPairs

# What decides which documents are compared.
_COMPARED = (
    "fingerprint", "terms", "reference", "blocking_key", "group_number", "length", "letters",
    "numbers",
)  # fmt: skip
# Pairs measured at a time.
_CHUNK = 1 << 12
# Candidates that are counted before they are measured: 256 MB.
_AHEAD = 1 << 24


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

    copies: Identical
    compared: Candidates  # the distinct documents, which the other fields know by their rows
    small: NDArray[np.bool_]  # bool[n]: those that are not in a family
    searched: RowIds  # those of them that may be in a candidate
    families: list[RowIds]


def find_groups(given: Candidates) -> FoundGroups:
    """Find the groups of documents connected by pairs.

    Only the first of several copies documents is compared with others.  References are not
    compared with each other.
    """
    given.settings.run.progress("searching", 0, None)
    parts = _part(given)
    found = FoundGroups(candidates_by=dict.fromkeys(given.criteria.searches, 0))
    pairs = _find_pairs(parts, given, found)
    _form_groups(parts, pairs, given, found)
    if given.star and given.criteria.directed:
        found.spared = _find_spared(parts, pairs, given, found.groups)
    return found


def _part(given: Candidates) -> _Parts:
    criteria = given.criteria
    copies = find_identical(given.documents)
    compared, searched = propose(given, copies)
    roots = np.arange(len(compared))
    large = np.zeros(len(compared), np.bool_)
    several = np.ones(len(searched), np.bool_)  # documents that may be in a candidate
    if not criteria.all_pairs:
        weights = copies.sizes[copies.distinct]
        roots[searched] = searched[compared.take(searched).components(weights[searched])]
        large = np.bincount(roots, weights, len(roots))[roots] > LARGE
        several = np.bincount(roots, minlength=len(roots))[roots[searched]] > 1
    small = searched[several & ~large[searched]]
    return _Parts(copies, compared, ~large, small, list(groups_of(roots, large)))


def _find_pairs(parts: _Parts, given: Candidates, found: FoundGroups) -> MeasuredPairs:
    """Return the pairs of the documents that are not in a family."""
    copies, criteria = parts.copies, given.criteria
    pairs = copies.pairs(criteria, copies.distinct[parts.small])
    found.count(len(pairs), *[len(pairs)] * len(criteria.searches))
    verified = _verify(parts.compared.take(parts.searched), copies, given, found)
    pairs = MeasuredPairs.concat([pairs, *verified], spend=True)
    return pairs.take(np.lexsort((pairs["b"], pairs["a"])))


def _form_groups(
    parts: _Parts, pairs: MeasuredPairs, given: Candidates, found: FoundGroups
) -> None:
    run, total = given.settings.run, len(parts.compared)
    done = total - sum(map(len, parts.families))
    run.progress("grouping", 0, total)
    _group(pairs, parts.copies, given, found)
    run.progress("grouping", done, total)
    for members in parts.families:
        _group_family(parts.compared.take(members), parts.copies, given, found)
        done += len(members)
        run.progress("grouping", done, total)


def _find_spared(
    parts: _Parts, pairs: MeasuredPairs, given: Candidates, groups: Sequence[Group]
) -> list[tuple[int, int]]:
    """Return (document, kept) of what stays near a kept one that does not contain it.

    These are the stars of what stays, if the kept document need not contain the others.
    """
    copies = parts.copies
    gone = {one for group in groups for one in group.members if one != group.kept}

    def left(document: int) -> bool:
        return not gone.issuperset(copies.of(copies.first_of.get(document, document)))

    both = [(a, b) for a, b in _numbers(pairs) if left(a) and left(b)]
    alike = _stars([*both, *((b, a) for a, b in both)], copies, given)
    for rows in parts.families:
        compared = parts.compared.take(rows)
        places, numbers = _places(compared, copies, given), compared.numbers
        family = LargeGroup(compared, places)
        among = np.array([left(one) for one in numbers.tolist()], np.bool_)
        roots = family.stars(among)
        alike += [
            copies.star(int(numbers[_centre(members, places)]), numbers[members].tolist(),
                        given.priority)
            for members in groups_of(roots, among)
        ]  # fmt: skip
    spared = []
    for group in alike:
        kept = min(group, key=given.priority)
        spared += [(one, kept) for one in group if one != kept and one not in gone]
    return sorted(spared)


def _places(compared: Candidates, copies: Identical, given: Candidates) -> RowIds:
    """Return the place of each document, or its best copy, in the order of keeping."""
    first = [min(map(given.priority, copies.of(number))) for number in compared.numbers.tolist()]
    places = np.empty(len(first), np.int64)
    places[sorted(range(len(first)), key=first.__getitem__)] = np.arange(len(first))
    return places


def propose(given: Candidates, copies: Identical) -> tuple[Candidates, RowIds]:
    """Return the distinct documents, and those that may be compared with others."""
    every, distinct, criteria = given.documents, copies.distinct, given.criteria
    own = {name: every[name] for name in _COMPARED if name in every}
    documents = Documents(own | {"content_number": copies.contents}).take(distinct)
    documents = documents.and_columns(number=distinct)
    if not criteria.edits_decide:
        documents = documents.without("letters", "numbers")
    if "blocking_key" in documents:
        bits, values = given.settings.recipe.bits, documents["fingerprint"]
        masked = mask_fingerprints(values, bits, documents["blocking_key"])
        documents = documents.and_columns(fingerprint=masked)
    contents = documents["content_number"]
    comparable = (documents["terms"] >= FEW_TERMS) | formed(documents)
    comparable |= np.bincount(contents)[contents] > 1
    searched = np.flatnonzero(comparable)
    searches = [one.prepared(every, distinct[searched]) for one in given.searches]
    return replace(given, documents=documents, searches=searches), searched


def _verify(
    compared: Candidates, copies: Identical, given: Candidates, found: FoundGroups
) -> Iterator[MeasuredPairs]:
    """Yield the candidates that meet the criteria."""
    criteria, run = given.criteria, given.settings.run
    done, numbers = 0, compared.numbers
    chunks, total = _read_ahead(_candidates(compared, given, found))
    for i, j in chunks:
        for first in range(0, len(i), _CHUNK):
            some = slice(first, first + _CHUNK)
            pairs = given.measure(numbers[i[some]], numbers[j[some]])
            good = np.flatnonzero(pairs.accepted(criteria))
            pairs = pairs.take(good)
            which, a, b = copies.spread(pairs["a"], pairs["b"], given.priority)
            pairs = pairs.take(which).and_columns(a=a, b=b).without("same_numbers")
            yield with_distances(pairs, given.documents).ordered()
            # Pairs of twins need no check, as those of copies.
            twins = np.bincount(which, minlength=len(good)) - 1
            if twins.any():
                by = compared.proposed_by(i[some][good], j[some][good])
                found.count(int(twins.sum()), *(by @ twins).tolist())
            run.progress("verifying", done + min(first + _CHUNK, len(i)), total)
        done += len(i)


def _read_ahead(chunks: Iterator[RowPairs]) -> tuple[Iterator[RowPairs], int | None]:
    """Return candidates and their number; None if they would take too much memory."""
    found, total = list[RowPairs](), 0
    for i, j in chunks:
        found.append((i, j))
        total += len(i)
        if total > _AHEAD:
            return chain(found, chunks), None
    return iter(found), total


def _candidates(compared: Candidates, given: Candidates, found: FoundGroups) -> Iterator[RowPairs]:
    """Yield the pairs to be compared that may meet the criteria, each once, in chunks.

    All of them are counted, also what is ruled out without being measured.
    """
    if not given.every:
        for i, j in compared.pairs():
            found.count(len(i), *np.count_nonzero(compared.proposed_by(i, j), axis=1).tolist())
            yield i, j
        return
    for i, j, possible in Bounds(compared).every():
        useful = compared.useful(i, j)
        by = compared.proposed_by(i, j)
        found.count(int(np.count_nonzero(useful)), *np.count_nonzero(by, axis=1).tolist())
        some = np.flatnonzero(useful & possible)
        yield i[some], j[some]


def _group(pairs: MeasuredPairs, copies: Identical, given: Candidates, found: FoundGroups) -> None:
    """Add the groups connected by verified pairs."""
    star = given.star
    members = _stars(_takes(pairs, given), copies, given) if star else components(_numbers(pairs))
    group_of = np.full(len(given.documents), -1)
    for number, group in enumerate(members):
        group_of[group] = number
    # Star linkage can put the two documents of a pair into different groups.
    of, other = group_of[pairs["a"]], group_of[pairs["b"]]
    together = np.flatnonzero((of == other) & (of >= 0))
    together = together[np.argsort(of[together], kind="stable")]
    ends = np.cumsum(np.bincount(of[together], minlength=len(members))).tolist()
    listed = pairs.take(together).each()
    groups = [
        Group(min(group, key=given.priority), group, listed[first:last])
        for group, first, last in zip(members, [0, *ends], ends, strict=False)
    ]
    found.groups += groups
    if not star and any(_is_chain(group, given) for group in groups):
        members = _stars(_takes(pairs, given), copies, given)
    found.star_redundant += _count_redundant(members, given)


def _stars(
    pairs: Iterable[tuple[int, int]], copies: Identical, given: Candidates
) -> list[list[int]]:
    return stars(pairs, copies.first_of, given.priority, copies.twins)


def _takes(pairs: MeasuredPairs, given: Candidates) -> Iterator[tuple[int, int]]:
    """Yield (a, b) for each document b that may be removed if a is kept."""
    criteria = given.criteria
    return chain.from_iterable(
        _numbers(some.take(some.taken(criteria))) for some in (pairs, pairs.turned())
    )


def _numbers(pairs: MeasuredPairs) -> Iterator[tuple[int, int]]:
    return zip(pairs["a"].tolist(), pairs["b"].tolist(), strict=True)


def _count_redundant(groups: Iterable[Sequence[int]], given: Candidates) -> int:
    """Count the documents of groups that are neither kept nor references."""
    references = given.documents["reference"]
    return sum(
        len(group) - int(references[group].sum()) - (not references[min(group, key=given.priority)])
        for group in groups
    )


def _is_chain(group: Group, given: Candidates) -> bool:
    """Return whether the kept document of a group may not stand for all others."""
    criteria = given.criteria
    beside = sum(
        group.kept in (pair.a, pair.b) and pair.taken_by(group.kept, criteria)
        for pair in group.pairs
    )
    return beside < len(group.members) - 1


def _centre(members: RowIds, places: RowIds) -> int:
    """Return the member of a family's group that is kept, or whose copy is."""
    return int(members[places[members].argmin()])


def _group_family(
    compared: Candidates, copies: Identical, given: Candidates, found: FoundGroups
) -> None:
    """Add the groups of a family, which has too many candidates to verify all."""
    places, numbers = _places(compared, copies, given), compared.numbers
    family = LargeGroup(compared, places, given.criteria.directed)
    roots = family.stars() if given.star else family.components()
    several = np.array([one not in copies.twins for one in numbers.tolist()], np.bool_)
    several &= copies.sizes[numbers] > 1
    several |= (np.bincount(roots, minlength=len(roots)) > 1)[roots]
    bare = []
    for members in groups_of(roots, several):
        # The first document in the order is kept, or a copy of it.
        centre = _centre(members, places)
        kept = min(copies.of(int(numbers[centre])), key=given.priority)
        bare.append(BareGroup(members, centre, kept))
    groups = ShownPairs(family, copies, given.documents, given.star).groups(bare)
    found.groups += groups
    if not given.star:
        # Other groups would be the same with stars: every document is near the kept one, or alone.
        chains = np.zeros(len(roots), np.bool_)
        for one, group in zip(bare, groups, strict=True):
            chains[one.members] = _is_chain(group, given)
        if chains.any():
            roots = np.where(chains, family.stars(chains), roots)
    joined = (
        copies.star(int(numbers[_centre(rows, places)]), numbers[rows].tolist(), given.priority)
        for rows in groups_of(roots, roots >= 0)
    )
    found.star_redundant += _count_redundant(joined, given)
    found.count(*family.checked)
    found.unchecked += family.unchecked
