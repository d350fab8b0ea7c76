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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simdup.corpus.records import as_number
from simdup.corpus.spool import Slot, SpoolReader
from simdup.model.clusters import Cluster
from simdup.model.frames import columns_of
from simdup.model.measures import MeasuredPairs
from simdup.model.settings import Settings
from simdup.model.table import Documents, objects
from simdup.near.candidates import Candidates, searches_of
from simdup.near.collection import Collection
from simdup.near.copies import find_copies
from simdup.near.crew import Work
from simdup.near.inputs import SourceReport
from simdup.near.join import distinct_rows, join
from simdup.near.measures import unmeasured
from simdup.near.methods.passages import ListedPairs, SharedPassages
from simdup.near.methods.simhash import NearFingerprints
from simdup.near.rows import Rows
from simdup.near.short import formed
from simdup.near.texts import CACHE_BYTES, Texts, cut_slot
from simdup.near.walk import components
from simdup.reuse.sharing import SHARED, TextSeeds, shared_counts
from simdup.search import equal_keys
from simdup.search.arrays import I64, RowIds, mix_rows, run_starts
from simdup.search.grouping import Forest
from simdup.spark.prepare import Columns, Sent, counts_of, documents_of, to_array, types, unpack
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.weights import Weighting

# The columns that rows meet by.
KEYED = (
    "row", "digest", "keys", "letters", "form_keys", "terms", "fingerprint", "vector_keys",
)  # fmt: skip

# Rows that meet where their keys are equal; `fingerprint` is there if the key is its block.
MEETINGS = types(int64="key row", binary="fingerprint")

# Of each document the first one, `root`, that others connect it with, and how many these are.
LABELS = types(int64="row root size")

# Seeds and runs, `kind` 0 and 1, of documents; `before` is less for one that has more.
SEEDS = types(int64="kind seed before")

# How many of a kind two documents share in a task, and how many the smaller one has.
SHARES = types(int64="kind large small shared size")

# Members and pairs of clusters, and the figures of a task, which `kind` tells apart: `first` is the
# row of the first document of a cluster, `place` tells the order.  Ids are `kept`, `a` and `b`.
GROUPS = types(
    int64="first size place checked unchecked distance", string="kind role fingerprint measure",
    float64="similarity containment cosine", bool_="exact",
)  # fmt: skip
_MEASURES = "distance", "similarity", "containment", "cosine", "measure"


# -- edges of what the searches of the criteria propose


def list_keys(table: pa.Table, settings: Settings, all_meet: bool = False) -> Iterator[Columns]:
    """Yield a row for each digest, band key and block of a fingerprint.

    If `all_meet`, since all pairs are compared, all documents have one key in common.
    """
    documents, rows = documents_of(table), to_array(table["row"])
    if all_meet:
        yield {"key": np.zeros_like(rows), "row": rows}
    digests, printed = documents["digest"].view(np.uint64)[::2, None], documents["terms"] > 0
    keyed = {"keys": printed | True, "vector_keys": printed, "form_keys": formed(documents)}
    there = [name for name in keyed if name in documents]
    bands = [(documents[name][keyed[name]], rows[keyed[name]]) for name in there]
    for keys, having in [(digests, rows), *bands]:
        for key in _by_band(keys):
            yield {"key": key, "row": having}
    if "simhash" in settings.criteria.searches:
        prints = documents.take(printed)
        for key in _by_band(np.stack(NearFingerprints(settings).blocks(prints), axis=1)):
            yield {"key": key, "row": rows[printed], "fingerprint": prints["fingerprint"]}


def _by_band(keys: NDArray[Any]) -> Iterator[RowIds]:
    """Yield keys of one band after the other that are hardly equal to those of other bands."""
    for band, column in enumerate(keys.T):
        key = column.astype(np.uint64)
        yield mix_rows(np.stack([np.full_like(key, band), key], axis=1)).view(np.int64)


