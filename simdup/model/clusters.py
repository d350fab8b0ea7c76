"""Pairs, clusters, and the figures of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, TypeAlias

from simdup.model.criteria import EDIT, JACCARD
from simdup.model.formats import Hidden, Seconds, Share, Written, one_of

Measure: TypeAlias = Annotated[str, one_of(JACCARD, EDIT)]

# All near pairs of clusters of so many documents are listed.
FEW = 12


class Pair(NamedTuple):
    """Two near-duplicates.

    Attributes
    ----------
    a, b
        The documents' names (or ids, as they were passed from Python), in input order.
    distance : int or None
        Hamming distance of their fingerprints; None for equal texts without words, which have none.
    exact : bool
        Whether their texts are known to be the same, after folding and without white space.
    estimated : bool
        Whether the similarity is an estimate from sketches: `a` is a document of an index.
    new : bool
        Whether a baseline lacks the pair.
    similarity, containment, cosine : float or None
        As in `Measures`.
    contained : str or None
        If a containment was asked for: ``a`` if that text is contained in the other, ``b``, or
        ``both``.
    measure : str or None
        What the similarity is: ``jaccard`` or, of short texts, ``edit``; None if not measured.
    """

    a: Any
    b: Any
    distance: int | None
    exact: bool = False
    estimated: bool = False
    new: bool = False
    similarity: Share | None = None
    containment: Share | None = None
    cosine: Share | None = None
    contained: Annotated[str, one_of("a", "b", "both")] | None = None
    measure: Measure | None = None


class Member(NamedTuple):
    """One document of a cluster.

    Attributes
    ----------
    name
        The name of the document, or its id, as it was passed from Python.
    role : str
        ``kept``, or ``redundant``: a kept document took it, which is near it and contains it if a
        containment was asked for.
    fingerprint : str or None
        The fingerprint as lower-case hex digits; None for a text without words.
    distance : int or None
        Hamming distance to the document that took it; None for a kept one, and without
        fingerprints.
    estimated : bool
        Whether the similarity is an estimate from sketches: the kept one is in an index.
    new : bool
        Whether a baseline lacks the document, and a pair with it if one is listed.
    similarity, containment, cosine : float or None
        Its measures with the document that took it, as in `Measures`; None for a kept one.
    covered : float or None
        With `Criteria.lossless` the share of this text that the kept one has, as in `Measures`.
    contained : str or None
        If a containment was asked for: ``document`` if this text is contained in the kept one,
        ``kept`` if the kept one is contained in this one, or ``both``.
    measure : str or None
        What the similarity is: ``jaccard`` or, of short texts, ``edit``; None if not measured.
    kept
        The name of the document that took it; its own if it is kept.
    number : int
        The document's place in the input, from 0, what was skipped included, and references
        first; below 0 for documents of an index.
    beside : int
        Number of the document that took it; its own if it is kept.
    """

    name: Annotated[Any, Written(key="document")]
    role: Annotated[str, one_of("kept", "redundant")]
    fingerprint: Annotated[str, Written(schema=(("pattern", "^[0-9a-f]+$"),))] | None
    distance: int | None
    estimated: bool = False
    new: bool = False
    similarity: Share | None = None
    containment: Share | None = None
    cosine: Share | None = None
    covered: Share | None = None
    contained: Annotated[str, one_of("document", "kept", "both")] | None = None
    measure: Measure | None = None
    kept: Any = ""
    number: Hidden[int] = -1
    beside: Hidden[int] = -1


class Spared(NamedTuple):
    """A document that is not redundant only because the kept one near it does not contain it."""

    name: Annotated[Any, Written(key="document")]
    kept: Any  # the name of the kept document that it is near to
    similarity: Share | None
    covered: Share  # the share of its shingles that the kept one has
    number: Hidden[int] = -1  # as in `Member`
    beside: Hidden[int] = -1
    # With `Criteria.lossless`, where the share is high enough: the numbers, dates and codes that
    # only this document has.
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """Documents connected by pairs.

    Attributes
    ----------
    number : int
        A number from 1, in the order of the output.
    members : tuple of Member
        The kept ones in the order of keeping, each before those that it took, in input order.
    pairs : tuple of Pair
        Ordered by the positions of their documents in the input: all near pairs of up to `FEW`
        documents; of more, that of each redundant one with the document that took it.
    order : tuple of int
        The places of the members, the first to keep first; empty if that is their order of input.
    """

    number: int
    members: tuple[Member, ...]
    pairs: tuple[Pair, ...]
    order: tuple[int, ...] = field(default=(), repr=False, compare=False)

    def member(self, number: int) -> Member:
        """Return the member with this document number."""
        return next(member for member in self.members if member.number == number)

    def places(self) -> list[tuple[int, int]]:
        """Return the places of both documents of each pair among the members.

        A name may occur several times in a cluster, where texts came from Python.
        """
        known: dict[Any, list[int]] = {}
        for i, member in enumerate(self.members):
            known.setdefault(member.name, []).append(i)
        # Two documents of one name are those that have it first.
        return [(known[p.a][0], known[p.b][int(p.a == p.b)]) for p in self.pairs]

    @property
    def weakest(self) -> float | None:
        """The lowest similarity of a redundant document and the one that took it, if measured."""
        measured = (member.similarity for member in self.members)
        return min((value for value in measured if value is not None), default=None)


@dataclass(frozen=True, slots=True)
class Similarities:
    """How similar sampled candidates are.

    Attributes
    ----------
    counts : tuple of int
        How many are in each of equal parts of 0 to 1.
    valley : float or None
        A similarity that few have, between two that more have; None if there is no such one.
    """

    counts: tuple[int, ...]
    valley: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a run.

    Attributes
    ----------
    documents : int
        The number of documents that took part.
    clusters, redundant, skipped, pairs : int
        How many of each were found, or are listed.
    checked : int
        The number of pairs whose texts were compared.
    unchecked : int
        The number of documents that were not compared with all candidates: a family would have
        cost too much.
    kept_apart : dict or None
        How many pairs of short texts are alike and differ in a fact, by the kind of the fact; None
        where they were not counted.
    indexed : int or None
        Documents of the indexes among the references; None where there are none.
    facts_differ : int or None
        How many redundant documents differ in a fact from the kept one that they name; None where
        nobody looked.
    new, known, stale : int or None
        Of the pairs found, how many a baseline lacks, and has; its entries that are no longer
        found.  None without a baseline.
    similarities : Similarities or None
        How similar candidates are; None where nobody asked.
    all_pairs : bool
        Whether all near pairs of candidates are listed, not only those that show the clusters.
    seconds : float
        How long the run took.
    recipe : dict
        The resolved recipe with its digest; empty if unknown.
    """

    documents: int
    clusters: int
    redundant: int
    skipped: int
    pairs: int
    checked: int
    seconds: Seconds
    recipe: dict[str, Any]
    unchecked: int = 0
    kept_apart: dict[str, int] | None = None
    indexed: int | None = None
    facts_differ: Hidden[int | None] = None
    new: int | None = None
    known: int | None = None
    stale: int | None = None
    similarities: Similarities | None = None
    all_pairs: bool = False

    @classmethod
    def of(cls, clusters: Sequence[Cluster], **figures: Any) -> Summary:
        """Return the summary of clusters; `figures` are the fields that do not follow from them."""
        roles = Counter(member.role for cluster in clusters for member in cluster.members)
        return cls(
            clusters=len(clusters),
            redundant=roles["redundant"],
            pairs=sum(len(cluster.pairs) for cluster in clusters),
            **figures,
        )
