"""Fingerprints: all pairs and queries, compared with sorting, with the paper and with peers.

Fingerprints are random, one in ten planted within distance 3 of another. T(n, 1) is what sorting
one table costs on all cores, so the floor of a search by k tables is k times that.

The instructions that numpy sorts with matter more than anything else: with
NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" processors that are slow at AVX-512's compressing
stores (AMD's Zen 4) sort five times faster.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from lab import measuring
from lab.measuring import clock, fastest
from lab.reporting import Cell, Table
from lab.trial import Trial
from simdup.search import HammingBall, all_pairs, build, explain, iter_pairs, plan, query
from simdup.search.arrays import WORD
from simdup.search.bitview import BitView
from simdup.search.compressed import compress_table
from simdup.search.pieces import Pieces
from simdup.search.tables import build_table, table_keys
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
    yield _pairs(sizes)
    yield _memory(sizes, trial)
    yield _lines(trial.pick(10**4, 10**6), trial)
    yield _families(n)
    yield _tradeoff(n)
    yield _peers(n, trial.pick(10**3, 10**4))


def _pairs(sizes: list[int]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for n in sizes:
        f, times = planted(n), 5 if n <= 10**6 else 3 if n <= 10**7 else 1
        each = _floor(n, times)
        for shape in (20 if n >= 10**8 else 10, "auto"):
            count = max(plan(BALL, n, shape).tables, 1)
            took = fastest(lambda f=f, shape=shape: all_pairs(f, tables=shape), times)
            rows.append((n, f"{shape}", count, took, count * each, took / (count * each)))
    columns = ("n", "plan", "tables", "s", "floor s: T(n, tables)", "ratio")
    return Table("All pairs within distance 3", columns, rows)


def _floor(n: int, times: int) -> float:
    """Return T(n, 1): seconds of one in-place sort, measured on all cores, divided by them."""
    random = np.random.default_rng(9)
    columns = [random.integers(0, 1 << 64, n, dtype=np.uint64) for _ in range(CORES)]

    def once() -> float:
        copies = [column.copy() for column in columns]
        with ThreadPoolExecutor(CORES) as pool:
            return clock(lambda: list(pool.map(np.ndarray.sort, copies)))

    return min(once() for _ in range(times)) / CORES


def _memory(sizes: list[int], trial: Trial) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for n in sizes:
        file = str(trial.folder / "fingerprints.npy")
        np.save(file, planted(n))
        tables = 20 if n >= 10**8 else 10
        code = f"from lab.bench.fingerprints import growth; print(growth({file!r}, {tables}))"
        rows.append((n, tables, int(measuring.run([sys.executable, "-c", code]).output) / n))
    columns = ("n", "tables", "bytes a fingerprint")
    return Table("Memory of all pairs, beside input and output", columns, rows)


def growth(file: str, tables: int) -> int:
    """Return by how many bytes a separate process grows in a search, without its results."""
    f = np.load(file)
    # Modules, stacks of threads and the like do not grow with n.
    all_pairs(planted(1000), tables=10)
    before = _peak()
    pairs = all_pairs(f, tables=tables)
    return _peak() - before - sum(part.nbytes for part in pairs)


def _peak() -> int:
    """Return the peak memory of this process; Linux takes over `ru_maxrss` from the parent."""
    try:
        with open("/proc/self/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _lines(n: int, trial: Trial) -> Table:
    """Measure the command, from a file of lines to a file of pairs."""
    lines, pairs = trial.folder / "lines.txt", trial.folder / "pairs.txt"
    with lines.open("w", encoding="ascii") as file:
        file.writelines(f"{value:016x}  {row}\n" for row, value in enumerate(planted(n).tolist()))
    command = measuring.command_of("pairs", "-q", "-o", pairs, lines)
    took = fastest(lambda: measuring.run(command), trial.rounds)
    row = (n, took, measuring.peak_memory(command))
    return Table("simdup pairs, file to file", ("lines", "s", "peak MB"), [row])


def _families(n: int) -> Table:
    """Search fingerprints around 1,000 centres, and check 50 of them."""
    centres = 1000
    random = np.random.default_rng(3)
    centre = random.integers(0, 1 << 64, centres, dtype=np.uint64)
    rows: list[tuple[Cell, ...]] = []
    for name, times in (("8 bits", np.full(n, 8)), ("0 to 8 bits", random.integers(0, 9, n))):
        f = flipped(centre[random.integers(0, centres, n)], times, random)
        checked = random.integers(0, n, 50)
        seen = [[np.array([row])] for row in checked]
        total, begun, checking = 0, time.perf_counter(), 0.0
        for block in iter_pairs(f):
            total += len(block.i)
            paused = time.perf_counter()
            for row, mine in zip(checked, seen, strict=True):
                mine += [block.j[block.i == row], block.i[block.j == row]]
            checking += time.perf_counter() - paused
        took = time.perf_counter() - begun - checking
        missed = sum(
            not np.array_equal(
                np.sort(np.concatenate(mine)), np.flatnonzero(np.bitwise_count(f ^ f[row]) <= 3)
            )
            for row, mine in zip(checked, seen, strict=True)
        )
        rows.append((n, name, total, took, missed))
    columns = ("n", "away from a centre", "pairs", "s", "incomplete of 50")
    return Table("Families: many pairs around 1,000 centres", columns, rows)


def _tradeoff(n: int) -> Table:
    f = planted(n)
    g = near(f, n // 10)
    random_half = g[len(g) // 2 :]
    rows: list[tuple[Cell, ...]] = []
    for shape in (4, 10, 16, 20):
        chosen = plan(BALL, n, shape)
        index = build(f, tables=shape)
        expected = sum(n / 2.0**key for key in chosen.key_bits)
        indexed, asking = (BitView.of_all_bits(part, 64) for part in (f, random_half))
        keys = table_keys(chosen, indexed, 1 << 24)
        seen = sum(_bucket_sizes(indexed, asking, key) for key in keys) / len(random_half)
        low, high = min(chosen.key_bits), max(chosen.key_bits)
        took = fastest(lambda index=index: query(index, g))
        every = fastest(lambda shape=shape: all_pairs(f, tables=shape))
        key_bits = f"{low}-{high}" if low < high else f"{low}"
        rows.append((shape, key_bits, expected, seen, index.nbytes / n, took, every))
    columns = (
        "tables", "key bits", "candidates a query, expected", "seen",
        "bytes a fingerprint", f"s, {len(g):,} queries", "s, all pairs",
    )  # fmt: skip
    title = f"The paper's trade-off (WWW 2007, table 1), {n:,} fingerprints, distance 3"
    return Table(title, columns, rows, "\n" + explain(plan(BALL, n)))


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


def _peers(n: int, few: int) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, size, search in (
        (FAISS, n, _faiss),
        ("simhash SimhashIndex", few, _simhash),
        ("datasketch MinHashLSH, candidates only", few, _datasketch),
    ):
        f = planted(size)
        ours = fastest(lambda f=f: all_pairs(f))
        try:
            took = clock(search(f))
        except ImportError:
            rows.append((name, size, None, ours, None))
        else:
            rows.append((name, size, took, ours, took / ours))
    columns = ("peer, all pairs", "n", "s", "s of simdup", "ratio")
    return Table("Peers", columns, rows, f"empty: not installed; {_ELSEWHERE}")


def _faiss(f: np.ndarray) -> Callable[[], object]:
    index = _faiss_index()

    def search() -> None:
        index.add(_octets(f))
        index.range_search(_octets(f), 4)

    return search


def _faiss_index() -> Any:
    import faiss

    faiss.omp_set_num_threads(2)
    return faiss.IndexBinaryMultiHash(64, 4, 16)


def _octets(f: np.ndarray) -> np.ndarray:
    return f.view(np.uint8).reshape(-1, 8)


def _simhash(f: np.ndarray) -> Callable[[], object]:
    import simhash

    def search() -> None:
        named = [(str(row), simhash.Simhash(int(one))) for row, one in enumerate(f)]
        index = simhash.SimhashIndex(named, k=3)
        for _, one in named:
            index.get_near_dups(one)

    return search


def _datasketch(f: np.ndarray) -> Callable[[], object]:
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
    yield _batches(trial.pick(10**4, 10**6))
    yield from _compressed(trial.pick(10**5, 10**7))


def _batches(n: int) -> Table:
    f = planted(n)
    g = near(f, n // 10)
    index = build(f)
    matches = len(query(index, g).row)
    each = [g[i : i + 1] for i in range(100)]
    ours = (
        fastest(lambda: query(index, g), 5),
        fastest(lambda: [query(index, one) for one in each]) / len(each),
    )
    rows: list[tuple[Cell, ...]] = [
        (f"simdup, {index.plan.tables} tables", *(s * 1e3 for s in ours), matches, None, None)
    ]
    note = ""
    try:
        peer = _faiss_index()
    except ImportError:
        note = "faiss is not installed"
    else:
        peer.add(_octets(f))
        theirs = (
            fastest(lambda: peer.range_search(_octets(g), 4)),
            fastest(lambda: [peer.range_search(_octets(one), 4) for one in each]) / len(each),
        )
        ratios = (their / our for their, our in zip(theirs, ours, strict=True))
        same = int(peer.range_search(_octets(g), 4)[0][-1])
        rows.append((FAISS, *(s * 1e3 for s in theirs), same, *ratios))
    columns = ("search", f"ms, {len(g):,} queries", "ms, one query", "found", "ratio", "ratio, one")
    return Table(f"Queries against {n:,} fingerprints", columns, rows, note)


def _compressed(n: int) -> Iterator[Table]:
    f = np.random.default_rng(6).integers(0, 1 << 64, n, dtype=np.uint64)
    g = near(f, 10**5)
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
