"""Fingerprints: all pairs and queries, compared with sorting, with the paper and with peers.

Fingerprints are random, one in ten planted within distance 3 of another. T(n, 1) is what sorting
one table costs on all cores, so the floor of a search by k tables is k times that.

The instructions that numpy sorts with matter more than anything else: with
NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" processors that are slow at AVX-512's compressing
stores (AMD's Zen 4) sort five times faster.
"""

from __future__ import annotations

import contextlib
import math
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from lab.measuring import clock, fastest, peak_memory, simdup
from lab.oracles.search import hits, table_bytes
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial
from simdup.search.allpairs import all_pairs, iter_pairs
from simdup.search.arrays import WORD
from simdup.search.plans import HammingBall, Pieces, plan
from simdup.search.queries import SearchIndex, build
from simdup.search.tables import BitView, build_table, compress_table, table_keys
from simdup.search.threads import count_threads

CORES = count_threads(None)
BALL = HammingBall(64, 3)

FAISS = "faiss IndexBinaryMultiHash(64, 4, 16), 2 threads"


# -- made fingerprints --


def planted(n: int, seed: int = 1) -> np.ndarray:
    """Return n random fingerprints, one in ten of them within distance 3 of another."""
    random = np.random.default_rng(seed)
    f = random.integers(0, 1 << 64, n, dtype=np.uint64)
    many = n // 10
    to = random.permutation(n)[:many]
    f[to] = flipped(f[random.integers(0, n, many)], random.integers(0, 4, many), random)
    return f


