"""Clusters and pairs of fingerprint lines, by their distance alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import numpy as np

from simdup.base.system import free_memory
from simdup.corpus.fingerprint_lines import FingerprintLines
from simdup.corpus.spool import spool_folder
from simdup.model.clusters import Pair, Summary
from simdup.model.criteria import FEW_TERMS
from simdup.model.documents import InputDocuments
from simdup.model.settings import RunOptions, Settings
from simdup.model.table import Documents, objects
from simdup.near.candidates import Candidates
from simdup.near.clustering import form_clusters
from simdup.near.join import join
from simdup.near.methods.simhash import NearFingerprints
from simdup.search.allpairs import iter_pairs
from simdup.search.arrays import U64, combine_rows, hamming_distances, split_rows
from simdup.search.threads import sort_chunks
from simdup.show.result import Result

# Bytes of pairs that `pairs` keeps in memory: printing costs far more than temporary files.
PAIR_MEMORY = 1 << 28
# Bytes of a pair in memory: one value contains both rows.
_PAIR_BYTES = 8
# A file pays off only for more pairs than a search yields at a time.
_LEAST = 1 << 18


def cluster(lines: FingerprintLines, settings: Settings) -> Result:
    """Cluster fingerprint lines, as `scan` clusters documents.

    Parameters
    ----------
    lines : FingerprintLines
        The lines to cluster.
    settings : Settings
        With the distance.
    """
    started = time.monotonic()
    # Lines contain only fingerprints, and their distance alone decides.
    criteria = replace(settings.criteria, method="simhash", verify=False)
    recipe = replace(settings.recipe, bits=lines.bits)
    settings = replace(settings, criteria=criteria, recipe=recipe)
    # They lack the number of terms: each counts as having enough.
    documents = Documents({
        "name": objects(lines.names),
        "reference": np.zeros(len(lines.names), np.bool_),
        "fingerprint": lines.values,
        "terms": np.full(len(lines.names), FEW_TERMS, np.uint8),
    })  # fmt: skip
    compared = Candidates(documents, [NearFingerprints(settings)], settings)
    joined, rows = join(compared), range(len(documents))
    order = np.arange(len(documents))
    clusters = form_clusters(joined, documents, order, lines.bits, rows)
    summary = Summary.of(
        clusters,
        documents=len(documents),
        skipped=0,
        seconds=time.monotonic() - started,
        recipe={"digest": lines.recipe, "bits": lines.bits} if lines.recipe else {},
        all_pairs=criteria.all_pairs,
        **joined.figures,
    )
    return Result(clusters, (), (), summary, inputs=InputDocuments(documents["name"].tolist()))


@contextmanager
def pairs(
    lines: FingerprintLines,
    distance: int,
    run: RunOptions,
    tables: str = "auto",
    search: str = "tables",
) -> Iterator[Iterator[Pair]]:
    """Find the pairs of lines whose fingerprints are within a distance, in input order.

    Equal fingerprints are paired with the first of them only.  The search is complete when the
    iterator is yielded.  Pairs that do not fit in memory are in temporary files until the context
    ends.  `tables` and `search`, as in `simdup.search.plan`, do not change the result.
    """
    found = iter_pairs(
        lines.values, min(distance, lines.bits), lines.bits, "first", search=search,
        tables=tables if tables == "auto" else int(tables), threads=run.processes,
    )  # fmt: skip
    keys = (combine_rows(pairs.i, pairs.j) for pairs in found)
    room = max(min(PAIR_MEMORY, free_memory()) // _PAIR_BYTES, _LEAST)
    names, values = lines.names, lines.values

    def in_order(ordered: Iterator[U64]) -> Iterator[Pair]:
        for i, j in map(split_rows, ordered):
            columns = (i.tolist(), j.tolist(), hamming_distances(values, i, values, j).tolist())
            for a, b, distance in zip(*columns, strict=True):
                yield Pair(names[a], names[b], distance)

    with sort_chunks(keys, room, partial(spool_folder, "the pairs")) as ordered:
        yield in_order(ordered)
