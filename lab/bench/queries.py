"""Queries against a table of fingerprints: batches, single ones, compressed tables, faiss."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from lab.bench.random_fingerprints import asked, planted
from lab.measuring import fastest
from lab.reporting import Cell, Table
from lab.trial import Trial, say
from simdup.search import build, query
from simdup.search.compressed import compress_table


def run(trial: Trial) -> Iterator[Table]:
    """Compare queries with faiss, then plain tables with compressed ones."""
    say("batches")
    yield _batches(trial.pick(10**4, 10**6))
    say("compressed")
    yield from _compressed(trial.pick(10**5, 10**7))


def _batches(n: int) -> Table:
    f = planted(n)
    g = asked(f, n // 10)
    index = build(f)
    found = len(query(index, g).row)
    each = [g[i : i + 1] for i in range(100)]
    ours = (
        fastest(lambda: query(index, g), 5),
        fastest(lambda: [query(index, one) for one in each]) / len(each),
    )
    rows: list[tuple[Cell, ...]] = [
        (f"simdup, {index.plan.tables} tables", *(s * 1e3 for s in ours), found, None, None)
    ]
    note = ""
    try:
        import faiss
    except ImportError:
        note = "faiss is not installed"
    else:
        faiss.omp_set_num_threads(2)
        peer = faiss.IndexBinaryMultiHash(64, 4, 16)
        peer.add(f.view(np.uint8).reshape(-1, 8))
        asking = g.view(np.uint8).reshape(-1, 8)
        theirs = (
            fastest(lambda: peer.range_search(asking, 4)),
            fastest(lambda: [peer.range_search(asking[i : i + 1], 4) for i in range(100)]) / 100,
        )
        ratios = (their / our for their, our in zip(theirs, ours, strict=True))
        name = "faiss IndexBinaryMultiHash(64, 4, 16), 2 threads"
        same = int(peer.range_search(asking, 4)[0][-1])
        rows.append((name, *(s * 1e3 for s in theirs), same, *ratios))
    columns = ("search", f"ms, {len(g):,} queries", "ms, one query", "found", "ratio", "ratio, one")
    return Table(f"Queries against {n:,} fingerprints", columns, rows, note)


def _compressed(n: int) -> Iterator[Table]:
    f = np.random.default_rng(6).integers(0, 1 << 64, n, dtype=np.uint64)
    g = asked(f, 10**5)
    bits = 8 * compress_table(np.sort(f)).nbytes / n
    bound = 64 - math.log2(n) + 1 / math.log(2)
    indexes = [build(f, compress=small, tables=10) for small in (False, True)]
    sizes = (one.nbytes / n for one in indexes)
    row = (n, bits, bound, bits / bound, *sizes)
    yield Table(
        "Compressed tables of sorted fingerprints",
        ("n", "bits each", "bound", "ratio", "bytes each, 10 tables", "compressed"),
        [row],
    )
    rows: list[tuple[Cell, ...]] = []
    for many in (10**5, 10**4, 10**3, 1):
        took = [fastest(lambda one=one, q=many: query(one, g[:q])) for one in indexes]
        rows.append((many, took[0] * 1e3, took[1] * 1e3, took[1] / took[0]))
    columns = ("queries", "ms, plain", "ms, compressed", "ratio")
    yield Table(f"Queries against {n:,}, 10 tables", columns, rows)