def flipped(f: np.ndarray, times: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return the fingerprints with up to `times` bits of each flipped."""
    for turn in range(int(times.max(initial=0))):
        bit = np.uint64(1) << random.integers(0, 64, len(f)).astype(np.uint64)
        f = np.where(times > turn, f ^ bit, f)
    return f


def near(f: np.ndarray, many: int) -> np.ndarray:
    """Return queries: half of them near a fingerprint, half random."""
    random = np.random.default_rng(5)
    queries = flipped(f[random.integers(0, len(f), many)], random.integers(0, 4, many), random)
    queries[many // 2 :] = random.integers(0, 1 << 64, many - many // 2, dtype=np.uint64)
    return queries


# -- all pairs --


def search(trial: Trial) -> Iterator[Table]:
    """All pairs of fingerprints: time compared with sorting, memory, many near ones, peers."""
    sizes = [*trial.pick([10**4], [10**5, 10**6, 10**7])]
    if trial.size == "large":
        sizes.append(10**8)
    n = trial.pick(10**4, 10**6)
    yield tabulate("All pairs within distance 3", _pairs(sizes))
    yield tabulate("Memory that all pairs allocate, beside input and output", map(_memory, sizes))
    yield tabulate("simdup pairs, file to file", [_lines(n, trial)])
    yield tabulate("Families: many pairs around 1,000 centres", _families(n))
    title = f"The paper's trade-off (WWW 2007, table 1), {n:,} fingerprints, distance 3"
    yield tabulate(title, _tradeoff(n))
    peers = _peers(n, trial.pick(10**3, 10**4))
    yield tabulate("Peers", peers, f"empty: not installed; {_ELSEWHERE}")


def _pairs(sizes: list[int]) -> Iterator[Row]:
    for n in sizes:
        f, times = planted(n), 5 if n <= 10**6 else 3 if n <= 10**7 else 1
        each = _floor(n, times)
        for shape in (20 if n >= 10**8 else 10, "auto"):
            count = max(plan(BALL, n, shape).tables, 1)
            took = fastest(lambda f=f, shape=shape: all_pairs(f, tables=shape), times)
            yield {
                "n": n, "plan": f"{shape}", "tables": count, "s": took,
                "floor s: T(n, tables)": count * each, "ratio": took / (count * each),
            }  # fmt: skip


def _floor(n: int, times: int) -> float:
    """Return T(n, 1): seconds of one in-place sort, measured on all cores, divided by them."""
    random = np.random.default_rng(9)
    columns = [random.integers(0, 1 << 64, n, dtype=np.uint64) for _ in range(CORES)]

    def once() -> float:
        copies = [column.copy() for column in columns]
        with ThreadPoolExecutor(CORES) as pool:
            return clock(lambda: list(pool.map(np.ndarray.sort, copies)))

    return min(once() for _ in range(times)) / CORES


def _memory(n: int) -> Row:
    f, tables = planted(n), 20 if n >= 10**8 else 10
    tracemalloc.start()  # counts what numpy allocates
    pairs = all_pairs(f, tables=tables)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    each = (peak - sum(part.nbytes for part in pairs)) / n
    return {"n": n, "tables": tables, "bytes a fingerprint": each}


def _lines(n: int, trial: Trial) -> Row:
    """Measure the command, from a file of lines to a file of pairs."""
    lines, pairs = trial.folder / "lines.txt", trial.folder / "pairs.txt"
    with lines.open("w", encoding="ascii") as file:
        file.writelines(f"{value:016x}  {row}\n" for row, value in enumerate(planted(n).tolist()))
    command = ("pairs", "-q", "-o", pairs, lines)
    took = fastest(lambda: simdup(*command), trial.rounds)
    return {"lines": n, "s": took, "peak MB": peak_memory(*command)}


def _families(n: int) -> Iterator[Row]:
    """Search fingerprints around 1,000 centres, and check 50 of them."""
    centres = 1000
    random = np.random.default_rng(3)
    centre = random.integers(0, 1 << 64, centres, dtype=np.uint64)
    for name, times in (("8 bits", np.full(n, 8)), ("0 to 8 bits", random.integers(0, 9, n))):
        f = flipped(centre[random.integers(0, centres, n)], times, random)
        checked = random.integers(0, n, 50)
        near_checked = [[np.array([row])] for row in checked]
        total, started, checking = 0, time.perf_counter(), 0.0
        for block in iter_pairs(f):
            total += len(block.i)
            paused = time.perf_counter()
            for row, others in zip(checked, near_checked, strict=True):
                others += [block.j[block.i == row], block.i[block.j == row]]
            checking += time.perf_counter() - paused
        took = time.perf_counter() - started - checking
        found = (np.sort(np.concatenate(others)) for others in near_checked)
        right = (np.flatnonzero(np.bitwise_count(f ^ f[row]) <= 3) for row in checked)
        missed = sum(not np.array_equal(*both) for both in zip(found, right, strict=True))
        yield {
            "n": n, "away from a centre": name, "pairs": total, "s": took,
            "incomplete of 50": missed,
        }  # fmt: skip


def _tradeoff(n: int) -> Iterator[Row]:
    f = planted(n)
    g = near(f, n // 10)
    random_half = g[len(g) // 2 :]
    indexed, asking = (BitView.of_all_bits(part, 64) for part in (f, random_half))
    for shape in (4, 10, 16, 20):
        chosen = plan(BALL, n, shape)
        index = build(f, tables=shape)
        keys = table_keys(chosen, indexed, 1 << 24)
        low, high = min(chosen.key_bits), max(chosen.key_bits)
        yield {
            "tables": shape,
            "key bits": f"{low}-{high}" if low < high else f"{low}",
            "candidates a query, expected": sum(n / 2.0**key for key in chosen.key_bits),
            "seen": sum(_bucket_sizes(indexed, asking, key) for key in keys) / len(random_half),
            "bytes a fingerprint": _bytes(index) / n,
            f"s, {len(g):,} queries": fastest(lambda index=index: hits(index, g)),
            "s, all pairs": fastest(lambda shape=shape: all_pairs(f, tables=shape)),
        }


def _bytes(index: SearchIndex) -> int:
    """Return the bytes of the tables and the fingerprints."""
    return sum(map(table_bytes, (index.view.fingerprints, *index.tables)))


def _bucket_sizes(f: BitView, g: BitView, key: Pieces) -> int:
    """Count how many fingerprints have the key of a query, over all queries."""
    table, asking = (
        build_table(view, key, np.empty(len(view), dtype=np.uint64)) for view in (f, g)
    )
    tail = np.uint64((1 << (WORD - sum(width for _, width in key))) - 1)
    begin = np.searchsorted(table, asking & ~tail)
    return int((np.searchsorted(table, asking | tail, side="right") - begin).sum())


# Measured elsewhere on this kind of machine, random fingerprints, distance 3.
_ELSEWHERE = (
    "not run here: simhash-cpp 10**6 0.62 s (4 blocks), 10**7 22.4 s and 620 MB (5 blocks); "
    "hammingbird 10**6 0.79 s and 432 MB (2 threads), 10**7 out of memory at 24 GB"
)


def _peers(n: int, few: int) -> Iterator[Row]:
    for name, size, peer in (
        (FAISS, n, _faiss),
        ("simhash SimhashIndex", few, _simhash),
        ("datasketch MinHashLSH, candidates only", few, _datasketch),
    ):
        f = planted(size)
        ours = fastest(lambda f=f: all_pairs(f))
        try:
            took = clock(peer(f))
        except ImportError:
            took = None
        yield {
            "peer, all pairs": name, "n": size, "s": took, "s of simdup": ours,
            "ratio": took and took / ours,
        }  # fmt: skip


# What searches with a peer, which is imported before the clock starts.
Search = Callable[[], object]


def _faiss(f: np.ndarray) -> Search:
    index = _faiss_index()
    return lambda: (index.add(_octets(f)), index.range_search(_octets(f), 4))


def _faiss_index() -> Any:
    import faiss

    faiss.omp_set_num_threads(2)
    return faiss.IndexBinaryMultiHash(64, 4, 16)


def _octets(f: np.ndarray) -> np.ndarray:
    return f.view(np.uint8).reshape(-1, 8)


def _simhash(f: np.ndarray) -> Search:
    import simhash

    def search() -> None:
        named = [(str(row), simhash.Simhash(int(one))) for row, one in enumerate(f)]
        index = simhash.SimhashIndex(named, k=3)
        for _, one in named:
            index.get_near_dups(one)

    return search


def _datasketch(f: np.ndarray) -> Search:
    """Return a search by bands, because datasketch has no search by Hamming distance.

    Its table of bands, given the four blocks as a signature of four values, proposes the same
    candidates; it does not verify them.
    """
    import datasketch

    def search() -> None:
        index = datasketch.MinHashLSH(num_perm=4, params=(4, 1))
        blocks = f.view(np.uint16).reshape(-1, 4).astype(np.uint64)
        signs = [datasketch.MinHash(4, hashvalues=one, scheme="legacy") for one in blocks]
        for row, one in enumerate(signs):
            index.insert(row, one)
        for one in signs:
            index.query(one)

    return search


# -- queries --


def queries(trial: Trial) -> Iterator[Table]:
    """Queries against a table of fingerprints: batches, single ones, compressed tables, faiss."""
    n, many = trial.pick(10**4, 10**6), trial.pick(10**5, 10**7)
    yield tabulate(f"Queries against {n:,} fingerprints", _batches(n), "faiss: if installed")
    f = np.random.default_rng(6).integers(0, 1 << 64, many, dtype=np.uint64)
    plain, compressed = (build(f, compress=compress, tables=10) for compress in (False, True))
    bits = 8 * table_bytes(compress_table(np.sort(f))) / many
    bound = 64 - math.log2(many) + 1 / math.log(2)
    row = {
        "n": many, "bits each": bits, "bound": bound, "ratio": bits / bound,
        "bytes each, 10 tables": _bytes(plain) / many, "compressed": _bytes(compressed) / many,
    }  # fmt: skip
    yield tabulate("Compressed tables of sorted fingerprints", [row])
    g = near(f, 10**5)
    rows: list[Row] = []
    for count in (10**5, 10**4, 10**3, 1):
        ms, slow = (
            1e3 * fastest(lambda index=index, count=count: hits(index, g[:count]))
            for index in (plain, compressed)
        )
        rows.append({"queries": count, "ms, plain": ms, "ms, compressed": slow, "ratio": slow / ms})
    yield tabulate(f"Queries against {many:,}, 10 tables", rows)


def _batches(n: int) -> Iterator[Row]:
    f = planted(n)
    g = near(f, n // 10)
    index = build(f)
    name = f"simdup, {index.plan.tables} tables"
    searches: dict[str, Callable[[np.ndarray], Any]] = {name: lambda batch: hits(index, batch)}
    pairs = {name: len(hits(index, g).row)}
    with contextlib.suppress(ImportError):
        peer = _faiss_index()
        peer.add(_octets(f))
        searches[FAISS] = lambda batch: peer.range_search(_octets(batch), 4)
        pairs[FAISS] = int(searches[FAISS](g)[0][-1])
    ours = None
    for name, search_batch in searches.items():
        batch = 1e3 * fastest(lambda search_batch=search_batch: search_batch(g), 5)
        single = 10 * fastest(
            lambda search_batch=search_batch: [search_batch(g[i : i + 1]) for i in range(100)]
        )
        yield {
            "search": name, f"ms, {len(g):,} queries": batch, "ms, one query": single,
            "found": pairs[name],
            "ratio": ours and batch / ours[0], "ratio, one": ours and single / ours[1],
        }  # fmt: skip
        ours = ours or (batch, single)
