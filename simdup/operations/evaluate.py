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
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, compress
from typing import Any, NamedTuple, TypeAlias, overload

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
    sample = max(one.sample for one in judgements.each)
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
        return from_clusters([str(one.name) for one in each.members] for each in given.clusters)
    if isinstance(given, Result):
        named = [(str(pair.a), str(pair.b)) for pair in given.pairs]
        copies = (_copies(pair.distance, pair.similarity) for pair in given.pairs)
        return from_pairs(named, compress(named, copies))
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
    joined = [_numbered(pair, numbers) for pair in pairs if pair[0] != pair[1]]
    same = [_numbered(pair, numbers) for pair in copies if pair[0] != pair[1]]
    names = list(numbers)
    members = components([*same, *((number, number) for number in range(len(names)))])
    group_of = {number: group for group, among in enumerate(members) for number in among}
    links = {(group, group) for group, among in enumerate(members) if len(among) > 1}
    for a, b in joined:
        ours, theirs = group_of[a], group_of[b]
        links.add((min(ours, theirs), max(ours, theirs)))
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


def _numbered(pair: NamePair, numbers: dict[str, int]) -> tuple[int, int]:
    a, b = (numbers.setdefault(name, len(numbers)) for name in pair)
    return a, b


def _copies(distance: float | None, similarity: float | None) -> bool:
    """Return whether a pair is two copies: a run lists them with the first of them only.

    Only runs state a distance.
    """
    if distance is None:
        return False
    return distance == 0 if similarity is None else similarity == 1


# -- files of pairs or clusters --


class _Listed(NamedTuple):
    """One pair of a file: `values` are its cells or fields by name."""

    a: str
    b: str
    values: dict[str, Any]


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
    if text.lstrip().startswith("{"):
        clusters, listed = _json_labels(path, text)
        if clusters:
            _no_score(path, least_score)
            return from_clusters(clusters)
    else:
        rows, delimiter = table_rows(path, text, _HINT), table_delimiter(text)
        header = [cell.strip().lower() for cell in rows[0]] if rows else []
        if "cluster" in header and "document" in header:
            return _table_clusters(path, header, rows[1:], least_score)
        if delimiter == ";" and not {"a", "b"} <= set(header):
            _no_score(path, least_score)
            return from_clusters([cell.strip() for cell in row if cell.strip()] for row in rows)
        listed = list(_table_pairs(path, header, rows))
    listed = [one for one in listed if str(one.values.get("label", "")).lower() not in NEGATIVE]
    if least_score is not None:
        listed = [one for one in listed if _score(path, one) >= least_score]
    named = [(one.a, one.b) for one in listed]
    figures = (map(number_in, map(one.values.get, ("distance", "similarity"))) for one in listed)
    return from_pairs(named, compress(named, (_copies(*both) for both in figures)))


def _json_labels(path: str, text: str) -> tuple[list[list[str]], list[_Listed]]:
    """Return the clusters of lines of JSON, unless all of their pairs are listed, and the pairs."""
    clusters, listed, all_pairs = list[list[str]](), list[_Listed](), False
    for number, record in json_lines(path, text, _HINT):
        try:
            if record["type"] == "cluster":
                clusters.append([_name(one["document"]) for one in record["documents"]])
                listed += map(_listed, record["pairs"])
            elif record["type"] == "pair":
                listed.append(_listed(record))
            elif record["type"] == "summary":
                all_pairs = record.get("all_pairs") is True
        except (KeyError, TypeError):
            raise not_written(path, number, _HINT) from None
    return [] if all_pairs else clusters, listed


def _listed(pair: dict[str, Any]) -> _Listed:
    """Return a pair of JSON; raise TypeError if its names are not strings."""
    a, b = _name(pair["a"]), _name(pair["b"])
    # Labels and scores are plain values; nested ones may be too deep to inspect.
    return _Listed(a, b, {k: v for k, v in pair.items() if not isinstance(v, list | dict)})


def _name(value: Any) -> str:
    """Return a name of JSON; raise TypeError if it is no string."""
    if not isinstance(value, str):
        raise TypeError
    return value


def _no_score(path: str, least_score: float | None) -> None:
    """Refuse a lowest score for clusters."""
    if least_score is not None:
        raise SimdupError(path, "clusters have no scores", "remove `least_score`")


def _table_clusters(
    path: str, header: list[str], rows: Sequence[list[str]], least_score: float | None
) -> LabelledPairs:
    _no_score(path, least_score)
    clusters: dict[str, list[str]] = defaultdict(list)
    for number, row in enumerate(rows, 2):
        _check_width(path, number, row, len(header))
        clusters[row[header.index("cluster")]].append(row[header.index("document")])
    return from_clusters(clusters.values())


def _table_pairs(path: str, header: list[str], rows: list[list[str]]) -> Iterator[_Listed]:
    first, is_label = 1, False
    if "a" in header and "b" in header:
        first = 2
        rows = rows[1:]
    elif _is_header(rows):
        what = f"columns {', '.join(rows[0])}: not those of pairs or clusters"
        raise SimdupError(path, what, _HINT)
    else:
        third = [row[2] for row in rows if len(row) > 2]
        header = ["a", "b", "score" if None not in map(number_in, third) else "label"]
        header = header[: max(len(rows[0]), 2)] if rows else header
        is_label = set(third) == {"0", "1"}
    for number, row in enumerate(rows, first):
        _check_width(path, number, row, len(header))
        values = dict(zip(header, row, strict=False))
        if is_label:
            values["label"] = values["score"]
        yield _Listed(values["a"], values["b"], values)


