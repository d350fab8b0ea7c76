"""Stages 4 to 7: documents that may belong together, as connected components, and their clusters.

Documents that are candidates have something in common: a block of their fingerprints, a band key,
the digest of their texts, or, only with a containment, seeds of passages.  Rows with the same meet
in one task, which joins them as the library does on one machine, and yields as few edges as connect
them.  What is connected is looked at closely later, so to join too much costs time, and to join too
little would lose pairs.

What the searches propose never crosses components, so the documents of a task, any number of whole
components, have the same clusters as among all others.  Tasks that compare documents get them in
input order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simdup.corpus.records import as_number
from simdup.corpus.spool import Slot
from simdup.model.clusters import Cluster
from simdup.model.settings import Settings
from simdup.model.table import objects
from simdup.near.clustering import form_clusters
from simdup.near.copies import find_copies
from simdup.near.join import distinct_rows, join
from simdup.near.measures import forms_of, measured, unmeasured
from simdup.near.methods.simhash import NearFingerprints
from simdup.near.orders import order_of
from simdup.near.short import formed
from simdup.near.texts import Texts, cut_slot
from simdup.near.walk import components
from simdup.reuse.sharing import TextSeeds, shared_counts
from simdup.search import equal_keys
from simdup.search.arrays import RowIds, distinct, mix_rows
from simdup.search.grouping import Forest
from simdup.spark.partitions import Columns, DataFrame, candidates_among, documents_of, to_array
from simdup.text.analyzer import Analyzer
from simdup.text.counts import CsrRows

# Rows that meet where their keys are equal.  `check` is the rest of a text's digest, of which the
# key is the beginning, and null for other keys; `fingerprint` is there if the key is its block.
MEETINGS = pa.schema(
    {"key": pa.int64(), "row": pa.int64(), "check": pa.int64(), "fingerprint": pa.binary()}
)  # fmt: skip

# Row `a` and a later row `b` that are connected; whether `b` has the text of an earlier row.
EDGES = pa.schema({"a": pa.int64(), "b": pa.int64(), "copy": pa.bool_()})
STARS = pa.schema({"a": pa.int64(), "b": pa.int64()})

# Of each document that is connected to others: the first one of these.
LABELS = pa.schema({"row": pa.int64(), "root": pa.int64(), "copy": pa.bool_()})

# The seeds and the runs of documents that are compared, by `kind`: `rank` 0 or more, by falling
# number of them.
SEEDS = pa.schema(dict.fromkeys(("kind", "seed", "row", "rank", "size"), pa.int64()))

# How many of a kind two documents share in a task, and how many the smaller one has.
SHARED = pa.schema(dict.fromkeys(("kind", "large", "small", "shared", "size"), pa.int64()))

_MEASURES = {
    "distance": pa.int64(), "similarity": pa.float64(), "containment": pa.float64(),
    "cosine": pa.float64(), "measure": pa.string(),
}  # fmt: skip


def grouped_schema(carried: pa.Schema) -> pa.Schema:
    """Return the columns of members, of pairs, and of the figures of a task.

    `first` is the row of the first document of a cluster, `place` that of a member or pair in it.
    """
    numbers = dict.fromkeys(("first", "size", "place", "checked", "unchecked"), pa.int64())
    ids = dict.fromkeys(("cluster_id", "kept", "a", "b"), carried.field("id").type)
    more = {"kind": pa.string(), "role": pa.string(), "fingerprint": pa.string()}
    columns = numbers | ids | more | {"exact": pa.bool_()} | _MEASURES
    return pa.schema([*carried, *pa.schema(columns)])


# -- edges of what the searches of the criteria propose


def list_keys(table: pa.Table, settings: Settings, all_meet: bool = False) -> Iterator[Columns]:
    """Yield a row for each digest, band key and block of a fingerprint.

    If `all_meet`, since all pairs are compared, all documents have one key in common.
    """
    documents, rows = documents_of(table), to_array(table["row"])
    if all_meet:
        yield {"key": np.zeros_like(rows), "row": rows}
    if "digest" in documents:
        key, check = documents["digest"].view(np.int64).reshape(-1, 2).T
        yield {"key": key, "row": rows, "check": check}
    has = {"form_keys": formed(documents)}
    for name in ("keys", "vector_keys", "form_keys"):
        if name in documents:
            keyed = has.get(name, slice(None))
            for key in _by_band(documents[name][keyed].T):
                yield {"key": key, "row": rows[keyed]}
    if "fingerprint" in documents and "simhash" in settings.criteria.searches:
        for key in _by_band(NearFingerprints(settings).blocks(documents)):
            yield {"key": key, "row": rows, "fingerprint": documents["fingerprint"]}


def _by_band(keys: Iterable[NDArray[Any]]) -> Iterator[RowIds]:
    """Yield keys of one band after the other that are hardly equal to those of other bands."""
    for band, column in enumerate(keys):
        key = column.astype(np.uint64)
        yield mix_rows(np.stack([np.full_like(key, band), key], axis=1)).view(np.int64)


def connect(table: pa.Table, settings: Settings) -> Iterator[Columns]:
    """Yield edges between rows of a task that have an equal key, or fingerprints that are near."""
    # Of equal keys the smaller row comes first.
    table = table.sort_by("row")
    rows, places = np.unique(to_array(table["row"]), return_inverse=True)
    forest, copies = Forest(len(rows)), np.zeros(len(rows), np.bool_)
    printed = to_array(table["fingerprint"].is_valid())
    owners, firsts = np.unique(places[printed], return_index=True)
    if len(owners):
        prints = table.select(["fingerprint"]).take(pa.array(np.flatnonzero(printed)[firsts]))
        # Only what has terms comes here.
        documents = documents_of(prints).and_columns(terms=np.ones(len(owners), np.uint8))
        for i, j in NearFingerprints(settings).links(documents):
            forest.join(owners[i], owners[j])
    table, places = table.filter(pa.array(~printed)), places[~printed]
    texts, checks = to_array(table["check"].is_valid()), to_array(table["check"])
    for i, j in equal_keys.neighbours([to_array(table["key"])]):
        forest.join(places[i], places[j])
        copies[places[j[texts[i] & texts[j] & (checks[i] == checks[j])]]] = True
    # A copy is no root, for it comes later.
    later = np.flatnonzero(forest.roots != np.arange(len(rows)))
    yield {"a": rows[forest.roots[later]], "b": rows[later], "copy": copies[later]}


def contract(table: pa.Table) -> Iterator[Columns]:
    """Yield the fewest edges that connect what the edges of a task connect, as stars."""
    a, b = to_array(table["a"]), to_array(table["b"])
    rows, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    forest = Forest(len(rows))
    forest.join(places[: len(a)], places[len(a) :])
    later = np.flatnonzero(forest.roots != np.arange(len(rows)))
    yield {"a": rows[forest.roots[later]], "b": rows[later]}


def large_and_small_stars(
    edges: DataFrame, stage: Callable[[str, Callable[[], DataFrame]], DataFrame]
) -> DataFrame:
    """Return edges from the first row of each component to all others; `stage` keeps each round.

    A large star connects a row's later neighbours with the first of its neighbours, a small star
    its earlier neighbours.  Each leaves the components as they are, and after few rounds every row
    is connected with the first one of its component, and with nothing else.

    References
    ----------
    R. Kiveris, S. Lattanzi, V. Mirrokni, V. Rastogi, S. Vassilvitskii, "Connected components in
    MapReduce and beyond", SoCC 2014, section 3.
    """

    def turn(edges: DataFrame) -> DataFrame:
        both = edges.unionByName(edges.selectExpr("b as a", "a as b"))
        first = both.selectExpr("least(a, min(b) over (partition by a)) as first", "a", "b")
        large = first.where("b > a").selectExpr("first as a", "b")
        small = large.selectExpr("min(a) over (partition by b) as first", "a", "b")
        earlier = small.where("a > first").selectExpr("first as a", "a as b")
        return small.selectExpr("first as a", "b").unionByName(earlier).distinct()

    before = None
    for number in count(1):
        edges = stage(f"stars-{number}", partial(turn, edges))
        # Edges are distinct, so equal sums mean equal edges.
        total = edges.selectExpr("count(*)", "sum(cast(xxhash64(a, b) as decimal(20, 0)))")
        if (now := tuple(total.collect()[0])) == before:
            break
        before = now
    return edges


# -- only with a containment: pairs of documents that share passages


def list_compared(table: pa.Table, settings: Settings) -> Iterator[Columns]:
    """Yield the documents that are compared; those with equal texts are in one task."""
    candidates = candidates_among(table, settings)
    copies = find_copies(candidates.documents)
    _, searched = distinct_rows(candidates, copies)
    compared = table.take(pa.array(searched))
    yield dict(zip(compared.column_names, compared.columns, strict=True))


def list_seeds(table: pa.Table) -> Iterator[Columns]:
    """Yield one row for each seed or run of each document, which has them as ``bytes``."""
    content = table["bytes"].to_pylist()
    sizes = np.fromiter(map(len, content), np.int64, len(content)) // 8
    columns = {name: np.repeat(to_array(table[name]), sizes) for name in ("kind", "row", "rank")}
    hashes = np.frombuffer(b"".join(content), np.int64)
    yield columns | {"seed": hashes, "size": np.repeat(sizes, sizes)}


def share(table: pa.Table) -> Iterator[Columns]:
    """Yield the pairs of documents that have a seed of a task in common, with how many."""
    for kind in pc.unique(table["kind"]).to_pylist():
        seeds = table.filter(pc.equal(table["kind"], kind)).sort_by("rank")
        _, firsts = np.unique(to_array(seeds["rank"]), return_index=True)
        rows, sizes = (to_array(seeds[name])[firsts] for name in ("row", "size"))
        of_texts = TextSeeds(np.append(firsts, len(seeds)), to_array(seeds["seed"], np.uint64))
        for large, small, counts in shared_counts(of_texts, np.arange(len(firsts))):
            kinds = np.full(len(large), kind)
            sides = {"large": rows[large], "small": rows[small]}
            yield {"kind": kinds, "shared": counts, "size": sizes[small], **sides}


# -- clusters


def refine(table: pa.Table, settings: Settings) -> Iterator[Columns]:
    """Part components into those that candidates connect: yield the labels of documents.

    Equal keys also connect documents that are far below the similarity, and chains of such
    documents may be long.  Sketches show most of these, and take a tenth of the room of texts.
    """
    candidates = candidates_among(table, settings)
    copies = find_copies(candidates.documents)
    compared, searched = distinct_rows(candidates, copies)
    roots = components(compared.take(searched), copies.sizes[searched])
    forest = Forest(len(table))
    forest.join(searched, searched[roots])
    # Equal texts stay together, however few words they have.
    for i, j in equal_keys.neighbours([candidates.documents["digest"].view(np.uint64)[::2]]):
        forest.join(i, j)
    rows = to_array(table["row"])
    yield {"row": rows, "root": rows[forest.roots], "copy": table["copy"]}


def group(
    table: pa.Table,
    analyzer: Analyzer,
    settings: Settings,
    carried: Sequence[str],
    size: float = math.inf,
) -> Iterator[Columns]:
    """Yield the members and pairs of the clusters among the documents of a task, and figures.

    Members have the `carried` columns of documents.
    """
    criteria, candidates = settings.criteria, candidates_among(table, settings)
    documents = candidates.documents.and_columns(
        path=objects([""] * len(table)),
        modified=np.zeros(len(table)),
        value=objects(map(as_number, table["value"].to_pylist())),
    )
    read, slots = _texts(table, documents["digest"])
    texts = Texts(
        documents.and_columns(original=slots), analyzer, criteria.shingle, read, _weights(table)
    )
    measure = partial(measured, texts=texts, criteria=criteria) if criteria.verify else unmeasured
    order = order_of(documents, criteria, documents.__getitem__)
    candidates = replace(
        candidates, measure=measure, sets_of=texts.sets,
        forms_of=partial(forms_of, texts), order=order, size=size,
    )  # fmt: skip
    joined = join(candidates)
    about = order, settings.recipe.bits, range(len(table))
    yield from _named(form_clusters(joined, documents, *about), table, carried)
    yield {"kind": ["figures"]} | {name: [n] for name, n in joined.figures.items()}


def _texts(
    table: pa.Table, digests: NDArray[np.void]
) -> tuple[Callable[[Slot], bytes], NDArray[np.int64]]:
    """Return what reads texts, and their slots; of equal ones one came along."""
    content = table["text_bytes"].cast(pa.large_binary()).combine_chunks()
    ends = np.frombuffer(content.buffers()[1], np.int64, len(table) + 1, 8 * content.offset)
    absent = to_array(table["text_bytes"].is_null())
    order = np.argsort(absent, kind="stable")
    _, firsts, places = np.unique(digests[order], return_index=True, return_inverse=True)
    rows = np.arange(len(table))
    rows[order] = np.where(absent[order], order[firsts[places]], order)
    slots = np.stack([ends[rows], ends[rows + 1] - ends[rows]], axis=1)
    return partial(cut_slot, memoryview(content.buffers()[2] or b"")), slots


def _named(
    clusters: Sequence[Cluster], table: pa.Table, carried: Sequence[str]
) -> Iterator[Columns]:
    """Yield one row per member, with what is known of the document, and one per pair."""
    firsts = [min(member.number for member in cluster.members) for cluster in clusters]
    for kind, names in (("member", ("role", "fingerprint")), ("pair", ("a", "b", "exact"))):
        parts = [getattr(cluster, f"{kind}s") for cluster in clusters]
        rows, sizes = list(chain.from_iterable(parts)), np.array(list(map(len, parts)), int)
        first = pa.array(np.repeat(firsts, sizes).astype(np.int64))
        columns: dict[str, Any] = {
            "kind": [kind] * len(rows), "first": table["row"].take(first),
            "place": list(chain.from_iterable(map(range, sizes.tolist()))),
            **{name: [getattr(row, name) for row in rows] for name in (*names, *_MEASURES)},
        }  # fmt: skip
        if kind == "member":
            numbers = pa.array([row.number for row in rows], pa.int64())
            kept = pa.array([row.beside for row in rows], pa.int64())
            columns |= {name: table[name].take(numbers) for name in carried}
            columns |= {"kept": table["id"].take(kept), "cluster_id": table["id"].take(first)}
            columns["size"] = np.repeat(sizes, sizes)
        yield columns


def _weights(table: pa.Table) -> Callable[[int], CsrRows] | None:
    """Return what returns the weights of a document, under one numbering of the task's terms."""
    if table["weights"].null_count:
        return None
    hashes = [np.frombuffer(cell.as_py(), np.uint64) for cell in table["term_hashes"]]
    weights = [np.frombuffer(cell.as_py(), np.float64) for cell in table["weights"]]
    terms = distinct(np.concatenate([np.zeros(0, np.uint64), *hashes]))

    def weights_of(document: int) -> CsrRows:
        columns = np.searchsorted(terms, hashes[document]).astype(np.int32)
        return CsrRows(np.array([0, len(columns)]), columns, weights[document])

    return weights_of
