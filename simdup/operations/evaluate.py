"""Evaluate how well found near-duplicates agree with known ones.

What clusters say are all pairs of documents that share one, whichever of them are listed; a result
with `all_pairs` says what it lists.  Pairs are judged one by one: precision is the share of found
pairs that are true, recall the share of true pairs that are found, F1 their harmonic mean.
Clusters are judged as partitions of the documents: the adjusted Rand index, scikit-learn's, counts
pairs of documents that both partitions join or both separate, less what chance would give; B-cubed
asks for each document how much of its found cluster truly belongs with it (precision), and how much
of its true cluster was found with it (recall).

The documents are those that either side names.  A document in no pair is a cluster by itself.

Where nothing is known, people judge a sample: `simdup.near.audit_sample` says what follows from it.

References
----------
L. Hubert, P. Arabie, "Comparing partitions", Journal of Classification 2 (1985).
A. Bagga, B. Baldwin, "Entity-based cross-document coreferencing using the vector space model",
COLING 1998: B-cubed.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, compress
from typing import Any, TypeAlias, overload

import numpy as np

from simdup.base.errors import SimdupError
from simdup.base.when_used import pattern
from simdup.corpus.decision_files import read_judgements
from simdup.corpus.found_pairs import (
    json_lines,
    not_written,
    number_in,
    read_population,
    read_text,
    table_delimiter,
    table_rows,
)
from simdup.model.formats import TABLES
from simdup.near.audit_sample import Precision, draw, estimate, population_of
from simdup.search.arrays import components
from simdup.show.evaluation import Evaluation
from simdup.show.result import Result

Labels: TypeAlias = str | os.PathLike[str] | Result | Iterable[tuple[Hashable, Hashable]]
NamePair: TypeAlias = tuple[str, str]

_KINDS = "a path, a Result or pairs of ids"

# Labels of listed pairs that are not near-duplicates; any other label means yes.
NEGATIVE = ("0", "no", "false", "negative", "different", "unrelated")

# Columns with a score; the first existing one is compared with the lowest score.
SCORES = ("score", "jaccard", "similarity")

# What columns are called: id, file1, name_a.
_WORD = pattern(r"[A-Za-z_ ]+[0-9]?")

_HINT = (
    "expected JSONL of scan or pairs, a table with columns a and b, or cluster and document, "
    "or lines such as id;id;id"
)


@overload
def evaluate(found: Labels, truth: Labels, least_score: float | None = None) -> Evaluation: ...
@overload
def evaluate(found: Labels, *, judged: str | os.PathLike[str]) -> Precision: ...
def evaluate(
    found: Labels,
    truth: Labels | None = None,
    least_score: float | None = None,
    *,
    judged: str | os.PathLike[str] | None = None,
) -> Evaluation | Precision:
    """Measure how well found near-duplicates agree with known ones, or how many are right.

    Parameters
    ----------
    found, truth : path, Result, or iterable of (id, id)
        A file with pairs or clusters (see `simdup evaluate --help`; one of the two may be ``-``
        for standard input), what `scan` returned, or pairs of documents.  Ids are compared as
        strings.
    least_score : float, optional
        Count only the pairs of a file `truth` that are scored this or more.
    judged : path, optional
        In place of `truth`: decisions that a page of `audit` saved.  `found` is the result that was
        audited, as a file or a Result.

    Returns
    -------
    Evaluation
        ``precision``, ``recall`` and ``f1`` of pairs, ``adjusted_rand``, B-cubed measures, and
        what they were computed from.  Documents that neither side names are not counted.
    Precision
        With `judged`: ``precision`` with its ``interval``, in all and by band of similarity.

    Raises
    ------
    SimdupError
        If a file cannot be read or has another format, or both sides have no document in common.
    TypeError
        If an argument is of another type.

    Examples
    --------
    >>> found = evaluate([("a", "b"), ("c", "d")], [("a", "b"), ("b", "e")])
    >>> found.precision, found.recall
    (0.5, 0.5)
    """
    if judged is not None:
        if truth is not None:
            raise SimdupError("judged", "excludes TRUTH: name one of them", field="judged")
        return _of_judged(found, os.fspath(judged))
    if truth is None:
        raise TypeError("evaluate() needs truth or judged")
    if least_score is not None and not isinstance(truth, str | os.PathLike):
        raise SimdupError("least_score", "only files have scores", field="least_score")
    ours = _labels("found", found)
    theirs = with_names_of(ours, _labels("truth", truth, least_score))
    if ours.names and theirs.names and ours.names.isdisjoint(theirs.names):
        where = os.fspath(truth) if isinstance(truth, str | os.PathLike) else "truth"
        what, hint = "names no document of FOUND", "write names the same way on both sides"
        raise SimdupError(where, what, hint)
    return measure(ours, theirs)


def _of_judged(found: Labels, path: str) -> Precision:
    """Return what judgements say of a result: the sample that they are of is drawn again."""
    if isinstance(found, Result):
        population = population_of(found)
    elif isinstance(found, str | os.PathLike):
        population = read_population(os.fspath(found))
    else:
        raise TypeError(f"found: expected a path or a Result, got {type(found).__name__}")
    judgements = read_judgements(path)
    sample = max(judgement.sample for judgement in judgements.each)
    measured = estimate(draw(population, sample, judgements.each[0].seed), judgements)
    if measured.not_drawn == len(judgements.each):
        what = "judges no pair that is drawn from FOUND"
        raise SimdupError(path, what, "name the result that was audited")
    return measured


def _labels(argument: str, given: Labels, least_score: float | None = None) -> LabelledPairs:
    """Return the pairs that an argument names."""
    if isinstance(given, str | os.PathLike):
        return read_labels(os.fspath(given), least_score)
    if isinstance(given, Result) and not given.summary.all_pairs:
        return from_clusters(
            [str(member.name) for member in cluster.members] for cluster in given.clusters
        )
    if isinstance(given, Result):
        return _from_listed(pair._asdict() for pair in given.pairs)
    if not isinstance(given, Iterable):
        raise TypeError(f"{argument}: expected {_KINDS}, got {type(given).__name__}")
    pairs = list(given)
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise TypeError(f"{argument}: expected {_KINDS}, got {pair!r} in it")
    return from_pairs((str(a), str(b)) for a, b in pairs)


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """Pairs of near-duplicates, as one side labels them.

    Documents with the same partners share a group, so a cluster of m documents takes O(m).

    Attributes
    ----------
    groups : tuple of tuple of str
        Names; each is in one group.
    links : frozenset of (int, int)
        Groups, the smaller number first: each document of one is a pair with each of the other.
        A link of a group with itself joins all its documents.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    links: frozenset[tuple[int, int]] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The documents that are in a pair."""
        return frozenset(chain.from_iterable(self.groups))

    def count_pairs(self) -> int:
        """Return how many pairs there are, without listing them."""
        sizes = [len(group) for group in self.groups]
        return sum(
            sizes[a] * (sizes[a] - 1) // 2 if a == b else sizes[a] * sizes[b] for a, b in self.links
        )

    @property
    def clusters(self) -> list[tuple[str, ...]]:
        """The names that pairs connect, by cluster."""
        return [
            tuple(chain.from_iterable(self.groups[group] for group in linked))
            for linked in components(self.links)
        ]


def from_pairs(pairs: Iterable[NamePair], copies: Iterable[NamePair] = ()) -> LabelledPairs:
    """Return the labels that pairs in any order give; clusters are what they connect.

    Some of the pairs are copies of each other: what one is a pair with, so is the other.  A
    document does not pair with itself.
    """
    numbers: dict[str, int] = {}

    def numbered(some: Iterable[NamePair]) -> list[tuple[int, int]]:
        number = numbers.setdefault
        return [(number(a, len(numbers)), number(b, len(numbers))) for a, b in some if a != b]

    joined, same = numbered(pairs), numbered(copies)
    names = list(numbers)
    members = components([*same, *((number, number) for number in numbers.values())])
    group_of = {number: group for group, among in enumerate(members) for number in among}
    links = {(group, group) for group, among in enumerate(members) if len(among) > 1}
    for a, b in joined:
        low, high = sorted((group_of[a], group_of[b]))
        links.add((low, high))
    groups = tuple(tuple(names[number] for number in among) for among in members)
    return LabelledPairs(groups, frozenset(links))


def from_clusters(clusters: Iterable[Iterable[str]]) -> LabelledPairs:
    """Return the labels that clusters give: all pairs within a cluster."""
    members = [tuple(dict.fromkeys(cluster)) for cluster in clusters]
    members = [cluster for cluster in members if len(cluster) > 1]
    if len(set(chain.from_iterable(members))) < sum(map(len, members)):
        # The partners of a document in two clusters need not be pairs of each other.
        return from_pairs(pair for cluster in members for pair in combinations(cluster, 2))
    return LabelledPairs(tuple(members), frozenset((i, i) for i in range(len(members))))


def _from_listed(listed: Iterable[Mapping[str, Any]]) -> LabelledPairs:
    """Return the labels of pairs as a run lists them, by their fields."""
    listed = list(listed)
    named = [(str(pair["a"]), str(pair["b"])) for pair in listed]
    return from_pairs(named, compress(named, map(_is_copy, listed)))


def _is_copy(pair: Mapping[str, Any]) -> bool:
    """Return whether a pair is two copies: a run lists them with the first of them only.

    Only runs state a distance.
    """
    distance, similarity = (number_in(pair.get(name)) for name in ("distance", "similarity"))
    if distance is None:
        return False
    return distance == 0 if similarity is None else similarity == 1


# -- files of pairs or clusters --


def read_labels(path: str, least_score: float | None = None) -> LabelledPairs:
    """Read pairs or clusters from a file; ``-`` is standard input.

    JSONL gives all pairs within its clusters, or those that it lists: with `all_pairs`, or one per
    line.  A table, with tabs if its first line has one and else with commas, gives clusters by its
    columns ``cluster`` and ``document``, or pairs by its columns ``a`` and ``b``.  Without a header
    the first two columns are those, and the third is a score if all of it are numbers, else a
    label; zeros and ones are both.  Pairs with a label out of `NEGATIVE` are left out, and those
    with a score (`SCORES`) below the least.  A file with semicolons whose first line has neither
    tabs nor commas is such a table if its header says so, and else has a cluster per line:
    ``id;id;id``.

    A run may list copies only with the first of them.  They have similarity 1, or distance 0 if no
    similarity was measured; what one of them is paired with, so are the others.

    Raises
    ------
    SimdupError
        If the file cannot be read, has another format, or lacks a required score.
    """
    text = read_text(path)
    clusters, listed = (_of_json if text.lstrip().startswith("{") else _of_table)(path, text)
    if clusters is not None:
        if least_score is not None:
            raise SimdupError(path, "clusters have no scores", "remove `least_score`")
        return from_clusters(clusters)
    listed = [pair for pair in listed if str(pair.get("label", "")).lower() not in NEGATIVE]
    if least_score is not None:
        listed = [pair for pair in listed if _score(path, pair) >= least_score]
    return _from_listed(listed)


# Clusters, if a file has some, and pairs by the names of their fields or columns.
_Read: TypeAlias = "tuple[Iterable[list[str]] | None, list[dict[str, Any]]]"


def _of_json(path: str, text: str) -> _Read:
    """Return what lines of JSON have; no clusters if all of their pairs are listed."""
    clusters, listed, all_pairs = list[list[str]](), list[dict[str, Any]](), False
    for number, record in json_lines(path, text, _HINT):
        try:
            kind, pairs = record["type"], [record]
            if kind == "cluster":
                clusters.append(_names(row["document"] for row in record["documents"]))
                pairs = record["pairs"]
            elif kind == "summary":
                all_pairs = record.get("all_pairs") is True
            for pair in pairs if kind in ("cluster", "pair") else ():
                a, b = _names((pair["a"], pair["b"]))
                # Labels and scores are plain values; nested ones may be too deep to inspect.
                plain = {k: v for k, v in pair.items() if not isinstance(v, list | dict)}
                listed.append(plain | {"a": a, "b": b})
        except (KeyError, TypeError):
            raise not_written(path, number, _HINT) from None
    return None if all_pairs or not clusters else clusters, listed


def _names(values: Iterable[Any]) -> list[str]:
    """Return names of JSON; raise TypeError if one is no string."""
    names = list(values)
    if not all(isinstance(name, str) for name in names):
        raise TypeError
    return names


def _of_table(path: str, text: str) -> _Read:
    """Return what a table has, or lines of names with semicolons."""
    rows, first, zeros = table_rows(path, text, _HINT), 2, False
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    clustered, paired = {"cluster", "document"} <= {*header}, {"a", "b"} <= {*header}
    if clustered or paired:
        rows = rows[1:]
    elif table_delimiter(text) == ";":
        return [[cell.strip() for cell in row if cell.strip()] for row in rows], []
    elif _is_header(rows):
        what = f"columns {', '.join(rows[0])}: not those of pairs or clusters"
        raise SimdupError(path, what, _HINT)
    else:
        third = [row[2] for row in rows if len(row) > 2]
        first, zeros = 1, {*third} == {"0", "1"}
        name = "label" if None in map(number_in, third) else "score"
        header = ["a", "b", name][: max(len(header), 2)]
    listed = list[dict[str, Any]]()
    for number, row in enumerate(rows, first):
        if len(row) < len(header):
            what = f"{len(header)} columns needed, found {len(row)}"
            raise SimdupError(f"{path}, row {number}", what, _HINT)
        listed.append(dict(zip(header, row, strict=False)))
        if zeros:
            listed[-1]["label"] = listed[-1].get("score")
    if not clustered:
        return None, listed
    clusters: dict[str, list[str]] = defaultdict(list)
    for cells in listed:
        clusters[cells["cluster"]].append(cells["document"])
    return clusters.values(), []


def _is_header(rows: Sequence[list[str]]) -> bool:
    """Return whether the first row of a table without known columns is a header all the same.

    It is one of simdup, or its first two cells are plain words and no other name is.
    """
    if not rows:
        return False
    head = tuple(cell.strip().lower() for cell in rows[0])
    if any(head[: len(columns)] == columns for columns in TABLES):
        return True
    above, below = ([_WORD.fullmatch(cell.strip()) for row in some for cell in row[:2]]
                    for some in (rows[:1], rows[1:]))  # fmt: skip
    return bool(below) and all(above) and not any(below)


def _score(path: str, pair: Mapping[str, Any]) -> float:
    name = next((name for name in SCORES if name in pair), None)
    if name is None:
        raise SimdupError(path, "no score found", "expected a column " + " or ".join(SCORES))
    score = number_in(pair[name])
    if score is None:
        raise SimdupError(path, f"the score {str(pair[name])!r} is not a number")
    return score


def with_names_of(found: LabelledPairs, truth: LabelledPairs) -> LabelledPairs:
    """Return the truth with its documents named as in `found`.

    A name means the document with that name.  If there is none, it means the document whose path
    ends with the name (``a.txt`` means ``corpus/a.txt``), with or without the suffix (so does
    ``a``), or whose path is the end of the name (``data/corpus/a.txt``).  Other names mean
    documents that were not found.

    Raises
    ------
    SimdupError
        If a name means several documents, or several names the same one.
    """
    documents, names = found.names, truth.names
    ends: dict[str, list[str]] = defaultdict(list)
    bare: dict[str, list[str]] = defaultdict(list)
    # A document that is named exactly cannot be meant by another name.
    # In order, so that the error is the same each time.
    unnamed = sorted(documents - names)
    for document in unnamed:
        for end in _ends(document):
            ends[end].append(document)
            bare[_without_suffix(end)].append(document)
    plain = {document.removeprefix("./"): document for document in unnamed}
    called: dict[str, str] = {}
    for name in sorted(names - documents):
        longer = [plain[end] for end in _ends(name) if end in plain]
        meant = ends.get(name) or bare.get(name) or longer[:1]
        if len(meant) > 1:
            what = f"matches both {meant[0]} and {meant[1]}"
            raise SimdupError(name, what, "write more of the path in TRUTH")
        for document in meant:
            if (same := called.setdefault(document, name)) != name:
                what = f"has two names in TRUTH: {same} and {name}"
                raise SimdupError(document, what, "write the full path of one of them")
    renamed = {name: document for document, name in called.items()}
    groups = (tuple(renamed.get(name, name) for name in group) for group in truth.groups)
    return LabelledPairs(tuple(groups), truth.links)


def _ends(path: str) -> Iterator[str]:
    """Yield the path and its ends of whole parts, the longest first."""
    parts = path.split("/")
    return ("/".join(parts[first:]) for first in range(len(parts)))


def _without_suffix(path: str) -> str:
    folder, slash, file = path.rpartition("/")
    stem, dot, _ = file.rpartition(".")
    return f"{folder}{slash}{stem if dot and stem else file}"


# -- measures --


def measure(found: LabelledPairs, truth: LabelledPairs) -> Evaluation:
    """Return how well `found` agrees with `truth`."""
    from sklearn.metrics import adjusted_rand_score
    from sklearn.metrics.cluster import contingency_matrix

    found_pairs, true_pairs = found.count_pairs(), truth.count_pairs()
    both = _common_pairs(found, truth)
    names, partitions = sorted(found.names | truth.names), (found.clusters, truth.clusters)
    # A document in no cluster is a cluster by itself; negative numbers are free.
    ours, theirs = (
        [number_of.get(name, -i) for i, name in enumerate(names, 1)]
        for number_of in map(_numbers, partitions)
    )
    rand = precise = complete = 1.0
    if names:
        rand = float(adjusted_rand_score(ours, theirs))
        cells = contingency_matrix(ours, theirs, sparse=True)
        squares = cells.power(2)
        precise, complete = (
            float((squares.sum(axis) / cells.sum(axis)).sum() / len(names)) for axis in (1, 0)
        )
    return Evaluation(
        documents=len(names),
        found_pairs=found_pairs,
        true_pairs=true_pairs,
        both_pairs=both,
        precision=_share(both, found_pairs),
        recall=_share(both, true_pairs),
        f1=_share(2 * both, found_pairs + true_pairs),
        found_clusters=len(partitions[0]),
        true_clusters=len(partitions[1]),
        adjusted_rand=rand,
        bcubed_precision=precise,
        bcubed_recall=complete,
        bcubed_f1=_share(2 * precise * complete, precise + complete),
    )


def _common_pairs(found: LabelledPairs, truth: LabelledPairs) -> int:
    """Return how many pairs both sides have, without listing the pairs of a group.

    Let C count the documents of each group of one side in each of the other, and let A and B be
    the matrices of links.  The sum of (A C) times (C B), cell by cell, counts each common pair
    twice, and each document that is linked with itself on both sides once.
    """
    from scipy import sparse

    def matrix(cells: Iterable[tuple[int, int]], shape: tuple[int, int]) -> Any:
        rows, columns = np.array(list(cells), np.int64).reshape(-1, 2).T
        return sparse.csr_array((np.ones(len(rows), np.int64), (rows, columns)), shape)

    a, b = (
        matrix(side.links | {(j, i) for i, j in side.links}, (len(side.groups),) * 2)
        for side in (found, truth)
    )
    ours, theirs = _numbers(found.groups), _numbers(truth.groups)
    shared = ((ours[name], theirs[name]) for name in ours.keys() & theirs.keys())
    cells = matrix(shared, (len(found.groups), len(truth.groups)))
    twice = ((a @ cells) * (cells @ b)).sum()
    return int(twice - a.diagonal() @ cells @ b.diagonal()) // 2


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _numbers(clusters: Iterable[tuple[str, ...]]) -> dict[str, int]:
    """Return the number of each document's cluster or group."""
    return {name: number for number, cluster in enumerate(clusters) for name in cluster}