def _is_header(rows: Sequence[list[str]]) -> bool:
    """Return whether the first row of a table without known columns is a header all the same.

    It is one of simdup, or its first two cells are plain words and no other name is.
    """
    if not rows:
        return False
    head = tuple(cell.strip().lower() for cell in rows[0])
    if any(head[: len(columns)] == columns for columns in TABLES):
        return True
    names = [cell for row in rows[1:] for cell in row[:2]]
    return bool(names) and all(map(_is_word, head[:2])) and not any(map(_is_word, names))


def _is_word(cell: str) -> bool:
    return _WORD.fullmatch(cell.strip()) is not None


def _check_width(path: str, number: int, row: list[str], least: int) -> None:
    if len(row) < least:
        what = f"{least} columns needed, found {len(row)}"
        raise SimdupError(f"{path}, row {number}", what, _HINT)


def _score(path: str, one: _Listed) -> float:
    name = next((name for name in SCORES if name in one.values), None)
    if name is None:
        raise SimdupError(path, "no score found", "expected a column " + " or ".join(SCORES))
    score = number_in(one.values[name])
    if score is None:
        raise SimdupError(path, f"the score {str(one.values[name])!r} is not a number")
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
    for document in sorted(documents - names):
        for end in _ends(document):
            ends[end].append(document)
            bare[_without_suffix(end)].append(document)
    plain = {document.removeprefix("./"): document for document in documents - names}
    called: dict[str, str] = {}
    renamed: dict[str, str] = {}
    for name in sorted(names - documents):
        longer = [plain[end] for end in _ends(name) if end in plain]
        meant = ends.get(name) or bare.get(name) or longer[:1]
        if len(meant) > 1:
            what = f"matches both {meant[0]} and {meant[1]}"
            raise SimdupError(name, what, "write more of the path in TRUTH")
        if meant:
            document = renamed[name] = meant[0]
            other = called.setdefault(document, name)
            if other != name:
                what = f"has two names in TRUTH: {other} and {name}"
                raise SimdupError(document, what, "write the full path of one of them")
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

    found_pairs, true_pairs = found.count_pairs(), truth.count_pairs()
    both = _common_pairs(found, truth)
    found_clusters, true_clusters = found.clusters, truth.clusters
    ours, theirs = _numbers(found_clusters), _numbers(true_clusters)
    names = sorted(ours.keys() | theirs.keys())
    # A document in no cluster is a cluster by itself; negative numbers are free.
    labels = [(ours.get(name, -i), theirs.get(name, -i)) for i, name in enumerate(names, 1)]
    bcubed_precision, bcubed_recall = _bcubed(labels)
    return Evaluation(
        documents=len(names),
        found_pairs=found_pairs,
        true_pairs=true_pairs,
        both_pairs=both,
        precision=_share(both, found_pairs),
        recall=_share(both, true_pairs),
        f1=_share(2 * both, found_pairs + true_pairs),
        found_clusters=len(found_clusters),
        true_clusters=len(true_clusters),
        adjusted_rand=float(adjusted_rand_score(*zip(*labels, strict=True))) if labels else 1.0,
        bcubed_precision=bcubed_precision,
        bcubed_recall=bcubed_recall,
        bcubed_f1=_share(2 * bcubed_precision * bcubed_recall, bcubed_precision + bcubed_recall),
    )


def _common_pairs(one: LabelledPairs, other: LabelledPairs) -> int:
    """Return how many pairs both sides have, without listing the pairs of a group.

    Let C count the documents of each group of one side in each of the other, and let A and B be
    the matrices of links.  The sum of (A C) times (C B), cell by cell, counts each common pair
    twice, and each document that is linked with itself on both sides once.
    """
    from scipy import sparse

    mine, theirs = _numbers(one.groups), _numbers(other.groups)
    shared = sorted(mine.keys() & theirs.keys())
    rows, columns = [mine[name] for name in shared], [theirs[name] for name in shared]
    shape = len(one.groups), len(other.groups)
    cells = sparse.csr_array((np.ones(len(shared), np.int64), (rows, columns)), shape)
    ours, others = _matrix(one), _matrix(other)
    twice = ((ours @ cells) * (cells @ others)).sum()
    alone = ours.diagonal() @ cells @ others.diagonal()
    return int(twice - alone) // 2


def _matrix(side: LabelledPairs) -> Any:
    """Return the links of a side as a symmetric matrix of zeros and ones."""
    from scipy import sparse

    both_ways = side.links | {(b, a) for a, b in side.links}
    rows, columns = np.array(sorted(both_ways), np.int64).reshape(-1, 2).T
    ones = np.ones(len(rows), np.int64)
    return sparse.csr_array((ones, (rows, columns)), (len(side.groups),) * 2)


def _bcubed(labels: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return B-cubed precision and recall of documents labelled by both sides."""
    rows = Counter(row for row, _ in labels)
    columns = Counter(column for _, column in labels)
    cells = Counter(labels).items()
    precise = sum(count**2 / rows[row] for (row, _), count in cells)
    complete = sum(count**2 / columns[column] for (_, column), count in cells)
    return _share(precise, len(labels)), _share(complete, len(labels))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _numbers(clusters: Iterable[tuple[str, ...]]) -> dict[str, int]:
    """Return the number of each document's cluster or group."""
    return {name: number for number, cluster in enumerate(clusters) for name in cluster}
