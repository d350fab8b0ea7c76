"""Indexes as references: a document that matches one of an index is redundant.

An index has no texts.  So a match is judged as a query judges it: by the distance, and by the
similarity that sketches estimate.  Each document is a pair with the nearest one of all indexes.

Documents of indexes are not part of the input.  Where they appear beside those of a scan, their
numbers are below 0; what is known of them follows the others, where Python finds it by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields, replace

import numpy as np

from simdup.clustering.clusters import DocumentPair, Group, merge
from simdup.clustering.linkage import Priority
from simdup.clustering.short_texts import short
from simdup.errors import SimdupError
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.index.candidates import NO_CANDIDATES, CandidateCounts
from simdup.index.ingest import indexed, summaries
from simdup.index.judging import Rule, ScoredMatches
from simdup.index.matching import Nearest, QueryOptions, find_nearest
from simdup.index.opening import open_storage
from simdup.index.sections import TEXT_HASH, U64, RowIds, content_hashes, to_numbers
from simdup.index.session import Session
from simdup.ingest.collection import Collection
from simdup.ingest.counting import Maker
from simdup.ingest.sources import Input
from simdup.model.criteria import CHARACTERS_5, UNMEASURED, Criteria, Measures
from simdup.model.recipe import Recipe
from simdup.model.settings import Settings
from simdup.model.table import Documents, objects


@dataclass(frozen=True, slots=True)
class IndexMatches:
    """What indexes hold near the documents of a scan."""

    # Of each document of an index that another is near to: its name and fingerprint.  The first
    # has the lowest number, the last has -1.
    names: Sequence[str] = ()
    values: U64 | None = None
    pairs: Sequence[DocumentPair] = ()  # each document of the scan is in one at most
    counts: CandidateCounts = NO_CANDIDATES
    undecided: int = 0  # documents that only fingerprints without a sketch are near to
    asked: Documents | None = None  # the documents of the scan that have terms, but references
    # uint64[names]: as in `Documents`.
    contents: U64 = field(default_factory=lambda: np.zeros(0, np.uint64))
    # The rows of `asked` that match a document of an index, and will do so again.
    matched: RowIds = field(default_factory=lambda: np.zeros(0, np.int64))
    numbered: int = 0  # short documents with numbers that are near one, but not equal to it
    # Documents of the scan with the text of the one that they match.  So they stand for it: what is
    # near them is near it, and is measured exactly.
    same: frozenset[int] = frozenset()

    def without_matched(self, documents: Documents) -> Documents:
        """Return documents of which those that match take no part, as if they had no terms.

        With star linkage an index takes whatever matches, before anything else is kept; those that
        stand for a document of it are compared all the same.
        """
        terms = documents["terms"].copy()
        terms[[pair.b for pair in self.pairs if pair.b not in self.same]] = 0
        return documents.and_columns(terms=terms)

    def priority(
        self, priority: Callable[[int], Priority], documents: Documents
    ) -> Callable[[int], Priority]:
        """Return a priority by which those that stand for others come first, after references."""
        if not self.same:
            return priority
        known = documents["reference"].tolist()
        return lambda one: (0 if known[one] else 1 if one in self.same else 2, *priority(one))

    def extended(
        self, groups: Sequence[Group], documents: Documents, star: bool
    ) -> tuple[IndexMatches, Sequence[Group]]:
        """Return these with what is near a document that stands for another, and the other groups.

        With star linkage a group has what is near one document, so it has no other reason to be.
        """
        if not self.same:
            return self, groups
        matched = {pair.b: pair.a for pair in self.pairs}
        found: dict[int, tuple[int, DocumentPair]] = {}
        for pair in (pair for group in groups for pair in group.pairs):
            for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
                new = other not in matched and not documents["reference"][other]
                if one in self.same and new:
                    beside = DocumentPair(matched[one], other, pair.distance, pair.measures)
                    found[other] = min(found.get(other, (one, beside)), (one, beside))
        pairs = sorted([*self.pairs, *(pair for _, pair in found.values())])
        if star:
            groups = list(filter(None, map(self._without_same, groups)))
        return replace(self, pairs=pairs), groups

    def _without_same(self, group: Group) -> Group | None:
        """Return a group without documents that stand for others; None if nothing is left."""
        if group.kept in self.same:
            return None
        members = [one for one in group.members if one not in self.same]
        pairs = [pair for pair in group.pairs if self.same.isdisjoint((pair.a, pair.b))]
        return group._replace(members=members, pairs=pairs) if len(members) > 1 else None

    def join(self, groups: Sequence[Group]) -> Sequence[Group]:
        """Return groups with the documents of indexes that some of their members match."""
        if not self.pairs:
            return groups
        return merge([*groups, *(Group(pair.a, (pair.a, pair.b), [pair]) for pair in self.pairs)])

    def extend(self, documents: Documents) -> Documents:
        """Return documents followed by those of indexes, which are references too."""
        if self.values is None:
            return documents
        n = len(self.names)
        columns = {
            name: np.zeros((n, *documents[name].shape[1:]), documents[name].dtype)
            for name in documents
        }
        columns["name"], columns["fingerprint"] = objects(self.names), self.values
        columns["reference"] = np.ones(n, np.bool_)
        return Documents.concat([documents, Documents(columns)])

    def notes(self, documents: Documents) -> list[tuple[str, str]]:
        """Return what a person should know about the matches of these documents."""
        said = []
        if self.undecided:
            said.append(
                f"fingerprints without a sketch are near {self.undecided:,} of the documents; "
                "their similarity is unknown, so they are not taken for pairs"
            )
        if self.numbered:
            said.append(
                f"{self.numbered:,} of the documents are short texts with numbers, near one of an "
                "index that does not know its numbers; so they are not taken for pairs"
            )
        same = sum(self.names[pair.a] == str(documents["name"][pair.b]) for pair in self.pairs)
        if same:
            said.append(
                f"{same:,} of the documents match one of an index that has their own name; "
                "if the index was built from them, they are redundant beside themselves"
            )
        return [("`references`", sentence) for sentence in said]


@dataclass(frozen=True, slots=True)
class IndexReferences:
    """The indexes among the references of a scan; there may be none."""

    sessions: Sequence[Session] = ()
    seen: str | None = None  # see `Input.seen`

    @property
    def figures(self) -> dict[str, int | None]:
        """What a summary says of them."""
        if not self.sessions and self.seen is None:
            return {}
        indexed = sum(len(session.store) for session in self.sessions)
        # What a scan of stars would call redundant is not known: it would begin with the matches.
        return {"indexed": indexed, "star_redundant": None}

    @property
    def makers(self) -> list[Maker]:
        """What has to be made of documents to compare them with those of an index."""
        return [summaries] if self.sessions or self.seen is not None else []

    def prepare(self, opened: Input) -> Input:
        """Return an input that is read with the recipe of the indexes.

        Raises
        ------
        SimdupError
            If their recipes differ, another one is asked for, texts cannot be fingerprinted with
            it, or the criteria need more than an index has.
        """
        if not self.sessions:
            return opened
        first, *others = self.sessions
        for other in others:
            _require_same(first, other)
        settings = opened.settings
        _check_criteria(first.storage.path, settings.criteria)
        fingerprinter, asked = first.recipe.fingerprinter, settings.recipe
        if asked != Recipe():
            first.recipe.require(
                None, {one.name: getattr(asked, one.name) for one in fields(asked)}
            )
        recipe = fingerprinter.recipe
        if fingerprinter.idf.name == "builtin":
            # Whatever was asked for when it was built: no corpus is to be learned from.
            recipe = replace(recipe, idf="builtin")
        settings = replace(settings, recipe=recipe)
        return replace(opened, settings=settings, fingerprinter=fingerprinter)

    def match(self, corpus: Collection, documents: Documents, settings: Settings) -> IndexMatches:
        """Return the nearest document of all indexes of each document that matches one."""
        if not self.sessions and self.seen is None:
            return IndexMatches()
        # References are not compared with each other.
        terms = np.where(documents["reference"], np.uint8(0), documents["terms"])
        bits = settings.recipe.bits
        columns = indexed(corpus, Fingerprints(documents["fingerprint"], bits, terms))
        if not self.sessions:
            return IndexMatches(asked=columns)
        each, progress = [], settings.run.progress
        progress("matching", 0, len(columns))
        for one in self.sessions:
            rule = Rule(settings.criteria, exclude_self=one.storage.path == self.seen)
            options = QueryOptions(rule, limit=1, run=settings.run)
            each.append(find_nearest(one, columns, options))
        nearest = Nearest.concat(each)
        numbers = np.flatnonzero(terms)
        found, undecided = _decided(nearest.found.best(1), settings.criteria)
        found, numbered = _without_numbered(found, nearest.removed.best(1), documents.take(numbers))
        same = _same(nearest, found, numbers, corpus)
        progress("matching", len(columns), len(columns))
        return IndexMatches(
            nearest.names,
            nearest.values,
            _pairs(found, numbers, len(nearest.names), settings.criteria.verify),
            nearest.counts,
            undecided,
            columns,
            nearest.contents,
            found.query,
            numbered,
            same,
        )


@contextmanager
def open_indexes(paths: Iterable[str], seen: str | None = None) -> Iterator[IndexReferences]:
    """Open indexes as references, and close them at the end; `seen` is that of `Input`."""
    with ExitStack() as stack:
        sessions = []
        for path in dict.fromkeys(paths):
            storage = open_storage(path)
            stack.callback(storage.close)
            sessions.append(Session(storage))
        yield IndexReferences(sessions, seen)


def _require_same(first: Session, other: Session) -> None:
    """Raise if two indexes have different recipes."""
    digests = [one.recipe.resolved["digest"] for one in (first, other)]
    if digests[0] != digests[1]:
        raise SimdupError(
            other.storage.path,
            f"its recipe {digests[1] or 'unknown'} is not that of {first.storage.path}, "
            f"{digests[0] or 'unknown'}: their fingerprints cannot be compared",
            "take them one after the other",
        )


def _check_criteria(path: str, criteria: Criteria) -> None:
    """Raise if the criteria need more of references than an index has."""
    field = why = ""
    if criteria.same_title:
        field, why = "same_title", "has no titles"
    elif criteria.grouped_by:
        field, why = next(iter(criteria.grouped_by)), "has no groups of documents"
    elif criteria.method == "pstable":
        field, why = "method", f"cannot be searched by {criteria.method}"
    elif criteria.extras or criteria.lossless:
        field, why = (*criteria.extras, "lossless")[0], "has no texts to measure"
    elif criteria.verify and criteria.similarity and criteria.shingle != CHARACTERS_5:
        field, why = "shingle", f"estimates similarity by runs of {CHARACTERS_5} characters only"
    if field:
        hint = f"leave `{field}` out, or take the documents themselves as `references`"
        raise SimdupError(field, f"{path} is an index, which {why}", hint, field)


def _decided(found: ScoredMatches, criteria: Criteria) -> tuple[ScoredMatches, int]:
    """Return the matches without those of unknown similarity, if it matters, and their number."""
    if not (criteria.verify and criteria.similarity):
        return found, 0
    known = np.flatnonzero(~np.isnan(found.similarity))
    return found.take(known), len(found.row) - len(known)


def _without_numbered(
    found: ScoredMatches, removed: ScoredMatches, documents: Documents
) -> tuple[ScoredMatches, int]:
    """Return the matches without short texts with numbers that differ from what they match.

    Another number makes them other texts, and an index does not know in what they differ, unless
    they were removed before; `removed` has those.
    """
    if "letters" not in documents:
        return found.otherwise(removed), 0
    numbered = short(documents) & (documents["numbers"] != 0)
    unsure = numbered[found.query] & ~(found.similarity > 1 - 1e-9)
    sure = found.take(np.flatnonzero(~unsure)).otherwise(removed)
    return sure, int(np.count_nonzero(~np.isin(found.query, sure.query)))


def _same(
    nearest: Nearest, found: ScoredMatches, numbers: RowIds, corpus: Collection
) -> frozenset[int]:
    """Return the documents with the text of the one that they match.

    A document whose own name that one has stands for itself alone.
    """
    documents = numbers[found.query].tolist()
    texts = to_numbers(corpus["summary"][documents, :TEXT_HASH].tobytes())[:, np.newaxis]
    equal = content_hashes(nearest.keys[found.row], texts) == nearest.contents[found.row]
    own = set(map(str, corpus["name"]))
    names = (nearest.names[row] for row in found.row.tolist())
    return frozenset(
        one
        for one, name, same in zip(documents, names, equal.tolist(), strict=True)
        if same and name not in own
    )


def _pairs(found: ScoredMatches, numbers: RowIds, known: int, verify: bool) -> list[DocumentPair]:
    """Return matches as pairs, ordered; `numbers` are those of the documents that were queried."""
    columns = found.row - known, numbers[found.query], found.distance
    shares = found.similarity.tolist() if verify else [np.nan] * len(found.row)
    measures = (UNMEASURED if share != share else Measures(share) for share in shares)
    return sorted(map(DocumentPair, *(column.tolist() for column in columns), measures))