def connect(table: pa.Table, settings: Settings) -> Iterator[Columns]:
    """Yield labels: rows of a task are connected by an equal key, or fingerprints that are near."""
    rows, places = np.unique(to_array(table["row"]), return_inverse=True)
    forest, printed = Forest(len(rows)), to_array(table["fingerprint"].is_valid())
    owners, firsts = np.unique(places[printed], return_index=True)
    if len(owners):
        prints = table.select(["fingerprint"]).take(pa.array(np.flatnonzero(printed)[firsts]))
        # Only what has terms comes here.
        documents = documents_of(prints).and_columns(terms=np.ones(len(owners), np.uint8))
        for i, j in NearFingerprints(settings).links(documents):
            forest.join(owners[i], owners[j])
    for i, j in equal_keys.neighbours([to_array(table["key"])[~printed]]):
        forest.join(places[~printed][i], places[~printed][j])
    yield _labels(rows, forest)


def label(edges: pa.Table) -> Iterator[Columns]:
    """Yield the labels of all rows that have an edge to a `root`."""
    sides = to_array(edges["row"]), to_array(edges["root"])
    rows, places = np.unique(sides, return_inverse=True)
    forest = Forest(len(rows))
    forest.join(*places.reshape(2, -1))
    yield _labels(rows, forest)


def _labels(rows: RowIds, forest: Forest) -> Columns:
    sizes = np.bincount(forest.roots, minlength=len(rows))
    return {"row": rows, "root": rows[forest.roots], "size": sizes[forest.roots]}


# -- only with a containment: pairs of documents that share passages


def list_seeds(table: pa.Table, settings: Settings, carried: Sequence[str]) -> Iterator[Columns]:
    """Yield the seeds and the runs of documents that are compared; equal texts are in one task."""
    candidates = Candidates(documents_of(table), [], settings)
    copies = find_copies(candidates.documents)
    compared = pa.array(distinct_rows(candidates, copies)[1])
    for kind, name in enumerate(SHARED):
        starts, seeds = unpack(table[name].take(compared), np.int64)
        sizes = np.diff(starts)
        rows = compared.take(pa.array(np.repeat(np.arange(len(sizes)), sizes)))
        yield {column: table[column].take(rows) for column in carried} | {
            "kind": np.full(len(seeds), kind), "seed": seeds, "before": -np.repeat(sizes, sizes),
        }  # fmt: skip


def share(table: pa.Table) -> Iterator[Columns]:
    """Yield the pairs of documents that have a seed of a task in common, with how many.

    Rows are in the order of ``before``, and of input.
    """
    for kind in range(len(SHARED)):
        seeds = table.filter(pc.equal(table["kind"], kind))
        firsts = run_starts(to_array(seeds["row"]))
        rows, before = (to_array(seeds[name])[firsts] for name in ("row", "before"))
        of_texts = TextSeeds(np.append(firsts, len(seeds)), to_array(seeds["seed"], np.uint64))
        for large, small, counts in shared_counts(of_texts, np.arange(len(firsts))):
            sides = {"large": rows[large], "small": rows[small]}
            kinds = np.full(len(large), kind)
            yield {"kind": kinds, "shared": counts, "size": -before[small], **sides}


# -- clusters


def refine(table: pa.Table, fingerprinter: Sent, settings: Settings) -> Iterator[Columns]:
    """Part components into those that candidates connect: yield the labels of documents.

    Equal keys also connect documents that are far below the similarity, and chains of such
    documents may be long.  Sketches show most of these, and take a tenth of the room of texts.
    """
    corpus, weighting = _corpus(table, fingerprinter())
    searches = searches_of(corpus, weighting, settings)
    candidates = Candidates(corpus.documents, searches, settings)
    copies = find_copies(candidates.documents)
    compared, searched = distinct_rows(candidates, copies)
    roots = components(compared.take(searched), copies.sizes[searched])
    forest = Forest(len(table))
    forest.join(searched, searched[roots])
    # Equal texts stay together, however few words they have.
    for i, j in equal_keys.neighbours([candidates.documents["digest"].view(np.uint64)[::2]]):
        forest.join(i, j)
    yield _labels(to_array(table["row"]), forest)


def group(
    table: pa.Table, fingerprinter: Sent, settings: Settings, carried: Sequence[str], size: float
) -> Iterator[Columns]:
    """Yield the members and pairs of the clusters among the documents of a task, and figures.

    Members have the `carried` columns of documents.
    """
    made, criteria = fingerprinter(), settings.criteria
    corpus, weighting = _corpus(table, made)
    read, slots = _texts(table)
    corpus.documents = documents = corpus.documents.and_columns(
        original=slots,
        path=objects([""] * len(table)),
        modified=np.zeros(len(table)),
        value=objects(map(as_number, table["value"].to_pylist())),
    )
    texts = Texts(corpus.of_texts, made.analyzer, criteria.shingle, read)
    measure = Work(weighting, texts, criteria).measure(CACHE_BYTES)
    rows = Rows(
        settings, corpus, texts, made, weighting, documents, corpus.text_of,
        MeasuredPairs.none(), measure if criteria.verify else unmeasured,
    )  # fmt: skip
    candidates = rows.candidates()
    searches = [it for it in candidates.searches if not isinstance(it, SharedPassages)]
    if "partners" in table.column_names:
        searches.append(_listed(table))
    joined = join(replace(candidates, searches=searches, size=size))
    yield from _named(rows.clusters(joined), table, carried)
    yield {"kind": ["figures"]} | {name: [n] for name, n in joined.figures.items()}


def _corpus(table: pa.Table, made: Fingerprinter) -> tuple[Collection, Weighting]:
    """Return the documents of a table, in input order, and their terms if these came along."""
    documents, rows = documents_of(table), np.arange(len(table))
    forms = np.where(formed(documents), rows, -1)
    documents = documents.and_columns(text=rows, form=forms)
    about = made.analyzer, SourceReport(), SpoolReader("")
    short = documents if "letters" in documents else Documents()
    corpus = Collection(documents, documents, short, [], *about)
    return corpus, made.weigh(counts_of(table, made.analyzer.hash_bytes))


def _listed(table: pa.Table) -> ListedPairs:
    """Return the pairs that share passages, by the places of their documents in the table."""
    partners, rows = table["partners"].combine_chunks(), table["row"].combine_chunks()
    places = pc.list_parent_indices(partners), pc.index_in(partners.flatten(), rows)
    return ListedPairs(*np.unique(np.sort(places, axis=0).astype(np.int64), axis=1))


def _texts(table: pa.Table) -> tuple[Callable[[Slot], bytes], I64]:
    """Return what reads texts, and their slots; of equal ones one came along."""
    starts, content = unpack(table["original"], np.uint8)
    rows, came = np.arange(len(table)), to_array(table["original"].is_valid())
    if came.any():  # none did if nothing is verified
        holders = table["digest"].filter(pa.array(came)).combine_chunks()
        same = to_array(pc.index_in(table["digest"], holders))
        rows[~came] = np.flatnonzero(came)[same[~came]]
    slots = np.stack([starts[:-1], np.diff(starts)], axis=1)[rows]
    return partial(cut_slot, content.data), slots


def _named(
    clusters: Sequence[Cluster], table: pa.Table, carried: Sequence[str]
) -> Iterator[Columns]:
    """Yield one row per member, with what is known of the document, and one per pair."""
    numbers = (min(member.number for member in cluster.members) for cluster in clusters)
    firsts = np.fromiter(numbers, np.int64, len(clusters))
    kinds = {"member": ("role", "fingerprint", "kept"), "pair": ("a", "b", "exact")}
    for kind, names in kinds.items():
        parts = [getattr(cluster, f"{kind}s") for cluster in clusters]
        rows, sizes = list(chain.from_iterable(parts)), np.array(list(map(len, parts)), np.int64)
        columns: dict[str, Any] = columns_of((*names, *_MEASURES), rows)
        columns |= {"kind": [kind] * len(rows), "place": np.arange(len(rows))}
        columns["first"] = table["row"].take(pa.array(np.repeat(firsts, sizes)))
        if kind == "member":
            places = pa.array([row.number for row in rows], pa.int64())
            columns |= {name: table[name].take(places) for name in carried}
            columns["size"] = np.repeat(sizes, sizes)
        yield columns
